"""What measures the program is not run by its tests, so these see that it begins, and measure the smallest case."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from bench import engines, growth_table
from bench.other_tools.__main__ import OURS, PAGE, put, table, written
from bench.other_tools.ten_trips import ROWS, points
from bench.running import case, figures
from bench.second_readings import beside, by_us, stops_by_us
from dpcore import demo
from tests.chance import state
from tests.conftest import ROOT
from tests.formats import tiles_index, trips_index

PROGRAMS = [
    *("bench", "bench.accuracy", "bench.accuracy.known", "bench.engines", "bench.growth_table"),
    *("bench.other_tools", "bench.second_readings"),
]
MODULES = sorted(
    ".".join(file.relative_to(ROOT).with_suffix("").parts)
    for file in (ROOT / "bench").rglob("*.py")
    if not file.name.startswith("__")
    and file.name not in {"peer.py", "their_values.py"}  # they run in the environment of the peer
)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_that_measures_begins(name):
    done = subprocess.run(
        [sys.executable, "-m", name, "--help"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("usage: ")


def test_every_module_that_measures_is_imported():
    code = "import importlib, sys; [importlib.import_module(name) for name in sys.argv[1:]]"
    done = subprocess.run(
        [sys.executable, "-c", code, *MODULES], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_a_case_is_measured(tmp_path):
    city, home = tmp_path / "city", tmp_path / "home"
    demo.write_city(city, 200, 12, 7)
    case("long", city, home)
    for asked in (("count", "trips_long.csv", "all"), ("publish", "trips_long.csv")):
        said = case(asked[0], city, home, *asked[1:])
        assert said["cpu"] > 0
        assert figures([said]).endswith(" MB")


HERE_TOO = ("geopandas", "DuckDB with a tree of shapely")
"""Engines that the environment of the project has, with other versions."""


def test_other_engines_count_what_is_counted_here(tmp_path):
    demo.write_city(tmp_path, 2_000, 30, 7)
    runs, differ = engines.measured(tmp_path, HERE_TOO, None, 1)
    assert differ == dict.fromkeys(HERE_TOO, 0)
    assert sum(engines.cells(tmp_path / "of here", "od_flows").values()) == 2_000
    assert engines.head(runs).count("|") == engines.row(2_000, 30, runs, differ).count("|") * 2
    assert "1 cells differ" in engines.row(2_000, 30, runs, {"geopandas": 1})


def test_squares_are_laid_over_the_city_of_the_engines(tmp_path):
    demo.write_city(tmp_path, 10, 12, 7)
    many = engines.lay_squares(tmp_path, 300)
    assert 250 < many <= 300
    assert len(json.loads((tmp_path / "tiles.geojson").read_bytes())["features"]) == many


def test_a_cell_that_differs_between_two_engines_is_counted(tmp_path):
    for name, flows in (("one", "A,B,1\nA,A,2\nB,B,0\n"), ("other", "A,B,2\nB,A,1\nA,A,2\n")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "od_flows.csv").write_text(f"origin,destination,value\n{flows}")
        (tmp_path / name / "visits_per_tile.csv").write_text("tile_id,value\nA,5\n")
    assert engines.that_differ(tmp_path / "one", tmp_path / "other") == 2


def test_the_table_of_engines_is_put_into_its_page():
    page = f"before\n{engines.MARK}\nold\n{engines.END}\nafter"
    assert engines.put(page, "new") == f"before\n{engines.MARK}\nnew\n{engines.END}\nafter"


def test_what_grows_is_measured_at_each_size(tmp_path):
    found = growth_table.grown(tmp_path, "files, 1,000,000 trips", 300, 1)
    assert [size for size, _ in found] == [1, 4, 16, 64]
    assert growth_table.row("files", found).startswith("| files | 1; 4; 16; 64 | ")


def test_the_power_is_that_of_what_comes_to_the_smallest_size():
    assert growth_table.power([1, 10, 100], [5.0, 6.0, 105.0]) == pytest.approx(2)
    assert growth_table.power([1, 10, 100], [5.0, 5.0, 5.0]) is None
    assert growth_table.power([1, 10, 100], [5.0, 5.1, 9.9]) is None
    assert growth_table.power([1, 10], [5.0, 60.0]) is None


def rows_on_page(tool):
    """The rows of a tool on the page of other tools: what is counted, there, here."""
    text = PAGE.read_text(encoding="utf-8").partition(f"<!-- {tool} -->")[2].partition("<!-- end -->")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.strip().splitlines()[2:]]


@pytest.mark.parametrize("tool", OURS)
def test_the_page_of_other_tools_says_what_is_counted_here(tool):
    if tool == "OpenDP":
        state(1e-17)  # the mean of its draws is farther than 0.05 from 0, nine times its deviation
    page = rows_on_page(tool)
    assert [what for what, _, _ in page] == [*ROWS[tool]]
    assert [here for _, _, here in page] == [written(value) for value in OURS[tool]()]
    assert all(there.replace(",", "").replace(".", "").isdigit() for _, there, _ in page)


def test_ten_trips_stand_in_the_tables_that_are_put_into_the_page():
    assert len(points().groupby(["uid", "tid"])) == 10
    page = "before\n<!-- MovingPandas -->\nold\n<!-- end -->\nafter"
    made = table("MovingPandas", [9, 1_500, 0.5, -0.004], [10, 3, 0, 3.456])
    assert "| | MovingPandas 0.23.0 | here |" in made
    assert "| 1,500 | 3 |" in made
    assert "| 0 | 3.46 |" in made
    assert put(page, "MovingPandas", made) == f"before\n{made}\nafter"


FIXES = trips_index.FOLDER / "trackintel_positionfixes.csv"
BY_MOVING = [
    ["1", "2015-11-27 08:00:00", "2015-11-27 08:20:22", 47.3765, 8.5487, 47.3993, 8.5277],
    ["1", "2015-11-27 12:39:28", "2015-11-27 12:57:20", 47.4085, 8.5116, 47.4114, 8.5447],
    ["2", "2015-11-28 12:39:28", "2015-11-28 12:57:20", 47.4085, 8.5116, 47.4114, 8.5447],
]
"""What MovingPandas 0.23.0 reads of it."""
BY_TRACKINTEL = [["1", "2015-11-27 08:00:00", "2015-11-27 08:20:22", 47.3765, 8.5487, 47.3993, 8.5277]]
"""What trackintel 1.4.2 reads of it."""
BY_GTFS_KIT = [["23", 42.3551, -71.0602], ["24", 42.3604, -71.0711], ["25", 42.3733, -71.1091]]
"""What GTFS Kit 13.0.1 reads of ``gtfs_stops.txt``, without the entrance."""


@pytest.mark.parametrize(("what", "theirs"), [("gaps", BY_MOVING), ("stays", BY_TRACKINTEL)])
def test_points_are_cut_as_a_second_reading_cuts_them(what, theirs):
    found = beside(by_us(what, FIXES, "Europe/Zurich"), theirs, 3)
    assert found == {
        "rows": len(theirs),
        "cells": 7 * len(theirs),
        "differ": 0,
        "ours alone": 0,
        "theirs alone": 0,
    }


def test_stops_are_those_of_a_second_reading():
    stops = tiles_index.FOLDER / "gtfs_stops.txt"
    assert beside(stops_by_us(stops, BY_GTFS_KIT), BY_GTFS_KIT, 1)["differ"] == 0
    told = beside(stops_by_us(stops, BY_GTFS_KIT[:2]), BY_GTFS_KIT[:2], 1)
    assert (told["rows"], told["ours alone"], told["theirs alone"]) == (2, 1, 0)


def test_a_cell_that_differs_between_two_readings_is_counted():
    moved = [[*BY_MOVING[0][:3], 47.0, *BY_MOVING[0][4:]], *BY_MOVING[1:]]
    assert beside(BY_MOVING, moved, 3)["differ"] == 1
    late = [[*BY_MOVING[0][:2], "2015-11-27 08:20:23", *BY_MOVING[0][3:]]]
    told = beside(BY_MOVING[:1], late, 3)
    assert (told["rows"], told["ours alone"], told["theirs alone"]) == (0, 1, 1)
