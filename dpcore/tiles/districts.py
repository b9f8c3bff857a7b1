"""Districts: public groups of neighbouring tiles, those of the tile file or a halving of the map.

Both follow from the tiles alone, so they cost no privacy. A plan holds the district of every tile. So a release says what it
counted, whatever later versions of this file would give.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from dpcore import limits
from dpcore.errors import TessellationError
from dpcore.measures.keys import OUTSIDE, Districts
from dpcore.tiles.halving import along_the_longer_side, metres
from dpcore.tiles.labels import ID_RULE, is_tile_id, quoted
from dpcore.tiles.tessellation import Tessellation

_FEWEST: Final = 2
_PROPERTY: Final = "property district"
_ELSE: Final = (
    "or remove the property: then the map is halved (--districts N lays districts by halving the map, too)"
)


def halved(tiles: Tessellation, count: int) -> Districts:
    """The tiles in ``count`` districts of about equally many tiles, named ``1`` to ``count`` with leading zeros.

    The map is halved along its longer side, in metres, then each half again, until there are so many parts. Odd counts are
    divided in proportion. Tiles are ordered by their centroids; of equal ones the first id comes first. Equal tiles give
    equal districts. Raises TessellationError if ``count`` is below 2, above ``limits.MAX_DISTRICTS`` or above the number of
    tiles.
    """
    most = min(len(tiles.tile_ids), limits.MAX_DISTRICTS)
    if isinstance(count, bool) or not isinstance(count, int) or not _FEWEST <= count <= most:
        raise TessellationError(
            "there cannot be so many districts",
            f"{len(tiles.tile_ids):,} tiles",
            f"Give a whole number from {_FEWEST} to {most:,}."
            if most >= _FEWEST
            else "One tile has no districts: count on smaller tiles, or leave flows between districts out.",
        )
    places = metres(tiles.polygons)
    of_tiles = np.zeros(len(places), np.int64)
    waiting, first = [(np.arange(len(places)), count)], 0
    while waiting:
        group, parts = waiting.pop()
        if parts == 1:
            of_tiles[group] = first
            first += 1
            continue
        fewer = parts // 2
        # Not fewer tiles than parts on either side: the group has at least as many tiles as parts.
        cut = min(max(round(len(group) * fewer / parts), fewer), len(group) - (parts - fewer))
        ordered = group[along_the_longer_side(places[group])]
        waiting += [(np.sort(ordered[cut:]), parts - fewer), (np.sort(ordered[:cut]), fewer)]
    digits = len(str(count))
    names = tuple(f"{number:0{digits}d}" for number in range(1, count + 1))
    return Districts(names, tuple(of_tiles.tolist()), by_halving=True)


def own_districts(tiles: Tessellation) -> Districts | None:
    """The districts that the tile file gives in its property ``district``; None if it has no such property.

    A property whose values are all different names the tiles and groups nothing. It gives no districts either. Raises
    TessellationError if only some tiles have a district, if all have the same one, if a text may not be a key, or if there
    are more than ``limits.MAX_DISTRICTS``.
    """
    texts = tiles.districts
    if not any(texts) or (len({*texts}) == len(texts) and all(texts)):
        return None
    _must_be_whole(tiles)
    names = sorted({*texts})
    bad = next((name for name in names if not is_tile_id(name)), None)
    if bad is not None:
        raise TessellationError(
            f"a district cannot be called {quoted(bad)}",
            _PROPERTY,
            f"The rule is that of tile ids, and none is called {OUTSIDE}. {ID_RULE}",
        )
    if len(names) == 1:
        raise TessellationError(
            f"all tiles lie in one district, {quoted(names[0])}",
            _PROPERTY,
            f"Give two districts or more, {_ELSE}.",
        )
    if len(names) > limits.MAX_DISTRICTS:
        raise TessellationError(
            f"there are {len(names):,} districts",
            _PROPERTY,
            f"At most {limits.MAX_DISTRICTS} are allowed: larger ones stand out of the noise. Join some, {_ELSE}.",
        )
    number = {name: position for position, name in enumerate(names)}
    return Districts(tuple(names), tuple(number[text] for text in texts))


def district_texts(tiles: Tessellation, districts: Districts | None) -> tuple[str, ...]:
    """The name of the district of each tile, as ``Tessellation.districts`` holds it; empty without districts."""
    if districts is None:
        return ()
    if len(districts.of_tiles) != len(tiles.tile_ids):
        raise TessellationError(
            "the districts are not those of these tiles",
            f"{len(districts.of_tiles):,} tiles with a district, {len(tiles.tile_ids):,} tiles",
            "Take the districts of the tiles that are counted.",
        )
    return tuple(districts.names[number] for number in districts.of_tiles)


def _must_be_whole(tiles: Tessellation) -> None:
    """Refuse districts of some tiles only."""
    lacking = [tile for tile, text in zip(tiles.tile_ids, tiles.districts, strict=True) if not text]
    if lacking:
        shown = ", ".join(quoted(tile) for tile in lacking[:3])
        more = f" and {len(lacking) - 3:,} more" if len(lacking) > 3 else ""
        raise TessellationError(
            f"tiles without a district: {shown}{more}",
            _PROPERTY,
            f"Give every tile one district as text or a whole number, {_ELSE}.",
        )
