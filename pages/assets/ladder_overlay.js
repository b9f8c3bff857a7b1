// A second canvas above the tiles: flows, and the outline of the tile that is pointed at or chosen.
// Drawn in two dimensions, because arrows that taper are easy there and 150 of them cost a millisecond.

import { css } from "./ladder_colours.js";
import { drawNames } from "./ladder_context.js";
import { isKnown } from "./ladder_estimates.js";
import { drawCircles, flowScaleOf, linesOf, selectedArrows, selectedOf, shownFlows } from "./ladder_flows.js";
import { hatch } from "./ladder_looks.js";
import { drawFound } from "./ladder_search.js";
import { isChosen, outlineChosen, outlinePointed } from "./ladder_select.js";
import { clearOverlay } from "./ladder_stage.js";

const CURVE = 0.16; // how far an arrow bends to its right, so that A to B and B to A lie apart
export const STEPS = 18; // pieces of a curve
const TAIL = 0.28; // width at the origin, as a share of the width at the head

export function drawOverlay(s) {
  const drawing = clearOverlay(s);
  if (!drawing) return;
  const { pen, viewport } = drawing;
  hatch(s, pen, viewport);
  const selected = selectedOf(s);
  if (!selected && s.flowsOn) drawCircles(pen, s, viewport);
  s.arrows = selected ? selectedArrows(s, viewport, selected) : s.flowsOn ? arrows(s, viewport) : [];
  for (const arrow of s.arrows) drawArrow(pen, s, arrow);
  drawNames(pen, s, viewport);
  outlineChosen(pen, s, viewport);
  outlinePointed(pen, s, viewport);
  drawFound(pen, s, viewport);
}

// What a flow shows in a picture: its size, whether it stands out, and its colour.
export function flowLook(s, flow, { flows, known }) {
  const { rung, mode, theme } = s;
  if (flows.estimated) {
    const size = known ? known.values[flow] : 0;
    const drowned = known?.low && (known.high[flow] - known.low[flow]) / 2 >= size;
    return { size, sure: Boolean(known), known: Boolean(known) && isKnown(known, flow), drowned: Boolean(known) && (drowned || size < 0.5), colour: theme.flow };
  }
  const value = flows.values[rung * flows.count + flow];
  if (mode === "true" && flows.truth) return { size: flows.truth[flow], sure: true, colour: theme.flow };
  if (mode === "difference" && flows.truth) {
    const error = value - flows.truth[flow];
    return { size: Math.abs(error), sure: true, colour: error < 0 ? theme.low : theme.high };
  }
  return { size: value, sure: true, drowned: value < flows.grey_below[rung], colour: theme.flow };
}

// The width of one trip, the same at every rung: the largest flow of the finest rung is as wide as half a tile.
export function flowScale({ k, geometry }, flows, viewport, far) {
  const largest = flows.estimated ? flows.largest : flows.values.subarray((k - 1) * flows.count).reduce((a, b) => Math.max(a, b), 1);
  const pixels = geometry.size.metres * viewport.getDistanceScales().unitsPerMeter[0] * viewport.scale;
  const widest = far ? 15 : Math.min(15, Math.max(6, pixels / 2));
  return { perTrip: widest / largest, largest, widest };
}

function arrows(s, viewport) {
  const lines = linesOf(s), { flows, at } = lines, { perTrip } = flowScaleOf(s);
  const found = [];
  for (const { flow, ...look } of shownFlows(s).drawn) {
    const from = viewport.project(at(flows.origins[flow])), to = viewport.project(at(flows.destinations[flow]));
    const width = look.sure ? Math.max(1, look.size * perTrip) : 1;
    found.push({ flow, ...look, width, emphasis: flowEmphasis(s, flow, lines), points: curve(from, to, width) });
  }
  // Strong above weak, emphasised above all: what is drawn last is seen.
  return found.sort((p, q) => p.emphasis - q.emphasis || p.sure - q.sure || p.size - q.size);
}

// 2: pointed at, 1: normal, 0: others while one flow or one tile is looked at.
function flowEmphasis(s, flow, { flows: { origins, destinations }, far }) {
  if (s.hover?.kind === "flow") return s.hover.index === flow ? 2 : 0;
  if (s.chosen.places.length && s.chosen.districts === far) return isChosen(s.chosen, origins[flow]) || isChosen(s.chosen, destinations[flow]) ? 1 : 0;
  return 1;
}

// Points of a bent line from label to label; it stops a little before both.
export function curve([x0, y0], [x2, y2]) {
  const [dx, dy] = [x2 - x0, y2 - y0];
  const x1 = (x0 + x2) / 2 - dy * CURVE;
  const y1 = (y0 + y2) / 2 + dx * CURVE;
  const trim = Math.min(0.2, 3 / (Math.hypot(dx, dy) || 1));
  return Array.from({ length: STEPS + 1 }, (_, i) => {
    const t = trim + ((1 - 2 * trim) * i) / STEPS;
    const u = 1 - t;
    return [u * u * x0 + 2 * u * t * x1 + t * t * x2, u * u * y0 + 2 * u * t * y1 + t * t * y2];
  });
}

function drawArrow(pen, s, arrow) {
  const { points, sure, known = true, width, colour, emphasis } = arrow;
  const strength = emphasis === 0 ? 0.13 : 1;
  if (!sure) {
    if (emphasis === 0) return;
    pen.setLineDash([3, 4]);
    pen.strokeStyle = css(s.theme.text, emphasis === 2 ? 0.9 : 0.34);
    pen.lineWidth = emphasis === 2 ? 1.75 : 1;
    pen.beginPath();
    points.forEach(([x, y], i) => (i ? pen.lineTo(x, y) : pen.moveTo(x, y)));
    pen.stroke();
    pen.setLineDash([]);
    return;
  }
  const shape = arrowShape(points, width), dashed = known ? 1 : 0.35;
  const [first, last] = [points[0], points[points.length - 1]];
  const shade = pen.createLinearGradient(first[0], first[1], last[0], last[1]);
  shade.addColorStop(0, css(colour, 0.5 * strength * dashed));
  shade.addColorStop(0.6, css(colour, 0.9 * strength * dashed));
  shade.addColorStop(1, css(colour, strength * dashed));
  pen.beginPath();
  shape.forEach(([x, y], i) => (i ? pen.lineTo(x, y) : pen.moveTo(x, y)));
  pen.closePath();
  pen.lineJoin = "round";
  if (emphasis) {
    pen.strokeStyle = css(s.theme.background, 0.5); // a thin seam parts arrows that cross
    pen.lineWidth = 1;
    pen.stroke();
  }
  pen.fillStyle = shade;
  pen.fill();
  if (known) return;
  pen.setLineDash([4, 3]);
  pen.strokeStyle = css(colour, 0.6 * strength);
  pen.lineWidth = 1;
  pen.stroke();
  pen.setLineDash([]);
}

// Outline of an arrow that grows from its origin and ends in a head.
export function arrowShape(points, width) {
  const last = points.length - 1;
  const length = Math.hypot(points[last][0] - points[0][0], points[last][1] - points[0][1]);
  const head = Math.min(width * 1.1 + 5, length * 0.45);
  let neck = last;
  while (neck > 1 && Math.hypot(points[last][0] - points[neck][0], points[last][1] - points[neck][1]) < head) neck--;
  const left = [];
  const right = [];
  for (let i = 0; i <= neck; i++) {
    const [nx, ny] = normal(points, i);
    const half = (width / 2) * (TAIL + (1 - TAIL) * (i / neck));
    left.push([points[i][0] + nx * half, points[i][1] + ny * half]);
    right.push([points[i][0] - nx * half, points[i][1] - ny * half]);
  }
  const [nx, ny] = normal(points, neck);
  const barb = Math.min(width * 0.5 + 2.5, head * 0.8 + 1);
  const [x, y] = points[neck];
  left.push([x + nx * barb, y + ny * barb], points[last], [x - nx * barb, y - ny * barb]);
  return left.concat(right.reverse());
}

function normal(points, i) {
  const [a, b] = [points[Math.max(0, i - 1)], points[Math.min(points.length - 1, i + 1)]];
  const length = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1;
  return [-(b[1] - a[1]) / length, (b[0] - a[0]) / length];
}

// The flow under the pointer: of those near enough the one drawn last.
export function flowAt(s, x, y) {
  for (let i = (s.arrows?.length ?? 0) - 1; i >= 0; i--) {
    const { points, width, flow } = s.arrows[i];
    const reach = width / 2 + 3;
    for (let p = 1; p < points.length; p++) {
      if (distance(x, y, points[p - 1], points[p]) <= reach) return flow;
    }
  }
  return -1;
}

function distance(x, y, [ax, ay], [bx, by]) {
  const [dx, dy] = [bx - ax, by - ay];
  const t = Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy || 1)));
  return Math.hypot(x - ax - t * dx, y - ay - t * dy);
}
