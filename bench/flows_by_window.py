"""How near flows by day type and window are to the truth on real trips at epsilon 1: drawn values beside estimates.

    python -m bench.flows_by_window FOLDER [--draws 5]

FOLDER holds the real data that lie beside the project. Whole trips are the privacy unit, because these files tell no people apart.
Each row is a mean over draws with fresh noise, so two runs differ.
"""

from __future__ import annotations

import argparse
import os
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bench.accuracy.pictures import Numbers, Truth, filled
from bench.accuracy.plans import today
from bench.accuracy.sets import Loaded, Places, bikes, taxis
from dpcore.estimates import Estimated, estimate
from dpcore.measures.measurement import Measurement
from dpcore.measures.plan import Plan
from dpcore.privacy import ContributionBound

TABLE: Final = "od_flows_per_window"
HEAD: Final = (
    (
        "| trips | plan | cells; with trips; listed | trips of a cell | such cells | listed of them | median error: drawn, estimate | "
        "median error where listed: drawn, estimate | in range |"
    ),
    "|---|---|---|---|---|---|---|---|---|",
)
SIZES: Final = ("1 to 4", "5 to 19", "20 or more")
"""Cells are judged apart by how many trips they hold."""
STARTS: Final = (1, 5, 20)


def plans_of(data: Loaded) -> dict[str, Plan]:
    """The table alone, beside the flows of all windows, and as one more table of the default plan."""
    usual = today(data, ContributionBound.per_trip(), Fraction(1))
    alone = replace(usual, weights={TABLE: 1}, choices=replace(usual.choices, districts=None))
    return {
        "alone": alone,
        "half for od_flows": replace(alone, weights={"od_flows": 1, TABLE: 1}),
        "one more table of the default plan": replace(usual, weights={**usual.weights, TABLE: 184}),
    }


def rows_of(data: Loaded, draws: int) -> list[str]:
    """The rows of the table for one set of trips."""
    plans, rows = plans_of(data), []
    truth = Truth.of(data, ContributionBound.per_trip(), plans.values())
    for name, plan in plans.items():
        measure = plan.measure(TABLE)
        keys = measure.keys(data.trips.tile_ids)
        true = filled(keys, *truth.cells(measure, keys))
        size = np.digitize(true, STARTS)
        listed, found = [], []
        for _ in range(draws):
            measurements = truth.drawn(plan)
            one = measurements[TABLE]
            told = estimate(plan, measurements, data.tiles, of=[TABLE]).tables[TABLE]
            listed.append(len(one.cell_numbers))
            found.append([_figures(one, told, true, size == number) for number in range(1, len(STARTS) + 1)])
        for words, number, figures in zip(
            SIZES, range(1, len(STARTS) + 1), np.mean(found, axis=0), strict=True
        ):
            there, *errors, held = figures
            said = [f"{error:.1f}" if np.isfinite(error) else "-" for error in errors]
            rows.append(
                f"| {data.name} | {name} | {keys.size:,}; {(true > 0).sum():,}; {np.mean(listed):,.0f} | {words} | "
                f"{(size == number).sum():,} | {there:,.0f} | {said[0]}, {said[1]} | {said[2]}, {said[3]} | "
                f"{f'{held:.0%}' if np.isfinite(held) else '-'} |"
            )
    return rows


def _figures(one: Measurement, told: Estimated, true: Numbers, cells: NDArray[np.bool_]) -> list[float]:
    """Of some cells: how many are listed, four median errors, and the share of ranges that hold. A cell not listed reads as 0."""
    drawn = np.maximum(filled(one.keys, one.cell_numbers, one.values[-1]), 0)
    values, low, high = (filled(told.keys, told.cell_numbers, part) for part in told.counted.columns)
    there = cells & (filled(told.keys, told.cell_numbers, np.ones(len(told.cell_numbers))) > 0)
    inside = (np.floor(low + 1e-9) <= true) & (true <= np.ceil(high - 1e-9))
    errors = [_median(np.abs(seen - true)[some]) for some in (cells, there) for seen in (drawn, values)]
    return [float(there.sum()), *errors, float(inside[there].mean()) if there.any() else np.nan]


def _median(errors: Numbers) -> float:
    return float(np.median(errors)) if errors.size else np.nan


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.flows_by_window")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--draws", type=int, default=5)
    options = parser.parse_args()
    with TemporaryDirectory() as home:
        os.environ["EPSILON_ATLAS_HOME"] = home
        places = Places(options.folder, Path(home), 1)
        print(
            "\n".join(
                [*HEAD, *(row for load in (bikes, taxis) for row in rows_of(load(places), options.draws))]
            )
        )


if __name__ == "__main__":
    main()
