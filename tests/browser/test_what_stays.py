"""Nothing that stays on a page is mounted anew: what is typed, the focus, and the slider under the thumb are kept."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from dpcore import demo
from tests.browser.test_explore import opened, settled

pytestmark = pytest.mark.browser

MARKED = """() => {
  const found = [];
  const walk = (root) => {
    for (const one of root.querySelectorAll("*")) {
      if (one.shadowRoot) walk(one.shadowRoot);
      if (one.matches("input, select, textarea, button, canvas") && one.checkVisibility()) found.push(one);
    }
  };
  walk(document);
  window.marked = found.map((one) => [one, one.getAttribute("aria-label") || one.textContent.slice(0, 40) || one.tagName]);
}"""
LOST = "() => window.marked.filter(([one]) => !one.isConnected).map(([, name]) => name)"
FOCUSED = "() => { let one = document.activeElement; while (one?.shadowRoot?.activeElement) one = one.shadowRoot.activeElement; return one.tagName + one.type; }"

STREAMLITS_OWN = {"Download plot as a PNG", "Fullscreen"}
"""Buttons over a chart that Streamlit 1.67 draws anew with the chart. To see it: hover a chart, move the slider, look at its buttons."""


def lost_by(page, act) -> set[str]:
    """What an action takes away of the controls and pictures that were there, by name."""
    settled(page)
    page.evaluate(MARKED)
    act()
    settled(page)
    return {name.strip() for name in page.evaluate(LOST)} - STREAMLITS_OWN


def test_on_explore_what_stays_is_never_mounted_anew(page, address):
    opened(page, address)
    slider = page.locator("input[type=range]").first
    slider.focus()
    epsilon = page.locator(".ladder").first

    def left() -> None:
        before = epsilon.get_attribute("data-rung")
        page.keyboard.press("ArrowLeft")
        expect(epsilon).not_to_have_attribute("data-rung", before)

    for _ in range(3):
        assert lost_by(page, left) == set()
        assert page.evaluate(FOCUSED) == "INPUTrange", "the next key still reaches the slider"
    assert lost_by(page, page.get_by_role("button", name="Got it").click) == {"Got it"}

    def hide(whom: str, promise: str) -> None:
        page.get_by_role("radio", name=whom).or_(page.get_by_role("button", name=whom)).first.click()
        page.get_by_text(promise).first.wait_for()

    bound = "Trips counted per person, at most (1 to 500)"
    gone = {bound, f"Help for {bound}", "Decrement", "Increment"}
    assert lost_by(page, lambda: hide("One trip", "Protects one trip")) <= gone
    assert lost_by(page, lambda: hide("A person", "Protects everything a person did")) == set()
    assert lost_by(page, page.get_by_text("± 20 %").first.click) == set()
    canvas = page.locator(".ladder canvas").first
    # The list of places begins with what is chosen on the map, so it is another list then.
    chosen = {"Open", "Click a tile, or choose one", "Help for Click a tile, or choose one"}
    lost = lost_by(page, lambda: canvas.click(position={"x": 300, "y": 200}))
    assert all(name in chosen or "Click a tile" in name for name in lost), lost


def test_on_data_a_file_moves_nothing_that_is_typed_into_below(page, address, tmp_path):
    demo.write_city(tmp_path, 2_000, 30, 11)
    page.goto(f"{address}/data")
    page.get_by_text("3 Clock, dates and bins").wait_for()
    settled(page)
    page.get_by_text("Steps, time windows and bins").click()
    windows = page.get_by_role("textbox", name="Time windows begin at")
    windows.wait_for()
    windows.fill("6, 12, 18")  # typed, and not told to Python yet

    def given() -> None:
        page.locator("input[type=file]").first.set_input_files(tmp_path / "trips.csv")
        page.get_by_text("trips.csv").first.wait_for()

    # The uploader that took the file draws its own button anew, in another size.
    assert lost_by(page, given) <= {"uploadUpload"}
    expect(windows).to_have_value("6, 12, 18")
