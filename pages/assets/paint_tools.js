// Markup of the painting component: paint and brush to choose, the picture, words. Fixed text only; data is added as text nodes.

import { make, placeTip } from "./ladder_stage.js";
import { tileName, whole } from "./ladder_words.js";
import { setLevel } from "./paint_map.js";

const MARKUP = `
  <span class="probe" aria-hidden="true"></span>
  <div class="controls">
    <div class="paints" role="group" aria-label="Level to paint with"></div>
    <div class="buttons">
      <div class="segments hands" role="group" aria-label="What dragging does">
        <button type="button" data-hand="paint">Paint</button><button type="button" data-hand="move">Move the map</button>
      </div>
      <div class="segments brushes" role="group" aria-label="Brush">
        <button type="button" data-size="0">One tile</button><button type="button" data-size="18">Small brush</button><button
          type="button" data-size="44">Large brush</button>
      </div>
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
    <div class="hint" aria-hidden="true"></div>
    <div class="tip" aria-hidden="true"><div></div><div></div></div>
    <div class="status" role="status">Loading the map</div>
  </div>
  <div class="live" aria-live="polite"></div>`;

export function buildMarkup(s) {
  s.root.innerHTML = MARKUP;
  const find = (selector) => s.root.querySelector(selector);
  Object.assign(s, {
    probe: find(".probe"), paints: find(".paints"), hands: find(".hands"), brushes: find(".brushes"), picture: find(".picture"),
    stage: find(".stage"), overlay: find(".overlay"), banner: find(".banner"), hint: find(".hint"), tip: find(".tip"),
    status: find(".status"), live: find(".live"),
  });
}

// Everything that depends on the message: one button for each level, which is the legend as well.
export function fillTools(s) {
  const { message, root } = s;
  root.style.setProperty("--picture", `${message.height}px`);
  s.stage.setAttribute("aria-label", message.alt);
  s.banner.textContent = message.banner;
  s.banner.hidden = !message.banner;
  const buttons = message.levels.map(({ name, epsilon }, i) => {
    const button = make("button", { type: "button", "data-level": String(i + 1) });
    button.append(make("i", { class: "swatch" }), make("b", {}, name), make("span", {}, `\u03b5 ${epsilon}`), make("span", { class: "many" }));
    button.addEventListener("click", () => setLevel(s, i + 1));
    return button;
  });
  s.paints.replaceChildren(...buttons.reverse()); // the most delicate first
}

// Everything that follows the chosen paint, the hand, the brush and the painted levels.
export function updateTools(s) {
  const { message, root, tiles, theme } = s;
  const many = new Uint32Array(message.levels.length + 1);
  for (const level of tiles) many[level]++;
  for (const button of s.paints.children) {
    const i = Number(button.dataset.level) - 1;
    button.setAttribute("aria-pressed", String(s.level === i + 1));
    button.querySelector(".swatch").style.background = message.levels[i][theme.name];
    button.querySelector(".many").textContent = `${whole(many[i + 1])} ${many[i + 1] === 1 ? "tile" : "tiles"}`;
  }
  for (const button of s.hands.children) button.setAttribute("aria-pressed", String(button.dataset.hand === s.hand));
  for (const button of s.brushes.children) button.setAttribute("aria-pressed", String(Number(button.dataset.size) === s.size));
  s.stage.style.cursor = s.hand === "paint" ? "crosshair" : "";
  s.picture.style.touchAction = s.hand === "paint" ? "none" : "";
  Object.assign(root.dataset, { hand: s.hand, level: String(s.level), painted: [...many].slice(1).join(" ") });
}

// Name and level of the tile under the pointer.
export function updateWords(s) {
  const { hover, message, tiles } = s;
  const words = hover ? [tileName(message, hover.tile), message.levels[tiles[hover.tile] - 1].name] : null;
  s.live.textContent = words ? words.join(": ") : "";
  s.tip.style.display = hover ? "block" : "none";
  if (hover) placeTip(s, words, hover);
}
