"""The main job in a real browser: load, drag, toggle; what is seen is the ladder, and nobody else is called."""

from __future__ import annotations

import itertools
import re
from urllib.parse import urlparse

import numpy as np
import pytest
from playwright.sync_api import expect

from dpcore import demo
from tests.browser.conftest import another, chosen, more_choices, pixels, running, settled, still, until
from tests.conftest import SHARED
from tests.views.read_map import MAP, TILES, ReadMap, ReadTiles

pytestmark = pytest.mark.browser

READY = "[data-ready='true']"


@pytest.fixture
def frames(page):
    """Everything the server sent, and how often the browser spoke."""
    seen = {"received": [], "sent": 0}

    def listen(socket):
        socket.on("framereceived", lambda data: seen["received"].append(data))  # noqa: PLW0108 - Playwright marks the function
        socket.on("framesent", lambda _: seen.update(sent=seen["sent"] + 1))

    page.on("websocket", listen)
    return seen


def bytes_of(frames) -> list[bytes]:
    return [data for data in frames["received"] if isinstance(data, bytes)]


def opened(page, address: str):
    page.goto(address)
    return ready(page)


def ready(page):
    first = page.locator(READY).first
    first.wait_for()
    page.get_by_text("How ε =").first.wait_for()
    still(page, page.locator(".stage").first)
    return first


def only_this_host(page, address: str) -> None:
    hosts = {urlparse(url).netloc for url in list(page.requests) if not url.startswith(("data:", "blob:"))}
    assert hosts == {urlparse(address).netloc}
    assert page.faults == []


def hovered_tile(page) -> str:
    """Words of the tile in the middle of the picture (a little aside of the river)."""
    box = still(page, page.locator(".stage").first)
    places = itertools.cycle(((0.55, 0.6), (0.45, 0.4), (0.6, 0.5), (0.5, 0.3)))

    def words_there() -> str:
        dx, dy = next(places)
        page.mouse.move(box["x"] + box["width"] * dx, box["y"] + box["height"] * dy)
        page.wait_for_timeout(500)
        return page.locator(".live").first.text_content()

    return until(page, words_there, "a tile is under the pointer")


def number(text: str) -> int:
    return int(text.replace(",", "").replace("\u2212", "-"))


def test_the_map_follows_the_thumb_without_the_server(page, address, frames):
    root = opened(page, address)
    slider = page.locator("input[type=range]").first
    box = still(page, slider)
    middle = box["y"] + box["height"] / 2
    at = {rung: box["x"] + 10 + (box["width"] - 20) * rung / 12 for rung in range(13)}
    page.mouse.move(at[5], middle)
    page.mouse.down()
    before, sent, asked = pixels(page), frames["sent"], len(page.requests)
    for rung, epsilon in ((4, "0.75"), (2, "0.3"), (0, "0.1")):
        page.mouse.move(at[rung], middle, steps=4)
        expect(root).to_have_attribute("data-epsilon", epsilon)
    another(page, before)  # the picture follows the thumb
    assert frames["sent"] == sent, "nothing is sent while dragging"
    assert len(page.requests) == asked
    page.mouse.up()
    page.get_by_text("ε = 0.1").nth(1).wait_for()
    page.get_by_text("becomes right at most 53 times").first.wait_for()
    assert frames["sent"] > sent
    only_this_host(page, address)


def test_the_curve_is_dragged_as_the_slider_is_and_python_hears_of_it_once(page, address, frames):
    root = opened(page, address)
    curve, handle = page.locator(".tradeoff"), page.locator(".tradeoff input[type=range]")
    expect(curve).to_have_attribute("data-user", "13")  # all stops are counted from the truth
    expect(curve).to_have_attribute("data-trip", "13")
    box = still(page, handle)
    at = {rung: box["x"] + 10 + (box["width"] - 20) * rung / 12 for rung in range(13)}
    page.mouse.move(at[5], box["y"] + 40)
    page.mouse.down()
    sent = frames["sent"]
    page.mouse.move(at[1], box["y"] + 40, steps=4)
    expect(curve).to_have_attribute("data-epsilon", "0.2")
    expect(root).to_have_attribute("data-epsilon", "0.2")
    assert frames["sent"] == sent, "nothing is sent while dragging"
    page.mouse.up()
    page.get_by_text("at ε = 0.2").first.wait_for()
    handle.press("ArrowLeft")
    expect(root).to_have_attribute("data-epsilon", "0.1")
    page.get_by_text("at ε = 0.1").first.wait_for()
    assert "if the release hides one trip" in handle.get_attribute("aria-valuetext")
    page.locator(".ladder input[type=range]").first.press("End")
    expect(curve).to_have_attribute("data-epsilon", "10")
    only_this_host(page, address)


def test_every_stop_shows_the_values_of_one_ladder(page, address, frames):
    root = opened(page, address)
    sent = bytes_of(frames)
    message = ReadMap(next(data for data in sent if MAP in data))
    ids = ReadTiles(next(data for data in sent if TILES in data)).head["ids"]
    page.get_by_role("button", name="Drawn", exact=True).first.click()
    slider = page.locator("input[type=range]").first
    told = {}
    for _ in range(2):
        for key in ("ArrowLeft", "ArrowLeft", "ArrowRight", "ArrowRight"):
            slider.focus()
            page.keyboard.press(key)
            words = hovered_tile(page)
            rung = int(root.get_attribute("data-rung"))
            tile = ids.index(re.search(r"\((\w+)\):", words)[1])
            value, wide = int(message.values[rung, tile]), message.head["tiles"]["half_widths"][rung]
            shown, low, high = (
                number(n)
                for n in re.search(
                    r"drawn value: ([\d,\u2212]+)[^(]*\(95\u00a0% range of the noise ([\d,\u2212]+) to ([\d,\u2212]+)\)",
                    words,
                ).groups()
            )
            step = 10 ** int(np.log10(wide / 3)) if wide > 3 else 1
            assert abs(shown - value) <= step
            assert abs(low - (value - wide)) <= step
            assert abs(high - (value + wide)) <= step
            drawn = (shown, low, high)  # the estimate of a stop is told once Python has it
            assert told.setdefault((rung, tile), drawn) == drawn, "coming back shows the same value"
    assert len({rung for rung, _ in told}) >= 3


def test_the_estimate_comes_first_and_is_never_shown_at_another_stop(page, address):
    root = opened(page, address)
    page.locator(".ladder[data-numbers=estimate]").first.wait_for()
    expect(root).to_have_attribute("data-mode", "estimate")
    words = hovered_tile(page)
    assert "likely range" in words
    assert "of all trips" in words
    assert "drawn value:" in words
    assert "true, all trips:" in words
    slider = page.locator("input[type=range]").first
    box = still(page, slider)
    middle = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 10 + (box["width"] - 20) * 5 / 12, middle)
    page.mouse.down()
    page.mouse.move(box["x"] + 10, middle, steps=6)
    expect(root).to_have_attribute("data-numbers", "waiting")
    expect(page.locator(".ladder .legend").first).to_contain_text("Drawn values while you drag")
    page.mouse.up()
    page.locator(".ladder[data-numbers=estimate]").first.wait_for()
    for card, told in (
        ("Known tiles", "of 150"),
        ("Beside the truth", "of 100 visits"),
        ("Trips that count", "%"),
    ):
        expect(page.get_by_test_id("stMetric").filter(has_text=card).first).to_contain_text(told)
    only_this_host(page, address)


def test_the_truth_and_the_difference_are_other_pictures(page, address):
    """Of a person: the noise of one trip is often too small to move any tile to another colour."""
    opened(page, address)
    drawn = pixels(page)
    page.get_by_role("button", name="True", exact=True).first.click()
    true = another(page, drawn)
    page.get_by_role("button", name="Difference", exact=True).first.click()
    another(page, true)
    only_this_host(page, address)


def test_the_toggle_changes_promise_numbers_and_picture(page, address, frames):
    opened(page, address)
    assert sum(TILES in frame for frame in bytes_of(frames)) == 1
    before = pixels(page)
    numbers = page.get_by_test_id("stMetricValue").all_text_contents()
    page.get_by_role("radio", name="One trip").or_(page.get_by_role("button", name="One trip")).first.click()
    page.get_by_text("Protects one trip").first.wait_for()
    page.wait_for_function(
        """before => {
          const now = [...document.querySelectorAll("[data-testid=stMetricValue]")].map((one) => one.textContent);
          return !now.includes("…") && JSON.stringify(now) !== JSON.stringify(before);
        }""",
        arg=numbers,
    )
    another(page, before)
    assert sum(TILES in frame for frame in bytes_of(frames)) == 1, "other counts, the same tiles: sent once"
    only_this_host(page, address)


def inked(canvas) -> int:
    """How many points of a canvas are not empty."""
    return canvas.evaluate(
        "(canvas) => canvas.width && canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data"
        ".reduce((sum, value, i) => sum + (i % 4 === 3 && value > 0), 0)"
    )


def test_the_flows_of_the_report_are_drawn_in_a_tab_that_is_opened_later(page, address):
    """The map of visits stands in a tab before it: what that one remembers must not hide the flows."""
    page.goto(f"{address}/report")
    page.get_by_text("The numbers").first.wait_for()
    settled(page)
    for tab in ("Place", "Origin and destination"):
        page.get_by_role("tab", name=tab).click()
        page.locator(".ladder[data-ready=true]:visible").first.wait_for()
    flows = page.locator(".ladder[data-flows=shown]:has(.overlay)")
    flows.wait_for()
    assert flows.bounding_box()["width"] > 300
    until(page, lambda: inked(flows.locator(".overlay")) > 500, "arcs are on the map")
    page.reload()
    expect(page.get_by_role("tab", name="Origin and destination")).to_have_attribute("aria-selected", "true")
    assert page.faults == []


@pytest.fixture
def real_files(tmp_path):
    """Real trips and tiles where they are there, else those of a synthetic city in the same forms."""
    trips = SHARED / "real" / "foursquare_nyc" / "trips.csv.gz"
    tiles = SHARED / "real" / "nyc_taxi" / "taxi_zones.geojson"
    if trips.exists() and tiles.exists():
        return trips, tiles, "America/New York", "67,994"
    demo.write_city(tmp_path, 20_000, 80, 11)
    return tmp_path / "trips.csv", tmp_path / "tiles.geojson", "Europe/Berlin", "20,000"


def test_own_files_load_through_the_uploader_and_are_explored(page, address, real_files):
    trips, tiles, zone, count = real_files
    page.goto(f"{address}/data")
    page.locator("input[type=file]").first.set_input_files(trips)
    page.get_by_text(trips.name).first.wait_for()
    page.locator("input[type=file]").nth(1).set_input_files(tiles)
    page.get_by_text("Property that names a tile").wait_for()
    settled(page)
    if "taxi" in tiles.name:
        page.get_by_text("Tiles with the same id are one tile", exact=True).click()
        settled(page)
        expect(page.get_by_role("checkbox", name="Tiles with the same id are one tile")).to_be_checked()
    chosen(page, "Time zone of the city", zone)
    load = page.get_by_role("button", name="Load", exact=True)
    expect(load).to_be_enabled()
    load.click()
    page.get_by_text("Owner preview: for the owner only").first.wait_for()
    assert count not in page.content(), "nothing is counted before the owner looks"
    page.get_by_role("button", name="Look first").click()
    page.get_by_text("Explore these trips").wait_for()
    expect(page.get_by_test_id("stMetricValue").filter(has_text=count).first).to_have_text(count)
    page.get_by_text("Explore these trips").click()
    ready(page)
    expect(page.locator(".banner").first).to_contain_text("Owner preview: for the owner only")
    noise = page.get_by_text("Noise of a released count: ±").first
    before_moves = noise.text_content()
    slider = page.locator("input[type=range]").first
    slider.focus()
    before = pixels(page)
    for _ in range(5):
        page.keyboard.press("ArrowLeft")
    page.get_by_text("becomes right at most 53 times").first.wait_for()
    another(page, before)
    expect(noise).not_to_have_text(before_moves)
    only_this_host(page, address)


def test_the_first_visit_of_a_new_server_goes_through_the_router(page, tmp_path):
    """Streamlit would run a file that lies directly in pages/ by itself: none does, and this says so."""
    with running(tmp_path) as place:
        page.goto(f"{place}/data")
        page.get_by_text("1 Trips").wait_for()
        settled(page)
        assert page.get_by_role("dialog").count() == 0, "no word of a page that is not found"
        expect(page.get_by_test_id("stSidebarNavLink")).to_have_count(12)
        links = page.get_by_test_id("stSidebarNavLink").all_text_contents()
        names = (
            "Data",
            "Explore",
            "Release",
            "Report",
            "Compare",
            "Synthesize",
            "Trajectories",
            "Library",
            "Viewer",
            "Story",
            "Lessons",
            "Glossary",
        )
        assert len(links) == len(names)
        assert all(link.endswith(name) for link, name in zip(links, names, strict=True))
        expect(page.get_by_text("Owner", exact=True).first).to_be_attached()


def test_drawn_values_merge_to_regions_as_estimates_do_and_the_truth_never(page, address):
    opened(page, address)
    more_choices(page)
    page.get_by_role("radio", name="± 20 %").or_(page.get_by_role("button", name="± 20 %")).first.click()
    page.locator(".legend", has_text="noise of a region").first.wait_for()
    assert hovered_tile(page).startswith("Region of ")
    page.get_by_role("button", name="Drawn", exact=True).first.click()
    page.mouse.move(0, 0)
    words = hovered_tile(page)
    assert words.startswith("Region of ")
    assert re.search(
        r"drawn values add up to about [\d,]+ visits \(noise at most ±(\d|1\d|20) %\)|few or drowned", words
    )
    assert "drawn visits per tile, mean of a region" in page.locator(".legend table").first.get_attribute(
        "aria-label"
    )
    page.get_by_role("button", name="True", exact=True).first.click()
    page.mouse.move(0, 0)
    assert not hovered_tile(page).startswith("Region of ")
    assert page.faults == []


def test_a_place_chosen_on_one_map_is_chosen_on_both_and_stays_after_a_reload(page, address):
    opened(page, address)
    flows = page.locator(".ladder[data-between]")
    flows.locator(".stage").scroll_into_view_if_needed()
    settled(page)
    flows.locator(".stage").click(position={"x": 200, "y": 200})
    flows.and_(page.locator("[data-chosen]:not([data-chosen=''])")).wait_for()
    tile = flows.get_attribute("data-chosen")
    both = page.locator(f".ladder[data-chosen='{tile}']")
    expect(both).to_have_count(2)
    page.get_by_role("heading", name=re.compile("^Flows: ")).wait_for()
    settled(page)
    page.reload()
    ready(page)
    expect(both).to_have_count(2)
    page.get_by_role("button", name="Clear", exact=True).last.click()
    expect(page.locator(".ladder[data-chosen='']")).to_have_count(2)
    expect(page.get_by_role("heading", name=re.compile("^Flows: "))).to_have_count(0)
    assert page.faults == []


def test_the_list_of_flows_is_of_the_level_that_the_map_draws(page, address):
    opened(page, address)
    flows, listed = page.locator(".ladder[data-between]"), page.get_by_test_id("stMain")
    flows.locator(".stage").scroll_into_view_if_needed()
    expect(flows).to_have_attribute("data-between", "districts")
    expect(listed).to_contain_text("Trips within a district")
    flows.get_by_role("button", name="Tiles", exact=True).click()
    expect(listed).to_contain_text("Trips within a tile")
    flows.get_by_role("button", name="By zoom", exact=True).click()
    expect(listed).to_contain_text("Trips within a district")
    everything = flows.get_by_role("button", name="Show all tiles")
    expect(everything).to_be_hidden()
    for _ in range(12):
        flows.get_by_role("button", name="Zoom in").click()
        if flows.get_attribute("data-between") == "tiles":
            break
        settled(page)
    expect(flows).to_have_attribute("data-between", "tiles")
    expect(listed).to_contain_text("Trips within a tile")
    everything.click()
    expect(listed).to_contain_text("Trips within a district")
    assert page.faults == []


def test_a_map_that_was_refused_once_comes_by_itself(page, address):
    page.route(re.compile(r"/index\.js\?v="), lambda route: route.abort(), times=1)
    with page.expect_event("requestfailed", lambda failed: "/index.js?v=" in failed.url):
        page.goto(address)
    ready(page)
    expect(page.get_by_role("button", name="Try again")).to_have_count(0)


def test_a_map_that_did_not_come_is_tried_again_and_true_counts_have_no_noise(page, address):
    page.route(re.compile(r"/index\.js\?v="), lambda route: route.abort())
    page.goto(address)
    again = page.get_by_role("button", name="Try again").first
    again.wait_for()
    expect(page.locator(".ladder").first).to_have_attribute("data-ready", "failed")
    page.unroute_all()
    again.click()
    ready(page)
    expect(again).to_have_count(0)
    more_choices(page)
    chosen(page, "Compare with", "True counts")
    note = page.locator(".ladder .note").first
    expect(note).to_contain_text("True counts: no noise")
    expect(note).not_to_contain_text("rawn values")


def test_a_bound_that_is_written_with_an_exponent_is_that_number(page, address):
    page.goto(f"{address}/release")
    bound = page.get_by_role("spinbutton", name="Trips counted per person")
    bound.fill("1e2")
    bound.press("Enter")
    expect(bound).to_have_value("100")
    page.get_by_text("at most 100 trips").first.wait_for()
