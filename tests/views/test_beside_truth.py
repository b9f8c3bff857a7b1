"""Explore says how far estimates and drawn values are from all trips."""

from __future__ import annotations

import math
from dataclasses import replace
from types import MappingProxyType

import numpy as np
import pytest

from dpcore.estimates import Estimated, Estimates, Ranged, Share
from dpcore.measures import MEASURES
from dpcore.measures.sums import sum_of
from dpcore.privacy import ContributionBound
from dpcore.views.planning import beside_truth
from tests.views.made import measurement

TRUTH = np.array([8000, 1000, 0, 20])
VISITS = measurement("visits_per_tile", [5000, 700, 2, 10])


def ranged(values) -> Ranged:
    values = np.asarray(values, np.float64)
    return Ranged(values, values * 0.9, values * 1.1)


def estimated(all_trips=(7800, 1050, 1, 15)) -> Estimated:
    guess = None if all_trips is None else ranged(all_trips)
    return Estimated("visits_per_tile", "visits", VISITS.keys, None, ranged([4900, 690, 1, 9]), guess)


def estimates(share: Share | None, why: str = "") -> Estimates:
    return Estimates(2, share, why, MappingProxyType({"visits_per_tile": estimated()}))


def test_visits_count_where_the_shown_value_is_right_and_the_bound_makes_drawn_values_wrong():
    right = beside_truth.tiles_right(VISITS, estimated(), TRUTH, 2)
    assert right.drawn == 0  # 5,000 for 8,000 and 700 for 1,000: what the bound leaves out is no noise
    assert right.estimate == 1
    half = beside_truth.tiles_right(VISITS, estimated([7800, 200, 1, 15]), TRUTH, 2)
    assert half.estimate == pytest.approx(8 / 9)
    nobody = beside_truth.tiles_right(VISITS, estimated(), np.zeros(4, np.int64), 2)
    assert math.isnan(nobody.drawn)
    assert beside_truth.cards(nobody, VISITS, estimates(Share(1.0, 1.0, 1.0)), 1.0)[1].value == "no visits"


def test_without_a_total_the_estimate_for_the_trips_that_count_is_compared():
    assert beside_truth.tiles_right(VISITS, estimated(None), TRUTH, 2).estimate == 0
    said = beside_truth.tile_words(VISITS, estimated(None), TRUTH, 2, 0)
    assert "estimated for the trips that count" in said


def test_the_cards_never_show_a_noise_interval_without_what_is_left_out():
    right = beside_truth.tiles_right(VISITS, estimated(), TRUTH, 2)
    first, second, third = beside_truth.cards(right, VISITS, estimates(Share(0.62, 0.6, 0.64)), 0.617)
    assert (first.value, second.value, third.value) == ("3 of 3", "all of 100 visits", "62 %")
    assert first.note.endswith("Noise of a released count: ± 3 visits of the trips that count.")
    assert second.note == (
        "lie in tiles whose estimate is right within 25 %. Only you see this."
    )  # what the bound leaves out is no noise
    assert "60 % to 64 %" in third.note
    assert "True: 62 %" in third.note
    assert "people who travel a lot go where others go, and when others go" in third.help
    whole = beside_truth.cards(right, VISITS, estimates(Share(1.0, 1.0, 1.0)), 1.0)
    assert whole[2].value == "All"
    assert "By the drawn values 0 of 100." in whole[1].note
    unsaid = beside_truth.cards(right, VISITS, estimates(None, "Nobody counted them."), 0.617)[2]
    assert (unsaid.value, unsaid.help) == ("62 %", "Nobody counted them.")


def test_a_tile_is_told_with_estimate_truth_and_drawn_value():
    said = beside_truth.tile_words(VISITS, estimated(), TRUTH, 2, 0)
    assert said == (
        "about 7,800 visits (likely range 7,000 to 8,600), estimated for all trips. True: 8,000. Drawn, of the trips that "
        "count: about 5,000 (4,997 to 5,003)."
    )


def test_errors_of_a_table_name_the_estimate_first_and_then_the_drawn_values():
    said = beside_truth.error_words_of(VISITS, estimated(), TRUTH, 2)
    assert (
        said
        == "Estimate off by 28 (median), 200 at most. Drawn value: noise ± 3 (95 %), of the trips that count."
    )
    single = replace(VISITS, bound=ContributionBound.per_trip())
    assert "noise ± 3 (95 %), off by " in beside_truth.error_words_of(single, estimated(), TRUTH, 2)


def test_the_error_of_a_single_number_is_one_number():
    keys = MEASURES["total_trips"].keys(())
    total = replace(VISITS, measure="total_trips", counts="trips", keys=keys, values=np.full((3, 1), 700))
    guess = Estimated("total_trips", "trips", total.keys, None, ranged([690]), ranged([1050]))
    said = beside_truth.error_words_of(total, guess, np.array([1000]), 2)
    assert said == "Estimate off by 50. Drawn value: noise ± 3 (95 %), off by 300."


def test_what_bounds_do_to_a_sum_is_said_in_its_unit():
    minutes, fare = sum_of("duration=0:30:0.5"), sum_of("fare=-5:20:1")
    assert beside_truth.clamping_words(minutes, 18.0, 13.5, 2_000, 40) == (
        "The mean of 2,000 values is **18.000 minutes**. Within the bounds it is **13.500 minutes**: 4.500 minutes too small, "
        "25.0 % of the sum. 40 trips have no value."
    )
    assert beside_truth.clamping_words(fare, -9.0, -5.0, 10, 0) == (
        "The mean of 10 values is **-9.00**. Within the bounds it is **-5.00**: 4.00 too large."
    )
    assert (
        beside_truth.clamping_words(fare, 7.0, 7.0, 10, 0)
        == "The mean of 10 values is **7.00**. The bounds do not change it."
    )
    assert (
        beside_truth.clamping_words(fare, math.nan, math.nan, 0, 3)
        == "No trip has a value of fare. 3 trips have no value."
    )
