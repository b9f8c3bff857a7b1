from dataclasses import replace

import duckdb
import numpy as np
import pytest

from dpcore.errors import InputError, InternalError, PrivacyError
from dpcore.measures import MEASURES
from dpcore.privacy import ContributionBound
from dpcore.private.bounding import bounded
from dpcore.private.engine import duckdb as engine
from dpcore.private.exact import exact_answers
from dpcore.private.prepared import Part
from dpcore.private.prepared.run_file import run_name
from tests.cities import Trip, four_tiles, private

TILE_IDS = four_tiles().tile_ids
PER_TRIP = ContributionBound.per_trip()


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
        table(replace(private([Trip("u", "A", "B")]), has_points=False), name)


def test_tables_that_measures_share_are_made_once(monkeypatch):
    made = []
    shared = engine._shared
    monkeypatch.setattr(
        engine,
        "_shared",
        lambda connection, measures: made.append(len(measures)) or shared(connection, measures),
    )
    trips = private([Trip("u", "A", "B")])
    exact_answers(bounded(trips, PER_TRIP), MEASURES.values())
    assert made == [len(MEASURES)]


def test_answers_are_counted_once_for_each_bound(monkeypatch):
    trips = private([Trip("u", "A", "B")] * 9)
    first = table(trips, "od_flows", ContributionBound.per_user(3))
    counted = []
    count = engine.count
    monkeypatch.setattr(engine, "count", lambda b, m: counted.append(b.bound) or count(b, m))
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
    with pytest.raises(InternalError) as caught:
        table(trips, "od_flows")
    assert "canary" not in str(caught.value)
    assert caught.value.__context__ is None


def test_the_engine_opens_no_other_file(tmp_path, monkeypatch):
    other = tmp_path / "other.csv"
    other.write_text("a\n1\n")
    answer, tried = engine._answer, []

    def try_another(connection, measure):
        with pytest.raises(duckdb.Error):
            connection.execute(f"SELECT * FROM read_csv('{other}')")
        tried.append(measure)
        return answer(connection, measure)

    monkeypatch.setattr(engine, "_answer", try_another)
    table(private([Trip("u", "A", "B")]), "od_flows")
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

    monkeypatch.setattr(engine, "_answer", full)
    with pytest.raises(InputError, match="EPSILON_ATLAS_MEMORY") as caught:
        table(private([Trip("u", "A", "B")]), "od_flows")
    assert "canary" not in str(caught.value)
    monkeypatch.setenv("EPSILON_ATLAS_MEMORY", "much")
    with pytest.raises(InputError, match="such as 12GB"):
        table(private([Trip("u", "A", "B")]), "od_flows")


def test_another_query_is_another_answer():
    trips = private([Trip("u", "A", "B")])
    assert table(trips, "od_flows").sum() == 1
    changed = replace(MEASURES["od_flows"], sql="SELECT 0 AS a, 0 AS b, 7 AS n")
    answers = exact_answers(bounded(trips, PER_TRIP), [changed])
    assert answers.dense(changed, changed.keys(TILE_IDS)).sum() == 7
