// Charts: the figures that Python made, with the numbers of the rung that is shown. Plotly starts with the first of them.

const PAPER = { half: 326, whole: 690 }; // pixels of a chart on A4, in two columns and in one
const night = window.matchMedia("(prefers-color-scheme: dark)");
const places = [...document.querySelectorAll("[data-chart]")];
const near = new Set();
let onPaper = false;

function about(value, half, counts) {
  if (!half) return `${whole(value)} ${counts}`;
  return `about ${whole(value)} ${counts}<br>95 % range of the noise ${whole(value - half)} to ${whole(value + half)}`;
}

// A chart of cells: what noise took below zero is drawn at zero, with a triangle.
function cellsAt(name, rung) {
  const { figure, places: words, units, tops } = numbers.charts[name], plot = numbers.plots[name];
  const measure = numbers.measures[plot.measure], values = plot.rows[rung], half = measure.wide[rung];
  const drawn = (shift) => values.map((value) => Math.max(0, value + shift));
  let [middle, low, high] = [drawn(0), drawn(-half), drawn(half)];
  const { data, layout } = structuredClone(figure);
  const guesses = estimates.plots[name], guess = wanted() ? guessAt(guesses, rung) : null;
  if (guess) [middle, low, high] = [guess.values, guess.low ?? guess.values, guess.high ?? guess.values];
  for (const trace of data) {
    trace.y = { low, high, noisy: middle }[trace.meta];
    if (trace.meta !== "noisy") continue;
    trace.hovertext = values.map((value, i) => {
      const drawnWords = about(value, half, units[i]);
      return `${words[i]}: ${guess ? `${guessWords(guess, i, units[i])}<br>released: ${drawnWords}` : drawnWords}`;
    });
    if (!trace.error_y) continue;
    trace.error_y.array = high.map((end, i) => end - middle[i]);
    trace.error_y.arrayminus = low.map((end, i) => middle[i] - end);
  }
  const below = [...values.keys()].filter((i) => !guess && values[i] < 0);
  if (below.length) data.push({ ...structuredClone(numbers.looks.below), x: below.map((i) => data[0].x[i]), y: below.map(() => 0) });
  layout.yaxis.range = [0, guess ? guesses.tops[rung] : tops[rung]];
  return { data, layout };
}

// The figure of a chart at a rung, or null where there is nothing to draw.
function figureAt(name, rung) {
  const { figure, changes } = numbers.charts[name];
  if (!changes) return cellsAt(name, rung);
  if (!changes[rung]) return null;
  const { data, layout } = structuredClone(figure), change = changes[rung];
  return { data: data.map((trace, i) => ({ ...trace, ...change.data[i] })), layout: { ...layout, ...change.layout } };
}

// The library lies in the file as text, so that a page that opens does not wait for it. Its street maps would add styles,
// which the policy refuses and no chart needs: each adds its own unless an element of that name is there already.
function plotly() {
  if (window.Plotly) return window.Plotly;
  const library = document.getElementById("plotly").textContent;
  for (const [, id] of library.matchAll(/getElementById\("([0-9a-f]{64})"\)/g)) document.head.append(element("meta", "", { id }));
  document.head.append(element("script", library));
  return window.Plotly;
}

// A saved picture says what it shows, in the colours of paper.
function saved(format) {
  return (chart) => {
    const name = chart.dataset.chart, rung = rungNow(), { data, layout } = figureAt(name, rung);
    const epsilon = numbers.rungs[rung], look = numbers.looks.light, { color } = look.layout.font;
    const title = { text: `${numbers.charts[name].title}, \u03b5 = ${epsilon}`, font: { size: 14, color } };
    const margin = { ...layout.margin, t: layout.margin.t + 36 }, size = { width: 800, height: layout.height + 100 };
    const page = { ...layout, ...size, margin, title, template: look, paper_bgcolor: "#fff" };
    return window.Plotly.downloadImage({ data, layout: page }, { ...size, format, scale: 2, filename: `${name}-epsilon-${epsilon}` });
  };
}

function options() {
  const { camera, disk } = plotly().Icons;
  const png = { name: "png", title: "Save as PNG", icon: camera, click: saved("png") };
  const svg = { name: "svg", title: "Save as SVG", icon: disk, click: saved("svg") };
  return { displaylogo: false, responsive: true, modeBarButtons: [[png, svg]] };
}

function draw(place) {
  const rung = rungNow(), dark = night.matches && !onPaper, state = `${rung} ${dark} ${onPaper} ${document.body.dataset.numbers}`;
  if (place.dataset.drawn === state) return;
  place.dataset.drawn = state;
  const found = figureAt(place.dataset.chart, rung);
  place.classList.toggle("empty", !found); // not hidden: it must be noticed when it comes into view again
  if (!found) return;
  const layout = { ...found.layout, template: dark ? numbers.looks.dark : numbers.looks.light };
  if (onPaper) layout.width = place.closest(".plots, .pair") ? PAPER.half : PAPER.whole;
  plotly().react(place, found.data, layout, options());
}

const drawNear = () => near.forEach(draw);

// Paper gets every chart, in the colours of the day and as wide as its column.
function print(now) {
  onPaper = now;
  (now ? places.filter((place) => place.checkVisibility()) : [...near]).forEach(draw);
}

const watch = new IntersectionObserver((seen) => {
  seen.forEach(({ target, isIntersecting }) => (isIntersecting ? near.add(target) : near.delete(target)));
  drawNear();
}, { rootMargin: "300px" });
places.forEach((place) => {
  place.style.minHeight = `${numbers.charts[place.dataset.chart].figure.layout.height}px`;
});
document.querySelectorAll("details.numbers").forEach((part) => { part.open = false; });
document.addEventListener("DOMContentLoaded", () => places.forEach((place) => watch.observe(place))); // the library is there
document.addEventListener("rung", drawNear);
night.addEventListener("change", drawNear);
window.addEventListener("beforeprint", () => print(true));
window.addEventListener("afterprint", () => print(false));
