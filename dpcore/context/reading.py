"""Reads water, parks, streets, railways and names from a file that anyone may have made.

GeoJSON is read here as plain JSON. GeoPackages and extracts of OpenStreetMap are read by the child process that reads tiles of
other formats (``dpcore.tiles.in_child``): it can open no file and no socket, and its memory and time are limited.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import shapely

from dpcore import limits
from dpcore.context.context import AREAS, LINES, Context, Layer, one_line
from dpcore.context.fitting import Bounds, fitted, window
from dpcore.context.tags import KEPT, PLACE, drawn_as
from dpcore.errors import AtlasError, ContextError, TessellationError
from dpcore.tiles import geojson, in_child, wkb
from dpcore.tiles.called import Place
from dpcore.tiles.features import Ring
from dpcore.tiles.projection import WGS84, Projection, system_of

ENDINGS: Final = (".geojson", ".json", ".gpkg", ".osm.pbf", ".pbf")
OF_OSM: Final = "© OpenStreetMap contributors (ODbL)"
"""What extracts of OpenStreetMap must say."""
NO_ATTRIBUTION: Final = "it is not said whose work this is"
_ACCEPTED: Final = (
    "Give GeoJSON (.geojson, .json), a GeoPackage (.gpkg) or an OpenStreetMap extract (.osm.pbf)."
)
_TAGGED: Final = "Keep the tags of OpenStreetMap, such as highway=primary, natural=water, leisure=park, railway=rail or place=suburb."
_AGAIN: Final = "Export the file again."
_CUT: Final = "Cut it to the city, or leave out what no map draws, such as buildings."
_SQLITE: Final = b"SQLite format 3\x00"
_MAX_FILE_NAME: Final = 80
_NAMED_AREA: Final = 4  # rank of the name of a park or of water

Parts = list[list[Ring]]
Feature = tuple[Mapping[str, object], str, Parts]
"""Tags; point, line or area; and its parts."""


def read_context(source: Path | bytes, name: str, bounds: Bounds, attribution: str = "") -> Context:
    """The context in a file, made to fit around tiles with these bounds (degrees).

    ``name``: of the file; its ending and its first bytes decide the format. ``attribution``: whose work it is, where the file does
    not say it. Raises ContextError for a file that is too large or damaged, of another place, without a feature that is
    drawn, or without attribution.
    """
    shown = _file_name(name)
    data = _file_bytes(source, shown)
    box = window(bounds)
    try:
        features, said = _features(data, shown, box)
        found = _collected(features, box, shown)
    except ContextError:
        raise
    except AtlasError as error:
        raise ContextError(error.what, error.where, _AGAIN) from None
    if not found.drawn:
        raise ContextError("no feature has a tag that is drawn", shown, _TAGGED)
    if found.is_empty:
        raise ContextError("nothing of it lies near the tiles", shown, "Give a file of the same city.")
    who = attribution.strip() or said
    if not who:
        raise ContextError(NO_ATTRIBUTION, shown, f"Name its makers, for example: {OF_OSM}.")
    return fitted(found.context(who), bounds)


def _file_name(name: str) -> str:
    """The name without folders. Of a long one the end stays, because it says the format."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    return one_line(last[-_MAX_FILE_NAME:], _MAX_FILE_NAME) or "context"


def _file_bytes(source: Path | bytes, shown: str) -> bytes:
    most = limits.MAX_CONTEXT_BYTES
    try:
        if isinstance(source, Path):
            with source.open("rb") as file:
                data = file.read(most + 1)
        else:
            data = source
    except OSError:
        raise ContextError("the file cannot be read", shown, "Check where it is.") from None
    if len(data) > most:
        mend = f"At most {most // 2**20} MB are read. Cut it to the city."
        raise ContextError("the file is too large", shown, mend)
    return data


def _features(data: bytes, shown: str, box: Bounds) -> tuple[Iterator[Feature], str]:
    """The features of a file of any format, and the attribution that it or its format names."""
    ending = next((one for one in sorted(ENDINGS, key=len, reverse=True) if shown.lower().endswith(one)), "")
    if not ending:
        raise ContextError("the name of the file does not say what it holds", shown, _ACCEPTED)
    if ending.endswith("pbf"):
        if b"OSMHeader" not in data[:64]:
            raise ContextError("the content is no OpenStreetMap extract", shown, _ACCEPTED)
        return _of_child(data, shown, in_child.OPEN_STREET_MAP, box), OF_OSM
    if ending == ".gpkg":
        if not data.startswith(_SQLITE):
            raise ContextError("the content is no GeoPackage", shown, _ACCEPTED)
        return _of_child(data, shown, in_child.GEOPACKAGE, box), ""
    if data.count(b"[") + data.count(b"{") > limits.MAX_CONTEXT_BRACKETS:
        raise ContextError("the file holds too many shapes", shown, _CUT)
    document = geojson.parse(data, shown)
    if not isinstance(document, dict) or not isinstance(document.get("features"), list):
        raise ContextError("this is not a FeatureCollection", shown, _ACCEPTED)
    said = document.get("attribution")
    return _of_json(document, shown), said if isinstance(said, str) else ""


def _of_child(data: bytes, shown: str, driver: in_child.Driver, box: Bounds) -> Iterator[Feature]:
    told = in_child.read_tagged(data, shown, driver, KEPT, box)
    projection = Projection.of(told.system or WGS84, shown)
    rows = zip(*told.values, strict=True) if told.columns else iter([()] * len(told.shapes))
    for row, shape in zip(rows, told.shapes, strict=True):
        try:
            kind, parts = wkb.parts(shape)
        except ValueError:
            kind, parts = "", []
        yield dict(zip(told.columns, row, strict=True)), kind, _projected(parts, projection, shown)


def _projected(parts: Parts, projection: Projection, shown: str) -> Parts:
    if projection.transformer is None:
        return parts
    return [[projection.to_wgs84(ring, shown) for ring in rings] for rings in parts]


_JSON_KINDS: Final = {"Point": "point", "LineString": "line", "Polygon": "area"}


def _of_json(document: Mapping[str, Any], shown: str) -> Iterator[Feature]:
    if "crs" in document:
        crs = document["crs"]
        named = crs.get("properties", {}).get("name") if isinstance(crs, dict) else None
        if system_of(named) != WGS84:
            mend = "Reproject it to EPSG:4326 (WGS84)."
            raise ContextError("its coordinates are not longitude and latitude", shown, mend)
    for feature in document["features"]:
        tags = feature.get("properties") if isinstance(feature, dict) else None
        geometry = feature.get("geometry") if isinstance(feature, dict) else None
        if not isinstance(tags, dict) or not isinstance(geometry, dict):
            yield {}, "", []
            continue
        name = str(geometry.get("type"))
        single = name.removeprefix("Multi")
        kind = _JSON_KINDS.get(single, "")
        if kind and drawn_as(tags, _AREA[kind]) is None and drawn_as(tags, True) is None:
            yield tags, kind, []  # its corners are not looked at: most features of a city are buildings
            continue
        yield tags, kind, _json_parts(geometry.get("coordinates"), single, shown, several=name != single)


_AREA: Final[Mapping[str, bool | None]] = {"area": True, "line": False, "point": None}


def _json_parts(coordinates: object, single: str, shown: str, *, several: bool) -> Parts:
    """The parts of coordinates; none where they are not lists of positions."""
    parts = coordinates if several else [coordinates]
    try:
        if not isinstance(parts, list):
            return []
        if single == "Point":
            return [[geojson.positions([part], shown)] for part in parts]
        if single == "LineString":
            return [[geojson.positions(part, shown)] for part in parts]
        return [[geojson.positions(ring, shown) for ring in rings] for rings in parts]
    except (TessellationError, TypeError):
        return []


@dataclass
class _Found:
    """What was drawn of a file so far."""

    box: Bounds
    shapes: dict[str, list[Any]] = field(default_factory=lambda: {kind: [] for kind in (*AREAS, *LINES)})
    ranks: dict[str, list[int]] = field(default_factory=lambda: {kind: [] for kind in (*AREAS, *LINES)})
    places: list[Place] = field(default_factory=list)
    named: dict[tuple[str, str], tuple[float, Any]] = field(default_factory=dict)
    """The largest area or line of each name, with its size."""
    drawn: int = 0
    """Features with a tag that is drawn, wherever they are."""
    bad: int = 0
    """Of these, those without a usable shape."""

    @property
    def is_empty(self) -> bool:
        return not self.places and not any(self.shapes.values())

    def add(self, tags: Mapping[str, object], kind: str, parts: Parts) -> None:
        """Take a feature, if it is drawn and lies near the tiles."""
        area: bool | None = _AREA[kind]
        closed = kind == "line" and len(parts) == 1 and _is_closed(parts[0][0])
        as_ = drawn_as(tags, area) or (drawn_as(tags, True) if closed else None)
        if as_ is None:
            return
        self.drawn += 1
        if not parts or not all(map(_is_usable, parts)):
            self.bad += 1
            return
        name = tags.get("name")
        for rings in parts:
            if self._is_near(rings[0]):
                try:
                    self._add(as_, rings, name if isinstance(name, str) else "")
                except (ValueError, shapely.errors.GEOSException):  # too few corners
                    self.bad += 1

    def _is_near(self, ring: Ring) -> bool:
        low, high = ring.min(axis=0), ring.max(axis=0)
        west, south, east, north = self.box
        return bool(low[0] <= east and high[0] >= west and low[1] <= north and high[1] >= south)

    def _add(self, as_: tuple[str, int], rings: list[Ring], name: str) -> None:
        kind, rank = as_
        if kind == PLACE:
            self.places.append(Place(name, float(rings[0][0, 0]), float(rings[0][0, 1]), rank))
            return
        shape = shapely.Polygon(rings[0], rings[1:]) if kind in AREAS else shapely.LineString(rings[0])
        self.shapes[kind].append(shape)
        self.ranks[kind].append(rank)
        if name and kind in {*AREAS, "waterway"}:
            size = float(shapely.area(shape)) if kind in AREAS else float(shapely.length(shape))
            if size > self.named.get((kind, name), (0.0, None))[0]:
                self.named[kind, name] = (size, shape)

    def context(self, attribution: str) -> Context:
        """All of it, not made to fit yet."""
        layers = {kind: Layer.of(self.shapes[kind], self.ranks[kind]) for kind in self.shapes}
        largest = sorted(self.named.items(), key=lambda one: -one[1][0])
        spots = [(name, _spot(shape, kind)) for (kind, name), (_, shape) in largest]
        named = [Place(name, lng, lat, _NAMED_AREA) for name, (lng, lat) in spots]
        notes = [f"Left out: {self.bad:,} features without a usable shape."] if self.bad else []
        return Context.of(layers, [*self.places, *named], attribution, notes)


def _collected(features: Iterable[Feature], box: Bounds, shown: str) -> _Found:
    found = _Found(box)
    for tags, kind, parts in features:
        if kind:
            found.add(tags, kind, parts)
        if found.drawn > limits.MAX_CONTEXT_FEATURES:
            raise ContextError("there are too many features", shown, _CUT)
    return found


def _is_closed(ring: Ring) -> bool:
    return len(ring) > 3 and bool((ring[0] == ring[-1]).all())


def _is_usable(rings: Sequence[Ring]) -> bool:
    """Whether all corners are on the globe."""
    return bool(rings) and all(
        len(ring) > 0 and np.isfinite(ring).all() and (np.abs(ring) <= (180, 90)).all() for ring in rings
    )


def _spot(shape: Any, kind: str) -> tuple[float, float]:  # noqa: ANN401 - a shape
    """Where the name of a shape stands."""
    point = (
        shapely.point_on_surface(shape)
        if kind in AREAS
        else shapely.line_interpolate_point(shape, 0.5, normalized=True)
    )
    return float(point.x), float(point.y)
