"""One case of synthesis: python -m bench.synthesis NAME. Prints one line of JSON.

All trips are invented here, on the spot and before the clock starts. Apart from ``bench.cases``, so that what is imported
here counts for none of those.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from datetime import date
from fractions import Fraction

import numpy as np

from dpcore import demo
from dpcore.kinds.roy.private.drawing import noisy_tables
from dpcore.kinds.roy.private.station_trips import PrivateColumns, StationTrips, exact_tables
from dpcore.kinds.roy.sampling import synthetic_trips
from dpcore.kinds.roy.trip_model import fitted
from dpcore.kinds.roy.workload import SynthesisPlan
from dpcore.kinds.stability.choices import StabilityChoices, listed_texts
from dpcore.kinds.stability.plan import Variant
from dpcore.kinds.stability.private.large_counts import stability_histogram
from dpcore.kinds.stability.private.trip_ends import CodedColumn, TripEnds
from dpcore.kinds.stability.totals import DELTA
from dpcore.kinds.tree.levels import Levels
from dpcore.kinds.tree.plan import TreePlan
from dpcore.kinds.tree.private.drawing import EXACT_NOISE
from dpcore.kinds.tree.private.growth import grow
from dpcore.kinds.tree.private.sequences import TileSequences
from dpcore.measures.attribute import Categories
from dpcore.measures.keys import Period
from dpcore.privacy import ContributionBound

Figures = dict[str, float | str]

STOPS = 2_000
TRIPS = 10_000_000
TRAJECTORIES, TILES, HEIGHT = 1_000_000, 10_000, 5


def roy() -> Figures:
    """The sound model on as many trips as Hubway had: exact tables, noise, fit; and as many trips drawn from it."""
    city = demo.hubway.hubway()
    plan = SynthesisPlan(city.domain, ContributionBound.per_trip(), Fraction(1))
    times = [time.perf_counter()]
    exact = exact_tables(StationTrips(city.domain, PrivateColumns.of(city.trips)), plan)
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
    """Coded ends of ten million trips become large noisy counts as published: six combinations of 56 parts, modes on two weeks."""
    rng = np.random.default_rng(7)
    choices = StabilityChoices(
        ContributionBound.per_trip(),
        Fraction(8),
        6 * DELTA,
        Variant.OPAL,
        period=Period(date(2016, 7, 25), date(2016, 8, 14)),
        divisions=(Categories("mode", ("bus", "train", "ferry", "lightrail")),),
        skipped=Period(date(2016, 8, 1), date(2016, 8, 7)),
    )
    plan = choices.plan()
    popular = 1 / np.arange(1, STOPS + 1)
    places = listed_texts("on_loc", plan, tuple(f"stop {number}" for number in range(STOPS)))
    clock = listed_texts("on_time", plan, ())
    stop = popular / popular.sum()
    columns = {
        "on_time": CodedColumn(_codes(rng.integers(300, 1_440, TRIPS) // 15), clock),
        "off_time": CodedColumn(_codes(rng.integers(300, 1_440, TRIPS) // 15), clock),
        "on_loc": CodedColumn(_codes(rng.choice(STOPS, TRIPS, p=stop)), places),
        "off_loc": CodedColumn(_codes(rng.choice(STOPS, TRIPS, p=stop)), places),
    }
    ends = TripEnds(plan, rng.integers(0, len(plan.partitions), TRIPS), columns)
    began, used = time.perf_counter(), time.process_time()
    shown = stability_histogram(ends, origin="preview")
    return {
        "trips": TRIPS,
        "parts": len(plan.partitions),
        "smallest": min(
            int(shown.large[name].counts.min()) for name in ("on_loc", "off_loc", "on_time", "off_time")
        ),
        "cpu": time.process_time() - used,
        "shown": sum(len(one.counts) for one in shown.large.values()),
        "seconds": time.perf_counter() - began,
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
    plan = TreePlan(Levels.of(tiles, {}), Fraction(1), HEIGHT)
    grow(
        TileSequences.of([[0, 1]]), TreePlan(Levels.of(tiles[:4], {}), Fraction(1), 2), EXACT_NOISE
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


def _codes(numbers: np.ndarray) -> np.ndarray:
    return numbers.astype(np.int32)


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


CASES = {case.__name__: case for case in (roy, stability, tree)}

if __name__ == "__main__":
    print(json.dumps(CASES[sys.argv[1]]()))
