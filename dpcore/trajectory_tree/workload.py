"""A fixed list of random-looking set queries, and the error of a tree on it.

The list is public and the same for everybody who names the same seed: SHAKE-256 of a text, no random draw.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from hashlib import shake_256
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.trajectory_tree.paths import Paths
from dpcore.trajectory_tree.queries import visiting_all

GROUPS: Final = 4
SANITY: Final = Fraction(1, 1000)
"""Errors of counts below this share of all trajectories are taken relative to it."""


@dataclass(frozen=True, slots=True, eq=False)
class Workload:
    """Set queries in four groups of equal size; the later, the larger the sets."""

    queries: tuple[tuple[int, ...], ...]
    group: NDArray[np.int64]
    """Group of each query, 0 to 3."""


def workload(seed: str, queries: int, locations: int, height: int) -> Workload:
    """About ``queries`` sets of different tiles: in group i (1 to 4) of 1 to ``round(i height / 4)``, equally likely.

    The workload of Chen, Fung, Desai and Sossou (KDD 2012), as we understand it.
    """
    per_group, width = queries // GROUPS, min(height, locations)
    words = np.frombuffer(shake_256(seed.encode()).digest(8 * GROUPS * per_group * (width + 1)), "<u8")
    words = words.reshape(GROUPS, per_group, width + 1) >> np.uint64(11)  # 53 bits: a remainder shows no bias
    made = []
    for group in range(GROUPS):
        most = min(max(1, round((group + 1) * height / GROUPS)), width)
        for word in words[group].tolist():
            tiles: list[int] = []
            for chosen in range(1 + word[0] % most):
                tile = word[chosen + 1] % (locations - chosen)
                for taken in sorted(tiles):  # the tile-th of those that are left
                    tile += tile >= taken
                tiles.append(tile)
            made.append(tuple(tiles))
    return Workload(tuple(made), np.repeat(np.arange(GROUPS), per_group))


@dataclass(frozen=True, slots=True)
class QueryError:
    """Mean of ``abs(answer - true) / max(true, sanity bound)``."""

    mean: float
    groups: tuple[float, ...]


def relative_error(work: Workload, true: Paths, found: Paths) -> QueryError:
    """The average relative error of one set of paths against another; as private as the true paths."""
    exact, answer = visiting_all(true, work.queries), visiting_all(found, work.queries)
    errors = np.abs(answer - exact) / np.maximum(exact, max(1e-9, float(SANITY) * true.total))
    return QueryError(
        float(errors.mean()), tuple(float(errors[work.group == g].mean()) for g in range(GROUPS))
    )
