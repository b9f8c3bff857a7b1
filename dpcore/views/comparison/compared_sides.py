"""Both sides of Compare on one map: the shares of the visits of each tile, beside or over one another.

Two releases may hold different numbers of trips, so shares are shown, as visits of a million. Counts below zero are taken as zero, as in
all shares. The range of a share holds its own noise, that of the total and what the cut at zero adds: the rule of the map of
differences. Colours are the same on both sides. They are made from both, so that the picture is as private as its more private side.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, isinf
from typing import Final

import numpy as np

from dpcore.comparison.formulas import Numbers, shares
from dpcore.comparison.layout import tile_numbers
from dpcore.comparison.matching import Pair
from dpcore.noise.accuracy import stands_out_from
from dpcore.tiles import Tessellation
from dpcore.views.comparison.difference_map import slack_of_shares
from dpcore.views.ground.reading import breaks_of_counts
from dpcore.views.maps.map_geometry import digest_of
from dpcore.views.maps.tile_map import MapGeometry, MapOptions, MapTexts, TileCounts, pack_map
from dpcore.views.maps.two_sides import Side, TwoSides
from dpcore.views.maps.window_message import Pictures

_MILLION: Final = 1_000_000
_COUNTS: Final = "of a million visits"
_STOP: Final = Fraction(1)  # both sides stand at stops of their own, which their names say
SIDES: Final = TwoSides(Side(span=1), Side(span=0), looks=("swipe", "beside"))
"""A to the left, B to the right."""


def compared_pictures(pair: Pair, tiles: Tessellation, names: Sequence[str]) -> Pictures | None:
    """The shares of both sides, tile by tile; None where a side has no visits inside the tiles."""
    number = tile_numbers(pair.columns["tile_id"], tiles.tile_ids)
    inside = number >= 0
    values, noise = [], []
    for counts, rate in zip((pair.one[inside], pair.other[inside]), pair.rates, strict=True):
        share = shares(counts)
        if share is None:
            return None
        row = np.zeros(len(tiles.tile_ids), np.int64)
        row[number[inside]] = np.rint(_MILLION * share).astype(np.int64)
        values.append(row)
        noise.append(_noise(counts, rate))
    both, (wide, growing, least) = np.stack(values), zip(*noise, strict=True)
    return Pictures(names, _COUNTS, both, wide, least, breaks_of_counts(both), growing=growing, least=0)


def _noise(counts: Numbers, rate: Fraction | None) -> tuple[int, float, int]:
    """Half width of the noise of a share, how it grows with the share, and the smallest share that stands out.

    In visits of a million. Where noise drowns the total, any share may be the true one.
    """
    if rate is None:
        return 0, 0.0, 1
    fixed, growing = slack_of_shares(counts, rate)
    if isinf(fixed):
        return _MILLION, 0.0, _MILLION + 1
    each = _MILLION / float(np.maximum(counts, 0).sum())
    wide = ceil(_MILLION * fixed) + 1  # shares are rounded
    return wide, growing, ceil(each * stands_out_from(rate, len(counts)))


def _widest(pictures: Pictures) -> int:
    return ceil(pictures.half_widths[0] + pictures.growing[0] * int(pictures.values[0].max(initial=0)))


def pack_compared(geometry: MapGeometry, pictures: Pictures, mark: str) -> tuple[str, bytes, bytes]:
    """The link of the map of both sides, its message, and that of its pictures. ``mark``: written on the picture."""
    link = f"compared {digest_of(geometry.packed)}"
    first = TileCounts(
        values=pictures.values[:1],
        half_widths=[_widest(pictures)],  # of all tiles, until the pictures are there, which say it of each
        grey_below=pictures.grey_below[:1],
        breaks=pictures.breaks,
    )
    message = pack_map(
        geometry.packed,
        rungs=(_STOP,),
        texts=MapTexts(
            alt=f"Map of visits per tile: {pictures.names[0]} beside {pictures.names[1]}. Both are compared in numbers above.",
            counts=_COUNTS,
            banner=mark,
        ),
        tiles=first,
        options=MapOptions(slider=False, link=link, steered=True),
    )
    return link, message, pictures.packed(link, str(_STOP))
