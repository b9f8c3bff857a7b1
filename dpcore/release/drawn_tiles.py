"""The tiles of a release as GeoJSON: alone, and with their visits so that a map needs no join.

RFC 7946: WGS84, longitude first, outer rings anticlockwise. One feature a line, the same bytes for the same tiles.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.geometry.base import BaseGeometry

from dpcore.measures.measurement import Measurement
from dpcore.tessellation import Tessellation


def as_drawn(tiles: Tessellation) -> Tessellation:
    """The same tiles as a file gives them back: flat, outer rings anticlockwise, no negative zeros."""
    shapes = shapely.orient_polygons(shapely.force_2d(np.array(tiles.polygons)))
    shapes = shapely.transform(shapes, _without_specks)
    single = shapely.get_num_geometries(shapes) == 1
    shapes = np.where(single, shapely.get_geometry(shapes, 0), shapes)
    return Tessellation(tiles.tile_ids, tiles.tile_names, tuple(shapes))


def tiles_geojson(tiles: Tessellation) -> bytes:
    """The tiles with their ids and names."""
    return _collection(tiles, [{} for _ in tiles.tile_ids])


def map_geojson(tiles: Tessellation, visits: Measurement) -> bytes:
    """The tiles with the finest value of each and its half width; what lies outside has no shape and is left out.

    A tile that the table does not list has the value null.
    """
    width = visits.half_widths[-1]
    counts = dict(zip(visits.cell_numbers.tolist(), visits.values[-1].tolist(), strict=True))
    return _collection(
        tiles, [{"value": counts.get(cell), "half_width_95": width} for cell in range(len(tiles.tile_ids))]
    )


def _collection(tiles: Tessellation, properties: Sequence[Mapping[str, int | None]]) -> bytes:
    lines = [
        json.dumps(
            {
                "type": "Feature",
                "properties": {"tile_id": tile_id, "tile_name": name, **more},
                "geometry": _geometry(shape),
            },
            ensure_ascii=False,
            allow_nan=False,
            separators=(",", ":"),
        )
        for tile_id, name, more, shape in zip(
            tiles.tile_ids, tiles.tile_names, properties, tiles.polygons, strict=True
        )
    ]
    text = '{"type":"FeatureCollection","features":[\n' + ",\n".join(lines) + "\n]}\n"
    return text.encode("utf-8")


def _geometry(shape: BaseGeometry) -> dict[str, object]:
    parts = [
        [ring.coords[:] for ring in (part.exterior, *part.interiors)] for part in shapely.get_parts(shape)
    ]
    if shape.geom_type == "Polygon":
        return {"type": "Polygon", "coordinates": parts[0]}
    return {"type": "MultiPolygon", "coordinates": parts}


def _without_specks(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """As the reader of tessellations does: what is nearer to 0 than an atom is wide becomes 0."""
    return np.where(np.abs(corners) < 1e-15, 0.0, corners)
