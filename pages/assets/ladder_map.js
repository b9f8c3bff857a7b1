// The map itself: one state `s` for each instance, and the only exported function.

const MOVED = "epsilon-atlas-rung";
const CHOSEN = "epsilon-atlas-tile";

export default function ({ data, key, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".ladder");
  const s = instances.get(root);
  if (s && sameBytes(s.data, data)) {
    s.tell = setStateValue;
    return () => leave(root);
  }
  waits.get(root)?.();
  try {
    const message = unpack(data);
    waits.set(root, withTiles(message.digest, (geometry) => begin(root, { data, key, message: { ...message, geometry }, tell: setStateValue })));
  } catch (error) {
    refuse(root, error);
  }
  return () => leave(root);
}

// The tiles are there: draw on them, or put other counts on those that are drawn already.
function begin(root, given) {
  const s = instances.get(root);
  try {
    if (s && s.message.digest === given.message.digest) return renew(s, given);
    s?.stop();
    const fresh = { root, ...given, hover: null, tile: null };
    fresh.regionsNow = () => (fresh.message.tiles && estimatesOf(fresh)?.regions) || null;
    instances.set(root, fresh);
    return mount(fresh);
  } catch (error) {
    return refuse(root, error);
  }
}

const INSTEAD = "The table below holds the same numbers.";

function sameBytes(a, b) {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

function mount(s) {
  buildMarkup(s);
  s.resources = new AbortController();
  s.stop = () => stop(s);
  s.tileColours = new Uint32Array(s.message.geometry.n);
  s.look = memory.looks.get(lookOf(s));
  s.view = s.look?.view ?? null;
  s.fitted = !s.view;
  takeMessage(s);
  listen(s);
  restyle(s);
  start(s);
}

// Other counts on the same tiles: view, picture and chosen tile stay.
function renew(s, { data, message, tell }) {
  Object.assign(s, { data, tell, message: { ...message, geometry: s.message.geometry } }); // the arrays that deck.gl holds
  takeMessage(s);
  restyle(s);
}

// Rung, picture and flows for a message: what the visitor chose before, else what the page asks for.
function takeMessage(s) {
  const { options, rungs } = s.message;
  const remembered = rungs.indexOf(memory.epsilons.get(linkOf(s)));
  s.rung = remembered >= 0 ? remembered : options.start_rung;
  const mode = s.mode ?? s.look?.mode;
  s.mode = options.modes.includes(mode) ? mode : options.mode;
  s.flowsOn = Boolean(s.message.flows) && (s.flowsOn ?? s.look?.flowsOn ?? options.flows_shown);
  s.hover = null;
  fillControls(s);
  remember(s);
  // Python starts at the message's rung; if the visitor left another one here, it is told.
  if (options.slider && s.rung !== options.start_rung) s.tell("rung", s.rung);
  // A tile that was chosen before this map was there: by a link, or in a list.
  if (options.steered) s.tile = memory.tiles.get(linkOf(s)) ?? null;
  if (options.steered && s.tile !== null) s.tell("tile", s.tile);
}

// Streamlit's key is another one at every visit of a page: a map without a link forgets.
const linkOf = ({ message, key }) => message.options.link || key;
// The digest is that of the tiles alone: a map of visits and one of flows of one page have looks of their own.
const lookOf = (s) => `${linkOf(s)}/${s.message.options.slider}/${s.message.tiles ? "tiles" : "lines"}/${s.message.digest}`;

function remember(s) {
  const { mode, flowsOn, fitted, view } = s;
  memory.looks.set(lookOf(s), { mode, flowsOn, view: fitted ? null : view });
}

function listen(s) {
  const { signal } = s.resources;
  const on = (target, name, call, options) => target.addEventListener(name, call, { signal, ...options });
  on(s.range, "input", () => setRung(s, Number(s.range.value), true));
  on(s.range, "change", () => s.tell("rung", s.rung)); // on release: only then Python hears of it
  on(s.flowsButton, "click", () => setFlows(s, !s.flowsOn));
  on(window, MOVED, ({ detail }) => {
    const rung = s.message.rungs.indexOf(detail.epsilon);
    if (detail.from !== s && detail.link === linkOf(s) && rung >= 0) setRung(s, rung, false);
  });
  on(window, CHOSEN, ({ detail }) => {
    if (!s.message.options.steered || detail.link !== linkOf(s) || detail.tile === s.tile) return;
    s.tile = detail.tile;
    s.tell("tile", s.tile);
    redraw(s);
  });
  on(window, ESTIMATED, ({ detail }) => detail.link === estimatesLink(s) && redraw(s));
  // The probe's colours pass through a transition of one millisecond: its end tells that the theme changed.
  on(s.probe, "transitionend", () => restyle(s));
  on(s.picture, "pointerleave", () => point(s, null));
  listenToView(s, on);
}

function pointerOf(s) {
  return {
    getCursor: ({ isDragging, isHovering }) => (isDragging ? "grabbing" : isHovering ? "pointer" : "grab"),
    onHover: (event) => point(s, event),
    onClick: (event, gesture) => choose(s, event, gesture.srcEvent?.pointerType === "touch"),
  };
}

function paint(s) {
  const now = s.message.tiles && estimatesOf(s);
  if (now?.wanted && !now.waiting) estimateColours(now, s.palette, s.tileColours);
  else if (now?.regions) regionColours(now.regions, drawnSums(s, now.regions), s.message.tiles.breaks, s.palette, s.tileColours);
  else tileColours(s.message, s.palette, countsMode(s), s.rung, s.tileColours);
  if (!s.words) return; // deck.gl is not there yet
  spread(s.tileColours, s.message.geometry, s.words);
  s.painted = (s.painted ?? 0) + 1;
}

// What the visitor does ----------------------------------------------------------------------------------

function show(s) {
  updateControls(s);
  drawLegend(s);
  updateTip(s);
  paint(s);
  s.deck?.setProps({ layers: layers(s) });
}

function setRung(s, rung, mine) {
  s.rung = rung;
  const epsilon = s.message.rungs[rung];
  memory.epsilons.set(linkOf(s), epsilon);
  if (mine) window.dispatchEvent(new CustomEvent(MOVED, { detail: { link: linkOf(s), epsilon, from: s } }));
  redraw(s);
}

function setMode(s, mode) {
  s.mode = mode;
  remember(s);
  redraw(s);
}

function setFlows(s, shown) {
  s.flowsOn = shown;
  s.hover = null;
  remember(s);
  redraw(s);
}

// The theme's colours, read anew; then everything is drawn in them.
function restyle(s) {
  s.theme = readTheme(s.probe);
  s.root.dataset.theme = s.theme.name;
  s.palette = s.message.tiles ? palettes(s.message.tiles, s.theme) : { plain: word(s.theme.grey) };
  if (s.D && s.message.flows) fit(s);
  s.flowScale ??= s.message.flows ? { perTrip: 0, largest: 1, widest: 1 } : null;
  show(s);
}

function point(s, event) {
  let hover = null;
  if (event && event.x >= 0) {
    const { x, y } = event;
    const flow = s.flowsOn ? flowAt(s, x, y) : -1;
    if (flow >= 0) hover = { kind: "flow", index: flow, x, y };
    else if (event.picked) hover = { kind: "tile", index: s.message.geometry.owners[event.index], x, y };
  }
  const same = hover?.kind === s.hover?.kind && hover?.index === s.hover?.index;
  s.hover = hover;
  updateTip(s);
  if (!same) drawOverlay(s); // the tiles need no new picture for an outline
}

function choose(s, event, byTouch) {
  const tile = event.picked ? s.message.geometry.owners[event.index] : null;
  s.tile = tile === s.tile ? null : tile;
  if (s.message.options.steered) memory.tiles.set(linkOf(s), s.tile);
  if (byTouch) point(s, event); // a finger has no hover: the tap shows the words
  updateControls(s);
  updateTip(s);
  drawOverlay(s);
  s.tell("tile", s.tile);
}
