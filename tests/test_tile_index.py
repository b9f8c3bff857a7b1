import os
import pickle
import shutil
import subprocess
import sys
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial import Voronoi

from dpcore import demo
from dpcore.tiles import index
from dpcore.tiles.index import PlainIndex, TileIndex

CORNER = np.array([13.0, 52.0])


def square(west, south, side=1.0):
    return shapely.box(west, south, west + side, south + side)


def squares(columns, rows, west=0.0, south=0.0, side=1.0):
    """Tile ``row * columns + column`` in row-major order from the south-west."""
    lng, lat = west + side * np.arange(columns + 1), south + side * np.arange(rows + 1)
    return [shapely.box(lng[c], lat[r], lng[c + 1], lat[r + 1]) for r in range(rows) for c in range(columns)]


def voronoi(seed, count):
    """Voronoi cells of the unit square moved to (13, 52), neighbours sharing their corners bit for bit."""
    rng = np.random.default_rng(seed)
    points = rng.random((count, 2))
    mirrored = [points]
    for axis in (0, 1):
        for side in (0.0, 2.0):
            reflected = points.copy()
            reflected[:, axis] = side - reflected[:, axis]
            mirrored.append(reflected)
    cells = Voronoi(np.concatenate(mirrored))
    corners = np.round(cells.vertices, 7) + CORNER
    rings = [cells.regions[cells.point_region[i]] for i in range(count)]
    assert all(-1 not in ring for ring in rings)
    return [shapely.Polygon(corners[ring]) for ring in rings]


def assign(polygons, points):
    """The answers of the index, which are those without a grid."""
    points = np.asarray(points, np.float64)
    found = TileIndex(polygons).assign(points[:, 0], points[:, 1])
    assert found.tolist() == PlainIndex(polygons).assign(points[:, 0], points[:, 1]).tolist()
    return found


def holders(polygons, points):
    """How many tiles hold each point when each tile is asked alone."""
    return sum((assign([polygon], points) == 0).astype(int) for polygon in polygons)


def exact_tile(polygons, x, y):
    """The rule in rational numbers: the first tile with an odd number of crossings strictly right of x."""
    x, y = Fraction(x), Fraction(y)
    for tile, polygon in enumerate(polygons):
        odd = False
        for part in shapely.get_parts(polygon):
            for ring in shapely.get_rings(part):
                corners = [(Fraction(a), Fraction(b)) for a, b in shapely.get_coordinates(ring).tolist()]
                for (x1, y1), (x2, y2) in pairwise(corners):
                    if min(y1, y2) <= y < max(y1, y2) and x < x1 + (y - y1) * (x2 - x1) / (y2 - y1):
                        odd = not odd
        if odd:
            return tile
    return -1


def test_a_square_owns_its_west_and_south_border_only():
    places = {
        (0.5, 0.5): 0,
        (0.0, 0.5): 0,
        (0.5, 0.0): 0,
        (0.0, 0.0): 0,
        (1.0, 0.5): -1,
        (0.5, 1.0): -1,
        (1.0, 1.0): -1,
        (1.0, 0.0): -1,
        (0.0, 1.0): -1,
    }
    assert assign([square(0, 0)], list(places)).tolist() == list(places.values())


def test_every_corner_and_edge_of_a_grid_of_squares_follows_the_rule():
    columns, rows = 5, 4
    polygons = squares(columns, rows)
    points = [(x / 2, y / 2) for x in range(-1, 2 * columns + 2) for y in range(-1, 2 * rows + 2)]
    expected = [int(y) * columns + int(x) if 0 <= x < columns and 0 <= y < rows else -1 for x, y in points]
    assert assign(polygons, points).tolist() == expected


@pytest.mark.parametrize("side", [1 / 3, 0.1, 1e-3])
def test_squares_with_rounded_corners_leave_no_point_without_a_tile(side):
    polygons = squares(7, 7, west=-74.101937, south=40.688641, side=side)
    corners = np.unique(shapely.get_coordinates(polygons), axis=0)
    middles = (corners[:-1] + corners[1:]) / 2
    points = np.concatenate((corners, middles))
    west, south, east, north = shapely.total_bounds(polygons)
    found = assign(polygons, points)
    inside = (points[:, 0] < east) & (points[:, 1] < north) & (points[:, 0] >= west) & (points[:, 1] >= south)
    assert (found >= 0).tolist() == inside.tolist()
    assert [exact_tile(polygons, x, y) for x, y in points] == found.tolist()


@pytest.mark.parametrize(("seed", "count"), [(1, 40), (2, 300)])
def test_every_corner_of_a_voronoi_tessellation_has_exactly_one_tile(seed, count):
    polygons = voronoi(seed, count)
    corners = np.unique(shapely.get_coordinates(polygons), axis=0)
    ends = np.concatenate([shapely.get_coordinates(p) for p in polygons])
    on_edges = np.concatenate([(ends[:-1] + ends[1:]) / 2, ends[:-1] * 0.25 + ends[1:] * 0.75])
    points = np.concatenate((corners, on_edges))
    found = assign(polygons, points)
    west, south, east, north = shapely.total_bounds(polygons)
    inner = (points[:, 0] > west) & (points[:, 0] < east) & (points[:, 1] > south) & (points[:, 1] < north)
    assert (found[inner] >= 0).all()
    assert (holders(polygons, points)[inner] == 1).all()
    assert (holders(polygons, points)[~inner] <= 1).all()
    assert (found[points[:, 0] == east] == -1).all()
    assert (found[points[:, 1] == north] == -1).all()
    assert (found[(points[:, 0] == west) & (points[:, 1] < north)] >= 0).all()
    assert (found[(points[:, 1] == south) & (points[:, 0] < east)] >= 0).all()


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), count=st.integers(4, 60))
def test_away_from_borders_the_answer_is_that_of_shapely(seed, count):
    polygons = voronoi(seed, count)
    points = np.random.default_rng(seed).uniform(-0.05, 1.05, (400, 2)) + CORNER
    found = assign(polygons, points)
    tree = shapely.STRtree(polygons)
    geometries = shapely.points(points)
    which, tile = tree.query(geometries, predicate="within")
    expected = np.full(len(points), -1)
    expected[which] = tile
    clear = shapely.distance(geometries, shapely.MultiLineString([p.exterior for p in polygons])) > 1e-12
    assert (found[clear] == expected[clear]).all()


@settings(max_examples=60, deadline=None)
@given(
    values=st.lists(
        st.tuples(
            st.integers(0, 8),
            st.integers(0, 8),
        ),
        min_size=1,
        max_size=40,
    ),
    west=st.sampled_from([0.0, -180.0, 179.0, 13.1, -1e-9]),
    side=st.sampled_from([0.1, 1e-3, 1e-6, 1 / 7]),
)
def test_grid_aligned_points_follow_the_exact_rule(values, west, side):
    polygons = [
        shapely.Polygon([(west, 0), (west + 4 * side, 0), (west + 4 * side, 8 * side), (west, 8 * side)]),
        shapely.Polygon(
            [
                (west + 4 * side, 0),
                (west + 8 * side, 2 * side),
                (west + 6 * side, 8 * side),
                (west + 4 * side, 8 * side),
            ]
        ),
    ]
    points = [(west + i * side, j * side) for i, j in values]
    found = assign(polygons, points)
    for (x, y), tile in zip(points, found.tolist(), strict=True):
        exact = exact_tile(polygons, x, y)
        border = shapely.distance(shapely.Point(x, y), polygons[1].exterior) < 1e-12
        assert tile == exact or border


def test_holes_parts_and_gaps_need_no_rule_of_their_own():
    ring = shapely.Polygon(
        square(0, 0, 10).exterior, [square(2, 2, 2).exterior.coords, square(6, 6, 2).exterior.coords]
    )
    island = square(2, 2, 2)
    twofold = shapely.MultiPolygon([square(20, 0, 2), square(30, 5, 2)])
    polygons = [ring, island, twofold]
    points = np.random.default_rng(5).uniform(-1, 33, (20_000, 2))
    geometries = shapely.points(points)
    expected = np.full(len(points), -1)
    for tile, polygon in enumerate(polygons):
        expected[shapely.within(geometries, polygon)] = tile
    assert (assign(polygons, points) == expected).all()
    assert assign(polygons, [(2, 2), (4, 3), (3, 4), (6, 6), (8, 7), (7, 8)]).tolist() == [1, 0, 0, -1, 0, 0]


def test_no_number_is_in_no_tile():
    odd = [np.nan, np.inf, -np.inf, 1e308, -1e308, 0.5]
    points = [(x, y) for x in odd for y in odd]
    found = assign([square(0, 0)], points)
    assert found.tolist() == [0 if point == (0.5, 0.5) else -1 for point in points]


@given(st.lists(st.tuples(st.floats(), st.floats()), max_size=50))
@settings(max_examples=50, deadline=None)
def test_any_input_gets_one_number(points):
    points = np.array(points, np.float64).reshape(-1, 2)
    found = assign(squares(3, 3), points)
    assert found.dtype == np.int32
    assert found.shape == (len(points),)
    assert ((found >= -1) & (found < 9)).all()


def test_overlapping_tiles_still_give_one_tile_and_the_same_for_any_order_of_points():
    rng = np.random.default_rng(3)
    polygons = [square(x, y, 3) for x, y in rng.uniform(0, 5, (30, 2))]
    points = rng.uniform(0, 8, (5_000, 2))
    tiles = TileIndex(polygons)
    found = tiles.assign(points[:, 0], points[:, 1])
    order = rng.permutation(len(points))
    assert (tiles.assign(points[order, 0], points[order, 1]) == found[order]).all()
    holds = shapely.contains(np.array(polygons)[found], shapely.points(points))
    assert holds[found >= 0].all()
    assert (found >= 0).any()


def test_points_on_the_lines_of_the_inner_grid_are_no_special_case():
    polygons = voronoi(9, 200)
    tiles = TileIndex(polygons)
    rng = np.random.default_rng(1)
    column, row = rng.integers(0, tiles._columns, 4_000), rng.integers(0, tiles._rows, 4_000)
    lng, lat = tiles._corner[0] + column * tiles._cell[0], tiles._corner[1] + row * tiles._cell[1]
    lng = np.concatenate((lng, np.nextafter(lng, 0), np.nextafter(lng, 99)))
    lat = np.concatenate((lat, np.nextafter(lat, 0), np.nextafter(lat, 99)))
    found = tiles.assign(lng, lat)
    expected = [exact_tile(polygons, x, y) for x, y in zip(lng[::40], lat[::40], strict=True)]
    assert found[::40].tolist() == expected


@pytest.mark.parametrize("west", [0.0, 12.999, -179.9999])
@pytest.mark.parametrize("side", [1e-4, 1e-8, 1e-11, 60.0])
def test_tiny_and_huge_tiles(west, side):
    lng, lat = west + side * np.arange(4), 45.0 + side / 2 * np.arange(3)
    polygons = [shapely.box(lng[c], lat[r], lng[c + 1], lat[r + 1]) for r in range(2) for c in range(3)]
    points = [((a + b) / 2, (c + d) / 2) for c, d in pairwise(lat) for a, b in pairwise(lng)]
    assert assign(polygons, points).tolist() == [0, 1, 2, 3, 4, 5]
    assert assign(polygons, [(x, y) for y in lat for x in lng]).tolist() == [
        0,
        1,
        2,
        -1,
        3,
        4,
        5,
        -1,
        -1,
        -1,
        -1,
        -1,
    ]


def test_a_comb_of_many_long_teeth_stays_within_memory():
    teeth = 30_000
    x = np.linspace(0, 1, 2 * teeth + 1)
    y = np.where(np.arange(len(x)) % 2 == 0, 1.0, 0.001)
    comb = shapely.Polygon([*zip(x, y, strict=True), (1, 0), (0, 0)])
    tiles = TileIndex([comb])
    assert tiles.nbytes < 1_000_000_000
    inside = np.array([(x[0] + x[1]) / 4, x[2 * 777] + 1e-9, x[2 * 777 + 1]])
    assert tiles.assign(inside, np.array([0.2, 0.5, 0.5])).tolist() == [0, 0, -1]


def test_many_tiles_in_two_far_parts_stay_within_memory():
    count = 3_000
    polygons = [
        shapely.MultiPolygon([square(i / count, 0, 0.5 / count), square(i / count, 1, 0.5 / count)])
        for i in range(count)
    ]
    tiles = TileIndex(polygons)
    assert len(tiles._slot_start) <= index.MOST_PAIRS + count
    middle = (np.arange(count) + 0.25) / count
    assert (tiles.assign(middle, np.full(count, 1 + 0.25 / count)) == np.arange(count)).all()


def test_the_index_survives_pickling():
    polygons = voronoi(4, 50)
    tiles = TileIndex(polygons)
    points = np.random.default_rng(0).uniform((13, 52), (14, 53), (1_000, 2))
    copied = pickle.loads(pickle.dumps(tiles))
    assert (copied.assign(points[:, 0], points[:, 1]) == tiles.assign(points[:, 0], points[:, 1])).all()
    assert all(type(value) in {int, float, np.ndarray} for value in vars(tiles).values())


def test_columns_of_any_kind_are_taken():
    tiles = TileIndex(squares(2, 2))
    expected = [0, 3, -1]
    assert tiles.assign([0, 1, 2], [0, 1, 2]).tolist() == expected
    both = np.array([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])
    assert tiles.assign(both[:, 0], both[:, 1]).tolist() == expected
    both.flags.writeable = False
    assert tiles.assign(both[:, 0].copy(), both[:, 1]).tolist() == expected
    assert tiles.assign([], []).tolist() == []


@pytest.mark.parametrize(("lng", "lat"), [([1.0], [1.0, 2.0]), ([[1.0]], [[1.0]])])
def test_columns_that_do_not_match_are_refused(lng, lat):
    for kind in (TileIndex, PlainIndex):
        with pytest.raises(ValueError, match="equally long"):
            kind(squares(2, 2)).assign(lng, lat)


def test_an_index_of_nothing_puts_everything_outside():
    assert assign([], [(0.0, 0.0), (1.0, 1.0)]).tolist() == [-1, -1]


def test_the_built_in_city_has_the_same_tiles_without_a_grid():
    polygons, trips = demo.city_tiles(demo.DEMO_TILES, demo.DEMO_SEED).polygons, demo.city_trips(20_000, 1)
    points = np.column_stack([trips["end_lng"].to_numpy(), trips["end_lat"].to_numpy()])
    corners = np.unique(shapely.get_coordinates(polygons), axis=0)
    assert (assign(polygons, np.concatenate([points, corners])) >= 0).mean() > 0.9


def test_the_compiled_code_is_cached_elsewhere_when_the_package_cannot_be_written(tmp_path):
    package = tmp_path / "installed"
    package.mkdir()
    shutil.copy(Path(index.__file__).with_name("kernel.py"), package / "kernel.py")
    (package / "__pycache__").write_text("a file here makes the folder impossible, for root as well")
    program = (
        "import sys, kernel, numpy as np;"
        "print(kernel.crossing(np.array([[0., 0., 2., 2.]]), 0, 1.), 'numba' in sys.modules)"
    )
    paths = os.pathsep.join([str(package), str(Path(index.__file__).parents[2])])
    environment = {**os.environ, "PYTHONPATH": paths, "XDG_CACHE_HOME": str(tmp_path / "home")}
    environment.pop("NUMBA_CACHE_DIR", None)
    for loads_numba in ("True", "False"):
        ran = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
        )
        assert ran.stdout.split() == ["1.0", loads_numba]
    assert [one.suffix for one in (tmp_path / "home" / "dpcore").iterdir()] == [".loop"]
