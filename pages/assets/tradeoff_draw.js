// Drawing of the curves: one band for each table over one axis of epsilon. Fixed markup only; data is added as text nodes.

const NS = "http://www.w3.org/2000/svg";
const LEFT = 44, RIGHT = 14, TITLE = 19, GAP = 8, AXIS = 30;
const LOW = 0.001, HIGH = 10; // the scale of errors, the same for all pages: from a tenth of a per cent to ten times the count
const LINES = [[0.01, "1 %"], [0.1, "10 %"], [1, "100 %"]];

export const percent = (error) => {
  if (error === null || error === undefined) return "unknown";
  if (error > HIGH) return "over 1,000 %";
  if (error < 0.0005) return "under 0.1 %";
  return `${(100 * error).toLocaleString("en", { maximumFractionDigits: error < 0.01 ? 1 : 0 })} %`;
};

function draw(tag, attributes, parent, text = "") {
  const element = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text) element.textContent = text;
  parent.append(element);
  return element;
}

// Points of curves that were counted from the truth. A message holds all that is known of its link, and only the last one is
// kept: points of an earlier draw, or of other trips, do not stay in the browser.
export const points = Object.assign(new EventTarget(), { last: null });

export function takePoints(link, lines) {
  points.last = { link, lines };
  points.dispatchEvent(new CustomEvent("arrived", { detail: { link } }));
}

// By table the errors of a line that were counted from the truth: those that came last, if they are of these curves.
export function knownOf({ data: { link } }, { name }) {
  return (points.last?.link === link && points.last.lines[name]) || {};
}

// What is known of a line at an epsilon: counted from the truth, else expected.
export function pointOf(s, line, table, at) {
  const truth = knownOf(s, line)[table]?.[at] ?? null;
  return { truth, error: truth ?? line.expected[table]?.[at] ?? null };
}

const height = (s, { error }) => (Math.log10(HIGH) - Math.log10(Math.min(HIGH, Math.max(LOW, error)))) / Math.log10(HIGH / LOW) * s.band;

// All that stays while the stop moves. `s.data`: the message; `s.width`: pixels.
export function drawCurves(s) {
  const { data, svg, width } = s, { epsilons } = data, tables = Object.entries(data.tables);
  s.band = Math.min(120, Math.max(data.learnt.rows.length ? 40 : 66, width / 7)); // a wall is wide enough for higher curves
  s.x = (at) => LEFT + (epsilons.length > 1 ? at / (epsilons.length - 1) : 0.5) * (width - LEFT - RIGHT);
  s.bands = tables.map(([table, title], i) => ({ table, title, top: i * (TITLE + s.band + GAP) + TITLE }));
  const foot = tables.length * (TITLE + s.band + GAP);
  svg.setAttribute("width", width);
  svg.setAttribute("height", foot + AXIS);
  svg.replaceChildren();
  s.bands.forEach((band) => drawBand(s, band));
  const every = (s.x(1) - s.x(0)) < 22 ? 2 : 1;
  epsilons.forEach((epsilon, at) => {
    if (at % every === 0 || at === epsilons.length - 1) draw("text", { x: s.x(at), y: foot + 22, class: "tick", "data-at": at }, svg, epsilon);
  });
  s.now = draw("g", { class: "now" }, svg);
  s.foot = foot;
  drawStop(s);
}

function drawBand(s, { table, title, top }) {
  const { svg, data, width } = s;
  draw("text", { x: 0, y: top - 6, class: "title" }, svg, title);
  for (const [error, words] of LINES) {
    const y = top + height(s, { error });
    draw("line", { x1: LEFT, x2: width - RIGHT, y1: y, y2: y, class: "grid" }, svg);
    draw("text", { x: LEFT - 6, y: y + 3.5, class: "scale" }, svg, words);
  }
  for (const line of data.lines) {
    const points = data.epsilons.map((_, at) => ({ at, ...pointOf(s, line, table, at) }));
    for (let at = 1; at < points.length; at++) {
      const [from, to] = [points[at - 1], points[at]];
      if (from.error === null || to.error === null) continue;
      const sure = line.released === null ? from.truth !== null && to.truth !== null : at < line.released;
      draw("line", { x1: s.x(at - 1), x2: s.x(at), y1: top + height(s, from), y2: top + height(s, to), class: `curve ${line.unit} ${sure ? "sure" : "open"}` }, svg);
    }
    for (const point of points) if (point.truth !== null) draw("circle", { cx: s.x(point.at), cy: top + height(s, point), r: 2, class: `dot ${line.unit}` }, svg);
  }
}

// The present stop: a line through each band, a mark on each curve, and the numbers.
export function drawStop(s) {
  const { now, data, rung } = s;
  now.replaceChildren();
  const x = s.x(rung);
  for (const { table, top } of s.bands) {
    draw("line", { x1: x, x2: x, y1: top + 2, y2: top + s.band, class: "stop" }, now);
    const told = draw("text", { x: s.width - RIGHT, y: top - 6, class: "told" }, now);
    data.lines.forEach((line, i) => {
      const point = pointOf(s, line, table, rung);
      const sign = line.unit === "trip" ? "\u25a0" : "\u25cf";
      draw("tspan", { class: line.unit }, told, `${i ? "   " : ""}${sign} `);
      draw("tspan", {}, told, percent(point.error));
      if (point.error === null) return;
      const y = top + height(s, point);
      if (line.unit === "trip") draw("rect", { x: x - 4.5, y: y - 4.5, width: 9, height: 9, class: "mark trip" }, now);
      else draw("circle", { cx: x, cy: y, r: 5.5, class: "mark user" }, now);
    });
  }
  draw("circle", { cx: x, cy: s.foot + 1, r: 8, class: "thumb" }, now);
  for (const tick of s.svg.querySelectorAll(".tick")) tick.classList.toggle("here", Number(tick.dataset.at) === rung);
}

const ACROSS = 50, STEP = 12, LUCK = 50; // the first row is luck

// A row of a hundred guesses for each question: dots are right by luck, squares by what is released, rings wrong.
export function drawLearnt(s) {
  const { learnt: { title, marks: meaning, rows } } = s.data;
  const made = (tag, className, words = "") => Object.assign(document.createElement(tag), { className, textContent: words });
  if (s.learnt.childElementCount !== (rows.length && rows.length + 2)) {
    const said = rows.length ? [made("b", "", title), made("span", "muted", meaning)] : [];
    s.learnt.replaceChildren(...said, ...rows.map(() => {
      const row = made("div", "guess"), marks = document.createElementNS(NS, "svg");
      row.append(made("span", "muted"), made("b", "said"), marks);
      marks.setAttribute("viewBox", `0 0 ${ACROSS * STEP} ${(100 / ACROSS) * STEP}`);
      marks.setAttribute("aria-hidden", "true");
      for (let at = 0; at < 100; at++) drawGuess(at, marks);
      return row;
    }));
  }
  rows.forEach(({ question, right, said }, at) => {
    const [asked, told, marks] = s.learnt.children[at + 2].children;
    asked.textContent = question;
    told.textContent = said[s.rung];
    [...marks.children].forEach((mark, guess) => mark.setAttribute("class", guess < LUCK ? "luck" : guess < right[s.rung] ? "learns" : "wrong"));
  });
}

function drawGuess(at, marks) {
  const x = (at % ACROSS) * STEP + 1.5, y = Math.floor(at / ACROSS) * STEP + 1.5;
  draw("rect", { x, y, width: STEP - 2.5, height: STEP - 2.5 }, marks);
}
