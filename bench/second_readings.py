"""A second reading of stops and of points: by GTFS Kit, MovingPandas and trackintel, cell by cell beside ours.

    .venv/bin/python -m bench.second_readings --peer /path/to/env/bin/python points.csv --timezone Europe/Berlin
    .venv/bin/python -m bench.second_readings --peer /path/to/env/bin/python stops.txt

The environment of the peer holds ``gtfs-kit``, ``movingpandas`` and ``trackintel``, and this one need not. Each side
reads the file by itself. ``SAID`` says where a peer leaves something out, or is asked for more than its own settings.
GDAL reads tiles a second time in ``tests/formats/test_formats_by_gdal.py``.
"""

# ruff: noqa: ANN401, PLC0415 - each side has packages of its own, and loads no others
from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise, zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

Cells = list[list[Any]]
GAP, STAY, DAYS = 30, (200, 20), 10**6
DIGITS = 7
"""Of a degree: about a centimetre."""
NAMES = {
    "uid": ("uid", "user", "user_id"),
    "datetime": ("datetime", "tracked_at"),
    "lat": ("lat", "latitude"),
    "lng": ("lng", "lon", "longitude"),
}
SAID = {
    "gaps": "MovingPandas, people split one by one: no trips of one time; of points of one time the first",
    "gaps at once": "MovingPandas, all people split at once: no trips of length 0 either",
    "stays": "trackintel, asked for the last stay too, and for no gap",
    "stops": "GTFS Kit, without the entrances, nodes and boarding areas that it keeps",
}


# Theirs, in the environment of the peer, which holds nothing of ours.


def points_of(path: Path, zone: str) -> Any:
    """The points of a file, by pandas: uid, datetime (UTC, without zone), lat, lng, in order."""
    import pandas as pd

    raw = pd.read_csv(path, dtype=str, sep="," if path.suffix == ".gz" else None, engine="python")
    frame = raw.rename(columns={name: role for role, names in NAMES.items() for name in names})[[*NAMES]]
    at = pd.to_datetime(frame["datetime"])
    at = at if at.dt.tz else at.dt.tz_localize(zone, ambiguous=True, nonexistent="shift_forward")
    frame["datetime"] = at.dt.tz_convert("UTC").dt.tz_localize(None)
    return frame.astype({"lat": float, "lng": float}).sort_values([*NAMES], ignore_index=True)


def by_moving(path: Path, zone: str, *, at_once: bool) -> Cells:
    """Trips of MovingPandas."""
    import movingpandas

    frame, cells = points_of(path, zone), []
    people = movingpandas.TrajectoryCollection(frame, traj_id_col="uid", t="datetime", x="lng", y="lat")
    for some in [people] if at_once else people:
        for trip in movingpandas.ObservationGapSplitter(some).split(gap=timedelta(minutes=GAP)):
            (user, _, _), times = str(trip.id).rpartition("_"), (trip.get_start_time(), trip.get_end_time())
            start, end = trip.get_start_location(), trip.get_end_location()
            cells.append([user, *map(str, times), start.y, start.x, end.y, end.x])
    return cells


def by_trackintel(path: Path, zone: str) -> Cells:
    """Trips from the last point of a stay of trackintel to the first point of the next."""
    import geopandas
    import trackintel

    frame, cells = points_of(path, zone), []
    shapes = geopandas.points_from_xy(frame["lng"], frame["lat"], crs=4326)
    columns = {"user_id": frame["uid"], "tracked_at": frame["datetime"].dt.tz_localize("UTC")}
    fixes = trackintel.Positionfixes(geopandas.GeoDataFrame(columns, geometry=shapes))
    asked = dict(zip(("dist_threshold", "time_threshold", "gap_threshold"), (*STAY, DAYS), strict=True))
    found, _ = fixes.generate_staypoints(**asked, include_last=True, exclude_duplicate_pfs=False)
    frame["stay"] = found["staypoint_id"]
    ends = frame.dropna(subset="stay").groupby(["uid", "stay"])[["datetime", "lat", "lng"]]
    for user, mine in ends.agg(["first", "last"]).groupby(level=0):
        for one, other in pairwise(mine.itertuples(index=False, name=None)):
            cells.append([user, str(one[1]), str(other[0]), one[3], one[5], other[2], other[4]])
    return cells


def by_gtfs_kit(path: Path) -> Cells:
    """Stops of GTFS Kit: id and place."""
    import gtfs_kit

    with TemporaryDirectory() as folder:
        (Path(folder) / "stops.txt").write_bytes(path.read_bytes())
        stops = gtfs_kit.read_feed(folder, dist_units="km").get_stops(as_gdf=True)
    if "location_type" in stops:
        stops = stops[stops["location_type"].fillna(0) <= 1]
    return [[name, at.y, at.x] for name, at in zip(stops["stop_id"], stops.geometry, strict=True)]


THEIRS: dict[str, Callable[[Path, str], Cells]] = {
    "gaps": lambda path, zone: by_moving(path, zone, at_once=False),
    "gaps at once": lambda path, zone: by_moving(path, zone, at_once=True),
    "stays": by_trackintel,
    "stops": lambda path, _: by_gtfs_kit(path),
}


# Ours, and both beside each other.


def by_us(what: str, path: Path, zone: str) -> Cells:
    """Trips that a rule cuts; between gaps those with a known start that last."""
    from dpcore.measures.trip_rule import TripRule
    from dpcore.private.source import BadRecords, Together, TripsFile, inspect

    gap, file = what.startswith("gaps"), TripsFile.uploaded(path.name, path.read_bytes())
    rule = TripRule.by_gap(f"{GAP}min") if gap else TripRule.by_stays("{}m,{}min".format(*STAY))
    reading = Together([(file, inspect(file))], rule, timezone=zone, bad_records=BadRecords.REFUSE)
    cells = []
    for row in (row for batch in reading.batches() for row in batch.to_pylist()):
        start, end = (row[name] for name in ("start_us", "end_us"))
        if start is not None and (start < end or not gap):
            times = (str(datetime.fromtimestamp(at / 1e6, UTC).replace(tzinfo=None)) for at in (start, end))
            places = (row[name] for name in ("start_lat", "start_lng", "end_lat", "end_lng"))
            cells.append([row["user_id"], *times, *places])
    return cells


def stops_by_us(path: Path, theirs: Cells) -> Cells:
    """The station whose tile holds each of their places; one more for each station whose place they do not have."""
    import numpy as np

    from dpcore.tiles import read_tessellation

    tiles, at = read_tessellation(path.read_bytes(), path.name), np.array([row[1:] for row in theirs])
    names = [tiles.tile_ids[here] for here in tiles.index.assign(at[:, 1].copy(), at[:, 0].copy())]
    found = [[name, *row[1:]] for name, row in zip(names, theirs, strict=True)]
    return [*found, *([name, 0.0, 0.0] for name in tiles.tile_ids if name not in names)]


def beside(ours: Cells, theirs: Cells, named: int) -> dict[str, int]:
    """Rows that both have, their cells, those that differ, and rows of one side; the first cells name a row."""
    sides: list[defaultdict[tuple[Any, ...], list[Any]]] = [defaultdict(list), defaultdict(list)]
    for side, cells in zip(sides, (ours, theirs), strict=True):
        for row in cells:
            side[tuple(row[:named])].append([round(one, DIGITS) for one in row[named:]])
    found = dict.fromkeys(("rows", "cells", "differ", "ours alone", "theirs alone"), 0)
    for name in {*sides[0], *sides[1]}:
        for one, other in zip_longest(*(sorted(side[name]) for side in sides)):
            if one is None or other is None:
                found["theirs alone" if one is None else "ours alone"] += 1
                continue
            found["rows"] += 1
            found["cells"] += named + len(one)
            found["differ"] += sum(a != b for a, b in zip(one, other, strict=True))
    return found


def main(words: Sequence[str] | None = None) -> None:
    """Read a file twice, and say what both have and what differs."""
    parser = argparse.ArgumentParser(
        prog="bench.second_readings", description="stops or points, read by others too"
    )
    parser.add_argument("path", type=Path, help="a table of points, or stops.txt of GTFS")
    parser.add_argument("--peer", default=sys.executable, help="the Python of an environment with the peers")
    parser.add_argument("--timezone", default="UTC", help="of times without an offset")
    parser.add_argument("--read", choices=[*THEIRS], help=argparse.SUPPRESS)
    asked = parser.parse_args(words)
    if asked.read:
        print(json.dumps(THEIRS[asked.read](asked.path, asked.timezone)))
        return
    of_stops = asked.path.name.endswith("stops.txt")
    for what in ("stops",) if of_stops else ("gaps", "gaps at once", "stays"):
        command = [asked.peer, "-W", "ignore", __file__, "--read", what, str(asked.path)]
        told = subprocess.check_output([*command, "--timezone", asked.timezone], text=True)
        theirs: Cells = json.loads(told)
        ours = stops_by_us(asked.path, theirs) if of_stops else by_us(what, asked.path, asked.timezone)
        print(what, beside(ours, theirs, 1 if of_stops else 3), SAID[what], sep=": ")


if __name__ == "__main__":
    main()
