"""What each tool says of the ten trips. Runs in the environment of that tool: ``python their_values.py TOOL``."""

from __future__ import annotations

import json
import sys
import warnings
from collections.abc import Callable
from typing import Any

from ten_trips import BOX, EMPTY, HEXAGON, TILES, points, tiles, width


def dpmobilityreport() -> list[object]:
    """Its values of these rows."""
    from dp_mobility_report import DpMobilityReport

    def report(**which: Any) -> Any:  # noqa: ANN401 - its sections
        made = DpMobilityReport(
            points(**which), tiles("tile_id", TILES), privacy_budget=None, disable_progress_bar=True
        )
        return made.report

    whole, visits = report(zone=False), report(zone=False)["visits_per_tile"]
    longest = [report(zone=False, only=who)["travel_time"].quartiles["max"] for who in ("ben", "cat 1")]
    made = sum(section.data is not None for section in report().values() if hasattr(section, "data"))
    return [
        whole["ds_statistics"].data["n_trips"],
        visits.data.visits.sum() + visits.n_outliers,
        visits.data.set_index("tile_id").visits["A"],
        whole["od_flows"].data.flow.sum(),
        *longest,
        made,
    ]


def scikit_mobility() -> list[object]:
    """Its values of these rows."""
    import skmob
    from skmob.measures.individual import jump_lengths, radius_of_gyration
    from skmob.preprocessing.detection import stay_locations
    from skmob.tessellation import tilers

    def read(frame: Any) -> Any:  # noqa: ANN401 - its kind of frame
        return skmob.TrajDataFrame(frame, latitude="lat", longitude="lng", datetime="datetime", user_id="uid")

    flows = read(points(ends=True)).to_flowdataframe(tiles("tile_ID", TILES), self_loops=True)
    whole = read(points())
    stays = stay_locations(read(points().drop(columns="tid")), no_data_for_minutes=1e12)
    square = tilers.tiler.get("squared", meters=1000, base_shape=tiles("", {"": BOX})).geometry[0]
    return [
        flows.flow.sum(),
        flows.set_index(["origin", "destination"]).flow["B", "B"],
        jump_lengths(whole, show_progress=False).jump_lengths.map(len).sum(),
        radius_of_gyration(whole, show_progress=False).radius_of_gyration[0],
        (stays.groupby("uid").size() - 1).sum(),
        round(width(square.bounds)),
    ]


def trackintel() -> list[object]:
    """Its values of these rows."""
    import geopandas as gpd
    from trackintel.io import read_positionfixes_gpd
    from trackintel.preprocessing import generate_trips

    frame = points().drop(columns="tid")
    frame = gpd.GeoDataFrame(frame, geometry=gpd.points_from_xy(frame.lng, frame.lat), crs=4326)
    fixes = read_positionfixes_gpd(frame, user_id="uid", tracked_at="datetime", geom_col="geometry")

    def cut(gap: float, *, last: bool) -> Any:  # noqa: ANN401 - its trips
        rule = {"dist_threshold": 200, "time_threshold": 20, "gap_threshold": gap, "include_last": last}
        placed, stays = fixes.generate_staypoints(method="sliding", **rule)
        _, legs = placed.generate_triplegs(stays.assign(is_activity=True), gap_threshold=gap)
        trips = generate_trips(stays.assign(is_activity=True), legs, gap_threshold=gap)[2]
        return trips[["origin_staypoint_id", "destination_staypoint_id"]].notna().all(axis=1)

    usual = cut(15, last=False)
    return [len(usual), usual.sum(), cut(1e6, last=True).sum()]


def movingpandas() -> list[object]:
    """Its values of these rows."""
    import movingpandas as mpd
    import pandas as pd

    def read(who: str) -> Any:  # noqa: ANN401 - its collection
        frame = points().assign(trip=lambda rows: rows.uid + rows.tid)
        return mpd.TrajectoryCollection(frame, who, t="datetime", x="lng", y="lat")

    trips = {one.id: one for one in read("trip")}
    cut = mpd.ObservationGapSplitter(read("uid")).split(gap=pd.Timedelta("30min"))
    minutes = trips["cat1"].get_duration().total_seconds() / 60
    return [len(trips), len(cut), minutes, trips["ann1"].get_length() / 1000]


def opendp() -> list[object]:
    """Its values of these rows."""
    import opendp.prelude as dp
    import polars as pl

    dp.enable_features("contrib")
    visits = pl.LazyFrame({"tile": [*"AAAAAAAABBBBBCCDDD", "outside"]})
    empty = pl.LazyFrame({"tile": [*"ABCD", *map(str, range(EMPTY))]})

    def asked(rows: int, *, signed: bool = False, named: bool = True) -> Any:  # noqa: ANN401 - its query
        context = dp.Context.compositor(
            data=visits,
            privacy_unit=dp.unit_of(contributions=rows),
            privacy_loss=dp.loss_of(epsilon=1.0) if named else dp.loss_of(epsilon=1.0, delta=1e-7),
            split_evenly_over=1,
            margins=[dp.polars.Margin(by=[], max_length=1000)],
        )
        query = context.query().group_by("tile").agg(dp.len(signed=signed))
        return query.with_keys(empty) if named else query

    def mean(*, signed: bool) -> float:
        drawn = asked(4, signed=signed).release().collect()
        return round(float(drawn.filter(~pl.col("tile").is_in([*"ABCD"]))["len"].mean()), 1)

    listed = asked(4, named=False).release().collect()
    scales = [asked(rows).summarize()["scale"][0] for rows in (2, 4)]
    return [*scales, mean(signed=False), mean(signed=True), len(listed)]


def h3_with_geopandas() -> list[object]:
    """Its values of these rows."""
    import geopandas as gpd
    import h3

    ends = points(ends=True)
    placed = gpd.GeoDataFrame(ends, geometry=gpd.points_from_xy(ends.lng, ends.lat), crs=4326)
    every = gpd.sjoin(placed, tiles("tile_id", TILES), how="left")
    inside = gpd.sjoin(placed, tiles("tile_id", TILES), predicate="within")
    cells = [[h3.latlng_to_cell(one.lat, one.lng, size) for one in ends.itertuples()] for size in (7, 9)]
    parents = [h3.cell_to_parent(cell, 7) for cell in cells[1]]
    return [len(every), len(inside), cells[0].count(HEXAGON), parents.count(HEXAGON)]


THEIRS: dict[str, Callable[[], list[Any]]] = {
    "DpMobilityReport": dpmobilityreport,
    "scikit-mobility": scikit_mobility,
    "trackintel": trackintel,
    "MovingPandas": movingpandas,
    "OpenDP": opendp,
    "H3 with geopandas": h3_with_geopandas,
}

warnings.filterwarnings("ignore")
print(json.dumps([float(value) for value in THEIRS[sys.argv[1]]()]))
