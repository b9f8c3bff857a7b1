"""Tables that follow from released ones: their sums, their half widths, and that they say where they come from."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from fractions import Fraction

import numpy as np
import pytest

import dpcore
from dpcore.errors import InputError
from dpcore.measures.choices import KeyChoices
from dpcore.measures.keys import Period, Step
from dpcore.measures.plan import Plan
from dpcore.noise.mechanisms import measured
from dpcore.privacy import ContributionBound
from dpcore.release import write_bundle
from dpcore.release.derived import STATISTICS, WEEKDAYS, derivable, derived
from tests.cities import four_tiles
from tests.command_line.conftest import ran, rows
from tests.release.made_releases import made_release

MONTH = Period(date(2024, 2, 1), date(2024, 2, 29))  # five Thursdays, four of each other day
BOTH = {
    "trips_over_time": 2,
    "travel_time": 1,
    "visits_per_tile": 3,
    "incomplete_trips": 1,
    "trips_per_user": 1,
}
BOUND = ContributionBound.per_user(3)


def plan(weights=BOTH, choices=None, epsilon="1") -> Plan:
    return Plan(BOUND, weights, (Fraction(epsilon),), choices or KeyChoices(MONTH))


def drawn(asked: Plan, counts=0):
    tiles = four_tiles().tile_ids
    return {
        one.name: measured(
            one,
            keys := one.keys(tiles),
            keys.all_cells,
            np.full(keys.size, counts, np.int64),
            asked,
            origin="release",
        )
        for one in asked.measures
    }


def test_each_number_is_the_sum_of_its_cells():
    asked = plan()
    tables = drawn(asked, counts=50)
    dates = tables["trips_over_time"].values[0]
    weekdays = derived(asked, tables, WEEKDAYS)
    firsts = np.array([day.weekday() for day in MONTH.days])
    for weekday in range(7):
        assert weekdays.values[0, weekday] == dates[1:-1][firsts == weekday].sum()  # not before and after
    assert weekdays.half_widths[0, 3] > weekdays.half_widths[0, 4]  # five dates and four
    assert weekdays.sources == ("trips_over_time",)
    totals = derived(asked, tables, STATISTICS)
    assert totals.keys.labels(totals.cells)["statistic"] == [
        "users",
        "trips",
        "records",
        "complete_trips",
        "incomplete_trips",
    ]
    assert totals.values[0].tolist() == [
        tables[name].values[0].sum()
        for name in (
            "trips_per_user",
            "trips_over_time",
            "visits_per_tile",
            "travel_time",
            "incomplete_trips",
        )
    ]


@pytest.mark.parametrize("measure", [WEEKDAYS, STATISTICS])
def test_half_widths_hold_95_of_100_sums_and_no_narrower_ones_do(measure):
    asked = plan(epsilon="3")
    found = [derived(asked, drawn(asked), measure) for _ in range(1500)]
    noise = np.abs(np.array([one.values[0] for one in found]))
    width = found[0].half_widths[0]
    held = (noise <= width).mean(axis=0)
    assert (held > 0.93).all()
    assert ((noise <= 0.8 * width).mean(axis=0) < 0.95).all()


def test_of_several_tables_the_one_with_the_least_noise_is_added_up():
    asked = plan({"trips_over_time": 1, "visits_per_time_tile": 100})
    totals = derived(asked, drawn(asked), STATISTICS)
    assert totals.sources == ("visits_per_time_tile",)
    asked = plan({"trips_over_time": 100, "visits_per_time_tile": 1})
    assert derived(asked, drawn(asked), STATISTICS).sources == ("trips_over_time",)


@pytest.mark.parametrize(
    ("weights", "choices", "follow"),
    [
        (BOTH, None, {WEEKDAYS, STATISTICS}),
        (BOTH | {WEEKDAYS: 1, STATISTICS: 1}, None, set()),
        (BOTH, KeyChoices(MONTH, Step.WEEK), {STATISTICS}),
        (BOTH, KeyChoices(Period(date(2023, 1, 1), date(2023, 12, 31))), {STATISTICS}),
        ({"trips_over_time": 1}, None, {WEEKDAYS, STATISTICS}),
        ({"visits_per_tile": 1}, KeyChoices(visits_cap=5), set()),
        ({"missing_values": 1}, None, set()),
        ({"radius_of_gyration": 1}, None, set()),  # some people are in no bin
    ],
)
def test_what_follows_depends_on_the_plan_alone(weights, choices, follow):
    asked = plan(weights, choices)
    assert {*derivable(asked)} == follow
    for measure in {WEEKDAYS, STATISTICS} - follow:
        with pytest.raises(ValueError, match="does not follow"):
            derived(asked, drawn(asked), measure)


def test_data_without_people_have_no_number_of_people():
    asked = plan({"trips_over_time": 1}, KeyChoices(MONTH, users=False))
    totals = derived(asked, drawn(asked), STATISTICS)
    assert totals.keys.labels(totals.cells)["statistic"] == ["trips"]


def test_readers_get_derived_tables_at_every_rung_and_are_told(tmp_path, capsys):
    release = made_release(weights=BOTH, choices=KeyChoices(MONTH))
    write_bundle(release, tmp_path / "bundle")
    for measure in (WEEKDAYS, STATISTICS):
        code, out, err = ran(capsys, "table", tmp_path / "bundle", measure)
        assert code == 0
        assert err.startswith(f"note: {measure} was not paid for: it is derived from trip")
        finest = dpcore.table(release, measure)
        assert dpcore.table(release, measure).attrs["note"] in err
        assert [row["value"] for row in rows(out)] == [str(value) for value in finest["value"]]
        coarse = dpcore.table(release, measure, "0.5")
        assert (coarse["half_width_95"] > finest["half_width_95"]).all()
    assert list(dpcore.table(release, WEEKDAYS)["weekday"]) == [*range(7)]
    assert "note" not in dpcore.table(release, "trips_over_time").attrs
    assert {WEEKDAYS, STATISTICS}.isdisjoint(release.measurements)
    with pytest.raises(InputError):
        dpcore.table(made_release(weights={"missing_values": 1}), WEEKDAYS)


def test_a_paid_table_is_never_replaced_by_a_derived_one():
    release = made_release(weights=BOTH | {WEEKDAYS: 1}, choices=KeyChoices(MONTH))
    paid = release.measurements[WEEKDAYS]
    assert list(dpcore.table(release, WEEKDAYS)["value"]) == paid.values[-1].tolist()
    assert replace(release.plan, weights=BOTH).share("travel_time") > release.plan.share("travel_time")
