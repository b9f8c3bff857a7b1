"""Tables that are split: compiled passes give what the SQL gives, for one attribute and for two."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from dpcore.measures import MEASURES, measure_named
from dpcore.measures.attribute import Categories
from dpcore.measures.choices import USUAL, KeyChoices
from dpcore.privacy import ContributionBound
from dpcore.private.engine.compiled import counting
from tests.engines import Made, by_sql, cells
from tests.private.engine.test_compiled import BOUNDS, CHOICES, TRIP

MODE, PURPOSE = Categories("mode", ("bus", "rail", "bike")), Categories("purpose", ("work",))


def split_measures(by, choices=USUAL):
    asked = replace(choices, splits=by)
    made = [measure_named(name, asked) for name in MEASURES]
    return [measure for measure in made if measure.splits or not measure.reads_gaps]


def with_categories(table, seed):
    rng = np.random.default_rng(seed)
    for one in (MODE, PURPOSE):
        table = table.append_column(
            one.column, pa.array(rng.integers(0, len(one.labels), len(table)), pa.int32())
        )
    return table.combine_chunks()


def must_agree(table, bound, measures):
    found = counting.count(table.select(counting.columns_read(measures, bound)), bound, measures)
    for name, expected in by_sql(table, bound, measures).items():
        assert cells(found[name]) == cells(expected), name
        keys = found[name][:-1].T.tolist()
        assert keys == sorted(keys)
        assert found[name].dtype == np.int64


@pytest.mark.parametrize("by", [(MODE,), (PURPOSE, MODE)], ids=["one", "two"])
@pytest.mark.parametrize("bound", BOUNDS, ids=lambda bound: str(bound.max_trips))
@pytest.mark.parametrize("few_hashes", [False, True], ids=["ways", "ties"])
def test_every_split_is_counted_as_the_sql_counts_it(bound, few_hashes, by):
    for seed in range(2):
        table = Made(seed).table(people=1 + 6 * seed, few_hashes=few_hashes)
        must_agree(with_categories(table, seed), bound, split_measures(by))


def test_with_other_keys_too():
    for number, choices in enumerate(CHOICES):
        table = with_categories(Made(number).table(few_hashes=True), number)
        must_agree(table, ContributionBound.per_user(2), split_measures((MODE,), choices))


def test_of_no_rows_and_of_one_category_alone():
    table = with_categories(Made(3).table(), 3)
    for bound in (TRIP, ContributionBound.per_user(2)):
        must_agree(table[:0], bound, split_measures((MODE,)))
        of_one = table.filter(pa.array(table[MODE.column].to_numpy() == 4)).combine_chunks()
        must_agree(of_one, bound, split_measures((MODE, PURPOSE)))


@pytest.mark.parametrize("name", [name for name, one in MEASURES.items() if one.terms])
def test_alone_a_split_is_counted_as_among_others(name):
    measure = measure_named(name, KeyChoices(splits=(MODE,)))
    table = with_categories(Made(4).table(few_hashes=True), 4)
    for bound in (TRIP, ContributionBound.per_user(2)):
        alone = counting.count(table, bound, [measure])[name]
        among = counting.count(table, bound, split_measures((MODE,)))[name]
        assert cells(alone) == cells(among) == cells(by_sql(table, bound, [measure])[name])
