"""The number of the method rises whenever equal tables give other estimates: else a whole bundle would be called changed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dpcore.estimates.words import METHOD
from dpcore.release.estimates import estimates_of
from tests.release.made_releases import made_release

PINNED = {
    4: {
        "visits_per_tile": (1997.9692, 1370.7339, 4866.609),
        "od_districts": (998.9846, 714.2814, 4597.4552),
        "trips_over_time": (998.9846, 1316.4299, 4172.8452),
        "trips_per_hour": (1997.9692, 2282.9559, 42186.015),
        "total_trips": (1900.0, 1469.0, 2331.0),
        "od_flows": (998.9846, 27.4305, 6092.5838),
    }
}
"""By number of the method: of each table the sum of the estimates of the trips that count, then of both ends for all trips.

Whoever changes a method gives it the next number, and pins what it gives."""


def test_equal_tables_give_the_estimates_of_the_stated_method():
    weights = {
        "visits_per_tile": 3,
        "od_districts": 2,
        "trips_over_time": 1,
        "trips_per_hour": 2,
        "total_trips": 1,
    }
    drawn = made_release(weights=weights, epsilon="10")
    fixed = {
        name: replace(one, values=np.tile(20 + one.cell_numbers * 7919 % 400, (len(one.rungs), 1)))
        for name, one in drawn.measurements.items()
    }
    total = fixed["total_trips"]
    fixed["total_trips"] = replace(total, values=np.full_like(total.values, 1_900))
    found = estimates_of(replace(drawn, drawn=replace(drawn.drawn, measurements=fixed))).tables
    told = {
        name: (
            table.counted.values.sum(),
            np.nansum((table.all_trips or table.counted).low),
            np.nansum((table.all_trips or table.counted).high),
        )
        for name, table in found.items()
    }
    assert {*told} == {*PINNED[METHOD]}
    for name, sums in told.items():
        assert sums == pytest.approx(PINNED[METHOD][name], abs=1e-3), name
