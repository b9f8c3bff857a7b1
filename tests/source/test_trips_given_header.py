"""Files that do not name their columns: the owner gives them a header, and their first line is a record."""

from __future__ import annotations

import pytest
from reading_of import parquet, rows_of, upload

import dpcore
from dpcore.errors import InputError
from dpcore.private.source import inspect, trips_files
from tests.cities import four_tiles

HEADER = "uid,tid,datetime,lat,lng"
LINES = "a,1,2024-03-01 10:00:00,0.5,0.5\na,1,2024-03-01 10:30:00,1.5,0.5\n"
KEY = b"k" * 32


def given(text, header=HEADER, name="trips.txt"):
    return upload(text, name).with_header(header)


@pytest.mark.parametrize("mark", [",", ";", "|", "\t"])
def test_the_first_line_is_a_record_and_fields_are_separated_as_the_names_are(mark):
    text = LINES.replace(",", mark)
    (trip,) = rows_of(given(text, HEADER.replace(",", "\\t" if mark == "\t" else mark)))
    assert (trip["user_id"], trip["start_lat"], trip["end_lat"]) == ("a", 0.5, 1.5)


def test_names_may_be_separated_by_blanks():
    (trip,) = rows_of(given("a 1 1709287200 0.5 0.5\n", HEADER.replace(",", " ")))
    assert (trip["user_id"], trip["end_lng"]) == ("a", 0.5)


def test_a_byte_order_mark_is_no_part_of_the_first_user():
    assert rows_of(given("\ufeff" + LINES)) == rows_of(given(LINES))


def test_lines_are_counted_as_in_the_file():
    with pytest.raises(InputError, match="line 3, column lat"):
        rows_of(given(LINES + "b,1,2024-03-01 10:00:00,north,0.5\n"))


def test_a_header_of_the_file_is_no_record():
    with pytest.raises(InputError, match="line 1"):
        rows_of(given(HEADER + "\n" + LINES))


def test_other_names_make_other_trips_of_the_same_file(tmp_path):
    (tmp_path / "trips.txt").write_text(LINES)
    headers = HEADER, "uid,tid,datetime,lng,lat", "who,tid,datetime,lat,lng"
    one, swapped, respelled = (
        dpcore.load_trips(
            tmp_path / "trips.txt", four_tiles(), timezone="Europe/Berlin", header=header, columns=columns
        )
        for header, columns in zip(headers, (None, None, {"uid": "who"}), strict=True)
    )
    assert one.fingerprint == swapped.fingerprint == respelled.fingerprint
    assert len({one.folder, swapped.folder, respelled.folder}) == 3
    counts = [dpcore.exact_table(trips, "visits_per_tile") for trips in (one, swapped)]
    assert not counts[0].equals(counts[1])
    named, plain = given(LINES), upload(LINES, "trips.txt")
    assert named.digest(KEY) == plain.digest(KEY)


@pytest.mark.parametrize("header", ["", "   ", "uid", "uid,\x00", "uid,tid\ndatetime,lat"])
def test_what_is_no_line_of_names_is_refused(header):
    with pytest.raises(InputError, match="no line of names"):
        given(LINES, header)


def test_parquet_names_its_columns_itself():
    with pytest.raises(InputError, match="Leave --header out"):
        upload(parquet({"uid": ["a"]}), "trips.parquet").with_header(HEADER)


def test_the_library_takes_a_header_for_a_file_and_none_for_a_frame(tmp_path):
    (tmp_path / "trips.txt").write_text(LINES)
    trips = dpcore.load_trips(tmp_path / "trips.txt", four_tiles(), timezone="Europe/Berlin", header=HEADER)
    assert trips.has_users
    with pytest.raises(InputError, match="a data frame names its columns itself"):
        dpcore.load_trips(
            dpcore.exact_table(trips, "visits_per_tile"), four_tiles(), timezone=None, header=HEADER
        )


@pytest.mark.parametrize("user", ["ORC", "<7>", "[a]", "{b}", "PAR1", "%PDF", "Geolife trajectory", "PK\3\4"])
def test_the_first_record_does_not_decide_what_kind_the_file_is(tmp_path, user):
    place = tmp_path / "trips.csv"
    place.write_text(LINES.replace("a,", f"{user},"))
    (file,) = trips_files([place], HEADER)
    (trip,) = rows_of(file)
    assert trip["user_id"] == user
    with pytest.raises(InputError) as refused:
        inspect(*trips_files([place]))
    assert "--header" in str(refused.value) or user == "PK\3\4"


def test_what_no_text_begins_with_is_refused_with_a_header_too(tmp_path):
    for data, said in {b"SQLite format 3\0": "SQLite", b"\x1f\x8b": "gzip", b"\xff\xfe": "UTF-16"}.items():
        (tmp_path / "trips.csv").write_bytes(data)
        with pytest.raises(InputError, match=said):
            trips_files([tmp_path / "trips.csv"], HEADER)


def test_a_time_of_day_in_a_column_of_its_own_is_named_by_hand():
    text = "Nutzer;Fahrt;Datum;time;lat;lng\na;1;2024-04-03;10:00;0,5;0,5\na;1;2024-04-03;10:30;1,5;0,5\n"
    mapping = {"uid": "Nutzer", "tid": "Fahrt", "datetime": "Datum", "clock_datetime": "time"}
    (trip,) = rows_of(upload(text), mapping=mapping)
    assert [f"{trip[end]:%Y-%m-%d %H:%M}" for end in ("started_at", "ended_at")] == [
        "2024-04-03 10:00",
        "2024-04-03 10:30",
    ]
    with pytest.raises(InputError, match="a time of day without its date"):
        rows_of(
            upload(text),
            mapping={"uid": "Nutzer", "tid": "Fahrt", "datetime": "Datum", "clock_ended_at": "time"},
        )
