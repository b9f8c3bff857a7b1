"""The viewer in a real browser, on a server for viewers only: drag, click, follow a link, present; nobody else is called."""

from __future__ import annotations

import re
from urllib.parse import urlparse

import pytest
from playwright.sync_api import TimeoutError, expect  # noqa: A004 - Playwright's own

from dpcore.release import write_bundle
from dpcore.tiles import Tessellation
from dpcore.views.maps.window_message import windows_of
from tests.browser.conftest import PATIENCE, another, pixels, running, settled, still
from tests.cities import four_tiles
from tests.release.made_releases import grid, made_release
from tests.views.read_map import ESTIMATES, MAP, WINDOWS, ReadMap

pytestmark = pytest.mark.browser

READY = "[data-ready='true']"
ADDRESSES = ("www.example.org", "https://example.org/a", "someone@example.org", "[b](//example.org)")
"""What a browser could take for links; here names out of a file."""


@pytest.fixture(scope="module")
def release():
    return made_release(id="grid-1", title="A made grid", tessellation=grid(), epsilon="2")


@pytest.fixture(scope="module")
def viewers(tmp_path_factory, release):
    """A server for viewers that nobody has visited yet."""
    folder = tmp_path_factory.mktemp("bundles")
    write_bundle(release, folder / "grid")
    write_bundle(made_release(id="four-2", title="Four tiles"), folder / "four")
    weights = {"visits_per_tile": 1, "od_flows": 2, "od_districts": 1}
    write_bundle(made_release(id="districts-4", title="Both levels", weights=weights), folder / "districts")
    tiles = Tessellation(four_tiles().tile_ids, ADDRESSES, four_tiles().polygons)
    write_bundle(made_release(id="links-3", title=ADDRESSES[0], tessellation=tiles), folder / "links")
    home, only_looking = tmp_path_factory.mktemp("viewer-home"), {"EPSILON_ATLAS_MODE": "view"}
    with running(home, **only_looking, EPSILON_ATLAS_BUNDLES=str(folder)) as place:
        yield place


@pytest.fixture
def frames(page):
    seen = {"received": [], "sent": 0}

    def listen(socket):
        socket.on("framereceived", lambda data: seen["received"].append(data))  # noqa: PLW0108 - Playwright marks the function
        socket.on("framesent", lambda _: seen.update(sent=seen["sent"] + 1))

    page.on("websocket", listen)
    return seen


def message(frames):
    """The header and the values of the map that travelled over the websocket."""
    read = ReadMap(next(data for data in frames["received"] if isinstance(data, bytes) and MAP in data))
    return read.head, read.values


def followed(page, viewers: str, link: str):
    """Follow a link as somebody sent it."""
    page.goto(f"{viewers}/viewer?{link}")
    page.locator(READY).first.wait_for()
    settled(page)
    return page.locator(READY).first


def switched(page, view: str) -> None:
    page.get_by_role("radio", name=re.compile(view)).or_(
        page.get_by_role("button", name=re.compile(view))
    ).first.click()


def tile_clicked(page, words: str = "Released count: about") -> None:
    """Click the tile in the middle of the map as a person does: again, if what loads above it moved it away."""
    said = page.get_by_text(words).first
    for _ in range(3):
        stage = still(page, page.locator(".stage").first)
        page.mouse.click(stage["x"] + stage["width"] * 0.5, stage["y"] + stage["height"] * 0.5)
        try:
            said.wait_for()
        except TimeoutError:
            settled(page)
            continue
        settled(page)
        return
    raise AssertionError("a click on the map chose no tile")


def only_this_host(page, viewers: str) -> None:
    hosts = {urlparse(url).netloc for url in list(page.requests) if not url.startswith(("data:", "blob:"))}
    assert hosts == {urlparse(viewers).netloc}
    assert page.faults == []


def test_the_map_follows_the_thumb_and_shows_the_released_values(page, viewers, frames, release):
    seen_map = followed(page, viewers, "release=grid-1&view=map&rung=0.5")
    assert page.get_by_role("dialog").count() == 0, "a link is good at the very first visit"
    slider = page.locator("input[type=range]").first
    expect(seen_map).to_have_attribute("data-epsilon", "0.5")
    header, values = message(frames)
    assert (values == release.measurements["visits_per_tile"].values[:, :-1]).all()
    assert header["tiles"]["truth"] is False
    expect(page.get_by_text("not released; costs more")).to_be_visible()
    box = still(page, slider)
    middle, last = box["y"] + box["height"] / 2, len(release.plan.rungs) - 1
    at = [box["x"] + 10 + (box["width"] - 20) * rung / last for rung in range(last + 1)]
    page.mouse.move(at[3], middle)
    page.mouse.down()
    before, sent, asked = pixels(page), frames["sent"], len(page.requests)
    for rung, epsilon in ((2, "0.3"), (1, "0.2"), (0, "0.1")):
        page.mouse.move(at[rung], middle, steps=4)
        expect(seen_map).to_have_attribute("data-epsilon", epsilon)
    another(page, before)
    expect(seen_map).to_have_attribute("data-numbers", "waiting")  # no estimate of another stop
    expect(page.locator(".legend").first).to_contain_text("estimate comes when you let go")
    assert frames["sent"] == sent, "nothing is sent while dragging"
    assert len(page.requests) == asked
    received = len(frames["received"])
    page.mouse.up()
    page.get_by_text("Shown at ε = 0.1: coarser numbers").first.wait_for()
    settled(page)
    page.locator("[data-numbers=estimate]").first.wait_for()
    assert frames["sent"] > sent
    expect(page).to_have_url(re.compile("rung=0.1"))
    later = [data for data in frames["received"][received:] if isinstance(data, bytes)]
    assert not any(MAP in data for data in later), "the map is not sent a second time"
    assert sum(ESTIMATES in data for data in later) == 1, "one message holds the estimates of the stop"
    only_this_host(page, viewers)


def test_a_tile_is_chosen_on_the_map_and_kept_in_every_view(page, viewers, release):
    seen_map = followed(page, viewers, "release=grid-1&view=map&rung=0.1")
    tile_clicked(page)
    page.wait_for_url(re.compile("tile="))
    tile = re.search(r"tile=([^&]+)", page.url)[1]
    number = release.tessellation.tile_ids.index(tile)
    live = page.locator(".live").first
    expect(live).to_contain_text(tile)
    words = live.text_content()
    visits = release.measurements["visits_per_tile"]
    shown = re.search(r"released count: ([\d,\u2212]+)", words)[1].replace(",", "").replace("\u2212", "-")
    assert abs(int(shown) - int(visits.values[0][number])) <= visits.half_widths[0] / 3 + 1
    switched(page, "Rhythm")
    page.get_by_text("Trips a day").first.wait_for()
    settled(page)
    expect(page.locator("[data-rung]").first).to_have_attribute("data-epsilon", "0.1")
    switched(page, "Map")
    seen_map.wait_for()
    settled(page)
    expect(seen_map).to_have_attribute("data-tile", str(number))
    expect(seen_map).to_have_attribute("data-epsilon", "0.1")
    other = release.tessellation.tile_ids[7]
    page.get_by_role("button", name="Clear", exact=True).first.click()
    settled(page)
    box = page.get_by_role("combobox", name=re.compile("Click a tile")).first
    box.click()
    box.fill(other)
    page.get_by_role("option", name=re.compile(other)).first.click()
    expect(seen_map).to_have_attribute("data-tile", "7")  # the list moves the outline
    settled(page)
    expect(page).to_have_url(re.compile(f"tile={re.escape(other)}"))
    only_this_host(page, viewers)


def test_one_switch_shows_released_counts_and_survives_a_reload(page, viewers):
    seen_map = followed(page, viewers, "release=grid-1&view=map&rung=2")
    page.locator("[data-numbers=estimate]").first.wait_for()
    tile_clicked(page)
    for word in ("likely range", "released count"):
        expect(page.locator(".live").first).to_contain_text(word)
    before = pixels(page)
    page.get_by_role("radio", name="Released counts").press("Space")  # as the keyboard does it
    page.locator("[data-numbers=released]").first.wait_for()
    settled(page)
    expect(page).to_have_url(re.compile("numbers=released"))
    another(page, before)
    page.reload()
    page.locator("[data-numbers=released]").first.wait_for()
    settled(page)
    expect(seen_map).to_be_visible()  # the numbers may be there before the picture
    only_this_host(page, viewers)


def test_the_section_of_the_report_that_is_open_survives_a_reload(page, viewers, release):
    page.goto(f"{viewers}/viewer?release=grid-1&view=measures&rung=2")
    part = page.get_by_role("tab", name="Place")
    part.click()
    page.wait_for_url(re.compile("section=place"))
    page.reload()
    expect(part).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("heading", name=release.plan.measure("visits_per_tile").title)).to_be_visible()
    only_this_host(page, viewers)


def test_tiles_merge_to_regions_with_one_colour_and_no_inner_borders(page, viewers):
    followed(page, viewers, "release=grid-1&view=map&rung=0.2")
    apart = pixels(page)
    choice = page.get_by_role("radio", name="± 50 %").or_(page.get_by_role("button", name="± 50 %")).first
    still(page, choice)
    choice.click()
    expect(page).to_have_url(re.compile("merge=50"))
    settled(page)
    page.locator("[data-numbers=estimate]").first.wait_for()
    another(page, apart)
    stage = still(page, page.locator(".stage").first)
    page.mouse.move(stage["x"] + stage["width"] * 0.5, stage["y"] + stage["height"] * 0.5)
    expect(page.locator(".tip").first).to_have_text(re.compile("^Region of "))
    expect(page.locator(".legend").first).to_contain_text("Colours follow this noise")
    only_this_host(page, viewers)


def test_time_plays_and_the_divider_moves_without_the_server(page, viewers, frames, release):
    seen_map = followed(
        page, viewers, "release=grid-1&view=map&rung=1&window=weekday.6-10&beside=weekend.6-10"
    )
    page.locator("[data-numbers=estimate]").first.wait_for()
    arrived = sum(WINDOWS in data for data in frames["received"] if isinstance(data, bytes))
    assert arrived == 1, "one message holds all windows of the stop"
    expect(seen_map).to_have_attribute("data-window", "1")
    bar, divider = page.get_by_label("Time window"), page.get_by_label("Divider")
    sent, received, asked = frames["sent"], len(frames["received"]), len(page.requests)
    page.get_by_role("button", name="Play").click()
    for window in ("2", "3"):
        page.locator(f"[data-ready][data-window='{window}']").wait_for()
    divider.scroll_into_view_if_needed()
    box = divider.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.2, box["y"] + box["height"] / 2, steps=8)
    page.mouse.up()
    assert float(divider.input_value()) < 25
    divider.press("ArrowRight")
    expect(page.get_by_text("Weekends, 6\N{EN DASH}10 h").last).to_be_visible()
    assert (frames["sent"], len(frames["received"]), len(page.requests)) == (sent, received, asked)
    page.get_by_role("button", name="Pause").click()
    page.locator("[data-playing=false]").wait_for()
    bar.fill(str(windows_of(release.plan).index("weekend.6-10") - 1))
    bar.press("ArrowRight")
    expect(page.get_by_text("The map shows the time window that it is compared with.")).to_be_visible()
    bar.fill("2")  # from here the next window is not the one beside
    bar.press("ArrowRight")
    page.locator("[data-ready][data-window='3']").wait_for()
    page.wait_for_url(re.compile(re.escape(f"window={windows_of(release.plan)[3]}")))
    page.get_by_role("radio", name="Difference").press("Space")
    page.locator("[data-ready][data-look=difference]").wait_for()
    page.wait_for_url(re.compile("as=difference"))
    expect(page.locator(".legend").first).to_contain_text(re.compile(r"could be noise\s*\d+ of 625 tiles"))
    only_this_host(page, viewers)


def test_one_legend_of_two_sides_counts_the_tiles_of_both(page, viewers):
    """Each number is that of the side seen alone."""
    link = "release=grid-1&view=map&rung=1&numbers=released&window={}"
    weekdays, weekend = "weekday.6-10", "weekend.6-10"

    def counted(query: str) -> dict[str, list[str]]:
        followed(page, viewers, query)
        legend = page.locator(".legend").first
        expect(legend.locator("[data-look]")).not_to_have_count(0)
        settled(page)
        looks = legend.locator("[data-look]")
        return {
            one.get_attribute("data-look"): re.findall(r"\d+", one.locator(".muted").text_content())
            for one in looks.all()
        }

    left, right = counted(link.format(weekdays)), counted(link.format(weekend))
    both = counted(f"{link.format(weekdays)}&beside={weekend}")
    assert both == {look: [*left[look], *right[look]] for look in left}
    assert left != right, "the sides differ, so one number would be wrong for one of them"


def test_a_presentation_is_the_picture_alone_and_ends(page, viewers):
    seen_map = followed(page, viewers, "release=grid-1&view=map&rung=0.5&present=1")
    page.get_by_role("button", name="Exit presentation").wait_for()
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    expect(page.get_by_role("button", name="Present", exact=True)).to_have_count(0)
    wide = still(page, page.locator(".stage").first)
    assert wide["width"] > 1_100
    assert wide["height"] == 900, "the picture is as large as the screen"
    assert wide["y"] == 0
    page.get_by_role("button", name="Exit presentation").click()
    page.get_by_role("button", name="Present", exact=True).wait_for()
    seen_map.wait_for()
    settled(page)
    expect(page).not_to_have_url(re.compile("present"))
    expect(seen_map).to_have_attribute("data-epsilon", "0.5")
    expect(page.get_by_test_id("stHeader")).to_be_visible()
    only_this_host(page, viewers)


def test_the_curve_of_a_release_moves_the_slider_and_ends_where_it_was_released(page, viewers, release):
    page.goto(f"{viewers}/viewer?release=grid-1&view=accuracy&rung=0.5")
    curve, handle = page.locator(".tradeoff[data-drawn]"), page.locator(".tradeoff input[type=range]")
    curve.wait_for()
    assert handle.get_attribute("max") == str(len(release.plan.rungs) - 1)
    assert page.locator(".tradeoff .curve.user.sure").count(), "solid where it is released"
    assert page.locator(".tradeoff .curve.user.open").count(), "dashed beyond"
    assert page.locator(".tradeoff .curve.trip.sure").count() == 0
    assert page.locator(".tradeoff .dot").count() == 0, "no truth is in it"
    assert "not from the truth" in page.locator(".tradeoff .words").inner_text()
    handle.press("ArrowRight")
    page.get_by_role("heading", name="At ε = 0.75").wait_for()
    expect(page.locator(".ladder[data-epsilon='0.75']")).to_have_count(1)
    only_this_host(page, viewers)


def test_names_that_look_like_addresses_are_no_links(page, viewers):
    for view, seen in (("map", "h3"), ("rankings", "[data-testid=stTable]")):
        page.goto(f"{viewers}/viewer?release=links-3&view={view}&tile=A")
        shown = page.locator(f"[data-testid=stMain] {seen}", has_text="example.org").first
        shown.wait_for()
        settled(page)
        assert page.locator("[data-testid=stMain] a[href*=example]:not([href^='#'])").count() == 0, view
    page.goto(f"{viewers}/library")
    page.get_by_text("example.org").first.wait_for()
    settled(page)
    assert page.locator("[data-testid=stMain] a[href*=example]:not([href^='#'])").count() == 0
    only_this_host(page, viewers)


def test_the_list_of_flows_and_the_noise_above_the_map_are_of_the_level_that_it_draws(page, viewers):
    followed(page, viewers, "release=districts-4&view=flows&numbers=released")
    flows, listed = page.locator(".ladder[data-between]"), page.get_by_test_id("stMain")
    noise = flows.locator(".note")
    said = {}
    for level, place in (("Districts", "district"), ("Tiles", "tile"), ("Districts", "district")):
        flows.get_by_role("button", name=level, exact=True).click()
        expect(flows).to_have_attribute("data-between", f"{place}s")
        expect(listed).to_contain_text(f"Trips within a {place}")
        assert said.setdefault(place, noise.inner_text()) == noise.inner_text()
        expect(listed).to_contain_text(said[place].removeprefix("each flow \N{PLUS-MINUS SIGN}").split()[0])
    assert said["district"] != said["tile"]
    only_this_host(page, viewers)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_all_columns_of_the_flows(chromium, viewers, scheme):
    context = chromium.new_context(viewport={"width": 400, "height": 860}, color_scheme=scheme)
    page = context.new_page()
    followed(page, viewers, "release=grid-1&view=flows")
    page.locator(".ladder[data-between]").get_by_role("button", name="Tiles", exact=True).click()
    lists = page.locator("[data-testid=stDataFrame] .dvn-scroller")
    page.get_by_text("released, of the trips that count").first.wait_for(state="attached")
    settled(page)
    wide = "(lists) => lists.map((one) => one.scrollWidth - one.clientWidth)"
    assert {*lists.evaluate_all(wide)} == {0}
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_the_first_finding_with_its_map_fills_the_first_screen(chromium, viewers, scheme):
    context = chromium.new_context(viewport={"width": 400, "height": 800}, color_scheme=scheme)
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    try:
        page.goto(f"{viewers}/viewer?release=grid-1")
        page.get_by_text("You in this data").wait_for()
        settled(page)
        first = page.get_by_test_id("stColumn").first
        picture = first.locator("img").bounding_box()
        assert first.get_by_text("busiest tile").bounding_box()["y"] < 400
        assert picture["width"] > 300
        assert picture["y"] + picture["height"] <= 800, "no part of the first map has to be scrolled to"
        assert page.evaluate("document.documentElement.scrollWidth") <= 400
        page.get_by_role("button", name="Explore the map").click()
        page.locator(READY).first.wait_for()
    finally:
        context.close()
