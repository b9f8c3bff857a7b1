// Time windows of single stops, as they arrive; layout: dpcore/views/maps/window_message.py. All windows of a stop come in one
// message, and whoever plays them sends nothing. The picture of a window is that of the whole period with other numbers: the
// same functions draw it, given a `face` of the map in place of its state. A window is never shown at another stop.

import { estimatesOf, linkOfNumbers } from "./ladder_estimates.js";
import { keepFor, keepNewest, keptFor, reader } from "./ladder_message.js";
import { seenFrom } from "./ladder_swipe.js";

const WINDOWS_VERSION = 2;
export const TIMED = "epsilon-atlas-windows"; // windows arrived, or another one is looked at
const TIMES_KEPT = 6; // stops of a link; a few megabytes each at 10,000 tiles

// Of each link: the window that is looked at (null: the whole period), and by epsilon what is known.
export const timesOf = (link) => keptFor(link, "windows") ?? keepFor(link, "windows", { stops: new Map(), at: null });

export function takeWindows(bytes) {
  const { json, integers } = reader(bytes);
  const head = json();
  if (head.version !== WINDOWS_VERSION) throw new Error("the page and its time windows are of different versions");
  const cells = head.names.length * head.count;
  const values = integers(new Int32Array(cells));
  const stop = { ...head, values };
  const less = (sign, from) => integers(new Float64Array(cells)).map((by, i) => from[i] + sign * by);
  if (head.estimate) {
    const middle = integers(new Float64Array(cells));
    const [low, high] = head.estimate.ranged ? [less(-1, middle), less(1, middle)] : [undefined, undefined];
    stop.estimated = { values: middle, low, high };
  }
  stop.truth = head.truth ? less(1, values) : undefined;
  keepNewest(timesOf(head.link).stops, head.epsilon, stop, TIMES_KEPT);
  tellTime(head.link);
}

export function tellTime(link) {
  window.dispatchEvent(new CustomEvent(TIMED, { detail: { link } }));
}

// The map as it is seen: one side of a pair (ladder_swipe.js), at a time window.
export function faceOf(s) {
  const side = s.side ? { __proto__: s, ...seenFrom(s) } : s;
  const face = timeFace(side);
  return s.side?.scaled ? withScaleOfEstimates(face) : face;
}

function timeFace(s) {
  const times = s.message.tiles && keptFor(linkOfNumbers(s), "windows");
  const at = s.span ?? times?.at ?? null;
  if (!times || at === null) return s;
  const stop = times.stops.get(s.message.rungs[s.rung]);
  // Without windows of this stop nothing is coloured: the counts of the whole period are on another scale.
  if (!stop) return { __proto__: s, span: at, message: { ...s.message, tiles: null } };
  const { head, tiles, known } = (stop.faces ??= new Map()).get(at) ?? cutWindow(stop, at);
  const texts = { ...s.message.texts, counts: head.counts };
  return {
    __proto__: s, span: at, spanName: head.names[at], apart: head.difference ?? undefined, rung: 0, known,
    message: { ...s.message, k: 1, rungs: [head.epsilon], texts, tiles },
  };
}

// The arrays of one window.
function cutWindow(stop, at) {
  const { count, breaks, difference_breaks, estimate, estimated } = stop;
  const cut = (all) => all?.subarray(at * count, (at + 1) * count);
  const tiles = {
    count, breaks, difference_breaks, values: cut(stop.values), truth: cut(stop.truth) ?? null,
    half_widths: [stop.half_widths[at]], growing: [stop.growing[at]], least: stop.least ?? undefined, grey_below: [stop.grey_below[at]],
  };
  const known = estimate ? {
    head: estimate, regions: new Map(),
    tiles: { breaks: estimate.breaks, note: "", values: cut(estimated.values), low: cut(estimated.low), high: cut(estimated.high) },
  } : undefined;
  const found = { head: stop, tiles, known };
  stop.faces.set(at, found);
  return found;
}

// Both sides of a pair in the colours of the estimates.
function withScaleOfEstimates(face) {
  const breaks = face.message.tiles && estimatesOf(face)?.stop?.tiles?.breaks;
  return breaks ? { __proto__: face, message: { ...face.message, tiles: { ...face.message.tiles, breaks } } } : face;
}
