// Numbers and sentences. All of it goes to the page as text, never as markup.

import { fewBelow, halfOf, isFewOrNone } from "./ladder_colours.js";

export const whole = (value) => Math.round(value).toLocaleString("en").replace("-", "\u2212");
export const signed = (value) => (value > 0 ? "+" : "") + whole(value);

// Half to even, as Python rounds.
export const even = (x) => (Math.abs(x % 1) === 0.5 ? 2 * Math.round(x / 2) : Math.round(x));

// Short form for a legend: 1,500 as 1.5k.
export function short(value) {
  const [unit, letter] = Math.abs(value) >= 1e6 ? [1e6, "M"] : [1000, "k"];
  return Math.abs(value) < 1000 ? whole(value) : `${+(value / unit).toFixed(1)}${letter}`.replace("-", "\u2212");
}

// No more digits than the noise allows: the step is a power of ten below a third of the half width. `least`: what the number
// cannot fall below without noise. A noisy count has none: its range says what noise does. A share is never below 0.
export function about(value, half, least = -Infinity) {
  const step = half > 3 ? 10 ** Math.floor(Math.log10(half / 3)) : 1;
  const round = (x) => whole(Math.round(x / step) * step);
  return { value: round(value), low: round(Math.max(least, value - half)), high: round(value + half) };
}

// What is counted, and of which trips: "visits of all trips". Trips are not said twice: "of all trips".
export const countedOf = (counts, about) => (counts === "trips" ? `of ${about}` : `${counts} of ${about}`);

export const noiseRange = (low, high) => `95\u00a0% range of the noise ${low} to ${high}`;

function noisyWords(value, half, greyBelow, unit, few, least) {
  const { value: middle, low, high } = about(value, half, least);
  if (isFewOrNone(value, half, greyBelow, few)) return `few or none: ${middle} (${low} to ${high})`;
  if (value < greyBelow) return `drowned by noise: ${middle} (${low} to ${high})`;
  return `about ${middle} ${unit} (${low} to ${high})`;
}

export function tileName({ geometry }, tile) {
  const name = geometry.names[tile];
  return name ? `${name} (${geometry.ids[tile]})` : geometry.ids[tile];
}

export const plainName = ({ geometry }, tile) => geometry.names[tile] || geometry.ids[tile];

// First line and second line about one tile.
export function tileWords(message, rung, mode, tile) {
  const { tiles, texts, levels } = message;
  if (levels) return [`${tileName(message, tile)}: ${levels.names[levels.ofTiles[tile]].name}`, ""];
  if (!tiles) return [tileName(message, tile), ""];
  return countWords(tiles, rung, mode, tile, tiles.count, tileName(message, tile), texts.counts);
}

export function flowWords({ texts }, { flows, name }, rung, mode, flow) {
  const ends = `${name(flows.origins[flow])} to ${name(flows.destinations[flow])}`;
  return countWords(flows, rung, mode, flow, flows.count, ends, texts.flow_counts);
}

function countWords(counts, rung, mode, cell, cells, name, unit) {
  const value = counts.values[rung * cells + cell];
  const first = `${name}: ${noisyWords(value, halfOf(counts, rung, value), counts.grey_below[rung], unit, fewBelow(counts), counts.least)}`;
  if (!counts.truth) return [first, ""];
  const truth = counts.truth[cell];
  const error = mode === "difference" ? `, off by ${signed(value - truth)}` : "";
  return [first, `true ${whole(truth)}${error}`];
}

// What the slider says to those who do not see it.
export function spokenRung(message, rung) {
  const { texts, rungs } = message;
  return texts.sentences[rung] ?? `epsilon ${rungs[rung]}${texts.privacy ? ` ${texts.privacy}` : ""}. ${noiseWords(message, rung)}`;
}

export function noiseWords({ tiles, flows, texts }, rung) {
  const grows = tiles?.growing?.[rung] ? ` and \u00b1${+(100 * tiles.growing[rung]).toPrecision(2)}\u00a0% of its number` : "";
  if (tiles) return `each tile \u00b1${whole(tiles.half_widths[rung])} ${texts.counts}${grows} (95\u00a0%)`;
  if (flows?.half_widths) return `each flow \u00b1${whole(flows.half_widths[rung])} ${texts.flow_counts} (95\u00a0%)`;
  return "";
}
