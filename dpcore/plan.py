"""A plan: which measures, under which bound, with which share of epsilon each. Public facts only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from dpcore import limits
from dpcore.errors import PrivacyError
from dpcore.key_choices import USUAL, KeyChoices
from dpcore.measures import Measure, measure_named
from dpcore.privacy import RUNGS, ContributionBound
from dpcore.quantile_grids import GRIDS

FIVE_NUMBERS: Final = "five_numbers"
"""Name of the five-number summaries where measures are named. They are no measure: they have neither keys nor rungs."""
FIVE_NUMBERS_WEIGHT: Final = 50
"""Their weight where they are asked for without one: about that of a measure (``dpcore.default_weights``)."""
NOTHING: Final = Fraction(0)


@dataclass(frozen=True)
class Plan:
    """What would be asked of the trips, and how epsilon is split (sequential composition)."""

    bound: ContributionBound
    """Privacy unit and contribution bound."""
    weights: Mapping[str, int]
    """Weight of each measure; its share of epsilon is its weight over the sum."""
    rungs: tuple[Fraction, ...]
    """Total epsilons at which the plan can be looked at, coarsest first."""
    choices: KeyChoices = USUAL
    """Dates, windows and bins of the tables."""
    five_numbers: int = 0
    """Weight of the five-number summaries beside those of the measures; 0: none are bought."""
    ranges: Fraction = NOTHING
    """Share of epsilon that buys the ranges of histograms whose bins nobody chose; 0: none are bought."""
    ranged: tuple[str, ...] | None = None
    """Measures whose ranges were bought, once they are: then their bins stand among the choices. None before."""

    def __post_init__(self) -> None:
        """Refuse unknown measures, weights that are not whole and positive, and unordered rungs."""
        for name, weight in self.weights.items():
            measure_named(name)
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
        if not self.rungs or list(self.rungs) != sorted(set(self.rungs)) or self.rungs[0] <= 0:
            raise PrivacyError("rungs must rise", "rungs", "Give positive epsilons, smallest first.")
        self._check_quantiles()

    def _check_quantiles(self) -> None:
        """Refuse shares that cannot be, and summaries of no histogram."""
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
        if not isinstance(self.ranges, Fraction) or not 0 <= self.ranges < 1:
            raise PrivacyError(
                "ranges of bins cost a share of epsilon",
                "ranges",
                "Give a number above 0 and below 1, such as 0.1.",
            )

    @classmethod
    def up_to(
        cls,
        bound: ContributionBound,
        weights: Mapping[str, int],
        epsilon: Fraction,
        choices: KeyChoices = USUAL,
        *,
        five_numbers: int = 0,
        ranges: Fraction = NOTHING,
    ) -> Plan:
        """The plan that reveals the listed rungs below an epsilon, and that epsilon."""
        rungs = (*(rung for rung in RUNGS if rung < epsilon), epsilon)
        return cls(bound, weights, rungs, choices, five_numbers, ranges)

    @property
    def epsilon(self) -> Fraction:
        """What the whole plan costs: its highest rung."""
        return self.rungs[-1]

    def share(self, measure: str) -> Fraction:
        """The exact share of the total epsilon that a measure gets."""
        return self._part(self.weights[measure])

    @property
    def five_numbers_share(self) -> Fraction:
        """The exact share of the total epsilon that all bought five-number summaries get together."""
        return self._part(self.five_numbers)

    def _part(self, weight: int) -> Fraction:
        """What a weight gets of that which the ranges leave."""
        return (1 - self.ranges) * Fraction(weight, sum(self.weights.values()) + self.five_numbers)

    @property
    def histograms(self) -> tuple[str, ...]:
        """Its measures that have bins, and so quantiles, in the order of the weights."""
        return tuple(name for name in self.weights if name in GRIDS)

    def measure(self, name: str) -> Measure:
        """The measure of that name with the keys of this plan."""
        return measure_named(name, self.choices)

    @property
    def measures(self) -> tuple[Measure, ...]:
        """Its measures, in the order of the weights."""
        return tuple(self.measure(name) for name in self.weights)
