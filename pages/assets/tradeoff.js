// The curve of error against epsilon, which is a slider too. Nothing is sent while it is dragged: maps and sliders with its link
// hear of it in the browser, and the one that speaks for the link tells Python when it is let go.

import { changes, ends, held, move, wish } from "./held.js";
import { drawCurves, drawLearnt, drawStop, knownOf, percent, pointOf, points } from "./tradeoff_draw.js";

const CURVE = `
  <div class="learnt"></div>
  <div class="head"><b></b><span class="key"></span></div>
  <div class="plot"><svg aria-hidden="true"></svg><input type="range" min="0" step="1"></div>
  <div class="muted words"></div>
  <details><summary>Numbers</summary><table></table></details>`;

const curves = new WeakMap();

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".tradeoff");
  let s = curves.get(root);
  if (!s) curves.set(root, (s = mount(root)));
  const before = s.data;
  s.data = data;
  if (before?.link !== data.link || before?.movable !== data.movable) begin(s);
  show(s);
  return ends(root, () => {
    s.resources.abort();
    s.sizes.disconnect();
    curves.delete(root);
  });
}

function mount(root) {
  root.innerHTML = CURVE;
  const find = (selector) => root.querySelector(selector);
  const s = {
    root, learnt: find(".learnt"), title: find("b"), key: find(".key"), plot: find(".plot"), svg: find("svg"), range: find("input"), words: find(".words"),
    table: find("table"), resources: new AbortController(), width: 0,
  };
  const { signal } = s.resources;
  s.range.addEventListener("input", () => chosen(s, move), { signal });
  s.range.addEventListener("change", () => chosen(s, wish), { signal });
  changes.addEventListener("held", ({ detail: { link, name, value, from } }) => {
    const rung = s.data.epsilons.indexOf(value);
    if (name === "epsilon" && from !== s && link === s.data.link && rung >= 0) place(s, rung);
  }, { signal });
  points.addEventListener("arrived", ({ detail }) => detail.link === s.data.link && show(s), { signal });
  s.sizes = new ResizeObserver(() => s.plot.clientWidth !== s.width && show(s));
  s.sizes.observe(s.plot);
  return s;
}

function begin(s) {
  const { epsilons, movable, start, link } = s.data;
  const remembered = epsilons.indexOf(held(link, "epsilon"));
  s.range.max = movable - 1;
  s.rung = remembered >= 0 && remembered < movable ? remembered : start;
}

// Another stop, chosen here: the maps follow, and the slider of the page tells Python.
function chosen(s, tell) {
  place(s, Number(s.range.value));
  tell(s.data.link, "epsilon", s.data.epsilons[s.rung], s);
}

function place(s, rung) {
  s.rung = rung;
  speak(s);
  drawLearnt(s);
  s.frame ||= requestAnimationFrame(() => {
    s.frame = 0;
    if (s.width) drawStop(s);
  });
}

function show(s) {
  const { data } = s;
  s.title.textContent = data.title;
  s.key.replaceChildren(...data.lines.flatMap((line) => {
    const sign = Object.assign(document.createElement("i"), { className: line.unit, textContent: line.unit === "trip" ? "\u25a0" : "\u25cf" });
    return [sign, document.createTextNode(` ${line.label}${line.released === null ? `, ${sourceOf(s, line)}` : ""} `)];
  }));
  const counted = data.lines.every((line) => sourceOf(s, line) === data.sources.truth);
  s.words.textContent = [data.told[counted ? "truth" : "expected"], data.mark].filter(Boolean).join(" ");
  fillTable(s);
  drawLearnt(s);
  s.width = s.plot.clientWidth;
  if (!s.width) return;
  drawCurves(s);
  // The ends of the track lie half a thumb beyond the first and the last stop that can be chosen.
  Object.assign(s.range.style, { left: `${s.x(0) - 10}px`, width: `${s.x(data.movable - 1) - s.x(0) + 20}px` });
  speak(s);
  s.root.dataset.drawn = "true"; // not "ready", which maps are
}

// Where the points of a line come from: all counted, some, or none.
function sourceOf(s, line) {
  const { sources, epsilons } = s.data;
  const known = epsilons.filter((_, at) => Object.values(knownOf(s, line)).some((errors) => errors[at] !== null)).length;
  s.root.dataset[line.unit] = String(known);
  if (known === epsilons.length) return sources.truth;
  return known ? `${known} of ${epsilons.length} ${sources.truth}` : sources.expected;
}

function speak(s) {
  const { epsilons, lines, tables } = s.data;
  const told = Object.entries(tables).map(([table, title]) => `${title}: ${lines.map((line) => `${percent(pointOf(s, line, table, s.rung).error)} off if the release ${line.label}`).join(", ")}`);
  s.range.value = s.rung;
  s.range.setAttribute("aria-label", "epsilon, on the curve of errors");
  s.range.setAttribute("aria-valuetext", `epsilon ${epsilons[s.rung]}. ${told.join(". ")}`);
  s.root.dataset.epsilon = epsilons[s.rung];
}

// The same numbers for those who read them.
function fillTable(s) {
  const { epsilons, lines, tables } = s.data;
  const cell = (row, tag, words) => row.append(Object.assign(document.createElement(tag), { textContent: words }));
  const head = document.createElement("tr");
  for (const words of ["\u03b5", ...Object.values(tables).flatMap((title) => lines.map((line) => `${title}, ${line.label}`))]) cell(head, "th", words);
  s.table.replaceChildren(head, ...epsilons.map((epsilon, at) => {
    const row = document.createElement("tr");
    cell(row, "th", epsilon);
    for (const table of Object.keys(tables)) {
      for (const line of lines) {
        const point = pointOf(s, line, table, at);
        cell(row, "td", point.error === null ? "" : `${percent(point.error)}${point.truth === null ? ` ${s.data.sources.expected}` : ""}`);
      }
    }
    return row;
  }));
}
