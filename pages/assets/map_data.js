// What Python tells the browser and nobody sees: for the maps, curves and sliders of a link. Layout: pages/parts/map_data.py.

import { ends, takeAnswers } from "./held.js";
import { takeContext } from "./ladder_context.js";
import { takeEstimates } from "./ladder_estimates.js";
import { takeSelected } from "./ladder_flows.js";
import { reader } from "./ladder_message.js";
import { takeSides } from "./ladder_swipe.js";
import { takeTiles } from "./ladder_tiles.js";
import { takeWindows } from "./ladder_time.js";
import { takePoints } from "./tradeoff_draw.js";

const TAKES = {
  tiles: takeTiles, context: takeContext, estimates: takeEstimates, windows: takeWindows,
  selected: takeSelected, sides: takeSides, points: takePoints, answers: takeAnswers, top: seeTop,
};
const WITHOUT = { tiles: "Map", context: "Streets and names", estimates: "Estimates", windows: "Time windows" };

// What a page showed last, by its link.
const shownLast = new Map();

function seeTop(link, { shown }) {
  if (shownLast.has(link) && shownLast.get(link) !== shown) document.querySelector("[data-testid=stMain]")?.scrollTo({ top: 0 });
  shownLast.set(link, shown);
}

export default function ({ data, parentElement }) {
  const { json, rest } = reader(data);
  const { kind, link, message } = json();
  const place = parentElement.querySelector(".data");
  try {
    const end = message === undefined ? TAKES[kind](rest()) : TAKES[kind](link, message, place);
    return ends(place, () => end?.());
  } catch (error) {
    place.textContent = `${WITHOUT[kind] ?? "This"} unavailable (${error.message}).`;
    return undefined;
  }
}
