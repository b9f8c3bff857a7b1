"""Visits of tiles: groups of tiles first, then each tile given its group.

A group of about twenty tiles is known far better than a tile: its noise grows with the square root of its size, its count
with its size. So the groups are estimated first and scaled to the total of all tables. The tiles of a group are then spread
around the average of their group (``process``), each with its own noisy count and the exact law of its noise
(``posterior``). At last the tiles are raked to their group. Without that step, shrinking would move whole regions. Where the
tiles tell the sum of their group better than the group does, such as one busy tile among empty ones, the group moves to them first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from dpcore.estimates.noisy import Integers, Noise, Numbers
from dpcore.estimates.places import Geography, halved
from dpcore.estimates.posterior import Posterior, likeliest_empty, posterior
from dpcore.estimates.process import CovarianceSettings, Fit, NoisyCounts, Places, best_fit, fits
from dpcore.estimates.raking import raked, summed
from dpcore.noise.expected_estimates import CERTAIN

_GROUPS: Final = CovarianceSettings(((0.3, 0.3), (1.0, 0.5), (1.0, 1.0)), 0.25, 0.25)
_TILES: Final = CovarianceSettings(((0.3, 0.15), (0.3, 0.5), (0.9, 0.5), (0.9, 1.0)), 0.01, 0.25)
_DOUBT: Final = (6.0, 2.0, 0.0, 0.0)
"""Nats by which the first settings of tiles must be likelier than the others. Where noise hides how uneven tiles are, their
ranges would else be those of even tiles. Measured in a small city at epsilon 0.1: ranges hold 91 % instead of 77 %, and errors
are no larger."""
_BLOCK: Final = 420
"""Up to so many tiles the process is one matrix. The time grows with the cube of it."""
_CORE: Final = 80
"""Of more tiles, blocks of about so many are told by a matrix of themselves and of the tiles around them."""
_AROUND: Final = 120
"""Tiles of a block and around it."""
_GROUPS_BLOCK: Final = 1_000
"""Groups whose process is one matrix: all of them up to some 20,000 tiles."""
_SAMPLED: Final = 4  # blocks that choose the settings for all
_ALIKE: Final = 0.5


@dataclass(frozen=True, eq=False)
class DistrictSums:
    """What another table tells of each district, and of the outside, which is the last one."""

    sums: Numbers
    variance: float


def tile_counts(
    y: Numbers,
    noise: Noise,
    geography: Geography,
    total: float | None,
    sums: DistrictSums | None = None,
    *,
    all_count: bool = False,
) -> Posterior:
    """What is known of the tiles and the outside from one noisy count of each (the last is outside).

    ``total``: what they add up to; None if only these counts tell it. ``sums``: what another table tells of their districts.
    ``all_count``: no trip is left out. Then a tile whose noise is small against its count keeps its drawn value with its range
    (``_sure``), but for what makes tiles add up to their group: what neighbours tell could only move it away.
    """
    outside = posterior(y[-1:], noise, np.maximum(y[-1:], noise.variance**0.5), np.array([1.5]))
    group, variance = _groups(y[:-1], noise, geography)
    everything, free = np.append(group, outside.values), np.append(variance, outside.variance)
    if sums is not None:
        everything, free = _with_districts(everything, free, geography, sums)
    if total is not None:
        everything = raked(everything, free, np.zeros(len(free), np.int64), np.array([total]))
    group, out = everything[:-1], everything[-1:]
    found = _tiles(y[:-1], noise, geography, group)
    if all_count:
        found = _sure(found, y[:-1], noise)
    group, left = _towards_tiles(group, free[:-1], found, noise, geography)
    if total is not None:
        group = raked(group, left, np.zeros(len(group), np.int64), np.array([total - out[0]]))
    return Posterior(
        np.append(raked(found.values, found.variance, geography.group, group), out),
        np.append(found.low, outside.low),
        np.append(found.high, outside.high),
        np.append(found.variance, outside.variance),
    )


def _towards_tiles(
    group: Numbers, variance: Numbers, found: Posterior, noise: Noise, geography: Geography
) -> tuple[Numbers, Numbers]:
    """Groups, moved towards the sums of their tiles as far as these are known better, and their variance: means by inverse variance.

    What a tile takes from its neighbours and not from its own count may be wrong of all tiles of a group alike, so it counts as
    an error of ``_ALIKE`` of its size that does not average out.
    """
    kept = np.clip(found.variance / noise.variance, 0.0, 1.0)
    sums, own, taken = (
        summed(x, geography.group, len(group))
        for x in (found.values, found.variance, (1 - kept) * found.values)
    )
    of_tiles, of_group = own + (_ALIKE * taken) ** 2, np.maximum(variance, 1e-9)
    left = 1 / (1 / np.maximum(of_tiles, 1e-9) + 1 / of_group)
    return left * (sums / np.maximum(of_tiles, 1e-9) + group / of_group), left


def _sure(found: Posterior, y: Numbers, noise: Noise) -> Posterior:
    """The same where tiles whose noise reaches at most ``CERTAIN`` of their count keep their drawn value and the range of its noise."""
    half = float(noise.half_width)
    sure = half <= CERTAIN * y
    drawn = (y, y - half, y + half, np.full(len(y), noise.variance))
    return Posterior(
        *(np.where(sure, a, b) for a, b in zip(drawn, (*found.columns, found.variance), strict=True))
    )


def _with_districts(
    x: Numbers, variance: Numbers, geography: Geography, told: DistrictSums
) -> tuple[Numbers, Numbers]:
    """Groups, and outside, moved towards what another table tells of their districts: the mean by inverse variance."""
    district = np.append(geography.district_of_group, len(told.sums) - 1)
    sums, free = (summed(part, district, len(told.sums)) for part in (x, variance))
    kept = told.variance / (told.variance + free)
    target = np.maximum(kept * sums + (1 - kept) * told.sums, 0.0)
    return raked(x, variance, district, target), variance * kept[district]


def _groups(y: Numbers, noise: Noise, geography: Geography) -> tuple[Numbers, Numbers]:
    """Estimate and variance of each group."""
    size = np.bincount(geography.group)
    sums = summed(y, geography.group)
    variance = size.astype(np.float64) * noise.variance
    usual = max(float(sums.mean()), float(variance.mean()) ** 0.5 / 2, 1.0)
    mean, spread = np.zeros(len(size)), np.zeros(len(size))
    places = geography.groups
    for block in halved(places.xy, np.arange(len(size)), _GROUPS_BLOCK):
        seen = NoisyCounts(sums[block], variance[block], np.full(len(block), np.log(usual)))
        fit = best_fit(seen, Places(places.xy[block], places.log_area[block]), _GROUPS)
        mean[block], spread[block] = fit.mean, fit.spread
    found = posterior(sums, noise.of_sum(int(size.mean())), mean, spread)
    return found.values, found.variance


def _tiles(y: Numbers, noise: Noise, geography: Geography, group: Numbers) -> Posterior:
    """Estimate of each tile given the estimates of the groups."""
    offset = np.log(np.maximum(group / np.bincount(geography.group), 0.3))[geography.group]
    seen = NoisyCounts(y, np.full(len(y), noise.variance), offset)
    mean, spread = np.zeros(len(y)), np.zeros(len(y))
    for block, fit in _fitted_blocks(seen, geography):
        mean[block], spread[block] = fit.mean, fit.spread
    some = np.linspace(0, len(y) - 1, min(len(y), 2000)).astype(np.int64)
    empty = likeliest_empty(y[some], noise, mean[some], spread[some])
    return posterior(y, noise, mean, spread, empty)


def _fitted_blocks(seen: NoisyCounts, geography: Geography) -> list[tuple[Integers, Fit]]:
    """The process of each block of neighbouring tiles, all with the settings that are likeliest in some of them.

    A tile is told by its block and the tiles around that, which is to condition on neighbours (Vecchia 1988): what lies farther
    away tells next to nothing more.
    """
    blocks = _blocks(geography)

    def each(block: Integers, settings: CovarianceSettings) -> list[Fit]:
        part = NoisyCounts(seen.y[block], seen.variance[block], seen.offset[block])
        return fits(part, geography.places(block), settings)

    sampled = np.unique(np.linspace(0, len(blocks) - 1, min(len(blocks), _SAMPLED)).astype(np.int64))
    tried = {int(number): each(blocks[number][1], _TILES) for number in sampled}
    likely = np.sum([[fit.evidence for fit in found] for found in tried.values()], axis=0)
    best = int(np.argmax(likely - np.array(_DOUBT)))
    chosen = CovarianceSettings((_TILES.pairs[best],), _TILES.level, _TILES.slope)
    return [
        (core, (tried[number][best] if number in tried else each(around, chosen)[0]).first(len(core)))
        for number, (core, around) in enumerate(blocks)
    ]


def _blocks(geography: Geography) -> list[tuple[Integers, Integers]]:
    """Blocks of tiles, each with itself and the tiles around it."""
    everything = np.arange(geography.tiles)
    if geography.tiles <= _BLOCK * 1.4:
        return [(everything, everything)]
    found = []
    for core in halved(geography.xy, everything, _CORE):
        low, high = geography.xy[core].min(axis=0), geography.xy[core].max(axis=0)
        away = np.hypot(*np.maximum(np.maximum(low - geography.xy, geography.xy - high), 0.0).T)
        away[core] = np.inf
        most = min(_AROUND, geography.tiles - len(core))
        found.append((core, np.append(core, np.argpartition(away, most - 1)[:most])))
    return found
