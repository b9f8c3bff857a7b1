"""A grid on the Data page: seen and weighed before anything is counted."""

from __future__ import annotations

import json
import re

import pytest


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
