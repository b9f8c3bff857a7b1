"""Moves of somebody in a hurry: random ones, at random moments, from the first paint of a page on; and where they must have led."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from playwright.sync_api import Error

from tests.browser.conftest import settled

STATE = """async () => {
  for (let frames = 0; frames < 2; frames += 1) await new Promise(requestAnimationFrame); // a map draws at most once a frame
  const found = {}, deep = [];
  const walk = (root) => {
    for (const one of root.querySelectorAll("*")) {
      if (one.shadowRoot) walk(one.shadowRoot);
      deep.push(one);
    }
  };
  walk(document.querySelector("[data-testid=stMain]"));
  for (const one of deep.filter((each) => each.checkVisibility())) {
    const name = one.getAttribute("aria-label");
    if (one.matches("input[type=range][aria-label]") && !one.matches(".divider")) found[`slider ${name}`] = one.value;
    else if (one.matches("input[type=number], input[type=text]:not([role=combobox]), textarea")) found[`field ${name}`] = one.value;
    else if (one.matches("[role=radiogroup]")) {
      const on = one.querySelector("[aria-checked=true]");
      if (on) found[`choice ${name ?? one.textContent.slice(0, 20)}`] = on.textContent;
    } else if (one.matches("[role=switch]")) found[`switch ${name}`] = String(one.checked);
    else if (one.matches(".ladder[data-chosen]")) found["map chosen"] = `${one.dataset.chosen}/${one.dataset.other}`;
  }
  return found;
}"""
"""What every control of a page shows, by its name."""
AT_REST = """() => document.querySelector("[data-testid=stApp]")?.dataset.testScriptState === "notRunning"
  && !document.querySelector("[data-behind]")"""


@dataclass
class Hand:
    """Who moves, with what each control was left at."""

    page: object
    draws: random.Random
    left: dict[str, str] = field(default_factory=dict)
    made: list[str] = field(default_factory=list)
    reach: float = 3000
    """Milliseconds after which a control is let be that cannot be reached; a slow page needs more."""

    def move(self, one: Callable[[], str | None]) -> None:
        """Make one move, and remember what its control shows then. A control that is not there yet is tried again later."""
        self.page.wait_for_timeout(self.draws.choice((0, 0, 40, 150, 400, 900)))
        before = self.shown()
        try:
            moved = one()
        except Error:  # it went while it was reached for
            return
        if moved is None:
            return
        now = self.shown()
        for name in before.keys() | now.keys():
            if name.startswith(moved) and name in now:
                self.left[name] = now[name]
        self.made.append(moved)

    def shown(self) -> dict[str, str]:
        """What the controls show."""
        return self.page.evaluate(STATE)

    def slid(self, name: str) -> str | None:
        """A slider, moved by a key."""
        slider = self.page.locator(f"input[type=range][aria-label='{name}']:visible").first
        if not slider.count():
            return None
        slider.focus(timeout=self.reach)
        self.page.keyboard.press(self.draws.choice(("ArrowLeft", "ArrowRight", "Home", "End", "ArrowLeft")))
        return f"slider {name}"

    def dragged(self, name: str) -> str | None:
        """A slider, moved by the pointer."""
        slider = self.page.locator(f"input[type=range][aria-label='{name}']:visible").first
        box = slider.bounding_box(timeout=self.reach) if slider.count() else None
        if box is None or not 0 < box["y"] < 880:
            return None
        self.page.mouse.click(
            box["x"] + box["width"] * self.draws.uniform(0.05, 0.95), box["y"] + box["height"] / 2
        )
        return f"slider {name.partition(',')[0]}"  # what it is linked to moves with it

    def chose(self, *names: str) -> str | None:
        """One of several that stand beside one another."""
        name = self.draws.choice(names)
        one = self.page.get_by_role("radio", name=re.compile(f"^{name}")).first
        if not one.count():
            return None
        one.click(timeout=self.reach)
        return "choice"

    def typed(self, name: str, *texts: str) -> str | None:
        """A field, filled and left."""
        one = self.page.get_by_label(name, exact=True).first
        if not one.count():
            return None
        one.fill(self.draws.choice(texts), timeout=self.reach)
        self.page.keyboard.press("Tab")
        return f"field {name}"

    def switched(self, name: str) -> str | None:
        """A switch."""
        one = self.page.locator("label", has=self.page.get_by_role("switch", name=name)).first
        if not one.count():
            return None
        one.click(timeout=self.reach)
        return f"switch {name}"

    def clicked(self) -> str | None:
        """A tile of the map, which says later what was hit."""
        box = self.page.locator(".ladder canvas").first.bounding_box(timeout=self.reach)
        if box is None or not 0 < box["y"] < 700:
            return None
        at = (self.draws.uniform(0.3, 0.7) * box["width"], self.draws.uniform(0.3, 0.7) * box["height"])
        self.page.mouse.click(box["x"] + at[0], box["y"] + at[1])
        return "click on the map"

    def rests(self) -> None:
        """Wait until nothing moves by itself, and all is where it was left."""
        self.page.wait_for_function(AT_REST)
        settled(self.page)
        self.page.wait_for_function(AT_REST)
        shown = self.shown()
        lost = {name: (was, shown[name]) for name, was in self.left.items() if shown.get(name, was) != was}
        assert not lost, f"left at, and shown: {lost}; moves: {self.made}"
