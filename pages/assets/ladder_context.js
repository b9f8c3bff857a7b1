// What lies under the tiles: water, parks, streets, railways and names; layout: dpcore/views/maps/context_message.py.
//
// Water and parks are drawn under the tiles, which stay as opaque as their legend. Lines are drawn over the fill, thin and in the
// colours of the page, so that no colour of a tile can be taken for another.

import { css } from "./ladder_colours.js";
import { DIGEST_BYTES, borderData, edges, keepNewest, placesIn, reader, startsIn } from "./ladder_message.js";
import { metresPerPixel } from "./ladder_stage.js";

const CONTEXT_VERSION = 2;
export const CONTEXT = "epsilon-atlas-context";
const CONTEXTS_KEPT = 4;

// By digest of the tiles; one switch for all maps.
export const contexts = { known: new Map(), shown: true };

// By rank: metres, fewest and most pixels, and from how many metres a pixel on they are left out.
const STREETS = [[44, 1.5, 6, 400], [30, 1, 5, 200], [22, 0.75, 4, 70], [14, 0.5, 3, 26]];
const NAMES = [
  ["600 16px", 1200], ["600 14px", 400], ["600 13px", 90], ["500 12px", 45], ["italic 500 12px", 32], ["500 11.5px", 14],
];
const TILE_NAME = ["500 11.5px", 72]; // from so many pixels a tile on
const RIPPLES = 5; // pixels between two level lines on water, up to twice as many
const APART = 6; // pixels between two names
const MOST_NAMES = 140; // in one picture

export function takeContext(bytes) {
  const { text, json, integers, raw } = reader(bytes);
  const digest = text(DIGEST_BYTES);
  const head = json();
  if (head.version !== CONTEXT_VERSION) throw new Error("the page and the context are of different versions");
  const { kinds } = head, places = placesIn(integers, head);
  const found = { attribution: head.attribution, ground: head.ground, areas: {}, rims: {}, lines: {} };
  for (const [kind, { rings, lines, corners, of_rank: ofRank }] of Object.entries(kinds)) {
    if (!corners) {
      if (lines === 0) found.lines[kind] = ofRank.map(() => null);
      continue;
    }
    const begins = startsIn(integers, rings ?? lines);
    const at = places(corners);
    if (lines) found.lines[kind] = linesByRank(begins, at, ofRank);
    else {
      found.areas[kind] = { length: rings, startIndices: begins, attributes: { getPolygon: { value: at, size: 2 } } };
      found.rims[kind] = borderData({ borders: edges(begins, at, raw(Math.ceil(corners / 8))) });
    }
  }
  const spots = places(head.names.length);
  found.names = head.names.map((name, i) => ({ name, rank: head.ranks[i], lng: spots[2 * i], lat: spots[2 * i + 1] }));
  keepNewest(contexts.known, digest, found, CONTEXTS_KEPT);
  window.dispatchEvent(new CustomEvent(CONTEXT, { detail: { digest } }));
}

// The pieces of lines, rank by rank, as deck.gl takes them; null where a rank has none.
function linesByRank(starts, at, ofRank) {
  let line = 0;
  return ofRank.map((count) => {
    const first = line;
    line += count;
    const pieces = starts[line] - starts[first] - count;
    if (pieces < 1) return null;
    const [from, to] = [new Float64Array(2 * pieces), new Float64Array(2 * pieces)];
    let piece = 0;
    for (let i = first; i < line; i++) {
      const [begin, end] = [2 * starts[i], 2 * (starts[i + 1] - 1)];
      from.set(at.subarray(begin, end), piece);
      to.set(at.subarray(begin + 2, end + 2), piece);
      piece += end - begin;
    }
    return borderData({ borders: { count: pieces, from, to } });
  });
}

// Level lines on water, a few pixels apart: over a tile they say that it is water, and leave its colour readable.
function ripples(s, found) {
  const water = found.areas.water;
  if (!water) return null;
  const level = Math.min(Math.floor(s.view.zoom), Math.floor(s.fitZoom) + 4);
  if (found.ripples?.level === level) return found.ripples.data;
  const at = water.attributes.getPolygon.value;
  const apart = (RIPPLES * 360 * Math.cos((s.view.latitude * Math.PI) / 180)) / (512 * 2 ** level);
  const rows = new Map();
  for (let r = 0; r < water.length; r++) {
    for (let v = water.startIndices[r]; v < water.startIndices[r + 1]; v++) {
      const next = v + 1 < water.startIndices[r + 1] ? v + 1 : water.startIndices[r];
      const [x0, y0, x1, y1] = [at[2 * v], at[2 * v + 1], at[2 * next], at[2 * next + 1]];
      for (let row = Math.floor(Math.min(y0, y1) / apart) + 1; row * apart <= Math.max(y0, y1); row++) {
        if (!rows.has(row)) rows.set(row, []);
        rows.get(row).push(x0 + ((row * apart - y0) / (y1 - y0)) * (x1 - x0));
      }
    }
  }
  const [from, to] = [[], []];
  for (const [row, crossings] of rows) {
    crossings.sort((a, b) => a - b);
    for (let i = 0; i + 1 < crossings.length; i += 2) {
      from.push(crossings[i], row * apart);
      to.push(crossings[i + 1], row * apart);
    }
  }
  const borders = { count: from.length / 2, from: Float64Array.from(from), to: Float64Array.from(to) };
  found.ripples = { level, data: borderData({ borders }) };
  return found.ripples.data;
}

export const contextThere = (s) => contexts.known.get(s.message.digest) ?? null;
export const contextOf = (s) => (contexts.shown ? contextThere(s) : null);

export function setContext(shown) {
  contexts.shown = shown;
  window.dispatchEvent(new CustomEvent(CONTEXT, { detail: {} }));
}

// Changes where other lines show.
export function contextStep(s) {
  if (!contextOf(s)) return "";
  const metres = metresPerPixel(s.view);
  return `${STREETS.map(([, , , most]) => Number(metres < most)).join("")} ${Math.floor(s.view.zoom)}`;
}

export function contextBelow(s) {
  const found = contextOf(s);
  if (!found) return [];
  return ["park", "water"].filter((kind) => found.areas[kind]).map((kind) =>
    new s.D.SolidPolygonLayer({
      id: `context ${kind}`, positionFormat: "XY", _normalize: false, extruded: false, pickable: false, data: found.areas[kind],
      getFillColor: [...found.ground[s.theme.name][kind], 255], updateTriggers: { getFillColor: s.theme.name },
    }));
}

export function contextAbove(s) {
  const found = contextOf(s);
  if (!found) return [];
  const metres = metresPerPixel(s.view);
  const { text, background, name } = s.theme, ground = found.ground[name];
  const line = (id, data, colour, [wide, least, most], more = 0) => data && new s.D.LineLayer({
    id: `context ${id}`, positionFormat: "XY", pickable: false, data, getColor: colour, getWidth: wide, widthUnits: "meters",
    widthMinPixels: least + more, widthMaxPixels: most + more, updateTriggers: { getColor: colour.join() },
  });
  const shore = [...ground.shore, 235];
  const layers = [line("hedge", found.rims.park, [...ground.hedge, 200], [3, 0.75, 1.5]), line("ripples", ripples(s, found), [...ground.shore, 120], [1, 0.8, 0.8]),
    line("shore", found.rims.water, shore, [4, 1, 2]), line("river", found.lines.waterway[0], shore, [30, 1.25, 5])];
  if (metres < STREETS[3][3]) layers.push(...found.lines.waterway.slice(1).map((data, i) => line(`stream ${i}`, data, shore, [6, 0.6, 2])));
  const streets = STREETS.map((look, rank) => ({ look, rank, data: found.lines.street[rank] })).filter(({ look, data }) => data && metres < look[3]).reverse();
  layers.push(...streets.map(({ look, rank, data }) => line(`casing ${rank}`, data, [...text, 95], look, 1.1)));
  layers.push(...found.lines.rail.map((data, i) => line(`rail ${i}`, data, [...text, 150], [8, 0.9, 2])));
  layers.push(...streets.map(({ look, rank, data }) => line(`street ${rank}`, data, [...background, 235], look)));
  return layers.filter(Boolean);
}

// Names ----------------------------------------------------------------------------------------------------

// Names of places and, from near, of tiles; what is more important comes first, and none covers another.
export function drawNames(pen, s, viewport) {
  const found = contextOf(s);
  const { longitude, latitude, zoom } = viewport;
  const seen = [longitude, latitude, zoom, viewport.width, viewport.height, s.theme.font, Boolean(found), s.flowsOn, lettersOf(s)].join();
  if (s.placeNames?.seen !== seen || s.placeNames.found !== found) s.placeNames = { seen, found, laid: laidNames(pen, s, viewport, found) };
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.lineJoin = "round";
  pen.lineWidth = 3.5;
  pen.strokeStyle = css(s.theme.background, 0.82);
  pen.fillStyle = css(s.theme.text);
  for (const { name, font, x, y } of s.placeNames.laid) {
    pen.font = font;
    pen.strokeText(name, x, y);
    pen.fillText(name, x, y);
  }
}

// How much larger letters are in a presentation.
const lettersOf = (s) => parseFloat(getComputedStyle(s.root).getPropertyValue("--atlas-letters")) || 1;

function laidNames(pen, s, viewport, found) {
  const metres = metresPerPixel(viewport), letters = lettersOf(s);
  const [west, south, east, north] = viewport.getBounds();
  const taken = [];
  const laid = [];
  const add = (name, usual, lng, lat) => {
    const font = usual.replace(/([\d.]+)px/, (_, size) => `${size * letters}px`);
    if (laid.length >= MOST_NAMES || lng < west || lng > east || lat < south || lat > north) return;
    const [x, y] = viewport.project([lng, lat]);
    pen.font = font;
    const half = pen.measureText(name).width / 2 + APART;
    const box = [x - half, y - 8 * letters - APART / 2, x + half, y + 8 * letters + APART / 2];
    if (box[0] < 0 || box[2] > viewport.width || box[1] < 0 || box[3] > viewport.height) return;
    if (taken.some((other) => box[0] < other[2] && box[2] > other[0] && box[1] < other[3] && box[3] > other[1])) return;
    taken.push(box);
    laid.push({ name, font, x, y });
  };
  for (const { name, rank, lng, lat } of found?.names ?? []) {
    const [font, most] = NAMES[Math.min(rank, NAMES.length - 1)];
    if (metres < most) add(name, `${font} ${s.theme.font}`, lng, lat);
  }
  const { geometry } = s.message;
  if (geometry.size.metres / metres < TILE_NAME[1]) return laid;
  const there = new Set(laid.map(({ name }) => name));
  geometry.names.forEach((name, tile) => {
    if (name && !there.has(name)) add(name, `${TILE_NAME[0]} ${s.theme.font}`, geometry.labels[2 * tile], geometry.labels[2 * tile + 1]);
  });
  return laid;
}
