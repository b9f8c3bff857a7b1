"""The tiles in a bundle, read back."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from dpcore.errors import AtlasError, BundleError
from dpcore.release import layout
from dpcore.release.drawn_tiles import as_drawn, tiles_geojson
from dpcore.release.mending import CHANGED
from dpcore.tessellation import Tessellation, read_tessellation

_REMEMBERED: Final = 2
"""Cities; the releases of one city share their tiles, and a server rarely shows more than two at once."""


@lru_cache(_REMEMBERED)
def read_tiles(data: bytes) -> Tessellation:
    """The tiles of a bundle, written as this program writes them; raises BundleError.

    The same bytes give the same tiles, which never change, so the last ones are remembered: to check them takes most of
    the time of reading a bundle. They are public, as all that stands in one.
    """
    try:
        tiles = read_tessellation(data, layout.TILES, id_column="tile_id")
    except AtlasError as error:
        raise BundleError(error.what, error.where, error.mend) from None
    if tiles_geojson(as_drawn(tiles)) != data:
        raise BundleError("the tiles are not written as this program writes them", layout.TILES, CHANGED)
    return tiles
