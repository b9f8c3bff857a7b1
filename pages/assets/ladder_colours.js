// Colours: a palette that takes colour away as noise takes over, a plain one, and one for differences.

// Viridis, interpolated here. Not cividis: its middle is grey, and grey means drowned by noise.
const VIRIDIS = [[68, 1, 84], [65, 68, 135], [42, 120, 142], [34, 168, 132], [122, 209, 81], [253, 231, 37]];
// The middle is the paper: white on light, near black on dark, so that what is wrong stands out of it.
export const DIFFERENCE = {
  light: [[33, 102, 172], [247, 247, 247], [217, 95, 2]],
  dark: [[96, 172, 245], [44, 50, 58], [255, 150, 56]],
};
const GREY = { light: [203, 206, 213], dark: [86, 94, 104] };
// Known to be empty or nearly so: close to the paper, and lighter (on dark: darker) than what noise hides.
const FEW_TILE = { light: [249, 246, 236], dark: [34, 38, 44] };
const FLOW = { light: [176, 0, 88], dark: [255, 138, 190] };
const TOO_LOW = { light: [33, 102, 172], dark: [110, 178, 245] };
const TOO_HIGH = { light: [200, 80, 0], dark: [255, 160, 70] };

// Four levels of certainty: half width over count below 0.25, below 0.5, above, and drowned. Each joins as
// many neighbouring classes and washes out as much colour.
const JOINED = [1, 2, 4, 8];
const WASHED = [0, 0.28, 0.56, 1];
export const CERTAIN = [0.25, 0.5];
export const DROWNED = 3;
export const FEW = 4;

export const mix = (a, b, share) => a.map((value, i) => Math.round(value + share * (b[i] - value)));
export const css = (rgb, alpha = 1) => (alpha === 1 ? `rgb(${rgb})` : `rgba(${rgb},${alpha})`);
export const word = ([r, g, b]) => ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;

export function between(anchors, t) {
  const x = Math.min(0.9999, Math.max(0, t)) * (anchors.length - 1);
  const i = Math.floor(x);
  return mix(anchors[i], anchors[i + 1], x - i);
}

// What the Streamlit theme says now, read from a hidden probe that wears its colours.
export function readTheme(probe) {
  const style = getComputedStyle(probe);
  const rgb = (text) => (text.match(/[\d.]+/g) ?? [0, 0, 0]).slice(0, 3).map(Number);
  const background = rgb(style.backgroundColor);
  const name = 0.3 * background[0] + 0.6 * background[1] + 0.1 * background[2] < 110 ? "dark" : "light";
  return {
    name, background, text: rgb(style.color), accent: rgb(style.borderTopColor), font: style.fontFamily,
    grey: GREY[name], few: FEW_TILE[name], flow: FLOW[name], low: TOO_LOW[name], high: TOO_HIGH[name],
  };
}

export function palettes(tiles, theme) {
  const classes = tiles.breaks.length + 1;
  const noisy = JOINED.map((join, level) => Array.from({ length: classes }, (_, c) => {
    const first = Math.floor(c / join) * join;
    const middle = (first + Math.min(first + join, classes)) / 2 / classes;
    return mix(between(VIRIDIS, middle), theme.grey, WASHED[level]);
  }));
  noisy[FEW] = Array.from({ length: classes }, () => theme.few);
  const sizes = tiles.difference_breaks.length;
  const difference = Array.from({ length: 2 * sizes + 1 }, (_, c) =>
    between(DIFFERENCE[theme.name], sizes ? c / (2 * sizes) : 0.5));
  const words = { noisy: noisy.map((row) => row.map(word)), difference: difference.map(word) };
  return { noisy, difference, words, plain: word(theme.grey) };
}

// A map without counts: tiles are plain, or have the colours of their levels.
export const plainPalette = ({ levels }, theme) => ({ plain: word(theme.grey), levels: levels?.names.map((level) => word(rgbOf(level[theme.name]))) });

const rgbOf = (hex) => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));

export function classOf(value, breaks) {
  let c = 0;
  while (c < breaks.length && value >= breaks[c]) c++;
  return c;
}

// What is few on a map: its second break (dpcore/views/ground/reading.py, few_below); flows have none.
export const fewBelow = ({ breaks }) => breaks?.[1] ?? -Infinity;

// Whether the 95 % range of a count that does not stand out ends below it, by narrow noise and not by luck: the count is
// known to be small.
export const isFewOrNone = (value, half, greyBelow, few) => value < greyBelow && half < few && value + half < few;

// 95 % half width of the noise of a number: of counts the same for all, of a share larger with the share.
export const halfOf = ({ half_widths: wide, growing }, rung, value) => wide[rung] + (growing ? growing[rung] * Math.max(0, value) : 0);

function levelOf(value, halfWidth, greyBelow, few) {
  if (isFewOrNone(value, halfWidth, greyBelow, few)) return FEW;
  if (value < greyBelow || value <= 0) return DROWNED;
  const share = halfWidth / value;
  return share < CERTAIN[0] ? 0 : share < CERTAIN[1] ? 1 : 2;
}

// One colour and one look for each tile, for one picture at one rung.
export function tileColours(message, palette, mode, rung, colours, levels) {
  const { tiles } = message;
  if (message.levels) return colours.set(Array.from(message.levels.ofTiles, (level) => palette.levels[level]));
  if (!tiles) return colours.fill(palette.plain);
  const { values, truth, breaks, difference_breaks: sizes } = tiles;
  const base = rung * tiles.count;
  const below = tiles.grey_below[rung];
  const few = fewBelow(tiles);
  const { noisy, difference } = palette.words;
  if (mode === "true") {
    for (let t = 0; t < colours.length; t++) colours[t] = noisy[0][classOf(truth[t], breaks)];
  } else if (mode === "difference") {
    for (let t = 0; t < colours.length; t++) {
      const error = values[base + t] - truth[t];
      const size = classOf(Math.abs(error), sizes);
      colours[t] = difference[sizes.length + (error < 0 ? -size : size)];
    }
  } else {
    for (let t = 0; t < colours.length; t++) {
      const value = values[base + t];
      levels[t] = levelOf(value, halfOf(tiles, rung, value), below, few);
      colours[t] = noisy[levels[t]][classOf(value, breaks)];
    }
  }
  return colours;
}

// deck.gl wants the colour at every corner.
export function spread(colours, { rings, starts, owners }, words) {
  for (let r = 0; r < rings; r++) {
    const colour = colours[owners[r]];
    for (let v = starts[r], end = starts[r + 1]; v < end; v++) words[v] = colour;
  }
}
