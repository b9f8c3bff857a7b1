// deck.gl from the installed pydeck package (a classic script that leaves globals behind).

// deck.gl and luma.gl refuse a second version on one page, and st.pydeck_chart brings another one.
// So what is there is hidden while our copy starts, ours is kept in a private place, and then theirs is put
// back. Both orders work: our map before st.pydeck_chart and after it.
const DECK_GLOBALS = ["deck", "luma", "loaders", "math", "probe"];
let loaded = null;

export function loadDeck(url) {
  loaded ||= fetchDeck(url).catch((error) => {
    loaded = null; // a failure is not remembered: the next map tries again
    throw error;
  });
  return loaded;
}

async function fetchDeck(url) {
  if (!url) throw new Error("the package pydeck is not installed");
  // The server sends no validator; the version is part of the address, so the cache may answer for good.
  const reply = await fetch(url, { cache: "force-cache" });
  if (!reply.ok) throw new Error(`deck.gl: HTTP ${reply.status}`);
  const source = URL.createObjectURL(new Blob([await reply.arrayBuffer()], { type: "text/javascript" }));
  const before = {};
  for (const name of DECK_GLOBALS) {
    before[name] = globalThis[name];
    delete globalThis[name];
  }
  try {
    await runScript(source);
    const deck = globalThis.deck;
    if (!deck?.Deck || !deck.SolidPolygonLayer) throw new Error("deck.gl did not start");
    return deck;
  } finally {
    URL.revokeObjectURL(source);
    for (const name of DECK_GLOBALS) {
      if (before[name] === undefined) delete globalThis[name];
      else globalThis[name] = before[name];
    }
  }
}

function runScript(source) {
  return new Promise((done, failed) => {
    const script = document.createElement("script");
    script.src = source;
    script.onload = done;
    script.onerror = () => failed(new Error("deck.gl did not run"));
    document.head.append(script);
  });
}

// The context that deck.gl will draw with: it takes the one that its canvas has. Another canvas for a look would cost a second one.
export function requireWebGL(canvas) {
  const asked = { preserveDrawingBuffer: true, powerPreference: "high-performance" };
  if (!canvas.getContext("webgl2", asked)) throw new Error("this browser has no WebGL 2");
}
