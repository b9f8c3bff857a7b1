"""The context of a bundle as one GeoJSON file, which may come back from anyone.

Equal contexts give equal bytes. A file is read without trust, and must be written exactly as this module writes it: so it holds
nothing else, its texts are plain, and it is light enough for a map. No text of it is ever run, and it names nothing to load.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import shapely

from dpcore import limits
from dpcore.context.context import AREAS, LINES, PLACE_RANKS, RANKS, Context, Layer
from dpcore.context.fitting import MAX_COST, MAX_HOLES, MAX_PLACES, Bounds, cost, window
from dpcore.errors import AtlasError, ContextError
from dpcore.exact_json import JsonError, Rules, parsed
from dpcore.tiles.called import Place

_RULES: Final = Rules(decimals=True, bytes=limits.MAX_KEPT_CONTEXT_BYTES)
_PLACE: Final = "place"
_MEND: Final = "Give the map another context, or none."
_ROUNDING: Final = 1e-5  # degrees


def context_bytes(context: Context) -> bytes:
    """The context as GeoJSON (RFC 7946), one feature on each line; properties ``kind``, ``rank`` and of places ``name``."""
    head = {"type": "FeatureCollection", "attribution": context.attribution, "left_out": [*context.notes]}
    lines = ",\n".join(map(_json, _features(context)))
    return f'{_json(head)[:-1]},"features":[\n{lines}\n]}}\n'.encode()


def context_of_bytes(data: bytes, name: str, bounds: Bounds) -> Context:
    """The context in such a file, for tiles with these bounds.

    Raises ContextError if it is too large, of another place, or not as ``context_bytes`` writes it.
    """
    try:
        found = _context(parsed(data, _RULES))
        whole = context_bytes(found) == data
    except JsonError as error:
        raise ContextError(error.what, error.place(name), _MEND) from None
    except AtlasError as error:
        raise ContextError(error.what, error.where, _MEND) from None
    except (KeyError, TypeError, ValueError, OverflowError, UnicodeError, shapely.errors.ShapelyError):
        whole = False
    if not whole:
        raise ContextError("the context is not written as this program writes it", name, _MEND)
    if not _lies_within(found, window(bounds)):
        raise ContextError("the context is of another place than the tiles", name, _MEND)
    if cost(found.layers) > MAX_COST or len(found.places) > MAX_PLACES or not _is_drawable(found):
        raise ContextError("the context is too detailed for a map", name, _MEND)
    return found


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _features(context: Context) -> Iterator[dict[str, object]]:
    for kind, layer in context.layers.items():
        for shape, rank in zip(layer.shapes, layer.ranks.tolist(), strict=True):
            rings = [ring.coords[:] for ring in (shape.exterior, *shape.interiors)] if kind in AREAS else []
            about = {"type": "Polygon", "coordinates": rings}
            if kind in LINES:
                about = {"type": "LineString", "coordinates": shape.coords[:]}
            yield {"type": "Feature", "properties": {"kind": kind, "rank": rank}, "geometry": about}
    for place in context.places:
        at = {"type": "Point", "coordinates": [place.lng, place.lat]}
        said = {"kind": _PLACE, "rank": place.rank, "name": place.name}
        yield {"type": "Feature", "properties": said, "geometry": at}


def _context(document: Any) -> Context:  # noqa: ANN401 - JSON of a stranger; what does not fit raises
    shapes: dict[str, list[Any]] = {kind: [] for kind in (*AREAS, *LINES)}
    ranks: dict[str, list[int]] = {kind: [] for kind in shapes}
    places = []
    for feature in document["features"]:
        said, at = feature["properties"], feature["geometry"]["coordinates"]
        kind = said["kind"]
        rank = range(PLACE_RANKS if kind == _PLACE else RANKS).index(
            said["rank"]
        )  # ValueError for what is none
        if kind == _PLACE:
            places.append(Place(str(said["name"]), float(at[0]), float(at[1]), rank))
            continue
        rings = at if kind in AREAS else [at]
        corners = [np.array(ring, np.float64).reshape(-1, 2) for ring in rings]
        shape = shapely.Polygon(corners[0], corners[1:]) if kind in AREAS else shapely.LineString(corners[0])
        shapes[kind].append(shape)
        ranks[kind].append(rank)
    layers = {kind: Layer.of(shapes[kind], ranks[kind]) for kind in (*AREAS, *LINES)}
    return Context.of(layers, places, str(document["attribution"]), [*map(str, document["left_out"])])


def _lies_within(context: Context, box: Bounds) -> bool:
    corners = [shapely.get_coordinates(layer.shapes) for layer in context.layers.values()]
    corners.append(np.array([[one.lng, one.lat] for one in context.places]).reshape(-1, 2))
    there = np.concatenate(corners)
    low, high = np.array(box[:2]) - _ROUNDING, np.array(box[2:]) + _ROUNDING
    return bool(((there >= low) & (there <= high)).all())


def _is_drawable(context: Context) -> bool:
    """Whether areas are plain enough to be cut into triangles in little time."""
    areas = np.concatenate([context.layers[kind].shapes for kind in AREAS])
    return bool(shapely.is_valid(areas).all() and (shapely.get_num_interior_rings(areas) <= MAX_HOLES).all())
