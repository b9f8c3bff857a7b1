"""Purchased quantiles: what each costs, how much one person or one trip can change it, and how far off it may be.

All of this is public. The draw itself is in ``dpcore.noise.exponential``, behind the wall.

**Score.** Of ``n`` values let ``B`` lie below a point, ``E`` at it and ``A`` above it, so ``B + E + A = n``. The quantile
of level ``p`` is at the point if the rank ``p n`` lies between ``B`` and ``B + E``. Otherwise the point misses it by

    miss = max(0, f, g)  ranks,   f = B - p n = (1 - p) B - p (E + A),   g = p n - (B + E) = p A - (1 - p) (B + E)

With ``p = k / 20`` the score ``-20 miss`` is a whole number.

**Sensitivity.** One value more or less changes ``f`` by ``1 - p`` (a value below the point) or by ``-p`` (at or above it).
It changes ``g`` by ``p`` (above) or by ``-(1 - p)`` (at or below). So for every point each changes by at most
``max(p, 1 - p)``, and the largest of 0, f and g changes by no more than the larger of the two changes. If ``r`` values go
and ``a`` values come, ``f`` changes by at most ``max(r (1 - p) + a p, r p + a (1 - p))``: the worst case is that all values
that go lie on one side of the point and all that come on the other. The same holds for ``g``. Which values go and come:

==================  ========================  =====================================  =================================
measure             a user, at most M trips   a trip, all trips counted              a trip under a bound on users
==================  ========================  =====================================  =================================
travel_time,        M go                      1 goes                                 1 goes, 1 comes (displaced)
jump_length
user_time_delta     M go                      2 go, 1 comes (see below)              2 go, 2 come; M = 1: 1 and 1
one value a user    1 goes                    1 goes, 1 comes                        1 goes, 1 comes
==================  ========================  =====================================  =================================

*Gaps at trip level.* A trip that is removed takes its own gap with it. The gap of the user's next trip is replaced by
one that runs from the trip before. The removed trip starts no later than the next one, so the new gap is no shorter than
the gap that went with it. If both gaps that go lie above the point (or at it), so does the new one, and ``f`` changes by
``p``. The worst case is that both lie below and the new one above: ``2 (1 - p) + p = 2 - p``. The same cases give no more
for ``g``.

``tests/test_rank_scores.py`` finds by brute force that every bound is reached and none is exceeded.

**Error.** With ``D`` the sensitivity, the mechanism adds exponential noise of mean ``2 D / epsilon`` to every score and
takes the largest. A point whose score is lower than the best by ``s`` wins only if its noise exceeds the noise of the best
by ``s``, which has probability ``exp(-s / scale)`` at most. So over a grid of N points
``P(miss > s) <= N exp(-s / scale)``. At least one point misses by 0, so ``s`` is the miss itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, log
from types import MappingProxyType

from dpcore.errors import PrivacyError
from dpcore.measures.bins import LEVELS, PARTS
from dpcore.measures.choices import GRIDS
from dpcore.measures.measure import Measure
from dpcore.measures.plan import Plan
from dpcore.privacy import ContributionBound, PrivacyUnit

Values = Mapping[str, Mapping[str, str]]
"""The values by measure and statistic: points of its public grid, as decimal texts."""


@dataclass(frozen=True)
class BoughtQuantiles:
    """Results of the exponential mechanism. They are drawn once: no lower rung and no top-up draws them again."""

    at: Fraction
    """Total epsilon of the plan at the draw: the highest rung of the first release of its chain."""
    share: Fraction
    """Share of that epsilon which all of them cost together."""
    values: Values

    def __post_init__(self) -> None:
        """Refuse what no draw can give. ValueError for unknown statistics, values off the grid or in falling order."""
        for measure, numbers in self.values.items():
            known = [name for name in LEVELS if name in numbers]
            if measure not in GRIDS or not known or list(numbers) != known:
                raise ValueError("bought quantiles have a measure with a grid, and statistics in their order")
            points = [GRIDS[measure].number(text) for text in numbers.values()]
            if points != sorted(points):
                raise ValueError("bought quantiles rise")
        if not self.draws:
            raise ValueError("bought quantiles are at least one")
        frozen = {measure: MappingProxyType(dict(numbers)) for measure, numbers in self.values.items()}
        object.__setattr__(self, "values", MappingProxyType(frozen))

    @property
    def draws(self) -> int:
        """Number of quantiles. Each costs the same."""
        return sum(len(numbers) for numbers in self.values.values())

    @property
    def epsilon(self) -> Fraction:
        """What all of them cost together."""
        return self.share * self.at

    @property
    def epsilon_of_one(self) -> Fraction:
        """What each of them cost."""
        return self.epsilon / self.draws


def check_bought(plan: Plan, five_numbers: BoughtQuantiles | None, ranges: BoughtQuantiles | None) -> None:
    """Refuse quantiles that a plan with these choices cannot have purchased, with a ValueError.

    ``plan`` is the plan of a release: its choices hold the bins that follow from purchased ranges.
    """
    for bought, share in ((five_numbers, plan.five_numbers_share), (ranges, plan.ranges)):
        if (bought is None) != (share == 0):
            raise ValueError("what was bought is not what the plan pays for")
        if bought is not None and (bought.at not in plan.rungs or bought.share != share):
            raise ValueError("what was bought did not cost its share at a rung of the plan")
    if five_numbers is not None and _statistics(five_numbers) != dict.fromkeys(plan.histograms, (*LEVELS,)):
        raise ValueError("a summary has the five numbers of every histogram")
    if ranges is not None:
        _check_ranges(plan, ranges)
    elif plan.ranged is not None:
        raise ValueError("the plan names ranges that were not bought")


def _check_ranges(plan: Plan, ranges: BoughtQuantiles) -> None:
    """Check that every range named by the plan was purchased, and that the bins follow from the ranges."""
    if _statistics(ranges) != {name: GRIDS[name].ends for name in plan.ranged or ()}:
        raise ValueError("a range has its two ends, or one where the other is known")
    if with_ranges(plan, ranges) != plan:
        raise ValueError("the bins are not those of the bought ranges")


def _statistics(bought: BoughtQuantiles) -> dict[str, tuple[str, ...]]:
    return {name: tuple(numbers) for name, numbers in bought.values.items()}


@dataclass(frozen=True)
class Draw:
    """One quantile to be drawn for a plan."""

    measure: str
    statistic: str
    epsilon: Fraction
    """Its cost: a part of the plan's epsilon."""

    @property
    def level(self) -> int:
        """The level of the quantile in twentieths."""
        return LEVELS[self.statistic]


def draws_of_five_numbers(plan: Plan) -> tuple[Draw, ...]:
    """The quantiles of the five-number summaries of a plan; empty if their weight is 0."""
    if not plan.five_numbers:
        return ()
    wanted = [(measure, statistic) for measure in plan.histograms for statistic in LEVELS]
    return _draws(wanted, plan.five_numbers_share * plan.epsilon)


def draws_of_ranges(plan: Plan) -> tuple[Draw, ...]:
    """The quantiles from which ranges of bins are made.

    Raises PrivacyError if a plan pays for ranges and has no histogram that needs one.
    """
    if not plan.ranges:
        return ()
    wanted = [(measure, statistic) for measure in plan.to_be_ranged for statistic in GRIDS[measure].ends]
    if not wanted:
        raise PrivacyError(
            "there is no range to buy",
            "ranges",
            "Choose a histogram measure without bins of its own (for mobility_entropy 0 and 1 are known), or buy none.",
        )
    return _draws(wanted, plan.ranges * plan.epsilon)


def _draws(wanted: list[tuple[str, str]], epsilon: Fraction) -> tuple[Draw, ...]:
    """The wanted quantiles, each with an equal part of an epsilon."""
    return tuple(Draw(measure, statistic, epsilon / len(wanted)) for measure, statistic in wanted)


def with_ranges(plan: Plan, bought: BoughtQuantiles) -> Plan:
    """The plan with the bins that follow from purchased ranges: post-processing of public numbers."""
    edges = {
        measure: GRIDS[measure].round_edges(numbers.get("p5"), numbers["p95"])
        for measure, numbers in bought.values.items()
    }
    choices = replace(plan.choices, edges={**plan.choices.edges, **edges})
    return replace(plan, choices=choices, ranged=tuple(name for name in plan.histograms if name in edges))


def requested_plan(plan: Plan) -> Plan:
    """The plan as it was requested, before its ranges were purchased. Two releases of one request have the same one."""
    if plan.ranged is None:
        return plan
    edges = {name: edges for name, edges in plan.choices.edges.items() if name not in plan.ranged}
    before = replace(plan, choices=replace(plan.choices, edges=edges), ranged=None)
    return before if before.to_be_ranged == plan.ranged else replace(before, ranged=plan.ranged)


def score_change(go: int, come: int, level: int) -> int:
    """The most that a score can change when ``go`` values go and ``come`` values come; level and result in twentieths.

    >>> score_change(3, 0, 10), score_change(1, 0, 1), score_change(1, 1, 1)
    (30, 19, 20)
    """
    above, below = level, PARTS - level
    return max(go * below + come * above, go * above + come * below)


def sensitivity(measure: Measure, bound: ContributionBound, level: int) -> int:
    """The most that one privacy unit changes any score, in twentieths of a rank."""
    if bound.unit is PrivacyUnit.TRIP:
        return change_of_one_trip(measure, bound, level)
    return score_change(1 if measure.counts_users else bound.trips, 0, level)


def change_of_one_trip(measure: Measure, bound: ContributionBound, level: int) -> int:
    """The most that one trip changes any score, in twentieths, whatever unit the bound protects."""
    if measure.counts_users:
        change = score_change(1, 1, level)
    elif bound.unit is PrivacyUnit.TRIP:
        change = 2 * PARTS - level if measure.reads_gaps else score_change(1, 0, level)
    elif measure.reads_gaps and bound.trips > 1:
        change = score_change(2, 2, level)
    else:
        change = score_change(1, 1, level)
    # Under a bound on users: remove the whole user, then add the user again with the trip.
    return change if bound.unit is PrivacyUnit.TRIP else min(change, 2 * sensitivity(measure, bound, level))


def noise_scale(change: int, epsilon: Fraction) -> Fraction:
    """The mean of the noise that hides a change of scores; both in twentieths of a rank."""
    return 2 * change / epsilon


def most_missed(change: int, epsilon: Fraction, points: int, confidence: float) -> int:
    """A purchased quantile misses by at most this many ranks, rounded up, with the confidence; proof above."""
    return ceil(float(noise_scale(change, epsilon)) * log(points / (1 - confidence)) / PARTS)
