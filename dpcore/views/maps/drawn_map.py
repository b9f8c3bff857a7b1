"""A still map as plain data, all of it public: tiles in colours, their key, and what lies over them.

Texts are plain: names in them were written by others, and whoever writes a file escapes them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from dpcore.context import Context
from dpcore.tiles import Tessellation

Cells = NDArray[np.int64]
Named = tuple[tuple[str, NDArray[np.float64]], ...]
"""Words on a map, with the longitude and latitude of each."""
_WIDEST: Final = 6.8
_THINNEST: Final = 0.9
_SOME: Final = 300  # tiles, whose borders are thinner
_MANY: Final = 1_500


@dataclass(frozen=True)
class Key:
    """The colours of a map: what is counted, and what each colour means, in reading order."""

    unit: str
    colours: tuple[tuple[str, str], ...]
    """Colour and words of each."""
    edges: tuple[str, ...] = ()
    """What parts the first colours, where they are a scale: they may stand as a strip with these between them."""
    ends: tuple[str, str] = ("", "")
    """What both ends of the strip mean."""


@dataclass(frozen=True)
class Listed:
    """Names with their numbers and ranges in words, beside a map or alone."""

    title: str
    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, eq=False)
class Arrows:
    """Flows as lines that are thick where they end."""

    origins: NDArray[np.float64]
    """Longitude and latitude, shape (flows, 2)."""
    destinations: NDArray[np.float64]
    sizes: NDArray[np.float64]
    """Size of each flow."""
    sure: NDArray[np.bool_]
    """Whether its range is known; the others are dashed."""
    widest: float | None = None
    """The size that has the widest line; None: the largest here."""

    @property
    def widths(self) -> NDArray[np.float64]:
        """How wide each line is where it ends, in units of the map: its area follows the size."""
        widest = float(self.sizes.max(initial=1.0)) if self.widest is None else self.widest
        return np.clip(_WIDEST * np.sqrt(np.maximum(self.sizes, 0.0) / widest), _THINNEST, _WIDEST)


@dataclass(frozen=True, eq=False)
class DrawnMap:
    """Tiles in colours, with what lies over them."""

    tiles: Tessellation
    which: Cells
    """The place of each tile's colour in ``colours``."""
    colours: tuple[str, ...]
    key: Key | None
    arrows: Arrows | None = None
    outlined: tuple[Any, ...] = ()
    """Shapes with a thick border: what is chosen, or the districts."""
    listed: Listed | None = None
    context: Context | None = None
    """What lies under the tiles, if the release has it."""
    names: Named = ()
    """What is written on the map: names of districts, or the ranks of the tiles that are listed."""

    @property
    def border(self) -> float:
        """How wide the borders of tiles are, in units of the map: thin where there are many."""
        many = len(self.tiles.polygons)
        return 0.5 if many <= _SOME else 0.25 if many <= _MANY else 0.12
