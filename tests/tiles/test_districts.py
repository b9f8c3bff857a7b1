"""Districts: those of the tile file where they can be used, and a halving of the map that everybody gets again."""

from __future__ import annotations

import json
from dataclasses import replace

import geopandas
import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from made_tiles import blob, collection, feature, geopackage, ring

from dpcore import limits
from dpcore.errors import TessellationError
from dpcore.measures.keys import Districts
from dpcore.tiles import Box, Tessellation, halved, own_districts, read_tessellation, square_grid
from dpcore.tiles.districts import district_texts
from dpcore.tiles.drawn import tiles_geojson
from dpcore.tiles.reading import tessellation_of

GIVEN = ("east", "west", "east", "north")
OWN = Districts(("east", "north", "west"), (0, 2, 0, 1))


def data_of(districts, column="district"):
    rows = [
        {"tile_id": f"t{i}"} | ({} if name is Ellipsis else {column: name})
        for i, name in enumerate(districts)
    ]
    return collection([feature(row, [ring(i, 0)]) for i, row in enumerate(rows)])


def read(districts, column="district"):
    return read_tessellation(data_of(districts, column), "tiles.geojson")


def refused(districts):
    tiles = read(districts)
    assert tiles.tile_ids  # such a file still has tiles: only its districts cannot be used
    with pytest.raises(TessellationError) as found:
        own_districts(tiles)
    return str(found.value)


# ---- of the file


@pytest.mark.parametrize("column", ["district", "District", "DISTRICT"])
def test_a_property_of_the_tiles_gives_their_districts(column):
    tiles = read(GIVEN, column)
    assert tiles.districts == GIVEN
    assert own_districts(tiles) == OWN


def test_every_format_gives_the_same_districts():
    shapes = [shapely.Polygon(ring(i, 0)) for i in range(4)]
    extra = 'ALTER TABLE "tiles" ADD COLUMN district TEXT;' + "".join(
        f"UPDATE \"tiles\" SET district = '{name}' WHERE tile_id = 't{i}';" for i, name in enumerate(GIVEN)
    )
    package = geopackage([(f"t{i}", blob(shape)) for i, shape in enumerate(shapes)], extra=extra)
    stations = "id,lat,lng,district\n" + "".join(
        f"t{i},52.0,{13 + i / 10},{name}\n" for i, name in enumerate(GIVEN)
    )
    columns = {"tile_id": [f"t{i}" for i in range(4)], "district": GIVEN}
    frame = geopandas.GeoDataFrame(columns, geometry=shapes, crs=4326)
    for tiles in (
        read_tessellation(package, "tiles.gpkg"),
        read_tessellation(stations.encode(), "stations.csv"),
        tessellation_of(frame),
        read_tessellation(tiles_geojson(read(GIVEN)), "tiles.geojson"),
    ):
        assert own_districts(tiles) == OWN


def test_whole_numbers_are_districts_as_text():
    assert own_districts(read([10, 2, 10.0, "2"])).names == ("10", "2")


def test_without_the_property_there_are_no_districts():
    for tiles in (
        read([...] * 3),
        read([None] * 3),
        read(["", " ", None]),
        square_grid(Box(0, 0, 0.1, 0.1), 4000),
    ):
        assert tiles.districts == ()
        assert own_districts(tiles) is None


def test_a_property_that_names_each_tile_groups_none():
    assert own_districts(read(["a", "b", "c"])) is None


def test_a_district_that_is_missing_is_refused_with_the_tiles_and_what_to_do():
    said = refused(["a", None, "a", "b", ..., "", 1.5, True])
    assert 'tiles without a district: "t1", "t4", "t5" and 2 more' in said
    assert "Give every tile one district" in said
    assert "remove the property: then the map is halved" in said


def test_one_district_is_refused_with_what_to_do():
    said = refused(["all", "all"])
    assert 'all tiles lie in one district, "all"' in said
    assert "Give two districts or more" in said


@pytest.mark.parametrize("name", ["outside", "Outside", "=1+1", "<b>x</b>", "x" * 81, "@a", "-a"])
def test_texts_that_cannot_be_keys_are_refused_as_tile_ids_are(name):
    said = refused([name, "b", "b", name])
    assert "a district cannot be called" in said
    assert "none is called outside" in said


def test_too_many_districts_are_refused_with_what_to_do():
    many = square_grid(Box(0, -0.15, 0.3, 0.15), 1000)
    texts = tuple(str(number // 2) for number in range(len(many.tile_ids)))
    assert len({*texts}) > limits.MAX_DISTRICTS
    with pytest.raises(TessellationError, match="At most 500 are allowed"):
        own_districts(replace(many, districts=texts))


def test_a_tile_of_parts_in_two_districts_has_none():
    rows = [("a", "x"), ("a", "y"), ("b", "x"), ("c", "y"), ("c", "y"), ("d", "x")]
    data = collection([feature({"tile_id": t, "district": d}, [ring(i, 0)]) for i, (t, d) in enumerate(rows)])
    tiles = read_tessellation(data, "tiles.geojson", merge_ids=True)
    assert tiles.districts == ("", "x", "y", "x")
    with pytest.raises(TessellationError, match='tiles without a district: "a"'):
        own_districts(tiles)


def test_the_order_of_a_file_means_nothing_and_the_digest_is_that_of_ids_and_shapes():
    document = json.loads(data_of(GIVEN))
    document["features"].reverse()
    turned = read_tessellation(json.dumps(document).encode(), "tiles.geojson")
    assert own_districts(turned) == OWN
    assert turned.digest == read(GIVEN).digest == read([...] * 4).digest


def test_districts_of_other_tiles_are_refused():
    tiles = read(GIVEN)
    assert district_texts(tiles, OWN) == GIVEN
    assert district_texts(tiles, None) == ()
    with pytest.raises(TessellationError, match="not those of these tiles"):
        district_texts(read(["a", "a", "b"]), OWN)


# ---- by halving


def test_halves_are_laid_across_the_longer_side_in_metres():
    """At 60 degrees north a degree of longitude is half as long: this map is higher than it is wide."""
    boxes = [
        shapely.box(x / 100, 60 + y / 100, (x + 1) / 100, 60 + (y + 1) / 100)
        for y in range(4)
        for x in range(6)
    ]
    tiles = Tessellation.of([f"{i:02}" for i in range(24)], [None] * 24, boxes, "made")
    assert halved(tiles, 2) == Districts(("1", "2"), (0,) * 12 + (1,) * 12, by_halving=True)
    wide = [shapely.affinity.translate(box, yoff=-60) for box in boxes]
    level = Tessellation.of([f"{i:02}" for i in range(24)], [None] * 24, wide, "made")
    assert halved(level, 2).of_tiles == (0, 0, 0, 1, 1, 1) * 4


@pytest.mark.parametrize("count", [2, 3, 7, 10, 25, 99, 100])
def test_districts_have_about_equally_many_tiles_and_names_in_order(count):
    tiles = square_grid(Box(13.0, 52.0, 13.13, 52.06), 700)
    districts = halved(tiles, count)
    sizes = np.bincount(districts.of_tiles)
    assert len(sizes) == len(districts.names) == count
    assert sizes.max() - sizes.min() <= 2
    assert [int(name) for name in districts.names] == [*range(1, count + 1)]
    assert districts.by_halving


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 40), st.data())
def test_any_number_of_districts_that_there_are_tiles_for_can_be_laid(tiles, data):
    points = data.draw(
        st.lists(
            st.tuples(st.integers(0, 30), st.integers(0, 9)), min_size=tiles, max_size=tiles, unique=True
        )
    )
    boxes = [shapely.box(x / 100, y / 100, (x + 1) / 100, (y + 1) / 100) for x, y in points]
    laid = Tessellation.of([f"{i:02}" for i in range(tiles)], [None] * tiles, boxes, "made")
    count = data.draw(st.integers(2, tiles))
    districts = halved(laid, count)
    assert len(districts.of_tiles) == tiles
    assert districts == halved(laid, count)
    sizes = np.bincount(districts.of_tiles, minlength=count)
    assert sizes.min() >= 1
    assert sizes.max() <= 2 * np.ceil(tiles / count)


@pytest.mark.parametrize("count", [0, 1, -3, 5, True, 2.0])
def test_districts_that_cannot_be_laid_are_refused_with_what_to_do(count):
    with pytest.raises(TessellationError, match="Give a whole number from 2 to 4"):
        halved(read(GIVEN), count)


def test_one_tile_and_too_many_districts_are_refused():
    with pytest.raises(TessellationError, match="One tile has no districts"):
        halved(read(["a"]), 2)
    many = square_grid(Box(0, -0.15, 0.3, 0.15), 1000)
    assert len(halved(many, 500).names) == 500
    with pytest.raises(TessellationError, match="from 2 to 500"):
        halved(many, 501)
