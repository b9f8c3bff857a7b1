// The message: bytes from Python to typed arrays. Layout: dpcore/views/map_message.py.

const MESSAGE_VERSION = 1;

function reader(buffer) {
  let at = 0;
  const take = (Type, count) => {
    const array = new Type(buffer, at, count);
    at += array.byteLength;
    return array;
  };
  const json = () => JSON.parse(new TextDecoder().decode(take(Uint8Array, take(Uint32Array, 1)[0])));
  return { take, json };
}

function unpack(bytes) {
  const { take, json } = reader(bytes.slice().buffer); // slice: a buffer of our own, aligned
  const height = take(Uint32Array, 1)[0];
  const head = json();
  if (head.version !== MESSAGE_VERSION) throw new Error("the page and the map are of different versions");
  const message = { ...head, height, k: head.rungs.length, geometry: unpackGeometry(take, json) };
  const { k } = message;
  const { n } = message.geometry;
  if (head.tiles) {
    message.tiles = { ...head.tiles, count: n, values: take(Int32Array, k * n) };
    message.tiles.truth = head.tiles.truth ? take(Int32Array, n) : null;
  }
  if (head.flows) {
    const f = head.flows.count;
    message.flows = { ...head.flows, origins: take(Uint32Array, f), destinations: take(Uint32Array, f) };
    message.flows.values = take(Int32Array, k * f);
    message.flows.truth = head.flows.truth ? take(Int32Array, f) : null;
  }
  return message;
}

function unpackGeometry(take, json) {
  const head = json();
  const starts = take(Uint32Array, head.rings + 1);
  const owners = take(Uint32Array, head.rings);
  const degrees = (offsets) => Float64Array.from(offsets, (value, i) => value + head.origin[i & 1]);
  const labels = degrees(take(Float32Array, 2 * head.n));
  const corners = degrees(take(Float32Array, 2 * head.corners));
  const geometry = { ...head, starts, owners, labels, corners };
  return Object.assign(geometry, ringsOfTiles(geometry), edges(geometry), { size: typicalSize(head) });
}

// First ring of each tile; rings of a tile follow one another.
function ringsOfTiles({ n, rings, owners }) {
  const first = new Uint32Array(n + 1).fill(rings);
  for (let r = rings - 1; r >= 0; r--) first[owners[r]] = r;
  for (let t = n - 1; t >= 0; t--) if (first[t] === rings) first[t] = first[t + 1];
  return { firstRing: first };
}

// Every border once, though two tiles share it. An edge that one ring walks twice is no border: it is the
// bridge of no width by which a hole was joined to the outside.
function edges({ rings, starts, corners, bounds: [west, south, east, north] }) {
  // Corners of neighbours are equal to the last bit; a grid of 2^26 steps gives each place one whole number.
  const [wide, high] = [2 ** 26 / (east - west || 1), 2 ** 26 / (north - south || 1)];
  const seen = new Map();
  const same = new Uint32Array(corners.length / 2);
  for (let v = 0; v < same.length; v++) {
    const place = Math.round((corners[2 * v] - west) * wide) * 2 ** 26 + Math.round((corners[2 * v + 1] - south) * high);
    const first = seen.get(place);
    if (first === undefined) seen.set(place, v);
    same[v] = first ?? v;
  }
  const walked = new Map();
  const bridges = new Set();
  const found = [];
  for (let r = 0; r < rings; r++) {
    for (let v = starts[r]; v < starts[r + 1]; v++) {
      const key = edgeKey(same, v, v + 1 < starts[r + 1] ? v + 1 : starts[r]);
      if (walked.get(key) === r) bridges.add(key);
      else if (!walked.has(key)) found.push(v, v + 1 < starts[r + 1] ? v + 1 : starts[r]);
      walked.set(key, r);
    }
  }
  const from = [];
  const to = [];
  for (let e = 0; e < found.length; e += 2) {
    if (bridges.has(edgeKey(same, found[e], found[e + 1]))) continue;
    from.push(corners[2 * found[e]], corners[2 * found[e] + 1]);
    to.push(corners[2 * found[e + 1]], corners[2 * found[e + 1] + 1]);
  }
  const borders = { count: from.length / 2, from: Float64Array.from(from), to: Float64Array.from(to) };
  return { borders, isBridge: (a, b) => bridges.has(edgeKey(same, a, b)) };
}

function edgeKey(same, a, b) {
  const p = same[a];
  const q = same[b];
  return p < q ? p * 2 ** 26 + q : q * 2 ** 26 + p;
}

// Width of a tile if all were squares of one size, in degrees of latitude and in metres.
function typicalSize({ bounds: [west, south, east, north], n }) {
  const shrink = Math.cos(((south + north) / 2) * (Math.PI / 180));
  const degrees = Math.sqrt(((east - west) * shrink * (north - south)) / n);
  return { degrees, metres: degrees * 111_320 };
}
