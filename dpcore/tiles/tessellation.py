"""The tiles: ids, names and shapes that were checked for counting."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import isfinite

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry.base import BaseGeometry

from dpcore.errors import InternalError, TessellationError
from dpcore.measures.keys import Axis, Districts
from dpcore.tiles import gate, labels
from dpcore.tiles.called import Place, called_districts, called_tiles
from dpcore.tiles.halving import halving
from dpcore.tiles.index import TileIndex
from dpcore.tiles.overlaps import CHOICES, REFUSE


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle in WGS84 degrees, not across the 180th meridian. It unpacks as west, south, east, north.

    Raises TessellationError if it is empty, upside down or not on the globe.
    """

    west: float
    """Smallest longitude, -180 or more."""
    south: float
    """Smallest latitude, -90 or more."""
    east: float
    """Largest longitude, 180 or less."""
    north: float
    """Largest latitude, 90 or less."""

    def __post_init__(self) -> None:
        """Refuse a box that is empty or not on the globe."""
        if not all(isfinite(side) for side in self):
            raise TessellationError(
                "a side of the box is not a number", "box", "Give four numbers in degrees."
            )
        if not (-180 <= self.west < self.east <= 180 and -90 <= self.south < self.north <= 90):
            raise TessellationError(
                "the box is empty or not on the globe",
                f"west {self.west:g}, south {self.south:g}, east {self.east:g}, north {self.north:g}",
                "Give degrees with west < east within -180 to 180 and south < north within -90 to 90. "
                "Split a box across the 180th meridian into two.",
            )

    def __iter__(self) -> Iterator[float]:
        return iter((self.west, self.south, self.east, self.north))

    @property
    def middle_latitude(self) -> float:
        """Latitude halfway between south and north."""
        return (self.south + self.north) / 2


@dataclass(frozen=True)
class Tessellation:
    """Tiles that do not overlap, sorted by id. Make them with ``Tessellation.of``, which checks them.

    Public input: its ids may be printed and its shapes drawn. The number of a tile is its position in ``tile_ids``, so the
    order of the file does not matter. Equal tiles have an equal ``digest``.
    """

    tile_ids: tuple[str, ...]
    """Sorted as text, all different. None of them is the word ``outside``."""
    tile_names: tuple[str, ...]
    """Names of the file, as text; the id if it gave no name. ``called`` is what people read."""
    polygons: tuple[BaseGeometry, ...]
    """Polygon or MultiPolygon of each tile: WGS84, x = longitude, y = latitude."""
    notes: tuple[str, ...] = ()
    """What was repaired or merged, in words."""
    find_index: Callable[[Tessellation], TileIndex] | None = field(default=None, repr=False, compare=False)
    """Returns a stored index of exactly these shapes. None: the index is built."""
    districts: tuple[str, ...] = ()
    """For each tile the district that the file gives it, as text, empty if it gives none; no texts if no tile has one.
    They may be unfit to be used: ``dpcore.tiles.districts`` checks that."""
    places: tuple[Place, ...] = field(default=(), repr=False, compare=False)
    """Public places that lie under the map, after which tiles and districts without a name are called (``among``)."""

    def __post_init__(self) -> None:
        """Refuse columns that do not belong together. The shapes are checked by ``of``."""
        ordered = all(one < other for one, other in zip(self.tile_ids, self.tile_ids[1:], strict=False))
        named = not self.districts or len(self.districts) == len(self.tile_ids)
        if not (ordered and named and len(self.tile_ids) == len(self.tile_names) == len(self.polygons) > 0):
            raise InternalError.at("Tessellation")

    def __repr__(self) -> str:
        """One line, without the long outlines."""
        return f"<Tessellation of {len(self.tile_ids):,} tiles>"

    @classmethod
    def of(
        cls,
        ids: Sequence[object],
        names: Sequence[object],
        polygons: Sequence[BaseGeometry],
        source_name: str,
        *,
        merge_ids: bool = False,
        overlaps: str = REFUSE,
        notes: Sequence[str] = (),
        districts: Sequence[object] = (),
        faults: Sequence[TessellationError] = (),
    ) -> Tessellation:
        """The checked tessellation of tiles in any order, with one id, name and shape for each.

        ``names``: None where a tile has none. ``polygons``: WGS84, longitude first. ``source_name``: for messages.
        ``districts``: one for each tile, None where it has none; nothing if the file gives none. A tile whose parts lie in
        several districts has none. Duplicate ids are merged only if asked for. ``overlaps``: who keeps a place that tiles share,
        ``first`` in the given order or the ``smaller``; ``refuse``: nobody. Invalid outlines and slivers are repaired and noted. Raises
        TessellationError for ids outside the alphabet, empty tiles and overlaps, together with ``faults`` that were found before.
        """
        texts = [
            labels.tile_id(value, f"{source_name}, tile {number:,}") for number, value in enumerate(ids, 1)
        ]
        named: dict[str, str] = {}
        for tile, name in zip(texts, names, strict=True):
            if not named.get(tile):
                named[tile] = labels.tile_name(name, "")
        lying: dict[str, str] = {}
        for tile, district in zip(texts, districts or [None] * len(texts), strict=True):
            found = labels.tile_name(district, "")
            lying[tile] = found if lying.get(tile, found) == found else ""
        if overlaps not in CHOICES:
            raise TessellationError(
                "this is no way to settle overlaps", "--overlaps", f"Choose one of: {', '.join(CHOICES)}."
            )
        tiles = gate.check(
            texts, polygons, source_name, merge_ids=merge_ids, overlaps=overlaps, faults=faults
        )
        # Counterclockwise outlines, as in GeoJSON, so that exporting and importing gives the same tiles.
        shapes = shapely.orient_polygons(np.array(tiles.polygons))
        return cls(
            tiles.ids,
            tuple(named[tile] or tile for tile in tiles.ids),
            tuple(shapes),
            (*notes, *tiles.notes),
            districts=tuple(lying[tile] for tile in tiles.ids) if any(lying.values()) else (),
        )

    def among(self, places: Sequence[Place]) -> Tessellation:
        """The same tiles, called after such places where they have no name of their own."""
        if self.places == tuple(places):
            return self
        found = replace(self, places=tuple(places))
        # What was found of its shapes stays: names change nothing of it.
        known = ("index", "halving", "bounds", "digest")
        vars(found).update({name: one for name, one in vars(self).items() if name in known})
        return found

    @cached_property
    def called(self) -> tuple[str, ...]:
        """What people call each tile (``dpcore.tiles.called``)."""
        return called_tiles(self)

    def called_districts(self, districts: Districts | Axis) -> tuple[str, ...]:
        """What people call each district, without that word; in the order of their names, or of what an axis has inside."""
        names = districts.names if isinstance(districts, Districts) else districts.inside
        key = (names, districts.of_tiles)
        if key not in self._called_districts:
            self._called_districts[key] = called_districts(self, *key)
        return self._called_districts[key]

    @cached_property
    def _called_districts(self) -> dict[tuple[tuple[str, ...], tuple[int, ...]], tuple[str, ...]]:
        return {}

    @cached_property
    def index(self) -> TileIndex:
        """The index that finds the tile of a point. It is built at first use; for 50,000 tiles in a few seconds."""
        return TileIndex(self.polygons) if self.find_index is None else self.find_index(self)

    @cached_property
    def halving(self) -> NDArray[np.int64]:
        """The numbers of the tiles in an order whose halves, and their halves, are neighbours; see ``dpcore.tiles.halving``."""
        return halving(self.polygons)

    @cached_property
    def bounds(self) -> Box:
        """The smallest box around all tiles."""
        west, south, east, north = (float(side) for side in shapely.total_bounds(np.array(self.polygons)))
        return Box(west, south, east, north)

    @cached_property
    def digest(self) -> str:
        """BLAKE2b of ids and shapes, 64 hexadecimal digits; public. Names, districts and notes are not part of it.

        Which tile a point lies in follows from ids and shapes alone, so trips that were prepared on other districts stay
        valid. Nothing trusts the digest for districts: the plan itself holds the district of every tile.
        """
        digest = hashlib.blake2b(digest_size=32)
        shapes = shapely.to_wkb(np.array(self.polygons), output_dimension=2, byte_order=1)
        for tile, shape in zip(self.tile_ids, shapes, strict=True):
            for part in (tile.encode(), bytes(shape)):
                # Lengths first, so that no two lists of tiles can give the same bytes.
                digest.update(len(part).to_bytes(8, "little"))
                digest.update(part)
        return digest.hexdigest()
