// Tells Python that the page became light or dark: it makes charts in the colours of one of them, and Streamlit alone
// would ask for new ones at the next click only.
const watched = new WeakSet();

export default function ({ parentElement, setTriggerValue }) {
  const probe = parentElement.querySelector(".probe");
  if (watched.has(probe)) return;
  watched.add(probe);
  // The probe's colour passes through a transition of one millisecond: its end tells that the theme changed.
  probe.addEventListener("transitionend", () => setTriggerValue("changed", getComputedStyle(probe).backgroundColor));
}
