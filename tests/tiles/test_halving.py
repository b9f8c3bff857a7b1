"""Public halving: every part is cut along its longer side into two of equal size."""

import numpy as np
import shapely

from dpcore.tiles import Box, square_grid
from dpcore.tiles.halving import halving


def squares(corners):
    return [shapely.box(x, y, x + 0.01, y + 0.01) for x, y in corners]


def test_the_first_cut_goes_across_the_longer_side():
    across = halving(squares([(0.05, 0), (0.0, 0.01), (0.03, 0), (0.01, 0)]))
    assert set(across[:2].tolist()) == {1, 3}
    upward = halving(squares([(0, 0.05), (0.01, 0.0), (0, 0.03), (0, 0.01)]))
    assert set(upward[:2].tolist()) == {1, 3}


def test_sides_are_compared_in_metres():
    corners = [
        (x, 60 + y) for x in (0, 0.03) for y in (0, 0.02)
    ]  # at 60 degrees north: 1.7 km wide, 2.2 km high
    assert set(halving(squares(corners))[:2].tolist()) == {0, 2}


def test_all_tiles_are_in_the_order_once_and_ties_follow_the_tiles():
    tiles = square_grid(Box(11.0, 48.0, 11.1, 48.05), 500)
    order = tiles.halving
    assert sorted(order.tolist()) == list(range(len(tiles.tile_ids)))
    assert np.array_equal(order, halving(tiles.polygons))
    assert halving(squares([(0, 0)] * 5)).tolist() == [0, 1, 2, 3, 4]


def test_halves_lie_apart():
    tiles = square_grid(Box(11.0, 48.0, 11.2, 48.05), 500)
    order, x = tiles.halving, shapely.get_x(shapely.centroid(np.array(tiles.polygons)))
    cut = len(order) // 2
    assert x[order[:cut]].max() <= x[order[cut:]].min() + 1e-9
