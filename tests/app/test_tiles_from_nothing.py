"""A grid on the Data page: seen and weighed before anything is counted."""

from __future__ import annotations

import json
import re

import pytest
from streamlit.testing.v1.element_tree import ElementTree


def widget(found, label):
    return next(one for one in found if one.label == label)


def said(page):
    return "\n".join(
        one.value for kind in ("markdown", "caption", "error", "info") for one in getattr(page, kind)
    )


def outlines(page):
    """Corners of all lines on the sheet."""
    (sheet,) = page.get("plotly_chart")
    return sum(len(line["x"]) for line in json.loads(sheet.proto.spec)["data"])


@pytest.fixture
def page(one_page):
    return one_page


def test_the_grid_is_drawn_and_the_size_that_can_be_read_is_one_press_away(page):
    page.run()
    page.switch_page("pages/owner/data.py").run()
    widget(page.button_group, "Tiles from").set_value("Square grid").run()
    assert not page.exception
    assert "**1,188 tiles**, each about 500 m across" in said(page)
    fine = outlines(page)
    assert "Still needed: about how many trips." in said(page)
    widget(page.number_input, "Trips, about").set_value(300_000).run()
    widget(page.number_input, "People, about").set_value(33_000).run()
    assert re.search(
        r"With squares of 500 m \(1,188 tiles\), [\d,]+ to [\d,]+ tiles are expected to be known within 25 %, in a typical city 10 % "
        r"of them",
        said(page),
    )
    widget(page.button, "Take squares of 1,500 m").click().run()
    assert widget(page.number_input, "Width of a square, metres").value == 1_500
    assert "**132 tiles**" in said(page)
    assert outlines(page) < fine / 2, "the sheet shows the larger squares"
    assert "Still needed: trips, the time zone." in said(page), "the tiles are there"


def test_too_many_tiles_are_refused_beside_what_mends_it(page):
    widget(page.number_input, "Width of a square, metres").set_value(50).run()
    assert not page.exception
    assert "Choose larger squares" in said(page)
    widget(page.button, "Take squares of 1,500 m").click().run()
    assert not page.error


def test_hexagons_are_proposed_by_resolution(page):
    widget(page.button_group, "Tiles from").set_value("Hexagons (H3)").run()
    assert "hexagons of resolution 8 (464 tiles)" in said(page)
    widget(page.button, "Take hexagons of resolution 7").click().run()
    assert widget(page.slider, "H3 resolution (larger numbers, smaller hexagons)").value == 7
    assert not page.exception


def test_a_box_is_drawn_and_taken_and_a_sheet_that_is_drawn_anew_has_none(page, monkeypatch):
    """Plotly forgets a selection when its figure changes: what a browser says of the sheet of before is no choice any more."""
    (sheet,) = page.get("plotly_chart")
    drawn = {"points": [], "point_indices": [], "box": [{"x": [13.5, 13.3], "y": [52.4, 52.5]}], "lasso": []}
    ask = ElementTree.get_widget_states

    def with_the_box(tree):
        states = ask(tree)
        states.widgets.add(id=sheet.proto.id, string_value=json.dumps({"selection": drawn}))
        return states

    monkeypatch.setattr(ElementTree, "get_widget_states", with_the_box)
    page.run()
    widget(page.button, "Take the drawn box").click().run()
    sides = [one.value for one in page.number_input if one.key.startswith("box ")]
    assert sides == [13.3, 52.4, 13.5, 52.5]
    assert not [one for one in page.button if one.label == "Take the drawn box"], "nothing is chosen on it"
    assert page.get("plotly_chart")[0].proto.id != sheet.proto.id, "it is another sheet"
