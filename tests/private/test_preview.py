from datetime import date
from fractions import Fraction

import numpy as np
import pytest

from dpcore import limits
from dpcore.errors import InputError
from dpcore.measures import MEASURES as ALL_MEASURES
from dpcore.measures import measure_named
from dpcore.measures.choices import KeyChoices
from dpcore.measures.keys import Period
from dpcore.measures.plan import EXPLORED_WEIGHTS, Plan
from dpcore.privacy import RUNGS, ContributionBound
from dpcore.private.preview import preview
from tests.cities import DISTRICTS, Trip, four_tiles, private

TILE_IDS = four_tiles().tile_ids
CHOICES = KeyChoices(Period(date(2024, 4, 1), date(2024, 4, 2)), districts=DISTRICTS)
MEASURES = {name: measure_named(name, CHOICES) for name in ALL_MEASURES}
PER_TRIP = ContributionBound.per_trip()


@pytest.fixture
def trips():
    return private([Trip(f"u{i % 10}", "A", "B") for i in range(100)] + [Trip("u0", None, "outside")])


def test_the_truth_counts_all_trips_and_the_noise_is_around_those_that_count(trips):
    seen = preview(trips, Plan(ContributionBound.per_user(5), EXPLORED_WEIGHTS, RUNGS, CHOICES))
    assert seen.truth["visits_per_tile"].tolist() == [100, 100, 0, 0, 1]
    assert seen.counted_share == pytest.approx(50 / 101)
    finest = seen.measurements["visits_per_tile"].values[-1]
    assert abs(int(finest[1]) - 50) < 60  # e^-24: noise of scale 2.5


def test_every_cell_has_noise_of_its_own_whether_it_occurs_or_not(trips):
    plan = Plan(PER_TRIP, {"visits_per_tile": 1, "trips_per_weekday": 1}, RUNGS)
    drawn = [preview(trips, plan).measurements["visits_per_tile"].values[0][3] for _ in range(40)]
    assert len(set(drawn)) > 10
    assert min(drawn) < 0 < max(drawn)


def test_a_preview_draws_afresh(trips):
    plan = Plan(PER_TRIP, EXPLORED_WEIGHTS, RUNGS, CHOICES)
    first, second = (preview(trips, plan).measurements["trips_per_hour"].values for _ in range(2))
    assert (first != second).any()


def test_shares_sensitivities_and_rungs_make_the_width_of_the_noise(trips):
    plan = Plan(ContributionBound.per_user(5), EXPLORED_WEIGHTS, RUNGS, CHOICES)
    for name, measurement in preview(trips, plan).measurements.items():
        assert measurement.sensitivity == MEASURES[name].cells_per_trip * 5
        assert measurement.rho(5) == plan.share(name) * RUNGS[5] / measurement.sensitivity
        assert list(measurement.half_widths) == sorted(measurement.half_widths, reverse=True)


def test_a_huge_table_is_drawn_sparsely_with_the_same_truth(trips, monkeypatch):
    monkeypatch.setattr(limits, "MAX_DENSE_CELLS", 10)
    plan = Plan(PER_TRIP, {"od_flows": 1, "trips_per_weekday": 1}, (Fraction(1), Fraction(10)))
    seen = preview(trips, plan)
    flows = seen.measurements["od_flows"]
    assert flows.cells is not None
    assert (flows.values[-1] >= flows.threshold).all()
    assert seen.truth["od_flows"][list(flows.cells).index(1)] == 100


def test_a_city_without_trips_has_a_picture(monkeypatch):
    nothing = private([])
    seen = preview(nothing, Plan(ContributionBound.per_user(5), EXPLORED_WEIGHTS, RUNGS, CHOICES))
    assert seen.counted_share == 1
    assert all((truth == 0).all() for truth in seen.truth.values())
    monkeypatch.setattr(limits, "MAX_DENSE_CELLS", 3)
    preview(nothing, Plan(PER_TRIP, EXPLORED_WEIGHTS, RUNGS, CHOICES))


def test_noise_and_truth_differ_by_the_error(trips):
    seen = preview(trips, Plan(PER_TRIP, EXPLORED_WEIGHTS, RUNGS, CHOICES))
    name = "trips_per_weekday"
    assert np.array_equal(seen.error(name, 3), seen.measurements[name].values[3] - seen.truth[name])
    assert repr(seen) == "<Preview>"


def test_a_plan_may_leave_out_any_measure(trips):
    seen = preview(trips, Plan(ContributionBound.per_user(5), {"od_flows": 1}, RUNGS, CHOICES))
    assert list(seen.measurements) == ["od_flows"]
    assert seen.counted_share == pytest.approx(50 / 101)


def test_draws_of_a_preview_are_marked_as_such_and_cannot_be_changed(trips):
    seen = preview(trips, Plan(PER_TRIP, {"od_flows": 1}, RUNGS, CHOICES)).measurements["od_flows"]
    assert seen.origin == "preview"
    with pytest.raises(ValueError, match="read-only"):
        seen.values[0, 0] = 1


def test_some_measures_are_drawn_first_with_the_shares_they_have_in_the_whole(trips):
    plan = Plan(ContributionBound.per_user(5), EXPLORED_WEIGHTS, RUNGS, CHOICES)
    first = preview(trips, plan, ["visits_per_tile"])
    rest = preview(trips, plan, [name for name in plan.weights if name != "visits_per_tile"])
    whole = preview(trips, plan)
    assert list(first.measurements) == list(first.truth) == ["visits_per_tile"]
    for name, measurement in whole.measurements.items():
        part = (first if name == "visits_per_tile" else rest).measurements[name]
        assert part.share == measurement.share == plan.share(name)
        assert part.half_widths == measurement.half_widths
        assert part.rungs == measurement.rungs
    assert sum(part.share for one in (first, rest) for part in one.measurements.values()) == 1
    assert first.counted_share == rest.counted_share == whole.counted_share


def test_parts_of_a_preview_join_in_the_order_of_the_plan_and_keep_their_draws(trips):
    plan = Plan(PER_TRIP, EXPLORED_WEIGHTS, RUNGS, CHOICES)
    last = preview(trips, plan, ["trips_per_hour"])
    first = preview(trips, plan, ["visits_per_tile", "od_flows"])
    both = last.joined(first)
    assert list(both.measurements) == [name for name in plan.weights if name in both.measurements]
    assert list(both.measurements) == list(both.truth)
    assert both.measurements["trips_per_hour"] is last.measurements["trips_per_hour"]
    assert both.measurements["od_flows"] is first.measurements["od_flows"]
    assert both.truth["visits_per_tile"] is first.truth["visits_per_tile"]
    assert both.counted_share == first.counted_share


def test_a_measure_is_drawn_once_and_of_one_plan(trips):
    plan = Plan(PER_TRIP, EXPLORED_WEIGHTS, RUNGS, CHOICES)
    seen = preview(trips, plan, ["od_flows"])
    with pytest.raises(ValueError, match="parts of one"):
        seen.joined(preview(trips, plan, ["od_flows"]))
    other = Plan(ContributionBound.per_user(5), EXPLORED_WEIGHTS, RUNGS, CHOICES)
    with pytest.raises(ValueError, match="parts of one"):
        seen.joined(preview(trips, other, ["trips_per_hour"]))
    with pytest.raises(InputError, match="measure in this plan"):
        preview(trips, plan, ["travel_time"])


def test_progress_of_counting_rises_to_one_and_nothing_is_told_where_all_was_counted(trips):
    plan, told = Plan(ContributionBound.per_user(5), EXPLORED_WEIGHTS, RUNGS, CHOICES), []
    preview(trips, plan, progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 1
    told.clear()
    preview(trips, plan, progress=told.append)
    assert told == []
