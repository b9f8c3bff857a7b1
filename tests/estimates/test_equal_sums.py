"""Which sums of different tables are equal: each row of docs/explanation/equal-sums.md, on counts of the engine."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dpcore.lessons.agreeing import window_of_hours
from dpcore.measures import MEASURES
from dpcore.measures.keys import Step
from dpcore.privacy import ContributionBound
from tests.cities import Trip
from tests.conftest import ROOT
from tests.estimates.made_tables import CHOICES, made_plan, made_trips, true_tables

PLACES = 5  # four tiles and outside
TRIP = ContributionBound.per_trip()
ODD = {
    "trips of all kinds": made_trips(0),
    "no trips": [],
    "a person whom no bound keeps whole": [Trip("u", "A", "B")] * 5 + [Trip("v", None, "outside")],
}


def sums_that_are_equal(tables, choices):
    """The rows of the documentation: for each its name there, and sums that must be equal, as arrays of one shape."""
    windows, districts = choices.windows, [*choices.districts.of_tiles, len(choices.districts.names)]
    users, trips, records, complete, incomplete = tables["ds_statistics"]
    starts, ends = tables["trips_per_hour"].reshape(2, 2, 24)
    window = window_of_hours(windows)
    arrivals = tables["visits_per_time_tile"].reshape(2, len(windows), PLACES)
    flows = tables["od_flows"].reshape(PLACES, PLACES)
    of_districts = np.zeros((max(districts) + 1,) * 2, np.int64)
    np.add.at(of_districts, np.ix_(districts, districts), flows)
    by_day_type = [tables["trips_per_weekday"][:5].sum(), tables["trips_per_weekday"][5:].sum()]
    return {
        "arrivals by window": [
            np.stack([ends[:, window == number].sum(axis=1) for number in range(len(windows))], axis=1),
            arrivals.sum(axis=2),
        ],
        "trips by day type": [by_day_type, ends.sum(axis=1)],
        "trips": [
            *(
                tables[name].sum()
                for name, one in MEASURES.items()
                if one.adds_to == "trips" and name in tables
            ),
            tables["trips_over_time"].sum(),
            tables["trips_per_weekday"].sum(),
            ends.sum(),
            arrivals.sum(),
            trips,
            complete + incomplete,
        ],
        "complete trips": [
            *(
                tables[one.name].sum()
                for one in MEASURES.values()
                if one.adds_to == "complete_trips" and one.name in tables
            ),
            starts.sum(),
            complete,
        ],
        "flows between districts": [tables["od_districts"], of_districts.ravel()],
        "incomplete trips": [tables["incomplete_trips"].sum() + complete, trips],
        "visits of a tile": [tables["visits_per_tile"], flows.sum(axis=1) + arrivals.sum(axis=(0, 1))],
        "records": [records, trips + complete, tables["visits_per_tile"].sum()],
        "people": [
            *(tables[one.name].sum() for one in MEASURES.values() if one.adds_to == "users"),
            users,
        ],
    }


@pytest.mark.parametrize("made", ODD.values(), ids=list(ODD))
@pytest.mark.parametrize(
    "bound", [ContributionBound.per_user(3), ContributionBound.per_user(1), TRIP], ids=str
)
@pytest.mark.parametrize(
    "choices",
    [
        CHOICES,
        replace(CHOICES, step=Step.WEEK, windows=(0,)),
        replace(CHOICES, step=Step.MONTH, windows=(5, 7, 23), edges={"travel_time": ("7", "30")}),
    ],
    ids=["usual", "weeks and whole days", "months and own windows"],
)
def test_every_sum_that_is_documented_as_equal_is(made, bound, choices):
    tables = true_tables(made, made_plan(bound=bound, choices=choices))
    for name, equal in sums_that_are_equal(tables, choices).items():
        for one in equal[1:]:
            assert np.array_equal(one, equal[0]), name
    if made is ODD["trips of all kinds"]:
        assert tables["ds_statistics"][-1] > 0  # incomplete trips are among them
        assert tables["od_flows"].reshape(PLACES, PLACES)[-1].sum() > 0  # and such as begin outside


def test_the_documentation_proves_each_of_them_and_no_other():
    text = (ROOT / "docs/explanation/equal-sums.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1].strip() for line in text.splitlines() if line.startswith("|")][2:]
    tables = true_tables([], made_plan())
    assert rows == list(sums_that_are_equal(tables, CHOICES))


def test_columns_of_flows_are_not_arrivals_and_weekdays_are_not_dates():
    """The two tempting equations that do not hold."""
    plan = made_plan(bound=TRIP)
    truth = true_tables([Trip("u", None, "A"), Trip("u", "B", "C")], plan)
    arrivals = truth["visits_per_time_tile"].reshape(2, 6, PLACES).sum(axis=(0, 1))
    assert (truth["od_flows"].reshape(PLACES, PLACES).sum(axis=0) != arrivals).any()
    two_mondays = [
        Trip("u", "A", "B", "2024-04-01 08:00", "2024-04-01 09:00"),  # before the period
        Trip("u", "A", "B", "2024-04-08 08:00", "2024-04-08 09:00"),
    ]
    truth = true_tables(two_mondays, plan)
    mondays = [i for i, label in enumerate(CHOICES.period.days) if label.weekday() == 0]
    assert truth["trips_per_weekday"][0] != sum(truth["trips_over_time"][1 + i] for i in mondays)
