"""Prepared trips as trips between tiles and as trip ends: each row by its own values, bounded person by person."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import date
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from dpcore.errors import InputError, PrivacyError
from dpcore.kinds.roy.choices import domain_of
from dpcore.kinds.roy.private.station_trips import exact_tables, kept_of_each, station_trips_of
from dpcore.kinds.roy.workload import SynthesisPlan
from dpcore.kinds.stability.choices import StabilityChoices, usual_variant
from dpcore.kinds.stability.private.trip_ends import occupied, trip_ends_of
from dpcore.measures import MEASURES
from dpcore.measures.keys import Period
from dpcore.privacy import ContributionBound
from dpcore.private.bounding import bounded
from dpcore.private.exact import exact_answers
from dpcore.private.synthetic.reading import seconds_of_day
from tests.cities import Trip, four_tiles, private, rows_of, with_rows

WEEK = Period(date(2024, 4, 1), date(2024, 4, 7))
THREE = ContributionBound.per_user(3)


def domain(**more):
    return domain_of(four_tiles(), WEEK, **more)


def city(without: str | None = None) -> list[Trip]:
    """Twenty people with one to seven trips."""
    rows = [
        Trip(
            f"u{user}",
            "ABCD"[user % 4],
            "ABCD"[trip % 4],
            f"2024-04-0{1 + trip} {8 + user % 9:02d}:{trip * 7:02d}",
            f"2024-04-0{1 + trip} {9 + user % 9:02d}:{user:02d}",
        )
        for user in range(20)
        for trip in range(1 + user % 7)
    ]
    return [row for row in rows if row.user != without]


def test_a_trip_is_coded_by_its_tiles_its_clock_and_its_length():
    columns = station_trips_of(
        private([Trip("u", "B", "C", "2024-04-03 23:50", "2024-04-04 00:20")]), four_tiles(), domain()
    ).columns
    assert (columns.start[0], columns.end[0], columns.date[0]) == (1, 2, 2)
    assert (columns.second[0], columns.seconds[0]) == (23 * 3600 + 50 * 60, 1800)


@pytest.mark.parametrize(
    "row",
    [
        Trip("u", "outside", "B"),
        Trip("u", "A", "outside"),
        Trip("u", None, "B"),
        Trip("u", "A", "B", "2024-03-31 23:59", "2024-04-01 00:30"),
        Trip("u", "A", "B", "2024-04-08 00:00", "2024-04-08 00:30"),
        Trip("u", "A", "B", "2024-04-02 08:00", "2024-04-02 08:00"),
        Trip("u", "A", "B", "2024-04-02 08:00", "2024-04-03 08:00"),
    ],
)
def test_a_trip_outside_the_public_domain_is_left_out(row):
    both = station_trips_of(private([row, Trip("u", "A", "B")]), four_tiles(), domain())
    assert len(both.columns) == len(both.users) == len(both.ranks) == 1


def test_other_tiles_and_attributes_that_the_form_lacks_are_refused():
    with pytest.raises(PrivacyError, match="not the tiles"):
        station_trips_of(private(city()), replace(four_tiles(), tile_ids=("A", "B", "C", "E")), domain())
    with pytest.raises(InputError, match="attribute"):
        station_trips_of(private(city()), four_tiles(), domain(extras=("gender",)))


def test_flows_are_those_of_the_other_road():
    """The same keyed hash bounds the same trips as tables of releases count."""
    trips = private(city())
    plan = SynthesisPlan(domain(), THREE, Fraction(1))
    flows = exact_tables(station_trips_of(trips, four_tiles(), plan.domain), plan).counts["start+end"]
    measure = MEASURES["od_flows"]
    other = exact_answers(bounded(trips, THREE), [measure]).dense(measure, measure.keys(("A", "B", "C", "D")))
    assert np.array_equal(flows, other.reshape(5, 5)[:4, :4])


@pytest.mark.parametrize("gone", ["u6", "u13", "u3", "u0"])
def test_one_person_changes_each_table_by_at_most_m(gone):
    plan = SynthesisPlan(domain(), THREE, Fraction(1))
    here, there = (
        exact_tables(station_trips_of(private(rows), four_tiles(), plan.domain), plan).counts
        for rows in (city(), city(without=gone))
    )
    for name, table in here.items():
        assert np.abs(table - there[name]).sum() == min(3, 1 + int(gone[1:]) % 7)


def test_what_is_kept_does_not_depend_on_the_order_or_the_batches():
    rows, plan = city(), SynthesisPlan(domain(), THREE, Fraction(1))
    found = [
        exact_tables(station_trips_of(trips, four_tiles(), plan.domain), plan).counts
        for trips in (private(rows), private(rows[::-1]), private(rows, batch_rows=7))
    ]
    for name, table in found[0].items():
        assert all(np.array_equal(table, other[name]) for other in found[1:])
    whole = station_trips_of(private(rows), four_tiles(), plan.domain)
    assert len(kept_of_each(whole, ContributionBound.per_trip()).columns) == len(rows)


def test_the_clock_is_that_of_the_city():
    instants = np.array(["2024-06-01T12:10", "2024-01-01T12:10"], "datetime64[us]").astype(np.int64)
    for zone, clocks in (
        ("UTC", ["12:10"] * 2),
        ("Europe/Berlin", ["14:10", "13:10"]),
        ("Asia/Kolkata", ["17:40"] * 2),
    ):
        _, seconds = seconds_of_day(pa.array(instants), zone)
        assert [f"{s // 3600}:{s // 60 % 60}" for s in seconds.tolist()] == clocks


def test_attributes_come_from_the_prepared_columns_on_public_lists():
    trips = private([Trip("u", "A", "B"), Trip("v", "A", "B"), Trip("w", "A", "B")])
    table = rows_of(trips)
    for name, values in {
        "zip": ["1", None, "7"],
        "gender": ["female", "unknown", "male"],
        "user_type": ["Casual", "Registered", None],
    }.items():
        if f"extra_{name}" in table.column_names:
            table = table.drop_columns([f"extra_{name}"])
        table = table.append_column(f"extra_{name}", pa.array(values, pa.string()).dictionary_encode())
    trips = with_rows(trips, table)
    of = domain(extras=("user_type", "zip", "gender"), zips=("1", "2"))
    extras = station_trips_of(trips, four_tiles(), of).columns.extras
    coded = zip(*(extras[name].tolist() for name in ("zip", "gender", "user_type")), strict=True)
    assert sorted(coded) == [(0, 1, 1), (2, 0, 2), (2, 2, 0)]


def choices(bound, period=WEEK):
    return StabilityChoices(bound, Fraction(6), Fraction(1, 10**6), usual_variant(bound.unit), period=period)


@pytest.mark.parametrize("period", [WEEK, None])
def test_trip_ends_are_counted_as_by_a_loop_over_texts(period):
    rows = [*city(), Trip("x", "outside", "B"), Trip("y", "A", "B", "2024-05-01 08:00", "2024-05-01 08:20")]
    plan = choices(ContributionBound.per_trip(), period).plan()
    found = trip_ends_of(private(rows), four_tiles(), plan)

    def quarter(clock):
        return f"{clock[:2]}:{int(clock[3:]) // 15 * 15:02d}"

    days = [part[0] for part in plan.partitions] if period else []
    listed = [row for row in rows if not period or row.start[:10] in days]
    texts = {
        "on_time": [quarter(row.start[11:]) for row in listed],
        "off_time": [quarter(row.end[11:]) for row in listed],
        "on_loc": ["UNKNOWN" if row.origin == "outside" else row.origin for row in listed],
        "off_loc": [row.destination for row in listed],
    }
    parts = [days.index(row.start[:10]) if period else 0 for row in listed]
    for one in plan.combinations:
        assert keyed(found, one) == Counter(zip(parts, *(texts[name] for name in one.columns), strict=True))


def keyed(found, one):
    """Count by part and texts of the key."""
    keys, counts = occupied(found, one)
    shape = (len(found.plan.partitions), *(len(found.columns[name].texts) for name in one.columns))
    part, *codes = np.unravel_index(keys, shape)
    texts = [np.array(found.columns[name].texts)[code] for name, code in zip(one.columns, codes, strict=True)]
    return dict(zip(zip(part.tolist(), *texts, strict=True), counts.tolist(), strict=True))


@pytest.mark.parametrize("gone", ["u6", "u13", "u0"])
def test_one_person_changes_each_combination_by_at_most_m_over_all_days(gone):
    plan = choices(THREE).plan()
    here, there = (trip_ends_of(private(rows), four_tiles(), plan) for rows in (city(), city(without=gone)))
    for one in plan.combinations:
        with_all, without = keyed(here, one), keyed(there, one)
        change = sum(abs(with_all.get(key, 0) - without.get(key, 0)) for key in with_all.keys() | without)
        assert change == min(3, 1 + int(gone[1:]) % 7)


@pytest.mark.parametrize("one", ["u6", "u13"])
def test_the_trip_ends_of_a_person_depend_on_nobody_else(one):
    plan = choices(THREE).plan()

    def kept(rows):
        found = trip_ends_of(private(rows), four_tiles(), plan)
        return sorted(zip(found.part, *(column.codes for column in found.columns.values()), strict=True))

    mine, rest = kept([row for row in city() if row.user == one]), kept(city(without=one))
    assert len(mine) == 3
    assert sorted(mine + rest) == kept(city())


@pytest.mark.parametrize("most", [1, 2, 3])
def test_one_trip_more_of_a_person_changes_each_table_by_at_most_two_under_any_bound(most):
    """What a trip pays for in an account of trips: it may displace a kept one."""
    bound, reached = ContributionBound.per_user(most), set()
    plan, keys = SynthesisPlan(domain(), bound, Fraction(1)), choices(bound).plan()
    rows = [
        Trip("u", "ABCD"[i % 4], "ABCD"[i // 2], f"2024-04-0{1 + i} 0{i}:10", f"2024-04-0{1 + i} 1{i}:30")
        for i in range(6)
    ]
    for left_out in range(len(rows)):
        pair = [private(rows), private(rows[:left_out] + rows[left_out + 1 :])]
        here, there = (
            exact_tables(station_trips_of(trips, four_tiles(), plan.domain), plan).counts for trips in pair
        )
        reached |= {int(np.abs(table - there[name]).sum()) for name, table in here.items()}
        with_it, without = (trip_ends_of(trips, four_tiles(), keys) for trips in pair)
        for one in keys.combinations:
            counted, fewer = keyed(with_it, one), keyed(without, one)
            reached.add(sum(abs(counted.get(k, 0) - fewer.get(k, 0)) for k in counted.keys() | fewer))
    assert reached <= {0, 1, 2}
    assert 2 in reached


def test_a_tile_that_is_called_as_what_is_not_known_is_refused():
    tiles = replace(four_tiles(), tile_ids=("A", "B", "C", "UNKNOWN"))
    trips = replace(private(city()), tiles_digest=tiles.digest, tile_ids=tiles.tile_ids)
    with pytest.raises(PrivacyError, match="unknown places"):
        trip_ends_of(trips, tiles, choices(THREE).plan())
    station_trips_of(trips, tiles, domain_of(tiles, WEEK))  # here it means nothing


def test_trip_ends_of_people_need_users_and_more_keys_than_numbers_are_refused(monkeypatch):
    nobody = private([Trip(None, "A", "B")], has_users=False)
    with pytest.raises(PrivacyError, match="user column"):
        trip_ends_of(nobody, four_tiles(), choices(THREE).plan())
    monkeypatch.setattr("dpcore.kinds.stability.private.trip_ends._WIDE", 1_000)
    with pytest.raises(InputError, match="coarser"):
        trip_ends_of(private(city()), four_tiles(), choices(THREE).plan())
