"""Exact tables of sums and means, and bounds that hold as much as can be added up."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import dpcore
from dpcore import limits
from dpcore.errors import InputError
from dpcore.measures.choices import KeyChoices
from dpcore.measures.sums import exact_sums, measures_of, sum_of, widest
from tests.release.made_releases import made_release


def test_the_mean_of_a_sum_of_many_large_numbers_is_right():
    one = sum_of("fare=0:40000:0.01")
    mean = measures_of(one, None)[1]
    trips, fare = 2_000_000, 3_000_000
    parts = np.array([trips * fare, trips * (one.width - fare), 0])
    found = exact_sums(mean, one, mean.keys(()), np.arange(3), parts)
    assert [Fraction(value) for value in found["value"]] == [30_000]
    assert found["count"] == [trips]


@pytest.mark.parametrize("text", ["duration=0:30000:0.01", "distance=0:3000:0.001", "fare=-20:20:0.00001"])
def test_the_widest_bounds_can_be_added_up_and_hold_the_chosen_ones(text):
    one = sum_of(text)
    wide = widest(one, None)
    assert wide.low <= one.low
    assert wide.high >= one.high
    assert wide.units <= limits.MAX_SUM_UNITS
    measures_of(wide, None)


def test_sums_have_no_picture_and_say_where_their_numbers_are():
    choices = KeyChoices(sums={"duration": "0:60:1"}, by="visits_per_tile")
    release = made_release(weights={"sum_duration": 1, "visits_per_tile": 1}, choices=choices)
    assert dpcore.table(release, "sum_duration")["half_width_95"].gt(0).all()
    for draw in (dpcore.chart, dpcore.deck, dpcore.geodataframe):
        with pytest.raises(InputError, match="no picture"):
            draw(release, "sum_duration")
    assert dpcore.chart(release, "visits_per_tile") is not None
