// The keys of a story that is played. Each tells the step that it leads to: presses come quicker than steps are drawn.
// In a field, and on a slider, keys do what they always do; Escape leaves the field first, then the story.

import { ends, held, speak, wish } from "./held.js";

const MOVES = { ArrowRight: 1, ArrowDown: 1, PageDown: 1, " ": 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1, Home: -Infinity, End: Infinity };
const FIELDS = "input, textarea, select, [contenteditable=true], [role=slider], [role=combobox], [role=listbox], [role=radio], [role=tab]";
const listening = new WeakMap();
const LINK = "story";

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".keys");
  const s = listening.get(root) ?? { stop: null };
  if (s.data && s.data.at !== data.at) document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0); // each step begins at its top
  s.data = data;
  if (!s.stop) {
    listening.set(root, s);
    s.stop = new AbortController();
    s.speaker = speak(LINK, "step", root, setStateValue);
    // On the way down: a search field keeps its keys for itself.
    window.addEventListener("keydown", (event) => leave(event), { signal: s.stop.signal, capture: true });
    window.addEventListener("keydown", (event) => press(s, event), { signal: s.stop.signal });
  }
  s.speaker.by(setStateValue);
  return ends(root, () => {
    s.stop.abort();
    s.speaker.end();
    listening.delete(root);
  });
}

const plain = ({ ctrlKey, metaKey, altKey, shiftKey }) => !(ctrlKey || metaKey || altKey || shiftKey);
const field = (event) => {
  const [at] = event.composedPath(); // within a component too
  return at instanceof Element ? at.closest(FIELDS) && at : null;
};

function leave(event) {
  if (event.key !== "Escape" || !plain(event) || event.isComposing) return;
  const inside = field(event);
  if (inside) inside.blur();
  else if (!event.defaultPrevented) document.querySelector(".st-key-story-exit button")?.click();
}

function press(s, event) {
  if (!MOVES[event.key] || !plain(event) || event.defaultPrevented || field(event)) return;
  const [at] = event.composedPath();
  if (event.key === " " && at instanceof Element && at.closest("button, a, summary")) return; // it presses what has the focus
  event.preventDefault(); // no scrolling
  const wanted = held(LINK, "step") ?? s.data.at;
  const to = Math.min(Math.max(wanted + MOVES[event.key], 0), s.data.many - 1);
  if (to !== wanted) wish(LINK, "step", to, s);
}
