"""Painting in a real browser: a hand over the map sets levels, which are still there when the page is opened again."""

from __future__ import annotations

import re
from urllib.parse import urlparse

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import settled, still, until

pytestmark = pytest.mark.browser

TILES = 150


def opened(page, address: str):
    page.goto(f"{address}/trajectories")
    return ready(page)


def ready(page):
    root = page.locator(".ladder[data-painted][data-ready='true']")
    root.wait_for()
    still(page, page.locator(".ladder .stage"))
    return root


def painted(root) -> list[int]:
    """Tiles of each level, level 1 first."""
    return [int(number) for number in root.get_attribute("data-painted").split()]


def stroke(page, *shares: tuple[float, float]) -> None:
    """Press at the first place, draw to the others, let go."""
    box = still(page, page.locator(".ladder .stage"))
    places = [(box["x"] + box["width"] * x, box["y"] + box["height"] * y) for x, y in shares]
    page.mouse.move(*places[0])
    page.mouse.down()
    for place in places[1:]:
        page.mouse.move(*place, steps=8)
    page.mouse.up()
    settled(page)


def test_a_brush_paints_what_it_touches_and_the_page_remembers(page, address):
    root = opened(page, address)
    assert painted(root) == [0, 0, 0, 0, TILES]
    page.get_by_role("button", name="Low ε").click()
    page.get_by_role("button", name="Large brush").click()
    stroke(page, (0.35, 0.5), (0.65, 0.5))
    wide = painted(root)[1]
    assert 10 < wide < TILES
    expect(page.get_by_test_id("stTable").first).to_contain_text("Low0.42.5")
    page.get_by_text("ε 2.5").nth(1).wait_for()

    page.get_by_role("button", name="Medium ε").click()
    page.get_by_role("button", name="One tile").click()
    stroke(page, (0.5, 0.3))
    assert painted(root)[2] == 1
    expect(page.locator(".ladder .live")).to_have_text(re.compile(": Medium$"))

    before = page.locator(".ladder .stage").screenshot()
    page.get_by_role("button", name="Move the map").click()
    stroke(page, (0.5, 0.5), (0.4, 0.4))
    assert painted(root)[1:3] == [wide, 1], "moving paints nothing"
    assert page.locator(".ladder .stage").screenshot() != before

    page.get_by_role("link", name="Library").click()
    settled(page)
    page.get_by_role("link", name="Trajectories").click()
    root = ready(page)
    assert painted(root)[1:3] == [wide, 1], "what was painted is still there"
    page.get_by_role("button", name="High ε").click()
    stroke(page, (0.5, 0.7))
    assert painted(root)[3] == 1, "strokes after coming back count as well"

    page.get_by_role("button", name="All Critical").click()
    page.locator(f".ladder[data-painted='0 0 0 0 {TILES}']").wait_for()
    page.get_by_role("button", name="Undo").click()
    page.locator(f".ladder[data-painted='0 {wide} 1 1 {TILES - wide - 2}']").wait_for()
    hosts = {urlparse(url).netloc for url in page.requests if not url.startswith(("data:", "blob:"))}
    assert hosts == {urlparse(address).netloc}
    assert page.faults == []


def test_a_tree_is_grown_and_walked(page, address):
    opened(page, address)
    page.get_by_role("button", name="Grow the tree").click()
    page.locator(".js-plotly-plot").wait_for()
    settled(page)
    page.get_by_text("Uniform:").first.wait_for()
    until(page, lambda: page.locator(".js-plotly-plot .slice").count() > 20, "the branches are drawn")
    expect(page.get_by_text("The same as a table").first).to_be_attached()
    assert page.faults == []
