"""Bad records: named by line and column, counted, dropped on request; no cell ever leaves."""

from __future__ import annotations

import logging
import traceback

import pyarrow as pa
import pytest
from reading_of import CANONICAL, GOOD, LONG, ZONES, gzipped, parquet, reading_of, rows_of, upload

from dpcore import limits
from dpcore.errors import AtlasError, InputError, InternalError
from dpcore.private.source import BadRecords, ReadReport, inspect, read, reading

CANARY = "zq7canary"
BAD_LAT = GOOD.replace("52.5", "x")


def message(text, **options):
    with pytest.raises(InputError) as error:
        reading_of(text, **options)
    return str(error.value)


def test_the_error_names_line_and_column_and_how_to_mend():
    assert message(CANONICAL + GOOD * 6 + BAD_LAT) == (
        "not a number: trips.csv, line 8, column start_lat. Give degrees such as 52.5163. "
        "Or have bad records left out and counted: --drop-bad (in a notebook drop_bad=True)."
    )


def test_the_first_bad_record_is_named_and_all_are_counted():
    text = CANONICAL + GOOD + BAD_LAT.replace("10:00", "99:00") + GOOD + "u,short\n" + BAD_LAT * 30
    with pytest.raises(InputError) as error:
        reading_of(text)
    assert str(error.value).endswith("And 31 more.")
    assert "line 3" in str(error.value)
    notes = error.value.__notes__
    assert sum("trips.csv, line" in note for note in notes) == limits.MAX_LISTED_PROBLEMS
    assert "30 x not a number, column start_lat" in notes
    assert "1 x has 2 fields, the header 7" in notes


@pytest.mark.parametrize(
    ("bad", "options"), [(BAD_LAT, set()), (GOOD.replace("-03-01 10:00:00", "-03-01"), {"--times dates"})]
)
def test_the_error_carries_the_options_that_mend_one_of_the_records(bad, options):
    with pytest.raises(InputError) as error:
        reading_of(CANONICAL + BAD_LAT + bad)
    assert error.value.options == options


def test_no_batch_follows_a_refused_one(monkeypatch):
    monkeypatch.setattr(limits, "CSV_BLOCK_BYTES", 1000)
    file = upload(CANONICAL + GOOD * 30 + BAD_LAT + GOOD * 300)
    seen = []
    with pytest.raises(InputError, match="line 32"):
        seen.extend(batch.num_rows for batch in read(file, inspect(file), timezone="UTC").batches())
    assert sum(seen) < 31


def test_reading_on_to_count_stops_at_a_limit(monkeypatch):
    monkeypatch.setattr(limits, "CSV_BLOCK_BYTES", 10_000)
    monkeypatch.setattr(limits, "MAX_BAD_RECORDS", 500)
    shares = []
    message(CANONICAL + BAD_LAT * 60_000, progress=shares.append)
    assert 0 < max(shares) < 0.5


LINES = [
    ("plain", CANONICAL + GOOD + "{}", 3),
    ("after empty lines", "\n" + CANONICAL + "\n\n" + GOOD + "\n{}", 7),
    ("with CR LF", (CANONICAL + GOOD).replace("\n", "\r\n") + "{}", 3),
    ("with CR", (CANONICAL + GOOD).replace("\n", "\r") + "{}", 3),
    ("with a byte-order mark", "\ufeff" + CANONICAL + "{}", 2),
    ("after records of one quoted field each", CANONICAL + '""\n\n' + GOOD + "{}", 2),
    ("after a quoted header", CANONICAL.replace("user_id", '"user_id"') + "{}", 2),
    ("after a short record", CANONICAL + "a,b\n" + GOOD + "{}", 2),
]


@pytest.mark.parametrize(("text", "line"), [case[1:] for case in LINES], ids=[case[0] for case in LINES])
@pytest.mark.parametrize("pack", [str.encode, gzipped])
def test_lines_are_the_physical_lines_of_the_file(text, line, pack):
    name = "trips.csv.gz" if pack is gzipped else "trips.csv"
    assert f"line {line}" in message(pack(text.format(BAD_LAT)), name=name)


def test_lines_are_right_deep_in_a_file_of_many_batches(monkeypatch):
    monkeypatch.setattr(limits, "CSV_BLOCK_BYTES", 5000)
    text = CANONICAL + (GOOD * 99 + "x,y\n") * 5 + GOOD * 50 + BAD_LAT + GOOD * 400
    _, report = reading_of(text, drop=True)
    places = {rule.rule: rule.places for rule in report.dropped}
    assert places == {"has 2 fields, the header 7": (101, 201, 301, 401, 501), "not a number": (552,)}
    assert (report.records, report.trips) == (951, 945)


@pytest.mark.parametrize(
    ("record", "text"),
    [
        ("a\n", "has 1 field, the header 7"),
        (GOOD.strip() + ",x\n", "has 8 fields, the header 7"),
        (GOOD.replace(",52.5,", ","), "has 6 fields, the header 7"),
        (" \n", "has 1 field, the header 7"),
    ],
)
def test_a_record_of_another_length_is_refused_or_dropped_and_shifts_nothing(record, text):
    whole = CANONICAL + GOOD + record + GOOD
    assert f"{text}: trips.csv, line 3." in message(whole)
    assert rows_of(whole, drop=True) == rows_of(CANONICAL + GOOD * 2)


def test_end_before_start_is_bad_and_the_same_moment_is_not():
    assert "ends before it starts: trips.csv, line 2, column ended_at" in message(
        CANONICAL + GOOD.replace("10:30:00", "09:59:59")
    )
    rows = rows_of(
        CANONICAL + GOOD.replace("10:30:00", "10:00:00") + GOOD.replace("03-01 10:30", "03-02 11:00")
    )
    assert [(row["end_us"] - row["start_us"]) / 3.6e9 for row in rows] == [0, 25]


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (("10", "1,2"), ("11", "3,4"), ("10", "1", "11", "3")),
        (("", "1,2"), ("11", "3,4"), (None, None, "11", "3")),
        (("10", "1,2"), ("", "3,4"), (None, None, "10", "1")),
        (("10", "1,2"), ("11", ","), (None, None, "10", "1")),
        (("10", ","), ("11", "3,4"), (None, None, "11", "3")),
        (("10", ","), ("11", ","), (None, None, "11", None)),
        (("10", ","), ("", "3,4"), (None, None, "10", None)),
        (("", "1,2"), ("11", ","), (None, None, "11", None)),
    ],
)
def test_an_incomplete_trip_keeps_one_record_as_its_end(start, end, expected):
    times = [f"2024-03-01 {hour}:00:00" if hour else "" for hour, _ in (start, end)]
    table, report = reading_of(CANONICAL + f"u,{times[0]},{times[1]},{start[1]},{end[1]}\n")
    (row,) = table.to_pylist()
    assert (
        row["started_at"] and f"{row['started_at']:%H}",
        row["start_lat"] and f"{row['start_lat']:.0f}",
        f"{row['ended_at']:%H}",
        row["end_lat"] and f"{row['end_lat']:.0f}",
    ) == expected
    assert row["complete"] == (expected[0] is not None)
    assert report.incomplete == (not row["complete"])


def test_a_trip_without_both_times_is_bad():
    assert "time missing: trips.csv, line 2, column started_at" in message(CANONICAL + "u,,,1,2,3,4\n")


def test_the_report_counts_what_is_missing_and_survives_json():
    text = (
        CANONICAL
        + GOOD
        + GOOD.replace("52.6", "")
        + GOOD.replace("52.5", "NULL").replace("13.4", "")
        + BAD_LAT
    )
    _, report = reading_of(text, drop=True)
    assert {name: count for name, count in report.missing.items() if count} == {
        "end_lat": 1,
        "start_lat": 1,
        "start_lng": 1,
    }
    assert (report.records, report.trips, report.incomplete, report.dropped_records) == (4, 3, 2, 1)
    again = ReadReport.from_json(report.to_json())
    assert again == report
    assert again.dropped[0].places == (5,)
    assert ReadReport.from_json(ReadReport.empty().to_json()) == ReadReport.empty()


def test_progress_runs_from_0_to_1(monkeypatch):
    monkeypatch.setattr(limits, "CSV_BLOCK_BYTES", 100_000)
    for text in (CANONICAL + GOOD * 60_000, LONG + "u,t,2024-03-01 10:00:00,1,2\n" * 100_000):
        shares = []
        reading_of(text, progress=shares.append)
        assert shares == sorted(shares)
        assert shares[-1] == 1.0
        assert len(shares) > 2


def test_batches_come_once_and_the_report_after_them():
    file = upload(CANONICAL + GOOD)
    one = read(file, inspect(file), timezone="UTC")
    with pytest.raises(InternalError, match="unfinished"):
        _ = one.report
    list(one.batches())
    assert one.report.trips == 1
    with pytest.raises(InternalError, match="twice"):
        list(one.batches())


def test_a_file_that_changes_between_looking_and_reading_is_refused():
    found = inspect(upload(CANONICAL + GOOD))
    with pytest.raises(InputError, match="header has changed"):
        list(read(upload(LONG), found, timezone="UTC").batches())


def test_a_fault_of_ours_shows_its_place_and_no_text(monkeypatch):
    def fail(*_args):
        raise ValueError(CANARY)

    monkeypatch.setattr(reading, "trips_of_rows", fail)
    with pytest.raises(InternalError) as error:
        reading_of(CANONICAL + GOOD)
    assert "ValueError" in str(error.value)
    assert CANARY not in "".join(traceback.format_exception(error.value))


ZONE_ROW = "2019-03-01 10:00:00,2019-03-01 10:10:00,1,2\n"
LONG_ROW = "u,t,2024-03-01 10:00:00,1,2\n"


def spoiled(header, row):
    """Each column in turn filled with the canary, alone and with a number around it."""
    cells = row.strip().split(",")
    for column in range(len(cells)):
        for value in (
            CANARY,
            f"1{CANARY}",
            f'"{CANARY}\n,"',
            CANARY * 1000,
            f"2024-{CANARY}",
            f"{CANARY}\x00",
        ):
            bad = ",".join([*cells[:column], value, *cells[column + 1 :]]) + "\n"
            yield header + row + bad + row
            yield header + bad
    yield header + row + f"{CANARY}\n"
    yield header + row + row.strip() + f",{CANARY}\n"
    yield header + row + f'"{CANARY}' + row
    yield row.replace("u", CANARY).replace("1", CANARY, 1) + row
    yield f"{CANARY},{CANARY}\n" * 3 + row
    yield (header + row + f"ü{CANARY}").encode("latin-1")
    yield header + row + f"2024-03-01 10:00:00Z,{CANARY}," + row


@pytest.mark.parametrize(
    ("header", "row"),
    [(CANONICAL, GOOD), (LONG, LONG_ROW), (ZONES, ZONE_ROW)],
    ids=["trips", "records", "zones"],
)
@pytest.mark.parametrize("policy", BadRecords)
def test_no_cell_is_in_any_error_report_text_or_log(header, row, policy, caplog):
    caplog.set_level(logging.DEBUG)
    for number, text in enumerate(spoiled(header, row)):
        file, said = upload(text), []
        try:
            found = inspect(file)
            one = read(file, found, timezone="UTC", bad_records=policy)
            said += [repr(found), repr(file), repr(one)]
            for _ in one.batches():
                pass
            said += [repr(one.report), one.report.to_json()]
        except AtlasError as error:
            said += ["".join(traceback.format_exception(error)), repr(error)]
        assert CANARY not in "\n".join(said), (number, said)
    assert CANARY not in caplog.text


@pytest.mark.parametrize("column", ["datetime", "lat", "lng"])
def test_no_cell_of_parquet_is_in_any_error(column):
    good = {"uid": "u", "tid": "t", "datetime": "2024-03-01 10:00:00", "lat": "1", "lng": "2"}
    cells = {name: [value, CANARY if name == column else value] for name, value in good.items()}
    with pytest.raises(InputError, match=f"trips.parquet, row 2, column {column}") as error:
        reading_of(parquet(cells), "trips.parquet")
    assert CANARY not in "".join(traceback.format_exception(error.value))


def test_a_million_bad_records_are_counted_at_speed():
    text = CANONICAL + BAD_LAT * 100_000
    _, report = reading_of(text, drop=True)
    assert report.dropped[0].count == 100_000
    assert len(report.dropped[0].places) == limits.MAX_LISTED_PROBLEMS


def test_arrow_schema_is_the_contract():
    table, _ = reading_of(CANONICAL + GOOD)
    assert table.schema.field("started_at").type == pa.timestamp("us")


def test_errors_of_the_csv_engine_are_not_passed_on(monkeypatch):
    def fail(*_args, **_kwargs):
        raise pa.ArrowInvalid(CANARY)

    monkeypatch.setattr(pa.csv, "read_csv", fail)
    with pytest.raises(InputError, match="the text is not CSV") as error:
        reading_of(CANONICAL + GOOD)
    assert CANARY not in "".join(traceback.format_exception(error.value))


def test_a_reading_says_what_it_will_yield():
    file = upload(ZONES + ZONE_ROW)
    one = read(file, inspect(file), timezone="UTC")
    assert not one.has_users
    assert one.schema.names[-2:] == ["start_zone", "end_zone"]
