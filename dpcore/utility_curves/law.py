"""The law of the noise of one cell as a table of values and probabilities."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, exp, expm1, log
from typing import Final

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]

MOST_VALUES: Final = 1_201
"""Longer laws are cut into pieces, each in one place."""
_TAIL: Final = 1e-12  # noise beyond has less than this probability


def law(rho: Fraction, most: int = MOST_VALUES) -> tuple[Numbers, Numbers]:
    """Values of the noise of one cell and their probabilities: discrete Laplace of rate ``rho`` (see ``accuracy``).

    A law with more than ``most`` values is given by the means of about as many pieces.
    """
    rate = float(rho)
    reach = ceil(log(1 / _TAIL) / rate) + 1
    if 2 * reach + 1 <= most:
        values = np.arange(-reach, reach + 1, dtype=np.float64)
        chance = np.exp(-rate * np.abs(values)) * -expm1(-rate) / (1 + exp(-rate))
        return values, chance / chance.sum()
    # fine near 0, where the law is high and metrics bend, and wide in the tails
    half = np.unique(np.round(reach * np.linspace(0, 1, most // 2) ** 2)).astype(np.int64)
    head = -expm1(-rate) / (1 + exp(-rate))
    first, beyond = half[:-1] + 1, half[1:] + 1  # pieces first .. beyond - 1 of the positive side
    chance = head / -expm1(-rate) * (np.exp(-rate * first) - np.exp(-rate * beyond))
    width = (beyond - first).astype(float)
    inside = (
        1 / -expm1(-rate) - 1 - width / np.expm1(rate * width)
    )  # mean of a geometric law cut off at width
    middle = first + np.where(width > 1, inside, 0.0)
    values = np.concatenate([-middle[::-1], [0.0], middle])
    chances = np.concatenate([chance[::-1], [head], chance])
    return values, chances / chances.sum()
