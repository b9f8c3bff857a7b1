"""A game: a coin puts one trip in or leaves it out, the answer is noised, and somebody guesses the coin."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dpcore.lessons.attacks.membership import says_in
from dpcore.lessons.dice import Dice
from dpcore.lessons.shapes import gaussian_deviation

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Game:
    """Rounds of the game, all drawn beforehand."""

    without: int
    """The count without the trip in question: the attacker knows all other trips."""
    inside: Flags
    """What the coin said, shape ``(rounds,)``."""
    answers: Floats
    """What the machine answered."""

    @property
    def bot(self) -> Flags:
        """What the best attacker says."""
        return says_in(self.answers, self.without)

    def right(self, guesses: Flags, first: int = 0) -> int:
        """How many guesses are right, of those for the rounds from ``first`` on."""
        return int((guesses == self.inside[first : first + len(guesses)]).sum())


def game(shape: str, epsilon: Fraction, delta: float, dice: Dice, *, without: int, rounds: int) -> Game:
    """Toss the coins and noise the answers; ``shape``: geometric or Gaussian, for a count that the trip changes by 1."""
    inside = dice.floats.random(rounds) < 0.5
    if shape == "Gaussian":
        noise = dice.floats.normal(0, gaussian_deviation(float(epsilon), delta), rounds)
    else:
        noise = dice.discrete_laplace(epsilon, rounds).astype(np.float64)
    return Game(without, inside, without + inside + noise)
