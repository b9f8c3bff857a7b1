"""Levels of places in a real browser: tiles chosen on the map get a level, which is still there when the page is opened again."""

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
    page.locator(
        ".ladder .stage"
    ).scroll_into_view_if_needed()  # a map that is far below waits until one scrolls
    root = page.locator(".ladder[data-levels][data-ready='true']")
    root.wait_for()
    still(page, page.locator(".ladder .stage"))
    return root


def with_levels(page, *many: int):
    """The map once so many tiles have each level, the lowest first."""
    return page.locator(f".ladder[data-levels='{' '.join(map(str, many))}']").wait_for()


def click(page, x: float, y: float) -> None:
    """Click at a share of the width and height of the map."""
    box = still(page, page.locator(".ladder .stage"))
    page.mouse.click(box["x"] + box["width"] * x, box["y"] + box["height"] * y)
    settled(page)


def chosen(root) -> list[str]:
    text = root.get_attribute("data-chosen")
    return text.split(",") if text else []


def set_level(page, name: str) -> None:
    box = page.get_by_role("combobox", name=re.compile("Level$"))
    box.evaluate(
        "one => one.scrollIntoView({ block: 'center' })"
    )  # a list that scrolls the page closes again
    box.click()
    page.get_by_role("option", name=name, exact=True).click()
    settled(page)
    page.get_by_role("button", name="Set level").click()
    settled(page)


def test_tiles_that_are_clicked_get_a_level_and_the_page_remembers(page, address):
    root = opened(page, address)
    with_levels(page, 0, 0, 0, 0, TILES)
    for place in ((0.4, 0.5), (0.5, 0.5), (0.6, 0.5)):
        click(page, *place)
    assert len(chosen(root)) == 3
    click(page, 0.4, 0.5)
    assert len(chosen(root)) == 2, "a click on a chosen tile lets go of it"
    set_level(page, "Low")
    with_levels(page, 0, 2, 0, 0, TILES - 2)
    until(page, lambda: chosen(root) == [], "what has its level is no longer chosen")
    expect(page.get_by_test_id("stTable").first).to_contain_text("Low0.42.5")
    page.get_by_text("ε 2.5").first.wait_for()
    expect(page.get_by_role("list", name="Levels of tiles")).to_contain_text("Low, ε 2.52 tiles")

    click(page, 0.5, 0.5)
    expect(page.locator(".ladder .live")).to_have_text(re.compile(": Low$"))
    set_level(page, "High")
    with_levels(page, 0, 1, 0, 1, TILES - 2)

    page.get_by_role("link", name="Library").click()
    settled(page)
    page.get_by_role("link", name="Trajectories").click()
    ready(page)
    with_levels(page, 0, 1, 0, 1, TILES - 2)
    click(page, 0.5, 0.3)
    set_level(page, "Medium")
    with_levels(page, 0, 1, 1, 1, TILES - 3)
    page.reload()
    root = ready(page)
    with_levels(page, 0, 1, 1, 1, TILES - 3)
    assert chosen(root) == []

    page.get_by_role("button", name="All Critical").click()
    with_levels(page, 0, 0, 0, 0, TILES)
    hosts = {urlparse(url).netloc for url in page.requests if not url.startswith(("data:", "blob:"))}
    assert hosts == {urlparse(address).netloc}
    assert page.faults == []


def test_a_list_and_a_district_choose_tiles_as_the_map_does(page, address):
    root = opened(page, address)
    box = page.get_by_role("combobox", name=re.compile("Click a tile"))
    box.click()
    box.fill("D003")
    page.keyboard.press("Enter")
    until(page, lambda: len(chosen(root)) == 1, "the map shows what the list chose")
    settled(page)
    page.keyboard.press("Escape")  # the list of tiles lies over what stands around it
    page.get_by_test_id("stButtonGroup").get_by_text("Districts", exact=True).click()
    settled(page)
    until(page, lambda: root.get_attribute("data-level") == "districts", "the map chooses districts")
    set_level(page, "Low")
    until(
        page,
        lambda: int(root.get_attribute("data-levels").split()[1]) > 5,
        "all tiles of the district are Low",
    )
    click(page, 0.5, 0.5)
    assert len(chosen(root)) == 1
    root.get_by_role("button", name="Clear").click()
    until(page, lambda: chosen(root) == [], "nothing is chosen")
    assert page.faults == []


def test_a_narrow_window_has_room_for_all_of_it(page, address):
    page.set_viewport_size({"width": 400, "height": 800})
    root = opened(page, address)
    click(page, 0.5, 0.5)
    assert len(chosen(root)) == 1
    set_level(page, "Public-ish")
    with_levels(page, 1, 0, 0, 0, TILES - 1)
    wide = page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth")
    assert wide <= 400
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
