"""The city that lessons count by themselves is the one that its owner counts."""

from functools import lru_cache

import numpy as np

from dpcore.api.owner import exact_table
from dpcore.lessons.city import city, city_counts, flows_between


@lru_cache(1)
def owners_flows():
    """Flows by the owner's side, shape ``(tiles + 1, tiles + 1)``: the last row and column for outside."""
    table = exact_table(city().trips, "od_flows", None)
    number = {tile: place for place, tile in enumerate(city().tessellation.tile_ids)}
    flows = np.zeros((city().tiles + 1,) * 2, np.int64)
    for start, end, trips in zip(table["origin"], table["destination"], table["value"], strict=True):
        flows[number.get(start, -1), number.get(end, -1)] += trips
    return flows


def test_flows_are_those_that_the_owner_counts():
    assert np.array_equal(city().flows, owners_flows()[:-1, :-1])
    assert np.array_equal(flows_between(city().tiles), city().flows.ravel())


def test_starts_and_ends_are_those_that_the_owner_counts():
    ends = np.bincount(city().end[city().end >= 0], minlength=city().tiles)
    assert np.array_equal(city().starts, owners_flows().sum(axis=1)[:-1])
    assert np.array_equal(ends, owners_flows().sum(axis=0)[:-1])
    assert np.array_equal(city().starts + ends, city_counts("visits_per_tile")[:-1])


def test_days_are_those_that_the_owner_counts():
    owners = city_counts("trips_over_time")
    days = np.bincount(city().day, minlength=len(owners) - 2)
    assert np.array_equal(days[: len(owners) - 2], owners[1:-1])
    assert days.sum() == owners.sum()
    place = int(city().starts.argmax())
    assert np.array_equal(city().arrivals(place).sum(axis=0), city().flows[:, place])


def test_rows_run_by_person_and_number_the_trips_of_each():
    assert (np.diff(city().person) >= 0).all()
    assert np.array_equal(np.bincount(city().person), city().trips_per_person)
    first = np.flatnonzero(city().number == 0)
    assert len(first) == len(city().people)
    assert city().number.max() == city().trips_per_person.max() - 1
