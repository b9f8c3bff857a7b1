"""What measures the program is not run by its tests, so these see that it begins, and measure the smallest case."""

from __future__ import annotations

import subprocess
import sys

import pytest

from bench.running import case, figures
from dpcore import demo
from tests.conftest import ROOT

PROGRAMS = ["bench", "bench.accuracy", "bench.accuracy.known"]
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
