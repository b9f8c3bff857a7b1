"""The parts of lessons 4, 8, 9 and 11 that no other test opens: restored by a link, and answered at once."""

from __future__ import annotations

import time

import pytest

from dpcore.lessons.city import city
from tests.app.test_lessons import opened

CUTTING, MEDIAN, BILL, TIDYING = (
    f"pages/learn/{name}.py"
    for name in ("04_cutting_trips", "08_median_without_looking", "09_the_bill", "11_after_the_noise")
)


@pytest.fixture(scope="module", autouse=True)
def city_is_there(city_home):
    return city_home


def value(app, label):
    (found,) = [metric for metric in app.metric if metric.label.startswith(label)]
    return found.value


@pytest.mark.parametrize(
    ("page", "query"),
    [
        (CUTTING, {"4-table": "Flows", "4-most": "12", "4-epsilon": "3"}),
        (MEDIAN, {"8-trips": "2500", "8-among": "the values themselves"}),
        (BILL, {"9-part": "Days are not disjoint"}),
        (BILL, {"9-part": "Split a budget"}),
        (TIDYING, {"11-part": "Totals agree"}),
        (TIDYING, {"11-part": "Neighbours"}),
        (TIDYING, {"11-part": "All trips", "11-unlike": "60"}),
    ],
)
def test_every_part_answers_at_once(page, query):
    city()
    app = opened(page, **query)
    took = []
    for _ in range(3):
        begins = time.process_time()
        app.run()
        took.append(time.process_time() - begins)
    assert not app.exception
    assert min(took) < 0.3


def test_a_link_restores_table_bound_and_epsilon():
    app = opened(CUTTING, **{"4-table": "Flows", "4-most": "12", "4-epsilon": "1"})
    assert value(app, "Noise scale") == "12"
    assert value(app, "Trips kept") == "66.8 %"
    assert value(app, "A count is off by") == value(app, "Least of the bounds offered")
    assert (
        value(opened(CUTTING, **{"4-table": "Flows", "4-most": "12", "4-epsilon": "3"}), "Noise scale") == "4"
    )


def test_a_median_among_the_values_names_whose_it_is_and_one_on_the_grid_does_not():
    told = opened(MEDIAN, **{"8-among": "the values themselves", "class": "7"})
    assert value(told, "Of 200 answers") == "200"
    name = told.error[0].value.split("**")[1]
    assert name in city().people
    assert not opened(MEDIAN, **{"class": "7"}).error


def test_days_cost_a_person_more_than_was_claimed():
    app = opened(BILL, **{"9-part": "Days are not disjoint", "9-days": "20", "9-day": "0.5"})
    assert value(app, "Claimed bill") == "ε 0.5"
    assert value(app, "What this person pays") == "ε 10"
    assert float(value(app, "An attacker").rstrip(" %")) > 75


def test_cube_roots_win_the_game_and_an_equal_split_does_not():
    parts = {"9-part": "Split a budget", "9-map": "9", "9-flows": "28", "9-hours": "6"}
    assert opened(BILL, **parts).success
    equal = opened(BILL, **{"9-part": "Split a budget"})
    assert not equal.success
    assert value(equal, "Worst relative error") == "70.4 %"


def test_tables_agree_on_one_total():
    app = opened(TIDYING, **{"11-part": "Totals agree", "class": "7"})
    assert value(app, "Truth") == "300,000"
    assert abs(float(value(app, "They agree on").replace(",", "")) - 300_000) < 150


def test_the_neighbours_help_the_valley_and_harm_its_plaza():
    app = opened(TIDYING, **{"11-part": "Neighbours", "11-plaza": "3", "class": "7"})
    (off,) = [metric for metric in app.metric if metric.label == "A tile is off by"]
    assert float(off.value) < float(off.delta.removeprefix("as drawn: "))
    assert value(app, "Plaza, truth") == "60"
    assert int(value(app, "Plaza, estimate")) < 45


def test_estimates_of_all_trips_lie_where_the_assumption_is_broken_and_released_counts_do_not():
    held = {}
    for unlike in ("0", "100"):
        app = opened(TIDYING, **{"11-part": "All trips", "11-unlike": unlike, "class": "7"})
        held[unlike] = int(value(app, "Likely ranges that hold the truth").removesuffix(" of 96"))
        assert int(value(app, "Released ranges that hold what was counted").removesuffix(" of 96")) > 85
        assert any("of the trips count" in text.value for text in app.caption)
    assert held["0"] > 85
    assert held["100"] < 25
