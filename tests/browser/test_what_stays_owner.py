"""On the owner's pages nothing that stays is mounted anew, keeps its focus, and no map jumps. Explore and Data: ``test_what_stays``."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest

from dpcore.release import write_bundle
from tests.browser.conftest import running, settled
from tests.browser.staying import Step, opened_part, picked, pressed, stays, switched, typed, watched
from tests.release.made_releases import grid, made_release

pytestmark = pytest.mark.browser

LISTED_BY_UNIT = ("Remove ", "Publish", "Clear all of Publish", "Open of Publish")
"""Each privacy unit has a list of measures of its own, with its own weights."""
MAIN = ("Review and publish",)
"""Streamlit draws the main button as another element than a plain one, and an offer of little has a plain one."""

CHOSEN = ("Open of Click", "Click a tile, or choose", "Help for Click a tile, or choose")
"""The list of places begins with what is chosen on the map, so it is another list then."""
SECOND = ("st-key-compared", "Divider between")
"""Where a map has two sides, its component draws the second one anew with each message (``pairUp``)."""
OTHER_HALF = (
    "Fullscreen: Colours",
    "The same in code",
    "codeThe same in code",
    "keyboard_arrow_rightAll tiles that may be chance",
)
"""Both halves of Compare have a legend, code and a list of what may be chance of their own."""


@pytest.fixture(scope="module")
def owners(tmp_path_factory):
    """A server of an owner with two releases of the same tiles."""
    folder, home = tmp_path_factory.mktemp("bundles"), tmp_path_factory.mktemp("home")
    for day, (name, epsilon) in enumerate((("first", "2"), ("second", "1")), 1):
        created = datetime(2024, 5, day, tzinfo=UTC)
        release = made_release(
            id=name, title=f"The {name}", tessellation=grid(), epsilon=epsilon, created=created
        )
        write_bundle(release, folder / name)
    with running(home, EPSILON_ATLAS_BUNDLES=str(folder)) as place:
        yield place


def followed(page, address: str, words: str) -> None:
    watched(page).goto(address)
    page.get_by_text(words).first.wait_for()
    settled(page)


def test_on_release(page, owners):
    followed(page, f"{owners}/release", "3 Publish")
    slider = page.get_by_role("slider", name=re.compile("Highest"))
    left, right = pressed(slider, "ArrowLeft"), pressed(slider, "ArrowRight")
    take = ("Take", *MAIN)  # another piece of advice
    stays(
        page,
        Step("a title", typed(page, "Title", "A release", "Enter")),
        Step("no title", typed(page, "Title", "", "Tab")),
        Step("a title again", typed(page, "Title", "A release", "Enter")),
        Step("one trip", switched(page, "One trip"), (*LISTED_BY_UNIT, *take)),
        Step("a person", switched(page, "A person"), (*LISTED_BY_UNIT, *take)),
        *(Step(f"less {at}", left, take) for at in range(3)),
        Step("more", right, take),
        Step("what is published", opened_part(page, "Change what is published")),
        Step("by accuracy", switched(page, re.compile("^Accuracy$")), take),
        Step("by epsilon", switched(page, re.compile("^Highest ε$")), take),
        Step("summaries", page.get_by_text("Five-number summaries").first.click, take),
        Step("no summaries", page.get_by_text("Five-number summaries").first.click, take),
        Step("ranges", page.get_by_text("Buy ranges of the bins").first.click, take),
        Step("no ranges", page.get_by_text("Buy ranges of the bins").first.click, take),
        Step("weights", opened_part(page, "Weights")),
        Step("even weights", page.get_by_role("button", name="Propose even weights").click, take),
        Step("one table less", page.get_by_role("button", name=re.compile("^Remove ")).last.click, take),
        Step("fewer trips", typed(page, "Trips, about", "50000", "Enter"), take),
        Step("more trips", typed(page, "Trips, about", "300000", "Enter"), take),
        Step("how chosen", page.get_by_text("After looking at the data").first.click),
        Step("the price", opened_part(page, "How the price comes about")),
        Step("its noise", opened_part(page, "The noise of every table")),
        Step("known ones", opened_part(page, "Beside known releases")),
        Step("more of them", page.get_by_text("Also without mobility").first.click),
        Step("M", opened_part(page, "How M changes")),
        Step("M is counted", page.get_by_role("button", name="Count what each M leaves out").click),
        Step("how chosen, again", page.get_by_text("After looking at the data").first.click),
        Step("reviewed", page.get_by_role("button", name=re.compile("^Review and publish")).click),
        Step("not published", lambda: page.keyboard.press("Escape")),
        Step("reviewed again", page.get_by_role("button", name=re.compile("^Review and publish")).click),
    )
    page.get_by_role("button", name=re.compile("^Publish and charge")).click()
    page.get_by_role("heading", name="Published").wait_for()
    stays(
        page,
        Step("less below a receipt", left, take),
        Step("lines of the ledger", opened_part(page, "Every line of")),
        Step("the ledger is whole", page.get_by_role("button", name="Check the whole ledger").click),
        Step("raised", opened_part(page, "Raise it to")),
        Step("asked", page.get_by_role("button", name=re.compile("^Raise to")).click),
        Step("not raised", lambda: page.keyboard.press("Escape")),
        Step("more below all of it", right, take),
    )
    assert page.faults == []


def test_on_compare_beside_the_truth(page, owners):
    followed(page, f"{owners}/compare", "How alike")
    for side, source in (("A is", "Truth of the loaded trips"), ("B is", "Preview at an ε")):
        picked(page, side, source)()
        settled(page)
    page.get_by_text("What do these numbers mean?").first.wait_for()
    slider = page.get_by_role("slider").first
    maps = page.get_by_role("heading", name="Both maps")
    stays(
        page,
        Step("a stop", pressed(slider, "ArrowLeft")),
        Step("swiped", switched(page, "Swipe")),
    )
    maps.scroll_into_view_if_needed()
    page.locator("[data-ready='true']").first.wait_for()
    page.get_by_role("button", name="Zoom in").first.click()
    stays(
        page,
        Step("another stop", pressed(slider, "ArrowLeft"), SECOND),
        Step("beside", switched(page, "Side by side"), SECOND),
        Step("a third stop", pressed(slider, "ArrowLeft"), SECOND),
        Step("the difference", switched(page, "Difference")),
        Step("counts", switched(page, "Counts")),
        Step("another table", picked(page, "Table", 1)),
        Step("at every ε", switched(page, "Likeness at every ε"), OTHER_HALF),
        Step(
            "curves",
            lambda: (
                page.get_by_role("button", name="Work out utility curves").click(),
                page.get_by_role("combobox", name=re.compile("Metric")).first.wait_for(),
            ),
        ),
        Step("a stop above curves", pressed(slider, "ArrowRight")),
        Step("another metric", picked(page, "Metric", 0)),
    )
    assert page.faults == []


def test_on_compare_of_two_releases(page, owners):
    followed(page, f"{owners}/compare", "How alike")
    stops = ("ε",)  # a release has stops of its own
    stays(
        page,
        Step("another release", picked(page, "Release", "The first", at=1), stops),
        Step("and back", picked(page, "Release", "The second", at=1), stops),
        Step("how alike", switched(page, "How alike"), OTHER_HALF),
        Step("a stop", pressed(page.get_by_role("slider").first, "ArrowLeft")),
        Step("what changed", switched(page, "What changed"), OTHER_HALF),
        Step("a file", picked(page, "B is", "Bundle from a file")),
    )
    assert page.faults == []


def test_on_synthesize(page, owners):
    followed(page, f"{owners}/synthesize", "How near")
    stays(
        page,
        Step("a stop", pressed(page.get_by_role("slider").first, "ArrowLeft")),
        Step("one trip", switched(page, "One trip")),
        Step("a person", switched(page, "A person")),
        Step("drawn again", page.get_by_role("button", name="Draw again").click),
        Step("routes", switched(page, "Routes")),
        Step("over time", switched(page, "Over time")),
        Step("counts", switched(page, "Counts")),
        Step("the difference", switched(page, "Difference")),
        Step("busiest days", page.get_by_role("tab", name="Busiest days").click),
        Step("the domain", opened_part(page, "What everybody may know")),
        Step("holidays", typed(page, "Holidays", "2024-03-29", "Enter")),
        Step("associations", page.get_by_text("Associations in a release").click),
        Step("shares", opened_part(page, "is shared betw")),
        Step("fewer draws", switched(page, re.compile("^5$"))),
        Step("a title", typed(page, "Title", "Trips", "Enter")),
        Step("every metric", opened_part(page, "Every metric of the")),
    )
    page.get_by_role("tab", name=re.compile("^Opal")).click()
    page.get_by_role("heading", name="A throw-away draw").wait_for()
    stays(
        page,
        Step("less", pressed(page.get_by_role("slider").first, "ArrowLeft")),
        Step("shares of epsilon", opened_part(page, "Shares of ε")),
        Step("one combination less", page.get_by_role("button", name=re.compile("^Remove ")).last.click),
        Step("dates together", page.get_by_text("Count each date apart").first.click),
        Step("dates apart", page.get_by_text("Count each date apart").first.click),
        Step("without delta", switched(page, "Without δ")),
        Step("drawn again", page.get_by_role("button", name="Draw again").click),
    )
    assert page.faults == []


def test_on_trajectories(page, owners):
    followed(page, f"{owners}/trajectories", "3 Promise")
    page.locator(".ladder[data-ready='true']").first.wait_for()
    page.get_by_role("button", name="Zoom in").first.click()
    slider = page.get_by_role("slider", name=re.compile("Critical"))
    grow = page.get_by_role("button", name=re.compile("^Grow"))
    stays(
        page,
        Step("a stop", pressed(slider, "ArrowLeft")),
        Step("a trip", switched(page, re.compile("^One trip|^A trip"))),
        Step("a day", switched(page, re.compile("day"))),
        Step("at times", page.get_by_text("Once for each move").click),
        Step("at moves", page.get_by_text("Once for each move").click),
        Step("a place outside", picked(page, "A visit outside", 1)),
        Step(
            "a tile",
            lambda: page.locator(".ladder .stage canvas").first.click(position={"x": 300, "y": 200}),
            CHOSEN,
        ),
        Step("a level", picked(page, "^Level$", 3), CHOSEN),
        Step("set", page.get_by_role("button", name="Set level").click, CHOSEN),
        Step("all critical", page.get_by_role("button", name="All Critical").click),
        Step("by file", opened_part(page, "file")),
        Step("lengths", opened_part(page, "long")),
        Step("counts as drawn", picked(page, "^Counts", 1)),
        Step("grown", lambda: (grow.click(), page.get_by_text("Uniform:").first.wait_for()), ("Grow",)),
        Step("a stop below a tree", pressed(slider, "ArrowRight")),
        Step("grown again", lambda: (grow.click(), page.get_by_text("Uniform:").first.wait_for()), ("Grow",)),
        Step(
            "typed", page.get_by_text("Type it").click, ("Help for How many",)
        ),  # another field of that name
        Step("a title", typed(page, "Title", "Ways", "Enter")),
    )
    assert page.faults == []


def test_on_report(page, owners):
    followed(page, f"{owners}/report", "The numbers")
    slider = page.locator("input[type=range]").first
    left = pressed(slider, "ArrowLeft")
    stays(
        page,
        Step("a stop", left),
        Step("its numbers", opened_part(page, "The numbers")),
        Step("another stop", left),
        Step("places", page.get_by_role("tab", name="Place").click, ("Help",)),
    )
    page.locator("[data-ready='true']").first.wait_for()
    page.get_by_role("button", name="Zoom in").first.click()
    stays(
        page,
        Step("a third stop", left, lines=2),
        Step("a tile", lambda: page.locator(".stage canvas").first.click(position={"x": 300, "y": 200})),
        Step("a stop below a tile", pressed(slider, "ArrowRight"), lines=2),
        Step("true maps", opened_part(page, "true")),
        Step("code", opened_part(page, "The same in code")),
    )
    assert page.faults == []
