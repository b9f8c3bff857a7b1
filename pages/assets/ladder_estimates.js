// Estimates of single stops, as they arrive; layout: dpcore/views/maps/estimate_message.py. The maps hold the released counts of
// every stop, and Python computes the estimates of a stop when the thumb is let go there. An estimate is never shown at another
// stop: until it is there, a map shows the released counts of the stop and says so.

import { CERTAIN, DROWNED, FEW, classOf, halfOf } from "./ladder_colours.js";
import { linesOf } from "./ladder_flows.js";
import { valueLegend } from "./ladder_legend.js";
import { linkOf } from "./ladder_map.js";
import { keepFor, keepNewest, keptFor, reader } from "./ladder_message.js";
import { about, countedOf, even, noiseRange, tileName, whole } from "./ladder_words.js";

const ESTIMATES_VERSION = 1;
export const ESTIMATED = "epsilon-atlas-estimates";
const STOPS_KEPT = 40; // of a link; a hundred kilobytes each at 10,000 tiles

// Of each link: how the page shows numbers now, and by epsilon what is known.
export function takeEstimates(bytes) {
  const { json, integers } = reader(bytes);
  const head = json();
  if (head.version !== ESTIMATES_VERSION) throw new Error("the page and the estimates are of different versions");
  const ranged = ({ count, ranged: ends }) => {
    const [values, low, high] = Array.from({ length: ends ? 3 : 1 }, () => integers(new Float64Array(count)));
    return { values, low, high };
  };
  const page = keepFor(head.link, "estimates", keptFor(head.link, "estimates") ?? { stops: new Map() });
  const stop = page.stops.get(head.epsilon) ?? { regions: new Map() };
  keepNewest(page.stops, head.epsilon, stop, STOPS_KEPT);
  Object.assign(page, { shown: head.shown, merged: head.merged });
  Object.assign(stop, { head });
  if (head.tiles) stop.tiles = { ...head.tiles, ...ranged(head.tiles) };
  if (head.flows) stop.flows = { ...head.flows, ...ranged(head.flows) };
  for (const name of ["districts", "totals", "tile_totals"]) if (head[name]) stop[name] = { ...head[name], ...ranged(head[name]) };
  if (head.regions) {
    const ofTiles = integers(new Uint32Array(head.tiles.count));
    const sizes = new Uint32Array(head.regions.count);
    for (const region of ofTiles) sizes[region]++;
    const noise = integers(new Int32Array(head.regions.count)); // percent, -1 where a region is not readable
    stop.regions.set(head.merged, { ofTiles, sizes, noise, promise: head.regions.promise, ...ranged(head.regions) });
  }
  window.dispatchEvent(new CustomEvent(ESTIMATED, { detail: { link: head.link } }));
}

// What a map knows of estimates now: null where its page has none.
export function estimatesOf(s) {
  const { modes, estimates } = s.message.options;
  const page = keptFor(linkOfNumbers(s), "estimates");
  if (!page) return estimates ? { wanted: s.mode === "estimate", regions: null, waiting: true } : null;
  const stop = s.known ?? page.stops.get(s.message.rungs[s.rung]); // a time window knows its own
  const wanted = modes.includes("estimate") ? s.mode === "estimate" : (s.numbers ?? page.shown) === "estimate";
  const merged = s.known ? 0 : page.merged;
  const here = s.message.tiles ? stop?.tiles : stop?.flows;
  const merges = wanted || (modes.includes("estimate") && s.mode === "noisy"); // drawn values too; truth and difference never
  const regions = (merges && merged && stop?.regions.get(merged)) || null;
  return { page, stop, wanted, regions, waiting: !here || Boolean(wanted && merged && !regions) };
}

// The link with which estimates, windows, flows of a choice and sides are sent. Of a preview each draw has a link of its own, so
// that no number of another draw is ever shown.
export const linkOfNumbers = (s) => s.message.options.estimates || (s.message.options.steered ? linkOf(s) : "");

// The picture of counts that is drawn where the estimate is not there yet.
export const countsMode = ({ mode }) => (mode === "estimate" ? "noisy" : mode);

export const drawnName = ({ message }) => (message.options.estimates ? "drawn value" : "released count");

// As in dpcore/estimates/known.py: an estimate is known whose range reaches at most a quarter of it to either side.
const reachOf = (value, low, high) => Math.max(high - value, value - low) / value;

export const isKnown = ({ values, low, high }, at) => Boolean(low) && values[at] >= 0.5 && reachOf(values[at], low[at], high[at]) <= CERTAIN[0];

// How much of the range of a count is not known: the same four steps as for noise.
function levelOfRange(value, low, high, few) {
  if (high < few) return FEW;
  if (value <= 0 || (high - low) / 2 >= value) return DROWNED;
  const reach = reachOf(value, low, high);
  return reach <= CERTAIN[0] ? 0 : reach < CERTAIN[1] ? 1 : 2;
}

// One colour and one look for each tile; all tiles of a region have those of their mean.
export function estimateColours({ stop, regions }, palette, colours, levels) {
  const { breaks } = stop.tiles, few = breaks[1];
  if (!regions) {
    const { values, low, high } = stop.tiles;
    for (let t = 0; t < colours.length; t++) {
      levels[t] = low ? levelOfRange(values[t], low[t], high[t], few) : 2;
      colours[t] = palette.words.noisy[levels[t]][classOf(values[t], breaks)];
    }
    return colours;
  }
  return regionColours(regions, regions.values, breaks, palette, colours, levels);
}

// The drawn values of the tiles of each region, added up.
export function drawnSums({ message: { tiles }, rung }, { ofTiles, sizes }) {
  const sums = new Float64Array(sizes.length);
  ofTiles.forEach((region, t) => (sums[region] += tiles.values[rung * tiles.count + t]));
  return sums.map((sum) => Math.max(sum, 0));
}

export function regionColours(regions, sums, breaks, palette, colours, levels) {
  const unread = sums.length > 1 ? FEW : DROWNED;
  const looks = Uint8Array.from(regions.noise, (percent) => (percent < 0 ? unread : percent < 100 * CERTAIN[0] ? 0 : percent < 100 * CERTAIN[1] ? 1 : 2));
  for (let t = 0; t < colours.length; t++) {
    const region = regions.ofTiles[t];
    levels[t] = looks[region];
    colours[t] = palette.words.noisy[levels[t]][levels[t] === unread ? 0 : classOf(sums[region] / regions.sizes[region], breaks)];
  }
  return colours;
}

export const rangeStep = (width) => (width < 100 ? 1 : 10 ** (Math.floor(Math.log10(width)) - 1));

// No more digits than mean something, as the same words in Python (dpcore/estimates/words.py).
export function likely({ values, low, high }, i, unit) {
  const round = (value, step) => whole(even(value / step) * step);
  if (!low) return `about ${round(values[i], rangeStep(values[i]))} ${unit} (no range is known)`;
  const step = rangeStep(high[i] - low[i]);
  return `about ${round(values[i], step)} ${unit} (likely range ${round(low[i], step)} to ${round(high[i], step)})`;
}

// The lines about a tile: estimate, released count, share. The one that the picture shows stands first.
export function estimatedTileWords(s, now, tile) {
  const { message, rung } = s, { tiles, texts } = message, { stop, regions, wanted } = now;
  const name = tileName(message, tile);
  const drawn = releasedWords(s, tiles, rung, tile, texts.counts);
  const truth = tiles.truth ? `true, all trips: ${whole(tiles.truth[tile])}` : "";
  if (!stop?.tiles) return [`${name}: ${drawn}`, truth || WAITING, "", ""];
  const unit = countedOf(texts.counts, stop.head.about);
  const estimate = likely(stop.tiles, tile, unit);
  const about = stop.head.first ? `${stop.head.first} ${stop.head.share}` : stop.head.share;
  if (regions) {
    const region = regions.ofTiles[tile], size = regions.sizes[region];
    const many = `Region of ${whole(size)} ${size === 1 ? "tile" : "tiles"}`;
    if (!wanted) {
      const sum = `drawn values add up to about ${whole(drawnSums(s, regions)[region])} ${texts.counts} (noise at most \u00b1${regions.noise[region]} %)`;
      return [`${many}: ${regions.noise[region] >= 0 ? sum : "few or drowned by noise"}`, `${name}: ${drawn}`, `estimate: ${estimate}`, truth];
    }
    const merged = regions.noise[region] >= 0
      ? `${many}: ${likely(regions, region, unit)}`
      : `${many}: few or drowned by noise, at most ${whole(regions.high[region])} ${unit}`;
    return [merged, `${name}: ${estimate}`, drawn, truth || about];
  }
  if (truth) {
    const [first, ...others] = wanted ? [estimate, drawn, truth] : countsMode(s) === "noisy" ? [drawn, estimate, truth] : [truth, estimate, drawn];
    return [`${name}: ${first}`, ...others, about];
  }
  return wanted ? [`${name}: ${estimate}`, drawn, about, ""] : [`${name}: ${drawn}`, `estimate: ${estimate}`, about, ""];
}

export const WAITING = "The estimate comes when you let go of the slider.";

export function releasedWords(s, counts, rung, cell, unit) {
  const number = counts.values[rung * counts.count + cell], { value, low, high } = about(number, halfOf(counts, rung, number), counts.least);
  return `${drawnName(s)}: ${value} ${unit} (${noiseRange(low, high)})`;
}

export function estimatedFlowWords(s, now, flow) {
  const { texts } = s.message, { stop } = now, { flows, known, name } = linesOf(s);
  const ends = `${name(flows.origins[flow])} to ${name(flows.destinations[flow])}`;
  if (!known) return [ends, WAITING, "", ""];
  const told = likely(known, flow, countedOf(texts.flow_counts, stop.head.about));
  const { share, first } = stop.head, drawn = known.released?.[flow];
  return [`${ends}: ${told}`, drawn ? `${drawnName(s)}: ${drawn} (95\u00a0% range of the noise in brackets)` : "", first ? `${first} ${share}` : share, ""];
}

export function estimateLegend(s, { stop, regions, wanted }) {
  const { texts } = s.message, { breaks } = stop.tiles;
  const per = regions ? `${texts.counts} per tile, mean of a region` : `${texts.counts} per tile`;
  const said = `${wanted ? `estimated ${per}, of ${stop.head.about}` : `drawn ${per}`}; the same scale at every epsilon`;
  return valueLegend(s, said, per, breaks, {
    greyer: `greyer: ${regions ? "noise of a region" : "likely range"} above ±25 %`,
    hatched: "range wider than the count",
    empty: regions ? "few, or drowned by noise" : `few or none: range ends below ${whole(breaks[1])}`,
  });
}

// Borders that part two regions, and those of the map; none within a region.
export function regionBorders(geometry, { ofTiles }) {
  const sides = (geometry.sides ??= sidesOfBorders(geometry));
  const { from, to } = geometry.borders;
  const kept = [];
  for (let e = 0; e < geometry.borders.count; e++) {
    const other = sides[2 * e + 1];
    if (other < 0 || ofTiles[sides[2 * e]] !== ofTiles[other]) kept.push(2 * e, 2 * e + 1);
  }
  return { count: kept.length / 2, from: Float64Array.from(kept, (i) => from[i]), to: Float64Array.from(kept, (i) => to[i]) };
}

// The tile on each side of every border, -1 beyond the map. A border and an edge are one where both ends are.
export function sidesOfBorders({ borders, starts, corners, owners }) {
  const nameOf = (ax, ay, bx, by) => (ax < bx || (ax === bx && ay < by) ? `${ax} ${ay} ${bx} ${by}` : `${bx} ${by} ${ax} ${ay}`);
  const found = new Map();
  for (let r = 0; r + 1 < starts.length; r++) {
    for (let v = starts[r]; v < starts[r + 1]; v++) {
      const next = v + 1 < starts[r + 1] ? v + 1 : starts[r];
      const name = nameOf(corners[2 * v], corners[2 * v + 1], corners[2 * next], corners[2 * next + 1]);
      const tiles = found.get(name);
      if (tiles === undefined) found.set(name, [owners[r], -1]);
      else if (tiles[0] !== owners[r]) tiles[1] = owners[r];
    }
  }
  const sides = new Int32Array(2 * borders.count).fill(-1);
  for (let e = 0; e < borders.count; e++) {
    const { from, to } = borders;
    const tiles = found.get(nameOf(from[2 * e], from[2 * e + 1], to[2 * e], to[2 * e + 1]));
    if (tiles) sides.set(tiles, 2 * e);
  }
  return sides;
}
