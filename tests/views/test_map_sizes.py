"""How many bytes a map takes, and that few bytes say the same: read in plain Python, and by the browser's own script."""

from __future__ import annotations

import json
import subprocess
from fractions import Fraction

import numpy as np
import pytest
import shapely

from dpcore.views.maps import map_geometry
from dpcore.views.maps.map_geometry import pack_geometry, steps, tile_count, varints
from dpcore.views.maps.tile_map import FlowCounts, MapTexts, TileCounts, pack_map
from tests.node import NODE
from tests.scripts import as_one
from tests.views.read_map import Reader, ReadMap, ReadTiles

EPSILONS = [Fraction(n, 10) for n in (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 80, 100)]


def wavy_tiles(side: int, pieces: int) -> list[shapely.Polygon]:
    """Squares whose borders are wavy lines of so many pieces, each shared by two neighbours bit for bit."""
    share = np.linspace(0, 1, pieces + 1)[:-1]
    wave = 0.1 * np.sin(9 * share) * share * (1 - share)

    def line(start: tuple[int, int], end: tuple[int, int]) -> np.ndarray:
        (x, y), (u, v) = start, end
        return np.c_[x + share * (u - x) - wave * (v - y), y + share * (v - y) + wave * (u - x)]

    def back(start: tuple[int, int], end: tuple[int, int]) -> np.ndarray:
        return np.concatenate([line(start, end)[1:], [end]])[::-1]

    return [
        shapely.Polygon(
            0.002
            * np.concatenate(
                [
                    line((x, y), (x + 1, y)),
                    line((x + 1, y), (x + 1, y + 1)),
                    back((x, y + 1), (x + 1, y + 1)),
                    back((x, y), (x, y + 1)),
                ]
            )
        )
        for x in range(side)
        for y in range(side)
    ]


def counts(tiles: int) -> TileCounts:
    """Noise around heavy-tailed counts, as a city has them, at thirteen rungs; with the truth, as the owner sees it."""
    random = np.random.default_rng(4)
    truth = random.poisson(random.lognormal(4, 1.5, tiles))
    noise = [np.rint(random.laplace(0, 60 / float(e), tiles)).astype(int) for e in EPSILONS]
    k = len(EPSILONS)
    return TileCounts(truth + np.stack(noise), [1] * k, [1] * k, [1, 2], truth, (1,))


def message(geometry: bytes, found: TileCounts) -> bytes:
    return pack_map(geometry, rungs=EPSILONS, texts=MapTexts(alt="map"), tiles=found)


def test_the_first_message_of_ten_thousand_wavy_tiles_is_small():
    shapes = wavy_tiles(100, 10)
    geometry = pack_geometry([f"8a1fb4662{i:05d}f" for i in range(10_000)], [""] * 10_000, shapes)
    drawn = message(geometry, counts(10_000))
    assert tile_count(geometry) == 10_000
    assert shapely.get_num_coordinates(shapes).sum() > 400_000, "detailed enough to be simplified"
    assert len(geometry) < 1_800_000
    assert len(drawn) < 300_000, "a new draw sends its counts alone"


def test_the_counts_of_fifty_thousand_tiles_stay_small():
    tiles = 50_000
    corners = np.c_[np.arange(tiles) % 224, np.arange(tiles) // 224] * 0.002
    shapes = shapely.box(*corners.T, *(corners + 0.002).T)
    geometry = pack_geometry([str(i) for i in range(tiles)], [""] * tiles, shapes)
    assert len(geometry) < 1_500_000
    assert len(message(geometry, counts(tiles))) < 1_300_000


@pytest.mark.parametrize("shift", range(0, 52, 3))
def test_whole_numbers_of_any_size_come_back(shift):
    random = np.random.default_rng(shift)
    numbers = random.integers(-(2**shift), 2**shift + 1, 200)
    assert (Reader(varints(numbers)).integers(200) == numbers).all()
    assert (Reader(varints(steps(numbers))).summed(200) == numbers).all()


def test_numbers_near_nought_take_one_byte_and_none_takes_none():
    assert len(varints(np.arange(-64, 64))) == 128
    assert varints(np.zeros(0, np.int64)) == b""
    with pytest.raises(ValueError, match="too large"):
        varints(np.array([2**52]))


def test_every_border_is_drawn_once_and_no_bridge_is():
    ring = shapely.box(0, 0, 3, 3).difference(shapely.box(1, 1, 2, 2))
    tiles = [ring, shapely.box(1, 1, 2, 2), shapely.box(3, 0, 6, 3)]
    read = ReadTiles(pack_geometry(["a", "b", "c"], [""] * 3, tiles))
    lines = []
    for ring_number, (start, end) in enumerate(zip(read.starts, read.starts[1:], strict=False)):
        following = np.r_[np.arange(start + 1, end), start]
        for corner, after in zip(range(start, end), following, strict=True):
            if read.borders[corner]:
                lines.append(shapely.LineString(read.corners[[corner, after]]))
        assert read.owners[ring_number] == ring_number
    assert sum(line.length for line in lines) == pytest.approx(12 + 4 + 9, abs=1e-4)
    assert shapely.union_all(lines).length == pytest.approx(12 + 4 + 9, abs=1e-4)
    assert len(read.bridges) == 2, "there and back"
    assert len(read.vertices) == 10, "each corner once"


def test_neighbours_share_their_corners_after_rounding_and_simplifying(monkeypatch):
    monkeypatch.setattr(map_geometry, "MAX_DRAWN_CORNERS", 3_000)
    shapes = wavy_tiles(12, 10)
    read = ReadTiles(pack_geometry([str(i) for i in range(144)], [""] * 144, shapes))
    assert len(read.corners) <= 3_000
    assert read.head["simplified"] > 0
    drawn = shapely.polygons([shapely.linearrings(ring) for ring in read.rings()])
    assert shapely.coverage_is_valid(drawn), "no gap and no overlap in the picture"


def test_what_is_drawn_in_full_says_so():
    assert ReadTiles(pack_geometry(["a"], [""], [shapely.box(0, 0, 1, 1)])).head["simplified"] == 0


def test_tiles_much_smaller_than_a_metre_keep_their_shape():
    tiny = shapely.box(10, 50, 10 + 1e-6, 50 + 1e-6)
    (ring,) = ReadTiles(pack_geometry(["a"], [""], [tiny])).rings()
    assert np.ptp(ring, axis=0) == pytest.approx([1e-6, 1e-6], rel=0.05)


def in_node(tmp_path, expression: str, **files: bytes) -> object:
    """What an expression of the browser's script gives of some messages."""
    script = as_one("ladder_message")
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    reading = "".join(
        f"const {name} = new Uint8Array(require('fs').readFileSync({json.dumps(str(tmp_path / name))}));\n"
        for name in files
    )
    text = f"{script}\n{reading}process.stdout.write(JSON.stringify({expression}));"
    (tmp_path / "script.cjs").write_text(text, encoding="utf-8")
    done = subprocess.run([NODE, tmp_path / "script.cjs"], capture_output=True, check=True, timeout=60)
    return json.loads(done.stdout)


def test_the_browser_shows_exactly_the_packed_numbers(tmp_path):
    shapes = wavy_tiles(20, 3)
    geometry = pack_geometry([f"t{i}" for i in range(400)], [""] * 400, shapes)
    found = counts(400)
    found.values[3, :4] = [2**31 - 1, -(2**31), 0, -1]  # next to them differences of more than 32 bits
    found.values[2, :4] = [-(2**31), 2**31 - 1, 1, 0]
    flows = FlowCounts(
        [0, 7], [399, 7], np.arange(26).reshape(13, 2) - 9, [1] * 13, [1] * 13, np.array([5, -6])
    )
    packed = pack_map(geometry, rungs=EPSILONS, texts=MapTexts(alt="map"), tiles=found, flows=flows)
    expression = """(({tiles, flows, height}) => ({
        height, values: [...tiles.values], truth: [...tiles.truth], origins: [...flows.origins],
        destinations: [...flows.destinations], flows: [...flows.values], trueFlows: [...flows.truth],
    }))(unpack(counts_))"""
    seen = in_node(tmp_path, expression, counts_=(430).to_bytes(4, "little") + packed)
    assert seen["height"] == 430
    assert seen["values"] == found.values.ravel().tolist()
    assert seen["truth"] == found.truth.tolist()
    assert seen["origins"] + seen["destinations"] == [0, 7, 399, 7]
    assert seen["flows"] == flows.values.ravel().tolist()
    assert seen["trueFlows"] == [5, -6]
    assert (ReadMap(packed).values == found.values).all()


def test_the_browser_draws_exactly_the_packed_tiles(tmp_path):
    with_hole = shapely.box(0, 0, 0.04, 0.04).difference(shapely.box(0.01, 0.01, 0.02, 0.02))
    shapes = [*(shapely.transform(tile, lambda at: at + 1) for tile in wavy_tiles(5, 4)), with_hole]
    geometry = pack_geometry([f"t{i}" for i in range(26)], [""] * 25 + ["Hole"], shapes)
    expression = """((g) => ({
        digest: g.digest, starts: [...g.starts], owners: [...g.owners], corners: [...g.corners], labels: [...g.labels],
        borders: [...g.borders.from, ...g.borders.to], first: [...g.firstRing], names: g.names,
        bridges: [...Array(g.corners.length / 2).keys()].filter(g.isBridge),
    }))(unpackGeometry(tiles))"""
    seen, read = in_node(tmp_path, expression, tiles=geometry), ReadTiles(geometry)
    assert seen["digest"] == read.digest
    assert seen["starts"] == read.starts.tolist()
    assert seen["owners"] == read.owners.tolist()
    assert seen["corners"] == read.corners.ravel().tolist()
    assert seen["labels"] == read.labels.ravel().tolist()
    ends = np.arange(1, len(read.corners) + 1)
    ends[read.starts[1:] - 1] = read.starts[:-1]
    lines = [*read.corners[read.borders].ravel(), *read.corners[ends[read.borders]].ravel()]
    assert seen["borders"] == lines
    assert seen["bridges"] == read.bridges.tolist() != []
    assert seen["names"][-1] == "Hole"


def test_a_message_that_was_cut_short_is_refused_by_the_browser(tmp_path):
    geometry = pack_geometry(["a", "b"], ["", ""], [shapely.box(0, 0, 1, 1), shapely.box(1, 0, 2, 1)])
    expression = """[0, 1, 2, 5, 9].map((less) => {
        try { return unpackGeometry(tiles.subarray(0, tiles.length - less)).n; } catch (error) { return error.message; }
    })"""
    seen = in_node(tmp_path, expression, tiles=geometry)
    assert seen == [2, *["the message of a map is cut short"] * 4]
