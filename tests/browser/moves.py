"""Moves of somebody in a hurry: random ones, at random moments, from the first paint of a page on; and where they must have led."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from playwright.sync_api import ElementHandle, Error

from tests.browser.conftest import settled

STATE = """async () => {
  for (let frames = 0; frames < 2; frames += 1) await new Promise(requestAnimationFrame); // a map draws at most once a frame
  const found = {}, deep = [], named = (group) => group.getAttribute("aria-label") ?? group.textContent.slice(0, 20);
  const walk = (root) => {
    for (const one of root.querySelectorAll("*")) {
      if (one.shadowRoot) walk(one.shadowRoot);
      deep.push(one);
    }
  };
  walk(document.querySelector("[data-testid=stMain]"));
  for (const one of deep.filter((each) => each.checkVisibility())) {
    const name = one.getAttribute("aria-label");
    if (one.matches("input[type=range][aria-label]") && !one.matches(".divider")) found[`slider ${name}`] ??= one.value;
    else if (one.matches("input[type=number], input[type=text]:not([role=combobox]), textarea")) found[`field ${name}`] ??= one.value;
    else if (one.matches("[role=radiogroup]")) {
      const on = one.querySelector("[aria-checked=true]") ?? one.querySelector("input[type=radio]:checked")?.closest("label");
      if (on) found[`choice ${named(one)}`] ??= on.textContent;
    } else if (one.matches("[role=switch]")) found[`switch ${name}`] ??= String(one.checked);
    else if (one.matches(".ladder[data-chosen]")) found["map chosen"] ??= `${one.dataset.chosen}/${one.dataset.other}`;
  }
  return found;
}"""
"""What every control of a page shows, by its name; of several with one name the first."""
GROUP = """(one) => {
  const group = one.closest("[role=radiogroup]");
  return [group.getAttribute("aria-label") ?? group.textContent.slice(0, 20), (one.closest("[role=radio]") ?? one.closest("label")).textContent];
}"""
"""The name of a group of choices, and the text of one of them."""
AT_REST = """() => document.querySelector("[data-testid=stApp]")?.dataset.testScriptState === "notRunning"
  && !document.querySelector("[data-behind]") && !document.documentElement.hasAttribute("data-untold")"""

MORE = "More choices"

Asked = dict[str, str]
"""What controls must show, by name, since somebody moved one."""
Way = Callable[[], Asked | None]


def _each_slider(this: ElementHandle, *names: str) -> Asked:
    """What a slider was moved to, for each name. One that was replaced meanwhile was not moved."""
    at, there = this.evaluate("(slider) => [slider.value, slider.isConnected]")
    return {f"slider {name}": at for name in names if there}


@dataclass
class Hand:
    """Who moves, with what each control was left at."""

    page: object
    draws: random.Random
    left: dict[str, str] = field(default_factory=dict)
    made: list[str] = field(default_factory=list)
    reach: float = 3000
    """Milliseconds after which a control is let be that cannot be reached; a slow page needs more."""
    may_go: re.Pattern[str] = re.compile("(?!)")
    """Names of controls that another move may take off the page."""

    def move(self, one: Way) -> None:
        """Make one move, and remember what was asked for. A control that is not there yet is tried again later."""
        self.page.wait_for_timeout(self.draws.choice((0, 0, 40, 150, 400, 900)))
        try:
            moved = one()
        except Error:  # it went while it was reached for
            return
        if moved is None:
            return
        self.left |= moved
        self.made.append(", ".join(moved) or "click on the map")

    def shown(self) -> dict[str, str]:
        """What the controls show."""
        return self.page.evaluate(STATE)

    def slid(self, name: str, *linked: str) -> Asked | None:
        """A slider, moved by a key; what is ``linked`` to it moves with it."""
        slider = self.page.locator(f"input[type=range][aria-label='{name}']:visible").first
        if not slider.count():
            return None
        this = slider.element_handle(timeout=self.reach)
        this.focus()
        self.page.keyboard.press(self.draws.choice(("ArrowLeft", "ArrowRight", "Home", "End", "ArrowLeft")))
        return _each_slider(this, name, *linked)

    def dragged(self, name: str, *linked: str) -> Asked | None:
        """A slider, moved by the pointer; what is ``linked`` to it moves with it."""
        slider = self.page.locator(f"input[type=range][aria-label='{name}']:visible").first
        this = slider.element_handle(timeout=self.reach) if slider.count() else None
        box = this.bounding_box() if this else None
        if box is None or not 0 < box["y"] < 880:
            return None
        self.page.mouse.click(
            box["x"] + box["width"] * self.draws.uniform(0.05, 0.95), box["y"] + box["height"] / 2
        )
        return _each_slider(this, name, *linked)

    def chose(self, *names: str) -> Asked | None:
        """One of several that stand beside one another."""
        name = self.draws.choice(names)
        one = self.page.get_by_role("radio", name=re.compile(f"^{name}")).first
        if not one.count():
            return None
        group, text = one.evaluate(GROUP)
        one.click(timeout=self.reach)
        return {f"choice {group}": text}

    def typed(self, name: str, *texts: str) -> Asked | None:
        """A field, filled and left."""
        one = self.page.get_by_label(name, exact=True).first
        if not one.count():
            return None
        text = self.draws.choice(texts)
        one.fill(text, timeout=self.reach)
        self.page.keyboard.press("Tab")
        return {f"field {name}": text}

    def switched(self, name: str) -> Asked | None:
        """A switch."""
        one = self.page.locator("label", has=self.page.get_by_role("switch", name=name)).first
        if not one.count():
            return None
        on = one.get_by_role("switch").is_checked(timeout=self.reach)
        one.click(timeout=self.reach)
        return {f"switch {name}": str(not on).lower()}

    def clicked(self) -> Asked | None:
        """A tile of the map. Only the map knows what was hit, and says it later: what it shows in the end is compared with Python."""
        box = self.page.locator(".ladder canvas").first.bounding_box(timeout=self.reach)
        if box is None or not 0 < box["y"] < 700:
            return None
        at = (self.draws.uniform(0.3, 0.7) * box["width"], self.draws.uniform(0.3, 0.7) * box["height"])
        self.page.mouse.click(box["x"] + at[0], box["y"] + at[1])
        return {}

    def opens(self) -> None:
        """Open the line behind which a page keeps more choices, where there is one and it is closed."""
        for line in self.page.locator("summary").filter(has_text=MORE).all():
            if not line.evaluate("line => line.parentElement.open"):
                line.click(timeout=self.reach)

    def behind(self, way: Way) -> Way:
        """A move of a control that stands behind that line."""

        def move() -> Asked | None:
            self.opens()
            return way()

        return move

    def rests(self) -> None:
        """Wait until nothing moves by itself, and all is where it was left."""
        self.page.wait_for_function(AT_REST)
        settled(self.page)
        self.opens()
        self.page.wait_for_function(AT_REST)
        shown = self.shown()
        lost = {
            name: (was, shown.get(name))
            for name, was in self.left.items()
            if shown.get(name) != was and not (name not in shown and self.may_go.search(name))
        }
        assert not lost, f"left at, and shown: {lost}; moves: {self.made}"
