// Tells Python that the page became light or dark: it makes charts in the colours of one of them, and Streamlit alone
// would ask for new ones at the next click only.

import { ends, speak, wish } from "./held.js";

const watched = new WeakMap();

export default function ({ parentElement, setStateValue }) {
  const probe = parentElement.querySelector(".probe");
  if (!watched.has(probe)) {
    watched.set(probe, speak("page", "theme", probe, setStateValue));
    // The probe's colour passes through a transition of one millisecond: its end tells that the theme changed.
    probe.addEventListener("transitionend", () => wish("page", "theme", getComputedStyle(probe).backgroundColor, probe));
  }
  watched.get(probe).by(setStateValue);
  return ends(probe, () => watched.get(probe)?.end());
}
