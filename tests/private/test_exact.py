from dataclasses import replace

import duckdb
import numpy as np
import pytest

from dpcore.errors import InputError, InternalError
from dpcore.measures import MEASURES, PublicKeys
from dpcore.privacy import ContributionBound
from dpcore.private.bounding import bounded
from dpcore.private.engine import duckdb as engine
from dpcore.private.exact import exact_answers
from tests.cities import Trip, four_tiles, private

PUBLIC = PublicKeys(four_tiles().tile_ids)
PER_TRIP = ContributionBound.per_trip()


def table(trips, name, bound=PER_TRIP):
    measure = MEASURES[name]
    answers = exact_answers(bounded(trips, bound), [measure])
    return answers.dense(measure, measure.keys(PUBLIC))


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
    trips.rows.write_bytes(b"PAR1 canary")
    with pytest.raises(InputError, match="Load the file again") as caught:
        table(trips, "od_flows")
    assert "canary" not in str(caught.value)
    assert not trips.folder.exists()


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
    assert answers.dense(changed, changed.keys(PUBLIC)).sum() == 7
