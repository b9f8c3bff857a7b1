"""The HTML file of a story in a real browser, from a disk and without a network: keys, links, every size of screen, paper."""

from __future__ import annotations

import re
from importlib import resources

import pytest
from playwright.sync_api import expect

from dpcore.stories.slides import slides
from dpcore.stories.story import PROMISE, NamedRelease, Step, Story
from dpcore.stories.taken import slides_file
from tests.browser.test_report_file import HOSTILE
from tests.release.made_releases import made_release

pytestmark = pytest.mark.browser

VIEWS = ("map", "flows", "rhythm", "rankings", PROMISE)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    release = made_release(sparse=True, title="A made grid <img src=x onerror=alert(1)>")
    steps = tuple(Step(view, release.id, HOSTILE if view == "flows" else "") for view in VIEWS)
    story = Story(HOSTILE, (NamedRelease(release.id, "0" * 64),), steps)
    place = tmp_path_factory.mktemp("story") / "story.html"
    place.write_bytes(slides_file(slides(story, lambda _: release), story.title, ".html"))
    return place


@pytest.mark.parametrize(("wide", "scheme"), [(400, "light"), (1280, "dark"), (2560, "light")])
def test_the_file_plays_by_keys_at_every_size_and_asks_nobody(chromium, file, wide, scheme):
    page = chromium.new_context(
        viewport={"width": wide, "height": wide * 5 // 8}, color_scheme=scheme
    ).new_page()
    asked, said = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.on("dialog", lambda dialog: said.append(dialog.message))
    try:
        page.goto(file.as_uri())
        for at, view in enumerate(VIEWS, 1):
            expect(page.locator("section:visible")).to_have_count(1)
            expect(page.locator("nav span")).to_have_text(f"{at} / {len(VIEWS)}")
            expect(page.locator("svg:visible")).to_have_count(1)
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing is cut"
            box = page.locator("svg:visible").bounding_box()
            assert box["width"] > 0.85 * wide
            if wide > 700:
                assert page.evaluate("document.documentElement.scrollHeight <= innerHeight + 1"), view
                assert box["height"] > 0.45 * wide * 5 / 8, "the picture has most of the screen"
            page.keyboard.press("ArrowRight")
        page.wait_for_url(re.compile(f"#step-{len(VIEWS)}$"))
        page.keyboard.press("Home")
        expect(page.locator("#step-1")).to_be_visible()
        page.goto(f"{file.as_uri()}#step-3")
        expect(page.locator("#step-3")).to_be_visible()
        page.get_by_role("button", name="Step back").click()
        expect(page.locator("#step-2")).to_be_visible()
        assert [url for url in asked if not url.startswith(file.as_uri())] == []
        assert said == []
        ground = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
        assert ground == ("rgb(20, 24, 29)" if scheme == "dark" else "rgb(255, 255, 255)")
    finally:
        page.close()


def test_axe_finds_nothing_in_the_file(chromium, file):
    script = resources.files("axe_playwright_python") / "axe.min.js"
    page = chromium.new_context(bypass_csp=True, color_scheme="dark").new_page()
    try:
        page.goto(file.as_uri())
        page.add_script_tag(content=script.read_text(encoding="utf-8"))
        found = page.evaluate("async () => (await axe.run()).violations.map(({ id }) => id)")
        assert found == []
    finally:
        page.close()


def test_the_file_is_printed_on_one_page_a_step(chromium, file):
    page = chromium.new_context(color_scheme="dark").new_page()
    try:
        page.goto(file.as_uri())
        for wanted in ({"prefer_css_page_size": True}, {"format": "A4", "landscape": True}):
            printed = page.pdf(**wanted)
            assert len(re.findall(rb"/Type\s*/Page\b", printed)) == len(VIEWS)
    finally:
        page.close()


def test_without_its_script_all_steps_stand_below_each_other(chromium, file):
    page = chromium.new_context(java_script_enabled=False).new_page()
    try:
        page.goto(file.as_uri())
        expect(page.locator("section:visible")).to_have_count(len(VIEWS))
        expect(page.locator("nav")).to_be_hidden()
    finally:
        page.close()
