"""What measures the program is not run by its tests, so these see that it begins, and measure the smallest case."""

from __future__ import annotations

import subprocess
import sys

import pytest

from bench.other_tools.__main__ import OURS, PAGE, put, table, written
from bench.other_tools.ten_trips import ROWS, points
from bench.running import case, figures
from dpcore import demo
from tests.chance import state
from tests.conftest import ROOT

PROGRAMS = ["bench", "bench.accuracy", "bench.accuracy.known", "bench.other_tools"]
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
