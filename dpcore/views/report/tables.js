// Tables: numbers of the rung that is shown, as many rows as asked for, sorted by any column.

const asked = { tiles: 10, flows: 10, guessed: 10, guessedflows: 10 };

function fillPlot(table, rung) {
  const plot = numbers.plots[table.dataset.plot], measure = numbers.measures[plot.measure];
  const values = plot.rows[rung], wide = measure.wide[rung], cellsOf = estimates.plots[table.dataset.plot];
  const guess = guessAt(cellsOf, rung);
  for (const row of table.tBodies[0].rows) {
    const cell = Number(row.dataset.cell), value = values[cell], cells = [...row.cells].slice(1);
    if (cellsOf) cells.shift().textContent = guess ? guessWords(guess, cell) : "";
    cells[0].textContent = whole(value);
    cells[1].textContent = whole(value - wide);
    cells[2].textContent = whole(value + wide);
    if (cells[3]) cells[3].textContent = shareWords(value, plot.totals[rung], plot.cells, measure.deviation[rung]);
  }
}

const endName = (place) => numbers.tiles.short[place] ?? numbers.flows.outside;

function tileRows(rung, many) {
  const { rows, totals, cells } = numbers.grids.visits_per_tile, measure = numbers.measures.visits_per_tile;
  const at = rungOf(rows, rung), values = rowOf(rows, rung).slice(0, paths.length);
  return falling(values).slice(0, many).map((tile) => [
    numbers.tiles.names[tile],
    interval(values[tile], measure.wide[at]),
    shareWords(values[tile], totals[at], cells, measure.deviation[at]),
    values[tile] >= measure.below[at] ? "yes" : "noise",
  ]);
}

function flowRows(rung, many) {
  const { from, to, rows } = numbers.flows, measure = numbers.measures.od_flows, values = rows[rung];
  return falling(values).slice(0, many).map((flow) => [
    endName(from[flow]),
    endName(to[flow]),
    interval(values[flow], measure.wide[rung]),
    values[flow] >= measure.below[rung] ? "yes" : "noise",
  ]);
}

// Tiles by their estimates, or by their released counts where the estimates of the rung are not here.
function guessedRows(rung, many) {
  const { rows } = numbers.grids.visits_per_tile, measure = numbers.measures.visits_per_tile;
  const at = rungOf(rows, rung), values = rowOf(rows, rung), guess = guessAt(estimates.grids.visits_per_tile, rung);
  return falling((guess?.values ?? values).slice(0, paths.length)).slice(0, many).map((tile) => [
    numbers.tiles.names[tile],
    guess ? readyWords(guess, tile) : "",
    interval(values[tile], measure.wide[at]),
  ]);
}

function guessedFlowRows(rung, many) {
  const { from, to } = estimates.flows, guess = guessAt(estimates.flows, rung);
  if (!guess) return [];
  const name = (place) => numbers.tiles.short[place] ?? estimates.flows.outside;
  return falling(guess.values).slice(0, many).map((flow) => [name(from[flow]), name(to[flow]), readyWords(guess, flow)]);
}

const ROWS = { tiles: tileRows, flows: flowRows, guessed: guessedRows, guessedflows: guessedFlowRows };

function fillRows(table, rung) {
  const name = table.dataset.rows;
  const rows = ROWS[name](rung, asked[name]).map((texts, place) => {
    const row = element("tr", "", { "data-cell": place });
    texts.forEach((text, i) => row.append(i ? element("td", text) : element("th", text, { scope: "row" })));
    return row;
  });
  table.tBodies[0].replaceChildren(...rows);
}

// The number that a cell begins with, for sorting; texts without one are sorted as texts.
function sortKey(text) {
  const found = /^(?:about )?(\u2212?[\d,.]+)/.exec(text);
  return found ? Number(found[1].replace(/,/g, "").replace("\u2212", "-")) : text;
}

function sorted(table) {
  const column = Number(table.dataset.column ?? -1);
  if (column < 0) return;
  const up = table.dataset.order === "ascending" ? 1 : -1;
  const compared = (one, other) => {
    const a = sortKey(one.cells[column].textContent), b = sortKey(other.cells[column].textContent);
    return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
  };
  const rows = [...table.tBodies[0].rows];
  if (column === 0 && table.dataset.plot) rows.sort((one, other) => up * (one.dataset.cell - other.dataset.cell));
  else rows.sort((one, other) => up * compared(one, other) || one.dataset.cell - other.dataset.cell);
  table.tBodies[0].append(...rows);
}

function sortable(table) {
  [...table.tBodies[0].rows].forEach((row, i) => { row.dataset.cell = i; });
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = element("button", head.textContent || "name", { type: "button" });
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const again = table.dataset.column === String(column) && table.dataset.order === "descending";
      table.dataset.column = column;
      table.dataset.order = again ? "ascending" : "descending";
      [...table.tHead.rows[0].cells].forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", table.dataset.order);
      sorted(table);
    });
  });
}

function moreRows(place, draw) {
  const name = place.dataset.more, most = Number(place.dataset.most);
  const choice = element("select", "", { "aria-label": `rows of the table of ${name}` });
  for (const many of [10, 20, 50, 100, most]) {
    if (many > most || (many === most && choice.querySelector(`[value="${many}"]`))) continue;
    choice.append(element("option", `first ${many.toLocaleString("en")}`, { value: many }));
  }
  choice.value = String(Math.min(asked[name], most));
  choice.addEventListener("change", () => { asked[name] = Number(choice.value); draw(); });
  place.append("Show the ", choice);
}
