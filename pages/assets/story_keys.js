// The keys of a story that is played. Each tells the step that it leads to, counted here: presses come quicker than steps are drawn.
// In a field, and on a slider, keys do what they always do; Escape leaves the field first, then the story.

const MOVES = { ArrowRight: 1, ArrowDown: 1, PageDown: 1, " ": 1, ArrowLeft: -1, ArrowUp: -1, PageUp: -1, Home: -Infinity, End: Infinity };
const FIELDS = "input, textarea, select, [contenteditable=true], [role=slider], [role=combobox], [role=listbox], [role=radio], [role=tab]";
const listening = new WeakMap();

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".keys");
  const s = listening.get(root) ?? { number: data.heard, wanted: data.at, stop: null };
  if (s.data && s.data.at !== data.at) document.querySelector("[data-testid=stMain]")?.scrollTo(0, 0); // each step begins at its top
  Object.assign(s, { data, tell: setStateValue });
  if (data.heard >= s.number) s.wanted = data.at; // all that was pressed has arrived
  if (!s.stop) {
    listening.set(root, s);
    s.stop = new AbortController();
    // On the way down: a search field keeps its keys for itself.
    window.addEventListener("keydown", (event) => leave(event), { signal: s.stop.signal, capture: true });
    window.addEventListener("keydown", (event) => press(s, event), { signal: s.stop.signal });
  }
  return () => {
    s.stop.abort();
    listening.delete(root);
  };
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
  const to = Math.min(Math.max(s.wanted + MOVES[event.key], 0), s.data.many - 1);
  if (to === s.wanted) return;
  s.wanted = to;
  s.number += 1;
  s.tell("pressed", { to, number: s.number });
}
