// What somebody chose, by the link of the maps that it is about: the stop ("epsilon"), places ("chosen"), a time window ("window").
// It outlives the pages of the app, and whatever was chosen here is told to Python until Python has read it.
//
// A wish has a number that rises, and the order of Python under which it was made. After each run that reads wishes Python answers
// (`takeAnswers`) with the number that it has read, its own order, and the value that it holds. Until the numbers agree the wish is
// told again, by whichever component speaks for its link then: after a run that did not read it, after another component took the
// place of the first, after a lost connection. Another order means that Python chose since, as a step of a story does: it outranks
// the wish. Where nothing is wished and no hand moves, the browser shows what Python holds.

const AGAIN = 1200; // milliseconds without a run of Python
const LONGEST = 10_000;
const SOON = 250; // after a run
const RUNNING = "data-test-script-state";
const CONNECTED = "data-test-connection-state";
// What arrived with the end of a run may yet have to be drawn, and an answer is among it.
const whenIdle = globalThis.requestIdleCallback ? (call) => requestIdleCallback(call, { timeout: LONGEST }) : (call) => call();
const kept = new Map();
let last = 0;

export const changes = new EventTarget(); // "held", with { link, name, value, from }

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
const stateOf = (state) => document.querySelector("[data-testid=stApp]")?.getAttribute(state);
const runs = () => stateOf(RUNNING) === "running";
const waits = (one) => one.read < one.number;
const agreed = (one) => (waits(one) ? one.wished : one.answer);

function known(link, name) {
  const key = `${name} of ${link}`;
  if (!kept.has(key)) {
    kept.set(key, { link, name, value: undefined, number: 0, read: 0, order: null, moves: false, speakers: [], times: 0, timer: 0 });
  }
  return kept.get(key);
}

// What is held here; undefined before the first choice and the first answer.
export const held = (link, name) => known(link, name).value;

// Whether the page hears of it: it answers only where it has an ear.
export const heard = (link, name) => known(link, name).order !== null;

// What was chosen here and Python has yet to read; undefined where nothing waits.
export const untold = (link, name) => (waits(known(link, name)) ? held(link, name) : undefined);

function take(one, value, from) {
  one.value = value;
  changes.dispatchEvent(new CustomEvent("held", { detail: { link: one.link, name: one.name, value, from } }));
}

// A hand moves: shown at once, and told when it lets go. Back where it began, it has chosen nothing.
export function move(link, name, value, from) {
  const one = known(link, name);
  one.moves = !same(value, agreed(one));
  take(one, value, from);
  mark();
}

// Chosen: told from now on. What `from` chose it draws itself.
export function wish(link, name, value, from) {
  const one = known(link, name);
  one.moves = false;
  take(one, value, from);
  if (one.order === null || waits(one) || !same(value, one.answer)) {
    last = Math.max(Date.now(), last + 1);
    Object.assign(one, { wished: value, number: last, times: 0 });
    tell(one);
  }
  mark();
}

// A component that tells Python wishes of this name; `root`: where it stands. Gives back what ends that.
export function speak(link, name, root, setStateValue) {
  const one = known(link, name);
  const speaker = { root, tell: setStateValue };
  one.speakers.push(speaker);
  if (waits(one)) later(one, SOON);
  return {
    by: (tellsNow) => { speaker.tell = tellsNow; }, // Streamlit gives a new function at each run
    end: () => { one.speakers = one.speakers.filter((each) => each !== speaker); },
  };
}

function later(one, milliseconds) {
  clearTimeout(one.timer);
  one.timer = setTimeout(() => whenIdle(() => (runs() ? later(one, LONGEST) : tell(one))), milliseconds);
}

// A run that is under way may read the wish: only its end wakes this (below).
function tell(one) {
  if (!waits(one)) return;
  const { wished: value, number, order, times } = one;
  if ((stateOf(CONNECTED) ?? "CONNECTED") === "CONNECTED") one.speakers.at(-1)?.tell(one.name, { value, number, order, times });
  one.times += 1;
  later(one, Math.min(AGAIN * 2 ** times, LONGEST));
}

// Python's answer: of each name the number of the wish that was read last, its order, and what it holds.
export function takeAnswers(link, answers) {
  for (const [name, { number, order, value }] of Object.entries(answers)) {
    const one = known(link, name);
    const outranked = one.order !== null && one.order !== order;
    if (outranked) Object.assign(one, { number, moves: false });
    Object.assign(one, { order, read: number, answer: value });
    if (waits(one)) later(one, SOON); // also what Python had read once and does not know any more
    else if (!one.moves && !same(one.value, value)) take(one, value, null);
  }
  mark();
}

// What a component gives back to Streamlit, which calls `end` when it is taken away. It also calls the end of a call that was
// overtaken while the script was loading, after the next call began: that one is not the last, and ends nothing.
const calls = new WeakMap();

export function ends(root, end) {
  const mine = {};
  calls.set(root, mine);
  return () => calls.get(root) === mine && calls.delete(root) && end();
}

// Texts that follow a slider and are of another stop than the browser: dimmed until Python has made them anew.
const SAID = ["stMarkdown", "stMetric", "stCaptionContainer", "stPlotlyChart", "stDataFrame", "stTable", "stAlert"];
const STYLE = "[data-behind] { opacity: 0.4; }";
const behind = () => [...kept.values()].filter((one) => one.name === "epsilon" && (one.moves || waits(one)) && one.speakers.length);

// Says in the page whether Python has yet to hear of something.
function mark() {
  const untold = [...kept.values()].some((one) => one.speakers.length && (one.moves || waits(one)));
  document.documentElement.toggleAttribute("data-untold", untold);
  const from = behind().flatMap(({ speakers }) => speakers.map(({ root }) => root.getRootNode().host ?? root));
  if (!from.length) return runs() || clear();
  if (!document.adoptedStyleSheets.some(({ ours }) => ours)) {
    const sheet = Object.assign(new CSSStyleSheet(), { ours: true });
    sheet.replaceSync(STYLE);
    document.adoptedStyleSheets.push(sheet);
  }
  for (const said of document.querySelectorAll(SAID.map((id) => `[data-testid=stMain] [data-testid=${id}]`).join())) {
    if (!from.some((one) => one.compareDocumentPosition(said) & Node.DOCUMENT_POSITION_FOLLOWING)) continue;
    said.dataset.behind = "";
    said.setAttribute("aria-busy", "true");
  }
  return undefined;
}

function clear() {
  for (const said of document.querySelectorAll("[data-behind]")) {
    delete said.dataset.behind;
    said.removeAttribute("aria-busy");
  }
}

// The end of a run, and a connection that is there again.
new MutationObserver(() => {
  if (runs()) return;
  for (const one of kept.values()) if (waits(one)) later(one, SOON);
  mark();
}).observe(document.documentElement, { subtree: true, attributeFilter: [RUNNING, CONNECTED] });
document.addEventListener("visibilitychange", () => {
  for (const one of kept.values()) if (waits(one)) later(one, SOON);
});
