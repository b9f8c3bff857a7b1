// How a tile looks besides its colour. Noise takes colour away; a tile that cannot be read is grey and hatched; one that is known
// to be empty or nearly so is as light as paper. `s.tileLooks` holds the look of each tile, as ladder_colours.js numbers them.

import { DROWNED, FEW, css } from "./ladder_colours.js";
import { make } from "./ladder_stage.js";
import { whole } from "./ladder_words.js";

const HATCHED = 9; // pixels: on smaller tiles lines would only be dirt
const LINES_APART = 6;
const RADIANS = Math.PI / 180;

// What stands in the key, and of which looks: only those that are in the picture are seen.
export function lookKey(s, words) {
  const { palette, tileLooks: levels, message } = s, { noisy } = palette;
  const middle = Math.floor(0.6 * noisy[0].length);
  const counted = [levels, s.looksBeside].filter(Boolean).map((looks) => {
    const many = new Uint32Array(FEW + 1);
    for (const level of looks) many[level]++;
    return many;
  });
  const key = make("div", { class: "looks", role: "list", "aria-label": "Looks of tiles" });
  const look = (name, shown, ...ofLevels) => {
    const sides = counted.map((many) => ofLevels.reduce((sum, level) => sum + many[level], 0)), here = Math.max(...sides);
    const item = make("span", { class: "look", role: "listitem", "data-look": name });
    item.classList.toggle("absent", !here);
    if (!here) item.setAttribute("aria-hidden", "true");
    for (const level of ofLevels) {
      const swatch = make("i", { class: `swatch ${name}` });
      swatch.style.backgroundColor = css(noisy[level][middle]);
      item.append(swatch);
    }
    item.append(make("span", {}, shown), make("span", { class: "muted" }, `${sides.map(whole).join(" and ")} ${sides.length === 1 && here === 1 ? "tile" : "tiles"}`));
    key.append(item);
  };
  if (message.tiles) {
    look("greyer", words.greyer, 1, 2);
    look("hatched", words.hatched, DROWNED);
    look("empty", words.empty, FEW);
  }
  return key;
}

// Lines over the tiles that cannot be read.
export function hatch(s, pen, viewport) {
  const { tileLooks: levels, message: { geometry } } = s;
  const pixels = geometry.size.metres * viewport.getDistanceScales().unitsPerMeter[0] * viewport.scale;
  if (s.flowsOn || !levels || pixels < HATCHED || !levels.includes(DROWNED)) return;
  const { firstRing, starts, corners } = geometry;
  const at = onScreen(geometry, viewport);
  pen.beginPath();
  for (let tile = 0; tile < levels.length; tile++) {
    if (levels[tile] !== DROWNED) continue;
    for (let r = firstRing[tile]; r < firstRing[tile + 1]; r++) {
      for (let v = starts[r]; v < starts[r + 1]; v++) {
        const [x, y] = [at.x0 + at.x1 * corners[2 * v], at.y0 + at.y1 * geometry.mercator[v]];
        if (v === starts[r]) pen.moveTo(x, y);
        else pen.lineTo(x, y);
      }
      pen.closePath();
    }
  }
  pen.fillStyle = hatching(s, pen);
  pen.fill();
}

// The map is never turned or tilted, so two corners say where all of them are.
function onScreen(geometry, viewport) {
  const { corners, bounds: [west, south, east, north] } = geometry;
  const mercator = (latitude) => Math.log(Math.tan(Math.PI / 4 + (latitude * RADIANS) / 2));
  geometry.mercator ??= Float64Array.from({ length: corners.length / 2 }, (_, v) => mercator(corners[2 * v + 1]));
  const [left, low] = viewport.project([west, south]);
  const [right, high] = viewport.project([east, north]);
  const x1 = (right - left) / (east - west), y1 = (high - low) / (mercator(north) - mercator(south));
  return { x1, y1, x0: left - x1 * west, y0: low - y1 * mercator(south) };
}

function hatching(s, pen) {
  if (s.hatching?.theme === s.theme) return s.hatching.pattern;
  const square = make("canvas", { width: LINES_APART, height: LINES_APART });
  const small = square.getContext("2d");
  small.strokeStyle = css(s.theme.text, 0.5);
  small.beginPath();
  for (const shift of [-LINES_APART, 0, LINES_APART]) {
    small.moveTo(shift - 1, LINES_APART + 1);
    small.lineTo(shift + LINES_APART + 1, -1);
  }
  small.stroke();
  s.hatching = { theme: s.theme, pattern: pen.createPattern(square, "repeat") };
  return s.hatching.pattern;
}
