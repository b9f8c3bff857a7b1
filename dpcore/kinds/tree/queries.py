"""Which paths visit a set of tiles or contain a pattern, and the error of a tree on a fixed list of such queries.

Of a path with an unknown rest, or one that was cut at the height, the known tiles count. Trajectories are never empty, so
a query for no tiles counts all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import shake_256
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.kinds.tree.paths import Paths

Floats = NDArray[np.float64]

ANY_ONE: Final = -1
"""In a pattern: any one tile, written ``*``."""
ANY_RUN: Final = -2
"""In a pattern: any number of tiles, also none, written ``**``."""
MAX_PATTERN: Final = 60  # the states of a pattern fit into one machine word
NEVER: Final = 2**31
"""The path cannot match, however it goes on: it would need more tiles than a path can have."""
GROUPS: Final = 4
SANITY: Final = Fraction(1, 1000)
"""Sanity bound: the least denominator of a relative error, as a share of all trajectories."""


def visiting_all(paths: Paths, sets: Sequence[Sequence[int]]) -> Floats:
    """For each set of tiles, how many trajectories visit all of them in any order.

    ValueError for a number that is not a tile.
    """
    from dpcore.kinds.tree.kernel import visit  # noqa: PLC0415 - numba takes long to load, and few releases are trees

    flat = np.array([tile for one in sets for tile in one], np.int64)
    _must_be_tiles(flat, paths.locations)
    starts = np.zeros(len(sets) + 1, np.int64)
    np.cumsum([len(one) for one in sets], out=starts[1:])
    path, place = np.nonzero(paths.symbols >= 0)
    visits = np.unique(paths.symbols[path, place].astype(np.int64) * len(paths) + path)
    visitors = np.zeros(paths.locations + 1, np.int64)
    if len(paths):
        tile, path = np.divmod(visits, len(paths))
        np.cumsum(np.bincount(tile, minlength=paths.locations), out=visitors[1:])
    out = np.full(len(sets), paths.total)
    visit(visitors, path, flat, starts, paths.symbols, paths.weight, out)
    return out


def tiles_missing(paths: Paths, pattern: Sequence[int], *, anchored: bool = False) -> NDArray[np.int64]:
    """For each path, the least number of further tiles with which it contains a pattern: 0 if it does already, or ``NEVER``.

    All ways through the pattern are followed at once, a bit each. ``anchored``: the pattern must start where the path starts.
    ValueError for a number that is neither a tile nor a wildcard, or for more than ``MAX_PATTERN`` elements.
    """
    tidy = [one for at, one in enumerate(pattern) if at == 0 or (one, pattern[at - 1]) != (ANY_RUN, ANY_RUN)]
    if len(tidy) > MAX_PATTERN:
        raise ValueError(f"a pattern has at most {MAX_PATTERN} elements")
    _must_be_tiles(
        np.array([one for one in tidy if one not in {ANY_ONE, ANY_RUN}], np.int64), paths.locations
    )
    bit = [np.uint64(1 << at) for at in range(len(tidy) + 1)]
    one = np.uint64(1)
    takes = np.zeros(paths.locations, np.uint64)  # elements that a tile can be
    runs = np.uint64(0)
    for at, element in enumerate(tidy):
        if element == ANY_RUN:
            runs |= bit[at]
        elif element == ANY_ONE:
            takes |= bit[at]
        else:
            takes[element] |= bit[at]
    # A match stays a match, and a pattern that is not anchored may start anywhere.
    stay = runs | bit[-1] | (np.uint64(0) if anchored else bit[0])
    state = np.full(len(paths), bit[0] | (bit[0] & runs) << one, np.uint64)
    for place in range(paths.height):
        here = np.flatnonzero(paths.symbols[:, place] >= 0)
        old = state[here]
        new = ((old & takes[paths.symbols[here, place]]) << one) | (old & stay)
        state[here] = new | ((new & runs) << one)
    missing = np.full(len(paths), NEVER)
    for at, reached in enumerate(bit):  # later elements overwrite earlier ones and need fewer tiles
        missing[(state & reached) > 0] = sum(element != ANY_RUN for element in tidy[at:])
    return missing


def tiles_unvisited(paths: Paths, tiles: Sequence[int]) -> NDArray[np.int64]:
    """For each path, how many distinct tiles of these it does not visit. ValueError like ``visiting_all``."""
    _must_be_tiles(np.array(tiles, np.int64), paths.locations)
    missing = np.zeros(len(paths), np.int64)
    for tile in set(tiles):
        missing += ~(paths.symbols == tile).any(axis=1)
    return missing


def _must_be_tiles(tiles: NDArray[np.int64], locations: int) -> None:
    if len(tiles) and not 0 <= int(tiles.min()) <= int(tiles.max()) < locations:
        raise ValueError("a query asks for a number that is no tile")


@dataclass(frozen=True, slots=True, eq=False)
class Workload:
    """Set queries in four groups of equal size; later groups have larger sets."""

    queries: tuple[tuple[int, ...], ...]
    group: NDArray[np.int64]
    """Group of each query, 0 to 3."""


def workload(seed: str, queries: int, locations: int, height: int) -> Workload:
    """About ``queries`` random sets of different tiles. Group i (1 to 4) has sets of 1 to ``round(i height / 4)`` tiles.

    This is the workload of Chen, Fung, Desai and Sossou (KDD 2012) as we understand it.
    """
    per_group, width = queries // GROUPS, min(height, locations)
    words = np.frombuffer(shake_256(seed.encode()).digest(8 * GROUPS * per_group * (width + 1)), "<u8")
    words = words.reshape(GROUPS, per_group, width + 1) >> np.uint64(
        11
    )  # 53 bits, so a remainder has no noticeable bias
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
    """The average relative error of the paths ``found`` against the true ones. It is as private as the true paths."""
    exact, answer = visiting_all(true, work.queries), visiting_all(found, work.queries)
    errors = np.abs(answer - exact) / np.maximum(exact, max(1e-9, float(SANITY) * true.total))
    return QueryError(
        float(errors.mean()), tuple(float(errors[work.group == g].mean()) for g in range(GROUPS))
    )
