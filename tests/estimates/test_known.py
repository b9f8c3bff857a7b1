"""One definition of what is known, on every page."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from dpcore.estimates import Ranged, known_tiles, known_words, reach
from dpcore.measures import MEASURES
from dpcore.measures.plan import Plan
from dpcore.noise.expected_estimates import visits_forecast
from dpcore.noise.forecast import Facts
from dpcore.privacy import ContributionBound
from dpcore.views.ground.reading import drawn_is_nearer
from tests.views.made import measurement

# value, low and high: known to both sides, wider above, wider below, holds 0, rounds to 0, without a range
TILES = Ranged(
    np.array([1000.0, 100.0, 100.0, 8.0, 0.4, 50.0]),
    np.array([750.0, 90.0, 74.0, 0.0, 0.3, math.nan]),
    np.array([1250.0, 126.0, 110.0, 30.0, 0.5, math.nan]),
)


def test_a_tile_is_known_if_neither_side_reaches_beyond_a_quarter():
    assert reach(TILES)[:4] == pytest.approx([0.25, 0.26, 0.26, 2.75])
    assert np.isinf(reach(TILES)[4])
    assert np.isnan(reach(TILES)[5])
    found = known_tiles(TILES)
    assert (found.tiles, found.known, found.open) == (6, 1, 2)
    assert found.visits == pytest.approx(1000 / TILES.values.sum())


def test_what_is_known_is_one_sentence():
    assert known_words(known_tiles(TILES)) == (
        "Of 100 visits, 79 lie in tiles known within 25 %: 1 of 6 tiles. 2 tiles are nearly empty or hidden by noise."
    )
    nothing = known_tiles(Ranged(np.zeros(2), np.zeros(2), np.full(2, 9.0)))
    assert nothing.visits is None
    assert (
        known_words(nothing) == "No tile is known within 25 %. 2 tiles are nearly empty or hidden by noise."
    )


@pytest.mark.parametrize("max_trips", [None, 4])
@pytest.mark.parametrize("epsilon", ["0.1", "1", "5"])
def test_a_forecast_is_a_range(max_trips, epsilon):
    bound = ContributionBound.per_trip() if max_trips is None else ContributionBound.per_user(max_trips)
    usual = {name: one.weight_at(bound.unit) for name, one in MEASURES.items() if bound.unit in one.usual_at}
    plan = Plan.up_to(
        bound,
        {name: usual[name] for name in ("visits_per_tile", "total_trips") if name in usual},
        Fraction(epsilon),
    )
    found = visits_forecast(plan, Facts(100_000, 9_000, 208))
    assert 0 <= found.tiles[0] <= found.tiles[1] <= 208
    assert 0 <= found.visits[0] <= found.visits[1] <= 1
    if max_trips is None and epsilon == "1":
        assert found.tiles[0] <= 208 / 8 < found.tiles[1], (
            "most tiles may be empty, and the visits are known all the same"
        )
        assert found.visits[0] > 0.8


def test_pages_open_on_drawn_values_where_noise_is_small_against_them():
    by_trip = measurement("visits_per_tile", [900, 300, 0, 2], bound=ContributionBound.per_trip())
    assert by_trip.half_widths == (300, 30, 3)
    assert [drawn_is_nearer(by_trip, rung) for rung in range(3)] == [False, True, True]
    by_person = measurement("visits_per_tile", [900, 300, 0, 2])
    assert not drawn_is_nearer(by_person, -1), "a person's bound leaves trips out"
