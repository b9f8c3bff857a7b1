import threading
import time
from dataclasses import replace

import duckdb
import numpy as np
import pytest

from dpcore.errors import InputError, InternalError, PrivacyError
from dpcore.measures import MEASURES, measure_named
from dpcore.measures.choices import KeyChoices
from dpcore.measures.data_form import DataForm
from dpcore.measures.measure import Engine
from dpcore.privacy import ContributionBound
from dpcore.private import exact
from dpcore.private.bounding import bounded
from dpcore.private.engine import duckdb as engine
from dpcore.private.engine.compiled import counting
from dpcore.private.exact import answer_file, exact_answers
from dpcore.private.prepared import LocalRows, Part
from dpcore.private.prepared.files import run_name
from dpcore.private.trips import local_rows
from tests.cities import Trip, four_tiles, private

TILE_IDS = four_tiles().tile_ids
PER_TRIP = ContributionBound.per_trip()


def on_sql(trips):
    return replace(trips, engine=Engine.DUCKDB)


def table(trips, name, bound=PER_TRIP):
    measure = MEASURES[name]
    answers = exact_answers(bounded(trips, bound), [measure])
    return answers.dense(measure, measure.keys(TILE_IDS))


def test_a_trip_with_one_end_counts_where_it_ended_and_has_no_flow():
    trips = private([Trip("u", None, "C"), Trip("u", "A", "C")])
    assert table(trips, "visits_per_tile").tolist() == [1, 0, 2, 0, 0]
    assert table(trips, "od_flows").sum() == 1


def test_hours_belong_to_each_end_and_days_to_the_end():
    friday_night = Trip("u", "A", "B", "2024-04-05 23:50", "2024-04-06 00:10")
    trips = private([friday_night])
    hours = table(trips, "trips_per_hour").reshape(2, 2, 24)
    assert hours[0, 0, 23] == hours[1, 1, 0] == 1
    assert hours.sum() == 2
    assert table(trips, "trips_per_weekday").tolist() == [0, 0, 0, 0, 0, 1, 0]


def test_points_in_no_tile_count_as_outside():
    trips = private([Trip("u", "outside", "outside")])
    assert table(trips, "visits_per_tile").tolist() == [0, 0, 0, 0, 2]
    assert table(trips, "od_flows")[-1] == 1


def test_arrivals_belong_to_the_window_and_day_type_of_their_own_hour():
    ends = [
        "2024-04-05 23:30",
        "2024-04-06 00:30",
        "2024-04-06 01:59",
        "2024-04-06 02:00",
        "2024-04-08 14:00",
    ]
    trips = private([Trip("u", "A", "B", "2024-04-05 20:00", end) for end in ends])
    found = table(trips, "visits_per_time_tile").reshape(2, 6, 5)
    night = 5  # 22 to 2
    assert found[0, night, 1] == 1  # Friday night
    assert found[1, night, 1] == 2  # 00:30 on a Saturday is weekend, in the same window
    assert found[1, 0, 1] == 1
    assert found[0, 3, 1] == 1
    assert found.sum() == len(ends)


def bins(trips, name, bound=PER_TRIP):
    """Counts by where their bin begins, zeros left out."""
    axis = MEASURES[name].keys(TILE_IDS).axes[0]
    return {start: n for start, n in zip(axis.inside, table(trips, name, bound).tolist(), strict=True) if n}


def test_travel_time_keeps_whole_days_and_needs_both_ends():
    trips = [
        Trip("u", "A", "B", "2024-04-01 08:00", "2024-04-02 09:00"),  # 25 hours
        Trip("u", "A", "B", "2024-04-01 08:00", "2024-04-01 08:00"),
        Trip("u", "A", "B", "2024-04-01 08:00", "2024-04-01 08:05"),
        Trip("u", None, "B"),
    ]
    assert bins(private(trips), "travel_time") == {"-inf": 1, "5": 1, "1440": 1}


def test_jumps_are_kilometres_and_need_both_ends():
    trips = [Trip("u", "A", "A"), Trip("u", "A", "B"), Trip("u", None, "B")]
    assert bins(private(trips), "jump_length") == {"-inf": 1, "100": 1}  # a degree is about 111 km


def test_a_gap_runs_from_the_end_of_the_trip_before_and_belongs_to_the_trip_after():
    trips = [
        Trip("u", "A", "B", "2024-04-01 08:00", "2024-04-01 09:00"),
        Trip("u", "B", "A", "2024-04-01 08:50", "2024-04-01 10:00"),  # overlaps: -10 minutes
        Trip("u", None, "C", end="2024-04-01 12:00"),  # no start, so no gap of its own
        Trip("u", "C", "A", "2024-04-01 15:00", "2024-04-01 16:00"),  # 3 hours after it
        Trip("v", "C", "A", "2024-04-01 17:00", "2024-04-01 18:00"),  # another person
    ]
    assert bins(private(trips), "user_time_delta") == {"-inf": 1, "2": 1}
    assert bins(private(trips[::-1]), "user_time_delta") == {"-inf": 1, "2": 1}


def test_a_bound_keeps_gaps_as_they_were_among_all_trips():
    days = [Trip("u", "A", "B", f"2024-04-{day:02} 08:00", f"2024-04-{day:02} 09:00") for day in range(1, 29)]
    trips = private(days)
    assert bins(trips, "user_time_delta") == {"16": 27}  # 23 hours each
    kept = bins(trips, "user_time_delta", ContributionBound.per_user(5))
    assert set(kept) == {"16"}
    assert kept["16"] in (4, 5)  # the first of all trips has no gap


def test_people_are_counted_by_all_their_places():
    trips = [
        Trip("home", "A", "A"),
        Trip("even", "A", "B"),
        Trip("uneven", "A", "A"),
        Trip("uneven", "A", "B", "2024-04-02 08:00", "2024-04-02 09:00"),
        Trip("away", "outside", "outside"),
        Trip("half", None, "B"),
    ]
    for bound in (PER_TRIP, ContributionBound.per_user(1)):  # no bound touches them
        assert bins(private(trips), "user_tile_count", bound) == {"-inf": 1, "1": 2, "2": 2}
        # of 4 points 3 in one of two tiles: 0.811
        assert bins(private(trips), "mobility_entropy", bound) == {"-inf": 3, "0.8": 1, "0.9": 1}
        # one degree apart, so half a degree (55.6 km) from the centre; 3 to 1: 48.1 km
        assert bins(private(trips), "radius_of_gyration", bound) == {"-inf": 3, "30": 1, "50": 1}


def test_numbers_of_people_trips_and_records_and_empty_fields():
    trips = private(
        [
            Trip("u", "A", "B", missing=(2, 1, 0)),
            Trip("u", None, "B", missing=(1, 1, 1)),
            Trip("v", "A", "B"),
        ]
    )
    assert table(trips, "ds_statistics").tolist() == [2, 3, 5, 2, 1]
    assert table(trips, "missing_values").tolist() == [0, 0, 1, 3, 2]
    assert table(trips, "ds_statistics", ContributionBound.per_user(1)).tolist()[:2] == [2, 2]
    nothing = private([])
    assert [*table(nothing, "ds_statistics"), *table(nothing, "missing_values")] == [0] * 10


@pytest.mark.parametrize("name", ["jump_length", "radius_of_gyration"])
def test_distances_are_refused_where_there_are_no_coordinates(name):
    with pytest.raises(PrivacyError, match="no coordinates"):
        table(replace(private([Trip("u", "A", "B")]), form=DataForm(points=False)), name)


def test_tables_that_measures_share_are_made_once(monkeypatch):
    made = []
    shared = engine._make_shared_tables
    monkeypatch.setattr(
        engine,
        "_make_shared_tables",
        lambda connection, measures: made.append(len(measures)) or shared(connection, measures),
    )
    trips = on_sql(private([Trip("u", "A", "B")]))
    exact_answers(bounded(trips, PER_TRIP), MEASURES.values())
    assert made == [len(MEASURES) - 1]  # flows between tiles and between districts are asked once


def test_answers_are_counted_once_for_each_bound(monkeypatch):
    trips = private([Trip("u", "A", "B")] * 9)
    first = table(trips, "od_flows", ContributionBound.per_user(3))
    counted = []
    count = counting.count_rows
    monkeypatch.setattr(counting, "count_rows", lambda b, *more: counted.append(b.bound) or count(b, *more))
    assert np.array_equal(table(trips, "od_flows", ContributionBound.per_user(3)), first)
    assert counted == []
    assert table(trips, "od_flows", ContributionBound.per_user(4)).sum() == 4
    assert counted == [ContributionBound.per_user(4)]


def test_a_damaged_answer_is_counted_again():
    trips = private([Trip("u", "A", "B")])
    table(trips, "od_flows")
    for stored in trips.folder.glob("*.npy"):
        stored.write_bytes(b"half")
    assert table(trips, "od_flows").sum() == 1


def test_an_error_of_the_engine_shows_nothing_of_the_data(monkeypatch):
    trips = private([Trip("canary", "A", "B")])
    monkeypatch.setattr(engine, "_answer", lambda *_: 1 / 0)
    monkeypatch.setattr(counting, "count", lambda *_: 1 / 0)
    for asked in (trips, on_sql(trips)):
        with pytest.raises(InternalError) as caught:
            table(asked, "od_flows")
        assert "canary" not in str(caught.value)
        assert caught.value.__context__ is None


def test_the_sql_engine_opens_no_file(tmp_path, monkeypatch):
    other = tmp_path / "other.csv"
    other.write_text("a\n1\n")
    answer, tried = engine._answer, []

    def try_another(connection, measure):
        with pytest.raises(duckdb.Error):
            connection.execute(f"SELECT * FROM read_csv('{other}')")
        tried.append(measure)
        return answer(connection, measure)

    monkeypatch.setattr(engine, "_answer", try_another)
    table(on_sql(private([Trip("u", "A", "B")])), "od_flows")
    assert tried


def test_damaged_trips_are_removed_and_the_way_out_is_named():
    trips = private([Trip("canary", "A", "B")])
    (trips.folder / run_name(0)).write_bytes(b"ARROW1 canary")
    with pytest.raises(InputError, match="Load the file again") as caught:
        table(trips, "od_flows")
    assert "canary" not in str(caught.value)
    assert Part.open(trips.folder, "test.csv") is None, "the next load reads the file again"


def test_too_little_memory_is_said_as_such(monkeypatch):
    def full(*_):
        raise duckdb.OutOfMemoryException("canary")

    def full_array(*_):
        raise MemoryError("canary")

    monkeypatch.setattr(engine, "_answer", full)
    monkeypatch.setattr(counting, "count", full_array)
    trips = private([Trip("u", "A", "B")])
    for asked in (trips, on_sql(trips)):
        with pytest.raises(InputError, match="EPSILON_ATLAS_MEMORY") as caught:
            table(asked, "od_flows")
        assert "canary" not in str(caught.value)
        assert caught.value.__context__ is None
    monkeypatch.setenv("EPSILON_ATLAS_MEMORY", "much")
    for asked in (trips, on_sql(trips)):
        with pytest.raises(InputError, match="such as 12GB"):
            table(asked, "od_flows")


def test_a_shard_that_cannot_fit_is_refused_before_it_is_read(monkeypatch):
    monkeypatch.setattr(counting, "ROW_BYTES", 10**9)
    monkeypatch.setenv("EPSILON_ATLAS_MEMORY", "900MB")
    with pytest.raises(InputError, match="EPSILON_ATLAS_MEMORY"):
        table(private([Trip("u", "A", "B")]), "od_flows")


def test_tiles_on_the_way_count_where_a_measure_reads_them(monkeypatch):
    monkeypatch.setattr(counting, "ROW_BYTES", 2**20)
    monkeypatch.setenv("EPSILON_ATLAS_MEMORY", "10MB")
    trips = private([Trip("u", "A", "B", via=("C", "D") * 80)] * 3)
    assert table(trips, "od_flows").sum() == 3
    visits = measure_named("visits_per_tile", KeyChoices(visits_cap=1_000))
    with pytest.raises(InputError, match="EPSILON_ATLAS_MEMORY"):
        exact_answers(bounded(trips, PER_TRIP), [visits])


def test_another_query_is_another_answer():
    trips = private([Trip("u", "A", "B")])
    assert table(trips, "od_flows").sum() == 1
    changed = replace(MEASURES["od_flows"], sql="SELECT 0 AS a, 0 AS b, 7 AS n")
    answers = exact_answers(bounded(trips, PER_TRIP), [changed])
    assert answers.dense(changed, changed.keys(TILE_IDS)).sum() == 7


def test_both_engines_keep_the_same_answers_under_names_of_their_own():
    trips = private([Trip(user, "A", "B") for user in "uvwx" for _ in range(3)])
    measures = [*MEASURES.values()]
    kept, names = {}, {}
    for asked in (trips, on_sql(trips)):
        for bound in (PER_TRIP, ContributionBound.per_user(2)):
            exact_answers(bounded(asked, bound), measures)
        files = {place for folder in folders(trips) for place in folder.glob("*.npy")}
        by_name = {place.name: place.read_bytes() for place in files}
        kept[asked.engine] = {
            (measure.name, bound): by_name[answer_file(bounded(asked, bound), measure).name]
            for measure in measures
            for bound in (PER_TRIP, ContributionBound.per_user(2))
        }
        names[asked.engine] = files
        for place in files:
            place.unlink()
    assert kept[Engine.COMPILED] == kept[Engine.DUCKDB]
    questions = len(measures) - 1  # flows between tiles and between districts ask the same
    assert len(names[Engine.DUCKDB]) == 2 * questions
    assert names[Engine.COMPILED].isdisjoint(names[Engine.DUCKDB])


def folders(trips):
    return {trips.folder, *(part.folder for part in local_rows(trips).parts)}


def in_parts(*files):
    """Trips of several files as one data set."""
    parts = [private(trips) for trips in files]
    rows = LocalRows.of([part for trips in parts for part in local_rows(trips).parts])
    return replace(private([]), _rows=rows)


def some_files():
    return [[Trip(f"u{(i * k) % 7}", *"ABCDA"[i % 4 :][:2]) for i in range(9)] for k in (1, 2, 3)]


@pytest.mark.parametrize("bound", [PER_TRIP, ContributionBound.per_user(2)], ids=["trip", "user"])
def test_a_data_set_in_parts_is_counted_as_the_same_trips_in_one_file(bound):
    files = some_files()
    whole = private([trip for file in files for trip in file])
    for name in set(MEASURES) - {"trips_over_time", "od_districts"}:
        assert table(in_parts(*files), name, bound).tolist() == table(whole, name, bound).tolist(), name


def test_one_part_more_is_counted_alone_where_trips_count_by_their_own_rows(monkeypatch):
    files = some_files()
    parts = [local_rows(private(file)).parts[0] for file in files]
    counted = []
    count = counting.count_rows
    monkeypatch.setattr(
        counting,
        "count_rows",
        lambda b, rows, measures, *more: (
            counted.append((len(rows.parts), sorted(m.name for m in measures)))
            or count(b, rows, measures, *more)
        ),
    )
    asked = set(MEASURES) - {"od_districts"}  # flows between tiles ask the same
    alone = sorted(name for name in asked if MEASURES[name].counts_each_row_alone)
    together = sorted(asked - set(alone))
    assert {"od_flows", "incomplete_trips"} <= {*alone}
    assert {"ds_statistics", "user_time_delta", "trips_per_user", "total_trips"} <= {*together}
    two, three = (replace(private([]), _rows=LocalRows.of(parts[:n])) for n in (2, 3))
    exact_answers(bounded(two, PER_TRIP), MEASURES.values())
    assert counted == [(1, alone), (1, alone), (2, together)]
    counted.clear()
    exact_answers(bounded(three, PER_TRIP), MEASURES.values())
    assert counted == [(1, alone), (3, together)]
    counted.clear()
    exact_answers(bounded(three, PER_TRIP), MEASURES.values())
    assert counted == []
    exact_answers(bounded(three, ContributionBound.per_user(2)), MEASURES.values())
    assert counted == [(3, sorted(asked))]  # a bound looks at all trips of a person


@pytest.mark.parametrize("engine", [Engine.COMPILED, Engine.DUCKDB])
def test_progress_rises_to_one_and_is_called_in_the_thread_that_asked(engine):
    shares, threads = [], set()

    def progress(share):
        shares.append(share)
        threads.add(threading.current_thread())

    trips = replace(in_parts(*some_files()), engine=engine)
    exact_answers(bounded(trips, PER_TRIP), MEASURES.values(), progress)
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert len(shares) > 3
    assert threads == {threading.current_thread()}
    shares.clear()
    exact_answers(bounded(trips, PER_TRIP), MEASURES.values(), progress)
    assert shares == []


class CalledOffError(Exception):
    pass


@pytest.mark.parametrize("engine", [Engine.COMPILED, Engine.DUCKDB])
def test_counting_that_is_called_off_leaves_no_thread_and_no_file(engine):
    def progress(_):
        raise CalledOffError

    trips = replace(private([Trip("u", "A", "B")]), engine=engine)
    before = threading.active_count()
    with pytest.raises(CalledOffError):
        exact_answers(bounded(trips, PER_TRIP), MEASURES.values(), progress)
    assert threading.active_count() == before
    assert [place for folder in folders(trips) for place in folder.glob("*.npy")] == []
    assert [place for folder in folders(trips) for place in folder.glob(".part-*")] == []
    assert table(trips, "od_flows").sum() == 1


def test_a_full_disk_leaves_no_half_of_an_answer(monkeypatch):
    trips = private([Trip("u", "A", "B")])

    def full(place, *_, **__):
        place.write(b"half of it")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(exact.np, "save", full)
    with pytest.raises(InputError, match="full"):
        table(trips, "od_flows")
    monkeypatch.undo()
    assert [place for folder in folders(trips) for place in folder.glob("*.npy")] == []
    assert table(trips, "od_flows").sum() == 1


def test_a_measure_without_a_rule_is_counted_by_its_sql_beside_the_others(monkeypatch):
    """What the SQL of a measure says counts: a rule for another text is none."""
    asked = []
    count = engine.count_rows
    monkeypatch.setattr(
        engine,
        "count_rows",
        lambda b, r, m, *more: asked.append([x.name for x in m]) or count(b, r, m, *more),
    )
    changed = replace(MEASURES["od_flows"], sql="SELECT 0 AS a, 0 AS b, count(*) AS n FROM kept")
    trips = private([Trip("u", "A", "B")] * 3)
    answers = exact_answers(bounded(trips, PER_TRIP), [changed, MEASURES["visits_per_tile"]])
    assert answers.answers["od_flows"].tolist() == [[0], [0], [3]]
    assert asked == [["od_flows"]]


@pytest.mark.parametrize("engine", [Engine.COMPILED, Engine.DUCKDB])
@pytest.mark.parametrize("bound", [PER_TRIP, ContributionBound.per_user(2)], ids=["trip", "user"])
def test_many_shards_give_the_answers_of_one(engine, bound, monkeypatch):
    everybody = [trip for file in some_files() for trip in file] * 2
    measures = [*MEASURES.values()]
    one = exact_answers(bounded(private(everybody), bound), measures).answers
    monkeypatch.setattr("dpcore.private.prepared.part.SHARD_ROWS", 5)
    trips, shares = replace(private(everybody), engine=engine), []
    assert len(local_rows(trips).shards()) > 4
    many = exact_answers(bounded(trips, bound), measures, shares.append).answers
    assert {name: answer.tolist() for name, answer in many.items()} == {
        name: answer.tolist() for name, answer in one.items()
    }
    assert len(shares) == len(local_rows(trips).shards())
    assert shares[-1] == 1


def test_a_shard_that_fails_ends_the_others(monkeypatch):
    monkeypatch.setattr("dpcore.private.prepared.part.SHARD_ROWS", 2)
    trips, counted = private([trip for file in some_files() for trip in file]), []
    count = counting.count

    def fails(*asked):
        counted.append(1)
        if len(counted) == 2:
            raise ZeroDivisionError
        return count(*asked)

    monkeypatch.setattr(counting, "count", fails)
    before = threading.active_count()
    with pytest.raises(InternalError):
        table(trips, "od_flows")
    assert threading.active_count() == before
    assert len(counted) <= counting.THREADS + 1 < len(local_rows(trips).shards())


def test_a_small_memory_counts_one_shard_at_a_time(monkeypatch):
    monkeypatch.setattr("dpcore.private.prepared.part.SHARD_ROWS", 2)
    trips = private([trip for file in some_files() for trip in file])
    largest = max(shard.rows for shard in local_rows(trips).shards())
    running, most = [], []
    count = counting.count

    def seen(*asked):
        running.append(1)
        most.append(len(running))
        time.sleep(0.02)
        running.pop()
        return count(*asked)

    monkeypatch.setattr(counting, "count", seen)
    monkeypatch.setattr(counting, "ROW_BYTES", 2**20)
    for megabytes, at_once in ((2 * largest, 2), (largest, 1)):
        monkeypatch.setenv("EPSILON_ATLAS_MEMORY", f"{megabytes}MB")
        most.clear()
        table(trips, "od_flows", ContributionBound.per_user(megabytes))
        assert max(most) == at_once
