// A copy of the visitor's story in this browser tab: a reload loses nothing, and it ends with the tab. No server keeps it.

const KEPT = "epsilon-atlas-story";
const LOST = "epsilon-atlas-story-lost";

export default function ({ data, setStateValue }) {
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
}
