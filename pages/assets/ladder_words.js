// Numbers and sentences. All of it goes to the page as text, never as markup.

const whole = (value) => Math.round(value).toLocaleString("en").replace("-", "\u2212");
const signed = (value) => (value > 0 ? "+" : "") + whole(value);

// Half to even, as Python rounds.
const even = (x) => (Math.abs(x % 1) === 0.5 ? 2 * Math.round(x / 2) : Math.round(x));

// Short form for a legend: 1,500 as 1.5k.
function short(value) {
  const [unit, letter] = Math.abs(value) >= 1e6 ? [1e6, "M"] : [1000, "k"];
  return Math.abs(value) < 1000 ? whole(value) : `${+(value / unit).toFixed(1)}${letter}`.replace("-", "\u2212");
}

// No more digits than the noise allows: the step is a power of ten below a third of the half width.
function about(value, half) {
  const step = half > 3 ? 10 ** Math.floor(Math.log10(half / 3)) : 1;
  const round = (x) => whole(Math.round(x / step) * step);
  return { value: round(value), low: round(value - half), high: round(value + half) };
}

function noisyWords(value, half, greyBelow, unit, few) {
  const { value: middle, low, high } = about(value, half);
  if (isFewOrNone(value, half, greyBelow, few)) return `few or none: ${middle} (${low} to ${high})`;
  if (value < greyBelow) return `drowned by noise: ${middle} (${low} to ${high})`;
  return `about ${middle} ${unit} (${low} to ${high})`;
}

function tileName({ geometry }, tile) {
  const name = geometry.names[tile];
  return name ? `${name} (${geometry.ids[tile]})` : geometry.ids[tile];
}

const plainName = ({ geometry }, tile) => geometry.names[tile] || geometry.ids[tile];

// First line and second line about one tile.
function tileWords(message, rung, mode, tile) {
  const { tiles, texts } = message;
  if (!tiles) return [tileName(message, tile), ""];
  return countWords(tiles, rung, mode, tile, tiles.count, tileName(message, tile), texts.counts);
}

function flowWords(message, rung, mode, flow) {
  const { flows, texts } = message;
  const ends = `${plainName(message, flows.origins[flow])} to ${plainName(message, flows.destinations[flow])}`;
  return countWords(flows, rung, mode, flow, flows.count, ends, texts.flow_counts);
}

function countWords(counts, rung, mode, cell, cells, name, unit) {
  const value = counts.values[rung * cells + cell];
  const first = `${name}: ${noisyWords(value, counts.half_widths[rung], counts.grey_below[rung], unit, fewBelow(counts))}`;
  if (!counts.truth) return [first, ""];
  const truth = counts.truth[cell];
  const error = mode === "difference" ? `, off by ${signed(value - truth)}` : "";
  return [first, `true ${whole(truth)}${error}`];
}

// What the slider says to those who do not see it.
function spokenRung(message, rung) {
  const { texts, rungs } = message;
  return texts.sentences[rung] ?? `epsilon ${rungs[rung]}${texts.privacy ? ` ${texts.privacy}` : ""}. ${noiseWords(message, rung)}`;
}

function noiseWords({ tiles, flows, texts }, rung) {
  if (tiles) return `each tile \u00b1${whole(tiles.half_widths[rung])} ${texts.counts} (95\u00a0%)`;
  if (flows?.half_widths) return `each flow \u00b1${whole(flows.half_widths[rung])} ${texts.flow_counts} (95\u00a0%)`;
  return "";
}
