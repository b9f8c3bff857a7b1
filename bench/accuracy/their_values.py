"""What DpMobilityReport draws, and the exact counts of the trips that it sampled. Runs in its own environment.

Arguments: folder of a city with ``trips_long.csv`` and ``tiles.geojson``, nominal epsilon, M, runs, ``all`` of its analyses or
the ``three`` that are compared, and the file to write (npz). Tables have the tiles in the order of their ids.
"""

import json
import sys
import warnings
from importlib.metadata import version
from pathlib import Path

import geopandas as gpd
import numpy as np
import pandas as pd
from dp_mobility_report import DpMobilityReport
from dp_mobility_report import constants as const
from dp_mobility_report.model.od_analysis import get_od_shape

warnings.filterwarnings("ignore")
city, epsilon, most, runs, which, out = sys.argv[1:7]
trips = pd.read_csv(Path(city) / "trips_long.csv")
tiles = gpd.read_file(Path(city) / "tiles.geojson")
ids = sorted(tiles.tile_id.astype(str))
kinds = [
    (const.WEEKDAY, const.START),
    (const.WEEKEND, const.START),
    (const.WEEKDAY, const.END),
    (const.WEEKEND, const.END),
]


def flows_of(pairs: pd.DataFrame) -> np.ndarray:
    """A table of all pairs from origin, destination and flow."""
    table = pairs.pivot_table(index=const.ORIGIN, columns=const.DESTINATION, values=const.FLOW, aggfunc="sum")
    return table.reindex(index=ids, columns=ids).fillna(0).to_numpy()


def hours_of(counts: pd.DataFrame) -> np.ndarray:
    """Shares by kind of end, day type and hour from (hour, category) and perc."""
    table = counts.pivot_table(index=const.TIME_CATEGORY, columns=const.HOUR, values="perc", aggfunc="sum")
    names = [f"{day} {end}" for day, end in kinds]
    return table.reindex(index=names, columns=range(24)).fillna(0).to_numpy()


def sampled(report: DpMobilityReport) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Exact counts of the trips that were sampled."""
    frame = report.df
    visits = frame.groupby(const.TILE_ID).size().reindex(ids).fillna(0).to_numpy()
    pairs = (
        get_od_shape(frame).groupby([const.TILE_ID, const.TILE_ID_END]).size().reset_index(name=const.FLOW)
    )
    flows = flows_of(
        pairs.rename(columns={const.TILE_ID: const.ORIGIN, const.TILE_ID_END: const.DESTINATION})
    )
    counts = frame.groupby([const.HOUR, const.IS_WEEKEND, const.POINT_TYPE]).size().reset_index(name="n")
    counts[const.TIME_CATEGORY] = counts[const.IS_WEEKEND] + " " + counts[const.POINT_TYPE]
    counts["perc"] = counts["n"] / (frame[const.POINT_TYPE] == const.END).sum() * 100
    return visits, flows, hours_of(counts)


kept = {}
for run in range(int(runs)):
    asked = (
        {}
        if which == "all"
        else {"analysis_selection": [const.VISITS_PER_TILE, const.OD_FLOWS, const.TRIPS_PER_HOUR]}
    )
    report = DpMobilityReport(
        trips.copy(),
        tiles.copy(),
        privacy_budget=float(epsilon),
        max_trips_per_user=int(most),
        disable_progress_bar=True,
        **asked,
    )
    drawn = report.report
    visits = (
        drawn[const.VISITS_PER_TILE].data.set_index(const.TILE_ID).visits.reindex(ids).fillna(0).to_numpy()
    )
    hours = drawn[const.TRIPS_PER_HOUR].data
    found = (visits, flows_of(drawn[const.OD_FLOWS].data), hours_of(hours))
    names = ("visits", "flows", "hours")
    kept |= {f"{name}-{run}": table for name, table in zip(names, found, strict=True)}
    kept |= {f"true-{name}-{run}": table for name, table in zip(names, sampled(report), strict=True)}
np.savez_compressed(out, **kept)
print(json.dumps({"version": version("dp-mobility-report")}))
