// The map itself: one state `s` for each instance, and the only exported function.

import { changes, ends, held, move, speak, wish } from "./held.js";
import { backgroundBelow } from "./ladder_background.js";
import { palettes, plainPalette, readTheme, spread, tileColours } from "./ladder_colours.js";
import { CONTEXT, contextAbove, contextBelow, contextStep, contexts, setContext } from "./ladder_context.js";
import { buildMarkup, fillControls, updateControls, updateTip } from "./ladder_controls.js";
import { ESTIMATED, countsMode, drawnSums, estimateColours, estimatesOf, linkOfNumbers, regionColours } from "./ladder_estimates.js";
import { LEVEL, SELECTED, districtRegions, flowSource, listenToFlows, sawLevel, selectedOf, tellLevel } from "./ladder_flows.js";
import { drawLegend } from "./ladder_legend.js";
import { unpack } from "./ladder_message.js";
import { drawOverlay, flowAt } from "./ladder_overlay.js";
import { listenToSearch } from "./ladder_search.js";
import { NOTHING, beginChoice, choose, linkOfChoice, listenToChoice } from "./ladder_select.js";
import { instances, layers, leave, listenToView, memory, redraw, refuse, start, stop, waits } from "./ladder_stage.js";
import { SIDES, differencePaint, pairUp, showSides } from "./ladder_swipe.js";
import { withTiles } from "./ladder_tiles.js";
import { TIMED, faceOf } from "./ladder_time.js";

const INSTEAD = "The table below holds the same numbers.";
const DRAWING = { paint, drawOverlay, drawLegend, remember, show, pointerOf, instead: INSTEAD };

export default function ({ data, key, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".ladder");
  const s = instances.get(root);
  if (s && sameBytes(s.data, data)) {
    waits.get(root)?.(); // what was to come in between
    for (const speaker of s.speakers) speaker.by(setStateValue);
    return ends(root, () => leave(root));
  }
  waits.get(root)?.();
  try {
    const message = unpack(data);
    waits.set(root, withTiles(message.digest, (geometry) => begin(root, { data, key, message: { ...message, geometry }, tell: setStateValue })));
  } catch (error) {
    refuse(root, error, INSTEAD);
  }
  return ends(root, () => leave(root));
}

// The tiles are there: draw on them, or put other counts on those that are drawn already.
function begin(root, given) {
  const s = instances.get(root);
  try {
    if (s && s.message.digest === given.message.digest) return renew(s, given);
    s?.stop();
    const fresh = { root, ...given, drawing: DRAWING, hover: null, chosen: NOTHING, speakers: [] };
    fresh.regionsNow = () => (fresh.message.tiles ? estimatesOf(faceOf(fresh))?.regions : districtRegions(fresh)) || null;
    fresh.sawView = () => sawLevel(fresh);
    fresh.fadeNow = () => (!fresh.message.tiles ? 1 : selectedOf(fresh) ? 0.35 : fresh.flowsOn ? 0.12 : 1);
    Object.assign(fresh, { below: () => [...backgroundBelow(fresh), ...contextBelow(fresh)], above: () => contextAbove(fresh), detail: () => contextStep(fresh) });
    instances.set(root, fresh);
    return mount(fresh);
  } catch (error) {
    return refuse(root, error, INSTEAD);
  }
}

function sameBytes(a, b) {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

function mount(s) {
  buildMarkup(s);
  s.resources = new AbortController();
  s.stop = () => {
    for (const speaker of s.speakers) speaker.end();
    stop(s);
  };
  s.tileColours = new Uint32Array(s.message.geometry.n);
  s.tileLooks = new Uint8Array(s.message.geometry.n);
  s.look = memory.looks.get(lookOf(s));
  s.view = s.look?.view ?? null;
  s.fitted = !s.view;
  takeMessage(s);
  listen(s);
  s.speakers = spoken(s);
  pairUp(s);
  restyle(s);
  start(s);
}

// Other counts on the same tiles: view, picture and chosen tile stay.
function renew(s, { data, message, tell }) {
  Object.assign(s, { data, message: { ...message, geometry: s.message.geometry } }); // the arrays that deck.gl holds
  for (const speaker of s.speakers) speaker.end();
  s.tell = tell;
  s.speakers = spoken(s);
  takeMessage(s);
  pairUp(s);
  restyle(s);
}

// A map with a slider speaks for its link: it tells Python the stop. Places are told by `linkOfChoice`.
function spoken(s) {
  const { slider, steered } = s.message.options, choice = linkOfChoice(s);
  return [
    ...(slider ? [speak(linkOf(s), "epsilon", s.root, s.tell)] : []),
    ...(choice && (slider || steered) ? [speak(choice, "chosen", s.root, s.tell)] : []),
    ...(choice && !s.message.tiles ? [speak(choice, LEVEL, s.root, s.tell)] : []),
  ];
}

// Rung, picture and flows for a message: what the visitor chose before, else what the page asks for.
function takeMessage(s) {
  const { options, rungs } = s.message;
  const remembered = rungs.indexOf(held(linkOf(s), "epsilon"));
  s.rung = remembered >= 0 ? remembered : options.start_rung;
  s.asked ??= s.look?.asked ?? null; // the picture that the visitor chose; until then each message opens on its own
  s.mode = options.modes.includes(s.asked) ? s.asked : options.mode;
  s.flowsOn = Boolean(s.message.flows ?? s.message.districts?.flows) && (s.flowsOn ?? s.look?.flowsOn ?? options.flows_shown);
  s.hover = null;
  fillControls(s);
  remember(s);
  beginChoice(s);
}

// Streamlit's key is another one at every visit of a page: a map without a link forgets.
export const linkOf = ({ message, key }) => message.options.link || key;
// The digest is that of the tiles alone: a map of visits and one of flows of one page have looks of their own.
const lookOf = (s) => `${linkOf(s)}/${s.message.options.slider}/${s.message.tiles ? "tiles" : "lines"}/${s.message.digest}`;

export function remember(s) {
  const { asked, flowsOn, level, leastFlows, fitted, view } = s;
  memory.looks.set(lookOf(s), { asked, flowsOn, level, leastFlows: { ...leastFlows }, view: fitted ? null : view });
}

function listen(s) {
  const { signal } = s.resources;
  const on = (target, name, call, options) => target.addEventListener(name, call, { signal, ...options });
  on(s.range, "input", () => setRung(s, Number(s.range.value), move));
  on(s.range, "change", () => setRung(s, Number(s.range.value), wish)); // on release: only then Python hears of it
  on(s.flowsButton, "click", () => setFlows(s, !s.flowsOn));
  on(s.contextButton, "click", () => setContext(!contexts.shown));
  on(window, CONTEXT, ({ detail }) => (detail.digest ?? s.message.digest) === s.message.digest && redraw(s));
  on(changes, "held", ({ detail: { link, name, value, from } }) => {
    const rung = s.message.rungs.indexOf(value);
    if (name === LEVEL && link === linkOfChoice(s) && from !== s) tellLevel(s);
    if (name === "epsilon" && link === linkOf(s) && from !== s && rung >= 0) setRung(s, rung);
  });
  listenToChoice(s, on);
  listenToFlows(s, on);
  for (const told of [ESTIMATED, TIMED, SELECTED]) on(window, told, ({ detail }) => detail.link === linkOfNumbers(s) && redraw(s));
  on(window, SIDES, ({ detail }) => detail.link === linkOfNumbers(s) && (pairUp(s), redraw(s)));
  // The probe's colours pass through a transition of one millisecond: its end tells that the theme changed.
  on(s.probe, "transitionend", () => restyle(s));
  on(s.picture, "pointerleave", () => point(s, null));
  listenToSearch(s, on);
  listenToView(s, on);
}

function pointerOf(s) {
  return {
    getCursor: ({ isDragging, isHovering }) => (isDragging ? "grabbing" : isHovering ? "pointer" : "grab"),
    onHover: (event) => point(s, event),
    onClick: (event, gesture) => choose(s, event, gesture),
  };
}

export function paint(s) {
  const face = faceOf(s), { message } = face;
  const now = message.tiles && estimatesOf(face);
  s.tileLooks.fill(0);
  if (s.pair?.look === "difference") differencePaint(s);
  else if (now?.wanted && !now.waiting) estimateColours(now, s.palette, s.tileColours, s.tileLooks);
  else if (now?.regions) regionColours(now.regions, drawnSums(face, now.regions), message.tiles.breaks, s.palette, s.tileColours, s.tileLooks);
  else tileColours(message, s.palette, countsMode(face), face.rung, s.tileColours, s.tileLooks);
  if (!s.words) return; // deck.gl is not there yet
  spread(s.tileColours, s.message.geometry, s.words);
  s.painted = (s.painted ?? 0) + 1;
}

// What the visitor does ----------------------------------------------------------------------------------

function show(s) {
  updateControls(s);
  paint(s); // before the legend, which says what is in the picture
  drawLegend(s);
  updateTip(s);
  s.deck?.setProps({ layers: layers(s) });
  showSides(s);
}

// `tell`: how others hear of it, where it was chosen here.
function setRung(s, rung, tell) {
  s.rung = rung;
  tell?.(linkOf(s), "epsilon", s.message.rungs[rung], s);
  redraw(s);
}

export function setMode(s, mode) {
  s.asked = s.mode = mode;
  remember(s);
  redraw(s);
}

function setFlows(s, shown) {
  s.flowsOn = shown;
  s.hover = null;
  remember(s);
  redraw(s);
}

// The theme's colours, read anew; then everything is drawn in them.
function restyle(s) {
  s.theme = readTheme(s.probe);
  s.root.dataset.theme = s.theme.name;
  s.palette = s.message.tiles ? palettes(s.message.tiles, s.theme) : plainPalette(s.message, s.theme);
  show(s);
}

export function point(s, event) {
  let hover = null;
  if (event && event.x >= 0) {
    const { x, y } = event;
    const flow = flowAt(s, x, y);
    if (flow >= 0) hover = { kind: "flow", index: flow, source: flowSource(s), x, y };
    else if (event.picked) hover = { kind: "tile", index: s.message.geometry.owners[event.index], x, y };
  }
  const same = hover?.kind === s.hover?.kind && hover?.index === s.hover?.index;
  s.hover = hover;
  updateTip(s);
  if (!same) drawOverlay(s); // the tiles need no new picture for an outline
}
