"""One case of synthesis: python -m bench.synthesis NAME. Prints one line of JSON.

All trips are invented here, on the spot and before the clock starts. Apart from ``bench.cases``, so that what is imported
here counts for none of those.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from fractions import Fraction

import numpy as np
import pyarrow as pa

from dpcore import demo
from dpcore.privacy import ContributionBound
from dpcore.private.synthesis.drawing import EXACT_NOISE, noisy_tables
from dpcore.private.synthesis.kept import PrivateColumns
from dpcore.private.synthesis.large_counts import stability_histogram
from dpcore.private.synthesis.records import StationTrips, exact_tables
from dpcore.private.synthesis.taps import taps
from dpcore.private.tree.growth import grow
from dpcore.private.tree.sequences import TileSequences
from dpcore.synthesis.model import fitted
from dpcore.synthesis.sampling import synthetic_trips
from dpcore.synthesis.stability.opal import MODES, opal_plan
from dpcore.synthesis.workload import SynthesisPlan
from dpcore.trajectory_tree.levels import Levels
from dpcore.trajectory_tree.plan import TreePlan

Figures = dict[str, float | str]

KEY = bytes(16)
STOPS = 2_000
TAPS = 10_000_000
TRAJECTORIES, TILES, HEIGHT = 1_000_000, 10_000, 5


def roy() -> Figures:
    """The sound model on as many trips as Hubway had: exact tables, noise, fit; and as many trips drawn from it."""
    city = demo.hubway.hubway()
    plan = SynthesisPlan(city.domain, ContributionBound.per_trip(), Fraction(1))
    times = [time.perf_counter()]
    exact = exact_tables(StationTrips(city.domain, PrivateColumns.of(city.trips)), plan, KEY)
    times.append(time.perf_counter())
    tables = noisy_tables(exact.counts, plan, origin="preview")
    times.append(time.perf_counter())
    model = fitted(tables)
    times.append(time.perf_counter())
    drawn = synthetic_trips(model, 7)
    times.append(time.perf_counter())
    counted, noised, fit, sampled = np.diff(times).tolist()
    return {
        "trips": len(city.trips),
        "drawn": len(drawn),
        "counted": counted,
        "noised": noised,
        "fit": fit,
        "sampled": sampled,
        "seconds": times[-1] - times[0],
        "rss_mb": _peak(),
    }


def stability() -> Figures:
    """Texts of ten million trips become codes, counts of the six combinations of Opal, and large noisy counts."""
    rng = np.random.default_rng(7)
    plan = opal_plan()
    days = sorted({day for _, day in plan.partitions})
    popular = 1 / np.arange(1, STOPS + 1)
    stops = [f"stop {number}" for number in range(STOPS)]
    clock = [f"{minute // 60:02d}:{minute % 60:02d}" for minute in range(1_440)]
    columns = {
        "mode": _texts(rng.integers(0, len(MODES), TAPS), MODES),
        "date": _texts(rng.integers(0, len(days), TAPS), days),
        "on_time": _texts(rng.integers(300, 1_440, TAPS), clock),
        "off_time": _texts(rng.integers(300, 1_440, TAPS), clock),
        "on_loc": _texts(rng.choice(STOPS, TAPS, p=popular / popular.sum()), stops),
        "off_loc": _texts(rng.choice(STOPS, TAPS, p=popular / popular.sum()), stops),
    }
    began = time.perf_counter()
    found = taps(plan, columns, KEY)
    coded = time.perf_counter()
    shown = stability_histogram(found, origin="preview")
    over = time.perf_counter()
    return {
        "taps": TAPS,
        "shown": sum(len(one.counts) for one in shown.large.values()),
        "coded": coded - began,
        "counted": over - coded,
        "seconds": over - began,
        "rss_mb": _peak(),
    }


def tree() -> Figures:
    """A tree of a million trajectories of three to seven tiles out of ten thousand, popular ones and others."""
    rng = np.random.default_rng(7)
    popular = 1 / np.arange(1, TILES + 1)
    lengths = rng.integers(3, 8, TRAJECTORIES)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    symbols = rng.choice(TILES, int(offsets[-1]), p=popular / popular.sum()).astype(np.int32)
    tiles = tuple(f"{number:05d}" for number in range(TILES))
    plan = TreePlan(Levels.all_critical(tiles), Fraction(1), HEIGHT)
    grow(
        TileSequences.of([[0, 1]]), TreePlan(Levels.all_critical(tiles[:4]), Fraction(1), 2), EXACT_NOISE
    )  # compiles
    began = time.perf_counter()
    grown = grow(TileSequences(symbols, offsets.astype(np.int64)), plan, EXACT_NOISE)
    return {
        "trajectories": TRAJECTORIES,
        "tiles": TILES,
        "height": HEIGHT,
        "nodes": len(grown.parent),
        "seconds": time.perf_counter() - began,
        "rss_mb": _peak(),
    }


def _texts(codes: np.ndarray, texts: tuple[str, ...] | list[str]) -> pa.Array:
    """A column as a reader hands it over."""
    return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32)), pa.array(texts))


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


CASES = {case.__name__: case for case in (roy, stability, tree)}

if __name__ == "__main__":
    print(json.dumps(CASES[sys.argv[1]]()))
