"""What a plan will give, before anything is spent. It uses the plan and facts that the owner declares, and no data.

The size of the noise follows from the plan alone. How much of a table will stand out of the noise depends on how trips are
spread. For that a typical city is assumed, and the texts beside the numbers say so.

**Typical city.** Two laws with one number each. They were chosen on the synthetic city, whose truth is public, and on no
data of any owner:

* *Places.* Order tiles (or pairs of tiles) by their count. The count at the quantile ``Phi(z)`` is
  ``mean * exp(s * z - s**2 / 2)``: a log-normal spread with the given mean. So half of the tiles get less than four
  tenths of the mean, and one in ten gets more than twice the mean.
* *People.* The number of trips of a person beyond the first follows a Pareto law (type II, shape 3) with the given mean:
  most people make few trips, some make many. A bound M keeps at least the first trip of everyone.

A service may stop at few places, such as stations of rented bikes on a fine grid. Then most tiles get nothing at all, and
the law promises too many readable tiles. The formulas are public, so floating point is fine here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore import limits
from dpcore.errors import PrivacyError
from dpcore.measures import GRIDS, Measure
from dpcore.measures.bins import LEVELS
from dpcore.measures.bought import draws_of_five_numbers, most_missed, sensitivity
from dpcore.measures.choices import USUAL, KeyChoices
from dpcore.measures.plan import NOTHING, Plan
from dpcore.measures.split import drawable_keys
from dpcore.noise.accuracy import GRID, epsilon_for_half_width, stands_out_from, worst_rank
from dpcore.noise.accuracy import half_width as width_at
from dpcore.noise.sparse import threshold_for
from dpcore.privacy import ContributionBound, PrivacyUnit, decimal_text

TRIPS_IN_FOUR_WEEKS: Final = 20
"""Default for the trips of one person in four weeks."""

_Z: Final = np.linspace(-9, 9, 4001)
LIKELY: Final = np.exp(-_Z * _Z / 2) / np.exp(-_Z * _Z / 2).sum()
"""The share of places that each count of ``spread_counts`` stands for."""
_TOGETHER: Final = (
    0.99  # confidence that none of five purchased numbers misses by more; their intervals use the same
)
_DIGITS: Final = 3  # of an epsilon that answers a wish for accuracy


@dataclass(frozen=True)
class Facts:
    """What the owner declares about the data: known beforehand or estimated, never measured here."""

    trips: int | None
    """Approximate number of trips; None if not declared."""
    users: int | None
    """Approximate number of people; None if it is unknown or people cannot be told apart."""
    tiles: int
    """Number of tiles of the public tessellation."""

    @property
    def declared(self) -> bool:
        """Whether any number was declared."""
        return self.trips is not None or self.users is not None

    def __post_init__(self) -> None:
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
    """Epsilon of this measure: its share of the total."""
    sensitivity: int
    half_width: int
    """95 % half width of the noise of one cell, in counts."""
    cells: int
    """Number of cells, whatever the data."""
    average: float | None
    """Expected count of a cell; None if the trips (or people, where they matter) were not declared."""
    stands_out_from: int
    """Smallest noisy count that noise alone could hardly have made."""
    readable_share: float | None
    """Expected share of tiles or flows that stand out of the noise in a typical city; None for other tables."""
    listed_from: int | None
    """Smallest noisy count that is listed if a table has too many cells to be listed whole; None for other tables."""

    @property
    def sparse(self) -> bool:
        """Whether the files leave out small noisy counts, because there are too many cells."""
        return self.listed_from is not None

    @property
    def relative(self) -> float | None:
        """The half width as a share of an average cell; None if that cell is unknown or 0."""
        return self.half_width / self.average if self.average else None

    @property
    def readable(self) -> float | None:
        """Expected number of tiles or flows that stand out of the noise."""
        return None if self.readable_share is None else self.readable_share * self.cells


def trips_counted(bound: ContributionBound, facts: Facts) -> float | None:
    """Expected number of trips that count under the bound; None if a number it needs was not declared.

    Trips per person are assumed to be spread as in a typical city.
    """
    if facts.trips is None or (bound.unit is PrivacyUnit.USER and facts.users is None):
        return None
    if facts.users is None or bound.unit is PrivacyUnit.TRIP:
        return float(facts.trips)
    return facts.trips * share_counted(facts.trips / facts.users, bound.trips)


def forecast(plan: Plan, facts: Facts) -> tuple[MeasureForecast, ...]:
    """What each measure of a plan will give at its highest epsilon, in the order of the plan's weights.

    Raises PrivacyError if a measure needs a period and the plan has none, or has too many cells to be drawn.
    """
    return tuple(_measure_forecast(measure, plan, facts) for measure in plan.measures)


def _measure_forecast(measure: Measure, plan: Plan, facts: Facts) -> MeasureForecast:
    epsilon = plan.share(measure.name) * plan.epsilon
    sensitivity = measure.sensitivity(plan.bound)
    rho = plan.rho(measure.name, plan.epsilon)
    cells = number_of_cells(measure, facts.tiles, plan.choices)
    least = listed_from(cells, rho, plan.false_flows)
    from_on = stands_out_from(rho, cells, least)
    total = expected_total(measure, plan.bound, facts)
    average = None if total is None else total / cells
    known = average is not None and measure.readable
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
        readable_share=share_reaching(from_on, rho, average or 0.0, measure.spread) if known else None,
        listed_from=least,
    )


def listed_from(cells: int, rho: Fraction, false_flows: Fraction) -> int | None:
    """Smallest noisy count that a table of so many cells lists; None if it lists all."""
    return threshold_for(cells, rho, false_flows) if cells > limits.MAX_DENSE_CELLS else None


def number_of_cells(measure: Measure, tiles: int, choices: KeyChoices) -> int:
    """How many cells a measure has over so many tiles. Districts that were chosen stay as many, whatever the tiles.

    Raises PrivacyError if there are too many to be drawn.
    """
    if measure.needs_districts and choices.districts is not None:
        tiles = len(choices.districts.of_tiles)
    return drawable_keys(measure, tuple(str(number) for number in range(tiles))).size


def expected_total(measure: Measure, bound: ContributionBound, facts: Facts) -> float | None:
    """The expected sum over all cells; None if it is unknown or means nothing."""
    if not measure.adds_up:
        return None
    if measure.counts_users:
        return None if facts.users is None else float(facts.users)
    counted = trips_counted(bound, facts)
    if counted is None:
        return None
    if measure.reads_gaps:  # the first trip of a person has no gap before it
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

    It is rounded up to about three digits, so it is always enough.

    Args:
        bound: privacy unit and contribution bound.
        weights: weight of each measure of the plan.
        measure: name of the measure that matters.
        half_width: how far off a count may be, in its own unit, 1 or more.
        choices: public keys of the plan.
        five_numbers: weight of purchased five-number summaries.
        ranges: share of epsilon for purchased ranges of bins.

    Raises:
        PrivacyError: more epsilon would be needed than the limits allow, or the measure is not in the plan.

    """
    if measure not in weights or half_width < 1:
        raise PrivacyError(
            "there is no accuracy to aim at",
            measure,
            "Name a measure of the plan, and how far off its counts may be: 1 or more.",
        )
    plan = Plan(bound, weights, (Fraction(1),), choices, five_numbers, ranges)
    per_rate = plan.measure(measure).sensitivity(bound) / plan.share(measure)
    rate = epsilon_for_half_width(half_width)  # enough, and at most one step of its grid more than needed
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
    """The coarsest power of ten that leaves an epsilon about three digits, and is not finer than the limits allow.

    >>> [str(_step(Fraction(n))) for n in ("1.2341", "12.31", "0.0012", "0.0000001")]
    ['1/100', '1/10', '1/100000', '1/1000000']
    """
    decimals = limits.MAX_EPSILON_DECIMALS
    while decimals > 0 and epsilon * 10**decimals > 10**_DIGITS:
        decimals -= 1
    return Fraction(1, 10**decimals)


def share_counted(trips_per_user: float, max_trips: int) -> float:
    """The expected share of all trips that count under a bound, 0 to 1. ``trips_per_user`` is their mean, 1 or more.

    Under the law above, the share ``1 - (1 + (M - 1) / (2 (m - 1)))**-2`` of the mean ``m - 1`` of further trips counts.

    >>> round(share_counted(9, 10), 2), share_counted(1, 1), round(share_counted(63, 10), 2)
    (0.64, 1.0, 0.14)
    """
    further = trips_per_user - 1
    if further <= 0:
        return 1.0
    counted = 1 - (1 + (max_trips - 1) / (2 * further)) ** -2
    return float((1 + further * counted) / trips_per_user)


def share_reaching(threshold: int, rho: Fraction, mean: float, spread: float) -> float:
    """The expected share of places whose noisy count reaches a threshold, 0 to 1.

    The noise is discrete Laplace of rate ``rho``. A place that nobody visits may reach the threshold too, by chance.

    Args:
        threshold: the smallest noisy count to reach.
        rho: epsilon of the measure over its sensitivity.
        mean: mean count of all places, 0 or more.
        spread: the number s of the law of places.

    """
    counts = spread_counts(mean, spread)
    return float((LIKELY * _noise_reaches(np.ceil(threshold - counts), float(rho))).sum())


def spread_counts(mean: float, spread: float) -> NDArray[np.float64]:
    """Counts of typical places under the law of places, rising; shape (4001,). ``LIKELY`` says how many have each."""
    return spread_counts_at(_Z, mean, spread)


def spread_counts_at(z: NDArray[np.float64], mean: float, spread: float) -> NDArray[np.float64]:
    """The same at the quantiles ``Phi(z)``."""
    counts: NDArray[np.float64] = mean * np.exp(spread * z - spread**2 / 2)
    return counts


def _noise_reaches(least: NDArray[np.float64], rate: float) -> NDArray[np.float64]:
    """``P(V >= t)`` for whole t, positive or negative; see ``accuracy`` for the law of V."""
    q = np.exp(-rate)
    far = np.exp(-rate * np.maximum(least, 1 - least)) / (1 + q)  # the tail on the side of 0 away from t
    found: NDArray[np.float64] = np.where(least > 0, far, 1 - far)
    return found


@dataclass(frozen=True)
class ExpectedRanks:
    """By how many values the numbers of one histogram may be off: purchased, or free in the same plan without a purchase."""

    measure: str
    title: str
    bought: int
    """Ranks by which a purchased number misses at most (``bought.most_missed``)."""
    free: int
    """Ranks by which noise moves a free number, at most, in 95 of 100 cases."""
    bins: int
    values: float | None
    """Expected number of values, if it was declared."""

    @property
    def pays_from(self) -> int:
        """With at least this many values a purchased number is expected to be nearer to the true one than a free one.

        A free number may also lie anywhere in half of its bin. Values are assumed to be spread evenly over the bins.
        """
        return max(0, 2 * self.bins * (self.bought - self.free))

    @property
    def pays(self) -> bool:
        """Whether purchased numbers are expected to beat the free ones; False if that depends on undeclared numbers."""
        return (self.values or 0) >= self.pays_from


def expected_ranks(plan: Plan, facts: Facts) -> tuple[ExpectedRanks, ...]:
    """Purchased against free for every histogram of a plan that buys summaries; empty for any other plan."""
    draws = draws_of_five_numbers(plan)
    return tuple(
        _ranks_of(plan.measure(name), plan, facts, draws[0].epsilon) for name in plan.histograms if draws
    )


def _ranks_of(measure: Measure, plan: Plan, facts: Facts, epsilon: Fraction) -> ExpectedRanks:
    levels = LEVELS.values()
    change = max(sensitivity(measure, plan.bound, level) for level in levels)
    confidence = 1 - (1 - _TOGETHER) / len(levels)
    bins = measure.keys(()).size
    alone = plan.weights[measure.name] * (1 - plan.ranges) * plan.epsilon / sum(plan.weights.values())
    return ExpectedRanks(
        measure=measure.name,
        title=measure.title,
        bought=most_missed(change, epsilon, GRIDS[measure.name].size, confidence),
        free=round(worst_rank(alone / measure.sensitivity(plan.bound), bins)),
        bins=bins,
        values=expected_total(measure, plan.bound, facts),
    )


def five_numbers_warning(plan: Plan, facts: Facts) -> str:
    """A warning about summaries that are not expected to beat the free ones; empty if there are none."""
    worse = [one for one in expected_ranks(plan, facts) if not one.pays]
    if not worse:
        return ""
    said = "; ".join(
        f"{one.title}: off by up to {one.bought:,} values instead of {one.free:,}, better from about "
        f"{two_digits(one.pays_from):,} values on ({_declared_sentence(one)})"
        for one in worse
    )
    return (
        "Purchased five-number summaries are not expected to beat the free ones, which are read off the histograms. "
        f"A purchase takes epsilon from the counts. {said}."
    )


def two_digits(number: int) -> int:
    """A number rounded up to two digits.

    >>> two_digits(87126), two_digits(95), two_digits(0)
    (88000, 95, 0)
    """
    unit = int("1" + "0" * max(0, len(str(number)) - 2))
    return -(-number // unit) * unit


def _declared_sentence(one: ExpectedRanks) -> str:
    return "their number was not declared" if one.values is None else f"about {one.values:,.0f} are expected"
