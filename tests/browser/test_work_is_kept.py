"""Work is kept in a real browser: over a reload, a second tab, a restart of the app, and by a link."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from tests.app.test_pages import TILES, trips
from tests.browser.conftest import chosen, running, settled

pytestmark = pytest.mark.browser

BOUND = re.compile("^Trips counted per person")


def release(page, address: str) -> None:
    page.goto(address)
    page.get_by_role("heading", name="1 Whom to protect, and which account pays").wait_for()
    settled(page)


def test_work_comes_back_after_a_reload_in_a_second_tab_and_after_a_restart(page, tmp_path):
    home = tmp_path / "home"
    with running(home) as address:
        page.goto(f"{address}/data")
        for number, (name, content) in enumerate((("trips.csv", trips()), ("tiles.geojson", TILES))):
            file = {"name": name, "mimeType": "text/plain", "buffer": content}
            page.locator("input[type=file]").nth(number).set_input_files(file)
            settled(page)
        chosen(page, "Time zone of the city", "Europe/Berlin")
        page.get_by_role("button", name="Load", exact=True).click()
        page.get_by_role("heading", name="4 Decide before looking").wait_for()
        page.get_by_role("spinbutton", name="Trips, about").fill("5000")
        page.get_by_role("spinbutton", name="Trips, about").press("Tab")
        settled(page)
        page.get_by_role("button", name="Go on with this plan").click()
        page.get_by_role("heading", name="1 Whom to protect, and which account pays").wait_for()
        settled(page)
        page.get_by_role("spinbutton", name=BOUND).fill("7")
        page.get_by_role("spinbutton", name=BOUND).press("Tab")
        settled(page)

        page.reload()
        expect(page.get_by_role("spinbutton", name=BOUND)).to_have_value("7")
        expect(page.get_by_role("spinbutton", name="Trips, about")).to_have_value("5000")
        (project,) = parse_qs(urlsplit(page.url).query)["project"]

        second = page.context.new_page()
        release(second, f"{address}/release")
        expect(second.get_by_role("spinbutton", name=BOUND)).to_have_value("7")
        second.get_by_role("textbox", name="Title").fill("Trams")
        second.get_by_role("textbox", name="Title").press("Tab")
        settled(second)
        page.get_by_role("spinbutton", name=BOUND).fill("8")
        page.get_by_role("spinbutton", name=BOUND).press("Tab")
        settled(page)
        expect(page.get_by_role("textbox", name="Title")).to_have_value("Trams")
        second.close()

    with running(home) as address:
        release(page, f"{address}/release?project={project}")
        expect(page.get_by_role("spinbutton", name=BOUND)).to_have_value("8")
        expect(page.get_by_role("textbox", name="Title")).to_have_value("Trams")
        expect(page.get_by_text("Before anyone looked at the data")).to_be_visible()
        page.get_by_role("link", name=re.compile("Explore$")).first.click()
        page.get_by_text("You have not looked at these trips yet").wait_for()
    assert page.faults == []
