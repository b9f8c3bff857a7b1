"""A map of numbers of places, as the views of all kinds draw it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.tiles import Tessellation
from dpcore.views.ground.plain import sentence
from dpcore.views.ground.reading import breaks_of_counts, class_words
from dpcore.views.ground.style import DROWNED
from dpcore.views.maps.drawn_map import DrawnMap, Key
from dpcore.views.maps.map_classes import FIRST as FIRST_CLASS
from dpcore.views.maps.map_classes import classes_of, colours_of
from dpcore.views.pictures.maps import LISTED, ranked_tiles

Counts = NDArray[np.int64]
FIRST: Final = "The first places"


def coloured_places(
    tiles: Tessellation,
    values: Counts,
    known: NDArray[np.bool_],
    *,
    unit: str,
    grey: str,
    words: Sequence[str],
) -> DrawnMap:
    """Tiles in colours by public numbers, with the largest as a list.

    ``known``: which tiles have a number, the others are grey; ``grey``: what that means; ``words``: each number as it is read.
    """
    least = int(values[known].min(initial=int(values.max(initial=1))))
    rising = breaks_of_counts(values[known])
    breaks = [edge for edge in rising if edge > least] or [rising[-1]]  # no colour below the least number
    colours = colours_of(breaks)
    key = tuple(zip(colours[FIRST_CLASS:], class_words(breaks), strict=True)) if known.any() else ()
    first = [int(at) for at in np.argsort(-values, kind="stable")[:LISTED] if known[at]]
    rows = [(tiles.called[at], words[at]) for at in first]
    listed, ranks = ranked_tiles(tiles, FIRST, rows, first) if first else (None, ())
    return DrawnMap(
        tiles,
        classes_of(values, breaks, known),
        colours,
        Key(sentence(unit), (*reversed(key), (DROWNED, grey))),
        listed=listed,
        names=ranks,
    )
