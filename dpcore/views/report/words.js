// The numbers of the release, and numbers as words. Everything goes to the page as text, never as markup.

const numbers = JSON.parse(document.getElementById("numbers").textContent);
const last = numbers.rungs.length - 1;

const whole = (value) => Math.round(value).toLocaleString("en").replace("-", "\u2212");

// No more digits than the noise allows, as the same words in Python.
function interval(value, half) {
  const step = half > 3 ? 10 ** Math.floor(Math.log10(half / 3)) : 1;
  const rounded = (end) => whole(Math.floor(end / step + 0.5) * step || 0);
  return `about ${rounded(value)} (${rounded(value - half)} to ${rounded(value + half)})`;
}

// Half to even, as Python rounds.
const even = (x) => (Math.abs(x % 1) === 0.5 ? 2 * Math.round(x / 2) : Math.round(x));

// An estimate with its likely range, as the same words in Python (dpcore/estimates/words.py).
// `ready`: the numbers are rounded already.
function likely(value, low, high, unit = "", ready = false) {
  const step = (width) => (ready || width < 100 ? 1 : 10 ** (Math.floor(Math.log10(width)) - 1));
  const rounded = (end, by) => (by * even(end / by)).toLocaleString("en");
  const counted = unit ? ` ${unit}` : "";
  if (low === undefined || low === null) return `about ${rounded(value, step(Math.abs(value)))}${counted} (no range is known)`;
  const by = step(high - low);
  return `about ${rounded(value, by)}${counted} (likely range ${rounded(low, by)} to ${rounded(high, by)})`;
}

// Estimates of a rung: whether they are wanted, and null where the file does not carry them.
const estimates = numbers.estimates;
const wanted = () => document.body.dataset.numbers === "estimate";
function guessAt(table, rung) {
  if (!table?.rows[rung]) return null;
  return { values: table.rows[rung], low: table.low[rung], high: table.high[rung] };
}
const guessWords = (guess, i, unit) => likely(guess.values[i], guess.low?.[i], guess.high?.[i], unit);
// Of a table over tiles, and of flows between them.
const readyWords = (guess, i, unit) => likely(guess.values[i], guess.low?.[i], guess.high?.[i], unit, true);

// A share of a noisy total with its 95 % interval; the total may itself be drowned.
function shareWords(value, total, cells, deviation) {
  if (total <= 1.96 * deviation * Math.sqrt(cells)) return "unknown";
  const part = value / total;
  const half = (1.96 * deviation * Math.sqrt(1 - 2 * part + cells * part * part)) / total;
  const digits = half >= 0.005 ? 0 : 1;
  const steps = 10 ** (digits + 2); // halves go up, as in Python: neither language rounds them so by itself
  const shown = (end) => ((100 * Math.floor(Math.min(Math.max(end, 0), 1) * steps + 0.5)) / steps).toFixed(digits);
  return `${shown(part)} % (${shown(part - half)} to ${shown(part + half)})`;
}

// The row of a table over all rungs; one that is too large to travel has its finest row alone.
const rowOf = (rows, rung) => rows[Math.min(rung, rows.length - 1)];
const rungOf = (rows, rung) => (rows.length > 1 ? rung : last);

// Positions of the largest values, largest first; equal ones in their order.
const falling = (values) => [...values.keys()].sort((a, b) => values[b] - values[a] || a - b);

function element(name, text, attributes = {}) {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}
