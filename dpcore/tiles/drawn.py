"""Tiles as GeoJSON, exactly as a file gives them back.

RFC 7946: WGS84, longitude first, outer rings anticlockwise. One feature on each line. Equal tiles give equal bytes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry.base import BaseGeometry

from dpcore.tiles.tessellation import Tessellation

_JSON: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def as_drawn(tiles: Tessellation) -> Tessellation:
    """The same tiles as a file gives them back: flat, outer rings anticlockwise, no negative zeros."""
    shapes = shapely.orient_polygons(shapely.force_2d(np.array(tiles.polygons)))
    shapes = shapely.transform(shapes, _without_tiny_numbers)
    single = shapely.get_num_geometries(shapes) == 1
    shapes = np.where(single, shapely.get_geometry(shapes, 0), shapes)
    return Tessellation(tiles.tile_ids, tiles.tile_names, tuple(shapes), districts=tiles.districts)


def tiles_geojson(
    tiles: Tessellation, properties: Sequence[Mapping[str, float | None]] | None = None
) -> bytes:
    """The tiles with their ids, names and districts; ``properties`` holds further properties of each tile."""
    more = properties or [{} for _ in tiles.tile_ids]
    lying: list[dict[str, str]] = [{"district": text} for text in tiles.districts] or [
        {} for _ in tiles.tile_ids
    ]
    shapes = _shapes_of(tuple(shapely.to_wkb(np.array(tiles.polygons)).tolist()))
    lines = [
        f'{{"type":"Feature","properties":{_JSON.encode({"tile_id": tile_id, "tile_name": name, **district, **told})},"geometry":{shape}}}'
        for tile_id, name, district, told, shape in zip(
            tiles.tile_ids, tiles.tile_names, lying, more, shapes, strict=True
        )
    ]
    text = '{"type":"FeatureCollection","features":[\n' + ",\n".join(lines) + "\n]}\n"
    return text.encode("utf-8")


@lru_cache(1)
def _shapes_of(shapes: tuple[bytes, ...]) -> tuple[str, ...]:
    """The geometries of shapes in well-known binary. The last ones stay in memory: a bundle holds its tiles twice, and both are read back."""
    return tuple(_JSON.encode(_geometry(shape)) for shape in shapely.from_wkb(np.array(shapes, object)))


def _geometry(shape: BaseGeometry) -> dict[str, object]:
    if shape.geom_type == "Polygon":
        return {"type": "Polygon", "coordinates": _rings(shape)}
    return {"type": "MultiPolygon", "coordinates": [_rings(part) for part in shapely.get_parts(shape)]}


def _rings(part: BaseGeometry) -> list[list[list[float]]]:
    return [
        shapely.get_coordinates(ring, include_z=ring.has_z).tolist()
        for ring in (part.exterior, *part.interiors)
    ]


def _without_tiny_numbers(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """Set coordinates nearer to 0 than the width of an atom to 0, as the reader of tessellations does."""
    return np.where(np.abs(corners) < 1e-15, 0.0, corners)
