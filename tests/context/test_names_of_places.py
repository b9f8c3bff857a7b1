"""Tiles and districts without a name are called after the places under the map, the same for the owner and for every reader."""

from __future__ import annotations

from dataclasses import replace
from html import unescape
from itertools import pairwise

import pytest
import shapely

from dpcore.comparison.findings import Finding
from dpcore.context import Context, Layer, Place
from dpcore.measures.keys import Districts
from dpcore.release import read_bundle, write_bundle
from dpcore.tiles import Box, Tessellation, halved, square_grid
from dpcore.tiles.called import is_code
from dpcore.views.ground.plain import district_labels, names_told
from dpcore.views.ground.selection import Selection, place_label
from dpcore.views.numbers.findings import names_of
from dpcore.views.report import report_html
from tests.context.made_layers import layer, made_context
from tests.release.made_releases import made_release

BOX = Box(4.0, 50.0, 4.056, 50.018)  # about 4 km by 2 km


@pytest.fixture(scope="module")
def grid() -> Tessellation:
    """Two rows of four squares of about a kilometre: r0c0 in the south-west."""
    return square_grid(BOX, 1_001)


def middle(tiles: Tessellation, tile: str) -> tuple[float, float]:
    point = tiles.polygons[tiles.tile_ids.index(tile)].centroid
    return point.x, point.y


def called(tiles: Tessellation, *places: Place) -> dict[str, str]:
    named = tiles.among(places)
    return dict(zip(named.tile_ids, named.called, strict=True))


def test_a_tile_is_called_after_the_place_in_it_or_by_how_far_it_lies_from_the_nearest(grid):
    first, *_, last = grid.tile_ids
    found = called(grid, Place("Grove St", *middle(grid, first), 3), Place("Newport", *middle(grid, last), 3))
    assert found[first] == "by Grove St"
    assert found[last] == "by Newport"
    assert found[grid.tile_ids[1]] == "1 km east of Grove St"
    assert len({*found.values()}) == len(found), "no two have one name"


def test_of_several_places_in_a_tile_the_largest_gives_the_name(grid):
    first = grid.tile_ids[0]
    lng, lat = middle(grid, first)
    park, station, suburb = (
        Place("Park", lng, lat, 4),
        Place("Station", lng, lat, 3),
        Place("Suburb", lng + 0.002, lat, 2),
    )
    assert called(grid, park, station, suburb)[first] == "by Suburb"


def test_names_of_the_file_and_ids_that_are_words_stay(grid):
    place = Place("Grove St", *middle(grid, grid.tile_ids[0]), 3)
    own = replace(grid, tile_names=("Harbour", *grid.tile_names[1:]))
    assert called(own, place)[grid.tile_ids[0]] == "Harbour"
    coded = replace(grid, tile_names=("JC 6-9", "PLAZA 9", *grid.tile_names[2:]))
    names = called(coded, place)
    assert [names[tile] for tile in grid.tile_ids[:2]] == ["by Grove St", "PLAZA 9"], (
        "a code of a file is no name"
    )
    words = replace(
        grid, tile_ids=(names := tuple(f"Ward {'abcdefgh'[at]}" for at in range(8))), tile_names=names
    )
    assert called(words, place) == dict(zip(names, names, strict=True))
    assert not names_told(words.among([place]), None)


@pytest.mark.parametrize(
    ("text", "code"), [("D001", True), ("12", True), ("r3c4", True), ("Old town", False), ("Brooklyn", False)]
)
def test_a_code_tells_people_nothing(text, code):
    assert is_code(text) is code


def test_equal_ways_are_told_apart_by_a_number(grid):
    """A place on the border of two columns lies as far from the tiles of both sides."""
    place = Place("Grove St", 4.028, 50.3, 3)
    found = called(grid, place)
    assert len({*found.values()}) == len(found)
    assert any(name.endswith(" (2)") for name in found.values())


def test_names_say_nothing_of_trips_and_are_no_part_of_the_digest(grid):
    named = grid.among([Place("Grove St", 4.01, 50.01, 3)])
    assert (named.digest, named) == (grid.digest, grid)
    assert named.tile_names == grid.tile_names, "files hold the names that the owner's file gave"
    assert named.among(()).called == grid.called


def test_a_district_is_called_after_its_largest_place(grid):
    districts = halved(grid, 2)
    west, east = (
        [tile for tile, at in zip(grid.tile_ids, districts.of_tiles, strict=True) if at == of]
        for of in (0, 1)
    )
    places = [
        Place("Old Town", *middle(grid, west[0]), 2),
        Place("Some Park", *middle(grid, west[1]), 4),
        Place("Newport", *middle(grid, east[0]), 3),
    ]
    named = grid.among(places)
    assert named.called_districts(districts) == ("Old Town", "Newport")
    labels = district_labels(named, districts)
    assert labels == {"1": "District Old Town", "2": "District Newport", "outside": "outside"}
    assert place_label(0, Selection((0,), districts=True), named, districts) == "District Old Town (1)"
    assert place_label(0, Selection((0,), districts=True), grid, districts) == "District 1"
    assert "largest place" in names_told(named, districts)


def test_districts_of_one_name_differ_by_the_compass_and_one_without_a_place_says_where_it_lies(grid):
    thirds = Districts(("1", "2", "3"), (0, 0, 1, 2, 0, 0, 1, 2))
    places = [Place("Broadway", *middle(grid, "r1c1"), 3), Place("Broadway", *middle(grid, "r1c3"), 3)]
    west, between, east = grid.among(places).called_districts(thirds)
    assert (west, east) == ("Broadway west", "Broadway east")
    assert between.endswith(" of Broadway")


def test_districts_that_the_file_names_keep_their_names(grid):
    own = Districts(("Harbour", "Hill"), (0, 0, 1, 1, 0, 0, 1, 1))
    assert grid.among([Place("Grove St", 4.01, 50.01, 2)]).called_districts(own) == ("Harbour", "Hill")


def test_no_part_of_a_map_is_called_after_the_only_city_and_a_place_in_water_comes_last():
    lake = layer(shapely.box(4.0, 50.0, 4.01, 50.01))
    places = [
        Place("City", 4.03, 50.01, 0),
        Place("Lake", 4.005, 50.005, 1),
        Place("Station", 4.02, 50.01, 3),
    ]
    found = Context.of({"water": lake}, places, "© Somebody").landmarks
    assert [place.name for place in found] == ["Station", "Lake"]
    alone = Context.of({"water": Layer()}, places[:1], "© Somebody").landmarks
    assert [place.name for place in alone] == ["City"]
    assert Context.of({"water": lake}, [], "© Somebody").landmarks == ()


def test_a_reader_of_a_bundle_sees_the_names_of_its_owner_and_findings_speak_in_them(grid, tmp_path):
    plain = made_release(weights={"visits_per_tile": 1, "od_districts": 1}, epsilon="20", tessellation=grid)
    release = replace(plain, context=made_context(grid))
    write_bundle(release, tmp_path / "bundle")
    found = read_bundle(tmp_path / "bundle")
    assert found.tessellation.called == release.tessellation.called != grid.called
    assert found.tessellation.tile_names == grid.tile_ids, (
        "the file of tiles holds what the owner's file gave"
    )
    assert any("Harbour" in name for name in found.tessellation.called)
    for at, visits in enumerate(found.tessellation.called):
        assert names_of(found, Finding("largest", "visits_per_tile", 1, 2, (at,))) == [visits]
    (flow,) = names_of(found, Finding("largest", "od_districts", 1, 2, (1,)))
    assert flow.count("Harbour") == 2
    told = names_told(found.tessellation, found.plan.choices.districts)
    assert "No trip decides a name." in told
    assert told in unescape(report_html(found, static=True)), "the report says how names were made"
    assert replace(release, context=None).tessellation.called == grid.called, "nothing gives names then"


def test_names_are_counted_from_the_nearest_outward(grid):
    """The nearest tile to a place comes first, so numbers rise with the distance."""
    found = grid.among([Place("Grove St", *middle(grid, "r1c1"), 3)]).called
    east = [name for name in found if name.endswith("km east of Grove St")]
    lengths = [float(name.split()[0]) for name in east]
    assert all(one < other for one, other in pairwise(lengths))
