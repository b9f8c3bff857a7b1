// Painting levels on tiles: one state `s` for each instance, and the only exported function.
//
// The levels belong to Python. A stroke is painted here at once and told when the hand lifts; until a message says that
// it was taken up, it lies over the levels of that message.

import { ends } from "./held.js";
import { css, readTheme, spread, word } from "./ladder_colours.js";
import { reader } from "./ladder_message.js";
import {
  clearOverlay, instances, layers, leave, listenToView, memory, outline, redraw, refuse, start, stop, waits,
} from "./ladder_stage.js";
import { withTiles } from "./ladder_tiles.js";
import { ringBoxes, tileAt, tilesAlong } from "./paint_brush.js";
import { buildMarkup, fillTools, updateTools, updateWords } from "./paint_tools.js";

const INSTEAD = "The list below sets levels as well.";
const DRAWING = { paint, drawOverlay, drawLegend, remember, show, pointerOf, instead: INSTEAD };

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".ladder");
  waits.get(root)?.();
  try {
    const message = unpackPainting(data);
    waits.set(root, withTiles(message.digest, (geometry) => begin(root, { ...message, geometry }, setStateValue)));
  } catch (error) {
    refuse(root, error, INSTEAD);
  }
  return ends(root, () => leave(root));
}

// The tiles are there: paint on them, or take other levels on those that are drawn already.
function begin(root, message, tell) {
  const s = instances.get(root);
  try {
    if (s && s.message.digest === message.digest) {
      Object.assign(s, { tell, message: { ...message, geometry: s.message.geometry } }); // the arrays that deck.gl holds
      takeMessage(s);
      return redraw(s);
    }
    s?.stop();
    const fresh = { root, message, tell, drawing: DRAWING, hover: null, strokes: [], stroke: null, size: 0, flowsOn: false, mode: "levels" };
    instances.set(root, fresh);
    return mount(fresh);
  } catch (error) {
    return refuse(root, error, INSTEAD);
  }
}

// Layout: pages/parts/paint_map.py.
function unpackPainting(bytes) {
  const { json, raw } = reader(bytes);
  const head = json();
  return { ...head, given: raw(head.tiles) };
}

function mount(s) {
  buildMarkup(s);
  s.resources = new AbortController();
  s.stop = () => stop(s);
  s.shape = { geometry: s.message.geometry, boxes: ringBoxes(s.message.geometry) };
  s.hand = matchMedia("(pointer: coarse)").matches ? "move" : "paint"; // a finger that scrolls past paints nothing
  s.level = 1;
  s.view = memory.looks.get(lookOf(s))?.view ?? null;
  s.fitted = !s.view;
  s.theme = readTheme(s.probe);
  s.next = s.message.applied + 1;
  takeMessage(s);
  listen(s);
  restyle(s);
  start(s);
}

// Levels as Python has them, below the strokes that it has not taken up yet.
function takeMessage(s) {
  s.strokes = s.strokes.filter(({ number }) => number > s.message.applied);
  s.tiles = s.message.given.slice();
  for (const { tiles, level } of s.strokes) for (const tile of tiles) s.tiles[tile] = level;
  for (const tile of s.stroke?.found ?? []) s.tiles[tile] = s.level;
  s.level = Math.min(s.level, s.message.levels.length);
  fillTools(s);
}

const lookOf = (s) => `paint/${s.message.digest}`;

function remember(s) {
  memory.looks.set(lookOf(s), { view: s.fitted ? null : s.view });
}

function listen(s) {
  const { signal } = s.resources;
  const on = (target, name, call, options) => target.addEventListener(name, call, { signal, ...options });
  for (const button of s.hands.children) on(button, "click", () => choose(s, { hand: button.dataset.hand }));
  for (const button of s.brushes.children) on(button, "click", () => choose(s, { size: Number(button.dataset.size), hand: "paint" }));
  on(s.probe, "transitionend", () => restyle(s)); // the theme changed: see ladder_map.js
  // Before deck.gl: what paints does not move the map.
  on(s.stage, "pointerdown", (event) => press(s, event), { capture: true });
  on(s.stage, "pointermove", (event) => move(s, event), { capture: true });
  on(s.stage, "pointerup", (event) => lift(s, event), { capture: true });
  on(s.stage, "pointercancel", (event) => drop(s, event), { capture: true });
  on(s.picture, "pointerleave", () => s.stroke || point(s, null));
  listenToView(s, on);
}

export function setLevel(s, level) {
  choose(s, { level, hand: "paint" });
}

function choose(s, chosen) {
  Object.assign(s, chosen);
  updateTools(s);
  drawOverlay(s);
}

// The hand -----------------------------------------------------------------------------------------------

function placeOf(s, event) {
  const { left, top, width } = s.stage.getBoundingClientRect();
  const zoomed = width / s.stage.clientWidth || 1;
  return { x: (event.clientX - left) / zoomed, y: (event.clientY - top) / zoomed };
}

function press(s, event) {
  if (s.hand !== "paint" || event.button !== 0 || !s.deck) return;
  event.stopPropagation();
  event.preventDefault();
  s.stage.setPointerCapture(event.pointerId);
  s.stroke = { found: new Set(), at: placeOf(s, event) };
  dab(s, s.stroke.at);
}

function move(s, event) {
  const at = placeOf(s, event);
  if (s.stroke) {
    event.stopPropagation();
    dab(s, at);
  }
  point(s, event.buttons && !s.stroke ? null : at);
}

function dab(s, at) {
  const [viewport] = s.deck.getViewports();
  tilesAlong(s.shape, viewport, s.stroke.at, at, s.size, s.stroke.found);
  s.stroke.at = at;
  for (const tile of s.stroke.found) s.tiles[tile] = s.level;
  redraw(s);
}

// Python hears of a stroke when the hand lifts; all that it may have missed goes with it.
function lift(s, event) {
  if (!s.stroke) return;
  event.stopPropagation();
  const tiles = [...s.stroke.found].sort((a, b) => a - b);
  s.stroke = null;
  if (!tiles.length) return;
  s.strokes.push({ number: s.next++, level: s.level, tiles });
  s.tell("strokes", s.strokes);
}

// The browser took the hand away, for a scroll or a zoom: half a stroke is none.
function drop(s, event) {
  if (!s.stroke) return;
  event.stopPropagation();
  s.stroke = null;
  takeMessage(s);
  redraw(s);
}

function point(s, at) {
  const [viewport] = s.deck?.getViewports() ?? [];
  const tile = at && viewport ? tileAt(s.shape, ...viewport.unproject([at.x, at.y])) : -1;
  s.hover = tile >= 0 ? { tile, ...at } : null;
  s.brush = at && s.hand === "paint" ? at : null;
  updateWords(s);
  drawOverlay(s);
}

// Drawing ------------------------------------------------------------------------------------------------

function pointerOf() {
  return { getCursor: ({ isDragging }) => (isDragging ? "grabbing" : "inherit") };
}

function show(s) {
  updateTools(s);
  updateWords(s);
  paint(s);
  s.deck?.setProps({ layers: layers(s) });
}

function restyle(s) {
  s.theme = readTheme(s.probe);
  s.root.dataset.theme = s.theme.name;
  show(s);
}

function paint(s) {
  if (!s.words) return; // deck.gl is not there yet
  const colours = s.message.levels.map((level) => word(rgbOf(level[s.theme.name])));
  spread(Uint32Array.from(s.tiles, (level) => colours[level - 1]), s.message.geometry, s.words);
  s.painted = (s.painted ?? 0) + 1;
}

const rgbOf = (hex) => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));

function drawOverlay(s) {
  const drawing = clearOverlay(s);
  if (!drawing) return;
  const { pen, viewport } = drawing;
  if (s.hover) outline(pen, s, viewport, s.hover.tile, 1.75);
  if (!s.brush || !s.size) return;
  pen.beginPath();
  pen.arc(s.brush.x, s.brush.y, s.size, 0, 2 * Math.PI);
  pen.lineWidth = 1.5;
  pen.strokeStyle = css(s.theme.text, 0.8);
  pen.stroke();
}

function drawLegend() {} // the paints are the legend
