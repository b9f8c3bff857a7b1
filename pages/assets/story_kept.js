// A copy of the visitor's story in this browser tab: a reload loses nothing, and it ends with the tab. No server keeps it.

import { ends, speak, wish } from "./held.js";

const LINK = "story";
const KEPT = "epsilon-atlas-story";
const LOST = "epsilon-atlas-story-lost";
const FIELDS = '[class*="st-key-sentence-"] textarea, [class*="st-key-story-title-"] input';
const PAUSE = 500; // milliseconds without a key
const LONGEST = 3000; // milliseconds that a link waits
const speakers = new WeakMap();
const waiting = { field: null, pause: 0, link: null, end: 0 };

const same = (text) => text.replace(/\s+/g, " ").trim();

// A sentence is told while somebody types, as if its keys were pressed: else a reload would lose what was not left yet.
function typed({ target, isComposing }) {
  if (isComposing || !target.matches(FIELDS)) return;
  waiting.field = target;
  clearTimeout(waiting.pause);
  if (!target.matches("textarea")) return; // the title has a pause of its own
  const told = new KeyboardEvent("keydown", { key: "Enter", ctrlKey: true, bubbles: true });
  waiting.pause = setTimeout(() => target.dispatchEvent(told), PAUSE);
}

// Streamlit tells the words of a field that is left after the click that left it, and the later message wins: the link would be
// lost. So a link that is clicked at once is followed when the words have arrived.
function clicked(event) {
  const link = event.target.closest?.("a[href]");
  if (!waiting.field || !link || link.target === "_blank" || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  waiting.link = link;
  clearTimeout(waiting.end);
  waiting.end = setTimeout(follow, LONGEST); // what is kept of words may be less than was typed
}

function arrived(text) {
  if (!waiting.field || !text) return;
  const { title, steps } = JSON.parse(text);
  if ([title, ...steps.map(({ sentence }) => sentence)].some((one) => same(one) === same(waiting.field.value))) follow();
}

function follow() {
  const { link } = waiting;
  clearTimeout(waiting.end);
  Object.assign(waiting, { field: null, link: null });
  if (!link) return;
  const there = link.isConnected ? link : document.querySelector(`a[href="${CSS.escape(link.getAttribute("href"))}"]`);
  there?.click();
}

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".kept");
  if (!speakers.has(root)) speakers.set(root, speak(LINK, "kept", root, setStateValue));
  speakers.get(root).by(setStateValue);
  document.addEventListener("input", typed);
  document.addEventListener("click", clicked, { capture: true });
  arrived(data.text);
  try {
    if (!data.begun) {
      const text = sessionStorage.getItem(KEPT);
      const lost = sessionStorage.getItem(LOST);
      if (text || lost) wish(LINK, "kept", { text, lost: JSON.parse(lost ?? "[]") }, null);
    } else {
      sessionStorage.removeItem(LOST); // the story goes first, should there be no room for both
      if (data.text) sessionStorage.setItem(KEPT, data.text);
      else sessionStorage.removeItem(KEPT);
      sessionStorage.setItem(LOST, JSON.stringify(data.lost));
    }
  } catch {
    // A browser may forbid it: then the story lasts as long as the page.
  }
  return ends(root, () => {
    speakers.get(root).end();
    speakers.delete(root);
    document.removeEventListener("input", typed);
    document.removeEventListener("click", clicked, { capture: true });
  });
}
