"""Sums and means: compiled passes give what the SQL gives, split or not, and nothing overflows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from dpcore import limits
from dpcore.errors import InputError
from dpcore.measures import measure_named
from dpcore.measures.choices import KeyChoices, names_of_sums
from dpcore.measures.sums import BY, Sum, sum_of
from dpcore.privacy import ContributionBound
from dpcore.private.engine.compiled import counting
from tests.engines import Made, by_sql, cells
from tests.private.engine.test_compiled import BOUNDS, TRIP
from tests.private.engine.test_compiled_splits import MODE, PURPOSE, with_categories

FARE = sum_of("fare=-2:3:0.5")
BUILT_IN = (sum_of("duration=1.4:21:0.7"), sum_of("duration=0:60:0.01"), sum_of("distance=-1.2:30:0.003"))


def asked(one: Sum, by, splits=(), cap=None):
    choices = KeyChoices(sums=(one,), by=by, splits=splits, visits_cap=cap)
    return [measure_named(name, choices) for name in names_of_sums(choices)]


def with_fares(table, seed):
    rng = np.random.default_rng(seed)
    fares = pa.array(rng.integers(-9, 9, len(table)), pa.int32(), mask=rng.random(len(table)) < 0.3)
    return with_categories(table, seed).append_column(FARE.column, fares).combine_chunks()


def must_agree(table, bound, measures):
    found = counting.count(table.select(counting.columns_read(measures, bound)), bound, measures)
    for name, expected in by_sql(table, bound, measures).items():
        assert cells(found[name]) == cells(expected), name
        keys = found[name][:-1].T.tolist()
        assert keys == sorted(keys)
        assert found[name].dtype == np.int64


@pytest.mark.parametrize("by", [None, *BY])
@pytest.mark.parametrize("bound", BOUNDS, ids=lambda bound: str(bound.max_trips))
def test_sums_and_means_are_those_of_the_sql(bound, by):
    for seed, few_hashes in ((0, False), (1, True)):
        table = with_fares(Made(seed).table(few_hashes=few_hashes), seed)
        for one in (FARE, *BUILT_IN):
            must_agree(table, bound, asked(one, by))


@pytest.mark.parametrize("splits", [(MODE,), (PURPOSE, MODE)], ids=["one", "two"])
def test_split_and_with_tiles_on_the_way_too(splits):
    for seed, cap in ((2, None), (3, 4)):
        table = with_fares(Made(seed).table(), seed)
        for bound in (TRIP, ContributionBound.per_user(2)):
            for one in (FARE, BUILT_IN[0]):
                must_agree(table, bound, asked(one, "visits_per_tile", splits, cap))
                must_agree(table[:0], bound, asked(one, "visits_per_tile", splits, cap))


@pytest.mark.parametrize("by", [None, "od_flows", "trips_per_hour"])
def test_many_cells_are_sorted_and_few_are_tabled(by, monkeypatch):
    table = with_fares(Made(4).table(), 4)
    measures = asked(FARE, by)
    tabled = counting.count(table, TRIP, measures)
    monkeypatch.setattr(f"{counting.shard_sums.__module__}._FEW_CELLS", 0)
    long = pa.concat_tables([table[:5]] * 2).combine_chunks()
    must_agree(long, TRIP, measures)
    sorted_ = counting.count(table, TRIP, measures)
    for name, answer in tabled.items():
        assert (answer == sorted_[name]).all()


def test_values_are_rounded_to_units_and_set_to_the_bounds():
    minutes = [0.0, 0.24, 0.25, 0.74, 0.75, 9.99, 10.0, 10.26, 99.0]
    table = Made(5).table(people=1, ways=False).slice(0, 1)
    rows = []
    for value in minutes:
        row = table.to_pylist()[0]
        row |= {"complete": True, "start_us": 10**15, "end_us": 10**15 + round(value * 60_000_000)}
        row |= {"start_hour": 0, "end_hour": 0, "start_tile": 0, "end_tile": 0}
        rows.append(row)
    for value, row in zip(minutes, rows, strict=True):
        (total,) = asked(sum_of("duration=0:10:0.5"), None)[:1]
        one = pa.Table.from_pylist([row], table.schema)
        wanted = min(int(value / 0.5 + 0.5), 20)
        for answers in (counting.count(one, TRIP, [total]), by_sql(one, TRIP, [total])):
            assert answers[total.name][-1].sum() == wanted


def test_the_largest_sums_are_exact_and_larger_ones_are_refused():
    most = limits.MAX_SUM_UNITS
    assert most * limits.MAX_TRIP_ROWS < limits.MAX_BUNDLE_VALUE
    one = sum_of(f"fare=0:{most}:1")
    table = Made(6).table(people=40)
    full = table.append_column(one.column, pa.array([10**9] * len(table), pa.int32())).combine_chunks()
    must_agree(full, TRIP, asked(one, "od_flows"))
    assert counting.count(full, TRIP, asked(one, None))["sum_fare"][-1].sum() == most * len(table)
    with pytest.raises(InputError, match="the limit"):
        sum_of(f"fare=0:{most + 1}:1")
    with pytest.raises(InputError, match="the limit"):
        asked(one, "visits_per_tile")
    with pytest.raises(InputError, match="the limit"):
        asked(replace(one, high=one.high / 2), "visits_per_tile", cap=3)
