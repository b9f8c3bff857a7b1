// The slider alone: every map and chart of a page follows it. Nothing is sent while it is dragged; the maps hear of
// it in the browser, and Python when the thumb is let go.

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

// Shared with the maps (ladder_stage.js): the epsilon and the chosen places of each link.
const common = (window.__epsilonAtlasMemory ||= { epsilons: new Map(), looks: new Map(), chosen: new Map() });
const sliders = new WeakMap();
const stops = (common.stops ||= new Map()); // by link: the step of a story that chose last

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
    s.range.addEventListener("input", () => move(s, Number(s.range.value)));
    s.range.addEventListener("change", () => s.tell("rung", s.rung)); // on release: only then Python hears of it
    s.follow = ({ detail }) => follow(s, detail);
    window.addEventListener("epsilon-atlas-rung", s.follow);
    sliders.set(root, s);
  }
  const before = s.data;
  Object.assign(s, { data, tell: setStateValue });
  if (before?.link !== data.link) begin(s);
  if (before?.link !== data.link || before?.order !== data.order) takeChosen(data); // the slider comes and goes with the views
  return () => {
    window.removeEventListener("epsilon-atlas-rung", s.follow);
    sliders.delete(root);
  };
}

// A curve of the page was dragged, which tells Python nothing.
function follow(s, { link, epsilon, from, settled }) {
  const rung = s.data.rungs.indexOf(epsilon);
  if (from === s || link !== s.data.link || rung < 0) return;
  place(s, rung);
  if (settled) s.tell("rung", rung);
}

function begin(s) {
  const { rungs, beyond, start, unit, link, ends, steered } = s.data;
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
  // A step of a story chooses its stop once; what is remembered after that is the visitor's own move.
  const chosen = steered && stops.get(link) !== steered;
  stops.set(link, steered);
  const remembered = chosen ? start : rungs.indexOf(common.epsilons.get(link));
  move(s, remembered >= 0 ? remembered : start);
  if (s.rung !== start) s.tell("rung", s.rung); // Python starts at the message's rung
}

function move(s, rung) {
  place(s, rung);
  const { link } = s.data, { epsilon } = s.root.dataset;
  common.epsilons.set(link, epsilon);
  window.dispatchEvent(new CustomEvent("epsilon-atlas-rung", { detail: { link, epsilon, from: s } }));
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
