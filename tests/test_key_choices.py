"""Dates, windows and bins that an owner chose: counted as asked, written down in one form, refused where they cannot be."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpcore.api import owner
from dpcore.errors import PrivacyError
from dpcore.measures import BINS, MEASURES, measure_named
from dpcore.measures.choices import USUAL, KeyChoices
from dpcore.measures.keys import Districts, Period, Step, date_axis, district_axis
from dpcore.measures.plan import Plan
from dpcore.privacy import ContributionBound
from tests.cities import Trip, private

SPRING = Period(date(2024, 2, 27), date(2024, 4, 3))


def days_of(*texts: str) -> np.ndarray:
    return np.array([(date.fromisoformat(text) - date(1970, 1, 1)).days for text in texts], np.int64)


@pytest.mark.parametrize(
    ("step", "labels"),
    [
        (Step.WEEK, ["2024-02-27", "2024-03-04", "2024-03-11", "2024-03-18", "2024-03-25", "2024-04-01"]),
        (Step.MONTH, ["2024-02-27", "2024-03-01", "2024-04-01"]),
    ],
)
def test_weeks_begin_on_mondays_and_months_on_firsts_within_the_period(step, labels):
    axis = date_axis("date", SPRING, step)
    assert list(axis.inside) == labels


@pytest.mark.parametrize("step", list(Step))
def test_every_day_counts_in_the_step_that_holds_it(step):
    axis = date_axis("date", SPRING, step)
    first = date(2024, 2, 1)
    for number in range(100):
        day = first + timedelta(days=number)
        label = axis.labels[int(axis.positions(days_of(day.isoformat()))[0])]
        if day < SPRING.first:
            assert label == "before"
        elif day > SPRING.last:
            assert label == "after"
        else:
            begun = [text for text in axis.inside if date.fromisoformat(text) <= day]
            assert label == begun[-1]


def test_windows_of_ones_own_hold_every_hour_once():
    choices = KeyChoices(windows=(7, 9, 16, 19))
    hours = [
        Trip("u", "A", "B", f"2024-04-02 {hour:02}:00", f"2024-04-02 {hour:02}:10") for hour in range(24)
    ]
    table = owner.exact_table(private(hours), "visits_per_time_tile", None, choices)
    counts = {
        window: value
        for day, window, tile, value in zip(*table.values(), strict=True)
        if day == "weekday" and tile == "B"
    }
    assert counts == {"7-9": 2, "9-16": 7, "16-19": 3, "19-7": 12}


def test_one_window_is_the_whole_day():
    trips = private([Trip("u", "A", "B", "2024-04-02 05:00", "2024-04-02 06:00")])
    table = owner.exact_table(trips, "visits_per_time_tile", None, KeyChoices(windows=(4,)))
    assert set(table["window"]) == {"4-4"}
    assert sum(table["value"]) == 1


@pytest.mark.parametrize("name", BINS)
def test_bins_of_ones_own_regroup_the_usual_ones(name):
    """Every second edge: each wide bin holds what its two narrow ones hold, and nothing is lost."""
    rows = [
        Trip(
            f"u{n % 7}",
            "ABCD"[n % 4],
            "ABCD"[n % 3],
            f"2024-04-0{1 + n % 9} 08:00",
            f"2024-04-0{1 + n % 9} 0{8 + n % 2}:2{n % 9}",
        )
        for n in range(60)
    ]
    usual = BINS[name].edges
    wide = owner.exact_table(private(rows), name, None, KeyChoices(edges={name: usual[1::2]}))
    narrow = owner.exact_table(private(rows), name, None)
    grouped = [0] * (len(usual[1::2]) + 1)
    for start, value in zip(narrow["bin_start"], narrow["value"], strict=True):
        below = 0 if start == "-inf" else sum(float(edge) <= float(start) for edge in usual[1::2])
        grouped[below] += value
    assert wide["value"] == grouped
    assert wide["bin_start"] == ["-inf", *usual[1::2]]


@pytest.mark.parametrize(
    "wrong",
    [
        {"windows": ()},
        {"windows": (2, 2)},
        {"windows": (10, 6)},
        {"windows": (2, 24)},
        {"windows": (-1, 3)},
        {"edges": {"od_flows": ("1", "2")}},
        {"edges": {"nothing": ("1", "2")}},
        {"edges": {"travel_time": ()}},
        {"edges": {"travel_time": ("5", "5")}},
        {"edges": {"travel_time": ("10", "5")}},
        {"edges": {"travel_time": ("five",)}},
        {"edges": {"travel_time": ("nan",)}},
        {"edges": {"travel_time": ("Infinity",)}},
        {"edges": {"travel_time": ("1e999999",)}},
        {"edges": {"travel_time": ("0.00000000001",)}},
        {"edges": {"trips_per_user": ("1.5",)}},
        {"edges": {"jump_length": tuple(str(n) for n in range(501))}},
        {"visits_cap": 1},
        {"visits_cap": 10**9},
        {"visits_cap": 2.5},
        {"visits_cap": "5"},
        {"step": "year"},
        {"step": None},
        {"windows": "2,6"},
        {"windows": 6},
        {"windows": (2.5, 6)},
        {"windows": (True, 6)},
        {"windows": (None,)},
        {"edges": [("travel_time", (5, 10))]},
        {"edges": {"travel_time": "10"}},
        {"edges": {"travel_time": 10}},
        {"edges": {"travel_time": (5, None)}},
        {"edges": {"travel_time": (5, float("nan"))}},
        {"period": (date(2024, 4, 1), date(2024, 4, 2))},
    ],
)
def test_choices_that_cannot_be_are_refused(wrong):
    with pytest.raises(PrivacyError):
        KeyChoices(**wrong)


@pytest.mark.parametrize(
    ("names", "of_tiles"),
    [
        (("a",), (0, 0)),
        (("b", "a"), (0, 1)),
        (("a", "a"), (0, 1)),
        (("a", "b"), (0, 0)),
        (("a", "b"), (0, 1, 2)),
        (("a", "b"), (0, -1)),
        (("a", "b"), (0, 1.0)),
        (("a", "b"), ()),
        (("a", "outside"), (0, 1)),
        (("Outside", "a"), (0, 1)),
        (("", "a"), (0, 1)),
        (("a", "b\n"), (0, 1)),
        (("a", 2), (0, 1)),
        (("a", "b" * 81), (0, 1)),
        (tuple(f"{n:03}" for n in range(501)), tuple(range(501))),
    ],
)
def test_what_divides_no_tiles_into_districts_is_refused_with_what_to_do(names, of_tiles):
    with pytest.raises(PrivacyError, match="2 to 500 districts with different names"):
        Districts(names, of_tiles)


def test_lists_and_arrays_of_districts_mean_the_same():
    same = Districts(("a", "b"), (0, 1, 1))
    assert Districts(["a", "b"], [0, 1, 1]) == Districts(("a", "b"), np.array([0, 1, 1])) == same
    assert json.dumps(KeyChoices(districts=Districts(["a", "b"], np.array([0, 1, 1]))).terms())
    assert same != Districts(("a", "b"), (0, 1, 1), by_halving=True)


@given(st.integers(2, 90), st.lists(st.integers(0, 10**6), max_size=200), st.booleans())
def test_any_districts_are_read_back_as_they_were_written(count, more, by_halving):
    names = tuple(f"d{number:03}" for number in range(count))
    of_tiles = (*range(count), *(number % count for number in more))
    districts = Districts(names, of_tiles, by_halving)
    written = KeyChoices(districts=districts).terms()
    assert KeyChoices.of_terms(json.loads(json.dumps(written))).districts == districts
    assert len(written["districts"]["of_tiles"]) <= 2 * len(of_tiles)


def test_equal_choices_are_one_whatever_they_were_written_like():
    one = KeyChoices(edges={"travel_time": ("5.0", " 10", "2e1")})
    other = KeyChoices(edges={"travel_time": ("5", "10", "20")})
    assert one == other
    assert hash(one) == hash(other)
    assert one.terms() == {"edges": {"travel_time": ["5", "10", "20"]}}
    assert KeyChoices(edges={"travel_time": BINS["travel_time"].edges}) == USUAL


def test_numbers_lists_and_words_are_read_as_what_they_mean():
    typed = KeyChoices(SPRING, "week", [6, np.int64(12)], {"travel_time": [5, 10.5, "20"]}, np.int64(4))
    assert typed == KeyChoices(SPRING, Step.WEEK, (6, 12), {"travel_time": ("5", "10.5", "20")}, 4)
    assert hash(typed) == hash(KeyChoices.of_terms(typed.terms()))
    assert json.dumps(typed.terms())
    plan = Plan.up_to(ContributionBound.per_user(5), {"trips_over_time": 1}, "1", KeyChoices(SPRING, "week"))
    assert plan.measures[0].keys(()).size == 8


@pytest.mark.parametrize(
    "choices",
    [
        USUAL,
        KeyChoices(SPRING),
        KeyChoices(SPRING, Step.WEEK, (6, 12), {"jump_length": ("0.5", "2")}, 7),
        KeyChoices(districts=Districts(("north", "south"), (1, 0, 1)), most_trips=40),
        KeyChoices(
            districts=Districts(tuple(f"{n:02}" for n in range(37)), tuple(range(37)), by_halving=True)
        ),
    ],
)
def test_choices_are_read_back_as_they_were_written(choices):
    assert KeyChoices.of_terms(choices.terms()) == choices


@pytest.mark.parametrize(
    "written",
    [
        {"step": "year"},
        {"windows": "2,6"},
        {"windows": [True]},
        {"edges": []},
        {"other": 1},
        {"period": ["2024-01-01"]},
        {"most_trips": "40"},
        {"most_trips": True},
        {"districts": ["a", "b"]},
        {"districts": {"names": ["a", "b"]}},
        {"districts": {"names": "ab", "of_tiles": "01"}},
        {"districts": {"names": ["a", "b"], "of_tiles": [0, 1]}},
        {"districts": {"names": ["a", "b"], "of_tiles": "0 1"}},
        {"districts": {"names": ["a", "b"], "of_tiles": "01", "more": 1}},
        {"districts": {"names": ["a", "b"], "of_tiles": "01", "by_halving": False}},
        {"districts": {"names": ["a", "b"], "of_tiles": "01", "by_halving": 1}},
        {"districts": {"names": [f"{n:02}" for n in range(37)], "of_tiles": "0"}},
    ],
)
def test_what_was_written_wrong_is_not_read(written):
    with pytest.raises((ValueError, TypeError)):
        KeyChoices.of_terms(written)


def test_a_cap_of_trips_is_a_whole_number_within_limits():
    for wrong in (0, -1, 10_001, 5.0, "5", True):
        with pytest.raises(PrivacyError, match="from 1 to 10,000"):
            KeyChoices(most_trips=wrong)
    measure = measure_named("total_trips", KeyChoices(most_trips=np.int64(7)))
    assert measure.sensitivity(ContributionBound.per_user(3)) == 7
    assert measure_named("total_trips").sensitivity(ContributionBound.per_user(3)) == 160


def test_flows_between_districts_need_the_districts_of_these_tiles():
    with pytest.raises(PrivacyError, match="need districts"):
        measure_named("od_districts").keys(("A", "B"))
    measure = measure_named("od_districts", KeyChoices(districts=Districts(("a", "b"), (0, 1, 1))))
    assert measure.keys(("A", "B", "C")).shape == (3, 3)
    with pytest.raises(PrivacyError, match="not those of these tiles"):
        measure.keys(("A", "B"))


def test_districts_are_the_keys_of_their_tiles_and_outside_of_all_others():
    axis = district_axis("origin", Districts(("a", "b"), (1, 0, 1)))
    assert axis.labels == ("a", "b", "outside")
    assert axis.positions(np.array([0, 1, 2, -1, 3])).tolist() == [1, 0, 1, 2, 2]
    assert MEASURES["od_districts"].layout.tile_columns == ()


def test_sensitivity_does_not_depend_on_dates_windows_and_bins():
    chosen = KeyChoices(SPRING, Step.MONTH, (0,), dict.fromkeys(BINS, ("1",)))
    for name, usual in MEASURES.items():
        asked = measure_named(name, chosen)
        assert (
            replace(
                asked, keys=usual.keys, terms=usual.terms, sql=usual.sql, rule=usual.rule, bins=usual.bins
            )
            == usual
        )


def test_choices_for_a_form_without_people_are_written_down_and_read_back():
    choices = KeyChoices(SPRING).for_form(has_users=False)
    assert choices.terms()["users"] is False
    assert KeyChoices.of_terms(choices.terms()) == choices
    assert "users" not in choices.for_form(has_users=True).terms()
    with pytest.raises(ValueError, match="one of False: choices of keys, users"):
        KeyChoices.of_terms({"users": True})  # one written form
