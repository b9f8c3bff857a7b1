"""The declared law of noise, written down from its definition and asked of nothing in the package; looks at draws of it."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from tests.chance import Looks, classes, must_be_noticed, must_fit

THIRTY_PER_CENT = (Fraction(7, 10), Fraction(13, 10))


def pmf(rho, values):
    """Probabilities of the discrete Laplace law."""
    q = np.exp(-float(rho))
    return -np.expm1(-float(rho)) / (1 + q) * q ** np.abs(values)


def step_pmf(coarse, fine, values):
    """Law of coarse minus fine noise: 0 or else discrete Laplace, derived apart from the theorem's two forms."""
    q1, q2 = np.exp(-float(coarse)), np.exp(-float(fine))
    still = q2 / q1 * ((1 - q1) / (1 - q2)) ** 2
    return np.where(values == 0, still, 0) + (1 - still) * pmf(coarse, values)


def edges_of(rho, fineness=0.1):
    """Edges of classes of equal width, a part of the scale, that hold nearly all of a law of rate rho."""
    width = max(1, int(fineness / rho))
    most = int((12 if fineness == 0.1 else 16) / rho) // width + 1
    return np.arange(-most, most + 1) * width


def shares(rho, edges, *, two_sided=True):
    """What the law, or one half of it, puts below the first edge, between each two, and from the last one on."""
    q = np.exp(-float(rho))
    upper = q ** np.maximum(edges, 0)
    if not two_sided:
        return -np.diff(np.concatenate([[1.0], upper, [0.0]]))
    upper /= 1 + q  # P(V >= edge), for edges of 0 or more
    lower = q ** (1 - np.minimum(edges, 0)) / (1 + q)  # P(V < edge), for the others
    left = np.diff(np.concatenate([[0.0], np.where(edges <= 0, lower, 1 - upper), [1.0]]))
    right = -np.diff(np.concatenate([[1.0], np.where(edges >= 0, upper, 1 - lower), [0.0]]))
    return np.where(np.append(False, edges >= 0), right, left)


def rung(values, rho, edges=None, *, two_sided=True) -> Looks:
    """Looks at noise that should have this rate."""
    edges = edges_of(rho) if edges is None else edges
    observed = np.bincount(np.searchsorted(edges, values, "right"), minlength=len(edges) + 1)
    return classes(observed, shares(rho, edges, two_sided=two_sided))


def must_have_rate(values, rho, off=THIRTY_PER_CENT, *, fineness=0.1, two_sided=True) -> None:
    """Noise has this rate, and a rate that is off by one of the factors would be noticed."""
    edges = edges_of(rho, fineness)
    right = rung(values, rho, edges, two_sided=two_sided)
    must_fit(right)
    for factor in off:
        must_be_noticed(rung(values, factor * rho, edges, two_sided=two_sided), drawn_from=right)


def pair(low, high, coarse, fine, fineness=0.3, most=12) -> Looks:
    """Looks at two rungs together: finer noise, plus an independent step."""

    def cut(x, rho):
        return np.clip(np.floor_divide(x, max(1, int(fineness / rho))), -most, most) + most

    size = 2 * most + 1
    reach = np.arange(-int(40 / coarse), int(40 / coarse) + 1)
    law = np.outer(
        np.bincount(cut(reach, fine), pmf(fine, reach), size),
        np.bincount(cut(reach, coarse), step_pmf(coarse, fine, reach), size),
    )
    observed = np.bincount(cut(high, fine) * size + cut(low - high, coarse), minlength=size**2)
    return classes(observed.reshape(size, size), law)
