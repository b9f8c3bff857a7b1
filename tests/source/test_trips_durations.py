"""Trips without a time of their end: with a duration, whose unit the header or the owner tells, or with one end alone."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta

import pandas as pd
import pyarrow as pa
import pytest
from neighbours_of import CELLS
from reading_of import ZONE, parquet, reading_of, upload

import dpcore
from dpcore.command_line import main
from dpcore.errors import InputError, PrivacyError
from dpcore.measures import MEASURES
from dpcore.privacy import ContributionBound
from dpcore.private.source import inspect
from dpcore.private.source.rows import ROWS, inspected_as
from dpcore.private.synthetic.reading import read_columns

START = "2024-03-01 08:00:00"
TILES = "user_id,started_at,start_tile,end_tile"


def minutes(name, cell, *, kind="csv", **options):
    """How many minutes the one trip of a file lasts; None where that is not known."""
    if kind == "csv":
        data, called = f"{TILES},{name}\nu,{START},A,B,{cell}\n", "trips.csv"
    else:
        columns = dict(zip(TILES.split(","), ("u", START, "A", "B"), strict=True)) | {name: cell}
        data, called = parquet({key: pa.array([value]) for key, value in columns.items()}), "trips.parquet"
    (row,) = reading_of(data, called, **options)[0].to_pylist()
    return (row["end_us"] - row["start_us"]) / 60e6 if row["complete"] else None


@pytest.mark.parametrize(
    ("name", "cell", "found"),
    [
        ("Trip Duration Minutes", "14", 14),
        ("duration_min", "14.5", 14.5),
        ("tripduration (sec)", "90", 1.5),
        ("duration_seconds", "840", 14),
        ("trip_seconds", "840", 14),
        ("travel_time_in_hours", "0.5", 30),
        ("duration_ms", "60000", 1),
        ("trav_time", "00:20:00", 20),
        ("duration", "1:00:30", 60.5),
        ("duration_min", "0:05:00", 5),
        ("duration", "26:00:00", 1560),
        ("duration_s", "0", 0),
        ("duration_s", "", None),
        ("Duration (hh:mm)", "0:20", 20),
        ("trip_duration_hhmm", "26:05", 1565),
        ("Duration [mm:ss]", "90:30", 90.5),
        ("duration_hhmm", "0:20:30", 20.5),
        ("duration_min", '"12,5"', 12.5),
        ("duration", "0 days 00:12:30", 12.5),
        ("duration_min", '"1 day, 0:20:00"', 1460),
    ],
)
def test_the_end_is_the_start_and_the_duration_in_the_unit_that_the_header_tells(name, cell, found):
    assert minutes(name, cell) == found


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize(("role", "found"), [("duration_s", 14), ("duration_min", 840)])
def test_the_owner_tells_the_unit_where_the_header_does_not(kind, role, found):
    cell = "840" if kind == "csv" else 840
    with pytest.raises(InputError, match=r"a duration without a unit: .*--column duration_s=duration"):
        minutes("duration", cell, kind=kind)
    assert minutes("duration", cell, kind=kind, mapping={role: "duration"}) == found
    assert minutes("how long", cell, kind=kind, mapping={role: "how long"}) == found


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("-600", "it is negative: .*correct it"),
        ("-1 days +23:50:00", "it is negative"),
        ("1,320", "a comma that may be one of thousands: .*Write 1320 or 1.32"),
        (
            "20:00",
            "two numbers with a colon: .*--column duration_hhmm=duration_s or --column duration_mmss=duration_s",
        ),
        ("20:75", "two numbers with a colon"),
        ("x", "words, or a unit in the field: .*a number alone"),
        ("20 min", "words, or a unit in the field"),
        ("PT20M", "words, or a unit in the field"),
        ("1e9", "longer than 366 days: .*--column duration_s=duration_s or --column duration_min=duration_s"),
        ("nan", "words"),
        ("0:99:00", "neither H:MM:SS nor a number"),
        ("9000:00:00", "neither"),
    ],
)
def test_what_is_no_duration_is_a_bad_record_of_a_kind(cell, said):
    with pytest.raises(InputError, match=f"not a duration: {said}") as refused:
        minutes("duration_s", f'"{cell}"')
    assert "trips.csv, line 2, column duration_s" in str(refused.value)


@pytest.mark.parametrize(("role", "found"), [("duration_hhmm", 1220), ("duration_mmss", 20 + 1 / 3)])
def test_the_owner_tells_what_two_numbers_with_a_colon_are(role, found):
    for name in ("duration_min", "how long"):
        assert minutes(name, "20:20", mapping={role: name}) == found


@pytest.mark.parametrize(
    ("name", "mapping"), [("duration", None), ("how_long", {"duration": "how_long"}), ("end_time", None)]
)
def test_a_timedelta_is_a_duration_by_its_type(name, mapping, tmp_path):
    assert minutes(name, timedelta(minutes=12, seconds=30), kind="parquet", mapping=mapping) == 12.5
    with pytest.raises(InputError, match="not a duration: it is negative"):
        minutes(name, timedelta(minutes=-1), kind="parquet", mapping=mapping)
    (tmp_path / "tiles.csv").write_text('tile_id,wkt\nA,"POLYGON ((0 0, 1 0, 1 1, 0 1, 0 0))"\n')
    frame = pd.DataFrame(
        {"started_at": [START], name: [pd.Timedelta("0:12:30")], "start_tile": ["A"], "end_tile": ["A"]}
    )
    trips = dpcore.load_trips(
        frame, dpcore.load_tiles(tmp_path / "tiles.csv"), timezone=ZONE, columns=mapping
    )
    assert dpcore.exact_table(trips, "od_flows")["value"].tolist() == [1]


def test_a_trip_over_a_change_of_clocks_lasts_as_long_as_it_says():
    data = f"{TILES},duration_min\nu,2024-03-31 01:50,A,B,20\nu,2024-10-27 02:50,A,B,20\n"
    rows = reading_of(data)[0].to_pylist()
    assert [row["end_us"] - row["start_us"] for row in rows] == [1_200_000_000] * 2
    assert rows[0]["ended_at"] == datetime(2024, 3, 31, 3, 10)


def test_a_date_and_a_clock_apart_and_a_duration():
    (row,) = reading_of(
        "uid,start_date,start_time,start_tile,end_tile,duration_min\nu,2024-03-01,8:00,A,B,14\n"
    )[0].to_pylist()
    assert row["ended_at"] - row["started_at"] == timedelta(minutes=14)


def test_an_end_counts_more_than_a_duration_and_durations_are_said():
    header = f"{TILES},ended_at,duration\n"
    assert inspect(upload(header)).mapping["ended_at"] == "ended_at"
    assert inspect(upload(header)).notes == ()
    assert "each trip ends when its duration is over" in inspect(upload(f"{TILES},duration\n")).notes[0]
    with pytest.raises(InputError, match="a duration for trips that have no start, or an end already"):
        inspect(upload(header), {"duration_s": "duration"})
    with pytest.raises(InputError, match=r"columns? missing: .*ended_at.*--column duration_s=NAME"):
        inspect(upload(f"{TILES},trip_seconds,duration_min\n"))


def test_no_duration_of_a_person_changes_how_others_are_read():
    """Brute force: each cell in the column of durations, beside trips of others."""
    others = "".join(f"k{n},{START},A,B,{cell}\n" for n, cell in enumerate(("600", "0:10:00", "600.0", "")))
    alone = Counter(map(repr, reading_of(f"{TILES},duration_s\n{others}")[0].to_pylist()))
    assert alone.total() == 4
    for cell in CELLS:
        quoted = '"' + cell.replace('"', '""') + '"'
        for text in (f"{others}p7,{START},A,B,{quoted}\n", f"p7,{START},A,B,{quoted}\n{others}"):
            rows = reading_of(f"{TILES},duration_s\n{text}", drop=True)[0].to_pylist()
            kept = Counter(repr(row) for row in rows if row["user_id"] != "p7")
            assert kept == alone, cell


PICKUPS = "Pickup_date,locationID\n2024-03-01 08:00,A\n2024-03-01 09:00,B\n"
DECLARED = {"no_end": "Pickup_date", "start_tile": "locationID"}


def test_one_end_alone_is_a_visit_where_the_owner_says_so_and_never_by_itself():
    with pytest.raises(InputError, match=r"--column no_end=Pickup_date --column start_tile=locationID;"):
        inspect(upload(PICKUPS))
    with pytest.raises(InputError, match=r"--column no_end=Pickup_date --column start_tile=locationID;"):
        inspect(upload(PICKUPS), {"started_at": "Pickup_date", "start_tile": "locationID"})
    rows = reading_of(PICKUPS, mapping=DECLARED)[0].to_pylist()
    assert [(row["complete"], row["end_zone"]) for row in rows] == [(False, "A"), (False, "B")]
    assert {row[name] for row in rows for name in ("missing_lat", "missing_lng", "missing_time")} == {0}


@pytest.mark.parametrize(
    ("header", "mapping", "form"),
    [
        ("uid,pickup_time,pickup_lat,pickup_lon\n", {"no_end": "pickup_time"}, "visits at places"),
        ("pickup_time,pickup_lat,pickup_lon\n", {"no_end": "pickup_time"}, "visits at places, without users"),
        ("when,start_station_id\n", {"no_end": "when"}, "visits at stations, without users"),
        ("when,start_point\n", {"no_end": "when"}, "visits at points, without users"),
        (
            "start_time,end_time,start_tile,end_tile\n",
            {"no_end": "end_time"},
            "visits at tiles, without users",
        ),
    ],
)
def test_visits_have_places_of_every_kind(header, mapping, form):
    seen = inspect(upload(header), mapping)
    assert (seen.form, seen.no_ends) == (form, True)
    assert seen.mapping["started_at"] == mapping["no_end"]


def test_the_page_says_it_by_what_a_row_is():
    row = next(row for row in ROWS if row.name == "visits at tiles")
    seen, named = inspected_as(
        upload(PICKUPS), row, {"started_at": "Pickup_date", "start_tile": "locationID"}
    )
    assert seen.form == "visits at tiles, without users"
    assert named["no_end"] == "Pickup_date"


def test_the_command_counts_visits_and_no_flows(tmp_path, capsys):
    trips, tiles = tmp_path / "trips.csv", tmp_path / "tiles.csv"
    trips.write_text(PICKUPS)
    tiles.write_text(
        'tile_id,wkt\nA,"POLYGON ((0 0, 1 0, 1 1, 0 1, 0 0))"\nB,"POLYGON ((1 0, 2 0, 2 1, 1 1, 1 0))"\n'
    )
    words = ["--trips", str(trips), "--tiles", str(tiles), "--timezone", ZONE]
    words += ["--column", "no_end=Pickup_date", "--column", "start_tile=locationID"]
    assert main(["exact", "visits_per_tile", *words]) == 0
    assert capsys.readouterr().out.split() == ["tile_id,value", "A,1", "B,1", "outside,0"]
    assert main(["exact", "od_flows", *words]) != 0
    assert "no other ends, which od_flows needs" in capsys.readouterr().err
    loaded = dpcore.load_trips(trips, dpcore.load_tiles(tiles), timezone=ZONE, columns=DECLARED)
    assert dpcore.exact_table(loaded, "visits_per_tile")["value"].tolist() == [1, 1, 0]
    assert not loaded.form.ends
    with pytest.raises(PrivacyError, match="no other ends, which synthetic data need"):
        read_columns(loaded, ("end_tile",), None, {}, users=True)


def test_measures_of_complete_trips_are_those_that_need_both_ends(tmp_path):
    """No default plan for visits holds one, and one that is asked for is refused before it is charged."""
    needy = {name for name, one in MEASURES.items() if one.needs_ends}
    complete = {
        name
        for name, one in MEASURES.items()
        if one.terms and all("complete" in term.where.split() for term in one.terms)
    }
    assert (
        needy
        == complete - {"incomplete_trips"}
        == {"od_flows", "od_flows_per_window", "od_districts", "travel_time", "jump_length"}
    )
    (tmp_path / "trips.csv").write_text(PICKUPS)
    (tmp_path / "tiles.csv").write_text(
        'tile_id,wkt\nA,"POLYGON ((0 0, 1 0, 1 1, 0 1, 0 0))"\nB,"POLYGON ((1 0, 2 0, 2 1, 1 1, 1 0))"\n'
    )
    tiles = dpcore.load_tiles(tmp_path / "tiles.csv")
    trips = dpcore.load_trips(tmp_path / "trips.csv", tiles, timezone=ZONE, columns=DECLARED)
    ledger = dpcore.open_ledger(tmp_path / "ledger.jsonl")
    dpcore.register(ledger, "town", unit="trip", total_budget="1")
    bound, out = ContributionBound.per_trip(), tmp_path / "bundle"
    asked = dpcore.default_plan(bound, "1", tiles, measures=["visits_per_tile", "od_flows"])
    with pytest.raises(PrivacyError, match="no other ends, which od_flows needs"):
        dpcore.publish(trips, tiles, asked, ledger=ledger, dataset="town", nonce="1", out=out)
    plan = dpcore.default_plan(bound, "1", tiles, form=trips.form)
    assert not needy & {*plan.weights}
    assert dpcore.publish(trips, tiles, plan, ledger=ledger, dataset="town", nonce="2", out=out).charged == 1
