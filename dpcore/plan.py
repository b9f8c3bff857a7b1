"""A plan: which measures, under which bound, with which share of epsilon each. Public facts only."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from dpcore import limits
from dpcore.errors import PrivacyError
from dpcore.key_choices import USUAL, KeyChoices
from dpcore.measures import Measure, measure_named
from dpcore.privacy import RUNGS, ContributionBound

# Finer tables get more: the map and the flows have thousands of small counts, a weekday has one large one.
DEFAULT_WEIGHTS: Final[Mapping[str, int]] = MappingProxyType(
    {
        "visits_per_tile": 8,
        "od_flows": 6,
        "trips_per_hour": 3,
        "trips_over_time": 2,
        "trips_per_weekday": 1,
    }
)
"""Weights of the five measures of the Explore page."""


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

    @classmethod
    def up_to(
        cls,
        bound: ContributionBound,
        weights: Mapping[str, int],
        epsilon: Fraction,
        choices: KeyChoices = USUAL,
    ) -> Plan:
        """The plan that reveals the listed rungs below an epsilon, and that epsilon."""
        return cls(bound, weights, (*(rung for rung in RUNGS if rung < epsilon), epsilon), choices)

    @property
    def epsilon(self) -> Fraction:
        """What the whole plan costs: its highest rung."""
        return self.rungs[-1]

    def share(self, measure: str) -> Fraction:
        """The exact share of the total epsilon that a measure gets."""
        return Fraction(self.weights[measure], sum(self.weights.values()))

    def measure(self, name: str) -> Measure:
        """The measure of that name with the keys of this plan."""
        return measure_named(name, self.choices)

    @property
    def measures(self) -> tuple[Measure, ...]:
        """Its measures, in the order of the weights."""
        return tuple(self.measure(name) for name in self.weights)
