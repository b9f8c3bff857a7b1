"""An unknown file is loaded by hand in a real browser, on tiles that no file gave."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.app.test_columns_by_hand import points
from tests.browser.conftest import chosen, settled

IN_TOWN = re.sub(rb";0\.5;[0-9.]+;", b";54.3;9.9;", points())
"""The points of an unknown file in the built-in city, whose box the grid covers at first."""
pytestmark = pytest.mark.browser


def test_an_unknown_file_is_loaded_by_hand_on_hexagons(page, address):
    page.goto(f"{address}/data")
    page.get_by_role("heading", name="Loaded").wait_for()
    settled(page)
    unknown = {"name": "points.csv", "mimeType": "text/csv", "buffer": IN_TOWN}
    page.locator("input[type=file]").first.set_input_files(unknown)
    page.get_by_text("The first line holds the names of the columns").click()
    settled(page)
    chosen(page, "What is one row", "A place and a time of a person")
    roles = {"Person": "wer", "Time \\(datetime": "wann", "Latitude": "breite", "Longitude": "laenge"}
    for role, column in roles.items():
        chosen(page, role, column)
    page.get_by_text("Day first: 03/04/2024 is 3 April").click()
    settled(page)
    page.get_by_text("A gap in time").click()
    page.get_by_text("points.csv is read as: points").wait_for()
    page.get_by_text("Hexagons (H3)").click()
    settled(page)
    page.get_by_text("tiles, each about").wait_for()
    chosen(page, "Time zone of the city", "Europe/Berlin")
    load = page.get_by_role("button", name="Load", exact=True)
    expect(load).to_be_enabled()
    load.click()
    page.get_by_role("heading", name="4 Decide before looking").wait_for()
    assert page.faults == []
