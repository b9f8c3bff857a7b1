"""The viewer in a real browser, on a server for viewers only: drag, click, follow a link, present; nobody else is called."""

from __future__ import annotations

import json
import re
import struct
from urllib.parse import urlparse

import numpy as np
import pytest

from dpcore.release import write_bundle
from tests.browser.conftest import free_port, settled, started, wait_for
from tests.release.made import grid, made_release

pytestmark = pytest.mark.browser

READY = "[data-ready='true']"


@pytest.fixture(scope="module")
def release():
    return made_release(id="grid-1", title="A made grid", tessellation=grid(), epsilon="2")


@pytest.fixture(scope="module")
def viewers(tmp_path_factory, release):
    folder = tmp_path_factory.mktemp("bundles")
    write_bundle(release, folder / "grid")
    write_bundle(made_release(id="four-2", title="Four tiles"), folder / "four")
    port = free_port()
    app = started(
        tmp_path_factory.mktemp("viewer-home"),
        port,
        EPSILON_ATLAS_MODE="view",
        EPSILON_ATLAS_BUNDLES=str(folder),
    )
    try:
        wait_for(f"http://localhost:{port}")
        yield f"http://localhost:{port}"
    finally:
        app.terminate()
        app.wait(20)


@pytest.fixture
def frames(page):
    seen = {"received": [], "sent": 0}

    def listen(socket):
        socket.on("framereceived", lambda data: seen["received"].append(data))  # noqa: PLW0108 - Playwright marks the function
        socket.on("framesent", lambda _: seen.update(sent=seen["sent"] + 1))

    page.on("websocket", listen)
    return seen


def pixels(page) -> bytes:
    return page.locator(".stage").first.screenshot()


def message(frames, page):
    """The rungs and values of the map that travelled over the websocket."""
    frame = next(data for data in frames["received"] if isinstance(data, bytes) and b'{"version":1' in data)
    at = frame.index(b'{"version":')
    (length,) = struct.unpack_from("<I", frame, at - 4)
    header = json.loads(frame[at : at + length])
    (inner,) = struct.unpack_from("<I", frame, at + length)
    tiles = json.loads(frame[at + length + 4 : at + length + 4 + inner])["n"]
    shape = len(header["rungs"]), tiles
    at += length + header["geometry"]
    return header, np.frombuffer(frame, "<i4", shape[0] * shape[1], at).reshape(shape)


def test_library_drag_click_link_and_presentation(page, viewers, frames, release):
    page.goto(viewers)
    page.get_by_text("A made grid").first.wait_for(timeout=60_000)
    assert page.get_by_text("verified").count() == 2
    assert page.get_by_test_id("stSidebarNavLink").all_text_contents() != []

    # a link, as somebody sends it
    page.goto(f"{viewers}/viewer?release=grid-1&view=map&rung=0.5")
    page.locator(READY).first.wait_for(timeout=60_000)
    settled(page)
    slider = page.locator("input[type=range]").first
    steering = page.locator("[data-rung]").first
    assert steering.get_attribute("data-epsilon") == "0.5"
    header, values = message(frames, page)
    visits = release.measurements["visits_per_tile"]
    assert (values == visits.values[:, :-1]).all(), "the released values travel"
    assert header["tiles"]["truth"] is False
    assert page.get_by_text("not released; costs more").is_visible()

    # the thumb moves the picture, and nothing is sent
    box = slider.bounding_box()
    middle = box["y"] + box["height"] / 2
    last = len(release.plan.rungs) - 1
    at = [box["x"] + 10 + (box["width"] - 20) * rung / last for rung in range(last + 1)]
    page.mouse.move(at[3], middle)
    page.mouse.down()
    before, sent, asked = pixels(page), frames["sent"], len(page.requests)
    seen = set()
    for rung in (2, 1, 0):
        page.mouse.move(at[rung], middle, steps=4)
        page.wait_for_timeout(250)
        seen.add(page.locator(f"{READY}").first.get_attribute("data-epsilon"))
    assert seen == {"0.3", "0.2", "0.1"}, "the map follows the slider beside it"
    assert pixels(page) != before
    assert frames["sent"] == sent
    assert len(page.requests) == asked
    received = len(frames["received"])
    page.mouse.up()
    page.get_by_text("at most 52.5 %").first.wait_for(timeout=20_000)
    settled(page)
    assert frames["sent"] > sent
    assert "rung=0.1" in page.url
    assert not any(
        b'{"version":1' in data for data in frames["received"][received:] if isinstance(data, bytes)
    )

    # a tile that is clicked is told about, and the link names it
    stage = page.locator(".stage").first.bounding_box()
    page.mouse.click(stage["x"] + stage["width"] * 0.5, stage["y"] + stage["height"] * 0.5)
    page.get_by_text("Is it over").wait_for(timeout=20_000)
    settled(page)
    tile = re.search(r"tile=([^&]+)", page.url)[1]
    number = release.tessellation.tile_ids.index(tile)
    words = page.locator(".live").first.text_content()
    assert tile in words
    value, wide = int(visits.values[0][number]), visits.half_widths[0]
    shown = int(
        re.search(r"(?:about|noise:) ([\d,\u2212]+)", words)[1].replace(",", "").replace("\u2212", "-")
    )
    assert abs(shown - value) <= wide / 3 + 1

    # other views keep epsilon; the list of tiles moves the outline
    page.get_by_role("radio", name=re.compile("Rhythm")).or_(
        page.get_by_role("button", name=re.compile("Rhythm"))
    ).first.click()
    page.get_by_text("Trips a day").first.wait_for(timeout=20_000)
    settled(page)
    assert page.locator("[data-rung]").first.get_attribute("data-epsilon") == "0.1"
    page.get_by_role("radio", name=re.compile("Map")).or_(
        page.get_by_role("button", name=re.compile("^.*Map"))
    ).first.click()
    page.locator(READY).first.wait_for(timeout=30_000)
    settled(page)
    assert page.locator(READY).first.get_attribute("data-tile") == str(number)
    assert page.locator(READY).first.get_attribute("data-epsilon") == "0.1"

    # large and alone, and back
    page.get_by_role("button", name="Present").click()
    page.get_by_role("button", name="Exit presentation").wait_for(timeout=20_000)
    page.locator(READY).first.wait_for(timeout=30_000)
    settled(page)
    assert "present=1" in page.url
    assert not page.get_by_test_id("stSidebar").is_visible()
    assert page.locator(".stage").first.bounding_box()["width"] > stage["width"] * 1.3
    page.get_by_role("button", name="Exit presentation").click()
    page.get_by_role("button", name="Present", exact=True).wait_for(timeout=20_000)
    settled(page)
    assert "present" not in page.url

    hosts = {urlparse(url).netloc for url in list(page.requests) if not url.startswith(("data:", "blob:"))}
    assert hosts == {urlparse(viewers).netloc}
    assert page.faults == []
