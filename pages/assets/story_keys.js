// The keys of a story that is played: each presses the button of its step. In a field, and on a slider, keys do what they always do.

const PRESSES = {
  ArrowRight: "next", ArrowDown: "next", PageDown: "next", " ": "next", ArrowLeft: "back", ArrowUp: "back", PageUp: "back",
  Home: "first", End: "last", Escape: "exit",
};
const FIELDS = "input, textarea, select, [contenteditable=true], [role=slider], [role=combobox], [role=listbox], [role=radio], [role=tab]";
const listening = new WeakMap();

export default function ({ parentElement }) {
  const root = parentElement.querySelector(".keys");
  if (listening.has(root)) return undefined;
  const stop = new AbortController();
  listening.set(root, stop);
  window.addEventListener("keydown", (event) => press(event), { signal: stop.signal });
  return () => {
    stop.abort();
    listening.delete(root);
  };
}

function press(event) {
  const { key, ctrlKey, metaKey, altKey, shiftKey, defaultPrevented } = event;
  const [at] = event.composedPath(); // within a component too
  if (!PRESSES[key] || ctrlKey || metaKey || altKey || shiftKey || defaultPrevented) return;
  if (key !== "Escape" && at instanceof Element && at.closest(FIELDS)) return;
  if (key === " " && at instanceof Element && at.closest("button, a, summary")) return; // it presses what has the focus
  const button = document.querySelector(`.st-key-story-${PRESSES[key]} button`);
  if (!button) return;
  event.preventDefault(); // no scrolling
  if (!button.disabled) button.click();
}
