"""Colours of privacy levels, and the levels of tiles as a map: a picture without any script.

The more delicate a level, the further its colour is from the page, light or dark.
The scale is magma, whose lightness rises evenly: levels keep their order for colour-blind eyes and in print. On a
light page Critical is the darkest, on a dark one the brightest. The legend says the names all the same,
and how many tiles have each.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from dpcore.kinds.tree.choices import TreeChoices
from dpcore.kinds.tree.levels import Levels
from dpcore.measures.keys import Districts
from dpcore.privacy import epsilon_text
from dpcore.tiles import Tessellation
from dpcore.views.ground.style import DROWNED
from dpcore.views.maps.drawn_map import DrawnMap, Key
from dpcore.views.maps.still import still_map
from dpcore.views.maps.tile_map import (
    MapGeometry,
    MapLevel,
    MapOptions,
    MapTexts,
    TileLevels,
    pack_map,
)

_MAGMA: Final = (
    (0, 0, 4),
    (28, 16, 68),
    (79, 18, 123),
    (129, 37, 129),
    (181, 54, 122),
    (229, 80, 100),
    (251, 135, 97),
    (254, 194, 135),
    (252, 253, 191),
)
_LIGHT: Final = (0.94, 0.12)
"""Where on the scale the lowest and the highest level lie, on a light page."""
_DARK: Final = (0.30, 1.0)
BLACK: Final = "#111111"
WHITE: Final = "#ffffff"


@dataclass(frozen=True, slots=True)
class LevelColour:
    """The colour of a level on both kinds of page, each as ``#rrggbb``."""

    light: str
    dark: str

    def on(self, *, dark: bool) -> str:
        """The colour on one kind of page."""
        return self.dark if dark else self.light


NEUTRAL: Final = LevelColour(DROWNED, "#4a5158")
"""For what has no level: the whole, ends of trajectories."""


def level_colours(levels: int) -> tuple[LevelColour, ...]:
    """The colours of so many levels, level 1 first; a scale of one level has the colour of Critical."""
    steps = [level / (levels - 1) for level in range(levels)] if levels > 1 else [1.0]
    return tuple(LevelColour(_colour(_LIGHT, step), _colour(_DARK, step)) for step in steps)


def ink_on(fill: str) -> str:
    """Black or white, whichever can be read better on a colour.

    >>> ink_on("#fcfdbf"), ink_on("#1c1044")
    ('#111111', '#ffffff')
    """
    return max((BLACK, WHITE), key=lambda letters: contrast(fill, letters))


def contrast(one: str, other: str) -> float:
    """How well two colours can be told apart, 1 to 21 (WCAG 2).

    >>> contrast("#ffffff", "#000000")
    21.0
    """
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def luminance(colour: str) -> float:
    """Relative luminance of ``#rrggbb``, 0 to 1."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def _colour(ends: tuple[float, float], step: float) -> str:
    at = (ends[0] + step * (ends[1] - ends[0])) * (len(_MAGMA) - 1)
    low = min(int(at), len(_MAGMA) - 2)
    mixed = [round(a + (at - low) * (b - a)) for a, b in zip(_MAGMA[low], _MAGMA[low + 1], strict=True)]
    return "#" + "".join(f"{part:02x}" for part in mixed)


def levels_svg(tiles: Tessellation, levels: Levels, mark: str = "", *, dark: bool = False) -> str:
    """Tiles in the colours of their levels; a place outside the tiles stands in the legend's number only."""
    colours = tuple(one.on(dark=dark) for one in level_colours(levels.critical))
    places = np.bincount(levels.level - 1, minlength=levels.critical).tolist()
    words = (f"{one.name}: {many:,}" for one, many in zip(levels.descriptors, places, strict=True))
    key = Key("", tuple(reversed([*zip(colours, words, strict=True)])))
    drawn = DrawnMap(tiles, (levels.level - 1)[: len(tiles.tile_ids)], colours, key)
    return still_map(drawn, "Map of the privacy levels of tiles", mark=mark, dark=dark)


def levels_map(
    geometry: MapGeometry,
    choices: TreeChoices,
    *,
    link: str,
    mark: str = "",
    districts: Districts | None = None,
) -> bytes:
    """The map on which tiles are chosen to get a level, in the colours of those that they have.

    ``link``: under which choices are told; ``mark``: written on the picture; ``districts``: what can be chosen besides tiles.
    """
    price = choices.price().descriptors
    place = {name: at for at, (name, _) in enumerate(price)}
    named: Mapping[str, str] = dict(choices.named)
    return pack_map(
        geometry.packed,
        rungs=(choices.epsilon,),
        texts=MapTexts(
            alt="Map of the tiles in the colours of their levels. The lists below choose tiles and set levels without it.",
            banner=mark,
        ),
        levels=TileLevels(
            [
                MapLevel(name, epsilon_text(epsilon), colour.light, colour.dark)
                for (name, epsilon), colour in zip(price, level_colours(len(price)), strict=True)
            ],
            [place[named[tile]] if tile in named else len(price) - 1 for tile in geometry.names],
        ),
        districts=geometry.grouped(districts),
        options=MapOptions(slider=False, link=link, steered=True),
    )
