"""What stays on a page while somebody acts: each control and canvas is the same element, keeps the focus, and a map its view."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tests.browser.conftest import settled

Act = Callable[[], object]

WATCH = """() => {
  // Every map of deck.gl that the page makes is kept, so that its view can be read.
  window.decks = [];
  let loaded;
  const watched = (deck) => ({ ...deck, Deck: class extends deck.Deck { constructor(asked) { super(asked); window.decks.push(this); } } });
  Object.defineProperty(window, "__epsilonAtlasDeck", {
    get: () => loaded,
    set: (promised) => { loaded = promised?.then(watched); },
  });
  // Which control was focused last. A click on what takes no focus takes it from all, as it always does.
  window.addEventListener("mousedown", () => { window.focused = null; }, true);
  window.addEventListener("focusin", (event) => { window.focused = event.composedPath()[0]; }, true);

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
  const named = (one) => `${one.tagName} ${label(one)}`;
  const view = (deck) => {
    try {
      const [{ longitude, latitude, zoom, target }] = deck.getViewports();
      return [longitude, latitude, zoom, target].flat().map((each) => each?.toFixed(6)).join(" ");
    } catch { return null; }
  };
  const there = (canvas) => {
    const main = document.querySelector("[data-testid=stMain]");
    const { left, top, width, height } = canvas.getBoundingClientRect();
    return [left, top + (main?.scrollTop ?? 0), width, height].map(Math.round).join(" ");
  };
  const maps = () => window.decks.filter((deck) => deck.canvas?.isConnected && deck.canvas.checkVisibility());

  window.mark = () => {
    window.marked = found().map((one) => [one, named(one)]);
    window.viewed = maps().map((deck) => [deck, view(deck), there(deck.canvas)]);
  };
  window.changed = () => {
    const known = new Set(window.marked.map(([one]) => one)), shown = found();
    const anew = new Set(shown.filter((one) => !known.has(one)).map(named));
    const lost = window.marked.filter(([one]) => !one.isConnected).map(([, name]) => name);
    let active = document.activeElement;
    while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement;
    const had = window.focused;
    const blurred = had?.isConnected && had.checkVisibility() && !had.disabled && active !== had;
    const jumped = [], moved = [];
    for (const [deck, seen, place] of window.viewed) {
      if (!deck.canvas?.isConnected || !deck.canvas.checkVisibility()) continue;
      if (seen && view(deck) !== seen) jumped.push(`${label(deck.canvas)}: ${seen} -> ${view(deck)}`);
      if (there(deck.canvas) !== place) moved.push(`${label(deck.canvas)}: ${place} -> ${there(deck.canvas)}`);
    }
    return {
      anew: lost.filter((name) => anew.has(name)),
      gone: lost.filter((name) => !anew.has(name)),
      focus: blurred ? [`${named(had)} -> ${active ? named(active) : ""}`] : [],
      jumped, moved,
    };
  };
}"""


def watched(page) -> None:
    """Watch every page that is opened from now on."""
    page.add_init_script(f"({WATCH})()")


def changed_by(page, act: Act) -> dict[str, list[str]]:
    settled(page)
    page.evaluate("window.mark()")
    act()
    settled(page)
    return page.evaluate("window.changed()")
