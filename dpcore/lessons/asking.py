"""Three sliders over the same counts: fresh noise each time, one draw made larger and smaller, and the ladder."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

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
