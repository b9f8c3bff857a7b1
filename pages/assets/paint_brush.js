// Which tiles a brush touches. Found by arithmetic, not by reading the picture back: exact, and quick on any machine.

const AROUND = Array.from({ length: 8 }, (_, i) => [Math.cos((i * Math.PI) / 4), Math.sin((i * Math.PI) / 4)]);

// West, south, east, north of every ring.
export function ringBoxes({ rings, starts, corners }) {
  const boxes = new Float64Array(4 * rings);
  for (let r = 0; r < rings; r++) {
    let [west, south, east, north] = [Infinity, Infinity, -Infinity, -Infinity];
    for (let v = starts[r]; v < starts[r + 1]; v++) {
      const [x, y] = [corners[2 * v], corners[2 * v + 1]];
      if (x < west) west = x;
      if (x > east) east = x;
      if (y < south) south = y;
      if (y > north) north = y;
    }
    boxes.set([west, south, east, north], 4 * r);
  }
  return boxes;
}

// Even-odd rule; a hole is part of its ring, joined by a bridge of no width.
function inside({ starts, corners }, ring, x, y) {
  let within = false;
  const last = starts[ring + 1] - 1;
  for (let v = starts[ring], w = last; v <= last; w = v++) {
    const [ay, by] = [corners[2 * v + 1], corners[2 * w + 1]];
    if (ay > y === by > y) continue;
    if (x < corners[2 * v] + ((y - ay) / (by - ay)) * (corners[2 * w] - corners[2 * v])) within = !within;
  }
  return within;
}

// The tile at a place, -1 outside all.
export function tileAt({ geometry, boxes }, x, y) {
  for (let r = 0; r < geometry.rings; r++) {
    const b = 4 * r;
    if (x < boxes[b] || y < boxes[b + 1] || x > boxes[b + 2] || y > boxes[b + 3]) continue;
    if (inside(geometry, r, x, y)) return geometry.owners[r];
  }
  return -1;
}

// All tiles under a round brush: those at its middle, at sixteen places around, and those whose label it covers.
function tilesUnder(shape, viewport, x, y, radius, found) {
  const [lng, lat] = viewport.unproject([x, y]);
  const add = (tile) => tile >= 0 && found.add(tile);
  add(tileAt(shape, lng, lat));
  if (!radius) return;
  const reach = Math.abs(viewport.unproject([x + radius, y])[0] - lng);
  const rise = Math.abs(viewport.unproject([x, y - radius])[1] - lat);
  for (const share of [0.5, 0.95]) {
    for (const [dx, dy] of AROUND) add(tileAt(shape, lng + share * reach * dx, lat + share * rise * dy));
  }
  const { labels, n } = shape.geometry;
  for (let t = 0; t < n; t++) {
    if (Math.hypot((labels[2 * t] - lng) / reach, (labels[2 * t + 1] - lat) / rise) <= 1) found.add(t);
  }
}

// The same along a line, so that a quick hand leaves no gaps.
export function tilesAlong(shape, viewport, from, to, radius, found) {
  const steps = Math.max(1, Math.ceil(Math.hypot(to.x - from.x, to.y - from.y) / Math.max(3, radius / 2)));
  for (let i = 1; i <= steps; i++) {
    const share = i / steps;
    tilesUnder(shape, viewport, from.x + share * (to.x - from.x), from.y + share * (to.y - from.y), radius, found);
  }
}
