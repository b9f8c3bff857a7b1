"""Values on their public grids and exactly, against counting them by hand."""

from __future__ import annotations

import csv
import random
from datetime import datetime

import numpy as np
import pytest

from dpcore.api import owner
from dpcore.measures import GRIDS
from dpcore.measures.bins import LEVELS
from dpcore.privacy import ContributionBound
from dpcore.private.bounding import bounded
from dpcore.private.values import exact_quantiles, on_grids
from dpcore.tiles import read_tessellation
from tests.cities import private
from tests.test_neighbours import some_trip

TRIP = ContributionBound.per_trip()
COLUMNS = {
    "travel_time": ("per_trip", "travel_time_min"),
    "jump_length": ("per_trip", "jump_length_km"),
    "user_time_delta": ("per_trip", "gap_before_h"),
    "trips_per_user": ("per_user", "n_trips"),
    "radius_of_gyration": ("per_user", "radius_of_gyration_km"),
    "user_tile_count": ("per_user", "user_tile_count"),
    "mobility_entropy": ("per_user", "mobility_entropy"),
}


def some_trips(n: int):
    rng = random.Random(5)
    return [some_trip(rng, f"u{rng.randrange(n // 4)}") for _ in range(n)]


@pytest.mark.parametrize("bound", [TRIP, ContributionBound.per_user(2)], ids=["trip", "user"])
def test_on_the_grid_every_histogram_counts_the_same_as_in_its_bins(bound):
    people = private(some_trips(120))
    grids = on_grids(bounded(people, bound), list(GRIDS))
    for name, counts in grids.items():
        table = owner.exact_table(people, name, bound)
        points = [float(point) for point in GRIDS[name].points]
        for start in table["bin_start"]:
            if float(start) in points:  # values from here on
                above = sum(
                    n
                    for low, n in zip(table["bin_start"], table["value"], strict=True)
                    if float(low) >= float(start)
                )
                assert counts[points.index(float(start)) :].sum() == above, (name, start)
        assert counts.sum() == sum(table["value"])


def test_values_beyond_the_grid_count_at_its_ends():
    long = [trip for trip in some_trips(8) if trip.origin][:1]
    trip = long[0].__class__("a", "A", "B", "2024-04-01 08:00", "2024-04-05 08:00")
    early = long[0].__class__("a", "B", "A", "2024-04-02 08:00", "2024-04-02 08:00")
    counts = on_grids(bounded(private([trip, early]), TRIP), ["travel_time", "user_time_delta"])
    assert counts["travel_time"][[0, -1]].tolist() == [1, 1]
    assert counts["user_time_delta"][0] == 1  # 72 hours before the end of the one before


def test_exact_quantiles_are_those_of_the_values_themselves():
    listed = some_trips(90)
    minutes = [
        (datetime.fromisoformat(t.end) - datetime.fromisoformat(t.start)).total_seconds() / 60
        for t in listed
        if t.origin
    ]
    found = exact_quantiles(bounded(private(listed), TRIP), "travel_time")
    assert found == pytest.approx({name: np.quantile(minutes, level / 20) for name, level in LEVELS.items()})
    assert exact_quantiles(bounded(private([]), TRIP), "travel_time") == {}


def test_the_owner_reads_the_expected_five_numbers(shared):
    tiles = read_tessellation(shared("oracle-mini/tiles.geojson"), "tiles.geojson")
    file = owner.TripsFile.on_disk(shared("oracle-mini/trips.csv"))
    people = owner.load(file, owner.inspect(file), tiles, timezone="Europe/Berlin")
    table = owner.exact_five_numbers(people, None)
    found = {(m, s): float(v) for m, s, v in zip(*table.values(), strict=True)}
    for name, (listed, column) in COLUMNS.items():
        with shared(f"oracle-mini/expected/{listed}.csv").open(encoding="utf-8") as rows:
            values = [float(row[column]) for row in csv.DictReader(rows) if row[column]]
        for statistic, level in LEVELS.items():
            assert found[name, statistic] == pytest.approx(np.quantile(values, level / 20), abs=1e-6)
    bounded_table = owner.exact_five_numbers(people, ContributionBound.per_user(2))
    assert len(bounded_table["value"]) == len(GRIDS) * len(LEVELS)
