"""Lessons in a real browser: found by keyboard, restored by a link, the same for a class, and narrow enough for a phone."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urlparse

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import settled

pytestmark = pytest.mark.browser

TITLE = "The slider that leaks"
LINK = "the_slider_that_leaks?2-asked=50&class=7"
NARROW = (
    "lessons",
    LINK,
    "after_the_noise?11-part=All+trips&class=7",
    "places_that_matter_more",
    "synthetic_trips?13-part=A+figure+that+surprises",
)
MOST_KEYS = 80


@pytest.fixture
def visitors(chromium):
    """Opens windows of different people, each with the requests it makes."""
    contexts = []

    def visitor(width: int = 1280):
        context = chromium.new_context(viewport={"width": width, "height": 900})
        contexts.append(context)
        page = context.new_page()
        page.requests, page.faults = [], []
        page.on("request", lambda request: page.requests.append(request.url))
        page.on("pageerror", lambda error: page.faults.append(str(error)))
        return page

    yield visitor
    for context in contexts:
        context.close()


def followed(page, url: str, heading: str | re.Pattern[str]) -> None:
    page.goto(url)
    page.get_by_role("heading", name=heading, level=1).wait_for()
    settled(page)


def metrics(page) -> list[str]:
    page.get_by_test_id("stMetric").first.wait_for()
    return page.get_by_test_id("stMetric").all_inner_texts()


def only_this_host(page, address: str) -> None:
    hosts = {urlparse(url).netloc for url in page.requests if not url.startswith(("data:", "blob:"))}
    assert hosts == {urlparse(address).netloc}
    assert page.faults == []


def test_a_lesson_is_found_and_opened_by_keyboard_alone(page, address):
    followed(page, f"{address}/lessons", "Lessons")
    for _ in range(MOST_KEYS):
        page.keyboard.press("Tab")
        if TITLE in page.evaluate("document.activeElement.closest('a')?.innerText ?? ''"):
            break
    else:
        raise AssertionError("no number of tabs leads to the lesson")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name=TITLE, level=1).wait_for()
    settled(page)
    expect(page.get_by_role("heading", name="Check yourself")).to_be_visible()
    only_this_host(page, address)


def test_a_link_restores_a_lesson_and_a_class_sees_the_same_numbers(visitors, address):
    seen = []
    for page in (visitors(), visitors()):
        followed(page, f"{address}/{LINK}", TITLE)
        expect(page.get_by_role("slider", name="Questions asked")).to_have_value("50")
        expect(page.get_by_text("class 7").first).to_be_visible()
        seen.append(metrics(page))
        only_this_host(page, address)
    assert seen[0] == seen[1]
    assert any("25" in text for text in seen[0]), "50 answers at 0.5 cost 25"
    followed(page, f"{address}/{LINK.replace('class=7', 'class=8')}", TITLE)
    assert metrics(page) != seen[0], "another class, other noise"


def test_a_key_moves_the_slider_and_the_address_follows(page, address):
    followed(page, f"{address}/{LINK}", TITLE)
    before = metrics(page)
    page.get_by_role("slider", name="Questions asked").press("ArrowRight")
    page.wait_for_url(re.compile("2-asked=51"))
    settled(page)
    assert metrics(page) != before
    expect(page).to_have_url(re.compile("class=7"))


def test_nothing_is_wider_than_a_phone(visitors, address):
    page = visitors(400)
    for path in NARROW:
        followed(page, f"{address}/{path}", re.compile("."))
        settled(page)
        wide = page.evaluate(
            """[document.documentElement, document.querySelector('[data-testid=stMain]'),
                ...document.querySelectorAll('[data-testid=stMain] [data-testid^=st]')]
               .filter(e => e.checkVisibility() && e.getBoundingClientRect().right > 401)
               .map(e => e.dataset.testid || e.tagName)"""
        )
        assert wide == [], path
        assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth") <= 400
    only_this_host(page, address)


@pytest.mark.parametrize(("kind", "begins"), [("PNG", b"\x89PNG"), ("SVG", b"<svg")])
def test_a_picture_is_saved_with_the_class_in_its_name_and_its_words_in_it(page, address, kind, begins):
    followed(page, f"{address}/{LINK}", TITLE)
    page.get_by_role("button", name="Pictures").click()
    page.get_by_role("radio", name=kind).click()
    page.keyboard.press("Escape")
    settled(page)
    chart = page.get_by_test_id("stPlotlyChart").first
    chart.scroll_into_view_if_needed()
    chart.hover()
    with page.expect_download() as waited:
        chart.locator(".modebar-btn[data-title^=Download]").click()
    assert waited.value.suggested_filename == f"asking-again-class-7.{kind.lower()}"
    saved = Path(waited.value.path()).read_bytes()
    assert saved.startswith(begins)
    assert kind == "PNG" or b"questions asked" in saved
    only_this_host(page, address)


def test_the_numbers_of_a_picture_are_taken_along(page, address):
    followed(page, f"{address}/{LINK}", TITLE)
    page.get_by_role("button", name="Take along").first.click()
    with page.expect_download() as waited:
        page.get_by_role("button", name="Numbers (.csv)").first.click()
    assert waited.value.suggested_filename == "asking-again-class-7.csv"
    lines = Path(waited.value.path()).read_text(encoding="utf-8").splitlines()
    assert lines[0] == "question,answer,mean,truth"
    assert len(lines) == 51
