// Two sides of one map, as Python asks for them by link: side by side, or one over the other with a divider that moves.
// The other side is drawn by the functions that draw the first one, given a state that has a canvas of its own. Both are seen
// from the same place. A third look is their difference; it is grey where noise alone may have made it.
//
// A side says what it shows in another way than the map does: `epsilon`, `numbers` (released or estimate), `mode` (true),
// `span` (a time window), and whether it is `scaled` by the colours of the estimates.

import { DIFFERENCE, DROWNED, between, classOf, halfOf, word } from "./ladder_colours.js";
import { drawnName, estimatesOf, likely, linkOfNumbers, rangeStep, releasedWords } from "./ladder_estimates.js";
import { drawLegend, legendTable, scaleRow, swatches } from "./ladder_legend.js";
import { paint, point } from "./ladder_map.js";
import { keepFor, keptFor } from "./ladder_message.js";
import { drawOverlay } from "./ladder_overlay.js";
import { fit, layers, make, setView, start, stop } from "./ladder_stage.js";
import { faceOf } from "./ladder_time.js";
import { countedOf, even, noiseWords, short, signed, tileName, whole } from "./ladder_words.js";

export const SIDES = "epsilon-atlas-sides";

// `from`: who told it; gives back what takes them away. A page may draw its parts anew: the new one tells first, and then the old
// one goes.
export function takeSides(link, sides, from) {
  const told = JSON.stringify(sides), before = keptFor(link, "sides");
  if (before) before.from = from;
  if ((before?.told ?? "{}") !== told) {
    keepFor(link, "sides", sides.look ? { ...sides, told, from } : null);
    window.dispatchEvent(new CustomEvent(SIDES, { detail: { link } }));
  }
  return () => keptFor(link, "sides")?.from === from && takeSides(link, {}, from);
}

const PARTS_OF_SIDES = ".pane, .seam, .divider, .sidename";

// The canvas of the other side with its tooltip, and the divider.
function paneAndDivider() {
  const hidden = { "aria-hidden": "true" };
  const pane = make("div", { class: "pane" }), tip = make("div", { class: "tip", ...hidden });
  tip.append(...[1, 2, 3, 4].map(() => make("div")));
  pane.append(make("div", { class: "stage", ...hidden }), make("canvas", { class: "overlay", ...hidden }), tip, make("div", { class: "status", role: "status" }));
  const divider = { type: "range", class: "divider", min: 0, max: 100, step: 0.5, value: 50, "aria-label": "Divider between both sides" };
  return [pane, make("div", { class: "seam", ...hidden }), make("input", divider)];
}

// What a side shows in place of what the map does.
export function seenFrom(s) {
  const { epsilon, numbers, mode, span } = s.side;
  const rung = epsilon === undefined ? -1 : s.message.rungs.indexOf(epsilon);
  return { ...(rung >= 0 && { rung }), ...(numbers && { numbers }), ...(mode && { mode }), ...(span !== undefined && { span }) };
}

// The pair that Python asks for, on the map: both sides, or their difference on one.
export function pairUp(s) {
  s.other?.stop();
  s.other?.legend.remove();
  s.picture.querySelectorAll(PARTS_OF_SIDES).forEach((part) => part.remove());
  const pair = (s.message.tiles && keptFor(linkOfNumbers(s), "sides")) || null;
  Object.assign(s, { pair, side: pair?.left ?? null, other: null, looksBeside: null, follow: null }); // nothing holds the picture that went
  s.picture.dataset.look = s.root.dataset.look = pair?.look ?? "";
  s.sideNames = [make("div", { class: "sidename left" }), make("div", { class: "sidename right" })];
  s.banner.before(...s.sideNames);
  if (pair && pair.look !== "difference") openOther(s);
  if (s.deck && s.fitted) setView(s, fit(s), 0);
}

// The state of the other side: what it has of its own, and all else of the first.
function openOther(s) {
  const [pane, seam, divider] = paneAndDivider();
  s.sideNames[0].before(pane, seam, divider);
  const own = {
    side: s.pair.right, pair: null, other: null, picture: pane, stage: pane.querySelector(".stage"), overlay: pane.querySelector(".overlay"),
    tip: pane.querySelector(".tip"), status: pane.querySelector(".status"), legend: make("div", { class: "legend" }),
    tileColours: new Uint32Array(s.message.geometry.n), tileLooks: new Uint8Array(s.message.geometry.n), deck: null, words: null, painted: 0, frame: 0, hover: null, arrows: [],
    tileData: null, borderRegions: null, merged: null, view: s.view, stopped: false, restarted: false, stop: null,
    resources: new AbortController(), sizes: null, hintTimer: 0, follow: null,
  };
  const other = new Proxy(own, {
    get: (mine, name) => (name in mine ? mine[name] : s[name]),
    set: (mine, name, value) => ((name in mine ? mine : s)[name] = value, true),
    has: (mine, name) => name in mine || name in s,
  });
  own.stop = () => stop(other);
  own.regionsNow = () => estimatesOf(faceOf(other))?.regions ?? null;
  s.other = other;
  const { signal } = own.resources;
  s.resources.signal.addEventListener("abort", own.stop, { signal });
  pane.addEventListener("pointerleave", () => point(other, null), { signal });
  for (const [one, another] of [[s, other], [other, s]]) {
    one.follow = (view) => {
      another.view = view;
      another.deck?.setProps({ initialViewState: { ...view, transitionDuration: 0 } });
    };
  }
  const divide = () => {
    s.picture.style.setProperty("--divided", String(divider.value / 100));
    divider.setAttribute("aria-valuetext", `${Math.round(divider.value)} % ${sideName(s)}`);
  };
  divider.addEventListener("input", divide, { signal });
  divide();
  start(other);
}

// What both sides are called, and the other one: after every change of the first.
export function showSides(s) {
  const face = faceOf(s);
  s.root.dataset.window = face.span ?? "";
  s.live.setAttribute("aria-live", keptFor(linkOfNumbers(s), "windows")?.playing ? "off" : "polite");
  delete s.legend.dataset.side;
  const names = s.pair ? [sideName(s), sideName({ __proto__: s, side: s.pair.right })] : ["", ""];
  const [left, right] = s.pair?.look === "difference" ? [`${names[1]} minus ${names[0]}`, ""] : names;
  const when = s.pair?.right.span === undefined ? [face.spanName, left] : [left];
  s.sideNames[0].textContent = capital(when.filter(Boolean).join(": ")); // so that every picture of the screen carries it
  s.sideNames[1].textContent = capital(right);
  if (s.pair && s.note.textContent) s.note.textContent = `${capital(names[0])}: ${noiseOf(face) === 0 ? "no noise" : s.note.textContent}`;
  if (!s.other) return;
  const apart = noiseOf(face) !== noiseOf(faceOf(s.other));
  if (apart && noiseOf(faceOf(s.other))) s.note.textContent += `; ${capital(names[1])}: ${noiseWords(faceOf(s.other).message, faceOf(s.other).rung)}`;
  paint(s.other);
  const two = Boolean(s.pair.left.numbers || s.pair.left.mode || apart); // two kinds of numbers have two legends
  s.looksBeside = two ? null : s.other.tileLooks; // one legend counts the tiles of both sides
  drawLegend(two ? s.other : s);
  if (two) {
    [s.legend.dataset.side, s.other.legend.dataset.side] = names.map(capital);
    s.legend.after(s.other.legend);
  } else s.other.legend.remove();
  s.other.deck?.setProps({ layers: layers(s.other) });
  drawOverlay(s.other);
}

// The noise of drawn counts; nothing of estimates, which have ranges of their own.
const noiseOf = (face) => (face.mode === "true" ? 0 : estimatesOf(face)?.wanted ? "" : face.message.tiles?.half_widths[face.rung]);

// What a side shows, in a few words: only what tells the two apart.
function sideName(s) {
  const face = faceOf(s), { message, rung } = face, estimates = estimatesOf(face);
  const kind = face.mode === "true" ? "true counts" : estimates?.wanted ? "estimates" : `${drawnName(face)}s`;
  const { span, epsilon } = s.pair.right;
  return span !== undefined ? (face.spanName ?? "") : epsilon ? `ε = ${message.rungs[rung]}` : kind;
}

const capital = (words) => words.replace(/^[a-z]/, (letter) => letter.toUpperCase()); // and no capital epsilon

// Difference ----------------------------------------------------------------------------------------------

// Of each tile what a side shows, and the ends of its range; null while it is not there, or no range is known.
function rangesOf(face) {
  const { tiles } = face.message, now = tiles && estimatesOf(face);
  if (!tiles || (now?.wanted && now.waiting)) return null;
  if (now?.wanted) return now.stop.tiles.low && now.stop.tiles;
  if (face.mode === "true") return { values: tiles.truth, low: tiles.truth, high: tiles.truth };
  const values = tiles.values.subarray(face.rung * tiles.count, (face.rung + 1) * tiles.count);
  const end = (sign) => Float64Array.from(values, (value) => Math.max(tiles.least ?? -Infinity, value + sign * halfOf(tiles, face.rung, value)));
  return { values, low: end(-1), high: end(1), drawn: true };
}

// Right minus left of each tile with the ends of its range, and 1 where that range holds 0: noise alone may have made it. Two
// counts that were drawn apart have the range of the law of their difference (`apart`). All others have every difference that
// both ranges allow, because errors of estimates of one release depend on each other and no formula says how.
function differenceOf(s) {
  const faces = [faceOf(s), faceOf({ __proto__: s, side: s.pair.right })];
  const [a, b] = faces.map(rangesOf);
  if (!a || !b) return null;
  const apart = a.drawn && b.drawn ? faces[1].apart : undefined, less = (p, q) => Float64Array.from(p, (value, t) => value - q[t]);
  const values = less(b.values, a.values);
  const low = apart === undefined ? less(b.low, a.high) : values.map((value) => value - apart);
  const high = apart === undefined ? less(b.high, a.low) : values.map((value) => value + apart);
  const within = Uint8Array.from(low, (end, t) => end <= 0 && high[t] >= 0);
  const { breaks } = (estimatesOf(faces[1])?.wanted && estimatesOf(faces[1]).stop.tiles) || faces[1].message.tiles;
  return { values, low, high, within, sizes: [breaks[2], breaks[4], breaks[6]] };
}

// The smaller side first. None is the colour of no difference: what could be one is grey.
function differenceRow(theme, { sizes }) {
  const each = sizes.length + 1;
  return Array.from({ length: 2 * each }, (_, c) => between(DIFFERENCE[theme.name], (c < each ? c : c + 1) / (2 * each)));
}

export function differencePaint(s) {
  const found = (s.difference = differenceOf(s)), grey = word(s.theme.grey);
  if (!found) return s.tileColours.fill(grey);
  const row = differenceRow(s.theme, found).map(word), { sizes } = found;
  found.values.forEach((value, t) => {
    const size = classOf(Math.abs(value), sizes);
    s.tileLooks[t] = found.within[t] ? DROWNED : 0;
    s.tileColours[t] = found.within[t] ? grey : row[value < 0 ? sizes.length - size : sizes.length + 1 + size];
  });
  return s.tileColours;
}

export function differenceKey(s) {
  const found = differenceOf(s);
  if (!found) return make("div", { class: "waits" }, "The difference comes when both sides are there, with their ranges.");
  const { counts } = faceOf(s).message.texts, { sizes, within } = found;
  const { box, body } = legendTable(`Colours: difference of both sides in ${counts} per tile`);
  box.className = "wide";
  const row = swatches(body, "difference", differenceRow(s.theme, found));
  row.cells[1].append(make("span", { class: "inside onlow" }, "fewer"));
  row.lastChild.append(make("span", { class: "inside onhigh" }, "more"));
  scaleRow(body, `${counts} per tile`, [...[...sizes].reverse().map((size) => short(-size)), "0", ...sizes.map((size) => `+${short(size)}`)]);
  const masked = within.reduce((all, one) => all + one, 0);
  swatches(body, "could be noise", [s.theme.grey]).lastChild.colSpan = 2 * sizes.length + 2;
  body.lastChild.lastChild.append(make("span", { class: "inside" }, `${whole(masked)} of ${whole(within.length)} tiles`));
  return box;
}

// The lines about a tile in the picture of the difference: first what it says, then both sides.
export function differenceWords(s, tile) {
  const words = [s, { __proto__: s, side: s.pair.right }].map((one) => `${capital(sideName(one))}: ${sideWords(faceOf(one), tile)}`);
  return [`${tileName(s.message, tile)}: ${differenceSaid(s.difference, tile)}`, ...words, ""];
}

function differenceSaid(found, tile) {
  if (!found) return "no difference is known yet";
  const [value, low, high] = [found.values[tile], found.low[tile], found.high[tile]], step = rangeStep(high - low);
  const [middle, from, to] = [value, low, high].map((one) => signed(even(one / step) * step));
  return `difference about ${middle} (${from} to ${to})${found.within[tile] ? ", which could be noise" : ""}`;
}

function sideWords(face, tile) {
  const { message, rung } = face, { tiles, texts } = message, now = tiles && estimatesOf(face);
  if (!tiles || (now?.wanted && now.waiting)) return "not there yet";
  if (now?.wanted) return likely(now.stop.tiles, tile, countedOf(texts.counts, now.stop.head.about));
  if (face.mode === "true") return `${whole(tiles.truth[tile])} ${texts.counts}`;
  return releasedWords(face, tiles, rung, tile, texts.counts);
}
