"""Files of water, parks, streets, railways and names, of every format, and what is wrong with some."""

from __future__ import annotations

import json

import numpy as np
import pyogrio
import pytest
import shapely

from dpcore import limits
from dpcore.context.file import context_bytes
from dpcore.context.reading import OF_OSM, read_context
from dpcore.errors import ContextError
from tests.context.made_pbf import pbf

BOUNDS = (10.0, 50.0, 10.02, 50.01)
NODES = [
    (10.0 + i * 0.001, 50.0 + (i % 3) * 0.002, {"place": "suburb", "name": "North\u202e"} if i == 5 else {})
    for i in range(20)
]
WAYS = [
    ([1, 2, 3, 4], {"highway": "primary", "name": "Main Street"}),
    ([5, 6, 7, 5], {"natural": "water", "name": "Lake"}),
    ([8, 9, 10], {"railway": "rail"}),
    ([11, 12, 13, 11], {"leisure": "park"}),
    ([14, 15], {"building": "yes"}),
    ([16, 17], {"highway": "residential"}),
]
EXTRACT = pbf(NODES, WAYS)


def feature(kind: str, coordinates: object, **tags: object) -> dict:
    return {"type": "Feature", "properties": tags, "geometry": {"type": kind, "coordinates": coordinates}}


def collection(*features: object, **members: object) -> bytes:
    return json.dumps({"type": "FeatureCollection", **members, "features": features}).encode()


LINE = [[10.0, 50.0], [10.01, 50.005]]
STREET = feature("LineString", LINE, highway="primary")


def refused(data: bytes, name: str = "city.geojson", who: str = "me") -> str:
    with pytest.raises(ContextError) as found:
        read_context(data, name, BOUNDS, who)
    assert found.value.__cause__ is None
    return str(found.value)


def counts(context) -> dict[str, int]:
    return {kind: len(layer) for kind, layer in context.layers.items() if len(layer)}


def test_an_extract_of_openstreetmap_is_read_and_says_whose_it_is():
    found = read_context(EXTRACT, "city.osm.pbf", BOUNDS)
    assert counts(found) == {"water": 1, "park": 1, "street": 1, "rail": 1}
    assert [one.name for one in found.places] == ["North", "Lake"]
    assert found.attribution == OF_OSM
    assert shapely.get_coordinates(found.layers["rail"].shapes[0])[0] == pytest.approx([10.007, 50.002])


def test_a_geopackage_with_several_layers_is_read(tmp_path):
    place = tmp_path / "city.gpkg"

    def add(layer: str, shape: shapely.Geometry, **tags: str) -> None:
        kind = {"geometry_type": shape.geom_type, "crs": "EPSG:4326", "driver": "GPKG", "layer": layer}
        values = [np.array([value], dtype=object) for value in tags.values()]
        pyogrio.raw.write(place, np.array([shapely.to_wkb(shape)], dtype=object), values, [*tags], **kind)

    add("gis_osm_roads", shapely.LineString(LINE), fclass="primary", name="Main Street")
    add("gis_osm_water", shapely.box(10.002, 50.002, 10.006, 50.006), fclass="water", name="Lake")
    add("gis_osm_buildings", shapely.box(10.002, 50.002, 10.006, 50.006), fclass="building")
    found = read_context(place.read_bytes(), "city.gpkg", BOUNDS, "Somebody")
    assert counts(found) == {"water": 1, "street": 1}
    assert [one.name for one in found.places] == ["Lake"]


def test_geojson_with_tags_is_read_and_what_was_read_is_read_again():
    data = collection(
        STREET,
        feature("MultiLineString", [LINE, [[10.01, 50.005], [10.02, 50.0]]], railway="tram"),
        feature(
            "Polygon", [[[10, 50], [10.01, 50], [10.01, 50.01], [10, 50]]], landuse="forest", name="Wood"
        ),
        feature("Point", [10.01, 50.005], railway="station", name="Central"),
        feature("Polygon", [[[10, 50], [10.01, 50]]], leisure="park"),
        feature("LineString", [[10, 50]], highway="primary"),
        feature("Polygon", "nonsense", natural="water"),
        feature("Polygon", [], building="yes"),
        feature("Point", [10.5, 50.005], place="city", name="Far away"),
        {"type": "Feature", "properties": None, "geometry": None},
        attribution="The city",
    )
    found = read_context(data, "city.geojson", BOUNDS)
    assert counts(found) == {"park": 1, "street": 1, "rail": 1}
    assert [one.name for one in found.places] == ["Central", "Wood"]
    assert found.attribution == "The city"
    assert found.notes == ("Left out: 3 features without a usable shape.",)
    again = read_context(context_bytes(found), f"{'long ' * 20}name.geojson", BOUNDS)
    assert counts(again) == counts(found)


def test_hostile_names_are_plain_text_and_nothing_is_loaded():
    name = "<script>fetch('https://example.org')</script>\x00\u202e"
    found = read_context(
        collection(feature("Point", LINE[0], place="city", name=name)), "a.json", BOUNDS, "x"
    )
    assert found.places[0].name == "<script>fetch('https://example.org')</script>"


@pytest.mark.parametrize(
    ("data", "name", "words"),
    [
        (b"", "city.geojson", "this is not JSON"),
        (b"{", "city.txt", "does not say what it holds"),
        (b"[" * 100_000, "city.geojson", "nested deeper"),
        (b'{"type": "Topology"}', "city.geojson", "not a FeatureCollection"),
        (b"PK\x03\x04", "city.osm.pbf", "no OpenStreetMap extract"),
        (b"PK\x03\x04", "city.gpkg", "no GeoPackage"),
        (EXTRACT[:200], "city.osm.pbf", "no feature has a tag that is drawn"),
        (EXTRACT[:60] + b"\xff" * 300, "city.osm.pbf", "city.osm.pbf"),
        (b"SQLite format 3\x00" + bytes(2000), "city.gpkg", "damaged"),
        (collection(feature("Point", LINE[0], colour="red")), "city.geojson", "no feature has a tag"),
        (collection(feature("Point", [30, 10], place="city", name="A")), "city.geojson", "near the tiles"),
        (collection(STREET, crs={"properties": {"name": "EPSG:25832"}}), "city.geojson", "not longitude"),
    ],
    ids=lambda part: part[:24] if isinstance(part, str) else "",
)
def test_what_is_wrong_with_a_file_is_said(data, name, words):
    assert words in refused(data, name)


def test_without_attribution_and_above_the_limit_it_is_refused(monkeypatch):
    assert "whose work" in refused(collection(STREET), who=" ")
    monkeypatch.setattr(limits, "MAX_CONTEXT_BYTES", 50)
    assert "the file is too large" in refused(collection(STREET))
    monkeypatch.undo()
    monkeypatch.setattr(limits, "MAX_CONTEXT_BRACKETS", 5)
    assert "too many shapes" in refused(collection(STREET, STREET))
    monkeypatch.undo()
    monkeypatch.setattr(limits, "MAX_CONTEXT_FEATURES", 1)
    assert "too many features" in refused(collection(STREET, STREET))


def test_names_of_any_script_and_length_stay_short_plain_texts():
    names = ["x" * 100_000, "\u202eevil\u202c", "مدينة", "\u200b\u200b", "a\nb", "@@=alert(1)"]
    found = read_context(
        collection(*(feature("Point", LINE[0], place="city", name=name) for name in names)),
        "a.json",
        BOUNDS,
        "x",
    )
    assert [one.name for one in found.places] == ["x" * 60, "evil", "مدينة", "a b", "@@=alert(1)"]
