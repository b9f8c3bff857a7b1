"""The bench of accuracy measures what it says."""

import dataclasses
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from bench.accuracy import __main__ as command
from bench.accuracy import demands, pictures, plans, runs, scores, sets, tables
from dpcore.measures import MEASURES
from dpcore.measures.keys import Districts
from tests.conftest import SHARED


@pytest.fixture(scope="module")
def places(home):
    return sets.Places(SHARED, home, 3, trips=4_000)


@pytest.fixture
def town(places):
    return sets.city(40, places)


def test_a_picture_of_the_truth_has_no_error():
    truth = {
        "visits_per_tile": np.array([5.0, 0.0, 20.0, 1.0]),
        "od_flows": np.array([[0.0, 12.0], [3.0, 40.0]]),
        "od_districts": np.array([[7.0, 1.0], [0.0, 2.0]]),
        "trips_per_hour": np.array([1.0, 2.0]),
    }
    found = scores.errors(truth, truth)
    assert found.pop("flows F1") == 1
    assert {*found} == {"visits", "flows", "flows SMAPE", "district flows", "trips_per_hour"}
    assert set(found.values()) == {0.0}


def test_visits_outside_of_the_tiles_are_no_error_of_the_map():
    found, truth = np.array([10.0, 10.0, 99.0]), np.array([10.0, 20.0, 0.0])
    assert scores.errors({"visits_per_tile": found}, {"visits_per_tile": truth}) == {"visits": 10 / 30}


def test_flows_of_ten_trips_or_more_are_judged_pair_by_pair():
    found = scores.of_flows(np.array([30.0, 8.0, 12.0, -5.0]), np.array([10.0, 10.0, 0.0, 0.0]))
    assert found["flows SMAPE"] == pytest.approx((2 * 20 / 40 + 2 * 2 / 18) / 2)
    assert found["flows F1"] == pytest.approx(2 * 1 / (2 + 2))
    assert found["flows"] == pytest.approx((20 + 2 + 12) / 20)


def test_ranges_are_rounded_outwards_before_they_are_judged():
    low, high = np.array([0.4, 2.2, 5.0, np.nan]), np.array([0.9, 2.6, 6.0, np.nan])
    truth = np.array([0.0, 4.0, 6.0, 1.0])
    found = scores.holding(truth + 1.0, low, high, truth)
    assert found["held"] == pytest.approx(2 / 3)
    assert found["held, largest tenth"] == 1
    assert found["width"] == pytest.approx(np.mean([0.5, 0.4, 1.0]) / 3.92)


def test_flows_between_districts_are_sums_of_flows_between_tiles():
    districts = Districts(("a", "b"), (1, 0, 1))
    flows = np.arange(16.0).reshape(4, 4)
    found = pictures.summed(flows, districts)
    assert found.shape == (3, 3)
    assert found[1, 0] == flows[0, 1] + flows[2, 1]
    assert found[2, 1] == flows[3, 0] + flows[3, 2]
    assert found.sum() == flows.sum()


def test_the_plan_of_before_is_that_of_version_0_3():
    assert sum(plans.BEFORE.values()) == 724
    assert set(plans.BEFORE) <= set(MEASURES)
    assert not {"od_districts", "total_trips", "incomplete_trips"} & set(plans.BEFORE)


def test_a_figure_that_is_not_there_meets_no_demand():
    assert not demands.Judged("city", "visits", np.nan, 0.5).reached
    assert not demands.Judged("city", "F1", np.nan, 0.5, least=True).reached
    assert demands.Judged("city", "F1", 0.5, 0.5, least=True).reached
    assert "**no**" in str(demands.Judged("city", "visits", 0.6, 0.5))


@pytest.mark.parametrize("name", ["posts", "boston"])
def test_data_that_are_not_there_are_skipped_with_a_reason(name, tmp_path):
    with pytest.raises(sets.AbsentError, match="is not among the data"):
        sets.SETS[name](sets.Places(tmp_path, tmp_path, 1))
    judged, figures = command.measured(sets.Places(tmp_path, tmp_path, 1), name, "trip:1", 1, 0)
    assert f"### {name}\n\nSkipped:" in figures
    assert judged.count("\n") == 1  # no row


def test_every_bound_of_the_command_is_a_case():
    people = SimpleNamespace(trips=SimpleNamespace(has_users=True))
    nobody = SimpleNamespace(trips=SimpleNamespace(has_users=False))
    assert [*command.cases_of("8:0.1,trip:2", people)] == [
        runs.Case(8, Fraction(1, 10)),
        runs.Case(None, Fraction(2)),
    ]
    assert [*command.cases_of("8:0.1,trip:2", nobody)] == [runs.Case(None, Fraction(2))]


def test_a_run_holds_both_plans_against_the_same_truth(town):
    found = runs.run(town, runs.Case(8, Fraction(2)), 1, 2)
    assert 0 < found.share < 1
    assert found.mean("before", "visits") > found.mean("drawn", "visits") > 0
    assert found.mean("estimate", "district flows") < found.mean("before", "district flows")
    assert len(found.counted["before"]) == 2
    assert "visits" not in found.counted["before"][1]
    assert found.range_of("visits_per_tile", "held", all_trips=False) > 0.5
    text = tables.tables([found])
    assert "| visits |" in text
    assert f"{100 * found.share:.1f} % of the trips count" in text


def test_what_counts_at_trip_level_is_everything(town):
    found = runs.run(town, runs.Case(None, Fraction(1)), 1, 0)
    assert found.share == 1
    assert found.mean("before", "visits") == found.mean("before", "visits", everything=True)


def test_demands_are_made_of_the_city_and_the_bikes_alone(town):
    found = runs.run(town, runs.Case(None, Fraction(1)), 1, 0)
    assert [*demands.judged(found)] == []
    city = dataclasses.replace(found, data=dataclasses.replace(town, kind="city"))
    judged = {one.what for one in demands.judged(city)}
    assert {"visits: ratio of errors", "flows F1", "visits_per_tile: ranges held"} <= judged


def test_figures_are_kept_between_their_mark_and_the_next_section(tmp_path, monkeypatch):
    page = tmp_path / "README.md"
    page.write_text(
        f"# Head\n\n{command.MARK}\nold\n\n### Of a set\n\nold\n\n## Next\n\nstays\n", encoding="utf-8"
    )
    monkeypatch.setattr(command, "PAGE", page)
    command.kept("new")
    command.kept("newer")
    assert page.read_text(encoding="utf-8") == f"# Head\n\n{command.MARK}\nnewer\n\n## Next\n\nstays\n"
