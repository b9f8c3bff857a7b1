// Maps: one path for each colour. A tile is found under the pointer by its shape, so no tile is an element.

const paths = numbers.tiles.paths;
const outlines = paths.map((path) => new Path2D(path));
const pen = document.createElement("canvas").getContext("2d");

function colour(svg, rung) {
  const name = svg.dataset.map, grid = numbers.grids[name], measure = numbers.measures[name];
  const guess = wanted() ? guessAt(estimates.grids[name], rung) : null;
  const at = rungOf(grid.rows, rung), values = guess?.values ?? rowOf(grid.rows, rung), first = Number(svg.dataset.first);
  const breaks = guess ? estimates.breaks[name] : measure.breaks;
  const classes = Array.from({ length: breaks.length + 3 }, () => []); // drowned by noise, few, and the classes of counts
  for (let tile = 0; tile < paths.length; tile += 1) {
    const i = first + tile, value = values[i];
    const known = guess ? (guess.high[i] - guess.low[i]) / 2 < value : value >= measure.below[at];
    const few = guess ? guess.high[i] < breaks[1] : !known && Math.max(value, 0) + measure.wide[at] < measure.few;
    const above = breaks.findIndex((edge) => value < edge);
    classes[few ? 1 : known ? 2 + (above < 0 ? breaks.length : above) : 0].push(paths[tile]);
  }
  svg.querySelectorAll("path").forEach((path, i) => {
    if (i < classes.length) path.setAttribute("d", classes[i].join(""));
  });
}

function widths(svg, rung) {
  const { rows, drawn, strongest } = numbers.flows, below = numbers.measures.od_flows.below[rung];
  svg.querySelectorAll("path.flow").forEach((path, i) => {
    const value = rows[rung][drawn[i]], strong = value >= below;
    path.classList.toggle("drowned", !strong);
    const wide = strong ? Math.max(5, 42 * Math.sqrt(value / Math.max(1, strongest))) : 4;
    path.setAttribute("stroke-width", wide.toFixed(0));
  });
}

function guessedWidths(svg, rung) {
  const { drawn, strongest } = estimates.flows, guess = guessAt(estimates.flows, rung);
  svg.querySelectorAll("path.flow").forEach((path, i) => {
    path.classList.toggle("drowned", !guess);
    const wide = guess ? Math.max(5, 42 * Math.sqrt(guess.values[drawn[i]] / Math.max(1, strongest))) : 4;
    path.setAttribute("stroke-width", wide.toFixed(0));
  });
}

function outline(tile) {
  const path = tile === null ? "" : paths[tile];
  document.querySelectorAll("path.chosen").forEach((chosen) => chosen.setAttribute("d", path));
}

// The tile under the pointer, or null.
function tileAt(svg, event) {
  const box = svg.getBoundingClientRect(), view = svg.viewBox.baseVal;
  const scale = Math.min(box.width / view.width, box.height / view.height);
  const x = (event.clientX - box.left - (box.width - view.width * scale) / 2) / scale;
  const y = (event.clientY - box.top - (box.height - view.height * scale) / 2) / scale;
  const found = outlines.findIndex((shape) => pen.isPointInPath(shape, x, y, "evenodd"));
  return found < 0 ? null : found;
}
