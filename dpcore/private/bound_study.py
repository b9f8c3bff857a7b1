"""The error of each table under each bound M, counted exactly. Not private and not accounted: for the owner's eyes only.

The trips that a bound leaves out are counted, not estimated. The noise follows from epsilon. An owner who chooses M by this
study has looked at the trips, and the release says so (``parameters_chosen``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np

from dpcore.errors import PrivacyError
from dpcore.measures import Measure, measure_named
from dpcore.measures.choices import KeyChoices
from dpcore.measures.keys import KeySet
from dpcore.measures.plan import Plan
from dpcore.noise.bound_choice import BOUNDS, CellError, best
from dpcore.privacy import ContributionBound, noise_rate
from dpcore.private.bounding import bounded
from dpcore.private.exact import ExactAnswers, exact_answers
from dpcore.private.progress import Progress, share
from dpcore.private.sealed import Sealed
from dpcore.private.trips import PrivateTrips

_TOTAL: Final = measure_named("trips_per_weekday")  # each trip counts once


@dataclass(frozen=True, repr=False, eq=False)
class BoundStudy(Sealed):
    """Bias and noise of some measures under some bounds. Not private, not accounted."""

    epsilon: Fraction
    """Total epsilon for which the noise was computed."""
    bounds: tuple[int, ...]
    kept_share: tuple[float, ...]
    """Share of all trips that each bound keeps, 0 to 1; exact."""
    errors: Mapping[str, tuple[CellError, ...]]
    """The error of each measure under each bound, over all cells of its public keys."""

    def best(self, measure: str) -> int:
        """The bound with the least total error for a measure."""
        return best(self.errors[measure]).max_trips


def bound_study(
    trips: PrivateTrips,
    choices: KeyChoices,
    epsilon: Fraction,
    weights: Mapping[str, int],
    bounds: Sequence[int] = BOUNDS,
    *,
    progress: Progress | None = None,
) -> BoundStudy:
    """The study of every measure of the weights that a bound affects, at its share of epsilon.

    The exact answers under each bound are stored like all others, so a second study of the same bounds counts nothing.

    Args:
        trips: prepared trips with users.
        choices: period, windows and bins.
        epsilon: total epsilon.
        weights: weight of each measure, as in a plan. Measures that count users get their share but no study.
        bounds: bounds on trips per user, rising.
        progress: called with the share that is done, 0 to 1.

    Raises:
        PrivacyError: no bounds, bounds that do not rise, no measure that a bound affects, or trips without users.

    """
    if not bounds or list(bounds) != sorted(set(bounds)):
        raise PrivacyError("bounds must rise", "bounds", "Give different bounds, smallest first.")
    plan = Plan(ContributionBound.per_user(bounds[0]), weights, (epsilon,), choices)
    measures = [measure for measure in plan.measures if not measure.counts_users]
    if not measures:
        raise PrivacyError("no measure of the plan has a bound", "measures", "Add one that counts trips.")
    counted = [*measures, _TOTAL]
    steps = len(bounds) + 1
    per_trip = bounded(trips, ContributionBound.per_trip())
    everything = exact_answers(per_trip, counted, share(progress, 0.0, 1 / steps))
    total = _trips(everything)
    kept_share: list[float] = []
    errors: dict[str, list[CellError]] = {measure.name: [] for measure in measures}
    for done, max_trips in enumerate(bounds, 1):
        bound = ContributionBound.per_user(max_trips)
        told = share(progress, done / steps, (done + 1) / steps)
        kept = exact_answers(bounded(trips, bound), counted, told)
        kept_share.append(_trips(kept) / total if total else 1.0)
        for measure in measures:
            mean, mean_square = _bias(everything, kept, measure, measure.keys(trips.tile_ids))
            rho = noise_rate(plan.share(measure.name), epsilon, measure.sensitivity(bound))
            errors[measure.name].append(CellError.of(max_trips, mean, mean_square, rho))
        if progress is not None:
            progress((done + 1) / steps)
    return BoundStudy(
        epsilon, tuple(bounds), tuple(kept_share), {name: tuple(row) for name, row in errors.items()}
    )


def _bias(
    everything: ExactAnswers, kept: ExactAnswers, measure: Measure, keys: KeySet
) -> tuple[float, float]:
    """Mean and mean square, over all cells, of what the bound leaves out. A bound only leaves out; it never adds."""
    cells, lost = everything.on(measure, keys)
    fewer, counts = kept.on(measure, keys)
    lost[np.searchsorted(cells, fewer)] -= counts  # counted trips lie in cells that all trips have
    return float(lost.sum()) / keys.size, float((lost.astype(float) ** 2).sum()) / keys.size


def _trips(answers: ExactAnswers) -> int:
    return int(answers.answers[_TOTAL.name][-1].sum())
