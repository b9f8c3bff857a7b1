"""Two files that are given at once, in a real Chromium (make audit)."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from dpcore import demo


@pytest.mark.audit
def test_a_second_file_that_is_given_at_once_is_read_too(page, address, tmp_path):
    """On busy cores it may be lost, so this is no check yet.

    A browser asks for an address before it sends a file. Streamlit 1.67 drops the answer if it still waits to be sent when a run of
    the page begins (``ForwardMsgQueue.clear`` keeps no ``file_urls_response``), and the browser does not ask again.
    """
    demo.write_city(tmp_path, 20_000, 80, 11)
    page.goto(f"{address}/data")
    page.get_by_text("3 Clock, dates and bins").wait_for()
    given = page.locator("input[type=file]")
    given.nth(0).set_input_files(tmp_path / "trips.csv")
    given.nth(1).set_input_files(tmp_path / "tiles.geojson")
    page.get_by_text("trips.csv").first.wait_for()
    page.get_by_text("tiles.geojson").first.wait_for()
    expect(page.get_by_text("Still needed: the time zone.")).to_be_visible()
