"""Where no trip is left out, a tile whose noise is small against its count keeps its drawn value."""

from __future__ import annotations

import numpy as np
import pytest

from dpcore.estimates.raking import lowered
from dpcore.measures.attribute import Categories
from dpcore.measures.choices import KeyChoices
from dpcore.noise.expected_estimates import CERTAIN
from dpcore.release.estimates import estimates_of
from tests.release.made_releases import made_release


@pytest.mark.parametrize("epsilon", ["0.5", "2", "10"])
def test_sure_tiles_keep_their_drawn_values_with_the_range_of_the_noise(epsilon):
    release = made_release(unit="trip", weights={"visits_per_tile": 1}, epsilon=epsilon)
    drawn, found = release.measurements["visits_per_tile"], estimates_of(release)
    table = found.tables["visits_per_tile"].all_trips
    y, half = drawn.values[-1][:-1].astype(float), drawn.half_widths[-1]
    sure = half <= CERTAIN * y
    np.testing.assert_allclose(table.low[:-1][sure], y[sure] - half, atol=0.01)
    np.testing.assert_allclose(table.high[:-1][sure], y[sure] + half, atol=0.01)
    moved = np.abs(table.values[:-1] - y)[sure]
    assert (moved <= half + 0.01).all(), "only what makes tiles add up moves them"
    assert (table.values >= 0).all()


def test_a_person_s_tiles_are_estimated_as_before_because_trips_are_left_out():
    release = made_release(
        weights={"visits_per_tile": 1, "total_trips": 1, "trips_over_time": 1}, epsilon="10"
    )
    drawn, table = release.measurements["visits_per_tile"], estimates_of(release).tables["visits_per_tile"]
    half = drawn.half_widths[-1]
    assert not np.allclose(table.counted.high[:-1] - table.counted.low[:-1], 2 * half)


def test_numbers_are_lowered_alike_to_a_total():
    x = np.array([100.0, 10.0, -3.0, 2.0, -9.0])
    found = lowered(x, 95.0)
    assert found.sum() == pytest.approx(95.0)
    kept = found > 0
    assert np.ptp((x - found)[kept]) == pytest.approx(0.0)
    assert lowered(x, -1.0).sum() == 0
    assert lowered(np.zeros(0), 0.0).size == 0
    assert lowered(np.full(3, -5.0), 0.0).sum() == 0


def test_tables_in_many_parts_keep_their_total_and_say_that_nothing_is_estimated():
    choices = KeyChoices(splits=(Categories("mode", tuple(f"m{number:02}" for number in range(70))),))
    release = made_release(
        unit="trip", weights={"visits_per_tile": 1}, epsilon="1", choices=choices, period=None
    )
    found = estimates_of(release)
    drawn = release.measurements["visits_per_tile"].values[-1]
    assert found.tables["visits_per_tile"].all_trips.values.sum() == pytest.approx(max(drawn.sum(), 0))
