"""What personal levels of places buy at each epsilon, on the owner's own trips: errors of throw-away trees beside the uniform allocation.

For the owner only: every number is made from the true trajectories. Nothing is charged, and no tree is kept. With personal levels a
record may lose more than the epsilon of Critical, so the uniform allocation is also measured at what a record may lose.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

import numpy as np

from dpcore.errors import InputError
from dpcore.kinds.tree.choices import TreeChoices
from dpcore.kinds.tree.paths import paths_of
from dpcore.kinds.tree.plan import Strategy, TreePlan, price_of_tree
from dpcore.kinds.tree.private.drawing import EXACT_NOISE
from dpcore.kinds.tree.private.growth import grow
from dpcore.kinds.tree.private.sequences import sequences_of
from dpcore.kinds.tree.queries import relative_error, workload
from dpcore.kinds.tree.tree import consistent, integer_weights
from dpcore.privacy import decimal_text
from dpcore.private.bounding import bounding_key
from dpcore.private.progress import Progress
from dpcore.private.sealed import Sealed
from dpcore.private.trips import PrivateTrips
from dpcore.tiles import Tessellation

LEVEL_EPSILONS: Final = tuple(Fraction(text) for text in ("0.1", "0.25", "0.5", "1"))
_QUERIES: Final = 2_000
_MOST: Final = 50


@dataclass(frozen=True)
class LevelsRow:
    """Mean relative errors of random set queries at one epsilon. Deviations are those from tree to tree."""

    epsilon: Fraction
    """Of Critical places."""
    record: Fraction
    """What the whole record of one unit may lose with the levels."""
    levels: tuple[float, float]
    """Error of the tree with the levels, and its standard deviation."""
    uniform: tuple[float, float]
    """Of the uniform allocation with the same epsilon for Critical."""
    same_price: tuple[float, float]
    """Of the uniform allocation at which a record may lose as much as with the levels."""


@dataclass(frozen=True, repr=False, eq=False)
class LevelsStudy(Sealed):
    """All numbers. They were made from true trajectories."""

    runs: int
    rows: tuple[LevelsRow, ...]

    @property
    def columns(self) -> dict[str, list[str] | list[float]]:
        """As columns: exact texts of epsilon, then errors as shares, each with its standard deviation."""
        found: dict[str, list[str] | list[float]] = {
            "epsilon": [decimal_text(one.epsilon) for one in self.rows],
            "record": [decimal_text(one.record) for one in self.rows],
        }
        for name, errors in (
            ("error", [one.levels for one in self.rows]),
            ("uniform_error", [one.uniform for one in self.rows]),
            ("uniform_error_same_record", [one.same_price for one in self.rows]),
        ):
            found[name] = [round(mean, 6) for mean, _ in errors]
            found[f"{name}_sigma"] = [round(sigma, 6) for _, sigma in errors]
        return found


def levels_study(
    trips: PrivateTrips,
    tessellation: Tessellation,
    choices: TreeChoices,
    *,
    epsilons: Sequence[Fraction] = LEVEL_EPSILONS,
    runs: int = 5,
    progress: Progress | None = None,
) -> LevelsStudy:
    """Grow ``runs`` trees of each allocation at each epsilon, and ask each the same random questions. The epsilon of the choices is not used.

    Raises InputError for numbers out of range and where no trajectory visits a tile, and PrivacyError for a plan that cannot be drawn.
    """
    tell = progress or (lambda _: None)
    priced = levels_plans(tessellation, choices, epsilons, runs)
    trips.must_hide(choices.bound.unit)
    sequences, (first, _) = sequences_of(trips, tessellation, choices, bounding_key()), priced[0]
    true = sequences.paths(choices.height, first.locations)
    if not len(true):
        raise InputError(
            "no trajectory visits a tile",
            trips.name,
            "Choose the dates of the trips, and tiles that cover them.",
        )
    asked, rows = workload("levels", _QUERIES, first.locations, choices.height), []
    for number, (plan, record) in enumerate(priced):
        alike = replace(plan, strategy=Strategy.UNIFORM)
        found = []
        for step, one in enumerate((plan, alike, replace(alike, epsilon=record / choices.bound.trips))):
            errors = []
            for run in range(runs):
                tell((number + (step + run / runs) / 3) / len(priced))
                tree = consistent(grow(sequences, one, EXACT_NOISE), choices.consistency)
                errors.append(relative_error(asked, true, paths_of(tree, integer_weights(tree))).mean)
            found.append((float(np.mean(errors)), float(np.std(errors, ddof=1))))
        rows.append(LevelsRow(plan.epsilon, record, *found))
    tell(1.0)
    return LevelsStudy(runs, tuple(rows))


def levels_plans(
    tessellation: Tessellation, choices: TreeChoices, epsilons: Sequence[Fraction], runs: int
) -> list[tuple[TreePlan, Fraction]]:
    """The plan at each epsilon, with what a record may lose. Raises as ``levels_study`` does for what cannot be on any trips."""
    if not 2 <= runs <= _MOST or not 1 <= len(epsilons) <= _MOST:
        raise InputError(
            "the study is out of range",
            f"{runs} runs, {len(epsilons)} epsilons",
            f"Choose 2 to {_MOST} runs and 1 to {_MOST} epsilons.",
        )
    return [
        (plan, price_of_tree(plan, choices.bound).record)
        for plan in (replace(choices, epsilon=epsilon).plan(tessellation) for epsilon in epsilons)
    ]
