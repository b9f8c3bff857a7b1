"""A refusal advises what was checked: as visits what may be pick-ups, people where a column may name some. Obeyed, it loads."""

from __future__ import annotations

import contextlib
import datetime as dt
import itertools
import re
from collections import Counter

import pandas as pd
import pytest
from neighbours_of import CELLS
from reading_of import CANONICAL, GOOD, ZONE, reading_of, upload

import dpcore
from dpcore.errors import InputError
from dpcore.private.source import inspect

VISIT = "each is then a visit, and makes no flow"
PEOPLE = "If a column names people: --column uid=NAME"
ORDER = "--column no_times=NAME names the column of the order"
AREAS = 'tile_id,wkt\nA,"POLYGON ((13 52, 13.5 52, 13.5 53, 13 53, 13 52))"\nB,"POLYGON ((13.5 52, 14 52, 14 53, 13.5 53, 13.5 52))"\n'


@pytest.fixture
def tiles(tmp_path):
    (tmp_path / "areas.csv").write_text(AREAS)
    return dpcore.load_tiles(tmp_path / "areas.csv")


@pytest.mark.parametrize(
    ("header", "advised", "not_advised"),
    [
        ("datetime,lat,lng", [VISIT, "no_end=datetime", "start_lat=lat"], [PEOPLE, "--trip-gap", ORDER]),
        ("When exactly,Lat,Lon,Base", [PEOPLE, "--trip-gap 30min", VISIT, "no_end=NAME", "start_lat=Lat", ORDER], []),
        ("datetime,geometry,who", [PEOPLE, VISIT, "start_geometry=geometry"], []),
        ("uid,lat,lng", [ORDER, "--column tid=NAME that of the trip"], [VISIT, PEOPLE]),
        ("tid,stop,lat,lng", [ORDER], [VISIT, PEOPLE, "tid=NAME"]),
        ("user_id,start_tile,end_tile", ["--column no_times=start_tile"], [VISIT + ", and", PEOPLE]),
        ("user_id,started_at,start_tile", [VISIT], ["no_times", PEOPLE]),
        ("uid,datetime,tile", [VISIT], ["=NAME", "--trip-gap", PEOPLE]),
        ("uid,seq,tile", [VISIT, "only uid and tile are known"], ["no_times=NAME"]),
        ("datetime,zone", ["If a column names people, also --column uid=NAME"], [PEOPLE]),
        ("dropoff_datetime,DOLocationID", ["as of drop-offs"], ["=NAME", "as of pick-ups"]),
        ("user_id,started_at,start_tile,end_tile", ["as of pick-ups"], ["=NAME"]),
    ],
)  # fmt: skip
def test_each_is_advised_where_it_may_be(header, advised, not_advised):
    with pytest.raises(InputError) as refused:
        inspect(upload(f"{header}\n"))
    told = str(refused.value)
    assert [words for words in advised if words not in told] == []
    assert [words for words in not_advised if words in told] == []


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("datetime,lat,lng\n2024-03-01 08:00,0.5,0.5\n", "visits at places, without users"),
        ("user_id,start_tile,end_tile\nu,A,B\n", "trips between tiles without times"),
        ("dropoff_datetime,DOLocationID\n2024-03-01 08:00,A\n", "visits at tiles, without users"),
        ("Pickup_date,locationID,base\n2024-03-01 08:00,A,x\n", "visits at tiles, without users"),
        ("end_time,end_lat,end_lng\n2024-03-01 08:00,0.5,0.5\n", "visits at places, without users"),
        ("uid,datetime,tile\nu,2024-03-01 08:00,A\n", "visits at tiles"),
        ("uid,tid,datetime,station_id\nu,1,2024-03-01 08:00,A\n", "visits at stations"),
        ("uid,seq,tile\nu,1,A\n", "visits at tiles without times"),
    ],
)
def test_who_obeys_to_the_letter_loads(text, form):
    with pytest.raises(InputError) as refused:
        inspect(upload(text))
    said = [
        words for words in re.findall(r"--column ([a-z_]+)=(\w+)", str(refused.value)) if words[1] != "NAME"
    ]
    assert inspect(upload(text), dict(said)).form == form
    assert reading_of(text, mapping=dict(said))[0].num_rows == 1


def test_a_number_of_trips_and_columns_that_lack_are_told_at_once():
    text = "Start,Stop,von,nach,Anzahl\n2024-03-01 10:00,2024-03-01 10:20,A,B,1\n"
    with pytest.raises(InputError, match=r"^a row is a number of trips.*--column one_trip=Anzahl") as refused:
        inspect(upload(text))
    assert "Besides, columns missing: started_at, ended_at" in str(refused.value)
    assert "--column started_at=NAME --column ended_at=NAME" in str(refused.value)
    roles = {"started_at": "Start", "ended_at": "Stop", "start_tile": "von", "end_tile": "nach"}
    assert reading_of(text, mapping={"one_trip": "Anzahl"} | roles)[0].num_rows == 1
    with pytest.raises(InputError, match=r"one_trip=trips.*Besides, two columns have the same name"):
        inspect(upload("started_at,ended_at,start_tile,end_tile,started_at,trips\n"))


def test_all_unknown_columns_are_told_at_once():
    with pytest.raises(InputError, match=r"unknown column: trips\.csv, 'when', 'where'\. Found: user_id"):
        inspect(upload(CANONICAL), {"started_at": "when", "start_lat": "where"})


def test_columns_without_names_are_called_by_their_numbers_in_frames_and_parquet(tmp_path, tiles):
    frame = pd.DataFrame([["u1", "2024-03-01 08:00", "2024-03-01 08:20", "A", "B"]])
    roles = {"uid": "0", "started_at": "1", "ended_at": "2", "start_tile": "3", "end_tile": "4"}
    frame.rename(columns=str).to_parquet(tmp_path / "trips.parquet")
    for source in (frame, tmp_path / "trips.parquet"):
        with pytest.raises(
            InputError, match=r"columns missing: .*If a column names people, also.*they may be data\.$"
        ) as refused:
            dpcore.load_trips(source, tiles, timezone=ZONE)
        assert "uid needs" not in str(refused.value)
        assert dpcore.load_trips(source, tiles, timezone=ZONE, columns=roles).has_users


def test_a_number_of_the_line_of_names_holds_for_all_files_of_a_folder_and_that_is_said(tmp_path, tiles):
    (tmp_path / "set").mkdir()
    (tmp_path / "set/a.csv").write_text(f"title\nnote\n{CANONICAL}{GOOD}")
    (tmp_path / "set/b.csv").write_text(CANONICAL + GOOD)
    with pytest.raises(InputError, match=r"no header: b\.csv.*load those apart whose names stand elsewhere"):
        dpcore.load_trips(tmp_path / "set", tiles, timezone=ZONE, header="3")


ENDS = "start_tile,end_tile"
CLOCKED = (
    "date,start_time,end_time",
    "start_date,start_time,end_time",
    "Fecha,pickup time,dropoff_time",
)
BY_HAND = {"started_at": "d", "clock_started_at": "b", "ended_at": "d", "clock_ended_at": "e"}


def minutes(text, **options):
    """How long the trips of a file last."""
    rows = reading_of(text, **options)[0].to_pylist()
    return [(row["end_us"] - row["start_us"]) / 60e6 if row["complete"] else None for row in rows]


@pytest.mark.parametrize("names", [*CLOCKED, "d,b,e"])
def test_one_date_is_that_of_both_ends_beside_two_times_of_day(names):
    mapping = BY_HAND if names == "d,b,e" else None
    text = f"{names},{ENDS}\n2024-03-01,9:50,10:10:30,A,B\n20240301,23:50,24:20,A,B\n2024-03-01,,10:00,A,B\n"
    assert minutes(text, mapping=mapping) == [20.5, 30, None]
    told = inspect(upload(text), mapping).notes
    date, start, end = names.split(",")
    assert told == (
        f"column {date}: the date of both ends, where {start} and {end} hold a time of day alone",
    )
    with pytest.raises(InputError, match=rf"ends before it starts, by the one date.*column {end}\. .*24:20"):
        reading_of(text + "2024-03-01,23:50,00:20,A,B\n", mapping=mapping)


@pytest.mark.parametrize("kind", ["csv", "parquet", "frame"])
def test_whole_times_beside_a_date_are_read_as_they_were(kind, tmp_path, tiles):
    """A folder date=2024-03-01 above whole times is no reason to read them otherwise."""
    start, end = pd.Timestamp("2024-03-01 23:50"), pd.Timestamp("2024-03-02 00:20")
    frame = pd.DataFrame({"start_time": [start], "end_time": [end], "start_tile": ["A"], "end_tile": ["B"]})
    frame.insert(0, "date", 20240301)
    place = tmp_path / f"trips.{kind}"
    if kind == "csv":
        frame.to_csv(place, index=False)
    else:
        frame.to_parquet(place)
    source = frame if kind == "frame" else place
    trips = dpcore.load_trips(source, tiles, timezone=ZONE)
    assert dpcore.exact_table(trips, "trips_over_time")["value"].sum() == 1
    if kind != "frame":
        assert minutes(place.read_bytes(), name=place.name) == [30]


def test_dates_and_times_of_day_of_a_frame_and_of_folders(tmp_path, tiles):
    times = [dt.time(8, 0)], [dt.time(8, 20)]
    frame = pd.DataFrame(
        {"start_time": times[0], "end_time": times[1], "start_tile": ["A"], "end_tile": ["B"]}
    )
    (tmp_path / "set/date=2024-03-01").mkdir(parents=True)
    frame.to_parquet(tmp_path / "set/date=2024-03-01/a.parquet")
    frame["date"] = [dt.date(2024, 3, 1)]
    for source in (frame, tmp_path / "set"):
        trips = dpcore.load_trips(source, tiles, timezone=ZONE)
        assert dpcore.exact_table(trips, "trips_over_time")["date"].tolist() == ["2024-03-01"]


@pytest.mark.parametrize(
    "header",
    [
        "date,time,start_time,end_time",
        "date,start_time,end_time,stop_time",
        "date,fecha,start_time,end_time",
        "date,started_at,ended_at",
        "start_date,start_time,end_date,end_time",
    ],
)
def test_where_the_names_leave_another_date_none_is_shared(header):
    with contextlib.suppress(InputError):
        assert not inspect(upload(f"{header},{ENDS}\n")).one_date


def test_a_published_file_below_a_folder_of_a_date_keeps_its_form():
    header = "date,trip_id,start_time,end_time,from_station_id,to_station_id\n"
    assert inspect(upload(header)).form == "Divvy (until 2019)"
    assert inspect(upload(header)).clocks == {}


def test_no_cell_beside_one_date_changes_how_others_are_read():
    """Brute force: each cell in each column of the times, beside trips of others."""
    head = f"uid,date,start_time,end_time,{ENDS}\n"
    others = "k1,2024-03-01,9:50,10:10,A,B\nk2,20240301,2024-03-01 10:00,10:20,A,B\nk3,2024-03-01,1709280000,24:20,A,B\n"
    alone = Counter(map(repr, reading_of(head + others, drop=True)[0].to_pylist()))
    for cell, at in itertools.product(CELLS, (1, 2, 3)):
        cells = ["p7", "2024-03-01", "10:00", "10:20", "A", "B"]
        cells[at] = '"' + cell.replace('"', '""') + '"'
        rows = reading_of(head + others + ",".join(cells) + "\n", drop=True)[0].to_pylist()
        assert Counter(repr(row) for row in rows if row["user_id"] != "p7") == alone, (cell, at)


@pytest.mark.parametrize(
    ("date", "clock", "said", "column"),
    [
        ("2024-03-01", "0.4166", "a part of a day, as Excel writes it", "time"),
        ("2024-03-01", "1000", "digits without a colon", "time"),
        ("2024-03-01", "10h00", "an hour that is written with a letter", "time"),
        ("2024-03-01", "x", "what no clock shows", "time"),
        ("45352", "10:00", "not a date: a number of days", "date"),
        ("2024-03-01 10:00", "10:00", "not a date: a time of day stands beside it", "date"),
        ("1/3/2024", "10:00", "the day or the month is first", "date"),
    ],
)
def test_of_a_date_and_a_time_of_day_the_one_at_fault_is_named(date, clock, said, column):
    with pytest.raises(InputError, match=rf"{said}.*: trips\.csv, line 2, column {column}\."):
        reading_of(f"uid,tid,date,time,lat,lng\nu,1,{date},{clock},0.5,0.5\n")


@pytest.mark.parametrize("times", ["2024-03-01 10:00,2024-03-01 10:20", "1709280000,1709281200"])
def test_whole_times_in_the_place_of_times_of_day_are_named_alone(times):
    start, end = times.split(",")
    text = f"start_date,start_time,end_date,end_time,{ENDS}\n2024-03-01,{start},2024-03-01,{end},A,B\n"
    with pytest.raises(
        InputError, match=r"column start_time\. .*--column started_at=start_time --column ended_at=end_time"
    ):
        reading_of(text)
    assert minutes(text, mapping={"started_at": "start_time", "ended_at": "end_time"}) == [20]
