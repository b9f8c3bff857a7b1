"""A story in a real browser: played by keys, as large as the screen, kept through a reload, and nothing of it executed."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect

from dpcore.release import verify_bundle, write_bundle
from tests.browser.conftest import running, settled, still
from tests.release.made_releases import grid, made_release

pytestmark = pytest.mark.browser

SCRIPT = "<script>document.title='run'</script><img src=x onerror=\"document.title='run'\"> [a](javascript:alert(1))"
MAP = "[data-ready='true']"


@pytest.fixture(scope="module")
def viewers(tmp_path_factory):
    folder = tmp_path_factory.mktemp("bundles")
    write_bundle(made_release(id="grid-1", title="A made grid", tessellation=grid()), folder / "grid")
    steps = [
        {"view": "map", "release": "grid-1", "sentence": f"Look. {SCRIPT}", "link": {"rung": "0.5"}},
        {"view": "promise", "release": "grid-1", "sentence": "It hides."},
        {"view": "map", "release": "grid-1", "sentence": "Again.", "link": {"rung": "2"}},
    ]
    releases = [{"id": "grid-1", "digest": verify_bundle(folder / "grid").digest}]
    story = {"format": "epsilon-atlas story 1", "title": SCRIPT, "releases": releases, "steps": steps}
    (folder / "grid.story.json").write_text(json.dumps(story))
    home, looking = tmp_path_factory.mktemp("home"), {"EPSILON_ATLAS_MODE": "view"}
    with running(home, **looking, EPSILON_ATLAS_BUNDLES=str(folder)) as place:
        yield place


READ_WHOLE = """() => {
  const [words, buttons] = [".st-key-told [data-testid=stMarkdownContainer]", ".st-key-steps"].map((one) => [...document.querySelectorAll(one)].at(-1));
  return words.getBoundingClientRect().bottom <= buttons.getBoundingClientRect().top;
}"""


def at_step(page, number: int) -> None:
    page.wait_for_url(re.compile(f"step={number}$"))
    page.get_by_text(f"{number} / 3").wait_for()
    settled(page)


def test_keys_play_a_story_of_the_shelf_and_a_reload_keeps_its_step(page, viewers):
    page.goto(f"{viewers}/story?story=grid-1&step=1")
    drawn = page.locator(MAP).first
    drawn.wait_for()
    settled(page)
    stage = still(page, page.locator(".stage").first)
    assert stage == {"x": 0, "y": 0, "width": 1280, "height": 900}
    expect(page.get_by_test_id("stSidebar")).to_be_hidden()
    expect(drawn).to_have_attribute("data-epsilon", "0.5")
    expect(page.locator("[data-testid=stMain] :is(script, img[src=x], a[href^=javascript])")).to_have_count(0)
    slider = page.locator("input[type=range]").first
    slider.press("ArrowRight")  # in a field, keys do what they always do
    expect(drawn).to_have_attribute("data-epsilon", "0.75")
    settled(page)
    assert page.url.endswith("step=1")
    slider.evaluate("field => field.blur()")
    page.keyboard.press("ArrowRight")
    at_step(page, 2)
    expect(page.get_by_text("of 100 times").first).to_be_visible()
    assert page.evaluate(READ_WHOLE), "the promise is read without scrolling"
    page.keyboard.press("Space")
    at_step(page, 3)
    expect(page.locator(MAP).first).to_have_attribute("data-epsilon", "2")
    page.keyboard.press("Home")
    at_step(page, 1)
    expect(page.locator(MAP).first).to_have_attribute("data-epsilon", "0.5")
    page.keyboard.press("End")
    at_step(page, 3)
    page.reload()
    at_step(page, 3)
    for _ in range(2):  # at once: a step is still being drawn
        page.keyboard.press("ArrowLeft")
    at_step(page, 1)
    search = page.locator("input[type=search]").first
    search.fill("ArrowRight")
    search.press("Escape")
    expect(search).not_to_be_focused()
    assert page.url.endswith("step=1"), "Escape leaves the field first"
    page.keyboard.press("ArrowRight")
    at_step(page, 2)  # without a map: a large one takes a browser without a graphics card very long
    for width, height in ((400, 800), (2560, 1440)):
        page.set_viewport_size({"width": width, "height": height})
        settled(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    size = page.get_by_role("heading", name="It hides.").evaluate(
        "found => parseFloat(getComputedStyle(found).fontSize)"
    )
    assert size >= 40, "letters grow with the screen"
    page.keyboard.press("Escape")
    page.get_by_role("link", name="Play the story").wait_for()
    assert "run" not in page.title()
    assert page.faults == []


def test_an_own_story_survives_a_reload_in_its_tab(page, viewers):
    page.goto(f"{viewers}/viewer?release=grid-1&view=guarantee")
    page.get_by_role("button", name="Add this view").click()
    page.get_by_text("Step 1 of your story.").wait_for()
    settled(page)
    page.goto(f"{viewers}/story")  # a new session of the server
    said = page.get_by_role("textbox", name="Sentence")
    said.wait_for()
    settled(page)
    said.fill("Nobody is found.")
    said.press("Control+Enter")
    settled(page)
    page.reload()
    expect(page.get_by_role("textbox", name="Sentence")).to_have_value("Nobody is found.")
    settled(page)
    page.get_by_role("button", name="Play", exact=True).click()
    page.get_by_role("heading", name="Nobody is found.").wait_for()
    settled(page)  # then the keys are heard
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Play", exact=True).wait_for()
    page.locator(".st-key-drop-0 button:visible").click()
    page.get_by_role("button", name="Undo").wait_for()
    settled(page)
    page.reload()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("textbox", name="Sentence")).to_have_value("Nobody is found.")
    settled(page)
    page.reload()
    expect(page.get_by_role("textbox", name="Sentence")).to_have_value("Nobody is found.")
    assert page.faults == []


def test_what_is_typed_is_kept_without_leaving_its_field_and_the_next_click_is_heard(page, viewers):
    page.goto(f"{viewers}/viewer?release=grid-1&view=guarantee")
    for number in (1, 2):
        page.get_by_role("button", name="Add this view").click()
        page.get_by_text(f"Step {number} of your story.").wait_for()
        settled(page)
    page.goto(f"{viewers}/story")
    said, title = page.get_by_role("textbox", name="Sentence"), page.get_by_role("textbox", name="Title")
    said.first.wait_for()
    settled(page)
    title.fill("Nights in March ")
    said.first.fill("Nobody ")
    kept = "sessionStorage.getItem('epsilon-atlas-story')"
    page.wait_for_function(f"{kept}.includes('\"Nobody\"')")
    settled(page)
    expect(said.first).to_be_focused()
    said.first.press_sequentially("is found.")
    expect(said.first).to_have_value("Nobody is found.")
    page.wait_for_function(f"{kept}.includes('Nobody is found.')")
    page.reload()
    expect(said.first).to_have_value("Nobody is found.")
    expect(title).to_have_value("Nights in March")
    settled(page)
    said.first.press_sequentially("Really. ")
    page.locator(".st-key-drop-1 button:visible").click()
    expect(said).to_have_count(1)
    settled(page)
    page.reload()
    expect(said).to_have_value(re.compile("Really"))
    assert page.faults == []


def test_a_link_that_is_clicked_while_somebody_types_is_followed_and_the_words_are_kept(page, viewers):
    page.goto(f"{viewers}/viewer?release=grid-1&view=guarantee")
    page.get_by_role("button", name="Add this view").click()
    page.get_by_text("Step 1 of your story.").wait_for()
    settled(page)
    menu = page.get_by_test_id("stSidebar")
    menu.get_by_role("link", name="Story").click()
    for field, to in (("Sentence", "Library"), ("Title", "Viewer")):
        said = page.get_by_role("textbox", name=field)
        said.wait_for()
        settled(page)
        said.fill("")
        said.press_sequentially("Nobody is found.")
        # At once: the field is left by the click itself, with no time between.
        menu.get_by_role("link", name=to).evaluate("link => { link.focus(); link.click(); }")
        page.get_by_role("heading", name=to if to == "Library" else "A made grid").first.wait_for()
        settled(page)
        assert "/story" not in page.url
        menu.get_by_role("link", name="Story").click()
        expect(said).to_have_value("Nobody is found.")
    assert page.faults == []


def test_of_two_files_the_newer_one_alone_has_a_message(page, viewers):
    page.goto(f"{viewers}/story")
    given, message = page.locator("input[type=file]"), page.get_by_text("This is no story")
    small = {"name": "small.json", "mimeType": "application/json", "buffer": b"{}"}
    large = {"name": "large.json", "mimeType": "application/json", "buffer": b"x" * 2**21}
    given.set_input_files(small)
    expect(message).to_be_visible()
    given.set_input_files(large)
    expect(page.get_by_title("large.json")).to_be_visible()
    expect(message).to_be_hidden()
    given.set_input_files({**small, "name": "again.json"})
    expect(message).to_be_visible()
