"""Points become trips by a rule: as its definition says, whatever their order, their files and the blocks they are read in."""

from __future__ import annotations

import random
from collections import Counter
from datetime import datetime

import pytest

from dpcore import limits
from dpcore.errors import InputError
from dpcore.measures.trip_rule import TripRule, with_rule
from dpcore.private.loading import load
from dpcore.private.source import BadRecords, Together, TripsFile, inspect
from tests.cities import four_tiles
from tests.points_of import GAP, STAYS, files_of, point, some_points, spoilt, trips_of

HEADER = "uid,datetime,lat,lng\n"
RULES = pytest.mark.parametrize("rule", [GAP, STAYS], ids=["gap", "stays"])


def cut(files, rule, **options):
    """The trips of some files, and the report."""
    pairs = [(file, inspect(file)) for file in files]
    together = Together(pairs, rule, timezone="UTC", bad_records=BadRecords.DROP, **options)
    return [row for batch in together.batches() for row in batch.to_pylist()], together.report


def expected(people, rule):
    """User, times, places and the way of each trip, by the definition."""
    found = Counter()
    for user, rows in people.items():
        for trip in trips_of(rows, rule):
            ends = [trip[0], trip[-1]] if len(trip) > 1 else [None, trip[0]]
            found[user, *map(end, ends), tuple(map(place, trip[1:-1]))] += 1
    return found


def end(row):
    return None if row is None else (datetime.fromisoformat(row[1]), *place(row))


def place(row):
    return float(row[2]), float(row[3])


def found(rows):
    def of(row, side, time):
        known = row[time] is not None
        return (row[time], row[f"{side}_lat"], row[f"{side}_lng"]) if known else None

    return Counter(
        (
            row["user_id"],
            of(row, "start", "started_at"),
            of(row, "end", "ended_at"),
            tuple((point["lat"], point["lng"]) for point in row["via"] or ()),
        )
        for row in rows
    )


@RULES
@pytest.mark.parametrize("in_memory", [10**6, 7], ids=["in memory", "through files"])
def test_trips_are_those_of_the_definition_in_any_order_and_any_files(rule, in_memory, monkeypatch, tmp_path):
    monkeypatch.setattr(limits, "MAX_POINTS_IN_MEMORY", in_memory)
    monkeypatch.setattr(limits, "CSV_BLOCK_BYTES", 300)
    rng = random.Random(11)
    for _ in range(4):
        people = {user: some_points(rng, user, rng.choice([1, 5, 40])) for user in ("u", "7", "07", "7.0")}
        rows = [row for mine in people.values() for row in mine]
        bad = [spoilt(rng, user) for user in people for _ in range(2)]
        made, report = cut(files_of(rows + bad, rng), rule, work_folder=tmp_path)
        assert found(made) == expected(people, rule)
        assert (report.records, report.trips) == (len(rows) + len(bad), len(made))
    assert list(tmp_path.iterdir()) == []


def test_a_gap_is_longer_than_the_rule_and_a_stay_at_least_as_long():
    rows = [point("u", minute, 0.5, 0.5) for minute in (0, 30, 61)]
    assert [len(trip) for trip in trips_of(rows, GAP)] == [2, 1]
    ((visit, trip), report) = cut(files_of(rows, random.Random(1), 1), GAP)
    assert sorted([visit["complete"], trip["complete"]]) == [False, True]
    assert report.incomplete == 1
    # the second stay has a single point, which the third ends 20 minutes later; the third is ended by nothing
    rows = [point("u", minute, lat, 0.5) for minute, lat in [(0, 0.5), (20, 0.8), (40, 1.5), (59, 1.5)]]
    (trip,), report = cut(files_of(rows, random.Random(1), 1), STAYS)
    assert (trip["start_lat"], trip["end_lat"]) == (0.5, 0.8)
    assert report.notes == (
        "points within a stay, or before the first or after the last one, which are in no trip: 2",
    )


def test_what_is_no_point_is_counted_apart_and_names_no_cell():
    text = HEADER + "u,2024-04-01 10:00:00,0.5,0.5\nu,,0.5,0.5\nu,2024-04-01 10:05:00,,0.5\nu,canary,1,1\n"
    rows, report = cut([TripsFile.uploaded("p.csv", text.encode())], GAP)
    assert len(rows) == 1
    assert report.notes == ("records without a time or a place, which are in no trip: 2",)
    assert (report.dropped_records, report.dropped[0].places) == (1, (5,))
    file = TripsFile.uploaded("p.csv", text.encode())
    with pytest.raises(InputError, match=r"p\.csv, line 5, column datetime") as error:
        load(file, inspect(file), four_tiles(), timezone="UTC", rule=GAP)
    assert "canary" not in str(error.value)


def test_a_rule_is_needed_by_points_and_refused_for_trips():
    points, trips = (
        TripsFile.uploaded("t.csv", text.encode()) for text in (HEADER, "uid,tid,datetime,lat,lng\n")
    )
    with pytest.raises(InputError, match=r"points without trip ids.*--trip-gap 30min.*--stays 200m,20min"):
        load(points, inspect(points), four_tiles(), timezone="UTC")
    with pytest.raises(InputError, match=r"trips of its own: t\.csv.*Leave --stays out"):
        load(trips, inspect(trips), four_tiles(), timezone="UTC", rule=STAYS)


def test_the_rule_is_part_of_what_is_kept_and_the_order_of_files_is_not(monkeypatch):
    rng = random.Random(2)
    files = files_of(some_points(rng, "u", 9), rng)

    def folder(rule, given):
        return load(given, [inspect(one) for one in given], four_tiles(), timezone="UTC", rule=rule).folder

    first = folder(GAP, files)
    assert (
        len({first, folder(TripRule.by_gap("31min"), files), folder(STAYS, files), folder(GAP, files[:1])})
        == 4
    )
    monkeypatch.setattr(Together, "batches", None)  # what was read is not read again
    assert folder(TripRule.by_gap("1800s"), files[::-1]) == first


@pytest.mark.parametrize(
    ("given", "text", "words"),
    [
        ({"trip_gap": "90 MIN"}, "trip-gap 90min", "more than 90 minutes"),
        ({"trip_gap": "3600s"}, "trip-gap 1h", "more than 1 hour"),
        ({"stays": " 200 m, 20min "}, "stays 200m,20min", "20 minutes within 200 m"),
    ],
)
def test_a_rule_says_itself(given, text, words):
    rule = TripRule.of(**given)
    assert (rule.text, TripRule.of_text(text)) == (text, rule)
    assert words in rule.words
    assert TripRule.of(**rule.keywords) == rule
    assert with_rule("release", rule).split(maxsplit=1)[1] == f"--{text}"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"trip_gap": "30min", "stays": "200m,20min"}, "two rules"),
        ({"trip_gap": "30"}, "not a time"),
        ({"trip_gap": "1.5h"}, "not a time"),
        ({"trip_gap": "59s"}, "Give 1min to 7d"),
        ({"stays": "200m"}, "not a rule of stays"),
        ({"stays": "9m,20min"}, "Give 10 m to 50,000 m"),
        ({"stays": "200m,8d"}, "Give 1min to 7d"),
    ],
)
def test_what_is_no_rule_is_refused(given, said):
    with pytest.raises(InputError, match=said):
        TripRule.of(**given)


@pytest.mark.parametrize("text", ["trip-gap 60min", "gap 30min", "stays 200m, 20min", ""])
def test_only_the_text_of_a_rule_is_read_back(text):
    with pytest.raises(InputError):
        TripRule.of_text(text)


def test_a_rule_is_one_of_the_two():
    for fields in ({}, {"gap_s": 60, "metres": 200, "stay_s": 60}, {"metres": 200}):
        with pytest.raises(InputError, match="a gap, or a distance and a time"):
            TripRule(**fields)


def test_the_clock_decides_how_the_same_points_are_cut_and_the_reading_is_told():
    content = f"{HEADER}a,2024-03-31 01:50:00,0.5,0.5\na,2024-03-31 03:10:00,0.5,1.5\n".encode()
    file = TripsFile.uploaded("points.csv", content)
    berlin, utc = (
        load(file, inspect(file), four_tiles(), timezone=zone, rule=TripRule.by_gap("30min"))
        for zone in ("Europe/Berlin", "UTC")
    )
    assert (berlin.report.trips, utc.report.trips) == (1, 2), "the clock of Berlin goes from 2 to 3"
    assert berlin.read_as == utc.read_as == "datetime=datetime, lat=lat, lng=lng, uid=uid (year-first)"
    named = TripsFile.uploaded(
        "records.csv",
        content.replace(b"uid,", b"user,").replace(b"lng\n", b"lng,tid,day\n").replace(b"5\n", b"5,1,2\n"),
    )
    trips = [load(named, inspect(named, how), four_tiles(), timezone="UTC") for how in ({}, {"tid": "day"})]
    assert [one.read_as for one in trips] == ["tid=tid, uid=user", "tid=day, uid=user"]
    lines = TripsFile.uploaded("points.csv", content.partition(b"\n")[2])
    told = set()
    for header in ("uid,datetime,lat,lng", "uid,datetime,lng,lat"):
        named = lines.with_header(header)
        trips = load(named, inspect(named), four_tiles(), timezone="UTC", rule=TripRule.by_gap("30min"))
        told.add(trips.read_as)
    assert len(told) == 2, "equal names of other columns"
