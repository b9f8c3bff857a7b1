"""Maps of pydeck in a real browser, from a disk and without a network: drawn, asking nobody, with names as text."""

from __future__ import annotations

import io
import itertools

import numpy as np
import pytest
import shapely
from PIL import Image

import dpcore
from dpcore.tiles import Tessellation
from dpcore.views.ground.reading import colour_breaks
from dpcore.views.ground.shown import released_numbers as drawn_of
from dpcore.views.ground.style import class_colours, mark_colour
from dpcore.views.maps.deck import Said, flow_deck, tile_deck
from dpcore.views.numbers.sentences import OWNER_MARK
from tests.browser.conftest import until
from tests.release.made_releases import grid, made_release

pytestmark = pytest.mark.browser

HOSTILE = "</script><img src=x onerror=window.stolen=1>@@={{alert(1)}}"


@pytest.fixture(scope="module")
def release():
    return made_release(weights={"visits_per_tile": 1, "od_flows": 1}, tessellation=grid())


@pytest.fixture
def opened(chromium, tmp_path):
    """Open the page of a deck; every request but that for the file itself is stopped and remembered."""
    contexts = []

    def open_deck(deck):
        context = chromium.new_context(viewport={"width": 900, "height": 600})
        contexts.append(context)
        page = context.new_page()
        page.requests, page.faults = [], []
        (tmp_path / "map.html").write_text(deck.to_html(as_string=True), encoding="utf-8")
        address = f"file://{tmp_path / 'map.html'}"

        def seen(route):
            page.requests.append(route.request.url)
            if route.request.url == address:
                route.continue_()
            else:
                route.abort()

        context.route("**/*", seen)
        page.on("pageerror", lambda error: page.faults.append(str(error)))
        page.on("console", lambda said: page.faults.append(said.text) if said.type == "error" else None)
        page.goto(address)
        page.locator("canvas").first.wait_for()
        return page

    yield open_deck
    for context in contexts:
        context.close()


def calm(page) -> None:
    assert len(page.requests) == 1
    assert page.faults == []


def pixels(page, colour: tuple[int, int, int]) -> int:
    """How many pixels of the picture of the page have a colour, or nearly."""
    found = np.asarray(Image.open(io.BytesIO(page.screenshot())).convert("RGB")).astype(int)
    return int((np.abs(found - np.array(colour)).max(axis=2) <= 12).sum())


def drawn(page, colour: tuple[int, int, int], least: int) -> None:
    """Wait until enough of them are drawn."""
    until(page, lambda: pixels(page, colour) >= least, f"{least} pixels of {colour} are drawn")


def told_at(page, x: int, y: int) -> str:
    """What a pointer shows."""
    shifts = itertools.cycle((0, 1))

    def told() -> str:
        page.mouse.move(x + next(shifts), y)
        page.wait_for_timeout(150)
        tip = page.locator(".deck-tooltip")
        return tip.inner_text() if tip.is_visible() else ""

    return until(page, told, "the pointer shows words")


def rgb(colour: str) -> tuple[int, int, int]:
    return tuple(int(colour[at : at + 2], 16) for at in (1, 3, 5))


def test_tiles_are_drawn_and_explained_without_any_request(opened, release):
    page = opened(dpcore.deck(release, "visits_per_tile"))
    visits = release.measurements["visits_per_tile"]
    busiest = class_colours(len(colour_breaks(visits)) + 1)[-1]
    drawn(page, rgb(busiest), 5_000)
    words, canvas = (
        page.locator(name).first.bounding_box() for name in (".deck-json-description-box", "canvas")
    )
    assert words["y"] + words["height"] <= canvas["y"]  # neither hides some of the other
    middle = (canvas["x"] + canvas["width"] / 2, canvas["y"] + canvas["height"] / 2)
    told = told_at(page, round(middle[0]) + 2, round(middle[1]) + 3)
    assert told.startswith("Tile r12c12\n")
    tile = release.tessellation.tile_ids.index("r12c12")
    assert f"about {visits.values[-1][tile]} visits\n95 % range of the noise" in told
    assert "Visits per tile" in page.locator(".deck-json-description-box").inner_text()
    assert pixels(page, rgb(mark_colour())) == 0
    calm(page)


def test_flows_are_drawn_without_any_request(opened, release):
    page = opened(dpcore.deck(release, "od_flows"))
    drawn(page, (186, 40, 110), 500)
    calm(page)


@pytest.mark.parametrize("kind", ["tiles", "flows"])
def test_the_mark_of_a_preview_is_drawn_on_the_canvas(opened, release, kind):
    said = Said("", mark=OWNER_MARK)
    if kind == "tiles":
        visits = release.measurements["visits_per_tile"]
        deck = tile_deck(drawn_of(visits, -1), colour_breaks(visits), release.tessellation, said)
    else:
        deck = flow_deck(drawn_of(release.measurements["od_flows"], -1), release.tessellation, said)
    page = opened(deck)
    # only what the canvas holds
    page.add_style_tag(content=".deck-json-description-box, .deck-tooltip {display: none !important}")
    drawn(page, rgb(mark_colour()), 300)
    calm(page)


def test_a_hostile_name_is_shown_as_text(opened):
    squares = [shapely.box(x, y, x + 1, y + 1) for x in (0, 1) for y in (0, 1)]
    tiles = Tessellation.of(list("abcd"), [HOSTILE] * 4, squares, "test")
    release = made_release(weights={"visits_per_tile": 1}, tessellation=tiles)
    page = opened(dpcore.deck(release, "visits_per_tile"))
    drawn(page, rgb(class_colours(8)[-1]), 1_000)
    told = told_at(page, 560, 200)
    assert told.startswith(f"Tile {release.tessellation.tile_names[0]} (")
    assert "<img" in told
    assert page.evaluate("window.stolen") is None
    assert page.locator(".deck-tooltip img").count() == 0
    calm(page)
