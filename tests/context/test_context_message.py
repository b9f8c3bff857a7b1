"""The message of a context, and what the browser reads out of it."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace

import numpy as np
import pytest
import shapely

import dpcore
from dpcore import demo
from dpcore.context import Context, Place, fitted, window
from dpcore.context.context import MAX_NAME_CHARACTERS
from dpcore.context.file import context_bytes
from dpcore.context.fitting import MAX_COST, MAX_PLACES, cost
from dpcore.tiles import Box, square_grid
from dpcore.views.maps.context_message import MOST_BYTES, MapContext, pack_context
from dpcore.views.maps.map_geometry import pack_geometry
from tests.context.made_layers import layer, made_context
from tests.node import NODE
from tests.release.made_releases import made_release
from tests.scripts import as_one

TILES = square_grid(Box(10.0, 50.0, 10.1, 50.06), 1000)
GEOMETRY = pack_geometry(TILES.tile_ids, TILES.tile_names, TILES.polygons)


def packed(context: Context) -> MapContext:
    return MapContext.of(context, GEOMETRY, TILES.bounds)


def in_the_browser(tmp_path, message: bytes, expression: str) -> object:
    """What an expression over ``found``, the context as maps hold it, gives."""
    (tmp_path / "message").write_bytes(message)
    text = f"""globalThis.window = globalThis; globalThis.dispatchEvent = () => true;
    globalThis.CustomEvent = class {{}};
    {as_one("ladder_message", "ladder_context")}
    takeContext(new Uint8Array(require('fs').readFileSync({json.dumps(str(tmp_path / "message"))})));
    const [[digest, found]] = [...contexts.known];
    process.stdout.write(JSON.stringify({expression}));"""
    (tmp_path / "script.cjs").write_text(text, encoding="utf-8")
    done = subprocess.run([NODE, tmp_path / "script.cjs"], capture_output=True, check=True, timeout=60)
    return json.loads(done.stdout)


def test_the_browser_draws_the_packed_context(tmp_path):
    context = made_context(TILES)
    expression = """{digest, attribution: found.attribution, names: found.names, rings: found.areas.water.length,
        water: [...found.areas.water.attributes.getPolygon.value], shore: found.rims.water.length,
        streets: found.lines.street.map((one) => one && [...one.attributes.getSourcePosition.value,
            ...one.attributes.getTargetPosition.value]), rails: found.lines.rail}"""
    seen = in_the_browser(tmp_path, packed(context).packed, expression)
    assert seen["digest"] == GEOMETRY[:16].decode()
    assert seen["attribution"] == "© Somebody"
    assert [one["name"] for one in seen["names"]] == ["Harbour"]
    assert [seen["names"][0][axis] for axis in ("lng", "lat")] == pytest.approx(
        [context.places[0].lng, context.places[0].lat], abs=1e-5
    )
    lake = context.layers["water"].shapes[0]
    assert shapely.Polygon(np.array(seen["water"]).reshape(-1, 2)).area == pytest.approx(lake.area, rel=1e-3)
    assert seen["shore"] == 4 + 3  # the island, and the lake without the side where it was cut
    first, none, _, last = seen["streets"]
    assert none is None
    assert len(first) == 4 * 2  # two pieces that meet are one line of two pieces
    corners = np.array(last).reshape(2, 2)
    assert corners == pytest.approx(shapely.get_coordinates(context.layers["street"].shapes[1]), abs=1e-5)
    assert seen["rails"] == [None] * 4


def test_equal_contexts_are_equal_bytes_and_cut_at_the_window():
    assert packed(made_context(TILES)).packed == packed(made_context(TILES)).packed
    west, south, east, north = window((*TILES.bounds,))
    corners = np.concatenate(
        [shapely.get_coordinates(one.shapes) for one in made_context(TILES).layers.values()]
    )
    assert (corners >= [west - 1e-6, south - 1e-6]).all()
    assert (corners <= [east + 1e-6, north + 1e-6]).all()


def test_a_detailed_city_stays_within_its_bytes_and_says_what_was_left_out():
    rng, most = np.random.default_rng(1), 40_000
    west, south, east, north = window((*TILES.bounds,))
    starts = rng.uniform((west, south), (east, north), (2_000, 1, 2))
    lines = starts + np.cumsum(rng.normal(0, 3e-4, (2_000, 8, 2)), axis=1)
    streets = layer(*shapely.linestrings(lines), ranks=[*rng.integers(0, 4, 2_000)])
    whole = Context.of({"street": streets}, [Place("A", west, south, 0)] * 900, "© Somebody")
    fits = fitted(whole, (*TILES.bounds,), most)
    message = pack_context(fits, GEOMETRY, (*TILES.bounds,))
    assert 0.4 * most < len(message) < 1_500_000 / MAX_COST * most
    of_rank = np.bincount(fits.layers["street"].ranks, minlength=4)
    assert of_rank[3] < of_rank[0] / 2  # the least important streets went first
    (note,) = fits.notes
    assert "streets" in note
    assert "names: 100 of 900" in note


def test_the_dearest_context_that_a_bundle_may_hold_is_shown_too():
    west, south, east, north = window((*TILES.bounds,))
    here_and_there = np.tile([[west, south], [east, north]], (MAX_COST // 8 - 1, 1))
    street = layer(shapely.LineString(here_and_there), ranks=[0])
    names = [Place("\N{CITYSCAPE}" * MAX_NAME_CHARACTERS, west, south, 0)] * MAX_PLACES
    whole = Context.of({"street": street}, names, "© Somebody")
    assert MAX_COST - 8 < cost(whole.layers) <= MAX_COST
    assert 1_500_000 < len(pack_context(whole, GEOMETRY, (*TILES.bounds,))) <= MOST_BYTES


def test_the_built_in_city_has_streets_a_river_parks_and_names():
    found = demo.city_context(demo.DEMO_TILES, demo.DEMO_SEED)
    assert found is demo.city_context(demo.DEMO_TILES, demo.DEMO_SEED)
    assert all(len(found.layers[kind]) for kind in ("water", "park", "street", "rail"))
    assert {"Central Station", "Harbour", "River Ask"} < {one.name for one in found.places}
    tiles = demo.city_tiles(demo.DEMO_TILES, demo.DEMO_SEED)
    river = shapely.union_all(found.layers["water"].shapes)
    assert (
        shapely.area(shapely.intersection(tiles.polygons, river)).sum()
        < 0.002 * shapely.area(tiles.polygons).sum()
    )
    bounds = tuple(map(float, shapely.total_bounds(tiles.polygons)))
    geometry = pack_geometry(tiles.ids, tiles.names, tiles.polygons)
    assert len(MapContext.of(found, geometry, bounds).packed) < 40_000


def test_a_deck_shows_the_context_of_its_release_offline_and_its_texts_stay_texts(tmp_path):
    plain = made_release(tessellation=TILES, weights={"visits_per_tile": 1}, epsilon="0.2")
    said = "© <b>Somebody</b>"
    west, south, *_ = TILES.bounds
    named = Context.of(made_context(TILES).layers, [Place("@@=alert(1)", west, south, 0)], said)
    release = replace(plain, context=named)
    found = json.loads(dpcore.deck(release, "visits_per_tile").to_json())
    ids = [one["id"] for one in found["layers"]]
    assert ids == ["park", "water", "tiles", "casing", "waterway", "rail", "street", "names"]
    assert found["layers"][-1]["data"][0]["text"].strip() == "@@=alert(1)"
    assert not found["layers"][-1]["data"][0]["text"].startswith("@@")
    page = dpcore.deck(release, "visits_per_tile").to_html(as_string=True)
    assert "&lt;b&gt;Somebody" in page
    assert said not in page
    assert 'src="http' not in page
    bare = json.loads(dpcore.deck(release, "visits_per_tile", context=False).to_json())
    assert [one["id"] for one in bare["layers"]] == ["tiles"]
    (tmp_path / "under.geojson").write_bytes(context_bytes(made_context(TILES)))
    other = dpcore.deck(plain, "visits_per_tile", context=tmp_path / "under.geojson")
    assert "Somebody" in other.description
