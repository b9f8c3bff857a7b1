// One box that finds places, districts and tiles by name and moves the map there. Enter also chooses a tile, for those without a pointer.
// Names are data: they become values and text, never markup.

import { css } from "./ladder_colours.js";
import { contextOf } from "./ladder_context.js";
import { placesOf } from "./ladder_flows.js";
import { afterClick, choosesDistricts, isChosen, placeOf, setChosen } from "./ladder_select.js";
import { make, redraw, setView } from "./ladder_stage.js";
import { tileName } from "./ladder_words.js";

const OFFERED = 12;
const CLOSER = 3; // zoom steps from the whole map to a place

const folded = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

// All that has a name: places first, because there are few, then districts; a tile is found by its name and by its id.
function findable(s) {
  const { geometry, districts } = s.message;
  const context = contextOf(s);
  if (s.findable?.context === context && s.findable.geometry === geometry && s.findable.districts === districts) return s.findable.list;
  const list = (context?.names ?? []).map(({ name, lng, lat }) => ({ name, lng, lat, closer: CLOSER }));
  const { at, name } = placesOf(s, true);
  districts?.names.forEach((_, district) => list.push({ name: name(district), lng: at(district)[0], lat: at(district)[1], closer: 1 }));
  geometry.ids.forEach((_, tile) => list.push({ name: tileName(s.message, tile), lng: geometry.labels[2 * tile], lat: geometry.labels[2 * tile + 1], closer: CLOSER, tile }));
  for (const one of list) one.plain = folded(one.name);
  s.findable = { context, geometry, districts, list };
  return list;
}

// Names that begin so, then those that hold it.
function matches(s, text) {
  const wanted = folded(text.trim());
  if (!wanted) return [];
  const found = findable(s).filter(({ plain }) => plain.includes(wanted));
  found.sort((a, b) => a.plain.indexOf(wanted) - b.plain.indexOf(wanted) || a.plain.length - b.plain.length);
  return found.slice(0, OFFERED);
}

function goTo(s, { name, lng, lat, closer }) {
  s.foundPlace = { lng, lat };
  s.fitted = false;
  s.live.textContent = `The map shows ${name}.`;
  setView(s, { ...s.view, longitude: lng, latitude: lat, zoom: Math.max(s.view.zoom, s.fitZoom + closer) });
}

export function listenToSearch(s, on) {
  on(s.search, "input", () => {
    const found = matches(s, s.search.value);
    s.offers.replaceChildren(...[...new Set(found.map(({ name }) => name))].map((name) => make("option", { value: name })));
    const exact = found.find(({ name }) => name === s.search.value); // an offer was taken, or a whole name typed
    if (exact && s.deck) goTo(s, exact);
    if (!s.search.value) clearFound(s);
  });
  on(s.search, "keydown", (event) => {
    if (event.key !== "Escape" || s.search.value) event.stopPropagation(); // letters are no shortcuts of the page
    if (event.key !== "Enter" || !s.deck) return;
    const [best] = matches(s, s.search.value);
    s.search.setCustomValidity(best ? "" : "No place, district or tile has this name.");
    s.search.reportValidity();
    if (!best) return;
    goTo(s, best);
    const place = best.tile === undefined ? null : placeOf(s, best.tile);
    if (place !== null && !isChosen(s.chosen, place)) setChosen(s, afterClick(s.chosen, place, choosesDistricts(s), s.adding));
  });
}

function clearFound(s) {
  s.foundPlace = null;
  s.search.setCustomValidity("");
  redraw(s); // on both sides
}

// A ring around what was found.
export function drawFound(pen, s, viewport) {
  if (!s.foundPlace) return;
  const [x, y] = viewport.project([s.foundPlace.lng, s.foundPlace.lat]);
  for (const [colour, width] of [[css(s.theme.background, 0.9), 5], [css(s.theme.accent), 2.5]]) {
    pen.beginPath();
    pen.arc(x, y, 14, 0, 2 * Math.PI);
    pen.strokeStyle = colour;
    pen.lineWidth = width;
    pen.stroke();
  }
}
