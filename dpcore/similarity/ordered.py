"""Earth mover's distance along a line: how far counts must be moved, on average, to turn one table into the other."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpcore.similarity.groups import Groups, weighted
from dpcore.similarity.shares import shares

Numbers = NDArray[np.float64]


def emd(p: Numbers, q: Numbers, at: Numbers) -> float:
    """Earth mover's distance of two lists of shares whose cells stand ``at`` places on a line, in the unit of those.

    The area between the two cumulative curves (Wasserstein distance of order 1).
    """
    order = np.argsort(at, kind="stable")
    apart = np.abs(np.cumsum(p[order] - q[order]))[:-1]
    return float(apart @ np.diff(at[order]))


def grouped_emd(one: Numbers, other: Numbers, at: Numbers, groups: Groups) -> float | None:
    """The distance within each group of cells (such as starts on weekdays), weighted by the mass of the groups.

    Each group is shared out by itself. Groups that are empty on either side are left out; None where all are.
    """

    def inside(cells: NDArray[np.int64]) -> float | None:
        p, q = shares(one[cells]), shares(other[cells])
        return None if p is None or q is None else emd(p, q, at[cells])

    return weighted(one, other, groups, inside)
