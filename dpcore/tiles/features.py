"""What a reader returns: one shape and one set of properties for each feature, all in WGS84.

Every reader gives rings as arrays of corners. Only this module turns rings into shapes. So one set of checks covers all
formats of tiles, and no library in this process parses the geometry of a tile that was not checked. Points and lines of trips
are another matter (``dpcore.private.source.geometry``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeVar

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry.base import BaseGeometry

from dpcore import limits
from dpcore.errors import TessellationError
from dpcore.tiles.projection import Projection

Raw = TypeVar("Raw")
Ring = NDArray[np.float64]
"""Corners of a ring, shape (corners, 2): longitude, latitude."""
Rings = Sequence[Ring]
"""Rings of a polygon: the outer one, then its holes."""

FEATURE_ID: Final = "(feature id)"
"""The column for the ``id`` member of GeoJSON features, which is not among their properties."""
_NOTHING: Final = 1e-15
"""Degrees."""


@dataclass(frozen=True)
class Features:
    """The features of a tessellation file in file order."""

    source_name: str
    """Name of the file, for messages."""
    properties: tuple[Mapping[str, object], ...]
    """Properties of each feature by name."""
    polygons: tuple[BaseGeometry, ...]
    """Polygon or MultiPolygon of each feature in WGS84, x = longitude. It may be invalid, and overlaps are not checked."""
    notes: tuple[str, ...] = ()
    """What the reader changed, in words."""
    faults: tuple[TessellationError, ...] = ()
    """What is wrong with single features. They are told together with the faults of ids and borders."""
    bad: frozenset[int] = frozenset()
    """Positions of the features without a usable shape. Their polygons are empty."""
    points: Mapping[int, Ring] = field(default_factory=dict)
    """Positions of the features that are points, each with its place as one corner. Their polygons are empty."""
    shared: tuple[tuple[int, int], ...] = ()
    """Positions of two stations at one place each, of which each tile holds a side of it."""
    lines: tuple[int, ...] = ()
    """The line of each feature in a table."""

    def where(self, position: int) -> str:
        """Words for the place of a feature in its file."""
        return f"line {self.lines[position]:,}" if self.lines else f"feature {position + 1:,}"

    def __post_init__(self) -> None:
        """Refuse an empty file, and more columns than a table may have."""
        if not self.polygons:
            raise TessellationError("there are no features", self.source_name, "Give at least one tile.")
        if len(self.columns) > limits.MAX_COLUMNS:
            raise TessellationError(
                f"the features have {len(self.columns):,} different properties",
                self.source_name,
                f"At most {limits.MAX_COLUMNS} are read. Keep the id and the name of each tile.",
            )

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of all properties in order of first appearance."""
        return tuple(dict.fromkeys(name for row in self.properties for name in row))


def without_points(found: Features) -> Features:
    """The features without those that are points, which is noted."""
    kept = [number for number in range(len(found.polygons)) if number not in found.points]
    return replace(
        found,
        properties=tuple(found.properties[number] for number in kept),
        polygons=tuple(found.polygons[number] for number in kept),
        notes=(*found.notes, f"points beside areas were left out: {len(found.points):,}"),
        bad=frozenset(place for place, number in enumerate(kept) if number in found.bad),
        points={},
    )


def check_count(features: int, source_name: str) -> None:
    """Refuse too many features before anything is built from them."""
    if features > limits.MAX_TILES:
        raise TessellationError(
            f"there are {features:,} tiles",
            source_name,
            f"At most {limits.MAX_TILES:,} are allowed, because the number of pairs of tiles grows with the square.",
        )


def collected(
    raw: Iterable[Raw],
    properties_of: Callable[[Raw, str], Mapping[str, object]],
    parts_of: Callable[[Raw, str], Sequence[Rings]],
    projection: Projection,
    source_name: str,
    *,
    point_of: Callable[[Raw], Ring | None] = lambda _: None,
) -> Features:
    """The features of a file, whatever its format, with the faults of single features.

    ``properties_of`` and ``parts_of`` read one feature. They get words for its place and raise TessellationError. The parts
    are in the system of the file. ``point_of`` gives the corner of a feature that is a point and has no parts. Raises
    TessellationError for no feature or too many.
    """
    shapes = ShapeBuilder(source_name)
    properties: list[Mapping[str, object]] = []
    faults: list[TessellationError] = []
    bad, points = set(), {}
    for number, one in enumerate(raw, 1):
        check_count(number, source_name)
        where = f"{source_name}, feature {number:,}"
        try:
            point = point_of(one)
            if point is None:
                parts = parts_of(one, where)
                shapes.add([[projection.to_wgs84(ring, where) for ring in rings] for rings in parts])
            else:
                points[number - 1] = _on_the_globe(projection.to_wgs84(point, where), where)
                shapes.add_none()
        except TessellationError as error:
            faults.append(error)
            bad.add(number - 1)
            shapes.add_none()
        try:
            properties.append(properties_of(one, where))
        except TessellationError as error:
            faults.append(error)
            properties.append({})
    notes = (projection.note,) if projection.note else ()
    return Features(
        source_name, tuple(properties), shapes.shapes(), notes, tuple(faults), frozenset(bad), points
    )


def _on_the_globe(point: Ring, where: str) -> Ring:
    lng, lat = np.abs(point[0])
    if not (lng <= 180 and lat <= 90):
        raise TessellationError(
            "a place is not on the globe",
            where,
            "Give degrees in WGS84, longitude first, or name the system with --tiles-crs (in a notebook: tiles_crs; on the Data page: Coordinate system of the file).",
            options=("--tiles-crs",),
        )
    return point


class ShapeBuilder:
    """Collects the checked rings of all features and builds their shapes in one step."""

    def __init__(self, source_name: str) -> None:
        self._source_name = source_name
        self._rings: list[Ring] = []
        self._ring_ends = [0]
        self._part_ends = [0]
        self._feature_ends = [0]

    def add(self, parts: Sequence[Rings]) -> None:
        """Add the next feature. Raises TessellationError for rings that cannot border a tile on the globe."""
        feature = len(self._feature_ends)
        if not parts or not all(parts):
            self._refuse(feature, "a polygon has no ring", "Remove the feature, or draw its outline.")
        corners = sum(len(ring) for part in parts for ring in part)
        if corners > limits.MAX_TILE_CORNERS or corners + self._ring_ends[-1] > limits.MAX_CORNERS:
            self._refuse(
                feature,
                f"too many corners ({corners:,} here, {corners + self._ring_ends[-1]:,} up to here)",
                f"A tile may have {limits.MAX_TILE_CORNERS:,}, all together {limits.MAX_CORNERS:,}. "
                "Simplify the borders.",
            )
        for part in parts:
            for ring in part:
                self._check(ring, feature)
        for part in parts:
            for ring in part:
                # Nearer to 0 than the width of an atom; equal for both neighbours. Products of such numbers underflow.
                self._rings.append(np.where(np.abs(ring) < _NOTHING, 0.0, ring))
                self._ring_ends.append(self._ring_ends[-1] + len(ring))
            self._part_ends.append(len(self._rings))
        self._feature_ends.append(len(self._part_ends) - 1)

    def add_none(self) -> None:
        """Add a feature without a shape in place of one that was refused."""
        self._feature_ends.append(len(self._part_ends) - 1)

    def shapes(self) -> tuple[BaseGeometry, ...]:
        """One Polygon or MultiPolygon for each feature added."""
        if not self._rings:
            return (shapely.MultiPolygon(),) * (len(self._feature_ends) - 1)
        several = shapely.from_ragged_array(
            shapely.GeometryType.MULTIPOLYGON,
            np.concatenate(self._rings),
            (np.array(self._ring_ends), np.array(self._part_ends), np.array(self._feature_ends)),
        )
        single = shapely.get_num_geometries(several) == 1
        return tuple(np.where(single, shapely.get_geometry(several, 0), several))

    def _check(self, ring: Ring, feature: int) -> None:
        """Refuse a ring that is open, too short, not on the globe, or holds something other than numbers."""
        if not np.isfinite(ring).all():
            self._refuse(
                feature, "a coordinate is not a finite number", "Correct it, or export the file again."
            )
        if len(ring) < 4 or (ring[0] != ring[-1]).any():
            self._refuse(
                feature, "a ring is not closed", "A ring has four or more positions and ends where it began."
            )
        lng, lat = np.abs(ring).max(axis=0)
        if lng > 180 or lat > 90:
            swapped = lng <= 90 and lat <= 180
            self._refuse(
                feature,
                "coordinates are outside the globe",
                "Latitude and longitude look swapped: longitude comes first."
                if swapped
                else "They look projected. Degrees in WGS84 are expected, longitude first. Reproject them to EPSG:4326, or "
                "name their system with --tiles-crs (in a notebook: tiles_crs; on the Data page: Coordinate system of the file).",
                options=() if swapped else ("--tiles-crs",),
            )

    def _refuse(self, feature: int, what: str, mend: str, options: Sequence[str] = ()) -> None:
        raise TessellationError(what, f"{self._source_name}, feature {feature:,}", mend, options=options)
