"""Ranges of areas hold as often as they say: of the trips that count exactly, of all trips in the built-in city."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from dpcore.estimates import Estimated, Estimates, Ranged, Share
from dpcore.views.numbers.area import VISITS, Numbers, grouped, sums_of
from tests.estimates.test_regions import visits_of, whole  # noqa: F401 - a fixture

pytestmark = pytest.mark.audit

DRAWS = 400
AREAS = 10  # at every draw


@pytest.mark.parametrize("tiles_of_area", [2, 5, 20, 80, 300])
@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(5)])
def test_ranges_of_areas_hold(whole, tiles_of_area, epsilon, capsys):  # noqa: F811
    tiles, counted, _, everything = whole
    order, size = tiles.halving, len(counted)
    share = counted.sum() / everything.sum()
    found = Share(share, 0.99 * share, 1.01 * share)
    random = np.random.default_rng(tiles_of_area)
    drawn = visits_of(tiles, counted, [epsilon] * DRAWS, seed=tiles_of_area)
    nothing = Ranged.without_range(np.zeros(size + 1))
    table = Estimated(VISITS, "visits", drawn.keys, None, nothing, nothing)
    numbers = Numbers(None, {VISITS: drawn}, Estimates(0, found, "", {VISITS: table}), False)
    held, scaled = 0, 0
    for rung in range(DRAWS):
        at = replace(numbers, estimates=replace(numbers.estimates, rung=rung))
        for first in random.integers(0, size - tiles_of_area + 1, AREAS):
            area = order[first : first + tiles_of_area]  # neighbours
            group = np.full(size + 1, -1)
            group[area] = 0
            for released, true in ((True, counted[area].sum()), (False, everything[area].sum())):
                _, low, high = sums_of(replace(at, released=released), VISITS, grouped(group, 1)).at(0)
                if released:
                    held += low <= true <= high
                else:
                    scaled += low <= true <= high
    many = DRAWS * AREAS
    with capsys.disabled():
        print(
            f"\n{tiles_of_area} tiles, epsilon {epsilon}: {held / many:.3f} counted, {scaled / many:.3f} all trips"
        )
    assert 0.935 <= held / many <= 0.99
    assert scaled / many >= 0.9
