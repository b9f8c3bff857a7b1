// Takes the points of curves in that were counted from the truth; shows nothing. A message holds all that is known of its link, and
// only the last one is kept: points of an earlier draw, or of other trips, do not stay in the browser.

export default function ({ data }) {
  window.__epsilonAtlasCurves = data;
  window.dispatchEvent(new CustomEvent("epsilon-atlas-curves", { detail: { link: data.link } }));
}
