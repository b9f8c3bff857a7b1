"""Trips and figures on this side of the wall are sealed by their type, whatever is made of them."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from dpcore.errors import PrivacyError
from dpcore.kinds.roy.choices import domain_of
from dpcore.kinds.roy.figure import figure
from dpcore.kinds.roy.private.paper import PaperNoise, paper_study
from dpcore.kinds.roy.private.preview import beside
from dpcore.kinds.roy.private.station_trips import PrivateColumns, kept_of_each, station_trips_of
from dpcore.privacy import ContributionBound
from tests.cities import Trip, four_tiles, private
from tests.synthesis.small import domain, plan, some_trips
from tests.synthesis.small import private as station_trips


@pytest.fixture(scope="module")
def kept():
    """Everything that holds rows or exact shares, on every road to it."""
    of = domain()
    trips = station_trips(some_trips(200, of), of, [f"u{i % 20}" for i in range(200)])
    both = beside(trips.columns, PrivateColumns.of(some_trips(100, of, 1)), of, None)
    read = station_trips_of(
        private([Trip("u", "A", "B")]), four_tiles(), domain_of(four_tiles(), domain().period)
    )
    return {
        "columns": trips.columns,
        "some of them": trips.columns.at(np.arange(3)),
        "those under a bound": kept_of_each(trips, ContributionBound.per_user(3)).columns,
        "read": read.columns,
        "figure": both.original,
        "figure of a throw-away draw": both.synthetic,
        "side": both.sides[0],
        "side of a throw-away draw": both.sides[1],
        "trips of the paper": paper_study(trips, plan().epsilon, PaperNoise.FULL, 1).trips,
    }


def test_what_holds_trips_shows_no_value_and_is_not_serialised(kept):
    for name, one in kept.items():
        assert repr(one) == f"<{type(one).__name__}>", name
        assert type(one).__name__.startswith("Private"), name
        for leave in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(PrivacyError, match="cannot be pickled"):
                leave(one)


def test_synthetic_trips_show_no_array_either_but_may_be_handed_on():
    of = domain()
    trips = some_trips(5, of)
    assert repr(trips) == "<TripColumns>"
    assert repr(figure(trips, of)) == "<Figure>"
    assert pickle.loads(pickle.dumps(trips)).start.tolist() == trips.start.tolist()
    assert PrivateColumns.of(trips).start is trips.start
