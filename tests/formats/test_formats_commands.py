"""Formats through the whole command: what a person types for files as they are published, and the counts that come out."""

from __future__ import annotations

import csv
import io
import shlex

import pytest

from dpcore.command_line import main
from tests.formats import tiles_index, trips_index
from tests.formats.door import bytes_of

TRIPS = {case.file: case for case in trips_index.TRIPS}
TILES = {case.file: case for case in tiles_index.TILES}

COUNTS = [
    ("hubway_mapc.csv", "hubway_stations.csv", {"23": 2, "24": 2, "25": 1, "outside": 0}),
    ("divvy_2019q2.csv", "divvy_stations.csv", {"901": 1, "902": 2, "903": 1, "outside": 0}),
    ("helsinki_2021.csv", "hsl_stations.csv", {"094": 1, "100": 2, "113": 3, "outside": 0}),
    ("tlc_yellow_2023.parquet", "socrata_wkt.csv", {"201": 0, "202": 0, "203": 0, "outside": 3}),
    ("geopandas_wkt.csv", "squares.gpkg", {"b0": 2, "b1": 0, "b2": 0, "outside": 4}),
    (
        "posts_unix_ms.csv",
        "google_earth.kml",
        {"District 0": 2, "District 1": 0, "District 2": 0, "outside": 4},
    ),
    ("excel_german.csv", "postgis_wkt.csv", {"1": 2, "2": 0, "3": 0, "outside": 4}),
]
"""Trips, tiles, and how many starts and ends lie in each tile."""


@pytest.mark.parametrize(
    ("trips", "tiles", "visits"), COUNTS, ids=lambda one: one if isinstance(one, str) else ""
)
def test_a_published_file_is_counted_by_one_command(trips, tiles, visits, tmp_path, capsys):
    for case in (TRIPS[trips], TILES[tiles]):
        (tmp_path / case.file).write_bytes(bytes_of(case, tmp_path))
    words = ["exact", "visits_per_tile", "--trips", str(tmp_path / trips), "--tiles", str(tmp_path / tiles)]
    words += [
        "--timezone",
        TRIPS[trips].zone,
        *shlex.split(TRIPS[trips].options),
        *shlex.split(TILES[tiles].options),
    ]
    assert main([*words, "--privacy-unit", "trip"]) == 0
    rows = csv.DictReader(io.StringIO(capsys.readouterr().out))
    assert {row["tile_id"]: int(row["value"]) for row in rows} == visits
