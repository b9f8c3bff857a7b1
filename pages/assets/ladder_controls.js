// Markup of the component: slider, buttons, picture, legend. Fixed text only; data is added as text nodes.

import { backgroundThere, creditOf } from "./ladder_background.js";
import { contextOf, contextThere, contexts } from "./ladder_context.js";
import { drawnName, estimatedFlowWords, estimatedTileWords, estimatesOf } from "./ladder_estimates.js";
import { fillFlowControls, flowSource, linesOf, selectedOf, selectedWords, shownLevel, totalWords, updateFlowControls } from "./ladder_flows.js";
import { setMode } from "./ladder_map.js";
import { onlyTile, updateChoice } from "./ladder_select.js";
import { make, placeTip } from "./ladder_stage.js";
import { differenceWords } from "./ladder_swipe.js";
import { faceOf } from "./ladder_time.js";
import { flowWords, noiseWords, spokenRung, tileWords } from "./ladder_words.js";

const MODE_NAMES = { estimate: "Estimate", noisy: "Noisy", true: "True", difference: "Difference" };

const MARKUP = `
  <span class="probe" aria-hidden="true"></span>
  <div class="controls around">
    <div class="epsilon"><span class="number"></span><span class="muted unit"></span><span class="muted note"></span></div>
    <div class="slide">
      <div class="ends muted" aria-hidden="true"><span>more privacy</span><span>more accuracy</span></div>
      <input type="range" min="0" step="1" aria-label="epsilon">
      <div class="ticks" aria-hidden="true"></div>
    </div>
    <div class="buttons">
      <div class="segments" role="group" aria-label="Numbers"></div>
      <button type="button" class="single flowsbutton">Flows</button>
      <div class="segments levels" role="group" aria-label="Flows between" hidden></div>
      <label class="least" hidden><span></span><input type="range" min="0" max="100" step="1" aria-label="Smallest flow shown"></label>
      <button type="button" class="single addbutton" aria-pressed="false" title="Each click adds to the area; so does Shift and click">Add tiles</button>
      <button type="button" class="single clearbutton" hidden>Clear</button>
      <button type="button" class="single contextbutton">Context</button>
    </div>
  </div>
  <div class="picture">
    <div class="stage" role="img"></div>
    <canvas class="overlay" aria-hidden="true"></canvas>
    <div class="banner"></div>
    <div class="zoom" role="group" aria-label="Zoom">
      <button type="button" data-zoom="in" aria-label="Zoom in" title="Zoom in">+</button>
      <button type="button" data-zoom="out" aria-label="Zoom out" title="Zoom out">\u2212</button>
      <button type="button" data-zoom="fit" aria-label="Show all tiles" title="Show all tiles">\u2922</button>
    </div>
    <input class="search" type="search" list="offers" placeholder="Find a place" aria-label="Find a place, district or tile; Enter chooses a tile" autocomplete="off">
    <datalist id="offers"></datalist>
    <div class="attribution"></div>
    <div class="hint" aria-hidden="true"></div>
    <div class="tip" aria-hidden="true"><div></div><div></div><div></div><div></div></div>
    <div class="status" role="status">Loading the map</div>
  </div>
  <div class="legend"></div>
  <div class="live" aria-live="polite"></div>`;

export function buildMarkup(s) {
  s.root.innerHTML = MARKUP;
  const find = (selector) => s.root.querySelector(selector);
  Object.assign(s, {
    probe: find(".probe"), controls: find(".controls"), number: find(".number"), unit: find(".unit"), note: find(".note"),
    slide: find(".slide"), range: find(".slide input"), ticks: find(".ticks"), segments: find(".segments:not(.levels)"),
    flowsButton: find(".flowsbutton"), levels: find(".levels"), least: find(".least input"), leastWords: find(".least span"),
    addButton: find(".addbutton"), clearButton: find(".clearbutton"), contextButton: find(".contextbutton"), attribution: find(".attribution"),
    search: find(".search"), offers: find("datalist"), picture: find(".picture"), stage: find(".stage"),
    overlay: find(".overlay"), banner: find(".banner"), hint: find(".hint"), tip: find(".tip"),
    status: find(".status"), legend: find(".legend"), live: find(".live"),
  });
}

// Everything of the controls that depends on the message.
export function fillControls(s) {
  const { message, root } = s;
  const { options, texts } = message;
  root.style.setProperty("--picture", `${message.height}px`);
  s.stage.setAttribute("aria-label", texts.alt);
  s.banner.textContent = texts.banner;
  s.banner.hidden = !texts.banner;
  s.slide.hidden = !options.slider;
  s.controls.classList.toggle("follower", !options.slider);
  s.controls.classList.toggle("steered", options.steered); // epsilon and unit stand above, beside the slider
  s.range.max = message.k - 1;
  s.ticks.replaceChildren(...message.rungs.map((epsilon) => {
    const tick = make("span");
    tick.append(make("i"), make("b", {}, epsilon));
    return tick;
  }));
  s.segments.hidden = options.modes.length < 2;
  const named = (mode) => (options.estimates && mode === "noisy" ? "Drawn" : MODE_NAMES[mode]);
  fillButtons(s.segments, "mode", options.modes, named, (mode) => setMode(s, mode));
  s.flowsButton.hidden = !message.flows || !options.flows_toggle;
  fillFlowControls(s);
}

// A button for each name, under `data-WHAT`. Those that are there already stay: whoever stands on one keeps the focus.
export function fillButtons(place, what, names, words, press) {
  if ([...place.children].map((one) => one.dataset[what]).join() === names.join()) return;
  place.replaceChildren(...names.map((name) => {
    const button = make("button", { type: "button", [`data-${what}`]: name }, words(name));
    button.addEventListener("click", () => press(name));
    return button;
  }));
}

// Everything of the controls that follows the rung, the picture and the flows.
export function updateControls(s) {
  const { message, rung, root } = s;
  const epsilon = message.rungs[rung];
  s.number.textContent = `ε = ${epsilon}`;
  s.unit.textContent = message.texts.privacy;
  const face = faceOf(s), now = estimatesOf(face), far = shownLevel(s) === "districts";
  const drawn = far ? { ...face.message, flows: message.districts.flows } : face.message;
  // Beside a slider the note keeps its length: a longer one would move the slider from under the thumb.
  s.note.textContent = (message.tiles && !message.options.slider && now?.stop?.tiles?.note) || (message.flows?.estimated ? "" : `${now ? `${drawnName(s)}s: ` : ""}${noiseWords(drawn, face.rung)}`);
  s.range.value = rung;
  s.range.setAttribute("aria-valuetext", spokenRung(message, rung));
  s.range.style.setProperty("--at", String(message.k > 1 ? rung / (message.k - 1) : 0));
  [...s.ticks.children].forEach((tick, k) => tick.classList.toggle("now", k === rung));
  for (const button of s.segments.children) button.setAttribute("aria-pressed", String(button.dataset.mode === s.mode));
  s.flowsButton.setAttribute("aria-pressed", String(s.flowsOn));
  updateFlowControls(s);
  s.contextButton.hidden = !contextThere(s) && !backgroundThere(s);
  s.contextButton.setAttribute("aria-pressed", String(contexts.shown));
  s.attribution.textContent = creditOf(s);
  Object.assign(root.dataset, {
    numbers: now ? (now.wanted && !now.waiting ? "estimate" : now.wanted ? "waiting" : "released") : "", rung: String(rung), epsilon, mode: s.mode, flows: s.flowsOn ? "shown" : "hidden",
    context: contextOf(s) ? "shown" : "",
  });
  updateChoice(s);
}

function lookedWords(state, { kind, index }) {
  if (state.pair?.look === "difference" && kind === "tile") return differenceWords(state, index);
  const s = faceOf(state), { message, rung, mode } = s, now = estimatesOf(s), selected = selectedOf(s);
  if (kind === "flow" && selected) return selectedWords(s, selected, index);
  if (kind === "flow") return linesOf(s).flows.estimated ? estimatedFlowWords(s, now ?? {}, index) : flowWords(message, linesOf(s), rung, mode, index);
  if (!message.tiles && linesOf(s).flows) return totalWords(s, now, index);
  const [first, ...others] = now && message.tiles ? estimatedTileWords(s, now, index) : tileWords(message, rung, mode, index);
  return [s.spanName ? `${s.spanName}. ${first}` : first, ...others];
}

// The tooltip, and the same words for those who do not see it.
export function updateTip(s) {
  if (s.hover?.kind === "flow" && s.hover.source !== flowSource(s)) s.hover = null; // other flows have other numbers
  const { hover } = s;
  const looked = hover ?? (onlyTile(s.chosen) === null ? null : { kind: "tile", index: onlyTile(s.chosen) });
  const words = looked && lookedWords(s, looked);
  s.live.textContent = words ? words.filter(Boolean).join("; ") : "";
  s.tip.style.display = hover ? "block" : "none";
  if (!hover) return;
  placeTip(s, words, hover);
}
