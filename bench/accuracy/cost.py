"""Seconds and memory of an estimate: python -m bench.accuracy.cost HOME SEED TILES [MAX_TRIPS]. Prints one line of JSON.

The peak is that of the process while it estimates, what it has loaded before included. CPU seconds are those of all its threads;
wall seconds are no more than that on an idle machine, and mean little on a busy one.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

from bench.accuracy.pictures import Truth
from bench.accuracy.plans import today
from bench.accuracy.sets import Places, city
from bench.running import Said, run_case
from dpcore.estimates import estimate
from dpcore.privacy import ContributionBound

MOST_SECONDS = {500: 1.0, 2_000: 5.0, 10_000: 30.0}
MOST_MEGABYTES = 2_048
_STATUS, _REFERENCES = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def costs(places: Places, sizes: Sequence[int] = tuple(MOST_SECONDS)) -> str:
    """A table of seconds and memory by tiles and unit, each in a process of its own."""
    rows = ["| estimate of | CPU seconds | wall | peak | demand | reached |", "|---|---|---|---|---|---|"]
    for tiles in sizes:
        for unit in ("8", "trip"):
            said = _case(places, tiles, unit)
            seconds, peak = float(said["seconds"]), float(said["peak_mb"])
            good = seconds <= MOST_SECONDS[tiles] and (tiles < 10_000 or peak <= MOST_MEGABYTES)
            name = "trip" if unit == "trip" else f"user (M = {unit})"
            limit = f"<= {MOST_SECONDS[tiles]:g} s" + (", 2 GB" if tiles >= 10_000 else "")
            cells = f"{seconds:.2f} s | {float(said['wall']):.2f} s | {peak:,.0f} MB"
            rows.append(f"| {tiles:,} tiles, {name} | {cells} | {limit} | {'yes' if good else '**no**'} |")
    return "\n".join(rows)


def _case(places: Places, tiles: int, unit: str) -> Said:
    command = [sys.executable, "-m", "bench.accuracy.cost"]
    return run_case([*command, str(places.home), str(places.seed), str(tiles), unit], places.home / "atlas")


def measured(places: Places, tiles: int, unit: str) -> dict[str, float]:
    """Draw once, estimate twice: the first time loads code, the second one counts."""
    data = city(tiles, places)
    bound = ContributionBound.per_trip() if unit == "trip" else ContributionBound.per_user(int(unit))
    plan = today(data, bound, Fraction(1))
    drawn = Truth.of(data, bound, (plan,)).drawn(plan)
    forget_peak()
    for _ in range(2):
        began, worked = time.perf_counter(), time.process_time()
        estimate(plan, drawn, data.tiles)
        spent = time.process_time() - worked, time.perf_counter() - began
    return {"seconds": spent[0], "wall": spent[1], "peak_mb": peak_megabytes()}


def forget_peak() -> None:
    """Let the peak begin at what the process holds now. Linux only; elsewhere the peak is that of its whole life."""
    if _REFERENCES.exists():
        _REFERENCES.write_text("5", encoding="ascii")


def peak_megabytes() -> float:
    """The most memory that the process has held since ``forget_peak``."""
    if _STATUS.exists():
        for line in _STATUS.read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return float(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    _home, _seed, _tiles, _unit = sys.argv[1:5]
    os.environ["EPSILON_ATLAS_HOME"] = str(Path(_home) / "atlas")
    print(json.dumps(measured(Places(Path(), Path(_home), int(_seed)), int(_tiles), _unit)))
