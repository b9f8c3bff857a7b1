// The tile that was chosen: its visits, its time windows, its strongest flows.

const panel = document.getElementById("tile");
let chosen = null;

function tileWords(tile, rung) {
  const grid = numbers.grids.visits_per_tile;
  if (!grid) return numbers.tiles.names[tile];
  const at = rungOf(grid.rows, rung);
  return `${numbers.tiles.names[tile]}: ${bothWords("visits_per_tile", tile, rung, rowOf(grid.rows, rung)[tile], at)}`;
}

// Estimate, released count and share of one cell; the one that is shown stands first.
function bothWords(name, cell, rung, value, at) {
  const measure = numbers.measures[name], guess = guessAt(estimates.grids[name], rung);
  const drowned = value < measure.below[at] ? ", drowned by noise" : "";
  const drawn = `released count ${interval(value, measure.wide[at])} ${measure.counts}${drowned}`;
  if (!guess) return drawn;
  const told = `estimate ${readyWords(guess, cell, measure.counts === "trips" ? `of ${estimates.about[name]}` : `${measure.counts} of ${estimates.about[name]}`)}`;
  return `${(wanted() ? [told, drawn] : [drawn, told]).join("; ")}. ${estimates.share[rung]}`;
}

// A tile of a map that shows one time window or one part.
function cellWords(svg, tile, rung) {
  const grid = numbers.grids[svg.dataset.map], part = svg.dataset.part ? `${svg.dataset.part}, ` : "";
  const at = rungOf(grid.rows, rung), cell = Number(svg.dataset.first) + tile;
  return `${part}${numbers.tiles.names[tile]}: ${bothWords(svg.dataset.map, cell, rung, rowOf(grid.rows, rung)[cell], at)}`;
}

function windowTable(tile, rung) {
  const grid = numbers.grids.visits_per_time_tile, measure = numbers.measures.visits_per_time_tile;
  const at = rungOf(grid.rows, rung), values = rowOf(grid.rows, rung), step = paths.length + 1;
  const guess = wanted() ? guessAt(estimates.grids.visits_per_time_tile, rung) : null;
  const table = element("table"), head = element("tr");
  table.append(element("caption", `Arrivals by time of day, ${guess ? "estimated" : "as released"}`), head);
  head.append(element("th", ""), ...numbers.windows.days.map((day) => element("th", day, { scope: "col" })));
  numbers.windows.names.forEach((name, window) => {
    const row = element("tr");
    row.append(element("th", name, { scope: "row" }));
    numbers.windows.days.forEach((_, day) => {
      const cell = (day * numbers.windows.names.length + window) * step + tile, value = values[cell];
      const drawn = value < measure.below[at] ? "noise" : interval(value, measure.wide[at]);
      row.append(element("td", guess ? readyWords(guess, cell) : drawn));
    });
    table.append(row);
  });
  return table;
}

function guessedLines(tile, rung) {
  const { from, to, outside } = estimates.flows, guess = guessAt(estimates.flows, rung);
  if (!guess) return [];
  const name = (place) => numbers.tiles.short[place] ?? outside;
  return [["To", from, to], ["From", to, from]].map(([title, here, there]) => {
    const mine = falling(guess.values).filter((flow) => here[flow] === tile).slice(0, 3);
    return element("p", `${title}: ${mine.map((flow) => `${name(there[flow])}: ${readyWords(guess, flow)}`).join("; ")}`, { class: "small" });
  });
}

function flowLines(tile, rung) {
  const { from, to, rows } = numbers.flows, measure = numbers.measures.od_flows, values = rows[rung];
  const strong = falling(values).filter((flow) => values[flow] >= measure.below[rung]);
  return [["To", from, to], ["From", to, from]].map(([title, here, there]) => {
    const mine = strong.filter((flow) => here[flow] === tile).slice(0, 3);
    const texts = mine.map((flow) => `${endName(there[flow])}: ${interval(values[flow], measure.wide[rung])}`);
    return element("p", `${title}: ${texts.join("; ") || "no flow stands out of the noise"}`, { class: "small" });
  });
}

function fillTile(rung) {
  if (!panel) return;
  const facts = panel.querySelector("div");
  facts.replaceChildren();
  if (chosen === null) {
    facts.append(element("p", "Choose a tile to see its numbers.", { class: "small" }));
    return;
  }
  facts.append(element("p", tileWords(chosen, rung)));
  const grid = numbers.grids.visits_per_tile, measure = numbers.measures.visits_per_tile;
  if (grid && !wanted()) {
    const at = rungOf(grid.rows, rung), value = rowOf(grid.rows, rung)[chosen];
    const part = shareWords(value, grid.totals[at], grid.cells, measure.deviation[at]);
    facts.append(element("p", `Share of all released visits: ${part}`, { class: "small" }));
  }
  if (numbers.grids.visits_per_time_tile) facts.append(windowTable(chosen, rung));
  if (wanted() && estimates.flows) facts.append(...guessedLines(chosen, rung));
  else if (numbers.flows) facts.append(...flowLines(chosen, rung));
}

function choose(tile, rung) {
  chosen = tile;
  if (panel) panel.querySelector("select").value = tile === null ? "" : String(tile);
  outline(tile);
  fillTile(rung);
}

function beginTile(current) {
  if (!panel) return;
  const list = element("select", "", { "aria-label": "tile" });
  list.append(element("option", "no tile", { value: "" }));
  numbers.tiles.names.forEach((name, tile) => list.append(element("option", name, { value: tile })));
  list.addEventListener("change", () => choose(list.value === "" ? null : Number(list.value), current()));
  panel.append(element("h4", "One tile"), list, element("div"));
}
