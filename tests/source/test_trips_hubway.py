"""The trips of the Hubway challenge: stations for places, months first, three ways to end a line."""

from __future__ import annotations

from datetime import datetime

import pytest
from hubway_files import COLUMNS, record, records, text_of
from reading_of import gzipped, parquet, reading_of, rows_of, upload, zipped

from dpcore import limits
from dpcore.errors import InputError
from dpcore.private.source import TripsFile, inspect

BOSTON = "America/New_York"
CANARY = "zq7canary"


def one(**changes):
    """The only trip of a file, read."""
    (row,) = rows_of(text_of([record(**changes)]), timezone=BOSTON)
    return row


def test_the_form_is_told_by_its_header_and_has_no_user():
    seen = inspect(upload(text_of([record()])))
    assert (seen.form, seen.has_users, seen.has_points) == ("Hubway (MAPC)", False, False)
    assert seen.mapping["start_station"] == "strt_statn"
    assert seen.extras == {"zip": "zip_code", "gender": "gender", "user_type": "subsc_type"}


def test_a_trip_has_stations_and_the_wall_clock_of_boston():
    row = one()
    assert (row["start_zone"], row["end_zone"], row["complete"]) == ("23", "40", True)
    assert row["started_at"] == datetime(2011, 7, 28, 10, 12)
    assert row["end_us"] - row["start_us"] == 480_000_000
    assert (row["extra_zip"], row["extra_gender"], row["extra_user_type"]) == (
        "02139",
        "female",
        "Registered",
    )


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"], ids=["LF", "CR", "CRLF"])
@pytest.mark.parametrize("separator", [",", ";"])
def test_line_ends_and_separators_change_nothing(end, separator):
    rows = records(300)
    assert rows_of(text_of(rows, separator, end)) == rows_of(text_of(rows))


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"], ids=["LF", "CR", "CRLF"])
@pytest.mark.parametrize("pack", [lambda text: text, gzipped, lambda text: zipped({"h.csv": text})])
def test_a_file_of_many_blocks_is_read_piece_by_piece(end, pack, monkeypatch):
    rows = records(3_000)
    straight = rows_of(text_of(rows))
    monkeypatch.setattr(limits, "CSV_BLOCK_BYTES", 4_096)
    data = pack(text_of(rows, end=end))
    name = "h.csv" if isinstance(data, str) else "h.csv.gz" if data[:2] == b"\x1f\x8b" else "h.zip"
    file = TripsFile.uploaded(name, data.encode() if isinstance(data, str) else data)
    table, report = reading_of(file)
    assert table.to_pylist() == straight
    assert report.records == 3_000
    assert table["start_zone"].num_chunks > 20


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"], ids=["LF", "CR", "CRLF"])
def test_a_bad_record_is_named_by_its_line_and_not_by_its_cells(end):
    rows = [*records(3), record(start_date=CANARY), record()]
    with pytest.raises(InputError, match=r"line 5, column start_date") as refused:
        reading_of(text_of(rows, ";", end))
    assert CANARY not in str(refused.value)
    with pytest.raises(InputError, match=r"line 7, column start_date"):
        reading_of(text_of(rows, ";", end).replace(f"{end}1;", f"{end * 3}1;", 1))  # two empty lines
    _, report = reading_of(text_of(rows, ";", end), drop=True)
    assert (report.trips, report.dropped_records) == (4, 1)


def test_one_line_without_an_end_is_refused():
    with pytest.raises(InputError, match="a line has more than"):
        reading_of(text_of([record()], end="\r") + "1," * 2**20)
    with pytest.raises(InputError, match="columns, the limit is"):
        reading_of(text_of(records(12_000), end=" "))


@pytest.mark.parametrize("written", ["23", " 23 ", "23.0", '"23"', '"23.0"'])
def test_ids_that_went_through_a_spreadsheet_are_the_same_stations(written):
    assert one(strt_statn=written)["start_zone"] == "23"


@pytest.mark.parametrize("written", ["023", "23.00", "23.5", "A23.0", ".0", "-23.0"])
def test_other_ids_stay_as_they_are(written):
    assert one(strt_statn=written)["start_zone"] == written


def test_a_missing_station_makes_a_trip_incomplete():
    row = one(end_statn="")
    assert (row["complete"], row["start_zone"], row["end_zone"]) == (False, None, "23")
    row = one(strt_statn="NULL")
    assert (row["complete"], row["end_zone"]) == (False, "40")


def test_a_byte_order_mark_and_quotes_around_everything_do_no_harm():
    rows = [[f'"{cell}"' for cell in row] for row in records(20)]
    header = ",".join(f'"{name}"' for name in COLUMNS.split(","))
    text = "\ufeff" + header + "\r" + text_of(rows, end="\r").partition("\r")[2]
    assert rows_of(text) == rows_of(text_of(records(20)))


def test_a_table_of_the_same_trips_is_read_alike():
    rows = records(200)
    columns = dict(zip(COLUMNS.split(","), zip(*rows, strict=True), strict=True))
    columns = {name: [cell or None for cell in cells] for name, cells in columns.items()}
    columns["strt_statn"] = [float(cell) for cell in columns["strt_statn"]]
    columns["end_statn"] = [int(cell) for cell in columns["end_statn"]]
    assert rows_of(parquet(columns), "h.parquet") == rows_of(text_of(rows))


def test_a_trip_that_ends_before_it_starts_is_bad():
    with pytest.raises(InputError, match="ends before it starts"):
        one(end_date="7/28/2011 10:11:00")


def test_a_semicolon_is_only_a_separator_where_the_header_says_so():
    assert one(zip_code="02;139")["extra_zip"] == "02;139"
    with pytest.raises(InputError, match="has 14 fields, the header 13"):
        reading_of(text_of([record(zip_code="02;139")], ";"))
