from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import shapely

from dpcore.views.maps import map_geometry, tile_map
from dpcore.views.maps.map_geometry import pack_geometry
from dpcore.views.maps.tile_map import (
    FlowCounts,
    MapLevel,
    MapOptions,
    MapTexts,
    TileCounts,
    TileLevels,
    pack_map,
)
from tests.scripts import IMPORT
from tests.views.read_map import ReadMap, ReadTiles

ROOT = Path(__file__).resolve().parents[2]
ASSETS = ROOT / "pages" / "assets"

RUNGS = (Fraction(1, 10), Fraction(1), Fraction(15, 2))
RING = shapely.box(4, 50, 5, 51).difference(shapely.box(4.4, 50.4, 4.6, 50.6))
TWO = shapely.MultiPolygon([shapely.box(6, 50, 7, 51), shapely.box(8, 50, 9, 51)])
POLYGONS = [shapely.box(5, 50, 6, 51), RING, TWO]
GEOMETRY = pack_geometry(["a", "b", "c"], ["a", "", "Mill"], POLYGONS)
VALUES = np.array([[-4, 90, 7], [3, 80, 6], [2, 81, 5]])
TEXTS = MapTexts(alt="Noisy visits per tile; the table below holds the same numbers.")
TILES = TileCounts(VALUES, [30, 3, 1], [60, 7, 2], [5, 10, 20, 50, 100, 200, 500])
TRUE_TILES = replace(TILES, truth=np.array([1, 82, 5]), difference_breaks=(10, 50, 200))
LEVELS = TileLevels(
    [MapLevel("Low", "5", "#ffffff", "#000000"), MapLevel("Critical", "1", "#000000", "#ffffff")], [1, 0, 1]
)
FLOWS = FlowCounts([0, 2], [1, 0], np.array([[5, -6], [7, 8], [9, 10]]), [15, 2, 1], [40, 4, 1])


def packed(**changes) -> bytes:
    given = {"rungs": RUNGS, "texts": TEXTS, "tiles": TILES}
    return pack_map(GEOMETRY, **(given | changes))


def area(ring: np.ndarray) -> float:
    x, y = ring.T
    return float(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2


def test_the_browser_reads_what_was_packed():
    read = ReadMap(packed(tiles=TRUE_TILES, flows=replace(FLOWS, truth=np.array([11, 12]))))
    assert read.at == len(read.bytes)
    assert read.head["rungs"] == ["0.1", "1", "7.5"]
    assert (read.values == VALUES).all()
    assert read.truth.tolist() == [1, 82, 5]
    assert read.ends.tolist() == [[0, 2], [1, 0]]
    assert (read.flows == FLOWS.values).all()
    assert read.true_flows.tolist() == [11, 12]
    tiles = ReadTiles(GEOMETRY)
    assert tiles.at == len(GEOMETRY)
    assert tiles.digest == read.head["digest"]
    assert tiles.head["ids"] == ["a", "b", "c"]
    assert tiles.head["names"] == ["", "", "Mill"]
    assert read.head["options"]["modes"] == ["noisy", "true", "difference"]


def test_equal_maps_are_equal_bytes_so_that_none_is_sent_twice():
    again = pack_map(
        pack_geometry(["a", "b", "c"], ["a", "", "Mill"], list(POLYGONS)),
        rungs=list(RUNGS),
        texts=replace(TEXTS),
        tiles=replace(TILES, values=np.asfortranarray(VALUES.copy())),
    )
    assert again == packed()


def test_a_map_without_truth_carries_and_offers_none():
    read = ReadMap(packed(flows=FLOWS))
    assert read.at == len(read.bytes)
    assert read.truth is None
    assert read.true_flows is None
    assert read.head["options"]["modes"] == ["noisy"]


def test_a_map_of_flows_alone_has_plain_tiles():
    read = ReadMap(packed(tiles=None, flows=FLOWS))
    assert read.at == len(read.bytes)
    assert "tiles" not in read.head


def test_a_map_of_levels_has_one_for_each_tile_and_no_counts():
    read = ReadMap(packed(tiles=None, levels=LEVELS))
    assert read.at == len(read.bytes)
    assert "tiles" not in read.head
    assert [level["name"] for level in read.head["levels"]] == ["Low", "Critical"]
    assert read.levels.tolist() == [1, 0, 1]


def test_all_parts_of_a_tile_share_its_count():
    read = ReadTiles(GEOMETRY)
    assert read.owners.tolist() == [0, 1, 2, 2]
    assert [round(area(ring), 4) for ring in read.rings()] == [1, 0.96, 1, 1]


def test_rings_do_not_repeat_their_first_corner():
    assert [len(ring) for ring in ReadTiles(GEOMETRY).rings()] == [4, 10, 4, 4]


def test_labels_lie_in_their_tiles_and_may_be_given():
    read = ReadTiles(GEOMETRY)
    inside = [polygon.contains(shapely.Point(p)) for polygon, p in zip(POLYGONS, read.labels, strict=True)]
    assert all(inside)
    own = np.array([[5.1, 50.1], [4.1, 50.1], [8.5, 50.5]])
    geometry = pack_geometry(["a", "b", "c"], ["", "", ""], POLYGONS, own)
    assert ReadTiles(geometry).labels == pytest.approx(own, abs=1e-6)


def test_corners_are_kept_to_a_few_centimetres_far_from_greenwich():
    corner = 139.123456789
    tile = shapely.box(corner, 35.1, corner + 0.2, 35.3)
    read = ReadTiles(pack_geometry(["a"], [""], [tile]))
    assert abs(read.corners[:, 0].min() - corner) < 5.1e-7


@pytest.mark.parametrize("seed", range(25))
def test_holes_are_sewn_to_the_outside_by_bridges_inside(seed):
    random = np.random.default_rng(seed)
    angles = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    reach = random.uniform(0.5, 1, len(angles))
    outer = shapely.Polygon(np.c_[reach * np.cos(angles), reach * np.sin(angles)])
    blobs = [
        shapely.Point(random.uniform(-0.6, 0.6, 2)).buffer(random.uniform(0.02, 0.2), quad_segs=3)
        for _ in range(random.integers(1, 12))
    ]
    tile = outer.difference(shapely.union_all(blobs))
    read = ReadTiles(pack_geometry(["a"], [""], [tile]))
    assert sum(area(ring) for ring in read.rings()) == pytest.approx(tile.area, rel=1e-5)
    for ring in read.rings():
        edges = shapely.linestrings(np.stack([ring, np.roll(ring, -1, axis=0)], axis=1))
        assert shapely.covers(tile.buffer(1e-6), edges).all()
        # Bridges are walked there and back; nothing else of the ring meets itself.
        assert not shapely.crosses(edges[:, None], edges[None, :]).any()


def test_a_hole_that_touches_the_outside_is_sewn_too():
    outer = [(0, 0), (2, 0), (4, 0), (4, 4), (0, 4)]
    hole = [(2, 0), (3, 2), (1, 2)]
    tile = shapely.Polygon(outer, [hole])
    (ring,) = ReadTiles(pack_geometry(["a"], [""], [tile])).rings()
    assert area(ring) == pytest.approx(tile.area)


@pytest.mark.parametrize("right", [4, 5])
def test_holes_that_meet_in_one_corner_are_sewn_too(right):
    holes = [[(4, 2), (2, 2.2), (2, 3)], [(4, 2), (2, 1), (2, 1.8)]]
    tile = shapely.Polygon([(0, 0), (right, 0), (right, 2), (right, 4), (0, 4)], holes)
    (ring,) = ReadTiles(pack_geometry(["a"], [""], [tile])).rings()
    assert area(ring) == pytest.approx(tile.area)


@pytest.mark.parametrize("reach", [0.5, 3])
def test_a_hole_is_sewn_even_where_every_corner_is_taken_or_out_of_sight(reach):
    square = shapely.box(-2, -2, 2, 2)
    ring = map_geometry._Ring(square, shapely.get_coordinates(square.exterior)[:-1])
    if reach > 2:  # a bridge ends in every corner
        ring.bridges = [shapely.LineString([corner, corner * 1.5]) for corner in ring.corners]
    else:  # bridges all around
        ring.bridges = list(shapely.get_parts(shapely.box(-reach, -reach, reach, reach).exterior))
    hole = np.array([[0.1, 0], [0, -0.1], [-0.1, 0]])
    ring.sew(hole)
    assert area(ring.corners) == pytest.approx(16 - 0.01)


def test_tiles_that_cannot_get_simpler_are_drawn_as_they_are(monkeypatch):
    monkeypatch.setattr(map_geometry, "MAX_DRAWN_CORNERS", 2)
    assert len(ReadTiles(pack_geometry(["a"], [""], POLYGONS[:1])).corners) >= 3


def test_very_detailed_tiles_are_simplified_together(monkeypatch):
    side = np.linspace(0, 1, 2000)
    wiggle = np.c_[0.5 + 0.001 * np.sin(200 * side), side]
    left = shapely.Polygon([*wiggle, (0, 1), (0, 0)])
    right = shapely.Polygon([*wiggle, (1, 1), (1, 0)])
    monkeypatch.setattr(map_geometry, "MAX_DRAWN_CORNERS", 500)
    read = ReadTiles(pack_geometry(["l", "r"], ["", ""], [left, right]))
    assert len(read.corners) <= 500
    first, second = ({tuple(corner) for corner in ring} for ring in read.rings())
    assert first & second, "neighbours keep a common border"
    assert sum(area(ring) for ring in read.rings()) == pytest.approx(1, abs=1e-3)


def test_ten_thousand_tiles_stay_small():
    n, k = 10_000, 13
    angles = np.deg2rad(np.arange(6) * 60)
    middle = np.c_[np.arange(n) % 100, np.arange(n) // 100] * 0.002
    corners = middle[:, None] + 0.001 * np.c_[np.cos(angles), np.sin(angles)]
    tiles = shapely.polygons(np.concatenate([corners, corners[:, :1]], axis=1))
    geometry = pack_geometry([f"8a1fb4662{i:05d}f" for i in range(n)], [""] * n, tiles)
    counts = TileCounts(np.zeros((k, n), int), [1] * k, [1] * k, [1, 2], np.zeros(n, int), (1,))
    message = pack_map(geometry, rungs=[Fraction(i + 1) for i in range(k)], texts=TEXTS, tiles=counts)
    assert len(message) < 1_500_000


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"options": MapOptions(start_rung=3)}, "start rung"),
        ({"texts": replace(TEXTS, sentences=["one"])}, "sentence for each rung"),
        ({"tiles": replace(TILES, values=VALUES[:, :2])}, "shapes of the tiles"),
        ({"tiles": replace(TILES, half_widths=[1])}, "shapes of the tiles"),
        ({"tiles": replace(TRUE_TILES, truth=np.zeros(2, int))}, "shapes of the tiles"),
        ({"tiles": replace(TRUE_TILES, difference_breaks=())}, "breaks of differences"),
        ({"tiles": replace(TILES, values=VALUES + 2**31)}, "32 bits"),
        ({"flows": replace(FLOWS, destinations=[1, 3])}, "leaves its tiles"),
        ({"flows": replace(FLOWS, values=np.zeros((3, 3), int))}, "shapes of the flows"),
        ({"options": MapOptions(mode="true")}, "first picture"),
        ({"levels": replace(LEVELS, of_tiles=[0, 1])}, "levels of a map"),
        ({"levels": replace(LEVELS, of_tiles=[0, 1, 2])}, "levels of a map"),
        ({"levels": replace(LEVELS, of_tiles=[0, 1, -1])}, "levels of a map"),
    ],
)
def test_what_disagrees_is_refused(changes, text):
    with pytest.raises(ValueError, match=text):
        packed(**changes)


@pytest.mark.parametrize(
    ("ids", "tiles", "text"),
    [
        ([], [], "disagree"),
        (["a"], POLYGONS, "disagree"),
        (["a"], [shapely.Point(1, 1)], "not a polygon"),
        (["a"], [shapely.Polygon()], "not a polygon"),
        (["a", "b"], [POLYGONS[0], shapely.MultiPolygon()], "not a polygon"),
    ],
)
def test_tiles_that_cannot_be_drawn_are_refused(ids, tiles, text):
    with pytest.raises(ValueError, match=text):
        pack_geometry(ids, [""] * len(ids), tiles)


def script() -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(ASSETS.glob("ladder_*.js"))}


def test_browser_and_python_speak_the_same_version():
    assert f"MESSAGE_VERSION = {tile_map.VERSION};" in script()["ladder_message.js"]


def test_scripts_import_what_others_export_and_use_it():
    texts = {path.name: path.read_text(encoding="utf-8") for path in ASSETS.glob("*.js")}
    given: dict[str, set[str]] = {name: set() for name in texts}
    for name, text in texts.items():
        own = IMPORT.sub("", text)
        for names, source in IMPORT.findall(text):
            for wanted in re.findall(r"\w+", names):
                assert re.search(
                    rf"^export (async )?(function|const) {wanted}\b", texts[source], re.MULTILINE
                ), f"{name} wants {wanted} of {source}"
                assert re.search(rf"\b{wanted}\b", own), f"{name} does not use {wanted}"
                given[source].add(wanted)
    for name, text in texts.items():
        told = set(re.findall(r"^export (?:async )?(?:function|const) (\w+)", text, re.MULTILINE))
        assert told == given[name], f"{name} exports for nobody: {told - given[name]}"


def test_what_the_parts_of_the_script_share_has_one_meaning():
    """All parts write to one state ``s``; what outlives a page is in modules, of which a browser has each once."""
    writers: dict[str, set[str]] = {}
    for part, text in script().items():
        for name in re.findall(r"\bs\.(\w+) (?:\?\?|\|\|)?= ", text):
            writers.setdefault(name, set()).add(part)
    assert {name for name, parts in writers.items() if len(parts) > 1} == {"fitted", "hover", "view"}
    for path in ASSETS.glob("*.js"):
        assert "__epsilon" not in path.read_text("utf-8"), f"{path.name}: what scripts share is in a module"


def test_data_never_becomes_markup_and_nothing_is_loaded_from_elsewhere():
    for name, text in script().items():
        for risky in ("outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"):
            assert risky not in text, name
        assert re.findall(r"innerHTML\s*=\s*(\w+)", text) in ([], ["MARKUP"]), name
        assert set(re.findall(r"https?://[\w./]+", text)) <= {"http://www.w3.org/2000/svg"}, name
    markup = re.search(r"const MARKUP = `(.*?)`;", script()["ladder_controls.js"], re.DOTALL)
    assert "${" not in markup.group(1)
