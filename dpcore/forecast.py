"""What a plan will give, before anything is spent: from the plan and facts that its owner declares, from no data.

The size of the noise follows from the plan alone. How much of a table will stand out of it depends on how trips are
spread; for that a typical city is assumed (``typical_city``), and the words beside the numbers say so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import Final

from dpcore import limits
from dpcore.accuracy import GRID, epsilon_for_half_width, stands_out_from
from dpcore.accuracy import half_width as width_at
from dpcore.errors import PrivacyError
from dpcore.key_choices import USUAL, KeyChoices
from dpcore.measures import Measure
from dpcore.plan import NOTHING, Plan
from dpcore.privacy import ContributionBound, PrivacyUnit, decimal_text
from dpcore.sparse_noise import threshold_for
from dpcore.typical_city import SPREAD, share_counted, share_reaching

_DIGITS: Final = 3  # of an epsilon that answers a wish for accuracy


@dataclass(frozen=True)
class Facts:
    """What the owner says about the data, without looking or knowing it anyway: declared, never measured here."""

    trips: int | None
    """About how many trips there are; None if not declared."""
    users: int | None
    """About how many people made them; None if unknown or if no person can be told from another."""
    tiles: int
    """Tiles of the public tessellation."""

    @property
    def declared(self) -> bool:
        """Whether any number was declared."""
        return self.trips is not None or self.users is not None

    def __post_init__(self) -> None:
        """Refuse facts that cannot be."""
        impossible = self.trips is not None and self.trips < 0
        if impossible or (self.users is not None and not 1 <= self.users <= max(1, self.trips or self.users)):
            raise PrivacyError(
                "the declared numbers do not fit together",
                "trips and people",
                "Give at least one person, and no more people than trips.",
            )


@dataclass(frozen=True)
class MeasureForecast:
    """What one measure of a plan will give."""

    measure: str
    title: str
    counts: str
    """What one unit of a cell is, such as ``visits``."""
    epsilon: Fraction
    """Epsilon of its own: its share of the total."""
    sensitivity: int
    half_width: int
    """95 % half width of the noise of one cell, in counts."""
    cells: int
    """Number of cells, whatever the data."""
    average: float | None
    """Expected count of a cell, if trips (and people, where they matter) were declared."""
    stands_out_from: int
    """Smallest noisy count that noise alone could hardly have made."""
    readable_share: float | None
    """Expected share of the tiles or flows that stand out of the noise, in a typical city; None for other tables."""
    listed_from: int | None
    """Smallest noisy count that is listed, where a table has too many cells to be listed whole; None for others."""

    @property
    def sparse(self) -> bool:
        """Whether small noisy counts are left out of the files, because there are too many."""
        return self.listed_from is not None

    @property
    def relative(self) -> float | None:
        """The half width as a share of an average cell; None if that is unknown or 0."""
        return self.half_width / self.average if self.average else None

    @property
    def readable(self) -> float | None:
        """Expected number of tiles or flows that stand out of the noise."""
        return None if self.readable_share is None else self.readable_share * self.cells


def trips_counted(bound: ContributionBound, facts: Facts) -> float | None:
    """How many trips are expected to count under the bound; None where what matters was not declared.

    Trips per person are assumed to be spread as in ``typical_city``.
    """
    if facts.trips is None or (bound.unit is PrivacyUnit.USER and facts.users is None):
        return None
    if facts.users is None or bound.unit is PrivacyUnit.TRIP:
        return float(facts.trips)
    return facts.trips * share_counted(facts.trips / facts.users, bound.trips)


def forecast(plan: Plan, facts: Facts) -> tuple[MeasureForecast, ...]:
    """What each measure of a plan will give at its highest epsilon, in the order of the plan's weights.

    Raises PrivacyError if a measure needs a period and the plan has none.
    """
    return tuple(_of(measure, plan, facts) for measure in plan.measures)


def _of(measure: Measure, plan: Plan, facts: Facts) -> MeasureForecast:
    epsilon = plan.share(measure.name) * plan.epsilon
    sensitivity = measure.sensitivity(plan.bound)
    rho = epsilon / sensitivity
    cells = measure.keys(tuple(str(number) for number in range(facts.tiles))).size
    listed_from = threshold_for(cells, rho, plan.false_flows) if cells > limits.MAX_DENSE_CELLS else None
    from_on = stands_out_from(rho, cells, listed_from)
    total = expected_total(measure, plan.bound, facts)
    average = None if total is None else total / cells
    spread = SPREAD.get(measure.name)
    known = average is not None and spread is not None
    return MeasureForecast(
        measure=measure.name,
        title=measure.title,
        counts=measure.counts,
        epsilon=epsilon,
        sensitivity=sensitivity,
        half_width=width_at(rho),
        cells=cells,
        average=average,
        stands_out_from=from_on,
        readable_share=share_reaching(from_on, rho, average or 0.0, spread or 0.0) if known else None,
        listed_from=listed_from,
    )


def expected_total(measure: Measure, bound: ContributionBound, facts: Facts) -> float | None:
    """The expected sum over all cells; None where that is not known, or means nothing."""
    if not measure.adds_up:
        return None
    if measure.counts_users:
        return None if facts.users is None else float(facts.users)
    counted = trips_counted(bound, facts)
    if counted is None:
        return None
    if measure.reads_gaps:  # nothing lies before the first trip of a person
        return None if not facts.users or not facts.trips else counted * (1 - facts.users / facts.trips)
    return counted * measure.cells_per_trip


def accuracy_first(
    bound: ContributionBound,
    weights: Mapping[str, int],
    measure: str,
    half_width: int,
    choices: KeyChoices = USUAL,
    *,
    five_numbers: int = 0,
    ranges: Fraction = NOTHING,
) -> Fraction:
    """The total epsilon at which the noise of one cell of a measure stays within ``half_width`` in 95 of 100 cases.

    Rounded up to about three digits, so it always suffices.

    Args:
        bound: privacy unit and contribution bound.
        weights: weight of each measure of the plan.
        measure: the measure that matters.
        half_width: how far off a count may be, in its own unit, 1 or more.
        choices: public keys of the plan.
        five_numbers: weight of bought five-number summaries.
        ranges: share of epsilon that buys ranges of bins.

    Raises:
        PrivacyError: more epsilon would be needed than the limits allow, or the measure is not in the plan.

    """
    if measure not in weights or half_width < 1:
        raise PrivacyError(
            "there is nothing to be accurate about",
            measure,
            "Name a measure of the plan, and how far off its counts may be: 1 or more.",
        )
    plan = Plan(bound, weights, (Fraction(1),), choices, five_numbers, ranges)
    per_rate = plan.measure(measure).sensitivity(bound) / plan.share(measure)
    rate = epsilon_for_half_width(half_width)  # suffices, and is at most one step of its grid too high
    high = max(rate * per_rate, Fraction(limits.MIN_EPSILON))
    step = _step(high)
    enough, short = ceil(high / step), floor(max(rate - GRID, Fraction(0)) * per_rate / step)
    while enough - short > 1:
        middle = (enough + short) // 2
        suffices = width_at(middle * step / per_rate) <= half_width
        enough, short = (middle, short) if suffices else (enough, middle)
    wanted = max(enough * step, Fraction(limits.MIN_EPSILON))
    if wanted > Fraction(limits.MAX_EPSILON):
        raise PrivacyError(
            "so little noise would cost too much privacy",
            f"within {half_width:,} needs epsilon {decimal_text(wanted)}",
            f"At most {limits.MAX_EPSILON} can be spent: allow more noise, a smaller M, or fewer measures.",
        )
    return wanted


def _step(epsilon: Fraction) -> Fraction:
    """The coarsest power of ten that leaves an epsilon three digits or so; never finer than the limits allow.

    >>> [str(_step(Fraction(n))) for n in ("1.2341", "12.31", "0.0012", "0.0000001")]
    ['1/100', '1/10', '1/100000', '1/1000000']
    """
    decimals = limits.MAX_EPSILON_DECIMALS
    while decimals > 0 and epsilon * 10**decimals > 10**_DIGITS:
        decimals -= 1
    return Fraction(1, 10**decimals)
