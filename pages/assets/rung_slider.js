// The slider alone: every map and chart of a page follows it. Nothing is sent while it is dragged; the maps hear of
// it in the browser, and Python when the thumb is let go.

import { changes, ends, held, move, speak, wish } from "./held.js";

const SLIDER = `
  <span class="probe" aria-hidden="true"></span>
  <div class="controls steering">
    <div class="epsilon"><span class="number"></span><span class="muted unit"></span></div>
    <div class="slide">
      <div class="ends muted" aria-hidden="true"><span></span><span></span></div>
      <div class="track">
        <div class="revealed"><input type="range" min="0" step="1" aria-label="epsilon"><div class="ticks" aria-hidden="true"></div></div>
        <div class="beyond"><div class="unreleased"></div><span class="muted">not released; costs more</span></div>
      </div>
    </div>
  </div>`;

const sliders = new WeakMap();

const text = (tag, words) => Object.assign(document.createElement(tag), { textContent: words }); // never markup

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".ladder");
  let s = sliders.get(root);
  if (!s) {
    root.innerHTML = SLIDER;
    const find = (selector) => root.querySelector(selector);
    s = {
      root, range: find("input"), number: find(".number"), unit: find(".unit"), ticks: find(".ticks"),
      revealed: find(".revealed"), beyond: find(".beyond"), ends: [...root.querySelectorAll(".ends span")],
    };
    s.range.addEventListener("input", () => chosen(s, move));
    s.range.addEventListener("change", () => chosen(s, wish)); // on release: only then Python hears of it
    s.follow = ({ detail }) => follow(s, detail);
    changes.addEventListener("held", s.follow);
    sliders.set(root, s);
  }
  const before = s.data;
  s.data = data;
  if (before?.link !== data.link) begin(s, setStateValue);
  s.speaker.by(setStateValue);
  return ends(root, () => {
    s.speaker.end();
    changes.removeEventListener("held", s.follow);
    sliders.delete(root);
  });
}

// Another slider, a map or a curve of the page was moved, or Python chose.
function follow(s, { link, name, value, from }) {
  const rung = s.data.rungs.indexOf(value);
  if (name === "epsilon" && from !== s && link === s.data.link && rung >= 0) place(s, rung);
}

function begin(s, setStateValue) {
  s.speaker?.end();
  s.speaker = speak(s.data.link, "epsilon", s.root, setStateValue);
  const { rungs, beyond, start, unit, link, ends } = s.data;
  s.ends.forEach((end, at) => { end.textContent = ends[at]; });
  s.range.max = rungs.length - 1;
  s.unit.textContent = unit;
  s.ticks.replaceChildren(...rungs.map((epsilon) => {
    const tick = document.createElement("span");
    tick.append(document.createElement("i"), text("b", epsilon));
    return tick;
  }));
  s.revealed.style.flexGrow = Math.max(1, rungs.length - 1);
  s.beyond.style.flexGrow = beyond.length;
  s.beyond.hidden = !beyond.length;
  s.beyond.title = beyond.length ? `epsilon ${beyond.join(", ")}: not released; costs more` : "";
  const remembered = rungs.indexOf(held(link, "epsilon"));
  place(s, remembered >= 0 ? remembered : start);
}

function chosen(s, tell) {
  place(s, Number(s.range.value));
  tell(s.data.link, "epsilon", s.root.dataset.epsilon, s);
}

function place(s, rung) {
  const { rungs, sentences } = s.data;
  const epsilon = rungs[rung];
  s.rung = rung;
  s.range.value = rung;
  s.range.style.setProperty("--at", String(rungs.length > 1 ? rung / (rungs.length - 1) : 0));
  s.range.setAttribute("aria-valuetext", sentences[rung]);
  s.number.textContent = `ε = ${epsilon}`;
  [...s.ticks.children].forEach((tick, k) => tick.classList.toggle("now", k === rung));
  Object.assign(s.root.dataset, { rung: String(rung), epsilon });
}
