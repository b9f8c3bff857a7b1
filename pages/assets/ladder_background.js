// Pictures of a tile server under the map, if the operator named one (pages/parts/tile_server.py). Without one nothing here asks
// anybody; with one the map says whom the browser calls. The switch of the context takes them away too.

import { contextOf, contexts } from "./ladder_context.js";
import { make } from "./ladder_stage.js";

const FARTHEST_IN = 19; // zoom: nearer, the pictures of this one are enlarged

export const backgroundThere = ({ root: { dataset } }) => (dataset.background ? { template: dataset.background, host: dataset.host, credit: dataset.credit } : null);
const backgroundOf = (s) => (contexts.shown ? backgroundThere(s) : null);

// A picture, or null where there is none: holes show the colour of the page. The server is told which site asks, not which page.
async function pictureAt({ url, signal }) {
  try {
    const reply = await fetch(url, { signal, credentials: "omit", referrerPolicy: "origin" });
    return reply.ok ? await createImageBitmap(await reply.blob()) : null;
  } catch {
    return null;
  }
}

export function backgroundBelow(s) {
  const found = backgroundOf(s);
  if (!found) return [];
  return [new s.D.TileLayer({
    id: "background", data: found.template, tileSize: 256, minZoom: 0, maxZoom: FARTHEST_IN, pickable: false, getTileData: pictureAt,
    renderSubLayers: ({ id, data, tile: { bbox: { west, south, east, north } } }) =>
      data && new s.D.BitmapLayer({ id, image: data, bounds: [west, south, east, north], pickable: false }),
  })];
}

// Whose the pictures are, and whom the browser calls: on the map and below it.
export const creditOf = (s) => [contextOf(s)?.attribution, backgroundOf(s)?.credit, backgroundOf(s) && `background: ${backgroundOf(s).host}`].filter(Boolean).join(" · ");

export function backgroundWords(s) {
  const found = backgroundOf(s);
  return found ? [make("div", { class: "muted calls" }, `Your browser loads the background from ${found.host}, which learns what part of the world you look at. The switch "Context" ends it.`)] : [];
}
