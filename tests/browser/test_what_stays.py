"""On Explore and Data nothing that stays is mounted anew: what is typed, the focus, and the slider under the thumb are kept."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from dpcore import demo
from tests.browser.conftest import settled
from tests.browser.staying import Step, opened_part, stays, switched, watched
from tests.browser.test_explore import opened

pytestmark = pytest.mark.browser

BOUND = "Trips counted per person, at most (1 to 500)"


def test_on_explore(page, address):
    opened(watched(page), address)
    slider, epsilon = page.locator("input[type=range]").first, page.locator(".ladder").first
    page.get_by_role("button", name="Zoom in").first.click()
    slider.focus()

    def key(name: str) -> None:
        before = epsilon.get_attribute("data-rung")
        page.keyboard.press(name)  # without a look where the focus is: it must still be on the slider
        expect(epsilon).not_to_have_attribute("data-rung", before)

    def hide(whom: str, promise: str) -> None:
        switched(page, whom)()
        page.get_by_text(promise).first.wait_for()

    canvas, time = page.locator(".ladder canvas").first, page.get_by_text("Time", exact=True).first
    # The list of places begins with what is chosen on the map, so it is another list then.
    chosen = ("Open of Click", "Click a tile, or choose", "Help for Click a tile, or choose")
    merged = ("Help for Merge", "off", "± ")  # windows of time are not merged
    tools = ("Show/hide columns", "Download as CSV", "Search", "Fullscreen")
    lists = tuple(f"{tool}: {way}" for tool in tools for way in ("Out of it", "Into it"))
    # The flows of what is chosen stand where the first flows of all stood.
    firsts = (*(f"{tool}: The first estimated flows" for tool in tools), "fromto", "where")
    stays(
        page,
        *(Step(f"key {at}", lambda: key("ArrowLeft"), lines=2, may_go=()) for at in range(3)),
        Step("more", opened_part(page, "More choices"), lines=2, may_go=()),
        Step(
            "one trip",
            lambda: hide("One trip", "Protects one trip"),
            lines=2,
            may_go=(BOUND, f"Help for {BOUND}", "Decrement", "Increment"),
        ),
        Step("a person", lambda: hide("A person", "Protects everything a person did"), lines=2, may_go=()),
        Step("merged", page.get_by_text("± 20 %").first.click, lines=2, may_go=()),
        # A tile brings a button of the map, which needs a second row, and words above the map of flows, longer or shorter by noise.
        Step(
            "a tile",
            lambda: canvas.click(position={"x": 300, "y": 200}),
            chosen,
            moves=True,
            may_go=firsts,
        ),
        # From here on the lists of that tile stand beside the map of flows. Noise decides which flows of it stand out.
        Step("time on", time.click, moves=True, may_go=(*merged, *lists)),
        Step("later", page.get_by_role("button", name="Later window").click, moves=True, may_go=lists),
        Step("a stop of a window", lambda: slider.press("ArrowRight"), moves=True, may_go=lists),
        Step("time off", time.click, moves=True, may_go=("Earlier", "Play", "Later", "Time window", *lists)),
        Step("shares", opened_part(page, "is shared"), lines=2, may_go=()),
        Step("a stop", lambda: slider.press("ArrowLeft"), moves=True, may_go=lists),
    )
    assert page.faults == []


def test_on_data_a_file_moves_nothing_that_is_typed_into_below(page, address, tmp_path):
    demo.write_city(tmp_path, 2_000, 30, 11)
    watched(page).goto(f"{address}/data")
    page.get_by_text("3 Clock, dates and bins").wait_for()
    settled(page)
    page.get_by_text("Steps, time windows and bins").click()
    windows = page.get_by_role("textbox", name="Time windows begin at")
    windows.wait_for()
    windows.fill("6, 12, 18")  # typed, and not told to Python yet

    def given() -> None:
        page.locator("input[type=file]").first.set_input_files(tmp_path / "trips.csv")
        page.get_by_text("trips.csv").first.wait_for()

    stays(page, Step("a file", given, may_go=("uploadUpload",)))  # its uploader's own button
    expect(windows).to_have_value("6, 12, 18")
