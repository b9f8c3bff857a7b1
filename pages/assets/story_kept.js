// A copy of the visitor's story in this browser tab: a reload loses nothing, and it ends with the tab. No server keeps it.

const KEPT = "epsilon-atlas-story";

export default function ({ data, setStateValue }) {
  try {
    if (!data.begun) {
      const kept = sessionStorage.getItem(KEPT);
      if (kept) setStateValue("text", kept);
    } else if (data.text) sessionStorage.setItem(KEPT, data.text);
    else sessionStorage.removeItem(KEPT);
  } catch {
    // A browser may forbid it: then the story lasts as long as the page.
  }
}
