"""Places and flows in a real browser: districts from afar, tiles when near, filters without the server, areas and pairs."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import TimeoutError, expect  # noqa: A004 - Playwright's own

from dpcore.measures.choices import KeyChoices
from dpcore.release import write_bundle
from dpcore.tiles import halved
from tests.browser.conftest import running, settled, still, until
from tests.release.made_releases import WEEK, grid, made_release

pytestmark = pytest.mark.browser

TABLES = {"visits_per_tile": 4, "od_districts": 2, "total_trips": 1}
MAP = "[data-ready='true']"


@pytest.fixture(scope="module")
def viewers(tmp_path_factory):
    """A server for viewers with one release: visits of 576 tiles, and flows between six districts."""
    folder = tmp_path_factory.mktemp("bundles")
    tiles = grid()
    choices = KeyChoices(WEEK, districts=halved(tiles, 6), most_trips=12)
    release = made_release(
        id="six", title="Six", tessellation=tiles, epsilon="2", weights=TABLES, choices=choices
    )
    write_bundle(release, folder / "six")
    home = tmp_path_factory.mktemp("viewer-home")
    with running(home, EPSILON_ATLAS_MODE="view", EPSILON_ATLAS_BUNDLES=str(folder)) as place:
        yield place


def followed(page, address: str):
    page.goto(address)
    page.locator(MAP).first.wait_for()
    settled(page)
    return page.locator(MAP).first


def at(page, x: float, y: float) -> tuple[float, float]:
    box = still(page, page.locator(".stage").first)
    return box["x"] + box["width"] * x, box["y"] + box["height"] * y


def click(page, x: float, y: float, chosen: str) -> None:
    """Click on the map as a person does: again, if what loads above it moved it away. ``chosen``: what it must have then."""
    for _ in range(3):
        page.mouse.click(*at(page, x, y))
        try:
            page.locator(chosen).first.wait_for(timeout=40_000)
        except TimeoutError:
            settled(page)
            continue
        return settled(page)
    raise AssertionError(f"no click on the map led to {chosen}")


def test_zoom_and_filters_change_the_flows_without_the_server_which_is_told_each_level_once(page, viewers):
    """The list beside the map is of its level, so the page hears of that; the map waits for nothing."""
    sent = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda data: sent.append(data)))  # noqa: PLW0108
    seen = followed(page, f"{viewers}/viewer?release=six&view=flows&rung=2")
    page.locator("[data-numbers=estimate]").first.wait_for()
    expect(seen).to_have_attribute("data-between", "districts")  # from afar
    before, asked = len(sent), len(page.requests)
    least = page.get_by_role("slider", name="Smallest flow shown").first
    said = least.get_attribute("aria-valuetext")
    least.fill("60")
    least.press("ArrowRight")
    page.locator(".legend", has_text=re.compile("below .* are not")).first.wait_for()
    expect(least).not_to_have_attribute("aria-valuetext", said)
    assert len(sent) == before
    for _ in range(3):
        page.get_by_role("button", name="Zoom in").first.click()
    page.locator("[data-between=tiles]").first.wait_for()
    page.get_by_role("button", name="Districts", exact=True).first.click()
    page.locator("[data-between=districts]").first.wait_for()
    settled(page)
    assert len(sent) <= before + 2
    assert len(page.requests) == asked
    click(page, 0.5, 0.4, "[data-chosen]:not([data-chosen=''])")
    page.get_by_text(re.compile("^Flows: District ")).first.wait_for()
    settled(page)
    expect(page).to_have_url(re.compile(r"district=\d"))
    expect(page.get_by_text(re.compile("Out of it")).first.locator("xpath=..")).to_contain_text(
        "likely range"
    )
    assert page.faults == []


def test_a_presentation_opens_with_the_districts_that_its_sentence_tells(page, viewers):
    page.set_viewport_size({"width": 2560, "height": 1440})
    seen = followed(page, f"{viewers}/viewer?release=six&view=flows&rung=2&present=1")
    expect(seen).to_have_attribute("data-between", "districts")
    page.get_by_role("button", name="By zoom", exact=True).first.click()
    expect(seen).to_have_attribute("data-between", "tiles")  # so near that it chose tiles before


def test_tiles_become_an_area_and_a_pair_and_the_keyboard_reaches_them_all(page, viewers):
    seen = followed(page, f"{viewers}/viewer?release=six&view=map&rung=2")
    click(page, 0.5, 0.5, "[data-chosen]:not([data-chosen=''])")
    page.keyboard.down("Shift")
    click(page, 0.6, 0.5, "[data-chosen*=',']")
    page.keyboard.up("Shift")
    page.get_by_role("heading", name="Area of 2 tiles", exact=True).wait_for()
    settled(page)
    page.get_by_role("button", name="Add tiles").first.click()
    click(page, 0.6, 0.6, "[data-chosen*=',']")
    page.get_by_role("heading", name="Area of 3 tiles", exact=True).wait_for()
    settled(page)
    expect(seen).to_have_attribute("data-chosen", re.compile("^[^,]+,[^,]+,[^,]+$"))
    expect(page.get_by_test_id("stMain")).to_contain_text("Sum of 3 released counts")
    page.get_by_role("button", name="Add tiles").first.click()
    click(page, 0.4, 0.4, "[data-other]:not([data-other=''])")
    page.get_by_text("→").first.wait_for()
    settled(page)
    expect(page).to_have_url(re.compile(r"tiles=[^&]+&with="))
    page.reload()
    page.get_by_role("heading", name="Area of 3 tiles", exact=True).wait_for()
    page.locator("[data-other]:not([data-other=''])").first.wait_for()
    settled(page)
    page.get_by_role("button", name="Clear", exact=True).first.press("Escape")
    page.locator("[data-chosen='']").first.wait_for()
    settled(page)
    expect(page).not_to_have_url(re.compile("tile"))
    box = page.get_by_role("combobox", name=re.compile("Click a tile")).first
    for text in ("r01c01", "r02c02"):

        def chosen(text: str = text) -> bool:  # again, if a redraw swallowed the typing
            box.fill(text)
            page.get_by_role("option", name=re.compile(text)).first.wait_for()
            box.press("Enter")
            try:
                page.wait_for_url(re.compile(text), timeout=20_000)
            except TimeoutError:
                return False
            return True

        until(page, chosen, f"{text} is chosen")
        box.press(
            "Escape"
        )  # an open list hides all the rest from those who do not see it, and from this test
    page.get_by_role("heading", name="Area of 2 tiles", exact=True).wait_for()
    expect(page).to_have_url(re.compile("tiles=r01c01%2Cr02c02"))
    assert page.faults == []
