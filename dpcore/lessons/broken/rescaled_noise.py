"""One draw of noise, made larger or smaller by a slider: smooth to look at, and two stops give the truth away."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def rescaled(truth: NDArray[np.int64], unit_noise: Floats, epsilon: Fraction) -> Floats:
    """What the slider shows at a stop: the same Laplace noise of scale 1, divided by epsilon. Broken on purpose."""
    return truth + unit_noise / float(epsilon)
