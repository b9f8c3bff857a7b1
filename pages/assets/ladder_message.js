// Bytes from Python to typed arrays. Layouts: dpcore/views/maps/tile_map.py and map_geometry.py.

const MESSAGE_VERSION = 3;
const GEOMETRY_VERSION = 2;
export const DIGEST_BYTES = 16;

// Reads forward through bytes.
export function reader(bytes) {
  let at = 0;
  const raw = (count) => {
    if (count > bytes.length - at) throw new Error("the message of a map is cut short");
    at += count;
    return bytes.subarray(at - count, at);
  };
  const u32 = () => raw(4).reduceRight((high, byte) => high * 256 + byte, 0);
  const text = (count) => new TextDecoder().decode(raw(count));
  // Whole numbers: the sign in the lowest bit, seven bits a byte.
  const integers = (out) => {
    let here = at; // a local variable: three times as fast
    for (let i = 0; i < out.length; i++) {
      let byte = bytes[here++];
      let value = byte & 127;
      for (let shift = 7; byte > 127 && shift < 28; shift += 7) {
        byte = bytes[here++];
        value |= (byte & 127) << shift;
      }
      if (byte <= 127) {
        out[i] = (value >>> 1) ^ -(value & 1);
        continue;
      }
      for (let scale = 2 ** 28; byte > 127; scale *= 128) { // beyond the bits of a browser's integers
        byte = bytes[here++];
        value += (byte & 127) * scale;
      }
      out[i] = value % 2 ? -(value + 1) / 2 : value / 2;
    }
    if (here > bytes.length) throw new Error("the message of a map is cut short");
    at = here;
    return out;
  };
  return { raw, u32, text, json: () => JSON.parse(text(u32())), integers, rest: () => raw(bytes.length - at) };
}

// Each number is sent less the one `apart` places before it.
function summed(numbers, apart = 1) {
  for (let i = apart; i < numbers.length; i++) numbers[i] += numbers[i - apart];
  return numbers;
}

// Longitudes and latitudes, which are sent as whole steps from an origin.
export const placesIn = (integers, { origin, step }) => (count) =>
  summed(integers(new Float64Array(2 * count)), 2).map((at, i) => origin[i & 1] + step * at);

// Where each ring or line begins among all corners, and where the last one ends; the numbers of their corners are sent.
export function startsIn(integers, count) {
  const starts = new Uint32Array(count + 1);
  starts.set(integers(new Uint32Array(count)), 1);
  return summed(starts);
}

// Keeps what came as the newest, and forgets the oldest beyond so many.
export function keepNewest(kept, key, value, most) {
  kept.delete(key);
  kept.set(key, value);
  for (const old of [...kept.keys()].slice(0, -most)) kept.delete(old);
}

// What Python sent for the maps of a link: estimates, time windows, flows of a choice, and sides. Only the last few links are kept,
// because each draw of a preview is a link of its own, with private numbers.
const LINKS_KEPT = 3;
const linksKept = new Map();

export const keptFor = (link, what) => linksKept.get(link)?.[what];

export function keepFor(link, what, value) {
  keepNewest(linksKept, link, { ...linksKept.get(link), [what]: value }, LINKS_KEPT);
  return value;
}

// Counts of a map; its tiles come by themselves (ladder_tiles.js).
export function unpack(bytes) {
  const { u32, json, integers } = reader(bytes);
  const height = u32();
  const head = json();
  if (head.version !== MESSAGE_VERSION) throw new Error("the page and the map are of different versions");
  const message = { ...head, height, k: head.rungs.length };
  if (head.tiles) message.tiles = { ...head.tiles, ...counts(integers, message.k, head.tiles) };
  if (head.flows) message.flows = linesIn(integers, message.k, head.flows);
  if (head.districts) {
    const { count, flows } = head.districts;
    message.districts = { ...head.districts, of_tiles: integers(new Uint32Array(count)) };
    if (flows) message.districts.flows = linesIn(integers, message.k, flows);
  }
  if (head.levels) message.levels = { names: head.levels, ofTiles: integers(new Uint32Array(head.levels_of)) };
  return message;
}

// Flows: where they begin and end, and their counts unless those come with estimates.
function linesIn(integers, k, told) {
  const [origins, destinations] = [integers(new Uint32Array(told.count)), integers(new Uint32Array(told.count))];
  const found = { ...told, origins, destinations, ...(told.estimated ? {} : counts(integers, k, told)) };
  if (told.totals) found.totals = { ...told.totals, ...counts(integers, k, told.totals) };
  return found;
}

// The finest rung comes first; each coarser one is sent less the next finer one, the truth less the finest.
function counts(integers, k, { count, truth }) {
  const values = new Int32Array(k * count);
  const less = new Float64Array(count); // a difference of two counts may need a bit more than a count
  const add = (row, finer) => {
    integers(less);
    for (let i = 0; i < count; i++) row[i] = less[i] + (finer ? finer[i] : 0);
    return row;
  };
  let finer = null;
  for (let rung = k - 1; rung >= 0; rung--) finer = add(values.subarray(rung * count, (rung + 1) * count), finer);
  return { values, truth: truth ? add(new Int32Array(count), values.subarray((k - 1) * count)) : null };
}

export function unpackGeometry(bytes) {
  const { raw, text, json, integers } = reader(bytes);
  const digest = text(DIGEST_BYTES);
  const head = json();
  if (head.version !== GEOMETRY_VERSION) throw new Error("the page and the map are of different versions");
  const { rings } = head, places = placesIn(integers, head);
  const starts = startsIn(integers, rings);
  const owners = summed(integers(new Uint32Array(rings)));
  const labels = places(head.n);
  const vertices = places(head.vertices);
  const which = summed(integers(new Uint32Array(head.corners)));
  const corners = new Float64Array(2 * head.corners);
  for (let v = 0; v < head.corners; v++) {
    corners[2 * v] = vertices[2 * which[v]];
    corners[2 * v + 1] = vertices[2 * which[v] + 1];
  }
  const borders = edges(starts, corners, raw(Math.ceil(head.corners / 8)));
  const bridges = new Set(summed(integers(new Uint32Array(head.bridges))));
  const geometry = { ...head, digest, starts, owners, labels, corners, borders };
  return Object.assign(geometry, ringsOfTiles(geometry), { size: typicalSize(head), isBridge: (v) => bridges.has(v) });
}

// The borders: two tiles share each, and a bit says at which corner it is drawn.
export function edges(starts, corners, bits) {
  const drawn = (v) => (bits[v >> 3] >> (v & 7)) & 1;
  let count = 0;
  for (let v = 0; v < corners.length / 2; v++) count += drawn(v);
  const [from, to] = [new Float64Array(2 * count), new Float64Array(2 * count)];
  let e = 0;
  for (let r = 0; r + 1 < starts.length; r++) {
    for (let v = starts[r]; v < starts[r + 1]; v++) {
      if (!drawn(v)) continue;
      const next = v + 1 < starts[r + 1] ? v + 1 : starts[r];
      from[e] = corners[2 * v];
      to[e++] = corners[2 * next];
      from[e] = corners[2 * v + 1];
      to[e++] = corners[2 * next + 1];
    }
  }
  return { count, from, to };
}

// Pieces of lines, as deck.gl takes them.
export function borderData({ borders }) {
  return {
    length: borders.count,
    attributes: {
      getSourcePosition: { value: borders.from, size: 2 }, getTargetPosition: { value: borders.to, size: 2 },
    },
  };
}

// First ring of each tile; rings of a tile follow one another.
function ringsOfTiles({ n, rings, owners }) {
  const first = new Uint32Array(n + 1).fill(rings);
  for (let r = rings - 1; r >= 0; r--) first[owners[r]] = r;
  for (let t = n - 1; t >= 0; t--) if (first[t] === rings) first[t] = first[t + 1];
  return { firstRing: first };
}

// Width of a tile if all were squares of one size, in degrees of latitude and in metres.
function typicalSize({ bounds: [west, south, east, north], n }) {
  const shrink = Math.cos(((south + north) / 2) * (Math.PI / 180));
  const degrees = Math.sqrt(((east - west) * shrink * (north - south)) / n);
  return { degrees, metres: degrees * 111_320 };
}
