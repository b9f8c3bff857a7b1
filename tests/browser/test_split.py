"""A release whose tables are split, in a real browser: chips, one part, all parts, the address, a reload."""

from __future__ import annotations

import itertools
from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import expect

from dpcore.measures.choices import KeyChoices
from dpcore.release import write_bundle
from tests.browser.conftest import running, settled, still, until
from tests.release.made_releases import WEEK, grid, made_release

pytestmark = pytest.mark.browser

HOSTILE = 'rail, "<b>fast</b>"'
WEIGHTS = {"visits_per_tile": 40, "od_flows": 20, "trips_per_hour": 20, "trips_over_time": 20}
READY = "[data-ready='true']"


@pytest.fixture(scope="module")
def viewers(tmp_path_factory):
    folder, home = tmp_path_factory.mktemp("split-bundles"), tmp_path_factory.mktemp("split-home")
    choices = KeyChoices(WEEK, splits={"mode": ["bus", HOSTILE]})
    release = made_release(
        id="split-1", title="By mode", weights=WEIGHTS, choices=choices, tessellation=grid(), epsilon="2"
    )
    write_bundle(release, folder / "split")
    told = KeyChoices(WEEK, sums={"duration": "0:90:1"}, by="visits_per_tile")
    means = made_release(
        id="means-1", title="Means", weights={"mean_duration": 1}, choices=told, epsilon="20"
    )
    write_bundle(means, folder / "means")
    with running(home, EPSILON_ATLAS_MODE="view", EPSILON_ATLAS_BUNDLES=str(folder)) as place:
        yield place


def part_of(url: str) -> str:
    return parse_qs(urlparse(url).query).get("part", [""])[0]


def chip(page, label: str):
    return page.get_by_test_id("stButtonGroup").get_by_role("button", name=label, exact=True)


def test_chips_choose_parts_and_a_reload_keeps_them(page, viewers):
    page.goto(f"{viewers}/viewer?release=split-1&view=map")
    expect(page.get_by_text("These are sums over all 4 parts")).to_be_visible(timeout=180_000)
    expect(page.locator("[data-testid=stImage] img")).to_have_count(5)
    settled(page)

    chip(page, "bus").click()
    page.locator(READY).first.wait_for(timeout=180_000)
    settled(page)
    expect(
        page.get_by_text("nothing tells which share of the trips of a category counts").first
    ).to_be_visible()
    page.wait_for_url(lambda url: part_of(url) == "mode:bus")

    chip(page, HOSTILE).click()
    expect(page.get_by_text("These are sums over 2 parts")).to_be_visible()
    chip(page, "bus").click()
    page.locator(READY).first.wait_for(timeout=180_000)
    settled(page)
    link = page.url
    assert "%2522" in link or "%22" in link
    page.reload()
    page.locator(READY).first.wait_for(timeout=180_000)
    settled(page)
    expect(page).to_have_url(link)
    expect(chip(page, HOSTILE)).to_have_attribute("aria-pressed", "true")
    assert page.locator("b", has_text="fast").count() == 0
    assert page.faults == []


def test_a_map_of_means_tells_each_tile_and_asks_nobody(page, viewers):
    page.goto(f"{viewers}/viewer?release=means-1&view=map&colours=mean_duration")
    canvas = page.get_by_test_id("stDeckGlJsonChart").locator("canvas").first
    canvas.wait_for()
    expect(page.get_by_text("Mean of duration by tile, in minutes")).to_be_visible()
    box = still(page, canvas)
    tip = page.locator(".deck-tooltip")
    shares = itertools.cycle((0.45, 0.55, 0.5))

    def pointed() -> bool:
        page.mouse.move(box["x"] + box["width"] * next(shares), box["y"] + box["height"] * 0.45)
        page.wait_for_timeout(300)
        return tip.is_visible()

    until(page, pointed, "a tile is under the pointer")
    expect(tip).to_contain_text("95 % range")
    others = [
        one
        for one in page.requests
        if not one.startswith((viewers, viewers.replace("http", "ws"), "data:", "blob:"))
    ]
    assert others == []
    assert page.faults == []
