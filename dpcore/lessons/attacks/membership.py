"""Is somebody in there? The best attack, how well it does, and the wedge that it can never leave."""

from __future__ import annotations

from math import exp, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy import special

Floats = NDArray[np.float64]


def says_in(answers: Floats, without: int) -> NDArray[np.bool_]:
    """Whether each answer is likelier with the trip: one that lies nearer to the count with it, whatever the noise."""
    return answers > without + 0.5


def wedge(wrong: Floats, epsilon: float, delta: float) -> Floats:
    """The most alarms that can be right, by the share that is wrong: no attacker on (epsilon, delta) does better."""
    steep, flat = exp(epsilon) * wrong + delta, 1 - exp(-epsilon) * (1 - delta - wrong)
    return np.clip(np.minimum(steep, flat), 0, 1)


def best_accuracy(epsilon: float, delta: float) -> float:
    """How often the best guess of a fair coin can be right at most: the top of the wedge above the diagonal."""
    return (exp(epsilon) + delta) / (1 + exp(epsilon))


def through_geometric(epsilon: float, counts: int) -> tuple[Floats, Floats]:
    """False and true alarms of the best attack on ``counts`` counts with geometric noise of rate epsilon / counts.

    Each count tells one bit: whether its answer is above the count without the person. The best attack adds them up.
    """
    q = exp(-epsilon / counts)
    chances = np.array([[q / (1 + q)], [1 / (1 + q)]])
    alarms = special.bdtrc(np.arange(counts - 1, -1, -1), counts, chances)  # more bits than so many say "in"
    wrong, right = np.pad(alarms, ((0, 0), (1, 1)), constant_values=(0, 1))
    return wrong, right


def through_gaussian(deviation: float, counts: int) -> tuple[Floats, Floats]:
    """False and true alarms of the best attack on ``counts`` counts with normal noise; ``deviation``: of each."""
    line = np.linspace(-6, 6, 241)
    return special.ndtr(-line), special.ndtr(sqrt(counts) / deviation - line)
