"""The compiled engine gives what the SQL gives, cell by cell."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

from dpcore.measures import BINS, GRIDS, MEASURES, measure_named
from dpcore.measures.choices import KeyChoices
from dpcore.measures.keys import Period, Step
from dpcore.privacy import ContributionBound
from dpcore.private.engine.compiled import counting, people, values
from dpcore.private.engine.compiled.people import frozen
from dpcore.private.engine.compiled.values import NO_TIME
from dpcore.private.engine.merging import Sums
from dpcore.private.values import _ExactValues, _with_bins
from tests.engines import Made, by_sql, cells

TRIP = ContributionBound.per_trip()
BOUNDS = [TRIP, *map(ContributionBound.per_user, (1, 2, 5, 20))]
PERIOD = Period(date(2024, 4, 1), date(2024, 4, 9))
CHOICES = (
    KeyChoices(
        PERIOD, Step.WEEK, windows=(0, 12), edges={"travel_time": ("0", "7"), "user_time_delta": ("-3",)}
    ),
    KeyChoices(
        PERIOD,
        windows=(5,),
        visits_cap=3,
        edges={
            "travel_time": [*range(1, 50)],
            "jump_length": [*range(1, 60)],
            "radius_of_gyration": ("0.001", "2"),
            "mobility_entropy": ("0.5", "1"),
            "user_tile_count": ("2",),
            "trips_per_user": ("1", "2", "3"),
        },
    ),
    KeyChoices(PERIOD, Step.MONTH, windows=tuple(range(24)), visits_cap=1000),
    KeyChoices(PERIOD, windows=(23,), visits_cap=6, most_trips=3),
)


def every_measure():
    """Every measure with every kind of choice, on public grids, and with values told apart exactly."""
    chosen = [
        replace(measure_named(name, choices), name=f"{name} {number}")
        for number, choices in enumerate(CHOICES)
        for name in MEASURES
    ]
    grids = [_with_bins(name, GRIDS[name].bins, "grid") for name in GRIDS]
    exact = [
        _with_bins(name, _ExactValues(bins.edges, bins.units, scale=scale), f"exact {scale}")
        for name, bins in BINS.items()
        for scale in (1, 1_000_000)
        if bins.units < 10_000 or scale == 1
    ]
    return [*MEASURES.values(), *chosen, *grids, *exact]


EVERY = every_measure()


def must_agree(table, bound, measures):
    read = table.select(counting.columns_read(measures, bound))  # no other column is there to be read
    found = counting.count(read, bound, measures)
    for name, expected in by_sql(table, bound, measures).items():
        assert cells(found[name]) == cells(expected), name
        keys = found[name][:-1].T.tolist()
        assert keys == sorted(keys)
        assert found[name].dtype == np.int64


def test_every_measure_has_a_rule():
    assert all(measure.compiled_rule for measure in EVERY)


@pytest.mark.parametrize("bound", BOUNDS, ids=lambda bound: str(bound.max_trips))
@pytest.mark.parametrize("few_hashes", [False, True], ids=["ways", "ties"])
def test_every_measure_is_counted_as_the_sql_counts_it(bound, few_hashes):
    must_agree(Made(bound.trips + few_hashes).table(few_hashes=few_hashes), bound, EVERY)
    for seed in range(3):
        table = Made(100 * bound.trips + seed).table(few_hashes=few_hashes, people=1 + 4 * seed)
        must_agree(table, bound, [*MEASURES.values()])


@pytest.mark.parametrize("name", MEASURES)
def test_alone_a_measure_is_counted_as_among_others(name):
    table = Made(3).table(few_hashes=True)
    for bound in (TRIP, ContributionBound.per_user(2)):
        must_agree(table, bound, [MEASURES[name]])


def test_a_form_without_users_without_places_or_all_outside_is_counted_as_the_sql_counts_it():
    nobody = [measure for measure in EVERY if not measure.needs_users]
    must_agree(Made(1).table(users=False), TRIP, nobody)
    zones = [measure for measure in EVERY if not measure.needs_points]
    for bound in (TRIP, ContributionBound.per_user(2)):
        must_agree(Made(2).table(points=False), bound, zones)
        must_agree(Made(2).table(outside=True), bound, EVERY)


def test_rows_without_a_user_count_as_nobodys():
    known, unknown = Made(4).table(people=5), Made(5).table(people=3, users=False)
    for bound in (TRIP, ContributionBound.per_user(2)):
        must_agree(pa.concat_tables([known, unknown]).combine_chunks(), bound, [*MEASURES.values()])


def test_of_no_rows_nothing_is_counted():
    for bound in BOUNDS[:2]:
        must_agree(Made(1).table(people=1)[:0], bound, [*MEASURES.values()])


def test_part_of_a_table_is_counted_alone():
    table = Made(6).table()
    must_agree(table[7:90], TRIP, [*MEASURES.values()])


@pytest.mark.parametrize("bound", [TRIP, ContributionBound.per_user(2)], ids=["trip", "user"])
def test_the_sum_over_shards_of_whole_people_is_the_answer_for_all(bound):
    table = Made(7).table(people=20)
    measures = [*MEASURES.values()]
    whole, sums = counting.count(table, bound, measures), Sums()
    bucket = table["user_id"].to_numpy() % 7
    for number in range(8):  # of the last one nobody is
        shard = table.filter(pa.array(bucket == number)).combine_chunks()
        sums.add(counting.count(shard, bound, measures))
    for name, total in sums.totals.items():
        assert cells(total) == cells(whole[name]), name


def test_a_person_cut_in_two_would_be_noticed():
    """The tester is tested: shards that share people do not add up."""
    table, bound = Made(7).table(people=20), ContributionBound.per_user(2)
    sums, measure = Sums(), MEASURES["od_flows"]
    for half in (table[: len(table) // 2], table[len(table) // 2 :]):
        sums.add(counting.count(half.combine_chunks(), bound, [measure]))
    assert cells(sums.totals["od_flows"]) != cells(counting.count(table, bound, [measure])["od_flows"])


def test_people_whose_hashes_begin_alike_are_told_apart():
    hashes = np.array([5, 2**62, 4, 5, -(2**62), 2**62 + 1, 4, 2**62], np.int64)
    for known in (None, np.array([1, 1, 1, 1, 1, 1, 0, 1], bool)):
        found = people.people(hashes, known)
        groups = [found.order[i:j].tolist() for i, j in pairwise(found.starts)]
        assert sorted(groups) == sorted([[0, 3], [1, 7], [2] if known is not None else [2, 6], [4], [5]])


def test_a_gap_runs_from_the_trip_before_for_any_number_of_trips():
    rng = np.random.default_rng(2)
    for size in (1, 2, 15, 16, 17, 33, 500, 4097):
        everybody = people.people(np.zeros(size, np.int64), None)
        end, rnd, missing = rng.integers(0, size, size), rng.integers(0, 3, size), rng.permutation(size)
        start = np.where(rng.random(size) < 0.1, NO_TIME, end - rng.integers(0, 9, size))
        first = np.where(start == NO_TIME, end, start)
        order = np.lexsort((missing, rnd, end, first))
        expected = {
            int(row): int(start[row] - end[before])
            for before, row in pairwise(order)
            if start[row] != NO_TIME
        }
        found = values.gaps_before(everybody, *map(frozen, (start, end, rnd, missing)))
        assert {row: gap for row, gap in enumerate(found.tolist()) if gap != values.NO_GAP} == expected


def test_a_pass_is_compiled_once_for_all_tables():
    """Compiling takes a second: it is done once on a computer, not for every mixture of columns."""
    for seed, options in enumerate(({}, {"points": False}, {"outside": True}, {"few_hashes": True})):
        table = Made(seed).table(**options)
        several = pa.concat_tables([table, table])  # columns in pieces
        asked = [m for m in EVERY if options.get("points", True) or not m.needs_points]
        for bound in BOUNDS[:3]:
            counting.count(table, bound, asked)
            counting.count(several, bound, asked)
            counting.count(table.filter(table["complete"]).combine_chunks(), bound, asked)
    compiled = [
        *(people.number_of_people, people.choose, values.fill_gaps, values.fill_entropies, values.fill_radii),
        *(counting.tally, counting.tally_pairs, counting.tally_bins),
    ]
    assert [len(step.signatures) for step in compiled] == [1] * len(compiled)


def test_a_planted_bug_is_caught(monkeypatch):
    """The tester is tested: a rank that looks at more than the hash keeps other trips."""
    bound = ContributionBound.per_user(2)
    monkeypatch.setattr(counting.BoundedShard, "_tie_columns", lambda _, rows: [rows])
    table = Made(8).table(few_hashes=True)
    with pytest.raises(AssertionError):
        must_agree(table, bound, [*MEASURES.values()])


def test_radii_are_those_of_the_formula_for_near_and_far_places():
    rng = np.random.default_rng(3)
    for spread in (10, 10_000, 1_000_000, 400_000_000):
        lat = np.clip(rng.normal(5e8, spread, 40), -9e8, 9e8).astype(np.int32)
        lng = np.clip(rng.normal(1e8, 2 * spread, 40), -18e8, 18e8).astype(np.int32)
        everybody, all_known = people.people(np.zeros(40, np.int64), None), np.ones(40, bool)
        radii, columns = np.empty(1), map(frozen, (lat, lng, lat, lng, all_known, all_known))
        values.fill_radii(everybody.order, everybody.starts, *columns, radii)
        centre = np.radians([lat.sum() / 40 / 1e7, lng.sum() / 40 / 1e7])
        phi, lam = np.radians(lat / 1e7), np.radians(lng / 1e7)
        half = (
            np.sin((phi - centre[0]) / 2) ** 2
            + np.cos(centre[0]) * np.cos(phi) * np.sin((lam - centre[1]) / 2) ** 2
        )
        metres = 12742017.6 * np.arcsin(np.sqrt(np.minimum(1, half)))
        assert radii[0] == pytest.approx(np.sqrt(np.mean(metres**2)), rel=1e-14)


@pytest.mark.parametrize("top", [5, 2**32 - 1, 2**32, 2**33, 2**62])
def test_keys_of_any_size_are_counted(top):
    keys = np.array([top, 0, top - 1, top, 3, 0, top], np.int64)
    found, counts = counting._counted_keys(keys.copy())
    assert found.dtype == np.int64
    assert {*zip(found.tolist(), counts.tolist(), strict=True)} == {(0, 2), (3, 1), (top - 1, 1), (top, 3)}
    assert (np.diff(found) > 0).all()


def test_no_keys_are_counted():
    assert [len(one) for one in counting._counted_keys(np.empty(0, np.int64))] == [0, 0]
