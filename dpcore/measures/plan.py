"""A plan: which measures, under which bound, with which share of epsilon each. It holds public facts only.

*False flows.* A table with too many cells to be listed whole, such as flows between thousands of tiles, gets noise on
every cell and lists the cells whose noisy count reaches a threshold. Some empty cells reach it by chance: false flows.
Their expected number F is chosen beforehand. The threshold is the lowest one at which an empty table would list F cells
or fewer on average. No count plays a part in it, so the choice of F costs no privacy. A smaller F removes more true small
flows from the list, a larger F lets in more of both.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from dpcore import limits
from dpcore.errors import PrivacyError
from dpcore.measures.choices import GRIDS, USUAL, KeyChoices, measure_named
from dpcore.measures.measure import Measure
from dpcore.privacy import (
    RUNGS,
    ContributionBound,
    decimal_exactly,
    decimal_text,
    exact_epsilon,
    must_be_decimal,
    noise_rate,
)

FIVE_NUMBERS: Final = "five_numbers"
"""Name of the five-number summaries in lists of measures. They are not a measure: they have neither keys nor rungs."""
FIVE_NUMBERS_WEIGHT: Final = 50
"""Their default weight, about that of a measure."""
NOTHING: Final = Fraction(0)
EXPLORED_WEIGHTS: Final[Mapping[str, int]] = MappingProxyType(
    {
        "visits_per_tile": 320,
        "visits_per_time_tile": 180,
        "od_flows": 184,
        "trips_per_hour": 100,
        "trips_over_time": 60,
        "trips_per_weekday": 25,
    }
)
"""Weights of six measures, for benchmarks. ``dpcore.planning`` gives a plan its default weights."""

USUAL_FALSE_FLOWS: Final = Fraction(1)
"""Default for the expected number of empty cells that are listed by chance, at most."""
_FEWEST: Final = Fraction(1, 1000)
_MOST: Final = Fraction(1_000_000)  # more would fill the files with noise

_DECIMAL: Final = re.compile(r"[0-9]{1,7}(\.[0-9]{1,3})?")
_MEND: Final = "Give a number from 0.001 to 1000000 with at most three decimals, such as 100."


@dataclass(frozen=True)
class Plan:
    """What would be asked of the trips, and how epsilon is divided (sequential composition)."""

    bound: ContributionBound
    weights: Mapping[str, int]
    """Weight of each measure. Its share of epsilon is its weight divided by the sum of all weights."""
    rungs: tuple[Fraction, ...]
    """Total epsilons at which the results can be viewed, coarsest first."""
    choices: KeyChoices = USUAL
    """Dates, windows and bins of the tables."""
    five_numbers: int = 0
    """Weight of the five-number summaries beside those of the measures. 0: none are purchased."""
    ranges: Fraction = NOTHING
    """Share of epsilon that pays for ranges of histograms, with at most six decimals. 0: none are purchased."""
    ranged: tuple[str, ...] | None = None
    """Histograms whose ranges are purchased; the others have the usual bins. None: all with the usual bins and an end
    that is not public. After the purchase it is a list, and the bins stand among the choices."""
    false_flows: Fraction = USUAL_FALSE_FLOWS
    """Expected number of empty cells that a table too large to be listed whole lists by chance, at most (see above)."""

    def __post_init__(self) -> None:
        """Refuse unknown measures, weights other than positive whole numbers, and rungs that are inexact or do not rise."""
        if not isinstance(self.weights, Mapping) or not isinstance(self.rungs, Sequence):
            raise PrivacyError(
                "a plan has weights by measure and a list of rungs",
                "weights, rungs",
                "Give {'visits_per_tile': 1} and (Fraction(1),), for example.",
            )
        # Copies, so that a later change to the caller's list does not change what was priced.
        object.__setattr__(self, "weights", MappingProxyType(dict(self.weights)))
        object.__setattr__(self, "rungs", tuple(self.rungs))
        for name, weight in self.weights.items():
            measure_named(name, self.choices)
            if (
                not isinstance(weight, int)
                or isinstance(weight, bool)
                or not 1 <= weight <= limits.MAX_BUNDLE_WEIGHT
            ):
                raise PrivacyError(
                    f"a weight must be a whole number from 1 to {limits.MAX_BUNDLE_WEIGHT:,}",
                    name,
                    "Leave the measure out if it should get nothing.",
                )
        if not self.weights:
            raise PrivacyError("a plan needs a measure", "measures", "Choose at least one.")
        if len(self.rungs) > limits.MAX_BUNDLE_RUNGS:
            raise PrivacyError(
                f"a plan reveals at most {limits.MAX_BUNDLE_RUNGS} rungs",
                "rungs",
                "Raise a release in larger steps, or publish anew.",
            )
        if not all(isinstance(rung, Fraction) for rung in self.rungs):
            raise PrivacyError(
                "an epsilon must be exact",
                "rungs",
                "Give fractions, such as Fraction(1, 10), or let Plan.up_to read decimal text, such as '0.1'.",
            )
        if not self.rungs or list(self.rungs) != sorted(set(self.rungs)) or self.rungs[0] <= 0:
            raise PrivacyError("rungs must rise", "rungs", "Give positive epsilons, smallest first.")
        for rung in self.rungs:  # their decimal texts name the columns of a release
            must_be_decimal(rung)
        checked_false_flows(self.false_flows)
        self._check_quantiles()

    def __repr__(self) -> str:
        """One line: what is counted, the finest epsilon, and whom it hides."""
        return f"<Plan of {', '.join(self.weights)}: epsilon {decimal_text(self.rungs[-1])} per {self.bound}>"

    def _check_quantiles(self) -> None:
        """Refuse impossible shares, and summaries without a histogram."""
        whole = isinstance(self.five_numbers, int) and not isinstance(self.five_numbers, bool)
        if not whole or not 0 <= self.five_numbers <= limits.MAX_BUNDLE_WEIGHT:
            raise PrivacyError(
                f"a weight must be a whole number from 1 to {limits.MAX_BUNDLE_WEIGHT:,}",
                FIVE_NUMBERS,
                "Leave the summaries out if they should get nothing.",
            )
        if self.five_numbers and not self.histograms:
            raise PrivacyError(
                "five-number summaries need a histogram to summarise",
                FIVE_NUMBERS,
                f"Choose one of {', '.join(GRIDS)} too.",
            )
        if self.five_numbers and self.choices.splits:
            raise PrivacyError(
                "five-number summaries of split tables cannot be bought",
                FIVE_NUMBERS,
                "Leave them out: those of each part are read off its released bins at no cost.",
            )
        if not isinstance(self.ranges, Fraction) or not 0 <= self.ranges < 1:
            raise PrivacyError(
                "the share of epsilon for ranges of bins is out of range",
                "ranges",
                "Give a number above 0 and below 1, such as 0.1.",
            )
        if not decimal_exactly(self.ranges):
            raise PrivacyError(
                f"the share of the ranges has more than {limits.MAX_EPSILON_DECIMALS} decimals",
                "ranges",
                "The command that repeats a release writes it as a decimal number: give one such as 0.333333.",
            )
        if self.ranged is not None:
            may = [name for name in self.histograms if GRIDS[name].ranged]
            if not self.ranges or not {*self.ranged} <= {*may} or len({*self.ranged}) < len(self.ranged):
                raise PrivacyError(
                    "these ranges cannot be bought",
                    "ranges",
                    f"Give them a share of epsilon and name, once each, some of {', '.join(may) or 'none here'}.",
                )
            object.__setattr__(self, "ranged", tuple(name for name in may if name in self.ranged))

    @classmethod
    def up_to(
        cls,
        bound: ContributionBound,
        weights: Mapping[str, int],
        epsilon: Fraction | str,
        choices: KeyChoices = USUAL,
        *,
        five_numbers: int = 0,
        ranges: Fraction = NOTHING,
        ranged: tuple[str, ...] | None = None,
        false_flows: Fraction = USUAL_FALSE_FLOWS,
    ) -> Plan:
        """The plan with the listed rungs below an epsilon, and that epsilon: decimal text, or a fraction with at most six decimals."""
        total = epsilon if isinstance(epsilon, Fraction) else exact_epsilon(epsilon)
        rungs = (*(rung for rung in RUNGS if rung < total), total)
        return cls(bound, weights, rungs, choices, five_numbers, ranges, ranged, false_flows)

    def for_form(self, *, has_users: bool) -> Plan:
        """The same plan for a form of data with or without a user column."""
        choices = self.choices.for_form(has_users=has_users)
        return self if choices is self.choices else replace(self, choices=choices)

    @property
    def epsilon(self) -> Fraction:
        """The cost of the whole plan: its highest rung."""
        return self.rungs[-1]

    def share(self, measure: str) -> Fraction:
        """The exact share of the total epsilon for one measure."""
        return self._part(self.weights[measure])

    def rho(self, measure: str, epsilon: Fraction) -> Fraction:
        """The rate of the noise of one measure where the whole plan costs ``epsilon``."""
        return noise_rate(self.share(measure), epsilon, self.measure(measure).sensitivity(self.bound))

    @property
    def five_numbers_share(self) -> Fraction:
        """The exact share of the total epsilon for all purchased five-number summaries together."""
        return self._part(self.five_numbers)

    def _part(self, weight: int) -> Fraction:
        """The share of a weight, after the ranges took theirs."""
        return (1 - self.ranges) * Fraction(weight, sum(self.weights.values()) + self.five_numbers)

    @property
    def histograms(self) -> tuple[str, ...]:
        """Its measures with bins, and so with quantiles, in the order of the weights."""
        return tuple(name for name in self.weights if name in GRIDS)

    @property
    def to_be_ranged(self) -> tuple[str, ...]:
        """The histograms whose ranges are purchased. A plan whose ranges were purchased names the same ones again."""
        if self.ranged is not None or not self.ranges:
            return self.ranged or ()
        return self.open_ended

    @property
    def open_ended(self) -> tuple[str, ...]:
        """Its histograms with the usual bins and an end that is not public."""
        return tuple(
            name for name in self.histograms if GRIDS[name].ranged and name not in self.choices.edges
        )

    def measure(self, name: str) -> Measure:
        """The measure of that name with the keys of this plan."""
        return measure_named(name, self.choices)

    def only(self, names: Collection[str]) -> Plan:
        """What it asks of some of its measures, at the shares that they have among all. For reading what was released."""
        return replace(
            self,
            weights={name: weight for name, weight in self.weights.items() if name in names},
            five_numbers=0,
        )

    @property
    def of_parts(self) -> Plan:
        """What each part of its split tables answers: the same measures of trips, not split. ValueError if it splits none."""
        split = [measure.name for measure in self.measures if measure.splits]
        if not split:
            raise ValueError("no table of this plan is split")
        return self.only(split).unsplit

    @property
    def unsplit(self) -> Plan:
        """The same plan without its splits: what each part of its split tables is, and its tables of people as they are."""
        return replace(self, choices=replace(self.choices, splits=()))

    @property
    def measures(self) -> tuple[Measure, ...]:
        """Its measures, in the order of the weights."""
        return tuple(self.measure(name) for name in self.weights)


def exact_false_flows(text: str) -> Fraction:
    """The exact number of a decimal text. Raises PrivacyError for anything else."""
    if not _DECIMAL.fullmatch(text.strip()):
        raise PrivacyError("not a number of false flows", repr(text[:40]), _MEND)
    return checked_false_flows(Fraction(text.strip()))


def checked_false_flows(number: object) -> Fraction:
    """The number itself, if it is allowed. Raises PrivacyError for a float, more than three decimals, or out of range."""
    if not isinstance(number, Fraction) or not _FEWEST <= number <= _MOST or (number * 1000).denominator != 1:
        raise PrivacyError("not a number of false flows", "false flows", _MEND)
    return number
