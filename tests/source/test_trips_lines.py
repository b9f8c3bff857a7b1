"""A record ends at its line: what one line holds never changes how another is read."""

from __future__ import annotations

import re
from unittest import mock

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from reading_of import CANONICAL, GOOD, gzipped, parquet, reading_of, rows_of, upload, zipped

from dpcore import limits
from dpcore.errors import InputError
from dpcore.private.source.csv_file import csv_batches
from dpcore.private.source.inspection import Inspection
from dpcore.private.source.report import Faults

NOTES = "note," + CANONICAL
PACKED = {"t.csv": str.encode, "t.csv.gz": gzipped, "t.zip": lambda text: zipped({"t.csv": text})}
REST = GOOD.partition(",")[2]
OPEN = "a quotation mark is not closed"


def trip(user, note="", rest=REST):
    return f"{note},{user},{rest}"


def trips(count):
    return [trip(f"u{number}") for number in range(count)]


def users(table):
    return table["user_id"].to_pylist()


def refused(text, name="t.csv", **options):
    with pytest.raises(InputError) as error:
        reading_of(text, name, **options)
    return str(error.value)


@pytest.mark.parametrize("name", PACKED)
def test_an_open_quotation_mark_in_an_unread_column_takes_its_own_record_and_no_other(name):
    """One at the first record and one at the last once hid all that stood between them, without a word."""
    lines = trips(100)
    lines[0], lines[-1] = trip("x", '"'), trip("y", 'b"')
    data = PACKED[name](NOTES + "".join(lines))
    assert f"{OPEN}: {name}, line 2." in refused(data, name)
    table, report = reading_of(data, name, drop=True)
    assert users(table) == [f"u{number}" for number in range(1, 99)] + ["y"]
    assert [(rule.rule, rule.places) for rule in report.dropped] == [(OPEN, (2,))]


def test_a_record_may_end_in_empty_fields_where_the_publisher_of_this_header_writes_them():
    """Each record by itself, however it ends; elsewhere, and with anything in them, such a record is none."""
    names = "lpep_pickup_datetime,Lpep_dropoff_datetime,Pickup_longitude,Pickup_latitude,Dropoff_longitude,Dropoff_latitude,Trip_type "
    ride = "2014-04-01 00:00:{:02d},2014-04-01 00:24:00,13.4,52.5,13.5,52.6,{}"
    rides = [
        ride.format(number, end) for number, end in enumerate(["1", "1,", "1,,", ",,", '"1,,",,', '"1,,"'])
    ]
    wrong = [ride.format(30, end) for end in ["1,,,", "1,x,", "1,,x", '1,"",', '",,']]
    for lines in (
        rides,
        [*wrong, *rides],
        [rides[2], *wrong, *rides[::-1][:3], *wrong, *rides[1::-1], *rides[2:3]],
    ):
        table, report = reading_of("\r\n".join([names, "", *lines]), drop=True)
        read = {time.second for time in table["started_at"].to_pylist()}
        assert read == {number for number, one in enumerate(rides) if one in lines}
        assert report.dropped_records == sum(one in wrong for one in lines)
    with pytest.raises(InputError, match="has 9 fields, the header 7"):
        rows_of("\n".join([names.replace("Trip_type", "Kind"), rides[2]]))


@pytest.mark.parametrize("name", PACKED)
def test_an_open_quotation_mark_without_another_one_refuses_or_drops_its_record_alone(name):
    data = PACKED[name](NOTES + trip("x", '"') + "".join(trips(100)))
    assert f"{OPEN}: {name}, line 2." in refused(data, name)
    table, report = reading_of(data, name, drop=True)
    assert users(table) == [f"u{number}" for number in range(100)]
    assert (report.records, report.dropped_records) == (101, 1)


@pytest.mark.parametrize("name", PACKED)
def test_two_half_quotes_fifty_lines_apart_lose_nothing_between_them(name):
    lines = trips(100)
    lines[20], lines[70] = trip("x", '"half'), trip("y", '"')
    data = PACKED[name](NOTES + "".join(lines))
    assert f"{OPEN}: {name}, line 22." in refused(data, name)
    table, report = reading_of(data, name, drop=True)
    assert users(table) == [f"u{number}" for number in range(100) if number not in {20, 70}]
    assert report.dropped[0].places == (22, 72)


@pytest.mark.parametrize("end", ["", "\n", "\r\n", "\r"])
def test_a_file_that_ends_inside_quotation_marks_has_one_bad_record(end):
    text = NOTES + trip("u1") + trip("x", '"').strip() + end
    assert f"{OPEN}: t.csv, line 3." in refused(text)
    assert users(reading_of(text, drop=True)[0]) == ["u1"]


def test_a_line_break_in_a_field_ends_the_record():
    text = NOTES + trip("x", '"one\ntwo"') + trip("u1")
    assert f"{OPEN}: t.csv, line 2." in refused(text)
    table, report = reading_of(text, drop=True)
    assert users(table) == ["x", "u1"]  # what follows the break is a line of its own
    assert report.dropped_records == 1


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_lone_carriage_return_ends_a_line_as_well(end):
    text = (NOTES + "".join(trips(3))).replace("\n", end) + trip("a\rb", "c").strip() + end + trip("u9")
    assert "has 2 fields, the header 8: t.csv, line 5. " in refused(text)
    assert users(reading_of(text, drop=True)[0]) == ["u0", "u1", "u2", "u9"]


@pytest.mark.parametrize("quote", ["", '"'])
def test_the_limit_of_a_field_holds_in_columns_that_are_not_read(quote):
    exact = trip("u1", quote + "ä" * limits.MAX_FIELD_CHARACTERS + quote)
    long = trip("x", quote + "ä" * (limits.MAX_FIELD_CHARACTERS + 1) + quote)
    assert "a field longer than 4,096 characters: t.csv, line 3, column note." in refused(
        NOTES + exact + long
    )
    table, report = reading_of(NOTES + exact + long + trip("u2"), drop=True)
    assert users(table) == ["u1", "u2"]
    assert report.dropped[0].column == "note"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ('a"b', 'a"b'), ('a""b', 'a""b'), ('"a"b', "ab"), ('"a" "b"', 'a "b"'), ('"a""b"', 'a"b'), ('""""', '"'),
        ('"a,b"', "a,b"), (' "a', '"a'), ("a\x0bb", "a\x0bb"), ("a\x0cb", "a\x0cb"), ("a\x1cb", "a\x1cb"),
        ("a\u2028b", "a\u2028b"), ("a\x85b", "a\x85b"), ("\ufeffa", "\ufeffa"), ("a\ufeff", "a\ufeff"),
        ('"NULL"', None), ('"\\N"', None), ("'a", "'a"), ("a\\", "a\\"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("block", [400, 2**20])
def test_odd_bytes_stay_in_their_field_wherever_a_block_begins(monkeypatch, field, value, block):
    monkeypatch.setattr(limits, "CSV_BLOCK_BYTES", block)
    text = CANONICAL + (GOOD + GOOD.replace("u1", field)) * 20
    table, report = reading_of(text, drop=True)
    assert users(table) == (["u1", value] if value else ["u1"]) * 20
    assert report.dropped_records == (0 if value else 20)


@pytest.mark.parametrize("damage", [b"\xff", b"\xc3", b"\0", b"\xed\xa0\x80"])
@pytest.mark.parametrize("drop", [False, True])
def test_a_byte_that_is_no_text_refuses_the_whole_file(damage, drop):
    data = (NOTES + "".join(trips(50))).encode() + damage + trip("x").encode() + trip("u1").encode()
    assert "the text" in refused(data, drop=drop)


def test_a_header_ends_at_its_line():
    for text in ('"user\nid"' + CANONICAL.removeprefix("user_id"), '"' + CANONICAL, 'a,"' + CANONICAL):
        assert "a quotation mark in the first line is not closed" in refused(text + GOOD)
    assert rows_of(CANONICAL.replace("user_id", '"user_id"') + GOOD) == rows_of(CANONICAL + GOOD)


def reference(text, separator, width, most):
    """Line by line, each by itself: line -> its fields, or what is wrong with it."""
    found = {}
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text), 1):
        if line:
            fields, rest, closed = [], line, True
            while True:
                value = ""
                if rest.startswith('"'):
                    quoted = re.match(r'"((?:[^"]|"")*)("?)', rest)
                    value, closed, rest = quoted[1].replace('""', '"'), bool(quoted[2]), rest[quoted.end() :]
                plain, mark, rest = rest.partition(separator)
                fields.append(value + plain)
                if not mark:
                    break
            long = next((at for at, field in enumerate(fields) if len(field) > most), None)
            found[number] = (
                "open" if not closed
                else f"{len(fields)} fields" if len(fields) != width
                else f"long {long}" if long is not None
                else tuple(fields)
            )  # fmt: skip
    return found


def read_lines(text, separator, width, block):
    """The same of the reader: its batches, and what it left out."""
    names = tuple(f"c{number}" for number in range(width))
    file = upload(separator.join(names) + "\n" + text)
    roles = {name: name for name in names}
    seen = Inspection("t", "trips", names, roles, separator=separator)
    faults, found = Faults(), {}
    limit = {"CSV_BLOCK_BYTES": block, "MAX_FIELD_CHARACTERS": 5, "MAX_LISTED_PROBLEMS": 10**6}
    with mock.patch.multiple(limits, **limit):
        for batch in csv_batches(file, seen, faults, lambda _share: None):
            rows = zip(*(batch.columns[name].to_pylist() for name in names), strict=True)
            found |= dict(zip((batch.places - 1).tolist(), rows, strict=True))
        for rule in faults.dropped(lambda place: ("", place)):
            words = rule.rule.split()
            told = {"a quotation": "open", "a field": f"long {rule.column[1:]}"}.get(" ".join(words[:2]))
            found |= dict.fromkeys((place - 1 for place in rule.places), told or f"{words[1]} fields")
    return found


def with_null(found):
    return {
        line: tuple(field or None for field in told) if isinstance(told, tuple) else told
        for line, told in found.items()
    }


texts = st.lists(
    st.sampled_from(["a", ",", ";", '"', "\r", "\n", "\r\n", " ", "aaaaaa", "ä", '"a,b"', '"",', "a,a\n"])
)


@settings(deadline=None, max_examples=400)
@given(texts.map("".join), st.sampled_from(",;"), st.integers(2, 3), st.integers(1, 40))
@example('a,"\na,b\na","\n', ",", 2, 3)
@example("a,b\r\n\r\n\ra,b\r", ",", 2, 1)
@example('"a""","""\n', ",", 2, 4)
@example('a,b\na,"b""', ",", 2, 7)
def test_the_reader_takes_the_same_for_a_record_as_a_reader_of_single_lines(text, separator, width, block):
    assert read_lines(text, separator, width, block) == with_null(reference(text, separator, width, 5))


@settings(deadline=None, max_examples=200)
@given(
    st.lists(st.text('ab,;" \ufeff\x0b\u2028', max_size=12), max_size=8),
    st.integers(0, 7),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.integers(1, 40),
)
def test_a_line_that_is_added_or_removed_changes_no_other(lines, at, end, block):
    def told(some):
        found = read_lines("".join(line + end for line in some if line), ",", 2, block)
        return [found[line] for line in sorted(found)]

    at = min(at, len(lines))
    one = lines[at : at + 1]
    rest = lines[:at] + lines[at + 1 :]
    place = len([line for line in lines[:at] if line])
    whole = told(lines)
    if one and one[0]:
        assert [whole[place]] == told(one)
        whole = whole[:place] + whole[place + 1 :]
    assert whole == told(rest)


CANARY = "Zq7canary"
HEADERLESS = {
    "tabs": f"{CANARY}\t2024-03-01 10:00:00\t52.5163\t13.3777\n",
    "tabs, words alone": f"{CANARY}\tmitte\n",
    "bars": f"{CANARY}|2024-03-01 10:00:00|52.5163|13.3777\n",
    "bars, words alone": f"{CANARY}|mitte\n",
    "colons": f"{CANARY}:2024-03-01 10.00.00:52.5163:13.3777\n",
    "colons, words alone": f"{CANARY}:mitte\n",
    "spaces": f"{CANARY} 2024-03-01 10:00:00 52.5163 13.3777\n",
    "spaces, words alone": f"{CANARY} mitte\n",
    "one column": f"{CANARY}\n",
    "words": f"{CANARY},mitte,tiergarten\n",
    "words in semicolons": f"{CANARY};mitte;tiergarten\n",
    "decimal commas": f"{CANARY};2024-03-01 10:00:00;52,5163;13,3777;{CANARY}\n",
    "short decimal commas": f"{CANARY};52,5;13,4;{CANARY}\n",
    "quoted": f'"{CANARY}","2024-03-01 10:00:00","52.5163"\n',
    "quoted tabs": f'"{CANARY}"\t"2024-03-01 10:00:00"\t"52.5163"\n',
    "tabs and commas": f"{CANARY}\tMitte, Berlin\t52.5163\n",
    "open quotation mark": f'"{CANARY},2024-03-01 10:00:00\n',
    "a place in one cell": f'{CANARY},"(52.5163, 13.3777)",mitte\n',
    "a day": f"{CANARY},on 1.3.2024,mitte\n",
    "a name with cells": f"user_id,{CANARY} 52.5163 2024-03-01\n",
    "a name with a tab": f"user_id,started_at,{CANARY}\tmitte\n",
    "a long name": f"user_id,{CANARY}{'x' * 200}\n",
}


@pytest.mark.parametrize("kind", HEADERLESS)
@pytest.mark.parametrize("mapping", [None, {"user_id": "somebody"}])
def test_no_cell_of_a_file_without_header_is_in_the_error(kind, mapping):
    for text in (HEADERLESS[kind] * 3, "\n" + HEADERLESS[kind], "\ufeff" + HEADERLESS[kind].strip()):
        assert CANARY not in refused(text, mapping=mapping)


@pytest.mark.parametrize(
    "names", [[f"{CANARY} mitte", "b"], [f"{CANARY}|52"], ["user_id", f"{CANARY} 52.51633"]]
)
def test_nor_a_name_of_a_column_of_parquet_that_may_be_a_cell(names):
    assert CANARY not in refused(parquet({name: ["x"] for name in names}), "t.parquet")


def test_names_of_columns_are_listed_once_one_of_them_is_known():
    assert "Found: uid, tid, datetime, lat, Breite." in refused("uid,tid,datetime,lat,Breite\n")
    assert "not shown: they may be data" in refused("wer,wann,wo\n")
