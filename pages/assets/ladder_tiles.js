// Tiles that arrived, by their digest: sent once, drawn by every map that names them, on this page and on later ones.

import { DIGEST_BYTES, keepNewest, reader, unpackGeometry } from "./ladder_message.js";

const TILES_KEPT = 4; // tessellations
const arrivals = { known: new Map(), awaited: new Set() };

export function takeTiles(bytes) {
  const { known, awaited } = arrivals;
  const digest = reader(bytes).text(DIGEST_BYTES);
  keepNewest(known, digest, known.get(digest) ?? unpackGeometry(bytes), TILES_KEPT);
  for (const call of [...awaited]) call();
}

// Calls `draw` with the tiles, now or when they arrive; the function that it gives back ends the waiting.
export function withTiles(digest, draw) {
  const { known, awaited } = arrivals;
  const attempt = () => {
    const geometry = known.get(digest);
    if (!geometry) return;
    awaited.delete(attempt);
    draw(geometry);
  };
  awaited.add(attempt);
  attempt();
  return () => awaited.delete(attempt);
}
