import json

import pytest
import shapely
from made_tiles import collection, feature, ring, row_of_tiles

from dpcore import limits
from dpcore.errors import TessellationError
from dpcore.tiles import geojson, read_tessellation


def read(data, **options):
    return read_tessellation(data, "tiles.geojson", **options)


def refused(data, **options):
    with pytest.raises(TessellationError) as found:
        read(data, **options)
    return str(found.value)


def test_tiles_are_sorted_by_id_whatever_the_order_of_the_file():
    features = row_of_tiles(["b", "10", "9", "a"])
    tiles = read(collection(features))
    assert tiles.tile_ids == ("10", "9", "a", "b")
    assert tiles.tile_names == tiles.tile_ids
    assert tiles.notes == ()
    assert tiles.digest == read(collection(features[::-1])).digest
    assert tiles.index.assign([13.005, 13.015, 13.5], [52.005, 52.005, 52.0]).tolist() == [3, 0, -1]


def test_a_byte_order_mark_and_white_space_are_accepted():
    assert read(b"\xef\xbb\xbf \r\n" + collection(row_of_tiles(["a"]))).tile_ids == ("a",)


def test_numbers_next_to_zero_are_zero():
    corners = [[0, 0], [1, 1e-300], [1, 1], [-1e-308, 1], [0, 0]]
    tiles = read(collection([feature({"tile_id": "a"}, [corners])]))
    assert tiles.polygons[0].equals(shapely.box(0, 0, 1, 1))


def test_heights_are_dropped():
    corners = [[*position, 30.5] for position in ring(0, 0)]
    tiles = read(collection([feature({"tile_id": "a"}, [corners])]))
    assert not tiles.polygons[0].has_z


def test_a_tile_in_two_parts_with_a_hole_is_one_tile():
    hole = ring(0, 0, 13.002, 52.002, 0.005)
    parts = [[ring(0, 0), hole], [ring(5, 5)]]
    tiles = read(collection([feature({"tile_id": "a"}, parts, "MultiPolygon")]))
    assert tiles.polygons[0].geom_type == "MultiPolygon"
    assert tiles.index.assign([13.001, 13.004, 13.055, 13.03], [52.001, 52.004, 52.055, 52.03]).tolist() == [
        0,
        -1,
        0,
        -1,
    ]


@pytest.mark.parametrize(
    ("document", "reason"),
    [
        ([], "not a FeatureCollection"),
        ({}, "not a FeatureCollection"),
        ({"type": "Polygon", "coordinates": []}, "not a FeatureCollection"),
        ({"type": ["FeatureCollection"], "features": []}, "not a FeatureCollection"),
        ({"type": "FeatureCollection"}, "list of features is missing"),
        ({"type": "FeatureCollection", "features": None}, "list of features is missing"),
        ({"type": "FeatureCollection", "features": {}}, "list of features is missing"),
        ({"type": "FeatureCollection", "features": []}, "no features"),
        ({"type": "FeatureCollection", "features": [None]}, "not a feature"),
        ({"type": "FeatureCollection", "features": [{"type": "Polygon"}]}, "not a feature"),
        ({"type": "FeatureCollection", "features": [{"type": "Feature"}]}, "geometry is missing"),
    ],
)
def test_what_is_no_collection_of_features_is_refused(document, reason):
    assert reason in refused(json.dumps(document).encode())


@pytest.mark.parametrize(
    "geometry",
    [
        {"type": "LineString", "coordinates": [[13, 52], [14, 52]]},
        {"type": "Point", "coordinates": ["13", "52"]},
        {"type": "MultiPoint", "coordinates": [[13, 52], [14, 52]]},
        {"type": "GeometryCollection", "geometries": []},
        {"type": "Polygon"},
        {"type": "Polygon", "coordinates": None},
        {"type": "Polygon", "coordinates": []},
        {"type": "Polygon", "coordinates": [[]]},
        {"type": "Polygon", "coordinates": [[13, 52]]},
        {"type": "Polygon", "coordinates": {"0": 1}},
        {"type": "Polygon", "coordinates": [["13", "52"]]},
        {"type": "Polygon", "coordinates": [[["13", "52"]] * 4]},
        {"type": "Polygon", "coordinates": [[[True, False]] * 4]},
        {"type": "Polygon", "coordinates": [[[None, 1]] * 4]},
        {"type": "Polygon", "coordinates": [[[13]] * 4]},
        {"type": "Polygon", "coordinates": [[[13, 52, 0, 0, 0]] * 4]},
        {"type": "Polygon", "coordinates": [[[[13, 52]]] * 4]},
        {"type": "Polygon", "coordinates": [[[10**400, 1]] * 4]},
        {"type": "Polygon", "coordinates": [ring(0, 0)[:-1]]},
        {"type": "Polygon", "coordinates": [[[13, 52], [14, 53], [13, 52]]]},
        {"type": "Polygon", "coordinates": [[[13, 52]] * 4]},
        {"type": "Polygon", "coordinates": [[[13, 52], [14, 53], [15, 54], [13, 52]]]},
        {"type": "MultiPolygon", "coordinates": []},
        {"type": "MultiPolygon", "coordinates": [[]]},
        {"type": "MultiPolygon", "coordinates": [ring(0, 0)]},
        {"type": "MultiPolygon", "coordinates": "all"},
    ],
)
def test_geometry_that_borders_no_tile_is_refused(geometry):
    said = refused(collection([{"type": "Feature", "properties": {"tile_id": "a"}, "geometry": geometry}]))
    assert "tiles.geojson" in said


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e400", "-1e999", "1" * 5_000])
def test_numbers_that_are_none_are_refused(number):
    text = collection(row_of_tiles(["a"])).decode().replace("13.01", number)
    assert "number" in refused(text.encode())


@pytest.mark.parametrize(
    ("corner", "hint"),
    [
        ([1_490_000.0, 6_890_000.0], "look projected"),
        ([390_000.0, 5_800_000.0], "look projected"),
        ([52.0, 130.0], "look swapped"),
        ([180.5, 52.0], "look projected"),
    ],
)
def test_coordinates_outside_the_globe_are_refused_with_a_guess(corner, hint):
    x, y = corner
    corners = [[x, y], [x + 1, y], [x + 1, y + 1], [x, y]]
    assert hint in refused(collection([feature({"tile_id": "a"}, [corners])]))


UTM = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::25833"}}
MERCATOR = {"type": "name", "properties": {"name": "EPSG:3857"}}
NO_SYSTEMS = [
    {"type": "name", "properties": {"name": 4326}},
    {"type": "link", "properties": {"href": "http://example.org"}},
    {"type": "name"},
    None,
    "EPSG:4326",
]


@pytest.mark.parametrize("crs", [UTM, MERCATOR, *NO_SYSTEMS])
def test_another_coordinate_system_inside_a_feature_is_refused(crs):
    plain = row_of_tiles(["a"])
    inside_feature = [{**plain[0], "crs": crs}]
    inside_geometry = [{**plain[0], "geometry": {**plain[0]["geometry"], "crs": crs}}]
    for data in (collection(inside_feature), collection(inside_geometry)):
        assert "another coordinate system" in refused(data)


@pytest.mark.parametrize("crs", NO_SYSTEMS)
def test_a_member_that_names_no_system_is_refused_unless_the_owner_names_it(crs):
    data = collection(row_of_tiles(["a"]), crs=crs)
    said = refused(data)
    assert "the coordinate system is undefined or unknown" in said
    assert "--tiles-crs" in said
    assert read(data, tiles_crs="EPSG:4326").tile_ids == ("a",)


@pytest.mark.parametrize("options", [{"crs": UTM}, {}])
def test_the_old_crs_member_and_the_owner_name_a_system_that_is_reprojected(options):
    x, y = 390_000.0, 5_810_000.0
    corners = [[x, y], [x + 1000, y], [x + 1000, y + 1000], [x, y + 1000], [x, y]]
    data = collection([feature({"tile_id": "a"}, [corners])], **options)
    tiles = read(data, **({} if options else {"tiles_crs": "EPSG:25833"}))
    assert tiles.notes == ("coordinates were reprojected from EPSG:25833 to WGS84",)
    assert 13.3 < tiles.bounds.west < tiles.bounds.east < 13.5
    if options:
        assert read(data, tiles_crs="epsg:25833").digest == tiles.digest
        said = refused(data, tiles_crs="EPSG:4326")
        assert "the file declares EPSG:25833, and --tiles-crs says EPSG:4326" in said
        assert "this is no coordinate system" in refused(data, tiles_crs="+proj=utm +nadgrids=/etc/passwd")


@pytest.mark.parametrize(
    "name", ["EPSG:4326", "urn:ogc:def:crs:OGC:1.3:CRS84", "OGC:CRS84", "urn:ogc:def:crs:EPSG::4326"]
)
def test_a_member_that_says_wgs84_is_accepted(name):
    crs = {"type": "name", "properties": {"name": name}}
    assert read(collection(row_of_tiles(["a"]), crs=crs)).tile_ids == ("a",)


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"a":'])
def test_deep_nesting_is_refused_before_it_is_parsed(opening):
    assert "nested deeper" in refused(b'{"type":' + opening.encode() * 200_000)
    assert "nested deeper" in refused(b'{"type":' + opening.encode() * limits.MAX_JSON_DEPTH)


def test_a_parser_that_runs_out_of_stack_is_refused_too(monkeypatch):
    monkeypatch.setattr(geojson, "depth", lambda _: 0)
    assert "nested deeper" in refused(b'{"a":' + b"[" * 200_000)


def test_brackets_inside_texts_are_not_depth():
    features = [feature({"tile_id": "a", "tile_name": '[{\\"[' * 50}, [ring(0, 0)])]
    assert read(collection(features)).tile_ids == ("a",)
    assert "nested deeper" in refused(b'{"' + b"[" * 100)  # a text that never ends


@pytest.mark.parametrize(
    "data",
    [
        b'{"type": "FeatureCollection", "features": [',
        b'{"type": "FeatureCollection", "features": [}',
        b'{"type": "FeatureCollection"} trailing',
        b"{'type': 'FeatureCollection'}",
        b'{"type": "Feature\x00Collection"}',
    ],
)
def test_broken_json_is_refused_with_its_place(data):
    said = refused(data)
    assert "this is not JSON" in said
    assert "line 1, column" in said


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-16-le", "utf-32"])
def test_other_encodings_are_refused(encoding):
    text = json.dumps(
        {"type": "FeatureCollection", "features": [feature({"tile_id": "Köln"}, [ring(0, 0)])]},
        ensure_ascii=False,
    )
    said = refused(text.encode(encoding))
    assert "UTF-8" in said or "not JSON" in said


def test_lone_surrogates_are_refused_in_ids_and_dropped_from_names():
    bad = collection([feature({"tile_id": "a\ud800"}, [ring(0, 0)])])
    assert "which is not an id" in refused(bad)
    named = collection([feature({"tile_id": "a", "tile_name": "b\ud800"}, [ring(0, 0)])])
    assert read(named).tile_names == ("b",)


def test_too_many_tiles_are_refused_before_any_shape_is_built(monkeypatch):
    monkeypatch.setattr(limits, "MAX_TILES", 3)
    assert "there are 4 tiles" in refused(collection([{}] * 4))


def test_100_000_tiles_are_refused():
    assert "there are 100,000 tiles" in refused(collection([{}] * 100_000))


def test_too_many_corners_are_refused(monkeypatch):
    monkeypatch.setattr(limits, "MAX_TILE_CORNERS", 6)
    long = [*ring(0, 0)[:-1], [13.0, 52.005], [13.0, 52.004], ring(0, 0)[0]]
    assert "too many corners (7 here" in refused(collection([feature({"tile_id": "a"}, [long])]))
    monkeypatch.setattr(limits, "MAX_CORNERS", 9)
    assert "too many corners (5 here, 10 up to here)" in refused(collection(row_of_tiles(["a", "b"])))


def test_a_flood_of_coordinates_is_refused_before_parsing(monkeypatch):
    monkeypatch.setattr(limits, "MAX_CORNERS", 10)
    monkeypatch.setattr(json, "loads", None)
    assert "too many coordinates" in refused(b"{" + b"[" * 30)


@pytest.mark.parametrize("properties", [[], "a", 5])
def test_properties_must_be_an_object(properties):
    assert "the properties are not an object" in refused(collection([feature(properties, [ring(0, 0)])]))


def test_too_many_different_properties_are_refused():
    features = [feature({"tile_id": "a", **{f"p{i}": 1 for i in range(limits.MAX_COLUMNS)}}, [ring(0, 0)])]
    assert "257 different properties" in refused(collection(features))


def test_geojson_has_no_layers():
    assert "no layers" in refused(collection(row_of_tiles(["a"])), layer="tiles")


@pytest.mark.parametrize("kind", [[], {}, ["Polygon"], None, 7, True])
def test_a_type_that_is_no_text_is_no_polygon(kind):
    for place in ("geometry", "feature", "collection"):
        square = [[[0, 0], [1, 0], [1, 1], [0, 1], [0, 0]]]
        geometry = {"type": kind if place == "geometry" else "Polygon", "coordinates": square}
        feature = {
            "type": kind if place == "feature" else "Feature",
            "properties": {"id": "a"},
            "geometry": geometry,
        }
        document = {"type": kind if place == "collection" else "FeatureCollection", "features": [feature]}
        with pytest.raises(TessellationError):
            read_tessellation(json.dumps(document).encode(), "tiles.geojson")
