"""Trips without times: only where their owner says so. What needs no time is counted; what needs one is refused by its name."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from neighbours_of import CELLS
from reading_of import ZONE, reading_of, upload

import dpcore
from dpcore.command_line import main
from dpcore.errors import InputError, PrivacyError
from dpcore.measures import MEASURES
from dpcore.privacy import ContributionBound
from dpcore.private.bounding import bounded
from dpcore.private.exact import ExactAnswers, exact_answers
from dpcore.private.loading import load
from dpcore.private.source import inspect
from dpcore.private.source.rows import ROWS, inspected_as, row_of
from dpcore.private.synthetic.reading import read_columns
from tests.cities import rows_of
from tests.engines import count

ORDERED = "uid,tid,stop,lat,lng\nu1,0,2,0.5,1.5\nu1,0,1,0.5,0.5\nu2,1,1,0.5,0.5\nu2,1,2,0.5,1.5\n"
NO_TIMES = {"no_times": "stop"}
TIMED = {
    "missing_values", "trips_over_time", "trips_per_weekday", "trips_per_hour", "visits_per_time_tile", "od_flows_per_window",
    "travel_time", "user_time_delta",
}  # fmt: skip
AREAS = 'tile_id,wkt\nA,"POLYGON ((0 0, 1 0, 1 1, 0 1, 0 0))"\nB,"POLYGON ((1 0, 2 0, 2 1, 1 1, 1 0))"\n'


@pytest.fixture
def city(tmp_path):
    (tmp_path / "areas.csv").write_text(AREAS)
    return dpcore.load_tiles(tmp_path / "areas.csv")


@pytest.mark.parametrize(
    ("header", "mapping", "form"),
    [
        ("uid,tid,stop,lat,lng\n", {"no_times": "stop"}, "records without times"),
        ("tid,datetime,geometry\n", {"no_times": "datetime"}, "records with geometry, without users and times"),
        ("uid,tid,datetime,stop,lat,lng\n", {"no_times": "stop"}, "records without times"),
        ("uid,start_tile,end_tile\n", {"no_times": "start_tile"}, "trips between tiles without times"),
        ("a,b\n", {"no_times": "a", "start_tile": "a", "end_tile": "b"}, "trips between tiles, without users and times"),
        ("uid,geometry\n", {"no_times": "geometry"}, "trips along lines without times"),
        ("start_lat,start_lng,end_lat,end_lng\n", {"no_times": "start_lat"}, "trips, without users and times"),
        ("uid,where\n", {"no_times": "where", "no_end": "where", "start_station": "where"}, "visits at stations without times"),
    ],
)  # fmt: skip
def test_every_kind_of_place_may_have_no_times_and_the_page_says_the_same_of_a_row(header, mapping, form):
    seen = inspect(upload(header), mapping)
    assert (seen.form, seen.no_times) == (form, True)
    row = row_of(seen)
    assert row in ROWS
    assert row.has_no_times
    again, _ = inspected_as(upload(header), row, seen.mapping)
    assert (again.form, again.mapping, again.no_times) == (form, seen.mapping, True)


@pytest.mark.parametrize(
    ("header", "mapping", "told"),
    [
        ("uid,tid,stop,lat,lng\n", {}, "column missing: datetime.*--column no_times=NAME"),
        (
            "uid,start_tile,end_tile\n",
            {},
            "columns missing: started_at, ended_at.*--column no_times=start_tile",
        ),
        ("uid,stop,lat,lng\n", NO_TIMES, "column missing: tid.*--column tid=NAME"),
        ("uid,start_tile\n", {"no_times": "start_tile"}, "column missing: end_tile"),
    ],
)
def test_times_are_asked_for_by_name_unless_their_owner_says_that_there_are_none(header, mapping, told):
    with pytest.raises(InputError, match=told):
        inspect(upload(header), mapping)


def test_the_order_says_which_end_is_first_and_a_record_written_twice_adds_no_trip():
    rows = reading_of(ORDERED + "u2,1,2,0.5,1.5\n", mapping=NO_TIMES)[0].to_pylist()
    assert [(row["user_id"], row["start_lng"], row["end_lng"]) for row in rows] == [
        ("u1", 0.5, 1.5),
        ("u2", 0.5, 1.5),
    ]
    assert len({(row["start_us"], row["end_us"], row["started_at"]) for row in rows}) == 1
    twice = reading_of("uid,start_tile,end_tile\nu,A,B\nu,A,B\n", mapping={"no_times": "start_tile"})[0]
    assert twice.num_rows == 2
    for order in ("", "1.5", "-1", "first", "2024-03-01"):
        with pytest.raises(InputError, match="not a whole number from 0 on"):
            reading_of(f"uid,tid,stop,lat,lng\nu,0,{order},0.5,0.5\n", mapping=NO_TIMES)


def test_what_needs_no_time_is_counted_and_what_does_is_refused_by_name(tmp_path, capsys, city):
    (tmp_path / "trips.csv").write_text(ORDERED)
    files = ["--trips", str(tmp_path / "trips.csv"), "--tiles", str(tmp_path / "areas.csv")]
    words = [*files, "--timezone", ZONE, "--column", "no_times=stop"]
    assert main(["exact", "visits_per_tile", *words]) == 0
    assert capsys.readouterr().out.split() == ["tile_id,value", "A,2", "B,2", "outside,0"]
    assert main(["exact", "trips_per_hour", *words]) != 0
    assert "these trips have no times, which trips_per_hour needs" in capsys.readouterr().err
    trips = dpcore.load_trips(tmp_path / "trips.csv", city, timezone=ZONE, columns=NO_TIMES)
    assert not trips.has_times
    assert {name for name, measure in MEASURES.items() if measure.needs_times} == TIMED
    for name in TIMED:
        with pytest.raises(PrivacyError, match=f"no times, which {name} needs"):
            exact_answers(bounded(trips, ContributionBound.per_trip()), [MEASURES[name]])
    assert dpcore.exact_table(trips, "od_flows")["value"].tolist() == [2]
    assert dpcore.exact_table(trips, "ds_statistics")["value"].tolist() == [2, 2, 4, 2, 0]
    assert dpcore.exact_table(trips, "jump_length")["value"].sum() == 2
    with pytest.raises(PrivacyError, match="no times, which synthetic data need"):
        read_columns(trips, ("start_us",), None, {}, users=True)


def test_a_release_leaves_them_out_and_one_that_names_them_charges_nothing(tmp_path, city):
    (tmp_path / "trips.csv").write_text(ORDERED)
    trips = dpcore.load_trips(tmp_path / "trips.csv", city, timezone=ZONE, columns=NO_TIMES)
    ledger = dpcore.open_ledger(tmp_path / "ledger.jsonl")
    dpcore.register(ledger, "town", unit="user", total_budget="1")
    bound = ContributionBound.per_user(2)
    timed = dpcore.default_plan(bound, "1", city, measures=["visits_per_tile", "travel_time"])
    with pytest.raises(PrivacyError, match="no times, which travel_time needs"):
        dpcore.publish(trips, city, timed, ledger=ledger, dataset="town", nonce="1", out=tmp_path / "bundle")
    plan = dpcore.default_plan(bound, "1", city, form=trips.form)
    assert "visits_per_tile" in plan.weights
    assert not TIMED & {*plan.weights}
    out = tmp_path / "bundle"  # all of the budget is still there
    assert dpcore.publish(trips, city, plan, ledger=ledger, dataset="town", nonce="2", out=out).charged == 1


OTHERS = "".join(f"k{n},{n % 3},{stop},0.5,{0.5 + (n + stop) % 2}\n" for n in range(4) for stop in (1, 2, 3))


def test_no_record_of_a_person_changes_how_others_are_read():
    """Brute force: each cell in every column of a record, beside records of others."""
    head = "uid,tid,stop,lat,lng\n"
    alone = Counter(map(repr, reading_of(head + OTHERS, mapping=NO_TIMES)[0].to_pylist()))
    for cell, at in itertools.product(CELLS, (1, 2, 3, 4)):
        cells = ["p7", "0", "1", "0.5", "0.5"]
        cells[at] = '"' + cell.replace('"', '""') + '"'
        for text in (OTHERS + ",".join(cells) + "\n", ",".join(cells) + "\n" + OTHERS):
            rows = reading_of(head + text, mapping=NO_TIMES, drop=True)[0].to_pylist()
            assert Counter(repr(row) for row in rows if row["user_id"] != "p7") == alone, (cell, at)


def tables(text, mapping, city, bound):
    """The exact tables of all that needs no times, and the rows that were kept."""
    file = upload(text)
    trips = load(file, inspect(file, mapping), city, timezone=ZONE)
    measures = [one for one in MEASURES.values() if not (one.needs_times or one.needs_districts)
                and (trips.has_points or not one.needs_points) and (trips.has_users or not one.needs_users)]  # fmt: skip
    answers = ExactAnswers(count(bounded(trips, bound), measures))
    return {one: answers.dense(one, one.keys(trips.tile_ids)) for one in measures}, Counter(
        map(repr, rows_of(trips).to_pylist())
    )


MINE = (
    "p,0,1,0.5,0.5",
    "p,0,2,0.5,1.5",
    "p,0,2,0.5,1.5",
    "p,1,1,0.5,1.5",
    "p,1,1,0.5,0.5",
    "p,2,7,0.5,1.5",
    "p,3,0,9,9",
)
ROWS_OF_MINE = ("p,A,B", "p,A,B", "p,A,B", "p,B,A", "p,,A", "p,,")


@pytest.mark.parametrize(
    ("head", "others", "mine", "mapping"),
    [
        ("uid,tid,stop,lat,lng\n", OTHERS, MINE, NO_TIMES),
        ("uid,start_tile,end_tile\n", "k,A,B\nk,A,B\nk,B,A\nl,B,B\n", ROWS_OF_MINE, {"no_times": "start_tile"}),
    ],
    ids=["records", "rows"],
)  # fmt: skip
def test_no_table_moves_by_more_than_its_sensitivity(head, others, mine, mapping, city):
    """Brute force over neighbouring files: all sets of records of one person, at any place of the file, for each M."""
    for most in (1, 2):
        bound = ContributionBound.per_user(most)
        before, rows = tables(head + others, mapping, city, bound)
        reached = 0
        for size in range(1, len(mine) + 1):
            for some in itertools.islice(itertools.combinations(mine, size), 0, None, 5):
                own = "".join(f"{line}\n" for line in some)
                text = head + (own + others if size % 2 else others + own)
                after, with_own = tables(text, mapping, city, bound)
                assert not rows - with_own
                for measure, table in before.items():
                    moved = int(np.abs(table - after[measure]).sum())
                    assert moved <= measure.sensitivity(bound), (measure.name, some)
                    reached += measure.name == "visits_per_tile" and moved == measure.sensitivity(bound)
        assert reached


def test_one_trip_more_moves_no_table_by_more_than_a_trip_may(city):
    head, mapping, bound = "start_tile,end_tile\n", {"no_times": "start_tile"}, ContributionBound.per_trip()
    before, _ = tables(head + "A,B\nA,B\n", mapping, city, bound)
    for trip in ("A,B", "B,A", ",A", "A,", ",", "no,A"):
        after, _ = tables(f"{head}A,B\n{trip}\nA,B\n", mapping, city, bound)
        for measure, table in before.items():
            assert int(np.abs(table - after[measure]).sum()) <= measure.sensitivity(bound), (
                measure.name,
                trip,
            )


def test_answers_are_read_again_and_are_those_of_the_sql(city):
    file = upload(ORDERED)
    trips = load(file, inspect(file, NO_TIMES), city, timezone=ZONE)
    visits = MEASURES["visits_per_tile"]
    found = exact_answers(bounded(trips, ContributionBound.per_user(1)), [visits])
    assert found.dense(visits, visits.keys(trips.tile_ids)).tolist() == [2, 2, 0]
