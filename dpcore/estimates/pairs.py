"""Pairs of places: near ones each for itself, far ones by the groups of their tiles; how far apart trips between them lie.

All of it is public and depends on the tiles alone, so it is made once for a city. Near pairs are those of neighbouring groups
(``places``), a few hundred for each tile. Of all other pairs the middles of their groups tell the distance well enough. So the
work grows with the tiles and not with their square. A city of at most ``MOST_SINGLE`` tiles has near pairs only.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.estimates.noisy import Integers, Numbers
from dpcore.estimates.places import Geography
from dpcore.estimates.raking import summed

MOST_SINGLE: Final = 600
"""Of more tiles, far pairs go by their groups."""
_NEAR: Final = 8.0  # sides of a tile, or of a group; pairs within it are told apart finely
_NEAR_CLASSES: Final = 60
_POINTS: Final = 40
_LENGTHS: Final = 24
_DIRECTIONS: Final = 16
_KEPT: Final = 4  # cities whose pairs are kept


@dataclass(frozen=True, eq=False)
class Pairs:
    """All pairs of two different places: the tiles, then outside."""

    origin: Integers
    """Of each near pair, ascending; all near pairs lie between tiles."""
    destination: Integers
    """Of each near pair, ascending for one origin."""
    node: Integers
    """Number of the group of each place; outside has one of its own, the last."""
    far: NDArray[np.bool_]
    """Whether the pairs between two groups are far ones, shape (groups, groups). Outside is far from all, and from itself."""

    @property
    def places(self) -> int:
        """Tiles and outside."""
        return len(self.node)


@dataclass(frozen=True, eq=False)
class Bands:
    """How long the trips between two places are.

    A trip begins anywhere in one tile and ends anywhere in the other. So the trips of near tiles lie in several bands. Of
    groups the same holds with the size of the group.
    """

    of_near: NDArray[np.uint16]
    """The class of each near pair: how far apart the middles are."""
    of_far: NDArray[np.uint16]
    """The class of each pair of groups of tiles, shape (groups, groups)."""
    in_bands: Numbers
    """Share of the trips of each class that lie in each band, shape (classes, bands)."""
    stay: Numbers
    """Share of the trips of each band that end in the tile where they begin, shape (tiles, bands)."""


@lru_cache(maxsize=_KEPT)
def pairs_of(geography: Geography) -> Pairs:
    """The pairs of some tiles and outside."""
    node = geography.group
    count = int(node.max()) + 1
    far = np.ones((count + 1, count + 1), bool)
    far[:count, :count] = _far(geography) if geography.tiles > MOST_SINGLE else False
    order = np.argsort(node, kind="stable")
    members = np.split(order, np.cumsum(np.bincount(node))[:-1])
    ends: list[Integers] = [np.zeros(0, np.int64)] * geography.tiles
    for group, some in enumerate(members):
        reached = np.sort(np.concatenate([members[one] for one in np.flatnonzero(~far[group, :count])]))
        for tile in some:
            ends[tile] = reached[reached != tile]
    origin = np.repeat(np.arange(geography.tiles), [len(one) for one in ends])
    return Pairs(origin, np.concatenate(ends), np.append(node, count), far)


def _far(geography: Geography) -> NDArray[np.bool_]:
    """Which groups lie apart by more than both their sides together."""
    side = np.sqrt(summed(geography.area, geography.group))
    return _apart(geography.groups.xy) > side[:, None] + side


def _apart(xy: Numbers) -> Numbers:
    found: Numbers = np.hypot(*(xy[:, None] - xy[None]).transpose(2, 0, 1))
    return found


@lru_cache(maxsize=_KEPT)
def bands_of(geography: Geography, edges: tuple[float, ...]) -> Bands:
    """Classes of the pairs of some tiles for bands of lengths that end at ``edges``, in kilometres."""
    pairs, ends = pairs_of(geography), np.array(edges)
    apart = np.hypot(*(geography.xy[pairs.origin] - geography.xy[pairs.destination]).T)
    of_near, near = _classes(apart, float(np.median(np.sqrt(geography.area))), ends)
    size = float(np.median(np.sqrt(summed(geography.area, geography.group))))
    of_far, far = _classes(_apart(geography.groups.xy), size, ends)
    in_bands, stay = np.concatenate([near, far]), _stay(np.sqrt(geography.area), ends)
    return Bands(of_near, of_far + np.uint16(len(near)), in_bands, stay)


def _classes(apart: Numbers, side: float, edges: Numbers) -> tuple[NDArray[np.uint16], Numbers]:
    """The class of each distance between squares of a side, and the share of its trips in each band."""
    fine = np.arange(1, _NEAR_CLASSES + 1) * (_NEAR * side / _NEAR_CLASSES)
    ends = np.concatenate([fine, edges[edges > fine[-1]]])
    middles = np.append(ends, ends[-1] * 2) - np.diff(ends, prepend=0.0, append=2 * ends[-1]) / 2
    shares = np.array([_in_bands(middle, side, edges) for middle in middles])
    return np.searchsorted(ends, apart, side="right").astype(np.uint16), shares


def _in_bands(apart: float, side: float, edges: Numbers) -> Numbers:
    """Share of the distances between two squares in each band, averaged over two directions."""
    u = (np.arange(_POINTS) + 0.5) / _POINTS * 2 - 1
    weight = np.outer(1 - np.abs(u), 1 - np.abs(u))  # of the difference of two even numbers
    found = np.zeros(len(edges) + 1)
    for east, north in ((apart, 0.0), (apart * 0.5**0.5, apart * 0.5**0.5)):
        length = np.hypot(east + side * u[:, None], north + side * u)
        band = np.searchsorted(edges, length, side="right")
        found += np.bincount(band.ravel(), weight.ravel(), minlength=len(found))
    shares: Numbers = found / found.sum()
    return shares


def _stay(side: Numbers, edges: Numbers) -> Numbers:
    """The chance that a trip of each band ends in the square where it begins: anywhere in it, and in any direction.

    A trip of length L in the direction t leaves a square of side s with the chance
    ``1 - (1 - L cos t / s) (1 - L sin t / s)``. Within a band all lengths are equally likely.
    """
    t = (np.arange(_DIRECTIONS) + 0.5) / _DIRECTIONS * np.pi / 2
    found = np.zeros((len(side), len(edges) + 1))
    for band, (low, high) in enumerate(
        zip(np.append(0.0, edges), np.append(edges, 2 * edges[-1]), strict=True)
    ):
        some = np.flatnonzero(low < side * 2**0.5)
        length = low + (high - low) * (np.arange(_LENGTHS) + 0.5) / _LENGTHS
        gone = length[:, None] / side[some, None, None]
        left = np.maximum(1 - gone * np.cos(t), 0.0) * np.maximum(1 - gone * np.sin(t), 0.0)
        found[some, band] = left.mean(axis=(1, 2))
    return found
