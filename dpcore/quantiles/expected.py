"""Whether bought five-number summaries are expected to beat the free ones, before anything is spent; from no data."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from dpcore.forecast import Facts, expected_total
from dpcore.measure import Measure
from dpcore.plan import Plan
from dpcore.quantiles.bought import draws_of_five_numbers
from dpcore.quantiles.grids import GRIDS, LEVELS
from dpcore.quantiles.rank_noise import worst_rank
from dpcore.quantiles.rank_scores import most_missed, sensitivity

_TOGETHER: Final = 0.99  # how surely none of the five misses by more, as their intervals count with


@dataclass(frozen=True)
class ExpectedRanks:
    """By how many values the numbers of one histogram may be off: bought, or free in the same plan without buying."""

    measure: str
    title: str
    bought: int
    """Ranks that a bought number misses by, at most (``rank_scores.most_missed``)."""
    free: int
    """Ranks that noise moves a free number by, at most in 95 of 100 cases."""
    bins: int
    values: float | None
    """Expected number of values, if it was declared."""

    @property
    def pays_from(self) -> int:
        """From so many values on a bought number is expected to be nearer to the true one.

        A free number may lie anywhere within half of its bin, too; values are taken as spread evenly over the bins.
        """
        return max(0, 2 * self.bins * (self.bought - self.free))

    @property
    def pays(self) -> bool:
        """Whether bought numbers are expected to beat the free ones; not where that hangs on numbers not declared."""
        return (self.values or 0) >= self.pays_from


def expected_ranks(plan: Plan, facts: Facts) -> tuple[ExpectedRanks, ...]:
    """Bought against free for every histogram of a plan that buys summaries; empty for any other plan."""
    draws = draws_of_five_numbers(plan)
    return tuple(_of(plan.measure(name), plan, facts, draws[0].epsilon) for name in plan.histograms if draws)


def _of(measure: Measure, plan: Plan, facts: Facts, epsilon: Fraction) -> ExpectedRanks:
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


def warning(plan: Plan, facts: Facts) -> str:
    """Plain words on the summaries that are not expected to beat the free ones; empty if there are none."""
    worse = [one for one in expected_ranks(plan, facts) if not one.pays]
    if not worse:
        return ""
    said = "; ".join(
        f"{one.title}: off by up to {one.bought:,} values against {one.free:,}, better from about "
        f"{two_digits(one.pays_from):,} values on ({_declared(one)})"
        for one in worse
    )
    return (
        "Five-number summaries that are bought are not expected to beat those that can be read off the histograms for "
        f"free, and buying takes epsilon from the counts. {said}."
    )


def two_digits(number: int) -> int:
    """A number rounded up to two digits.

    >>> two_digits(87126), two_digits(95), two_digits(0)
    (88000, 95, 0)
    """
    unit = int("1" + "0" * max(0, len(str(number)) - 2))
    return -(-number // unit) * unit


def _declared(one: ExpectedRanks) -> str:
    return (
        "how many there are was not declared"
        if one.values is None
        else f"about {one.values:,.0f} are expected"
    )
