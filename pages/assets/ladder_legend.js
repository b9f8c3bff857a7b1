// One legend for each picture. The breaks are those of the message at every rung: what moves with epsilon is
// the noise, never the scale.

import { backgroundWords } from "./ladder_background.js";
import { css, fewBelow } from "./ladder_colours.js";
import { WAITING, countsMode, drawnName, estimateLegend, estimatesOf } from "./ladder_estimates.js";
import { circleKey, flowScaleOf, leftOutWords, linesOf, selectedLegend, selectedOf } from "./ladder_flows.js";
import { lookKey } from "./ladder_looks.js";
import { STEPS, arrowShape } from "./ladder_overlay.js";
import { make } from "./ladder_stage.js";
import { differenceKey } from "./ladder_swipe.js";
import { faceOf } from "./ladder_time.js";
import { short, whole } from "./ladder_words.js";

export function drawLegend(state) {
  const s = faceOf(state), { message } = s, mode = countsMode(s);
  const parts = [];
  const now = message.tiles && estimatesOf(s);
  if (now?.wanted && now.waiting) parts.push(make("div", { class: "waits" }, `${drawnName(s)[0].toUpperCase()}${drawnName(s).slice(1)}s while you drag. ${WAITING}`));
  if (s.pair?.look === "difference") parts.push(differenceKey(state));
  else if (now && (now.wanted ? !now.waiting : now.regions)) parts.push(estimateLegend(s, now));
  else if (message.tiles) parts.push(mode === "noisy" ? noisyLegend(s) : mode === "true" ? trueLegend(s) : differenceLegend(s));
  if (message.levels) parts.push(levelsLegend(s));
  const selected = selectedOf(s);
  if (selected) parts.push(selectedLegend(s, selected));
  else if (s.flowsOn) parts.push(flowLegend(s));
  if (now?.regions) parts.push(make("div", { class: "muted" }, now.regions.promise));
  const { simplified } = message.geometry;
  if (simplified) parts.push(make("div", { class: "muted" }, `borders are drawn to about ${whole(simplified)} m; trips are counted on the exact ones`));
  parts.push(...backgroundWords(s));
  s.legend.classList.toggle("faded", s.flowsOn || Boolean(selected)); // as the tiles are, under the arrows
  s.legend.replaceChildren(...parts);
}

// Each level with its colour, its ε and how many tiles have it; the most delicate first.
function levelsLegend({ message: { levels: { names, ofTiles } }, root, theme }) {
  const many = new Uint32Array(names.length);
  for (const level of ofTiles) many[level]++;
  root.dataset.levels = many.join(" ");
  const key = make("div", { class: "looks", role: "list", "aria-label": "Levels of tiles" });
  const items = names.map(({ name, epsilon, ...colours }, level) => {
    const item = make("span", { class: "look", role: "listitem" }), swatch = make("i", { class: "swatch" });
    swatch.style.backgroundColor = colours[theme.name];
    item.append(swatch, make("span", {}, `${name}, ε ${epsilon}`), make("span", { class: "muted" }, `${whole(many[level])} ${many[level] === 1 ? "tile" : "tiles"}`));
    return item;
  });
  key.append(...items.reverse());
  return key;
}

export function legendTable(label) {
  const box = make("table", { "aria-label": label });
  return { box, body: box.createTBody() };
}

export function swatches(body, name, colours, join = 1) {
  const row = body.insertRow();
  row.append(make("th", { scope: "row" }, name));
  for (let c = 0; c < colours.length; c += join) {
    const cell = row.insertCell();
    cell.colSpan = Math.min(join, colours.length - c);
    cell.style.background = css(colours[c]);
  }
  return row;
}

// A number under each border between two classes.
export function scaleRow(body, name, numbers) {
  const row = body.insertRow();
  row.className = "scale";
  row.append(make("th", { scope: "row" }, name));
  for (const number of numbers) row.insertCell().append(make("span", {}, number));
  row.insertCell();
}

// One row of colours for the value; beside it the other looks, which noise and emptiness have.
export function valueLegend(s, said, per, breaks, words) {
  const { box, body } = legendTable(`Colours: ${said}`);
  swatches(body, per, s.palette.noisy[0]);
  scaleRow(body, "", breaks.map(short));
  const both = make("div", { class: "values" });
  both.append(box, lookKey(s, words));
  return both;
}

function noisyLegend(s) {
  const { tiles, texts } = s.message, { rung } = s;
  const per = `${texts.counts} per tile`;
  return valueLegend(s, `${per}, the same scale at every epsilon`, per, tiles.breaks, {
    greyer: "greyer: noise above ±25 %",
    hatched: `drowned by noise: below ${whole(tiles.grey_below[rung])}`,
    empty: `few or none: range ends below ${whole(fewBelow(tiles))}`,
  });
}

function trueLegend({ message, palette }) {
  const { tiles, texts } = message;
  const { box, body } = legendTable(`Colours: true ${texts.counts} per tile`);
  swatches(body, "true counts", palette.noisy[0]);
  scaleRow(body, `${texts.counts} per tile`, tiles.breaks.map(short));
  return box;
}

function differenceLegend({ message, palette }) {
  const { tiles, texts } = message;
  const sizes = tiles.difference_breaks;
  const { box, body } = legendTable(`Colours: noisy minus true ${texts.counts} per tile`);
  box.className = "wide";
  const row = swatches(body, "noisy minus true", palette.difference);
  row.cells[1].append(make("span", { class: "inside onlow" }, "too low"));
  row.cells[1 + sizes.length].append(make("span", { class: "inside" }, "about 0"));
  row.lastChild.append(make("span", { class: "inside onhigh" }, "too high"));
  scaleRow(body, `${texts.counts} per tile`, [...[...sizes].reverse().map((size) => short(-size)), ...sizes.map((size) => `+${short(size)}`)]);
  return box;
}

// Sample arrows at round sizes, and how many of the drawn flows stand out.
function flowLegend(s) {
  const { message, mode, theme } = s, { flows, far, known } = linesOf(s), { texts } = message;
  const scale = flowScaleOf(s), level = far ? "district to district" : "tile to tile";
  const box = make("div", { class: "flowkey", role: "group", "aria-label": `Arrows: ${texts.flow_counts} from ${level}` });
  const top = roundBelow(scale.largest);
  const samples = make("div", { class: "samples" });
  for (const size of [...new Set([roundBelow(top / 10), roundBelow(top / 2.5), top])]) {
    const sample = make("span", { class: "sample" });
    const colour = mode === "difference" && flows.truth ? theme.high : theme.flow;
    sample.append(sampleArrow(size * scale.perTrip, colour), make("span", {}, short(size)));
    samples.append(sample);
  }
  samples.append(make("span", {}, mode === "difference" && flows.truth ? `${texts.flow_counts} too many; blue: too few` : texts.flow_counts));
  box.append(samples);
  box.append(circleKey(s));
  const about = !flows.estimated ? `${texts.flow_counts} from ${level}` : known ? `estimated ${texts.flow_counts} from ${level}, of ${estimatesOf(s).stop.head.about}${known.ranged ? "" : "; no range is known"}` : WAITING;
  box.append(make("div", { class: "muted" }, about));
  if (!flows.estimated || known) box.append(make("div", { class: "muted" }, leftOutWords(s)));
  return box;
}

export function sampleArrow(width, colour) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const [w, h] = [46, 20];
  svg.setAttribute("width", w);
  svg.setAttribute("height", h);
  svg.setAttribute("aria-hidden", "true");
  const points = Array.from({ length: STEPS + 1 }, (_, i) => [1 + ((w - 2) * i) / STEPS, h / 2]);
  const shape = document.createElementNS(svg.namespaceURI, "polygon");
  shape.setAttribute("points", arrowShape(points, Math.max(1, width)).map((p) => p.join(",")).join(" "));
  shape.setAttribute("fill", css(colour));
  svg.append(shape);
  return svg;
}

export function roundBelow(value) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)));
  return [5, 2, 1].map((digit) => digit * power).find((number) => number <= Math.max(1, value));
}
