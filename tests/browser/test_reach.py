"""The map by keys alone and by fingers alone, for whoever asks for little motion, and under the eyes of axe."""

from __future__ import annotations

import re
from importlib import resources

import pytest
from playwright.sync_api import expect

from dpcore.release import write_bundle
from tests.browser.conftest import running, settled, still, until
from tests.release.made_releases import grid, made_release

READY = "[data-ready='true']"
TIMED = "viewer?release=grid-1&view=map&rung=1&window=weekday.6-10&beside=weekend.6-10"
# Streamlit puts its groups of pages as <div> between the list of its menu and the items; nothing of ours is in it.
NOT_OURS = "[data-testid=stSidebarNavItems]"
AXE = f"""async () => {{
  const found = await axe.run({{ exclude: ["{NOT_OURS}"] }}, {{ resultTypes: ["violations"] }});
  const grave = found.violations.filter(({{ impact }}) => ["serious", "critical"].includes(impact));
  return grave.map(({{ id, nodes }}) => [id, ...nodes.map(({{ html }}) => html)].join(" "));
}}"""
FOCUSED = """() => {
  let one = document.activeElement;
  while (one.shadowRoot?.activeElement) one = one.shadowRoot.activeElement;
  return one.getAttribute("aria-label") || one.innerText || one.textContent || one.tagName;
}"""


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """An app with a release of time windows."""
    folder = tmp_path_factory.mktemp("bundles")
    release = made_release(id="grid-1", title="A made grid", tessellation=grid(), epsilon="2")
    write_bundle(release, folder / "grid")
    with running(tmp_path_factory.mktemp("home"), EPSILON_ATLAS_BUNDLES=str(folder)) as address:
        yield address


def opened(page, address: str):
    page.goto(address)
    page.locator(READY).first.wait_for()
    settled(page)
    return page.locator(READY).first


def grave(page) -> list[str]:
    """What axe finds on the page that is serious or worse."""
    script = resources.files("axe_playwright_python") / "axe.min.js"
    page.evaluate(script.read_text(encoding="utf-8"))
    return page.evaluate(AXE)


@pytest.mark.browser
def test_keys_alone_reach_slider_time_divider_tiles_and_all_that_follows(page, place):
    seen = opened(page, f"{place}/{TIMED}")
    page.get_by_role("radio", name="Map").focus()
    reached = []
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.append(page.evaluate(FOCUSED))
        if "as a table" in reached[-1]:
            break
    wanted = (
        "epsilon",
        "Later window",
        "Time window",
        "Divider",
        "Add tiles",
        "Zoom in",
        "Find a place",
        "as a table",
    )
    assert [name for name in wanted if not any(name in each for each in reached)] == [], reached
    page.get_by_label("Divider").press("ArrowRight")
    expect(page.get_by_label("Divider")).to_have_value("50.5")
    search = page.get_by_role("combobox", name="Find a place, district or tile").first
    seen.evaluate("map => { map.stays = true; }")
    for tile, chosen in (("r02c03", "data-chosen"), ("r05c05", "data-other")):
        search.fill(tile)
        search.press("Enter")
        expect(seen).not_to_have_attribute(chosen, "")
    page.wait_for_url(re.compile("tile=r02c03&with=r05c05"))
    assert seen.evaluate("map => map.stays"), "a choice does not draw the map anew"
    assert page.faults == []


@pytest.mark.browser
def test_fingers_choose_zoom_and_move_the_divider(chromium, place):
    context = chromium.new_context(viewport={"width": 400, "height": 860}, has_touch=True, is_mobile=True)
    page = context.new_page()
    seen = opened(page, f"{place}/{TIMED}")
    touch = context.new_cdp_session(page)

    def fingers(kind: str, *points: tuple[float, float]) -> None:
        at = [{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": at})

    def spread(*steps: tuple[tuple[float, float], ...]) -> None:
        fingers("touchStart", *steps[0])
        for points in steps[1:]:
            fingers("touchMove", *points)
            page.wait_for_timeout(50)
        fingers("touchEnd")

    divider = page.get_by_label("Divider")

    def divider_moved() -> bool:
        box = still(page, divider)
        middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        spread(*[((middle[0] - 12 * step, middle[1]),) for step in range(9)])
        return float(divider.input_value()) != 50

    # Chromium drops a touch that begins while it lays out the page: who misses tries again.
    until(page, divider_moved, "one finger moves the divider")
    assert float(divider.input_value()) < 35
    picture = still(page, page.locator(".stage").first)
    x, y = picture["x"] + picture["width"] * 0.75, picture["y"] + picture["height"] * 0.5
    before = page.locator(".stage").first.screenshot()

    def zoomed() -> bool:
        spread(*[((x - 15 - 6 * step, y), (x + 15 + 6 * step, y)) for step in range(8)])
        page.wait_for_timeout(400)
        return page.locator(".stage").first.screenshot() != before

    until(page, zoomed, "two fingers zoom")
    page.touchscreen.tap(x, y)
    expect(seen).not_to_have_attribute("data-chosen", "")
    page.wait_for_url(re.compile("tile="))
    context.close()


@pytest.mark.browser
def test_whoever_asks_for_little_motion_steps_through_time_by_hand(chromium, place):
    context = chromium.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    page = context.new_page()
    seen = opened(page, f"{place}/{TIMED}")
    expect(page.get_by_role("button", name="Play")).to_be_hidden()
    page.get_by_role("button", name="Later window").click()
    expect(seen).to_have_attribute("data-window", "2")
    context.close()


EVERY_DAY = ("", TIMED, "viewer?release=grid-1", "viewer?release=grid-1&view=flows")
OTHERS = (
    *(
        "data",
        "explore",
        "release",
        "report",
        "compare",
        "synthesize",
        "trajectories",
        "library",
        "lessons",
        "glossary",
    ),
    *(
        f"viewer?release=grid-1&view={view}"
        for view in ("rhythm", "rankings", "measures", "accuracy", "guarantee")
    ),
    *(
        "viewer?release=grid-1&view=download",
        "viewer?release=grid-1&view=map&present=1",
        "the_bill",
        "ghost_flows",
    ),
)


@pytest.mark.parametrize(
    "paths",
    [
        pytest.param(EVERY_DAY, marks=pytest.mark.browser, id="main pages"),
        pytest.param(OTHERS, marks=pytest.mark.audit, id="all others"),
    ],
)
def test_axe_finds_nothing_serious(chromium, place, paths):
    found = {}
    context = chromium.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    for path in paths:
        page.goto(f"{place}/{path}")
        page.locator("[data-testid=stMain] :is(h1, h2, h3)").first.wait_for()
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            settled(page)
            found[path, scheme] = grave(page)
    context.close()
    assert {where: what for where, what in found.items() if what} == {}
