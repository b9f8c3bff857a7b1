// A copy of the visitor's story in this browser tab: a reload loses nothing, and it ends with the tab. No server keeps it.

const KEPT = "epsilon-atlas-story";
const LOST = "epsilon-atlas-story-lost";
const PAUSE = 500; // milliseconds without a key

// A sentence is told while somebody types, as if its keys were pressed: else a reload would lose what was not left yet.
let typing = 0;
function typed({ target, isComposing }) {
  if (isComposing || !target.matches('[class*="st-key-sentence-"] textarea')) return;
  clearTimeout(typing);
  const told = new KeyboardEvent("keydown", { key: "Enter", ctrlKey: true, bubbles: true });
  typing = setTimeout(() => target.dispatchEvent(told), PAUSE);
}

export default function ({ data, setStateValue }) {
  document.addEventListener("input", typed);
  try {
    if (!data.begun) {
      const text = sessionStorage.getItem(KEPT);
      const lost = sessionStorage.getItem(LOST);
      if (text || lost) setStateValue("kept", { text, lost: JSON.parse(lost ?? "[]") });
    } else {
      sessionStorage.removeItem(LOST); // the story goes first, should there be no room for both
      if (data.text) sessionStorage.setItem(KEPT, data.text);
      else sessionStorage.removeItem(KEPT);
      sessionStorage.setItem(LOST, JSON.stringify(data.lost));
    }
  } catch {
    // A browser may forbid it: then the story lasts as long as the page.
  }
  return () => document.removeEventListener("input", typed);
}
