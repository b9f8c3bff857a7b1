"""In lessons nothing that stays is mounted anew: one of them for each kind of parts that lessons are made of."""

from __future__ import annotations

import re

import pytest

from tests.browser.conftest import settled
from tests.browser.staying import Step, opened_part, picked, pressed, stays, switched, watched

pytestmark = pytest.mark.browser


def followed(page, address: str, name: str) -> None:
    watched(page).goto(f"{address}/{name}")
    page.get_by_role("heading", name="Check yourself").wait_for()
    settled(page)


def answered(page) -> Step:
    return Step("an answer", page.get_by_role("radiogroup").last.locator("label").last.click)


def test_with_tabs_sliders_and_a_class(page, address):
    followed(page, address, "the_slider_that_leaks")
    slider = page.get_by_role("slider").first
    tab = page.get_by_role("tab")
    another = ("downloadTake", "Two stops")  # each part has pictures and stops of its own

    def joined() -> None:
        page.get_by_role("button", name="For a class").click()
        page.get_by_role("button", name="Join").click()
        page.get_by_text("class 7").first.wait_for()

    stays(
        page,
        Step("a question more", pressed(slider, "ArrowRight")),
        Step("another tile", picked(page, "Tile", 3)),
        Step("new noise", page.get_by_role("button", name="New noise").click),
        answered(page),
        Step("the attack", opened_part(page, "The attack")),
        Step("notes", opened_part(page, "For the teacher")),
        Step("a class", joined),
        Step("a question more in class", pressed(slider, "ArrowRight")),
        Step("the smooth slider", tab.nth(1).click, another),
        Step("another stop", pressed(slider, "ArrowRight")),
        Step("the ladder", tab.nth(2).click, another),
        Step("a finer stop", pressed(slider, "ArrowRight")),
    )
    assert page.faults == []


def test_with_switches_and_a_map(page, address):
    followed(page, address, "what_one_person_can_do")
    there, bound = (
        page.get_by_text(re.compile("is in the data")).first,
        page.get_by_text("Only M trips").first,
    )
    stays(
        page,
        Step("out", there.click),
        Step("bounded", bound.click),
        Step("flows", switched(page, "Flows")),
        Step("in", there.click),
        Step("hours", switched(page, "Hours")),
        Step("not bounded", bound.click),
        answered(page),
    )
    assert page.faults == []


def test_with_a_verdict(page, address):
    followed(page, address, "find_the_broken_mechanism")
    marks = page.get_by_test_id("stButtonGroup").nth(1).get_by_role("button")
    stays(
        page,
        Step("another machine", switched(page, "B")),
        Step("more trials", pressed(page.get_by_role("slider").first, "ArrowRight")),
        Step("audited again", page.get_by_role("button", name="Audit again").click),
        Step("the attack", opened_part(page, "The attack")),
        *(Step(f"marked {at}", marks.nth(at).click) for at in range(3)),
        Step("opened", page.get_by_text("Open the machines").click),
        answered(page),
    )
    assert page.faults == []
