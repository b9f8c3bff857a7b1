"""Quantiles that a release bought, and what each draw of them costs: public facts of a plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from types import MappingProxyType

from dpcore.errors import PrivacyError
from dpcore.plan import Plan
from dpcore.quantiles.grids import GRIDS, LEVELS, round_edges

Values = Mapping[str, Mapping[str, str]]
"""For each measure the statistics with their values: points of its public grid, decimal texts."""


@dataclass(frozen=True)
class BoughtQuantiles:
    """What the exponential mechanism gave. It was drawn once; neither a lower rung nor a top-up draws it anew."""

    at: Fraction
    """Total epsilon of the plan when it was drawn: the highest rung of the first release of its chain."""
    share: Fraction
    """Share of that epsilon that all of them cost together."""
    values: Values

    def __post_init__(self) -> None:
        """Refuse what no draw can give: ValueError for unknown statistics, values off the grid or in falling order."""
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
        """How many quantiles there are; each costs the same."""
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
    """Refuse what a plan with these choices cannot have bought; ValueError.

    ``plan`` is that of a release: bins that follow from bought ranges stand among its choices.
    """
    for bought, share in ((five_numbers, plan.five_numbers_share), (ranges, plan.ranges)):
        if (bought is None) != (share == 0):
            raise ValueError("what was bought is not what the plan pays for")
        if bought is not None and (bought.at not in plan.rungs or bought.share != share):
            raise ValueError("what was bought did not cost its share at a rung of the plan")
    if five_numbers is not None and _statistics(five_numbers) != dict.fromkeys(plan.histograms, (*LEVELS,)):
        raise ValueError("a summary has five numbers of every histogram")
    if ranges is not None:
        _check_ranges(plan, ranges)
    elif plan.ranged is not None:
        raise ValueError("the plan names ranges that were not bought")


def _check_ranges(plan: Plan, ranges: BoughtQuantiles) -> None:
    """Every range that the plan names was bought, and the bins are those that follow."""
    if _statistics(ranges) != {name: GRIDS[name].ends for name in plan.ranged or ()}:
        raise ValueError("a range has its two ends, or one where the other is known")
    if with_ranges(plan, ranges) != plan:
        raise ValueError("the bins are not those of the bought ranges")


def _statistics(bought: BoughtQuantiles) -> dict[str, tuple[str, ...]]:
    return {name: tuple(numbers) for name, numbers in bought.values.items()}


@dataclass(frozen=True)
class Draw:
    """One quantile that a plan buys."""

    measure: str
    statistic: str
    epsilon: Fraction
    """What it costs: its part of the plan's epsilon."""

    @property
    def level(self) -> int:
        """The level of the quantile in twentieths."""
        return LEVELS[self.statistic]


def draws_of_five_numbers(plan: Plan) -> tuple[Draw, ...]:
    """The quantiles of the five-number summaries that a plan buys; none without a weight for them."""
    if not plan.five_numbers:
        return ()
    wanted = [(measure, statistic) for measure in plan.histograms for statistic in LEVELS]
    return _draws(wanted, plan.five_numbers_share * plan.epsilon)


def draws_of_ranges(plan: Plan) -> tuple[Draw, ...]:
    """The quantiles that become ranges of bins.

    Raises PrivacyError where a plan pays for ranges and there is none to buy.
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
    """Even parts of an epsilon."""
    return tuple(Draw(measure, statistic, epsilon / len(wanted)) for measure, statistic in wanted)


def with_ranges(plan: Plan, bought: BoughtQuantiles) -> Plan:
    """The plan with the bins that follow from bought ranges, a function of public numbers alone."""
    edges = {
        measure: round_edges(measure, numbers.get("p5"), numbers["p95"])
        for measure, numbers in bought.values.items()
    }
    choices = replace(plan.choices, edges={**plan.choices.edges, **edges})
    return replace(plan, choices=choices, ranged=tuple(name for name in plan.histograms if name in edges))


def asked(plan: Plan) -> Plan:
    """The plan as it was asked for, before its ranges were bought: two releases of one request have the same."""
    if plan.ranged is None:
        return plan
    edges = {name: edges for name, edges in plan.choices.edges.items() if name not in plan.ranged}
    before = replace(plan, choices=replace(plan.choices, edges=edges), ranged=None)
    return before if before.to_be_ranged == plan.ranged else replace(before, ranged=plan.ranged)
