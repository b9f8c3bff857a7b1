"""What stays on a page while somebody acts: each control and canvas is the same element, keeps the focus, and a map its view."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from tests.browser.conftest import settled

Act = Callable[[], object]

STREAMLITS_OWN: Final = {"BUTTON Download plot as a PNG", "BUTTON Fullscreen"}
"""What Streamlit 1.67 draws anew by itself. To see it, run an app of a few lines that holds nothing else:

| What | How to see it |
|---|---|
| The buttons over a chart | ``st.slider``, and a ``st.plotly_chart`` with a key and another number at each stop: move the slider |
| A button that becomes the main one, or no longer is it | ``st.button(..., key="a", type="primary" if n > 4 else "secondary")`` below a slider of n |
| The focus of a tab that was clicked | ``st.tabs(..., on_change="rerun")`` and a run of a second: the tab is disabled meanwhile |
| A field whose start is another one | It takes its start once, so ``key_showing`` gives it another key where somebody else chose |
| The uploader's own button | ``st.file_uploader``: it has another size when a file was given |
"""
TAB: Final = "TAB"
"""With this a tab's name begins: its focus is Streamlit's own affair."""

WATCH = """() => {
  // Every map of deck.gl that the page makes is kept, so that its view can be read.
  window.decks = [];
  window.watched = (deck) => ({ ...deck, Deck: class extends deck.Deck { constructor(asked) { super(asked); window.decks.push(this); } } });
  // Which control was focused last. A click on what takes no focus takes it from all, as it always does.
  window.addEventListener("mousedown", () => { window.focused = null; }, true);
  window.addEventListener("focusin", (event) => { window.focused = event.composedPath()[0]; }, true);

  const MOST_MOVED = 10; // pixels: controls inside of a map may differ by a line
  const LINE = 23;
  const CONTROLS = `input, select, textarea, button, canvas, summary, a[href]:not([href^="#"]), [role=slider], [role=tab]`;
  const up = (one, selector) => one.closest(selector) ?? (one.getRootNode().host ? up(one.getRootNode().host, selector) : null);
  const tableOf = (one) => up(one, "[data-testid=stDataFrame]")?.textContent.slice(0, 60) ?? "";
  const label = (one) => {
    if (one.tagName === "CANVAS") return up(one, "[class*=st-key-]")?.className.match(/st-key-\\S+/)[0] ?? tableOf(one);
    const said = one.getAttribute("aria-label") || one.textContent || one.placeholder || one.closest("label")?.textContent || "";
    const field = one.closest("[data-testid=stNumberInput], [data-testid=stSelectbox], [data-testid=stMultiSelect]");
    const of = one.tagName === "BUTTON" ? field?.querySelector("label")?.textContent : one.getAttribute("href");
    return [said.trim().replace(/^Selected .*?\\. /s, "").slice(0, 60), of].filter(Boolean).join(" of ");
  };
  const found = () => {
    const all = [];
    const walk = (root) => {
      for (const one of root.querySelectorAll("*")) {
        if (one.shadowRoot) walk(one.shadowRoot);
        if (one.matches(CONTROLS) && one.checkVisibility()) all.push(one);
      }
    };
    walk(document);
    return all;
  };
  const named = (one) => `${one.getAttribute("role") === "tab" ? "TAB" : one.tagName} ${label(one)}`;
  const view = (deck) => {
    try {
      const [{ longitude, latitude, zoom, target }] = deck.getViewports();
      return [longitude, latitude, zoom, target].flat().map((each) => each?.toFixed(6)).join(" ");
    } catch { return null; }
  };
  const place = (canvas) => {
    const { left, top } = canvas.getBoundingClientRect();
    return [left, top + document.querySelector("[data-testid=stMain]").scrollTop];
  };
  const maps = () => window.decks.filter((deck) => deck.canvas?.isConnected && deck.canvas.checkVisibility());

  window.mark = () => {
    window.marked = found().map((one) => [one, named(one)]);
    window.viewed = maps().map((deck) => [deck, view(deck), place(deck.canvas)]);
  };
  window.changed = (lines) => {
    const known = new Set(window.marked.map(([one]) => one)), shown = found();
    const anew = new Set(shown.filter((one) => !known.has(one)).map(named));
    const lost = window.marked.filter(([one]) => !one.isConnected).map(([, name]) => name);
    let active = document.activeElement;
    while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
    const had = window.focused;
    const near = had?.getRootNode() !== document && active?.getRootNode() === had?.getRootNode(); // the page is not told of moves within a component
    const blurred = had?.isConnected && had.checkVisibility() && !had.disabled && active !== had && !near;
    const jumped = [], moved = [];
    for (const [deck, seen, before] of window.viewed) {
      if (!deck.canvas?.isConnected || !deck.canvas.checkVisibility()) continue;
      const now = place(deck.canvas);
      if (seen && view(deck) !== seen) jumped.push(`${label(deck.canvas)}: the view ${seen} is ${view(deck)}`);
      if (now.some((each, at) => Math.abs(each - before[at]) > MOST_MOVED + LINE * lines)) moved.push(`${label(deck.canvas)}: at ${before} it is at ${now}`);
    }
    return { lost, anew: lost.filter((name) => anew.has(name)), focus: blurred ? [named(had), active ? named(active) : ""] : null, jumped, moved };
  };
}"""


def watched(page):
    """The page, watched from its next address on."""
    page.add_init_script(f"({WATCH})()")

    def handed_out(route) -> None:
        script = route.fetch()
        text, ours = script.text(), "return deck;"
        assert ours in text, "deck.gl is handed out elsewhere, so no view would be watched"
        route.fulfill(response=script, body=text.replace(ours, "return window.watched(deck);"))

    page.route("**/ladder_deck.js", handed_out)
    return page


@dataclass(frozen=True)
class Step:
    """What somebody does on a page."""

    said: str
    act: Act
    others: tuple[str, ...] = ()
    """Beginnings of names of controls that stand for something else afterwards, such as a list of other places."""
    moves: bool = False
    """Whether something above a map comes or goes, so that the map moves with all that stands below it."""
    lines: int = 0
    """Lines by which texts above a map may differ, because they name noisy numbers."""
    may_go: tuple[str, ...] | None = None
    """Beginnings of names of all controls that may leave the page; None where many do."""


def stays(page, *steps: Step) -> None:
    """Fail if one of the steps mounts anew what it leaves on the page, takes the focus, or moves a map."""
    found = [f"{step.said}: {fault}" for step in steps for fault in _faults(page, step)]
    assert not found, "\n".join(found)


def _faults(page, step: Step) -> list[str]:
    settled(page)
    page.evaluate("window.mark()")
    step.act()
    settled(page)
    changed = page.evaluate("(lines) => window.changed(lines)", step.lines)
    faults = [f"anew: {name}" for name in _but(changed["anew"], step.others)]
    if step.may_go is not None:
        faults += [f"gone: {name}" for name in _but(changed["lost"], (*step.others, *step.may_go))]
    if changed["focus"] is not None and not changed["focus"][0].startswith(TAB):
        faults.append("focus: {} -> {}".format(*changed["focus"]))
    moved = [] if step.moves else changed["moved"]
    return faults + [f"jumped: {one}" for one in (*changed["jumped"], *moved)]


def _but(names: list[str], known: tuple[str, ...]) -> list[str]:
    """The names, without Streamlit's own and those that begin as known ones do."""
    return [
        name
        for name in names
        if name not in STREAMLITS_OWN and not (known and name.split(" ", 1)[-1].startswith(known))
    ]


def switched(page, name: str | re.Pattern[str]) -> Act:
    """Choose a button of a group, which is a radio button to a screen reader where one must be chosen."""
    return page.get_by_role("radio", name=name).or_(page.get_by_role("button", name=name)).first.click


def pressed(control, key: str) -> Act:
    """Press a key in a control."""
    return lambda: control.press(key)


def picked(page, label: str, option: int | str, *, at: int = 0) -> Act:
    """Choose of a list by its label: the option of a number, or of a name."""

    def pick() -> None:
        box = page.get_by_role("combobox", name=re.compile(label)).nth(at)
        box.evaluate(
            "one => one.scrollIntoView({ block: 'center' })"
        )  # a list that scrolls the page closes again
        box.click()
        options = page.get_by_role("option")
        (options.nth(option) if isinstance(option, int) else options.get_by_text(option).first).click()

    return pick


def typed(page, label: str, text: str, key: str) -> Act:
    """Type into the field of a label, and leave it by a key."""

    def type_() -> None:
        field = page.locator(f'input[aria-label="{label}"]').first
        field.fill(text)
        field.press(key)

    return type_


def opened_part(page, words: str) -> Act:
    """Open the part below a line of words."""
    return page.locator("summary").filter(has_text=words).first.click
