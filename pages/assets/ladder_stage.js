// The picture of tiles: deck.gl, what is seen of the world, and words that come and go. One state `s` for each instance.
//
// A map gives its state `drawing`: `paint(s)` (one colour for each tile), `drawOverlay(s)`, `drawLegend(s)`, `remember(s)`, `show(s)`
// (everything that changes), `pointerOf(s)` (what deck.gl is told of the pointer) and `instead` (what to use where there is no
// picture). A state may also have `below()` and `above()` (layers under and over the tiles), `detail()` (what tells when these change
// with the zoom), `regionsNow()` (tiles drawn as one), `fadeNow()` (how much of the tiles is seen), and `sawView()` and
// `follow(view)` (called when the view moves).

import { css, mix } from "./ladder_colours.js";
import { loadDeck, requireWebGL } from "./ladder_deck.js";
import { regionBorders } from "./ladder_estimates.js";
import { borderData } from "./ladder_message.js";

export const instances = new WeakMap();
export const waits = new WeakMap(); // how a map stops waiting for its tiles

// Outlives pages of the app: the look of each map (picture, flows, view).
export const memory = { looks: new Map(), starting: undefined };

const unavailable = (error, instead) => `Map unavailable (${error.message}). ${instead}`;

export function refuse(root, error, instead) {
  instances.get(root)?.stop();
  root.textContent = unavailable(error, instead);
}

export function leave(root) {
  waits.get(root)?.();
  instances.get(root)?.stop();
}

export function stop(s) {
  s.stopped = true;
  s.started?.();
  s.resources.abort();
  s.sizes?.disconnect();
  s.deck?.finalize(); // gives the WebGL context back
  if (instances.get(s.root) === s) instances.delete(s.root);
}

// At most one picture a frame, however fast the thumb or the hand moves.
export function redraw(s) {
  s.frame ||= requestAnimationFrame(() => {
    s.frame = 0;
    if (!s.stopped) s.drawing.show(s);
  });
}

export async function start(s) {
  try {
    await near(s);
    if (s.stopped) return;
    const D = await loadDeck(s.root.dataset.deck);
    await turn(s);
    if (s.stopped) return;
    s.D = D;
    const canvas = make("canvas");
    requireWebGL(canvas);
    s.stage.replaceChildren(canvas);
    canvas.addEventListener("webglcontextlost", (event) => lost(s, event), { signal: s.resources.signal });
    const everything = fit(s);
    s.view ??= everything;
    offerFit(s);
    s.tileData = tileData(s);
    s.drawing.paint(s);
    s.deck = new D.Deck({
      canvas, views: new D.MapView({ repeat: false }), initialViewState: s.view, layers: layers(s),
      controller: { dragRotate: false, touchRotate: false, keyboard: false },
      eventRecognizerOptions: { click: { time: 2000 } }, // a slow hand clicks too, and so does a slow machine
      touchAction: "pan-y", // a finger can still scroll the page past the map
      pickingRadius: 0,
      onViewStateChange: ({ viewState, interactionState }) => moved(s, viewState, interactionState),
      onAfterRender: () => drawn(s),
      ...s.drawing.pointerOf(s),
      onError: (error) => console.error("map", error.message),
    });
    s.status.hidden = true;
    s.drawing.drawLegend(s); // the width of arrows is known now
  } catch (error) {
    fail(s, error);
  }
}

// A map that is far below waits until one scrolls: without a graphics card it would take from the one that is seen.
function near(s) {
  return new Promise((done) => {
    const watching = new IntersectionObserver((entries) => {
      if (!s.stopped && !entries.some((entry) => entry.isIntersecting)) return;
      watching.disconnect();
      done();
    }, { rootMargin: "50%", scrollMargin: "50%" });
    watching.observe(s.stage);
  });
}

// One map after the other, from the top of the page: two that start at once both take twice as long.
function turn(s) {
  const before = memory.starting;
  memory.starting = new Promise((done) => {
    s.started = done;
    setTimeout(done, 3000); // one that cannot be drawn stops no other
  });
  return before;
}

// A busy machine or a graphics driver may refuse once: the map starts again by itself, then where somebody asks for it.
function fail(s, error) {
  s.started?.();
  s.status.hidden = false;
  s.root.dataset.ready = "failed";
  const said = make("div");
  said.append(make("p", {}, unavailable(error, s.drawing.instead)));
  s.status.replaceChildren(said);
  if (s.restarted) {
    const again = make("button", { type: "button" }, "Try again");
    again.addEventListener("click", () => restart(s), { signal: s.resources.signal });
    said.append(again);
    return;
  }
  s.restarted = true;
  said.append(make("p", {}, "Trying again."));
  setTimeout(() => s.stopped || restart(s), 800);
}

function restart(s) {
  s.status.hidden = true;
  delete s.root.dataset.ready;
  start(s);
}

// The graphics driver took the context away.
function lost(s, event) {
  event.preventDefault();
  if (s.stopped) return;
  fail(s, new Error("the graphics context was lost"));
  s.deck?.finalize();
  s.deck = null;
  drawOverlayEmpty(s);
}

function drawOverlayEmpty(s) {
  s.overlay.getContext("2d").clearRect(0, 0, s.overlay.width, s.overlay.height);
}

function drawn(s) {
  s.drawing.drawOverlay(s);
  if (s.root.dataset.ready === "true") return;
  s.root.dataset.ready = "true";
  s.started?.();
}

function tileData(s) {
  const { geometry } = s.message;
  s.words = new Uint32Array(geometry.corners.length / 2);
  return {
    length: geometry.rings, startIndices: geometry.starts,
    attributes: { getPolygon: { value: geometry.corners, size: 2 } },
  };
}

export function layers(s) {
  const { geometry } = s.message;
  return [
    ...(s.below?.() ?? []),
    new s.D.SolidPolygonLayer({
      id: "tiles", positionFormat: "XY", _normalize: false, extruded: false, pickable: true,
      opacity: s.fadeNow?.() ?? 1,
      data: { ...s.tileData, attributes: { ...s.tileData.attributes, getFillColor: colourBuffer(s) } },
      // Only colours change. Without these two lines deck.gl would cut all tiles into triangles again.
      dataComparator: (a, b) => a.startIndices === b.startIndices,
      updateTriggers: { getFillColor: s.painted },
    }),
    ...(s.above?.() ?? []),
    new s.D.LineLayer({
      id: "borders", positionFormat: "XY", pickable: false, data: bordersOf(s),
      getColor: [...borderColour(s), 255], opacity: 0.75,
      getWidth: geometry.size.metres * BORDER, widthUnits: "meters", widthMaxPixels: 1.25, visible: bordersShow(s),
      updateTriggers: { getColor: borderColour(s).join() },
    }),
  ];
}

// Paper between coloured tiles; in the picture of differences most tiles are paper, and lines must show.
function borderColour({ mode, theme }) {
  return mode === "difference" ? mix(theme.background, theme.text, 0.28) : theme.background;
}

// Thinner than this, borders break into dots and cost more than the tiles.
const BORDER = 0.035; // of a tile's width
const THINNEST = 0.45; // pixels

function bordersShow({ message: { geometry }, view }) {
  return (geometry.size.metres * BORDER) / metresPerPixel(view) > THINNEST;
}

export const metresPerPixel = ({ latitude, zoom: level }) => (40_075_017 * Math.cos((latitude * Math.PI) / 180)) / (512 * 2 ** level);

const levelOfDetail = (s) => `${bordersShow(s)} ${s.detail?.() ?? ""}`;

// The borders of the tiles, or of the regions that they are merged to.
function bordersOf(s) {
  const { geometry } = s.message;
  const regions = s.regionsNow?.() ?? null;
  if (regions === null) return (s.borders ??= borderData(geometry));
  if (s.borderRegions !== regions) Object.assign(s, { borderRegions: regions, merged: borderData({ borders: regionBorders(geometry, regions) }) });
  return s.merged;
}

// deck.gl sees a change by identity, so each picture is a new buffer.
function colourBuffer(s) {
  return { value: new Uint8Array(s.words.slice().buffer), size: 4, normalized: true };
}

// View ---------------------------------------------------------------------------------------------------

export function fit(s) {
  const { clientWidth: width, clientHeight: height } = s.stage;
  const { bounds: [west, south, east, north] } = s.message.geometry;
  const viewport = new s.D.WebMercatorViewport({ width: Math.max(80, width), height: Math.max(80, height) });
  const side = Math.min(18, width / 20);
  // In a presentation words cover the left of the picture, and its controls and legend lie on it.
  const covered = (part) => (part && getComputedStyle(part).position === "absolute" ? part.getBoundingClientRect().height : 0);
  const padding = {
    left: side + Math.min(parseFloat(getComputedStyle(s.picture).paddingLeft) || 0, width / 2), right: side,
    bottom: side + Math.min(covered(s.legend), height / 4), top: Math.max(side + Math.min(covered(s.controls), height / 4), s.banner.offsetHeight + 20),
  };
  const { longitude, latitude, zoom: level } = viewport.fitBounds([[west, south], [east, north]], { padding, maxZoom: 17 });
  const fitted = new s.D.WebMercatorViewport({ width, height, longitude, latitude, zoom: level });
  s.fittedTo = fitted;
  s.fitZoom = level;
  return { longitude, latitude, zoom: level, minZoom: level - 1.5, maxZoom: 20, pitch: 0, bearing: 0 };
}

export function setView(s, view, milliseconds = 250) {
  s.view = view;
  s.follow?.(view);
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  s.deck.setProps({ initialViewState: { ...view, transitionDuration: still ? 0 : milliseconds } });
}

// Where all tiles are shown already, the button that shows them is of no use.
function offerFit(s) {
  const [closer, , all] = s.root.querySelectorAll("[data-zoom]");
  if (s.fitted && s.root.getRootNode().activeElement === all) closer.focus();
  all.hidden = s.fitted;
}

function zoom(s, direction) {
  if (!s.deck) return;
  s.fitted = direction === "fit";
  offerFit(s);
  if (s.fitted) return setView(s, fit(s));
  return setView(s, { ...s.view, zoom: Math.max(s.view.minZoom, s.view.zoom + (direction === "in" ? 0.8 : -0.8)) });
}

function moved(s, view, { isDragging, isZooming, isPanning } = {}) {
  if (isDragging || isZooming || isPanning) s.fitted = false;
  offerFit(s);
  const before = levelOfDetail(s);
  const { longitude, latitude, zoom: level, minZoom, maxZoom } = view;
  s.view = { longitude, latitude, zoom: level, minZoom, maxZoom, pitch: 0, bearing: 0 };
  s.sawView?.();
  if (levelOfDetail(s) !== before) s.deck.setProps({ layers: layers(s) });
  s.follow?.(s.view);
  s.drawing.remember(s);
}

function resized(s) {
  if (s.deck && s.fitted && s.picture.clientWidth) {
    setView(s, fit(s), 0);
    s.drawing.drawLegend(s);
  }
}

// `on(target, name, call, options)` listens until the instance stops.
export function listenToView(s, on) {
  for (const button of s.root.querySelectorAll("[data-zoom]")) on(button, "click", () => zoom(s, button.dataset.zoom));
  // A wheel over the picture scrolls the page; with Ctrl (or Cmd) it zooms the map.
  on(s.picture, "wheel", (event) => {
    if (event.ctrlKey || event.metaKey) return event.preventDefault();
    event.stopPropagation();
    return hint(s, `${/Mac/.test(navigator.platform) ? "⌘" : "Ctrl"} + scroll to zoom`);
  }, { capture: true, passive: false });
  s.sizes = new ResizeObserver(() => resized(s));
  s.sizes.observe(s.picture);
}

// The canvas above the tiles, cleared and as sharp as the screen; null while there is no picture.
export function clearOverlay(s) {
  const viewport = s.deck?.getViewports?.()[0];
  const { clientWidth: width, clientHeight: height } = s.overlay;
  if (!viewport || !width) return null;
  const scale = window.devicePixelRatio || 1;
  if (s.overlay.width !== Math.round(width * scale) || s.overlay.height !== Math.round(height * scale)) {
    s.overlay.width = Math.round(width * scale);
    s.overlay.height = Math.round(height * scale);
  }
  const pen = s.overlay.getContext("2d");
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, width, height);
  return { pen, viewport };
}

// A tile's borders: a dark line on a light one, so that it shows on any colour.
export function outline(pen, s, viewport, tile, width) {
  const { firstRing, starts, corners, isBridge } = s.message.geometry;
  pen.beginPath();
  for (let r = firstRing[tile]; r < firstRing[tile + 1]; r++) {
    for (let v = starts[r]; v < starts[r + 1]; v++) {
      const next = v + 1 < starts[r + 1] ? v + 1 : starts[r];
      const from = viewport.project([corners[2 * v], corners[2 * v + 1]]);
      if (v === starts[r] || isBridge(v - 1)) pen.moveTo(from[0], from[1]);
      if (isBridge(v)) continue;
      const to = viewport.project([corners[2 * next], corners[2 * next + 1]]);
      pen.lineTo(to[0], to[1]);
    }
  }
  pen.lineJoin = "round";
  pen.lineCap = "round";
  pen.strokeStyle = css(s.theme.background, 0.9);
  pen.lineWidth = width + 2.5;
  pen.stroke();
  pen.strokeStyle = css(s.theme.text);
  pen.lineWidth = width;
  pen.stroke();
}

// Words beside the pointer, inside the picture.
export function placeTip(s, words, { x: left, y: top }) {
  [...s.tip.children].forEach((line, i) => (line.textContent = words[i] ?? "")); // textContent: names are data
  const { clientWidth: width, clientHeight: height } = s.picture;
  const { offsetWidth: w, offsetHeight: h } = s.tip;
  const x = left + 14 + w > width ? left - 14 - w : left + 14;
  const y = top + 14 + h > height ? top - 10 - h : top + 14;
  s.tip.style.left = `${Math.max(4, Math.min(x, width - w - 4))}px`;
  s.tip.style.top = `${Math.max(4, y)}px`;
}

function hint(s, text) {
  s.hint.textContent = text;
  s.hint.classList.add("on");
  clearTimeout(s.hintTimer);
  s.hintTimer = setTimeout(() => s.hint.classList.remove("on"), 1200);
}

export function make(tag, attributes = {}, text = "") {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text) element.textContent = text;
  return element;
}
