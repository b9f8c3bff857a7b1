"""Brute force over neighbouring files: from their bytes to exact answers, no privacy unit moves more than it may.

``test_neighbours.py`` does the same for prepared trips; here pairing, checking, dropping and the borders of
blocks stand between the records and the counts.
"""

from __future__ import annotations

import io
import json
import random
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dpcore import limits
from dpcore.measures import MEASURES as ALL_MEASURES
from dpcore.measures import measure_named
from dpcore.measures.choices import KeyChoices
from dpcore.measures.keys import Period
from dpcore.privacy import ContributionBound
from dpcore.private import store
from dpcore.private.bounding import bounded
from dpcore.private.exact import ExactAnswers
from dpcore.private.loading import load
from dpcore.private.source.reading import inspect
from dpcore.private.source.report import BadRecords
from dpcore.private.source.trips_file import TripsFile
from dpcore.private.trips import PrivateTrips
from tests import engines
from tests.cities import DISTRICTS, PLACES, four_tiles
from tests.engines import count

TILE_IDS = four_tiles().tile_ids
CHOICES = KeyChoices(Period(date(2024, 4, 1), date(2024, 4, 9)), districts=DISTRICTS, most_trips=2)
MEASURES = {name: measure_named(name, CHOICES) for name in ALL_MEASURES}
M = 3
PAIRS = 8  # for each form; twice as many of single trips, which reach less by chance
RECORDS = ("uid", "tid", "datetime", "lat", "lng")
TRIPS = ("user_id", "started_at", "ended_at", "start_lat", "start_lng", "end_lat", "end_lng")
TIME, DEGREES = pa.timestamp("us"), pa.float64()


@dataclass(frozen=True)
class Written:
    """One trip as the rows of a file that belong to it, and as nobody else's."""

    rows: tuple[tuple, ...]


City = list[list[Written]]
"""The trips of each user."""


def point(rng: random.Random, place: str) -> tuple[float, float]:
    """Latitude and longitude near a place."""
    lng, lat = PLACES[place]
    return lat + rng.choice([0, 0.25, -0.25]), lng + rng.choice([0, 0.25, -0.25])


def times(rng: random.Random) -> tuple[datetime, datetime]:
    start = datetime.fromisoformat("2024-04-01") + timedelta(minutes=rng.randrange(9 * 24 * 60))
    return start, start + timedelta(minutes=rng.choice([0, 5, 40, 24 * 60]))


def as_records(rng: random.Random, user: str, number: int, bad: bool) -> Written:
    """A trip of one to four records, maybe with one that is refused; its id is unique within its user only."""
    start, end = times(rng)
    at = [start, end, *(start + (end - start) * rng.random() for _ in range(rng.choice([0, 0, 1, 2])))]
    if rng.random() < 0.2:
        at = at[:1]
    rows = [(user, str(number), moment.replace(microsecond=0), *point(rng, some_place(rng))) for moment in at]
    if bad:
        spoilt = list(rng.choice(rows))
        spoilt[rng.choice([2, 3])] = "nonsense"
        rows.append(rng.choice([tuple(spoilt), (*rows[0], "one field more"), (user, str(number), "", 1, 1)]))
    if rng.random() < 0.5:
        rows += [(user, str(number), "", "", "")] * 3
    return Written(tuple(rows))


def as_trips(rng: random.Random, user: str, _: int, bad: bool) -> Written:
    """A trip in one row, maybe without its start; a bad one is dropped as a whole."""
    start, end = times(rng)
    here, there = point(rng, some_place(rng)), point(rng, some_place(rng))
    if rng.random() < 0.2:
        start, here = None, (None, None)
    if bad:
        there = (99.0, there[1])
    return Written(((user, start, end, *here, *there),))


def as_lines(rng: random.Random, user: str, _: int, bad: bool) -> Written:
    """A trip along a line: its times and its line are spelled in any way, each by itself."""
    moments = (moment.replace(tzinfo=UTC) for moment in times(rng))
    start, end = (
        rng.choice([f"{one.timestamp():.0f}", f"{1000 * one.timestamp():.0f}", f"{one:%d/%m/%Y %H:%M}", f"{one:%d.%m.%y %H:%M}",
                    f"{one:%a %b %d %H:%M:%S +0000 %Y}", f"{one:%Y-%m-%d %H:%M} +0000"])
        for one in moments
    )  # fmt: skip
    points = [point(rng, some_place(rng)) for _ in range(rng.choice([2, 2, 3]))]
    pairs = [[lng, lat] for lat, lng in points]
    wkt = ", ".join(f"{lng} {lat}" for lat, lng in points)
    line = rng.choice(
        [
            f"LINESTRING ({wkt})",
            f"multipoint({wkt})",
            json.dumps({"type": "LineString", "coordinates": pairs}),
            "",
        ]
    )
    if bad:
        line = rng.choice(
            [
                "LINESTRING (1 2",
                "POINT (1 2)",
                "LINESTRING (1 2, 3 400)",
                '{"type": "LineString"}',
                "[[1, 2], [3, 4]]",
            ]
        )
    return Written(((user, start, end, line),))


def as_tracks(rng: random.Random, _user: str, number: int, bad: bool) -> Written:
    """A trip in one row, whose end follows from its places, or stays unknown; nobody knows whose it is."""
    places = [point(rng, some_place(rng)) for _ in range(rng.choice([0, 1, 2, 2, 3, 200]))]
    track = json.dumps([[lng, lat] for lat, lng in places])
    if bad:
        track = rng.choice([track[:-1], "[[1, 2], [3, 400]]", "[[1, 2], [3]]", '[[1, 2]]","', "POINT (1 2)"])
    at = f"{times(rng)[0].replace(tzinfo=UTC).timestamp():.0f}"
    return Written(((number, "7", at, rng.choice(["False", "False", "True", ""]), track),))


def as_rides(rng: random.Random, user: str, number: int, bad: bool) -> Written:
    """A trip of a green taxi of 2014, which may end in empty fields that the header does not name."""
    ((_, start, end, *places),) = as_trips(rng, user, number, bad).rows
    more = rng.choice([(), ("",), ("", "")]) if not bad else rng.choice([("x",), ("", "", ""), ("", "x"), ()])
    return Written(((start, end, *places, number, *more),))


def some_place(rng: random.Random) -> str:
    return rng.choice(["A", "A", "A", *PLACES])


def some_city(rng: random.Random, as_form, some_bad: bool) -> City:
    """A few users; some with more than M trips, some whose trips are all the same."""
    city = []
    for user in rng.sample(["u", "7", "07", "7.0", 'ü, "Ü"'], rng.randint(1, 4)):
        count = rng.choice([1, M, M + 1, 2 * M + 1])
        seed, same = rng.random(), rng.random() < 0.4
        city.append(
            [
                as_form(random.Random(seed if same else seed + i), user, i, some_bad and rng.random() < 0.2)
                for i in range(count)
            ]
        )
    return city


def field(value: object) -> str:
    text = "" if value is None else str(value)
    return '"' + text.replace('"', '""') + '"' if any(mark in text for mark in ',"') else text


def csv(header: tuple[str, ...], rows: list[tuple]) -> bytes:
    return "".join(",".join(map(field, row)) + "\n" for row in [header, *rows]).encode()


def parquet(header: tuple[str, ...], rows: list[tuple]) -> bytes:
    types = [pa.string(), TIME, TIME, *[DEGREES] * 4]
    columns = [pa.array([row[i] for row in rows], kind) for i, kind in enumerate(types)]
    out = io.BytesIO()
    pq.write_table(pa.table(columns, names=list(header)), out, row_group_size=3)
    return out.getvalue()


FORMS = {
    "records.csv": (as_records, csv, RECORDS),
    "trips.csv": (as_trips, csv, TRIPS),
    "trips.parquet": (as_trips, parquet, TRIPS),
    "tracks.csv": (as_tracks, csv, ("TRIP_ID", "TAXI_ID", "TIMESTAMP", "MISSING_DATA", "POLYLINE")),
    "rides.csv": (
        as_rides,
        csv,
        (
            *("lpep_pickup_datetime", "Lpep_dropoff_datetime", "Pickup_latitude", "Pickup_longitude"),
            *("Dropoff_latitude", "Dropoff_longitude", "Trip_type "),
        ),
    ),
    "lines.csv": (as_lines, csv, ("Rider ID", "Started At", "finished_at", "geom")),
}


def loaded(name: str, city: City, rng: random.Random, bad_records: BadRecords) -> PrivateTrips:
    """The city written in no order, uploaded, inspected and read."""
    rows = [row for trips in city for trip in trips for row in trip.rows]
    rng.shuffle(rows)  # the order of a file means nothing
    _, write, header = FORMS[name]
    file = TripsFile.uploaded(name, write(header, rows))
    seen = inspect(file, times="day-first" if name == "lines.csv" else None)
    return load(file, seen, four_tiles(), timezone="Europe/Berlin", bad_records=bad_records)


def tables(trips: PrivateTrips, bound: ContributionBound) -> dict[str, np.ndarray]:
    asked = {name: m for name, m in MEASURES.items() if trips.has_users or not m.needs_users}
    answers = ExactAnswers(count(bounded(trips, bound), [*asked.values()]))
    return {name: answers.dense(m, m.keys(TILE_IDS)) for name, m in asked.items()}


def kept(trips: PrivateTrips, bound: ContributionBound) -> Counter:
    """The kept trips as a multiset of what measures read."""
    return engines.kept(bounded(trips, bound))


def a_user(rng: random.Random, city: City) -> tuple[City, City]:
    """The city without one user, and that user alone."""
    gone = rng.randrange(len(city))
    return city[:gone] + city[gone + 1 :], [city[gone]]


def a_trip(rng: random.Random, city: City) -> tuple[City, City]:
    """The city without one trip, and that trip alone."""
    fewest = min(range(len(city)), key=lambda user: len(city[user]))
    user = rng.choice([fewest, *range(len(city))])  # with its last trip a user goes, too
    gone = rng.randrange(len(city[user]))
    left = [*city[:user], city[user][:gone] + city[user][gone + 1 :], *city[user + 1 :]]
    return left, [[city[user][gone]]]


@pytest.mark.parametrize(
    ("form", "block_bytes", "runs"),
    [
        # blocks so small that they cut trips and users, and pairing that goes through files
        ("records.csv", 200, 5),
        ("records.csv", 2**20, 10**6),
        ("trips.csv", 200, 5),
        ("trips.parquet", 2**20, 10**6),
    ],
    ids=["records, tiny blocks", "records, one block", "trips, tiny blocks", "trips, Parquet"],
)
@pytest.mark.parametrize(
    ("bound", "split"),
    [(ContributionBound.per_user(M), a_user), (ContributionBound.per_trip(), a_trip)],
    ids=["user", "trip"],
)
def test_from_bytes_to_answers_no_unit_moves_more_than_the_sensitivity(
    form, block_bytes, runs, bound, split, monkeypatch
):
    monkeypatch.setattr(limits, "CSV_BLOCK_BYTES", block_bytes)
    monkeypatch.setattr(limits, "MAX_RUNS_IN_MEMORY", runs)
    rng = random.Random(20_240_402 if split is a_user else 1)  # chosen so that all is reached soon
    worst = dict.fromkeys(MEASURES, 0)
    dropped = 0
    for pair in range(PAIRS if split is a_user else 2 * PAIRS):
        some_bad = pair % 2 == 1
        policy = BadRecords.DROP if some_bad else BadRecords.REFUSE
        city = some_city(rng, FORMS[form][0], some_bad)
        left, gone = split(rng, city)
        here, there, alone = (loaded(form, part, rng, policy) for part in (city, left, gone))
        dropped += sum(drop.count for drop in here.report.dropped)
        assert kept(here, bound) == kept(there, bound) + kept(alone, bound)  # nobody else's trips changed
        before, after = tables(here, bound), tables(there, bound)
        for name in MEASURES:
            worst[name] = max(worst[name], int(np.abs(before[name] - after[name]).sum()))
    assert dropped > 0
    most = {name: measure.sensitivity(bound) for name, measure in MEASURES.items()}
    if form != "records.csv":  # a trip in one row has at least one time, so five empty fields at most
        assert worst.pop("missing_values") <= most.pop("missing_values") // 6 * 5
    # few trips here are incomplete; tests/test_neighbours.py reaches this one
    assert 0 < worst.pop("incomplete_trips") <= most.pop("incomplete_trips")
    assert worst == most


@pytest.mark.parametrize(
    ("form", "bound", "split"),
    [
        ("lines.csv", ContributionBound.per_user(M), a_user),
        ("lines.csv", ContributionBound.per_trip(), a_trip),
        ("tracks.csv", ContributionBound.per_trip(), a_trip),
        ("rides.csv", ContributionBound.per_trip(), a_trip),
    ],
)
def test_nor_does_one_whose_times_and_lines_are_spelled_in_any_way(form, bound, split, monkeypatch):
    monkeypatch.setattr(limits, "CSV_BLOCK_BYTES", 200)
    rng = random.Random(5)
    dropped = 0
    for pair in range(PAIRS // 2):
        city = some_city(rng, FORMS[form][0], some_bad=pair > 0)
        parts = (city, *split(rng, city))
        here, there, alone = (loaded(form, part, rng, BadRecords.DROP) for part in parts)
        dropped += here.report.dropped_records
        assert kept(here, bound) == kept(there, bound) + kept(alone, bound)
        before, after = tables(here, bound), tables(there, bound)
        assert all(
            np.abs(before[name] - after[name]).sum() <= MEASURES[name].sensitivity(bound) for name in before
        )
    assert dropped > 0


def test_keeping_the_first_trips_of_the_file_would_be_noticed(monkeypatch):
    """The tester is tested: a choice of trips that looks at the whole file changes what is kept of others."""
    rng, bound = random.Random(3), ContributionBound.per_user(M)
    city = [[as_trips(rng, user, i, False) for i in range(2 * M + 1)] for user in "uvw"]
    global_rank = (
        "SELECT start_tile, end_tile, start_hour, end_hour, complete FROM trips ORDER BY rnd LIMIT 5"
    )
    monkeypatch.setattr("dpcore.private.engine.duckdb.KEPT_TRIPS", global_rank)
    here, there, alone = (
        kept(loaded("trips.csv", part, rng, BadRecords.REFUSE), bound) for part in (city, city[1:], city[:1])
    )
    assert here != there + alone


@pytest.fixture(autouse=True)
def one_key(own_home):
    """The same trips are kept in every run, so that reaching a bound is no matter of luck."""
    place = store.folder("keys") / "bounding.key"
    store.write_once(place, bytes(range(16)))
    assert place.is_relative_to(own_home)
