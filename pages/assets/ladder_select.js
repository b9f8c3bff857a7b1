// What is chosen on a map: tiles or districts, which form an area, and one more place to set beside them. The names of the same
// in Python: dpcore/views/ground/selection.py. Maps of one page with the same link choose together, and one of them tells Python.

import { changes, held, wish } from "./held.js";
import { css } from "./ladder_colours.js";
import { updateControls } from "./ladder_controls.js";
import { sidesOfBorders } from "./ladder_estimates.js";
import { shownLevel } from "./ladder_flows.js";
import { linkOf, point } from "./ladder_map.js";
import { outline, redraw } from "./ladder_stage.js";

const MOST_PLACES = 200;
export const NOTHING = { places: [], other: null, districts: false };

export const sameChoice = (a, b) => JSON.stringify(a) === JSON.stringify(b);
export const onlyTile = ({ places, districts }) => (places.length === 1 && !districts ? places[0] : null);
export const isChosen = ({ places, other }, place) => other === place || places.includes(place);

// What a click on a place makes of a choice; `place` is null beside all places, `add` makes an area.
export function afterClick(chosen, place, districts, add) {
  const nothing = { ...NOTHING, districts };
  if (place === null) return add ? chosen : nothing;
  const { places, other } = chosen.districts === districts ? chosen : nothing;
  const here = places.includes(place);
  if (add) {
    const area = here ? places.filter((each) => each !== place) : [...places, place].slice(0, MOST_PLACES);
    return { places: area, other: area.length && !area.includes(other) ? other : null, districts };
  }
  if (here) return other === null ? nothing : { places, other: null, districts };
  if (!places.length) return { places: [place], other: null, districts };
  return { places, other: place === other ? null : place, districts };
}

// The place of the level that is chosen on now, of a tile.
export const placeOf = (s, tile) => (choosesDistricts(s) ? s.message.districts.of_tiles[tile] : tile);

// Where tiles get levels, what is chosen gets one together: every click adds, and there is no pair.
const onlyAdds = (s) => Boolean(s.message.levels);

export const choosesDistricts = (s) => Boolean(s.message.districts) && (s.message.tiles || onlyAdds(s) ? s.chosen.districts : shownLevel(s) === "districts");

export function choose(s, event, gesture) {
  const byTouch = gesture.srcEvent?.pointerType === "touch";
  const add = s.adding || onlyAdds(s) || gesture.srcEvent?.shiftKey;
  const tile = event.picked ? s.message.geometry.owners[event.index] : null;
  if (byTouch) point(s, event); // a finger has no hover: the tap shows the words
  setChosen(s, afterClick(s.chosen, tile === null ? null : placeOf(s, tile), choosesDistricts(s), add));
}

// The link by which a map chooses together with others: that of a page's slider, or of all previews of the same trips. Their
// map with a slider speaks for all maps of a preview. A map without such a link chooses alone.
export const linkOfChoice = (s) => (s.message.options.steered ? linkOf(s) : s.message.options.estimates && `${linkOf(s)} preview`);

export function setChosen(s, chosen) {
  if (sameChoice(chosen, s.chosen)) return;
  const link = linkOfChoice(s);
  s.chosen = chosen;
  redraw(s);
  if (link) wish(link, "chosen", chosen, s);
}

// Choosing by buttons and keys, for those without a Shift key or a mouse.
export function listenToChoice(s, on) {
  on(s.addButton, "click", () => {
    s.adding = !s.adding;
    updateControls(s);
  });
  on(s.clearButton, "click", () => setChosen(s, { ...NOTHING, districts: s.chosen.districts }));
  on(s.root, "keydown", (event) => event.key === "Escape" && setChosen(s, { ...NOTHING, districts: s.chosen.districts }));
  on(changes, "held", ({ detail: { link, name, value, from } }) => {
    if (name !== "chosen" || from === s || link !== linkOfChoice(s) || sameChoice(value, s.chosen)) return;
    s.chosen = value;
    redraw(s);
  });
}

// The choice of a map when its message arrives: by a link, in a list, or on another map before this one was there.
export function beginChoice(s) {
  const link = linkOfChoice(s);
  s.chosen = (link ? held(link, "chosen") : s.chosen) ?? NOTHING;
}

export function updateChoice(s) {
  const { places, other, districts } = s.chosen;
  s.addButton.setAttribute("aria-pressed", String(Boolean(s.adding)));
  s.addButton.textContent = choosesDistricts(s) ? "Add districts" : "Add tiles";
  // The first click chooses in any case. Above a map it stays: what comes there would move the map.
  s.addButton.hidden = onlyAdds(s) || (s.message.options.slider && !(places.length || s.adding));
  s.clearButton.hidden = !places.length;
  const tile = onlyTile(s.chosen);
  Object.assign(s.root.dataset, {
    tile: tile === null ? "" : String(tile), chosen: places.join(","), other: other === null ? "" : String(other), level: districts ? "districts" : "tiles",
  });
}

// Borders around an area: those with one side in it. `inside(tile)` says which tiles are in.
function areaBorders(geometry, inside) {
  const sides = (geometry.sides ??= sidesOfBorders(geometry));
  const { from, to, count } = geometry.borders, edges = [];
  for (let e = 0; e < count; e++) {
    const [a, b] = [sides[2 * e], sides[2 * e + 1]];
    if ((a >= 0 && inside(a)) !== (b >= 0 && inside(b))) edges.push([[from[2 * e], from[2 * e + 1]], [to[2 * e], to[2 * e + 1]]]);
  }
  return edges;
}

// Kept as long as the choice is the same: a pan draws it anew at every frame.
function outlinesOf(s, chosen) {
  if (s.outlined?.chosen === chosen) return s.outlined;
  const { geometry, districts } = s.message;
  const place = chosen.districts && districts ? (tile) => districts.of_tiles[tile] : (tile) => tile;
  const places = new Set(chosen.places);
  s.outlined = {
    chosen, area: areaBorders(geometry, (tile) => places.has(place(tile))),
    other: chosen.other === null ? [] : areaBorders(geometry, (tile) => place(tile) === chosen.other),
  };
  return s.outlined;
}

export function outlineChosen(pen, s, viewport) {
  const tile = onlyTile(s.chosen);
  if (tile !== null && s.chosen.other === null) return outline(pen, s, viewport, tile, 3);
  if (!s.chosen.places.length) return null;
  const { area, other } = outlinesOf(s, s.chosen);
  strokeEdges(pen, s, viewport, area, []);
  return strokeEdges(pen, s, viewport, other, [7, 4]);
}

function strokeEdges(pen, s, viewport, edges, dash) {
  pen.beginPath();
  for (const [from, to] of edges) {
    pen.moveTo(...viewport.project(from));
    pen.lineTo(...viewport.project(to));
  }
  pen.lineCap = "round";
  pen.strokeStyle = css(s.theme.background, 0.9);
  pen.lineWidth = 5.5;
  pen.stroke();
  pen.setLineDash(dash);
  pen.strokeStyle = css(s.theme.text);
  pen.lineWidth = 3;
  pen.stroke();
  pen.setLineDash([]);
}

// What is pointed at: a tile, or all of its district.
export function outlinePointed(pen, s, viewport) {
  if (s.hover?.kind !== "tile" || isChosen(s.chosen, placeOf(s, s.hover.index))) return;
  if (!choosesDistricts(s)) return outline(pen, s, viewport, s.hover.index, 1.75);
  const { of_tiles: ofTiles } = s.message.districts, own = ofTiles[s.hover.index];
  if (s.pointed?.own !== own) s.pointed = { own, edges: areaBorders(s.message.geometry, (tile) => ofTiles[tile] === own) };
  return strokeEdges(pen, s, viewport, s.pointed.edges, []);
}
