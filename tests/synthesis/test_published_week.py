"""The real Opal week of 2016 in small numbers, and our release of an invented one beside it."""

from __future__ import annotations

import csv
from collections import defaultdict
from statistics import median

import pytest

from dpcore.kinds.stability.private.opal_week import invented_opal_week
from dpcore.kinds.stability.published import DAILY_TRIPS, PUBLISHED_WEEK, WEEK
from dpcore.kinds.stability.views import weeks_table


@pytest.fixture(scope="module")
def ours():
    return invented_opal_week()


def test_the_numbers_of_the_real_week_are_those_of_its_file(shared):
    rows = defaultdict(list)
    with shared("real/opal_release/location_20160808-14.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if (row["count"] or "").isdigit():
                rows[row["mode"]].append(row)
    days = [f"{day:%Y%m%d}" for day in WEEK.days]
    for one in PUBLISHED_WEEK:
        counts = [int(row["count"]) for row in rows[one.mode]]
        assert one.rows == len(counts)
        assert one.places == len({row["loc"] for row in rows[one.mode]})
        assert (one.smallest, one.middle, one.taps) == (min(counts), median(counts), sum(counts))
        taps = [sum(int(row["count"]) for row in rows[one.mode] if row["date"] == day) for day in days]
        assert [round(day / 2_000) for day in taps] == list(DAILY_TRIPS[one.mode])


def test_our_release_of_an_invented_week_has_the_shape_of_the_real_one(ours):
    assert [one.mode for one in ours] == [one.mode for one in PUBLISHED_WEEK]
    assert min(one.smallest for one in ours) == min(one.smallest for one in PUBLISHED_WEEK) == 34
    assert all(one.smallest >= 34 for one in ours)
    for mine, real in zip(ours, PUBLISHED_WEEK, strict=True):
        assert abs(mine.rows / real.rows - 1) < 0.06
        assert abs(mine.places / real.places - 1) < max(
            0.03, 6 / real.places
        )  # noise decides of a few places
        assert abs(mine.taps / real.taps - 1) < 0.01
        assert 1 / 2 < mine.middle / real.middle < 2
    assert sum(one.rows for one in PUBLISHED_WEEK) == 8_605


def test_each_week_is_a_new_draw(ours):
    assert invented_opal_week() != ours


def test_the_table_lays_both_side_by_side_with_a_row_for_all(ours):
    table = weeks_table(PUBLISHED_WEEK, ours)
    assert table["mode"] == ["bus", "train", "ferry", "lightrail", "all"]
    assert table["rows, real"][-1] == "8,605"
    assert table["smallest, real"] == ["34", "34", "35", "104", "34"]
    assert {len(column) for column in table.values()} == {5}
