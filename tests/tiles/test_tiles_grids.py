import math

import h3
import numpy as np
import pytest
import shapely

from dpcore import limits
from dpcore.errors import TessellationError
from dpcore.tiles import Box, hexagon_grid, square_grid

BERLIN = Box(13.2, 52.4, 13.5, 52.6)


def refused(make, *arguments):
    with pytest.raises(TessellationError) as found:
        make(*arguments)
    return str(found.value)


@pytest.mark.parametrize(
    "sides",
    [
        (1, 0, 0, 1),
        (0, 1, 1, 0),
        (0, 0, 0, 1),
        (-181, 0, 0, 1),
        (0, 0, 181, 1),
        (0, -91, 1, 0),
        (0, 0, 1, 91),
        (170, 0, -170, 1),
        (math.nan, 0, 1, 1),
        (0, 0, math.inf, 1),
    ],
)
def test_what_is_no_box_is_refused(sides):
    assert "box" in refused(Box, *sides)


def test_a_box_unpacks():
    west, south, east, north = BERLIN
    assert (west, south, east, north) == (13.2, 52.4, 13.5, 52.6)
    assert BERLIN.middle_latitude == pytest.approx(52.5)


def test_squares_cover_the_box_and_are_square_in_metres():
    tiles = square_grid(BERLIN, 1_000)
    assert tiles.notes == ()
    assert tiles.tile_ids[0] == "r00c00"
    assert tiles.tile_ids[-1] == "r22c20"
    west, south, east, north = tiles.bounds
    assert (west, south) == (BERLIN.west, BERLIN.south)
    assert east >= BERLIN.east
    assert north >= BERLIN.north
    w, s, e, n = tiles.polygons[0].bounds
    assert (n - s) * math.pi / 180 * 6_371_008.8 == pytest.approx(1_000, rel=1e-6)
    assert (e - w) * math.cos(math.radians(52.5)) == pytest.approx(n - s, rel=1e-6)


def test_every_corner_of_the_squares_lies_in_one_tile_or_on_the_outer_border():
    tiles = square_grid(BERLIN, 1_000)
    corners = np.unique(shapely.get_coordinates(list(tiles.polygons)), axis=0)
    assert len(corners) == 24 * 22
    found = tiles.index.assign(corners[:, 0], corners[:, 1])
    _, _, east, north = tiles.bounds
    inside = (corners[:, 0] < east) & (corners[:, 1] < north)
    assert ((found >= 0) == inside).all()
    assert np.bincount(found[inside]).tolist() == [1] * len(tiles.tile_ids)


def test_a_box_of_whole_squares_gets_no_extra_row():
    degrees = 1_000 / (6_371_008.8 * math.pi / 180)
    assert len(square_grid(Box(0, -3 * degrees, 6 * degrees, 3 * degrees), 1_000).tile_ids) == 36


@pytest.mark.parametrize("metres", [0, -5, 0.5, math.nan, math.inf, True])
def test_sides_that_are_none_are_refused(metres):
    assert "side of a square" in refused(square_grid, BERLIN, metres)


def test_too_many_squares_are_refused_with_their_number_before_they_are_made(monkeypatch):
    monkeypatch.setattr(shapely, "box", None)
    said = refused(square_grid, BERLIN, 10)
    assert "this would be 4,516,944 tiles" in said
    assert "At most 60,000" in said


def test_squares_near_the_edges_of_the_map_are_refused():
    assert "near a pole" in refused(square_grid, Box(0, 80, 1, 86), 1_000)
    assert "beyond the edge" in refused(square_grid, Box(179.5, 0, 180, 0.5), 33_333)


def test_hexagons_are_the_cells_whose_centre_lies_in_the_box():
    tiles = hexagon_grid(BERLIN, 8)
    assert tiles.notes == ()
    for cell in tiles.tile_ids:
        lat, lng = h3.cell_to_latlng(cell)
        assert BERLIN.west <= lng <= BERLIN.east
        assert BERLIN.south <= lat <= BERLIN.north
    around = {near for cell in tiles.tile_ids for near in h3.grid_disk(cell, 1)} - set(tiles.tile_ids)
    for cell in around:
        lat, lng = h3.cell_to_latlng(cell)
        assert not (BERLIN.west < lng < BERLIN.east and BERLIN.south < lat < BERLIN.north)


@pytest.mark.parametrize("resolution", [5, 6, 9])
def test_neighbouring_hexagons_share_corners_bit_for_bit(resolution):
    tiles = hexagon_grid(BERLIN if resolution > 6 else Box(10, 50, 16, 54), resolution)
    corners, uses = np.unique(
        shapely.get_coordinates([p.normalize() for p in tiles.polygons]), axis=0, return_counts=True
    )
    gaps = shapely.STRtree(shapely.points(corners)).query(shapely.points(corners), "dwithin", 1e-7)
    assert gaps.shape[1] == len(corners)
    assert uses.max() <= 6
    assert shapely.coverage_is_valid(list(tiles.polygons))
    found = tiles.index.assign(corners[:, 0], corners[:, 1])
    whole = shapely.union_all(tiles.polygons)
    shapely.prepare(whole)
    surrounded = shapely.contains_xy(whole, corners)
    assert surrounded.sum() > 10
    assert (found[surrounded] >= 0).all()
    assert (uses[surrounded] >= 3).all()


@pytest.mark.parametrize("resolution", [-1, 16, True, 7.0, "7"])
def test_sizes_of_hexagons_that_are_none_are_refused(resolution):
    assert "no such size" in refused(hexagon_grid, BERLIN, resolution)


def test_too_many_hexagons_are_refused_with_their_number(monkeypatch):
    said = refused(hexagon_grid, Box(-80, -60, 80, 60), 15)
    assert "this would be about" in said
    monkeypatch.setattr(limits, "MAX_TILES", 500)
    said = refused(hexagon_grid, BERLIN, 8)
    assert "about" not in said
    monkeypatch.undo()
    assert f"this would be {len(hexagon_grid(BERLIN, 8).tile_ids):,} tiles" in said


def test_boxes_without_a_hexagon_are_refused():
    assert "no hexagon" in refused(hexagon_grid, Box(13.2, 52.4, 13.2001, 52.4001), 3)


def test_hexagons_near_the_180th_meridian_and_over_wide_boxes_are_refused():
    assert "180th meridian" in refused(hexagon_grid, Box(170, 0, 180, 5), 3)
    assert "too wide" in refused(hexagon_grid, Box(-100, 0, 100, 5), 1)
