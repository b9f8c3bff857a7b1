// The flows of what is chosen, as arrows on a map. They come for one choice and one stop (dpcore/views/numbers/selected_flows.py): at
// another stop thin dashed lines stand in their places until its flows are there.

import { CERTAIN, css } from "./ladder_colours.js";
import { fillButtons } from "./ladder_controls.js";
import { WAITING, countsMode, estimatesOf, likely, linkOfNumbers } from "./ladder_estimates.js";
import { heard, held, wish } from "./held.js";
import { roundBelow, sampleArrow } from "./ladder_legend.js";
import { remember } from "./ladder_map.js";
import { keepFor, keptFor } from "./ladder_message.js";
import { curve, flowLook, flowScale } from "./ladder_overlay.js";
import { linkOfChoice, sameChoice } from "./ladder_select.js";
import { make, metresPerPixel, redraw } from "./ladder_stage.js";
import { countedOf, noiseRange, plainName, short, tileName, whole } from "./ladder_words.js";

export const SELECTED = "epsilon-atlas-selected";

export function takeSelected(link, flows) {
  keepFor(link, "selected", flows);
  window.dispatchEvent(new CustomEvent(SELECTED, { detail: { link } }));
}

// The flows of the present choice; `now` says whether they are those of this stop. Null where there are none yet.
export function selectedOf(s) {
  const data = s.chosen.places.length ? keptFor(linkOfNumbers(s), "selected") : null;
  if (!data) return null;
  const { places, other, districts } = data;
  if (!sameChoice({ places, other, districts }, s.chosen)) return null;
  return { ...data, now: data.epsilon === s.message.rungs[s.rung] };
}

// Levels ---------------------------------------------------------------------------------------------------

export const LEVEL = "level"; // the name of what the page hears
const NEAR = 40; // pixels: flows between tiles are drawn where a tile is as wide as that
const LEVELS = { zoom: "By zoom", districts: "Districts", tiles: "Tiles" };

// As large as the screen, a map opens with what the sentence beside it tells: districts, however near they are.
const presented = (s) => Boolean(s.root.getRootNode().host?.closest(".st-key-stage"));

// "districts" or "tiles": between what flows are drawn now.
export function shownLevel({ message, view, level }) {
  if (!message.districts?.flows) return "tiles";
  if (!message.flows) return "districts";
  if (level === "districts" || level === "tiles") return level;
  return view && message.geometry.size.metres / metresPerPixel(view) >= NEAR ? "tiles" : "districts";
}

// The flows of the level that is looked at, their places, and their estimates at this stop.
export function linesOf(s) {
  const { message } = s, far = shownLevel(s) === "districts", stop = estimatesOf(s)?.stop;
  return { far, flows: far ? message.districts.flows : message.flows, known: far ? stop?.districts : stop?.flows, ...placesOf(s, far) };
}

// Districts have borders of their own while flows between them are drawn.
export function districtRegions({ message, view, level }) {
  if (shownLevel({ message, view, level }) !== "districts") return null;
  return (message.districts.regions ??= { ofTiles: message.districts.of_tiles });
}

const hasLevels = ({ message }) => Boolean(message.flows && message.districts?.flows);

export function sawLevel(s) {
  const level = shownLevel(s);
  if (s.sawnLevel !== level) redraw(s);
  s.sawnLevel = level;
}

// The list beside a map is of the level that the map shows, so the page is told of it.
export function tellLevel(s) {
  const link = linkOfChoice(s), level = shownLevel(s);
  if (s.view && hasLevels(s) && !s.message.tiles && link && heard(link, LEVEL) && held(link, LEVEL) !== level) wish(link, LEVEL, level, s);
}

// The width of one trip: fixed for a level, so that arrows do not grow with epsilon.
export function flowScaleOf(s) {
  const { flows, far } = linesOf(s);
  return s.fittedTo ? flowScale(s.message, flows, s.fittedTo, far) : { perTrip: 0, largest: 1, widest: 1 };
}

// Filters --------------------------------------------------------------------------------------------------

const USUALLY_DRAWN = 150; // more arrows could not be told apart

// The flows that are drawn now, and how many are left out: those that noise hides, and those below the smallest one shown.
export function shownFlows(s) {
  const lines = linesOf(s), { flows, known } = lines;
  const asked = s.leastFlows[lines.far ? "districts" : "tiles"];
  const key = [flows, known, s.rung, s.mode, asked, s.theme];
  if (s.flowsShown?.key.every((each, at) => each === key[at])) return s.flowsShown;
  if (flows.estimated && !known) return unknownFlows(s, flows);
  const found = [];
  let drowned = 0;
  for (let flow = 0; flow < flows.count; flow++) {
    if (flows.origins[flow] === flows.destinations[flow]) continue;
    const look = flowLook(s, flow, lines);
    if (look.drowned) drowned++;
    else found.push({ flow, ...look });
  }
  found.sort((p, q) => (q.known ?? true) - (p.known ?? true) || q.size - p.size); // the order of every list (Shown.first)
  const usual = found.slice(0, USUALLY_DRAWN), more = found.length > USUALLY_DRAWN;
  const least = asked ?? (more ? usual.reduce((size, flow) => Math.min(size, flow.size), Infinity) : 0);
  const drawn = asked === undefined || asked === null ? usual : found.filter(({ size }) => size >= least);
  const [left, open] = [found.length - drawn.length, drawn.filter(({ known }) => known === false).length];
  const smaller = found.filter(({ size }) => size < least).length;
  return (s.flowsShown = { key, drawn, least, smaller, unknown: left - smaller, open, drowned });
}

// Until the estimates of a stop are there: the lines that were drawn last, thin and dashed, without a size.
function unknownFlows(s, flows) {
  const last = s.flowsShown?.key[0] === flows ? s.flowsShown.drawn : Array.from({ length: Math.min(flows.count, USUALLY_DRAWN) }, (_, flow) => ({ flow }));
  const drawn = last.map(({ flow }) => ({ flow, size: 0, sure: false, colour: s.theme.flow }));
  return { drawn, least: s.flowsShown?.least ?? 0, smaller: 0, drowned: 0 };
}

export function leftOutWords(s) {
  const { drawn, smaller, unknown = 0, open = 0, drowned, least } = shownFlows(s);
  const words = [`${drawn.length === 1 ? "1 flow is" : `${whole(drawn.length)} flows are`} drawn`];
  if (smaller) words.push(`${whole(smaller)} below ${short(Math.round(least))} ${smaller === 1 ? "is" : "are"} not`);
  if (unknown) words.push(`${whole(unknown)} as large or larger ${unknown === 1 ? "is" : "are"} not known and not drawn`);
  if (drowned) words.push(`${whole(drowned)} cannot be told from none`);
  if (open) words.push(`dashed: not known within ${100 * CERTAIN[0]} %`);
  return words.join("; ");
}

// The slider is logarithmic: most flows are small.
const leastAt = (s) => Math.log(Math.max(2, selectedOf(s) ? largestSelected(selectedOf(s)) : flowScaleOf(s).largest)) / 100;
const filteredBy = (s) => (selectedOf(s) ? "chosen" : shownLevel(s));

export function fillFlowControls(s) {
  s.level ??= presented(s) ? "districts" : s.look?.level ?? "zoom";
  s.leastFlows ??= { ...s.look?.leastFlows }; // by level, each on a scale of its own
  s.levels.hidden = !hasLevels(s);
  fillButtons(s.levels, "level", Object.keys(LEVELS), (level) => LEVELS[level], (level) => {
    s.level = level;
    remember(s);
    redraw(s);
  });
}

export function updateFlowControls(s) {
  for (const button of s.levels.children) button.setAttribute("aria-pressed", String(button.dataset.level === s.level));
  const filtered = s.flowsOn && !s.message.tiles;
  s.least.parentElement.hidden = !filtered;
  if (!filtered) return;
  const least = selectedOf(s) ? leastOfChoice(s) : shownFlows(s).least;
  const at = least > 1 ? Math.min(100, Math.round(Math.log(least) / leastAt(s))) : 0;
  s.least.value = at;
  s.least.style.setProperty("--at", String(s.least.value / 100));
  s.leastWords.textContent = `Flows of ${short(Math.round(least))} or more`;
  s.least.setAttribute("aria-valuetext", s.leastWords.textContent);
  s.root.dataset.between = shownLevel(s);
  tellLevel(s);
}

export function listenToFlows(s, on) {
  on(s.least, "input", () => {
    const at = Number(s.least.value);
    s.leastFlows[filteredBy(s)] = at ? Math.exp(at * leastAt(s)) : 0;
    remember(s);
    redraw(s);
  });
}

// Circles --------------------------------------------------------------------------------------------------

// What goes out of every place of a level, then what comes into it: values and the ends of their ranges. Null where they are not
// known at this stop.
function totalsOf(s) {
  const { far, flows } = linesOf(s), { totals } = flows;
  if (flows.estimated) return estimatesOf(s)?.stop?.[far ? "totals" : "tile_totals"] ?? null;
  if (!totals || (flows.truth && countsMode(s) !== "noisy")) return null; // arrows show the truth then
  const values = totals.values.subarray(s.rung * totals.count, (s.rung + 1) * totals.count), half = totals.half_widths[s.rung];
  return { values, low: values.map((value) => value - half), high: values.map((value) => value + half), counted: true, greyBelow: totals.grey_below[s.rung] };
}

// Both numbers of a place: value and range.
const bothTotals = ({ values, low, high }, place) =>
  [place, values.length / 2 + place].map((at) => [values[at], low?.[at] ?? null, high?.[at] ?? null]);

const WIDEST_CIRCLE = 17;

// The total that has the widest circle: of the finest stop, so that circles do not grow with epsilon.
function largestTotal({ k }, { totals, largest_total: estimated }) {
  return totals ? totals.values.subarray((k - 1) * totals.count).reduce((a, b) => Math.max(a, b), 1) : Math.max(1, estimated);
}

// How half a circle is drawn; null where noise hides its total, as for arrows. Without a known range it is dashed. `greyBelow`: from
// where on a released total stands out of the noise.
function halfCircle([value, low, high], largest, greyBelow = 0) {
  if (value < Math.max(0.5, greyBelow) || (low !== null && (high - low) / 2 >= value)) return null;
  return { radius: WIDEST_CIRCLE * Math.sqrt(value / largest), dash: low === null ? [3, 3] : [] };
}

// Both halves of every place at this stop, kept as long as it is looked at. Null where the totals are not known.
function circlesOf(s) {
  const { far, flows } = linesOf(s), kept = s.circles, stop = flows.estimated ? estimatesOf(s)?.stop : s.rung;
  if (kept?.flows === flows && kept.stop === stop) return kept;
  const totals = totalsOf(s);
  if (totals === null) return null;
  const largest = largestTotal(s.message, flows);
  const halves = Array.from({ length: totals.values.length / 2 }, (_, place) => bothTotals(totals, place).map((total) => halfCircle(total, largest, totals.greyBelow)));
  return (s.circles = { flows, stop, far, largest, halves });
}

// A circle at each place: its left half goes out, its right half comes in; areas are as the trips. No circle of a tile is wider than
// the usual tile.
export function drawCircles(pen, s, viewport) {
  const { far, at } = linesOf(s), known = circlesOf(s);
  if (!known) return;
  const scale = far ? 1 : Math.min(1, (0.45 * s.message.geometry.size.metres) / metresPerPixel(viewport) / WIDEST_CIRCLE);
  known.halves.forEach((both, place) => {
    if (!both[0] && !both[1]) return;
    const [x, y] = viewport.project(at(place));
    if (x < -WIDEST_CIRCLE || x > viewport.width + WIDEST_CIRCLE || y < -WIDEST_CIRCLE || y > viewport.height + WIDEST_CIRCLE) return;
    both.forEach((half, side) => {
      if (!half) return;
      const colour = side === 0 ? s.theme.flow : s.theme.low;
      pen.beginPath();
      pen.arc(x, y, scale * half.radius, Math.PI / 2, (3 * Math.PI) / 2, side === 1);
      pen.closePath();
      pen.fillStyle = css(colour, half.dash.length ? 0.15 : 0.5);
      pen.fill();
      pen.setLineDash(half.dash);
      pen.strokeStyle = half.dash.length ? css(colour) : css(s.theme.background, 0.9);
      pen.lineWidth = 1;
      pen.stroke();
    });
  });
  pen.setLineDash([]);
}

export function circleKey(s) {
  const known = circlesOf(s), box = make("div", { class: "muted" });
  if (known) box.textContent = circleWords(known);
  return box;
}

function circleWords({ halves, largest, far }) {
  const all = halves.flat(), drowned = all.filter((half) => !half).length, dashed = all.filter((half) => half?.dash.length).length;
  const words = [`circles: left half out of a ${far ? "district" : "tile"}, right half into it; the area is the number of trips, ${short(largest)} in the widest half at the finest ε`];
  if (drowned) words.push(`${whole(drowned)} of ${whole(all.length)} halves cannot be told from none and are not drawn`);
  if (dashed) words.push("dashed: no range is known");
  return words.join("; ");
}

// The lines of a tile or district: what goes out and comes in with the ranges of the sums.
export function totalWords(s, now, tile) {
  const { far, flows, name } = linesOf(s), totals = totalsOf(s), place = far ? s.message.districts.of_tiles[tile] : tile;
  const own = far ? name(place) : tileName(s.message, place);
  if (!totals) return [own, flows.estimated && !now?.stop ? WAITING : "", "", ""];
  const unit = now?.wanted && now.stop ? countedOf(s.message.texts.flow_counts, now.stop.head.about) : s.message.texts.flow_counts;
  const [out, into] = bothTotals(totals, place).map(([value, low, high]) => {
    if (totals.counted) return `${whole(value)} ${unit} (${noiseRange(whole(low), whole(high))})`;
    return likely({ values: [value], low: low === null ? null : [low], high: [high] }, 0, unit);
  });
  return [own, `out of it: ${out}`, `into it: ${into}`, ""];
}

// What is chosen -------------------------------------------------------------------------------------------

// Where a place of a level has its label, and what it is called.
export function placesOf(s, districts) {
  const { geometry, districts: known } = s.message;
  if (!districts || !known) {
    return { at: (place) => [geometry.labels[2 * place], geometry.labels[2 * place + 1]], name: (place) => plainName(s.message, place) };
  }
  known.labels ??= districtLabels(geometry, known);
  return { at: (place) => known.labels[place], name: (place) => `District ${known.names[place]}` };
}

// The middle of the labels of each district's tiles, moved to the nearest of them: so it lies in the district.
function districtLabels({ labels, n }, { of_tiles: ofTiles, names }) {
  const sums = names.map(() => [0, 0, 0]);
  for (let t = 0; t < n; t++) {
    const sum = sums[ofTiles[t]];
    sum[0] += labels[2 * t];
    sum[1] += labels[2 * t + 1];
    sum[2]++;
  }
  const best = sums.map(() => [Infinity, null]);
  for (let t = 0; t < n; t++) {
    const [x, y, count] = sums[ofTiles[t]];
    const far = Math.hypot(labels[2 * t] - x / count, labels[2 * t + 1] - y / count);
    if (far < best[ofTiles[t]][0]) best[ofTiles[t]] = [far, [labels[2 * t], labels[2 * t + 1]]];
  }
  return best.map(([, label]) => label);
}

// Where the arrows of an area begin and end: at the mean of its places.
function middleOf(places, chosen) {
  const labels = chosen.places.map(places.at);
  return [0, 1].map((side) => labels.reduce((sum, label) => sum + label[side], 0) / labels.length);
}

// Flows of a choice below that are not drawn: only a map of flows has the slider that says so.
const leastOfChoice = (s) => (s.message.tiles ? 0 : (s.leastFlows?.chosen ?? 0));

// Arrows of the choice: out of it in one colour, into it in another. Of a pair only the flows of both.
export function selectedArrows(s, viewport, data) {
  const places = placesOf(s, s.chosen.districts);
  const own = viewport.project(middleOf(places, s.chosen));
  const widest = 14, largest = largestSelected(data), found = [];
  data.flows.forEach((side, way) => {
    side.places.forEach((place, at) => {
      const there = viewport.project(places.at(place));
      const [value, low] = side.numbers[at];
      if (value < leastOfChoice(s)) return;
      const width = data.now ? Math.max(1.25, (widest * value) / largest) : 1;
      const [from, to] = way === 0 ? [own, there] : [there, own];
      const emphasis = s.hover?.kind === "flow" ? (s.hover.index === flowNumber(way, at) ? 2 : 0) : s.chosen.other !== null && s.chosen.other !== place ? 0 : 1;
      found.push({
        flow: flowNumber(way, at), size: value, sure: data.now, unknown: low === null, width, emphasis,
        colour: way === 0 ? s.theme.flow : s.theme.low, points: curve(from, to, width),
      });
    });
  });
  return found.sort((p, q) => p.emphasis - q.emphasis || p.size - q.size);
}

const flowNumber = (way, at) => 2 * at + way;
const largestSelected = (data) => Math.max(1, ...data.flows.flatMap(({ numbers }) => numbers.map(([value]) => value)));

// Which flows are drawn now.
export const flowSource = (s) => (selectedOf(s) ? JSON.stringify(s.chosen) : shownLevel(s));

// The words of a flow of the choice.
export function selectedWords(s, data, flow) {
  const [way, at] = [flow % 2, flow >> 1], side = data.flows[way];
  const there = placesOf(s, s.chosen.districts).name(side.places[at]);
  const own = chosenName(s);
  const ends = way === 0 ? `${own} to ${there}` : `${there} to ${own}`;
  if (!data.now) return [ends, WAITING, "", ""];
  const [value, low, high] = side.numbers[at];
  const unit = countedOf("trips", data.about);
  if (data.kind === "released" && low !== null) {
    return [`${ends}: ${whole(value)} ${unit}`, noiseRange(whole(low), whole(high)), "", ""];
  }
  const one = { values: [value], low: low === null ? null : [low], high: [high] };
  return [`${ends}: ${likely(one, 0, unit)}`, "", "", ""];
}

function chosenName(s) {
  const { places, districts } = s.chosen;
  return places.length === 1 ? placesOf(s, districts).name(places[0]) : `area of ${whole(places.length)} ${districts ? "districts" : "tiles"}`;
}

// What the arrows of a choice mean, and how many flows are not drawn.
export function selectedLegend(s, data) {
  const box = make("div", { class: "flowkey", role: "group", "aria-label": "Arrows: flows of what is chosen" });
  const samples = make("div", { class: "samples" });
  const top = roundBelow(largestSelected(data));
  [["out of it", s.theme.flow], ["into it", s.theme.low]].forEach(([name, colour]) => {
    const sample = make("span", { class: "sample" });
    sample.append(sampleArrow(7, colour), make("span", {}, name));
    samples.append(sample);
  });
  const sample = make("span", { class: "sample" });
  sample.append(sampleArrow((14 * top) / largestSelected(data), s.theme.text), make("span", {}, `${short(top)} trips`));
  samples.append(sample);
  box.append(samples);
  const drawn = data.flows.reduce((sum, side) => sum + side.places.length, 0);
  const least = leastOfChoice(s), below = data.flows.flatMap(({ numbers }) => numbers).filter(([value]) => value < least).length;
  const more = data.flows.reduce((sum, side) => sum + side.more, 0);
  const unread = data.flows.reduce((sum, side) => sum + side.unread, 0);
  const kind = data.kind === "released" ? "released" : "estimated";
  const words = [`${chosenName(s)}: ${whole(drawn - below)} ${kind} ${drawn - below === 1 ? "flow" : "flows"} out and in`, `their numbers are of ${data.about}`];
  if (s.message.tiles && (keptFor(linkOfNumbers(s), "windows")?.at ?? null) !== null) words.push("they are of the whole period, at all times of day");
  if (below) words.push(`${whole(below)} below ${short(Math.round(least))} ${below === 1 ? "is" : "are"} not drawn`);
  if (more) words.push(more === 1 ? "1 smaller one is not drawn" : `${whole(more)} smaller ones are not drawn`);
  if (unread) words.push(`${whole(unread)} cannot be told from none and ${unread === 1 ? "is" : "are"} not drawn`);
  const lows = data.flows.flatMap((side) => side.numbers.map(([, low]) => low));
  if (lows.includes(null)) words.push(lows.every((low) => low === null) ? "no range is known" : "no range is known of some");
  if (!data.now) words.splice(0, words.length, WAITING);
  box.append(make("div", { class: "muted" }, words.join("; ")));
  return box;
}
