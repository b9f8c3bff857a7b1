"""A tiles file that leaves something open: what is refused stands above the control that mends it."""

from __future__ import annotations

import json

import pytest

from dpcore.tiles import reading

CRS, KEEPER = "Coordinate system of the file", "Who keeps a place that tiles share?"


def square(west, south, side=1.0):
    return [
        [
            [west, south],
            [west + side, south],
            [west + side, south + side],
            [west, south + side],
            [west, south],
        ]
    ]


def tiles(*shapes):
    """A GeoJSON of (properties, rings)."""
    features = [
        {"type": "Feature", "properties": names, "geometry": {"type": "Polygon", "coordinates": rings}}
        for names, rings in shapes
    ]
    return json.dumps({"type": "FeatureCollection", "features": features}).encode()


OVERLAPPING = tiles(({"tile_id": "a"}, square(0, 0)), ({"tile_id": "b"}, square(0.998, 0, 0.9)))
PARTS = tiles(
    ({"tile_id": "a"}, square(0, 0)), ({"tile_id": "a"}, square(2, 0)), ({"tile_id": "b"}, square(4, 0))
)
CODES = tiles(
    ({"code": "x1", "nr": 7}, square(0, 0)),
    ({"code": "x2", "nr": 8}, square(1, 0)),
    ({"code": "x3", "nr": 9}, square(2, 0)),
)
METRES = tiles(
    ({"tile_id": "a"}, square(390_000, 5_819_000, 900)), ({"tile_id": "b"}, square(391_000, 5_819_000, 900))
)


@pytest.fixture
def page(one_page):
    return one_page


def given(page, content, name):
    """The Data page with these tiles chosen; the page is opened once."""
    if not page.title:
        page.run()
        page.switch_page("pages/owner/data.py").run()
    page.file_uploader[1].set_value((name, content, "application/geo+json")).run()
    assert not page.exception


def labels(found):
    return [one.label for one in found]


def widget(found, label):
    return next(one for one in found if one.label == label)


def ready(page):
    return any(one.value == "Still needed: trips, the time zone." for one in page.caption)


def says_how(page, control):
    """The page refuses the tiles once, in its own words: those of commands and notebooks lead nowhere here."""
    (refused,) = page.error
    said = refused.value.replace("\\", "")
    assert control in said
    assert "--" not in said
    assert "notebook" not in said


def test_shared_places_go_to_one_tile_with_one_press(page):
    given(page, OVERLAPPING, "overlapping.geojson")
    (error,) = page.error
    assert "0\\.22 % of the smaller one" in error.value, "the share is told"
    assert not ready(page)
    widget(page.button_group, KEEPER).set_value("smaller").run()
    assert not page.error
    assert ready(page)


def test_a_refused_file_is_read_once_for_each_choice(page, monkeypatch):
    read, seen = reading.geojson.features, []
    monkeypatch.setattr(reading.geojson, "features", lambda *given: seen.append(1) or read(*given))
    given(page, METRES, "metres.geojson")
    told = [page.error[0].value]
    page.run()
    told.append(page.error[0].value)
    assert told[0] == told[1]
    assert len(seen) == 1
    given(page, OVERLAPPING.replace(b"0.998", b"0.997"), "overlapping.geojson")
    page.run()
    assert len(page.error) == 1
    assert len(seen) == 2, "the columns of a file that is refused for its tiles stay known"


def test_what_was_said_of_one_file_is_not_said_of_the_next(page):
    given(page, PARTS, "parts.geojson")
    assert KEEPER not in labels(page.button_group)


def test_parts_with_one_id_are_merged_with_one_press(page):
    says_how(page, "Tiles with the same id are one tile")
    widget(page.checkbox, "Tiles with the same id are one tile").check().run()
    assert not page.error
    assert ready(page)


@pytest.mark.parametrize(("content", "control"), [(METRES, CRS), (OVERLAPPING, KEEPER)])
def test_a_refusal_names_the_controls_of_the_page_and_no_option_of_a_command(page, content, control):
    given(page, content, "tiles.geojson")
    says_how(page, control)


def test_candidates_of_the_id_are_shown_with_examples(page):
    given(page, CODES, "codes.geojson")
    choice = widget(page.selectbox, "Property that names a tile")
    assert choice.options == ["code (x1, x2, x3)", "nr (7, 8, 9)"]
    assert choice.value is None
    choice.set_value("code").run()
    assert ready(page)


def test_the_system_of_a_file_that_declares_none_is_asked(page):
    given(page, METRES, "metres.geojson")
    (error,) = page.error
    assert CRS in error.value
    widget(page.text_input, CRS).set_value("EPSG:25833").run()
    assert not page.error
    assert ready(page)
    widget(page.text_input, CRS).set_value("nowhere").run()
    assert len(page.error) == 1, "a wrong one can be changed"
    assert widget(page.text_input, CRS).value == "nowhere"
