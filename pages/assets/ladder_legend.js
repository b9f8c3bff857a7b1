// One legend for each picture. The breaks are those of the message at every rung: what moves with epsilon is
// the noise, never the scale.

function drawLegend(s) {
  const { message } = s, mode = countsMode(s);
  const parts = [];
  const now = message.tiles && estimatesOf(s);
  if (now?.wanted && now.waiting) parts.push(make("div", { class: "waits" }, `${drawnName(s)[0].toUpperCase()}${drawnName(s).slice(1)}s while you drag. ${WAITING}`));
  if (now && (now.wanted ? !now.waiting : now.regions)) parts.push(estimateLegend(s, now));
  else if (message.tiles) parts.push(mode === "noisy" ? noisyLegend(s) : mode === "true" ? trueLegend(s) : differenceLegend(s));
  if (message.flows && s.flowsOn) parts.push(flowLegend(s));
  if (now?.regions) parts.push(make("div", { class: "muted" }, now.regions.promise));
  const { simplified } = message.geometry;
  if (simplified) parts.push(make("div", { class: "muted" }, `borders are drawn to about ${whole(simplified)} m; trips are counted on the exact ones`));
  s.legend.classList.toggle("faded", s.flowsOn); // as the tiles are, under the arrows
  s.legend.replaceChildren(...parts);
}

function legendTable(label) {
  const box = make("table", { "aria-label": label });
  return { box, body: box.createTBody() };
}

function swatches(body, name, colours, join = 1) {
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
function scaleRow(body, name, numbers) {
  const row = body.insertRow();
  row.className = "scale";
  row.append(make("th", { scope: "row" }, name));
  for (const number of numbers) row.insertCell().append(make("span", {}, number));
  row.insertCell();
}

function noisyLegend({ message, palette, rung }) {
  const { tiles, texts } = message;
  const { box, body } = legendTable(`Colours: ${texts.counts} per tile, the same scale at every epsilon`);
  const names = ["noise below ±25 %", "±25 to 50 %", "above ±50 %"];
  const possible = possibleLevels(tiles);
  names.forEach((name, level) => possible[level] && swatches(body, name, palette.noisy[level], JOINED[level]));
  const grey = swatches(body, "drowned by noise", palette.noisy[DROWNED], tiles.breaks.length + 1);
  const [half, from, few] = [tiles.half_widths[rung], tiles.grey_below[rung], fewBelow(tiles)];
  const none = "none at this \u03b5";
  grey.lastChild.append(make("span", { class: "inside" }, isFewOrNone(from - 1, half, from, few) ? none : `below ${whole(from)}`));
  if (possible[FEW]) {
    const row = swatches(body, "few or none", palette.noisy[FEW], tiles.breaks.length + 1);
    row.className = "framed";
    row.lastChild.append(make("span", { class: "inside" }, half < few ? `range ends below ${whole(few)}` : none));
  }
  scaleRow(body, `${texts.counts} per tile`, tiles.breaks.map(short));
  return box;
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
  const { message, mode, theme } = s;
  const { flows, texts } = message;
  const box = make("div", { class: "flowkey", role: "group", "aria-label": `Arrows: ${texts.flow_counts} from tile to tile` });
  const top = roundBelow(s.flowScale.largest);
  const samples = make("div", { class: "samples" });
  for (const size of [...new Set([roundBelow(top / 10), roundBelow(top / 2.5), top])]) {
    const sample = make("span", { class: "sample" });
    const colour = mode === "difference" && flows.truth ? theme.high : theme.flow;
    sample.append(sampleArrow(size * s.flowScale.perTrip, colour), make("span", {}, short(size)));
    samples.append(sample);
  }
  samples.append(make("span", {}, mode === "difference" && flows.truth ? `${texts.flow_counts} too many; blue: too few` : texts.flow_counts));
  box.append(samples);
  if (mode !== "noisy" && flows.truth) return box;
  if (flows.estimated) {
    const known = estimatesOf(s)?.stop?.flows;
    const words = known ? `estimated, of ${estimatesOf(s).stop.head.about}${known.ranged ? "" : "; no range is known"}` : WAITING;
    box.append(make("div", { class: "muted" }, words));
    return box;
  }
  let shown = 0;
  for (let f = 0; f < flows.count; f++) shown += flowLook(s, f).sure;
  const drowned = shown < flows.count ? "; dashed: drowned by noise" : "";
  box.append(make("div", { class: "muted" }, `${shown} of ${flows.count} drawn flows stand out${drowned}`));
  return box;
}

function sampleArrow(width, colour) {
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

function roundBelow(value) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)));
  return [5, 2, 1].map((digit) => digit * power).find((number) => number <= Math.max(1, value));
}
