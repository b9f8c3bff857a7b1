"""The number of the method rises whenever equal tables give other estimates: else a whole bundle would be called changed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dpcore.estimates.words import METHOD
from dpcore.release.estimates import estimates_of
from tests.release.made_releases import made_release

PINNED = {
    2: {
        "visits_per_tile": (1997.9692, 557.6929, 2860.0219),
        "od_districts": (998.9846, 554.905, 2309.835),
        "trips_over_time": (998.9846, 567.9583, 2249.7049),
        "trips_per_hour": (1997.9692, 1135.9166, 22190.6975),
        "total_trips": (998.9846, 567.9846, 1429.9846),
        "od_flows": (998.9846, 0.0, 0.0),
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
