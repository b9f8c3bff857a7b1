"""On the pages of releases nothing that stays is mounted anew, keeps its focus, and no map jumps: Viewer, Library and Story."""

from __future__ import annotations

import re

import pytest

from dpcore.measures.choices import KeyChoices
from dpcore.release import write_bundle
from dpcore.tiles import halved
from tests.browser.conftest import running, settled
from tests.browser.staying import Step, picked, pressed, stays, switched, watched
from tests.release.made_releases import WEEK, grid, made_release

pytestmark = pytest.mark.browser

TABLES = {"visits_per_tile": 4, "visits_per_time_tile": 2, "od_districts": 2, "total_trips": 1} | {
    "trips_per_hour": 2,
    "trips_over_time": 1,
}
SPLIT = {"visits_per_tile": 40, "od_flows": 20, "trips_per_hour": 20, "trips_over_time": 20}
# Lists of places start with what was chosen elsewhere, and a widget of Streamlit takes its start once (``key_showing``).
LISTS = (
    "Open of",
    "Clear all of",
    "Remove ",
    "Help for Click",
    "Click a",
    "Flows between it and",
    "Tiles",
    "Districts",
)
# Another view has another map.
ANOTHER_MAP = ("Zoom ", "Show all tiles", "Find a place", "Clear", "Add ", *LISTS)


@pytest.fixture(scope="module")
def viewers(tmp_path_factory):
    folder, tiles = tmp_path_factory.mktemp("bundles"), grid()
    choices = KeyChoices(WEEK, districts=halved(tiles, 6), most_trips=12)
    whole = made_release(
        id="six", title="Six", tessellation=tiles, epsilon="2", weights=TABLES, choices=choices
    )
    write_bundle(whole, folder / "six")
    choices = KeyChoices(WEEK, splits={"mode": ["bus", "rail"]})
    split = made_release(
        id="split", title="By mode", weights=SPLIT, choices=choices, tessellation=tiles, epsilon="2"
    )
    write_bundle(split, folder / "split")
    home, looking = tmp_path_factory.mktemp("home"), {"EPSILON_ATLAS_MODE": "view"}
    with running(home, **looking, EPSILON_ATLAS_BUNDLES=str(folder)) as place:
        yield place


def opened(page, address: str):
    watched(page).goto(address)
    page.locator("[data-ready='true']").first.wait_for()
    settled(page)
    page.get_by_role("button", name="Zoom in").first.click()
    return page.locator("input[type=range]").first


def numbers(page, slider) -> list[Step]:
    return [
        Step("a key of the slider", pressed(slider, "ArrowLeft")),
        Step("released counts", switched(page, "Released counts")),
        Step("estimates", switched(page, re.compile("^Estimate"))),
    ]


def test_on_the_map_of_a_release(page, viewers):
    slider = opened(page, f"{viewers}/viewer?release=six&view=map&rung=0.5")
    time, table = page.get_by_text("Time", exact=True).first, page.get_by_text("Show the numbers as a table")
    tiles = page.locator(".stage canvas").first
    nothing = page.locator(".ladder[data-chosen='']").first  # a map hears of a click a little later
    stays(
        page,
        *numbers(page, slider),
        Step("merged", page.get_by_text("± 20 %").first.click),
        Step("a tile", lambda: tiles.click(position={"x": 300, "y": 200}), LISTS),
        *numbers(page, slider),
        Step("another tile", lambda: tiles.click(position={"x": 400, "y": 250}), LISTS),
        Step(
            "districts",
            page.get_by_test_id("stButtonGroup").get_by_text("Districts", exact=True).click,
            LISTS,
        ),
        Step(
            "nothing",
            lambda: (tiles.click(position={"x": 300, "y": 200}), nothing.wait_for(state="attached")),
            LISTS,
        ),
        Step("time on", time.click),
        Step("later", page.get_by_role("button", name="Later window").click),
        *numbers(page, slider),
        Step("time off", time.click),
        Step("compared", picked(page, "Compare with", 0)),
        Step(
            "side by side", switched(page, "Side by side"), ("st-key-visits",)
        ),  # the second picture is another
        Step("time on, beside", time.click),
        Step("time off, beside", time.click),
        Step("numbers", table.click),
        Step("a key below numbers", pressed(slider, "ArrowRight")),
        Step("numbers away", table.click),
        Step("a view for the story", page.get_by_role("button", name="Add this view").click),
    )
    assert page.faults == []


def test_from_view_to_view_of_a_release(page, viewers):
    slider = opened(page, f"{viewers}/viewer?release=six&view=map&rung=0.5")
    tab = page.get_by_role("tab").nth(1)
    stays(
        page,
        Step("flows", switched(page, "Flows"), ANOTHER_MAP),
        *numbers(page, slider),
        Step(
            "a tile",
            lambda: page.locator(".stage canvas").first.click(position={"x": 250, "y": 200}),
            ANOTHER_MAP,
        ),
        *numbers(page, slider),
        Step("rhythm", switched(page, "Rhythm")),
        *numbers(page, slider),
        Step("ends", tab.click),
        Step("tables", page.get_by_text("Show the numbers as tables").click),
        Step("rankings", switched(page, "Rankings")),
        *numbers(page, slider),
        Step("measures", switched(page, "Measures")),
        Step("a section", tab.click, ("Help",)),
        *numbers(page, slider),
        Step("accuracy", switched(page, "Accuracy")),
        *numbers(page, slider),
        Step("the curve", pressed(page.locator(".tradeoff input[type=range]").first, "ArrowRight")),
        Step("guarantee", switched(page, "Guarantee")),
        Step("its facts", page.locator("summary").first.click),
        Step("download", switched(page, "Download")),
    )
    assert page.faults == []


def test_on_parts_of_a_release(page, viewers):
    page.goto("about:blank")
    watched(page).goto(f"{viewers}/viewer?release=split&view=map")
    page.get_by_text("These are sums over all").wait_for()

    def chip(name: str) -> Step:
        return Step(
            name, page.get_by_test_id("stButtonGroup").get_by_role("button", name=name, exact=True).click
        )

    stays(page, chip("bus"), chip("rail"), chip("bus"))
    stays(page, *numbers(page, page.locator("input[type=range]").first))
    assert page.faults == []


def test_while_a_story_is_arranged_and_played(page, viewers):
    watched(page).goto(f"{viewers}/story")
    settled(page)
    said = page.get_by_role("textbox", name="Sentence")

    def written(at: int, key: str) -> None:
        said.nth(at).fill(f"Look at {at}.")
        said.nth(at).press(key)

    # Sentences follow their steps to other places, where each is a field with another start.
    moved = ("Sentence", "undo")
    stays(
        page,
        Step("a release", picked(page, "Release", 1)),
        Step("start", page.get_by_role("button", name="Start").click),
        Step("a sentence", lambda: written(0, "Control+Enter")),
        Step("another sentence", lambda: written(1, "Tab")),
        Step("the title", lambda: page.get_by_role("textbox", name="Title").fill("Another title")),
        Step("left out", page.locator(".st-key-drop-1 button:visible").click, moved),
        Step("undone", page.get_by_role("button", name="Undo").click, moved),
        Step("played", page.get_by_role("button", name="Play", exact=True).click),
    )
    another = ("epsilon", *ANOTHER_MAP)  # a step has a map and a stop of its own
    stays(
        page,
        *(
            Step(f"{key} {at}", lambda key=key: page.keyboard.press(key), another)
            for at, key in enumerate(("ArrowRight", "ArrowRight", "ArrowLeft", "Home"))
        ),
    )
    assert page.faults == []
