"""Lesson 5: nobody changes a table by more than its formulas say, and somebody reaches them."""

from math import sqrt

import numpy as np
import pytest

from dpcore.lessons import contribution
from dpcore.lessons.city import city
from dpcore.lessons.contribution import Norms
from dpcore.lessons.cutting import TABLES

BOUNDS = (1, 8, 50)


def sizes(norms):
    return np.array([norms.cells, norms.total, norms.straight, norms.largest])


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("most", BOUNDS)
def test_nobody_in_the_city_goes_beyond_the_formulas(table, most):
    limits = sizes(contribution.worst(table, most))
    people = np.argsort(-city().trips_per_person)[:60].tolist() + list(range(0, 33_000, 550))
    for person in people:
        change = contribution.of_person(table, person, most)
        assert (sizes(change.norms) <= limits + 1e-9).all()
        kept = min(most, int(city().trips_per_person[person]))
        assert change.norms.total == kept * (1 if table == "od_flows" else 2)


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("most", BOUNDS)
def test_the_same_trip_again_and_again_reaches_three_of_the_formulas_and_different_trips_the_fourth(
    table, most
):
    limits = contribution.worst(table, most)
    same = contribution.of_invented(table, most, same=True).norms
    different = contribution.of_invented(table, most, same=False).norms
    assert (same.total, same.largest) == (limits.total, limits.largest)
    assert same.straight == pytest.approx(limits.straight)
    assert (different.cells, different.total) == (limits.cells, limits.total)


def test_the_formulas_are_those_of_the_tables():
    assert contribution.worst("visits_per_tile", 8) == Norms(16, 16, 16.0, 16)
    assert contribution.worst("od_flows", 8) == Norms(8, 8, 8.0, 8)
    assert contribution.worst("trips_per_hour", 8) == Norms(16, 16, 8 * sqrt(2), 8)


def test_norms_of_a_change():
    assert Norms.of(np.array([3, 0, -4])) == Norms(2, 7, 5.0, 4)
    assert Norms.of(np.zeros(3, np.int64)) == Norms(0, 0, 0.0, 0)


@pytest.mark.parametrize("table", TABLES)
def test_a_person_and_all_others_are_the_whole_table(table):
    change = contribution.of_person(table, 77, None)
    assert np.array_equal(change.added + change.others, contribution.everybody(table, None))
    assert change.limits is None
    ends = 1 if table == "od_flows" else 2
    assert contribution.everybody(table, None).sum() == ends * len(city().start)
    kept = np.minimum(city().trips_per_person, 5).sum()
    assert contribution.everybody(table, 5).sum() == ends * kept


def test_counts_have_names():
    assert contribution.cell_name("visits_per_tile", 150) == "outside"
    assert contribution.cell_name("od_flows", 152) == "Winter Row (D002) to Winter Row (D002)"
    assert contribution.cell_name("trips_per_hour", 24) == "Ends at 0 h"
