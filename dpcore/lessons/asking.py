"""Three sliders over the same counts: fresh noise each time, one draw made larger and smaller, and the ladder."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, exp

import numpy as np
from numpy.typing import NDArray

from dpcore.lessons.broken import rescaled_noise
from dpcore.lessons.dice import Dice
from dpcore.privacy import RUNGS

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Slider:
    """What somebody sees who plays with a slider; the truth is public, as it is the demo city's."""

    truth: Integers
    """Counts, shape ``(counts,)``."""
    fresh: Integers
    """Answers to the same question, shape ``(asked, counts)``: each with noise of its own."""
    unit_noise: Floats
    """The one draw of the rescaling slider."""
    ladder: Integers
    """What the ladder shows at each of ``RUNGS``, shape ``(rungs, counts)``."""

    def rescaled(self, epsilon: Fraction) -> Floats:
        """What the rescaling slider shows at a stop."""
        return rescaled_noise.rescaled(self.truth, self.unit_noise, epsilon)


def slider(truth: Integers, epsilon: Fraction, most: int, dice: Dice) -> Slider:
    """Draw all three; ``epsilon``: of each fresh answer, for counts that one unit changes by 1."""
    noise = dice.discrete_laplace(epsilon, most * len(truth)).reshape(most, len(truth))
    return Slider(
        truth, truth + noise, dice.floats.laplace(size=len(truth)), truth + dice.ladder(RUNGS, len(truth))
    )


@lru_cache(512)
def chance_of_exact(epsilon: Fraction, asked: int) -> float:
    """How often the rounded mean of so many fresh answers is the true count, from the exact law of their sum.

    The sum of n discrete Laplace draws has the characteristic function ``((1-q)**2 / (1 - 2 q cos w + q**2))**n``,
    ``q = exp(-epsilon)``. A mean that lies just between two numbers is rounded to the even one: right every other time.

    Args:
        epsilon: of each answer, for a count that one unit changes by 1.
        asked: number of answers, 1 or more.

    """
    q = exp(-float(epsilon))
    deviation = (2 * q * asked) ** 0.5 / (1 - q)
    length = 1 << ceil(14 * deviation + 60 / float(epsilon) + asked).bit_length()
    wave = np.cos(2 * np.pi * np.arange(length // 2 + 1) / length)
    law = np.fft.irfft(((1 - q) ** 2 / (1 - 2 * q * wave + q * q)) ** asked, length)
    nearest = (asked - 1) // 2  # sums of at most this size round to nothing
    right = law[0] + 2 * law[1 : nearest + 1].sum()
    return float(right + (law[asked // 2] if asked % 2 == 0 else 0))


@lru_cache(512)
def expected_hits(epsilon: Fraction, asked: int) -> Floats:
    """The chance of ``chance_of_exact`` after each of so many answers, shape ``(asked,)``."""
    return np.array([chance_of_exact(epsilon, number) for number in range(1, asked + 1)])
