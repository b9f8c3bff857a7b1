"""Public bins: what a value is counted under, and that no value is left without a bin."""

from __future__ import annotations

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from dpcore.measures import BINS, GRIDS, MEASURES
from dpcore.measures.bins import Bins
from dpcore.private.values import _ExactValues

HISTOGRAMS = [
    "travel_time",
    "jump_length",
    "trips_per_user",
    "user_time_delta",
    "radius_of_gyration",
    "user_tile_count",
    "mobility_entropy",
]


@pytest.mark.parametrize("name", HISTOGRAMS)
def test_a_histogram_has_ten_bins_or_more_that_leave_no_gap(name):
    keys = MEASURES[name].keys(())
    edges = keys.labels(keys.all_cells)
    assert keys.columns == ("bin_start", "bin_end")
    assert len(edges["bin_start"]) >= 10
    assert edges["bin_start"][1:] == edges["bin_end"][:-1]
    assert (edges["bin_start"][0], edges["bin_end"][-1]) == ("-inf", "inf")
    assert [float(edge) for edge in edges["bin_end"]] == sorted(map(float, set(edges["bin_end"])))


@pytest.mark.parametrize(
    ("bins", "value", "number"),
    [
        (BINS["user_time_delta"], -1, 0),
        (BINS["user_time_delta"], 0, 1),
        (BINS["user_time_delta"], 900_000_000 - 1, 1),  # a quarter of an hour, in microseconds
        (BINS["user_time_delta"], 900_000_000, 2),
        (BINS["travel_time"], 1500 * 60_000_000, 12),  # 25 hours are 1500 minutes
        (BINS["jump_length"], 499, 0),
        (BINS["jump_length"], 7_500, 7),
        (BINS["user_tile_count"], 0, 0),
    ],
)
def test_an_edge_belongs_to_the_bin_that_it_begins(bins, value, number):
    found = duckdb.connect().execute(f"SELECT {bins.number(str(value))}").fetchall()
    assert found == [(number,)]


@pytest.mark.parametrize("name", HISTOGRAMS)
@pytest.mark.parametrize("dtype", [np.int64, np.float64])
def test_compiled_passes_number_bins_as_the_sql_does(name, dtype):
    bins = BINS[name]
    edges = np.array(bins.whole_edges, dtype)
    rng = np.random.default_rng(1)
    near = [edges - 1, edges, edges + 1, rng.integers(-10, 2 * edges[-1], 500).astype(dtype), [0, -1, 10**15]]
    if dtype is np.float64:
        near += [np.nextafter(edges, -np.inf), np.nextafter(edges, np.inf), rng.normal(0, edges[-1], 500)]
        near += [np.arange(-5, 5) / 2 / 10**6]
    values = np.concatenate(near).astype(dtype)
    for kind in (bins, GRIDS[name].bins, _ExactValues(bins.edges, bins.units, scale=1_000)):
        with duckdb.connect() as connection:
            connection.register("given", pa.table({"place": range(len(values)), "value": values}))
            asked = f"SELECT {kind.number('value')} AS bin FROM given ORDER BY place"
            assert kind.numbers(values).tolist() == connection.execute(asked).fetchnumpy()["bin"].tolist()


@pytest.mark.parametrize("edges", [("1", "1"), ("2", "1"), ("0.5", "1")])
def test_edges_that_do_not_rise_or_that_the_engine_would_round_are_a_fault(edges):
    with pytest.raises(ValueError, match="edges of bins"):
        Bins(edges)
