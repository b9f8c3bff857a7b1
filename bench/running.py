"""One case, one process: what it says of itself, and what it cost."""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path

from dpcore.demo import DEMO_TIMEZONE
from dpcore.measures import MEASURES
from dpcore.measures.plan import EXPLORED_WEIGHTS

Said = dict[str, float | str]

FIFTEEN = tuple(name for name, measure in MEASURES.items() if measure.differences is not None)
"""The measures that are analyses of DpMobilityReport too."""


def run_case(command: list[str], home: Path) -> Said:
    """One process: what it says of itself, its CPU seconds, wall seconds and peak memory."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    # One thread of BLAS for all, as the app and every command have it: a second one mostly waits, and burns seconds at that.
    environment = {"OPENBLAS_NUM_THREADS": "1", **os.environ, "EPSILON_ATLAS_HOME": str(home)}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    said = json.loads(done.stdout.strip().splitlines()[-1])
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"wall": time.perf_counter() - began, "cpu": cpu, **said}


def environment(folder: Path, name: str, pins: str) -> str:
    """The Python of an environment in a folder that holds these packages. It is made where it is not there yet."""
    place = folder / name.replace(" ", "-")
    python = str(place / "bin" / "python")
    if not place.exists():
        subprocess.run([sys.executable, "-m", "venv", place], check=True)
        pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *pins.split()]
        subprocess.run(pip, check=True)
        subprocess.run([python, "-m", "compileall", "-q", place / "lib"], check=False, capture_output=True)
    return python


RUN = """
import json, runpy
from bench.engine_counts import peak_mb
try:
    runpy.run_module("dpcore", run_name="__main__", alter_sys=True)
except SystemExit as end:
    assert end.code == 0, end.code
print(json.dumps({"version": "", "rss_mb": peak_mb()}))
"""


def exact(city: Path, home: Path, out: Path, measures: Iterable[str], file: str, *more: str) -> Said:
    """The command ``exact``: all records of a file are read and checked again, counted, and the tables written to the folder ``out``."""
    files = ["--trips", str(city / file), "--tiles", str(city / "tiles.geojson")]
    words = ["--timezone", DEMO_TIMEZONE, "--no-cache", "--out", str(out), *more]
    return run_case([sys.executable, "-c", RUN, "exact", *measures, *files, *words], home)


def count(city: Path, home: Path, file: str, which: str, max_trips: str = "") -> Said:
    """The measures of Explore or the fifteen, exact; at most so many trips of a person."""
    bound = ["--privacy-unit", "user", "--max-trips", max_trips] if max_trips else []
    return exact(city, home, city / "exact", FIFTEEN if which == "all" else EXPLORED_WEIGHTS, file, *bound)


def case(name: str, city: Path, home: Path, *more: str) -> Said:
    """A count, or one of our other cases (bench/cases.py)."""
    if name == "count":
        return count(city, home, *more)
    return run_case([sys.executable, "-m", "bench.cases", name, str(city), *more], home)


def median(runs: list[Said], figure: str) -> float:
    """The middle of a figure over some runs."""
    return statistics.median(float(run[figure]) for run in runs)


def figures(runs: list[Said]) -> str:
    """CPU seconds, wall seconds and peak memory, each the middle of some runs."""
    return (
        f"{median(runs, 'cpu'):.2f} CPU s, {median(runs, 'wall'):.2f} s wall, {median(runs, 'rss_mb'):.0f} MB"
    )
