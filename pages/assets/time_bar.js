// The bar that plays time windows on the maps of its link. Nothing is sent while it plays or moves; Python hears where it stopped.

import { changes, ends, move, speak, untold, wish } from "./held.js";
import { keptFor } from "./ladder_message.js";
import { tellTime, timesOf } from "./ladder_time.js";

const SECOND = 1000;
const EACH = 1.4 * SECOND; // time to look at a window
const REST = 0.8 * SECOND; // after the last step Python hears where the bar is

const BAR = `
  <div class="controls timing" role="group" aria-label="Time">
    <div class="buttons">
      <button type="button" data-do="back" aria-label="Earlier window" title="Earlier window">\u2039</button>
      <button type="button" data-do="play"></button>
      <button type="button" data-do="on" aria-label="Later window" title="Later window">\u203a</button>
    </div>
    <div class="slide"><input type="range" min="0" step="1" aria-label="Time window"><div class="ticks" aria-hidden="true"></div></div>
    <div class="epsilon"><b class="when"></b><span class="muted of"></span></div>
  </div>`;

const bars = new WeakMap();

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".ladder");
  const s = bars.get(root) ?? built(root);
  const before = s.data;
  s.data = data;
  if (before?.link !== data.link) {
    s.speaker?.end();
    s.speaker = speak(data.link, "window", root, setStateValue);
    fill(s);
    arrive(s);
  }
  s.speaker.by(setStateValue);
  return ends(root, () => gone(s));
}

// Where Python says, unless this bar takes the place of another one that played on: a page may draw its parts anew. What Python
// has yet to hear of an earlier bar counts more.
function arrive(s) {
  const { link, start } = s.data, { bar, at, playing } = timesOf(link);
  const same = bar && bar !== s && at !== null;
  timesOf(link).bar = s;
  if (same && playing) s.timer = setInterval(() => go(s, next(s, 1)), EACH);
  place(s, same ? at : untold(link, "window") ?? start);
  label(s);
}

function built(root) {
  root.innerHTML = BAR;
  const find = (selector) => root.querySelector(selector);
  const s = { root, range: find("input"), ticks: find(".ticks"), when: find(".when"), of: find(".of"), play: find("[data-do=play]"), timer: 0 };
  s.range.addEventListener("input", () => (halt(s, false), go(s, Number(s.range.value))));
  s.range.addEventListener("change", () => told(s));
  root.addEventListener("click", ({ target }) => press(s, target.closest("button")?.dataset.do));
  s.follow = ({ detail: { link, name, value, from } }) => {
    if (name === "window" && link === s.data.link && from !== s && s.data.names[value]) place(s, value); // Python chose
  };
  changes.addEventListener("held", s.follow);
  s.hidden = () => document.hidden && halt(s, true);
  document.addEventListener("visibilitychange", s.hidden);
  bars.set(root, s);
  return s;
}

function fill(s) {
  const { names, of } = s.data;
  s.range.max = names.length - 1;
  s.ticks.replaceChildren(...names.map(() => document.createElement("span")));
  for (const tick of s.ticks.children) tick.append(document.createElement("i"));
  s.of.textContent = of;
  // Whoever asks for little motion steps by hand.
  s.play.hidden = matchMedia("(prefers-reduced-motion: reduce)").matches;
  clearInterval(s.timer);
  s.timer = 0;
}

function press(s, what) {
  if (what === "play") return s.timer ? halt(s, true) : begin(s);
  if (what !== "back" && what !== "on") return undefined;
  halt(s, false);
  go(s, next(s, what === "on" ? 1 : -1));
  return told(s);
}

const next = ({ at, data }, by) => (at + by + data.names.length) % data.names.length;

function begin(s) {
  clearTimeout(s.rest);
  s.timer = setInterval(() => go(s, next(s, 1)), EACH);
  go(s, next(s, 1));
  label(s);
}

function halt(s, tell) {
  if (s.timer && tell) told(s);
  clearInterval(s.timer);
  s.timer = 0;
  timesOf(s.data.link).playing = false;
  label(s);
}

function label(s) {
  s.play.textContent = s.timer ? "Pause" : "Play";
  s.root.dataset.playing = String(Boolean(s.timer));
  s.when.setAttribute("aria-live", s.timer ? "off" : "polite");
}

function told(s) {
  clearTimeout(s.rest);
  s.rest = setTimeout(() => rested(s), REST);
}

function rested(s) {
  clearTimeout(s.rest);
  s.rest = 0;
  wish(s.data.link, "window", s.at, s);
}

function go(s, at) {
  place(s, at);
  move(s.data.link, "window", at, s);
}

function place(s, at) {
  const { link, names } = s.data;
  const last = Math.max(1, names.length - 1);
  s.at = at;
  s.range.value = at;
  s.range.style.setProperty("--at", String(at / last));
  s.range.setAttribute("aria-valuetext", names[at]);
  s.when.textContent = names[at];
  s.root.dataset.window = String(at);
  timesOf(link).at = at;
  timesOf(link).playing = Boolean(s.timer);
  tellTime(link);
}

// Without its bar a map shows the whole period again. Where it was left in the middle of a move, Python hears of it later.
function gone(s) {
  clearInterval(s.timer);
  if (s.rest || s.timer) rested(s);
  s.speaker.end();
  changes.removeEventListener("held", s.follow);
  document.removeEventListener("visibilitychange", s.hidden);
  bars.delete(s.root);
  const times = keptFor(s.data.link, "windows");
  if (times?.bar !== s) return;
  Object.assign(times, { bar: null, at: null, playing: false });
  tellTime(s.data.link);
}
