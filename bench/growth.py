"""How cost grows with trips: the same work on ever larger cities, and how far it is from what the machine could do."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import numpy as np

from bench.running import Said, case, figures, run_case
from dpcore import demo

TILES = 5_000
SMALLEST = 1_000_000
STEP = 10**0.5


def scale_cases(folder: Path, home: Path, largest: int) -> list[tuple[str, str]]:
    """Fifteen measures of a million trips up to so many, 5,000 tiles, Parquet, at trip level and for people with M = 10.

    The smallest city is counted first and its costs are not used: that compiles kernels and fills caches of tiles.
    """
    rows: list[tuple[str, str]] = []
    costs: dict[str, list[tuple[int, float]]] = {"": [], ", at most 10 trips of a person": []}
    start = _start(folder, home)
    for size in _sizes(largest):
        city = folder / f"scale-{size}"
        demo.write_city(city, size, TILES, 7)
        case("count", city, home, "trips.parquet", "all")
        limit = _scale_case("limit", city)
        for bound, found in costs.items():
            said = case("count", city, home, "trips.parquet", "all", *(["10"] if bound else []))
            found.append((size, float(said["cpu"]) - start))
            ratio = (float(said["cpu"]) - start) / float(limit["decoded_s"])
            rows.append(
                (
                    f"{size:,} trips, {TILES:,} tiles, all measures from Parquet{bound}",
                    f"{figures([said])}; {ratio:.1f} times the decoding of its columns ({limit['decoded_s']:.2f} CPU s)",
                )
            )
        if size == SMALLEST:
            rows += _machine(limit, _scale_case("text", city))
        shutil.rmtree(city)
    for bound, found in costs.items():
        if len(found) > 1:
            sizes, cpu = np.array(found).T
            exponent = np.polyfit(np.log(sizes), np.log(cpu), 1)[0]
            what = f"growth from {sizes[0]:,.0f} to {sizes[-1]:,.0f} trips{bound}"
            rows.append(
                (
                    f"{what}: CPU seconds over those of a start ({start:.1f}) go as trips to the power of",
                    f"{exponent:.2f}",
                )
            )
    return rows


def _sizes(largest: int) -> list[int]:
    """Whole numbers of trips, each about three times the one before."""
    steps = round(np.log(largest / SMALLEST) / np.log(STEP))
    return [round(SMALLEST * STEP**step / 100_000) * 100_000 for step in range(max(steps, 0))] + [
        max(largest, SMALLEST)
    ]


def _start(folder: Path, home: Path) -> float:
    """CPU seconds of a process that counts next to nothing: imports, kernels and tiles."""
    city = folder / "scale-start"
    demo.write_city(city, 1_000, TILES, 7)
    case("count", city, home, "trips.parquet", "all")
    return float(case("count", city, home, "trips.parquet", "all")["cpu"])


def _scale_case(name: str, city: Path) -> Said:
    return run_case([sys.executable, "-m", "bench.scale", name, str(city)], city)


def _machine(limit: Said, text: Said) -> list[tuple[str, str]]:
    return [
        (
            "this machine, one core: memory copied; bytes of a cached file read",
            f"{float(limit['copied_gb_s']):.1f} GB/s; {float(limit['read_gb_s']):.1f} GB/s",
        ),
        *(
            (f"CSV read and checked, one core, {name}.csv", f"{float(speed):.0f} MB/s")
            for name, speed in text.items()
            if name.startswith("trips")
        ),
    ]
