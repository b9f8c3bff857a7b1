"""Public grids, and the round bins that follow from a bought range."""

from __future__ import annotations

import itertools
import random
from decimal import Decimal

import pytest

from dpcore.measures import BINS, GRIDS, measure_named
from dpcore.measures.bins import LEVELS, PARTS
from dpcore.measures.choices import KeyChoices


def test_every_histogram_has_a_grid_that_rises_in_whole_units_of_the_engine():
    assert set(GRIDS) == set(BINS)
    for name, grid in GRIDS.items():
        assert list(grid.points) == sorted(set(grid.points))
        assert all(point * BINS[name].units == int(point * BINS[name].units) for point in grid.points)
        assert 50 <= grid.size <= 500
        assert [grid.number(text) for text in grid.texts] == list(range(grid.size))
        assert grid.bins.edges == grid.texts[1:]


def test_a_text_that_names_no_point_is_refused():
    for text in ("0.25", "10.0", "1e1", "nan", "", "-0", "99999"):
        with pytest.raises(ValueError, match="not a point"):
            GRIDS["travel_time"].number(text)


def test_the_five_numbers_have_no_extremes():
    assert list(LEVELS) == ["p5", "p25", "p50", "p75", "p95"]
    assert all(0 < level < PARTS for level in LEVELS.values())


@pytest.mark.parametrize("name", [name for name, grid in GRIDS.items() if grid.ranged])
def test_every_range_gives_ten_equal_round_bins_or_more_that_reach_its_ends(name):
    rng, grid = random.Random(name), GRIDS[name]
    for _ in range(200):
        low, high = sorted(rng.choices(range(grid.size), k=2))
        start = None if grid.lowest is not None else grid.texts[low]
        edges = [Decimal(edge) for edge in grid.round_edges(start, grid.texts[high])]
        (width,) = {b - a for a, b in itertools.pairwise(edges)}
        assert all(edge % width == 0 for edge in edges)
        assert str(width.normalize().as_tuple().digits) in {"(1,)", "(2,)", "(5,)"}
        assert edges[-1] >= grid.points[high]
        assert edges[0] <= (grid.points[low] if start is not None else grid.lowest + width)
        assert 10 <= len(edges) + 1 <= 40
        chosen = KeyChoices(edges={name: tuple(str(edge) for edge in edges)})  # bins that an owner may choose
        assert len(measure_named(name, chosen).keys(()).axes[0].labels) == len(edges) + 1


def test_a_range_without_a_known_start_needs_its_lower_end():
    with pytest.raises(ValueError, match="lower end"):
        GRIDS["user_time_delta"].round_edges(None, "12")
    assert not GRIDS["mobility_entropy"].ranged
