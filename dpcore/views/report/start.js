// The slider moves everything; a pointer finds numbers; paper gets all of it.

const slider = document.getElementById("rung");
const tip = document.getElementById("tip");
const rungNow = () => (slider ? Number(slider.value) : last);

function show() {
  const rung = rungNow();
  document.getElementById("epsilon").textContent = numbers.rungs[rung];
  if (slider) slider.setAttribute("aria-valuetext", document.querySelector(`.promise [data-at="${rung}"]`)?.textContent ?? "");
  document.querySelectorAll("[data-at]").forEach((part) => { part.hidden = Number(part.dataset.at) !== rung; });
  const drawers = { od_flows: widths, guessed: guessedWidths };
  document.querySelectorAll("[data-map]").forEach((svg) => (drawers[svg.dataset.map] ?? colour)(svg, rung));
  document.querySelectorAll("[data-below]").forEach((span) => {
    const grid = numbers.grids[span.dataset.below];
    span.textContent = whole(numbers.measures[span.dataset.below].below[rungOf(grid.rows, rung)]);
  });
  document.querySelectorAll("[data-plot]").forEach((table) => fillPlot(table, rung));
  document.querySelectorAll("[data-rows]").forEach((table) => fillRows(table, rung));
  document.querySelectorAll("table[data-column]").forEach(sorted);
  fillTile(rung);
  document.dispatchEvent(new Event("rung"));
  document.body.dataset.rung = rung;
}

function tell(event, text) {
  tip.hidden = !text;
  if (!text) return;
  tip.textContent = text;
  tip.style.left = `${Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8)}px`;
  tip.style.top = `${Math.min(event.clientY + 14, window.innerHeight - tip.offsetHeight - 8)}px`;
}

function mapPointer(svg) {
  svg.addEventListener("pointermove", (event) => {
    const tile = tileAt(svg, event);
    if (tile === null) tell(event, "");
    else tell(event, numbers.grids[svg.dataset.map] ? cellWords(svg, tile, rungNow()) : tileWords(tile, rungNow()));
  });
  svg.addEventListener("pointerleave", (event) => tell(event, ""));
  svg.addEventListener("click", (event) => choose(tileAt(svg, event), rungNow()));
}

let opened = [];
window.addEventListener("beforeprint", () => {
  opened = [...document.querySelectorAll("details:not([open])")];
  opened.forEach((part) => { part.open = true; });
});
window.addEventListener("afterprint", () => opened.forEach((part) => { part.open = false; }));

document.documentElement.classList.add("scripted");
document.querySelectorAll("[data-plot], [data-rows]").forEach(sortable);
document.querySelectorAll("[data-more]").forEach((place) => moreRows(place, show));
document.querySelectorAll("[data-map]").forEach(mapPointer);
beginTile(rungNow);
const side = document.querySelector("input[name=numbers]:checked"); // a browser may restore it when the file is read again
if (side) document.body.dataset.numbers = side.value;
let frame = 0;
document.querySelectorAll("input[name=numbers]").forEach((side) => side.addEventListener("change", () => {
  document.body.dataset.numbers = side.value;
  show();
}));
slider?.addEventListener("input", () => { frame ||= requestAnimationFrame(() => { frame = 0; show(); }); });
show();
document.body.dataset.ready = "true";
