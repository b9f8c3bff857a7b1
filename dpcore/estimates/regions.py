"""Regions: tiles merged for display until they are readable. As epsilon falls the map gets coarser instead of noisier.

The tree of merged tiles is public: halves of halves of the centroids (``dpcore.tiles.halving``). Starting from all tiles, a part
is split as long as

    h(half) <= bound * (visits(half) - h(half))    for both halves,

with the noisy sum ``visits`` and the half width ``h`` of the noise of that sum. Where the noise of a half stays within ``h``,
its true sum is at least ``visits - h``, so its relative error is at most ``bound``: the promise. The usual rule without
``- h`` breaks it whenever noise made a half look larger than it is.

*Empty land.* A half that holds next to nothing would keep a busy half from being split. So it is left behind as a region of
few visits if all that it may hold is at most ``bound / 2`` of what its other half surely holds.

*Selection.* The noise itself chose where to split, so the range of a chosen region is a little optimistic: at 95 %, 90 to
95 % of the ranges held (measured). All half widths here are those of 97 %, and then 96 to 99 % hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.estimates.all_trips import scaled_up
from dpcore.estimates.result import Cells, Ranged, Share
from dpcore.measures.measurement import Measurement
from dpcore.noise.accuracy import half_width_of_sum
from dpcore.noise.expected_estimates import scaling_of
from dpcore.tiles import Tessellation

KEEPS: Final = 0.98
"""At least this share of readable regions is off by no more than the chosen error (measured: 98.7 to 100 %)."""
_CONFIDENCE: Final = (
    0.97  # of each half width, so that 95 % of the ranges hold although noise chose the regions
)
_FEW: Final = 0.5  # of the bound: what may be left behind beside a busy half


@dataclass(frozen=True, eq=False)
class Regions:
    """Groups of neighbouring tiles that together are readable. Each tile lies in one region."""

    of_tiles: Cells
    """The number of the region of each tile, shape ``(tiles,)``. Numbers follow the first tile of each region."""
    counted: Ranged
    """Visits of the trips that count, by region: the released values added up, never negative, with 95 % ranges of the noise."""
    readable: NDArray[np.bool_]
    """By region: whether its relative error stays within the bound. Else it has few visits: say ``high`` at most."""

    def of_all(self, share: Share) -> Ranged:
        """Visits of all trips, by region, with likely ranges: noise, share, sample, and what scaling cannot repair.

        The chosen bound is about the noise alone, because merging makes only the noise smaller.
        """
        return scaled_up(self.counted, share, scaling_of(("tile_id",)))


def regions(tiles: Tessellation, visits: Measurement, rung: int, bound: float) -> Regions:
    """The finest regions whose visits are readable at a rung. If all tiles together are not, there is one region.

    Args:
        tiles: the public tessellation of the visits.
        visits: noisy visits, whose first cells are the tiles. It costs nothing more.
        rung: number of the rung; negative numbers count from the finest.
        bound: the relative error that a reader accepts, such as 0.2 for 20 %.

    Raises:
        ValueError: the bound is not between 0 and 1, or the visits are those of other tiles.

    """
    if not 0 < bound < 1:
        raise ValueError("a bound lies between 0 and 1, such as 0.2")
    if visits.keys.axes[0].inside != tiles.tile_ids or visits.cells is not None or len(visits.keys.axes) != 1:
        raise ValueError("regions need the visits of these tiles")
    order, rung = tiles.halving, rung % len(visits.rungs)
    sums = np.concatenate(([0], np.cumsum(visits.values[rung][order])))
    first, last, readable = _parts(sums, visits.rho(rung), bound)
    lowest = np.minimum.reduceat(order, first)
    ranks = np.argsort(lowest)
    first, last, readable = first[ranks], last[ranks], readable[ranks]
    of_tiles = np.empty(len(order), np.int64)
    for number, (start, end) in enumerate(zip(first, last, strict=True)):
        of_tiles[order[start:end]] = number
    value = (sums[last] - sums[first]).astype(np.float64)
    wide = np.array([_half_width(visits.rho(rung), int(size)) for size in last - first], np.float64)
    shown = Ranged(np.maximum(value, 0), np.maximum(value - wide, 0), np.maximum(value + wide, 0))
    return Regions(of_tiles, shown, readable)


def _parts(sums: Cells, rho: Fraction, bound: float) -> tuple[Cells, Cells, NDArray[np.bool_]]:
    """Where each part begins and ends in the order of the tiles, by its beginning, and whether it is readable."""

    def low_and_width(first: int, last: int) -> tuple[int, int]:
        width = _half_width(rho, last - first)
        return int(sums[last] - sums[first]) - width, width

    def is_readable(low: int, width: int) -> bool:
        return width <= bound * low

    found: list[tuple[int, int, bool]] = []
    todo = [(0, len(sums) - 1)] if is_readable(*low_and_width(0, len(sums) - 1)) else []
    while todo:
        first, last = todo.pop()
        cut = (first + last) // 2
        halves = [half for half in ((first, cut), (cut, last)) if half[0] < half[1]]
        told = [low_and_width(*half) for half in halves]
        good = [half for half, one in zip(halves, told, strict=True) if is_readable(*one)]
        if len(halves) == 2 and len(good) == 2:
            todo += halves
        elif len(halves) == 2 and len(good) == 1 and _is_few(told, bound):
            todo += good
            found += [(*half, False) for half in halves if half not in good]
        else:
            found.append((first, last, True))
    found = sorted(found) or [(0, len(sums) - 1, False)]
    starts, ends, fine = zip(*found, strict=True)
    return np.array(starts, np.int64), np.array(ends, np.int64), np.array(fine, np.bool_)


def _is_few(told: list[tuple[int, int]], bound: float) -> bool:
    """Whether all that one half may hold is little beside what the other surely holds."""
    (low, width), (busy, _) = sorted(told)
    return low + 2 * width <= _FEW * bound * busy


@lru_cache(maxsize=10_000)
def _half_width(rho: Fraction, cells: int) -> int:
    return half_width_of_sum(rho, cells, _CONFIDENCE)
