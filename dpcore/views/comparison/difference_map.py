"""The difference of two maps as a picture: where B has a larger share of the visits than A, and where a smaller one.

The colours have fixed ends: multiples of the share that a tile would have if all were equal. They follow from the
number of tiles, which is public, so the scale says nothing about either side.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import inf
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.comparison.formulas import shares
from dpcore.comparison.layout import tile_numbers
from dpcore.comparison.matching import Pair
from dpcore.noise.accuracy import half_width, half_width_of_sum
from dpcore.tiles import Tessellation
from dpcore.views.ground.plain import with_id
from dpcore.views.ground.style import NO_DIFFERENCE, WITHIN
from dpcore.views.maps.drawn_map import DrawnMap, Key
from dpcore.views.maps.projection import inside
from dpcore.views.maps.still import still_key, still_map

Numbers = NDArray[np.float64]

BREAKS: Final = (0.1, 0.5, 1.0, 2.0)
"""Sizes of a difference that part the colours, as multiples of an equal share."""
# Blue (B has fewer) over white to orange (B has more), as differences on the other maps (ladder_colours.js): told apart with any
# colour vision, zero in the middle.
_COLOURS: Final = (
    "#053061", "#2166ac", "#4393c3", "#92c5de", NO_DIFFERENCE, "#fdb863", "#e08214", "#b35806", "#7f3b08", WITHIN,
)  # fmt: skip
_NUMBERED: Final = 8  # tiles that may be chance: more numbers would hide the map
_EACH: Final = 1 - 0.05 / 4
"""Confidence of each of the four numbers that must hold together: a count and a sum on each side."""
ENDS: Final = ("A has more", "B has more")
"""What stands at both ends of the colours."""
LEGEND_WIDTH: Final = 360
"""Pixels of the legend, whatever the size of the map: its letters can be read on a telephone."""


@dataclass(frozen=True, repr=False, eq=False)
class Differences:
    """How two maps differ, one number for each tile."""

    size: Numbers
    """B's share less A's, as multiples of an equal share."""
    within_noise: NDArray[np.bool_]
    """Where noise alone may have made this, with 95 % confidence for each tile."""
    noisy: bool
    """Whether a side has noise; if not, nothing is within it."""
    one: float = 1.0
    """What a size of 1 is, in the unit that the key of colours has."""
    by_chance: tuple[int, ...] = ()
    """The tiles whose difference noise alone may have made, the largest difference first."""


def differences(pair: Pair, tiles: Tessellation) -> Differences | None:
    """B's share less A's of each tile, and whether noise may have made it; None where a side has none inside the tiles."""
    number = tile_numbers(pair.columns["tile_id"], tiles.tile_ids)
    inside = number >= 0
    one, other = pair.one[inside], pair.other[inside]
    p, q = shares(one), shares(other)
    if p is None or q is None:
        return None
    size, within = np.zeros(len(tiles.tile_ids)), np.zeros(len(tiles.tile_ids), bool)
    size[number[inside]] = (q - p) * len(tiles.tile_ids)
    slack = np.zeros(len(p))
    for share, counts, rate in zip((p, q), (one, other), pair.rates, strict=True):
        fixed, growing = slack_of_shares(counts, rate)
        slack += fixed + growing * share
    noisy = pair.rates != (None, None)
    within[number[inside]] = noisy & (np.abs(q - p) <= slack)
    return Differences(size, within, noisy, by_chance=largest_of(np.abs(size), within))


def largest_of(sizes: Numbers, which: NDArray[np.bool_]) -> tuple[int, ...]:
    """The positions of some of the sizes, the largest first."""
    order = np.argsort(-sizes, kind="stable")
    return tuple(order[which[order]].tolist())


def chance_words(found: Differences, tiles: Tessellation) -> str:
    """Which tiles may be chance: those with the largest differences, by the numbers that they have on the map; empty where none is."""
    if not found.by_chance:
        return ""
    many, first = len(found.by_chance), chance_names(found, tiles)[:_NUMBERED]
    named = "; ".join(f"{rank}: {name}" for rank, name in enumerate(first, 1))
    whose = "1 tile" if many == 1 else f"{many:,} tiles"
    largest = (
        "The largest of these, with numbers on the map" if many > len(first) else "With numbers on the map"
    )
    return f"Chance alone may have made the difference of {whose}. {largest}: {named}."


def chance_names(found: Differences, tiles: Tessellation) -> list[str]:
    """The tiles whose difference may be chance, the largest difference first. Untrusted text."""
    return [with_id(tiles.tile_ids[tile], tiles.called[tile]) for tile in found.by_chance]


def slack_of_shares(counts: Numbers, rate: Fraction | None) -> tuple[float, float]:
    """How far a share s may be from that of the counts without noise: ``(fixed, growing)``, off by at most ``fixed + growing * s``.

    Both are 0 without noise; ``fixed`` is infinite where noise drowns the sum. ``rate``: that of the noise of one count.

    Let T be the sum of the counts above zero. If a count is off by e T and the sum by r T, a share s is off by at most
    (e + r s) / (1 - r). The sum is off by its own noise and by what cutting at zero adds. Both bounds must hold on both sides of
    a comparison with 95 % confidence, so each may fail with a quarter of the 5 %. One side alone is right in 97.5 %.
    """
    if rate is None:
        return 0.0, 0.0
    total = float(np.maximum(counts, 0).sum())
    lifted = total - float(counts.sum())
    one = half_width(rate, _EACH) / total
    whole = (half_width_of_sum(rate, len(counts), _EACH) + lifted) / total
    return (one / (1 - whole), whole / (1 - whole)) if whole < 1 else (inf, 0.0)


def difference_svg(
    tiles: Tessellation,
    found: Differences,
    names: tuple[str, str],
    mark: str,
    *,
    dark: bool = False,
    numbered: bool = False,
) -> str:
    """The picture with its mark, as SVG without any script and without a ground of its own; ``dark``: as the page is.

    ``numbered``: with the numbers by which ``chance_words`` names tiles.
    """
    first = found.by_chance[:_NUMBERED] if numbered else ()
    ranks = tuple(str(rank) for rank in range(1, len(first) + 1))
    points = inside([tiles.polygons[tile] for tile in first]) if first else ()
    numbers = tuple(zip(ranks, points, strict=True))
    drawn = DrawnMap(tiles, _classes(found), _COLOURS, None, names=numbers)
    return still_map(
        drawn, f"Difference of two maps: {names[1]} less {names[0]}", mark=mark, dark=dark, letters=18
    )


def _classes(found: Differences) -> NDArray[np.int64]:
    """The class of each tile from the most fewer to the most more; the one after the last is within noise."""
    edges = np.array([-size for size in reversed(BREAKS)] + list(BREAKS))
    classes = np.where(found.within_noise, len(edges) + 1, np.digitize(found.size, edges))
    return classes.astype(np.int64)


def difference_key(found: Differences, within: str) -> tuple[NDArray[np.int64], tuple[tuple[str, str], ...]]:
    """The class of each tile, and colour and words of each class, the most fewer first; ``within``: what the last one means."""
    edges = [f"{edge * found.one:,.10g}" for edge in BREAKS]
    sizes = [
        f"up to {edges[1]}",
        *(f"{low} to {high}" for low, high in pairwise(edges[1:])),
        f"over {edges[-1]}",
    ]
    words = [
        *(f"{size} fewer" for size in reversed(sizes)),
        f"less than {edges[0]}",
        *(f"{size} more" for size in sizes),
    ]
    return _classes(found), tuple(zip(_COLOURS, (*words, within), strict=True))


def legend_svg(
    *, dark: bool = False, noisy: bool = False, ends: tuple[str, str] = ENDS, one: float = 1.0
) -> str:
    """The colours and their ends, as a picture of its own: ``LEGEND_WIDTH`` pixels wide on every page.

    ``noisy``: with the colour of what is within noise. ``one``: how many visits an edge of 1 stands for.
    """
    sizes = [f"{one * size:,.10g}" for size in BREAKS]
    edges = (*(f"\N{MINUS SIGN}{size}" for size in reversed(sizes)), *(f"+{size}" for size in sizes))
    said = "within noise" if ends == ENDS else "no change can be told"
    words = (*("" for _ in range(len(edges) + 1)), *([said] if noisy else []))
    key = Key("", tuple(zip(_COLOURS, words, strict=False)), edges, ends)
    return still_key(key, "Colours of the difference", wide=LEGEND_WIDTH, dark=dark)
