"""Totals of the parts of a release that is split: values and noise of their tables, and which two differ most."""

from __future__ import annotations

import re
from itertools import combinations

import numpy as np
import pytest

from dpcore.comparison.all_trips import Scaled
from dpcore.measures.choices import KeyChoices
from dpcore.measures.split import parts_of
from dpcore.release.one_part import part_of
from dpcore.views.numbers.part_totals import (
    PartTotals,
    largest_difference,
    part_totals,
    total_words,
    totals_chart,
)
from tests.release.made_releases import WEEK, made_release

MODES = ({"mode": "bus"}, {"mode": "rail"}, {"mode": "tram"}, {"mode": "other"})


def totals(trips: tuple[float, ...], off: float) -> PartTotals:
    return PartTotals(MODES[: len(trips)], trips, (off,) * len(trips), "trips")


@pytest.mark.parametrize("unit", ["user", "trip"])
def test_the_trips_of_a_part_are_those_of_its_own_tables(unit):
    choices = KeyChoices(WEEK, splits={"mode": ["bus", "rail"]})
    release = made_release(
        unit=unit, choices=choices, weights={"visits_per_tile": 2, "trips_per_hour": 1, "trips_over_time": 1}
    )
    found = part_totals(release)
    assert [*found.trips] == sorted(found.trips, reverse=True), "the largest first"
    assert {*found.names} == {"bus", "rail", "other", "missing"}
    assert found.unit == ("trips" if unit == "trip" else "trips that count")
    for part, trips, off in zip(found.parts, found.trips, found.off, strict=True):
        alone = Scaled(part_of(release, part), of_all=False)
        assert (trips, off) == (alone.all, alone.off)
    many, wide = found.all
    assert many == round(sum(found.trips))
    assert wide == pytest.approx(1.96 * np.sqrt(sum(off**2 for off in found.off)), abs=1)
    assert len(found.parts) == len(parts_of(release.plan.choices.splits))


def test_a_part_without_a_table_of_trips_has_no_total():
    choices = KeyChoices(WEEK, splits={"mode": ["bus"]}, sums={"duration": "0:90:1"})
    assert part_totals(made_release(choices=choices, weights={"sum_duration": 1, "mean_duration": 1})) is None


def test_the_largest_difference_has_a_range_that_holds_for_every_pair():
    said = largest_difference(totals((1_000.0, 400.0, 100.0, 5_000.0), 10.0))
    middle, low, high = (int(one.replace(",", "")) for one in re.findall(r"[\d,]*\d", said))
    assert said.startswith("The largest difference: bus has about 900 more trips than tram"), (
        "other is no part of its own"
    )
    pairs = len([*combinations(range(3), 2)])
    random = np.random.default_rng(5)
    noise = random.normal(0, 10.0, (20_000, 3))
    apart = np.abs(noise[:, :, None] - noise[:, None, :]).max(axis=(1, 2))
    assert (apart <= (high - low) / 2 + 1).mean() >= 0.95, f"of {pairs} pairs at once"
    assert low < middle < high


def test_no_difference_is_told_that_noise_may_have_made():
    said = largest_difference(totals((110.0, 100.0), 10.0))
    assert said == "No two of them can be told apart: noise alone may make all differences."
    assert largest_difference(totals((110.0,), 10.0)) == ""


def test_the_chart_has_a_dot_and_a_range_for_each_part():
    found = totals((1_000.0, 4.0), 10.0)
    table = totals_chart(found).table
    assert table["value"].tolist() == [1_000.0, 4.0]
    assert table["low"].tolist() == [980.0, 0.0], "nobody made fewer trips than none"
    assert total_words(found, 0) == "about 1,000 (980 to 1,020)"
    many = PartTotals(MODES[:1] * 40, tuple(range(40, 0, -1)), (1.0,) * 40, "trips")
    assert totals_chart(many).table["value"].tolist() == [*range(40, 28, -1)], (
        "the largest; more are no small chart"
    )
