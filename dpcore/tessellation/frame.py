"""Tiles that are in memory as a GeoDataFrame, checked like those of a file."""

from __future__ import annotations

from typing import Final, Protocol

from dpcore.errors import TessellationError
from dpcore.tessellation.reading import read_tessellation
from dpcore.tessellation.tessellation import Tessellation

_NAME: Final = "tiles.geojson"


class TileFrame(Protocol):
    """What is used of a GeoDataFrame, so that this package does not need the one that makes them."""

    @property
    def crs(self) -> object:
        """Its coordinate system; None where nobody said."""

    def to_json(self, **options: object) -> str:
        """Its rows as GeoJSON."""


def tessellation_of(
    frame: TileFrame, *, id_column: str | None = None, merge_duplicates: bool = False
) -> Tessellation:
    """The checked tessellation of a GeoDataFrame with one row a tile; the frame is not changed.

    ``id_column`` and ``merge_duplicates`` as in ``read_tessellation``. Coordinates in another system are reprojected to
    WGS84. Raises TessellationError: what a file of these tiles would be refused for, and a frame without a system.
    """
    if getattr(frame, "crs", None) is None:  # one without shapes has not even the attribute
        raise TessellationError(
            "the tiles have no coordinate system",
            "data frame",
            "Say which one their coordinates are in, for example with set_crs(4326).",
        )
    # The index numbers rows and is no id; what JSON cannot say plays no role and is said as text.
    text = frame.to_json(drop_id=True, na="null", to_wgs84=True, default=str)
    return read_tessellation(text.encode(), _NAME, id_column=id_column, merge_duplicates=merge_duplicates)
