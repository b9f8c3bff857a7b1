"""What a trajectory tree is asked to be: public parameters, checked before anything is counted or charged."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Final

from dpcore.errors import PrivacyError
from dpcore.trajectory_tree.levels import Levels

MAX_HEIGHT: Final = 64
RATE_BITS: Final = 16
"""Rates are drawn in multiples of ``2**-16``, rounded down: short exact terms, and few different ones."""
FALSE_CHILDREN: Final = Fraction(3, 10)
"""Empty children that a node shows by chance, on average; 1 and more would let the tree grow without end."""
RECORD_SHARE: Final = Fraction(1, 2)
"""Of epsilon, what the record allocation spends on prefixes; the rest waits for the end of the trajectory."""


class Definition(Enum):
    """Which of the two promises of the package is made."""

    LOCATION = "location"
    RECORD = "record"


class Strategy(Enum):
    """How the budget is laid along a path."""

    UNIFORM = "uniform"
    NON_ADAPTIVE = "non-adaptive"
    ADAPTIVE = "adaptive"
    RECORD = "record"


_PROVED: Final = {
    Definition.LOCATION: (Strategy.UNIFORM, Strategy.NON_ADAPTIVE, Strategy.ADAPTIVE),
    Definition.RECORD: (Strategy.UNIFORM, Strategy.RECORD),
}


@dataclass(frozen=True, slots=True, eq=False)
class TreePlan:
    """Levels, epsilon and height of a tree, and how it spends; raises PrivacyError where they make no sense."""

    levels: Levels
    """The level of every tile."""
    epsilon: Fraction
    """Budget of Critical for one trajectory, exact."""
    height: int
    """h: tiles of a trajectory that count; the rest is cut. With 1, the tree is a table of first tiles."""
    definition: Definition = Definition.LOCATION
    """The promise."""
    strategy: Strategy = Strategy.ADAPTIVE
    """The allocation; it must be proved for the promise."""
    false_children: Fraction = FALSE_CHILDREN
    """Eta, more than 0 and less than 1: see ``allocation.threshold``."""

    def __post_init__(self) -> None:
        """Refuse what was not proved or cannot be drawn."""
        if not isinstance(self.epsilon, Fraction) or self.epsilon <= 0:
            raise PrivacyError("epsilon must be an exact number above 0", "epsilon", "Give one such as 0.5.")
        whole = isinstance(self.height, int) and not isinstance(self.height, bool)
        if not whole or not 1 <= self.height <= MAX_HEIGHT:
            raise PrivacyError(
                f"the height of a trajectory tree must be a whole number from 1 to {MAX_HEIGHT}",
                "height",
                "Give the number of tiles of a trajectory that shall count.",
            )
        if self.strategy not in _PROVED[self.definition]:
            raise PrivacyError(
                f"the {self.strategy.value} allocation does not keep the promise of {self.definition.value}-PLDP",
                "strategy",
                f"Choose one of: {', '.join(one.value for one in _PROVED[self.definition])}.",
            )
        if not isinstance(self.false_children, Fraction) or not 0 < self.false_children < 1:
            raise PrivacyError(
                "the expected number of false children must lie between 0 and 1",
                "false children",
                "Leave it at 0.3, unless you know why not.",
            )
        # Rates of the adaptive allocation, too, are epsilon over H or more; see the positivity in theorem A.
        least = min(self.epsilon / self.positions, RECORD_SHARE * self.epsilon / self.height)
        if least * 2**RATE_BITS < 1:
            raise PrivacyError(
                "epsilon is too small for so long trajectories",
                f"epsilon over {self.positions} positions",
                "Raise epsilon, or lower the height.",
            )

    @property
    def positions(self) -> int:
        """H: the tiles of a path and its end marker."""
        return self.height + 1

    @property
    def locations(self) -> int:
        """How many tiles there are; also the symbol of ``$``, and one less than that of ``+``."""
        return len(self.levels.tiles)

    def budget(self, level: int) -> Fraction:
        """B of a level, 1 to K: epsilon over its weight."""
        return self.epsilon / self.levels.descriptors[level - 1].weight
