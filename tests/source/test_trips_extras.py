"""Attributes of a trip: public words whatever the file writes, and never a word of an error."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hubway_files import record, text_of
from reading_of import CANONICAL, GOOD, LONG, ZONES, parquet, reading_of, rows_of, upload
from test_trips_forms import BIKE_NEW, BIKE_OLD

from dpcore import limits
from dpcore.errors import InputError
from dpcore.private.source import inspect
from dpcore.private.source.batch import POINT_TRIPS, RECORD_TRIPS, ZONE_TRIPS
from dpcore.private.source.extras import extra_values, unlisted

CANARY = "zq7canary"
OLD_ROW = "1,1/31/2017 0:21,1/31/2017 0:30,72,W,40.7,-74.0,79,F,40.8,-74.1,3,{},1980,{}\n"
NEW_ROW = "r1,bike,2024-03-01 10:00:00,2024-03-01 10:30:00,W,JC1,F,JC2,40.7,-74.0,40.8,-74.1,{}\n"


def of(name, *values):
    """What an attribute becomes."""
    return extra_values(name, pa.array(values, pa.string())).to_pylist()


@pytest.mark.parametrize("text", ["02139", "'02139", " 02139 ", "' 02139", "02139.0"])
def test_a_zip_has_no_apostrophe_and_keeps_its_zero(text):
    assert of("zip", text) == ["02139"]


def test_a_zip_that_is_missing_or_none_is_null():
    nothing = [None, "'", "  ", "' ", "9" * (limits.MAX_ZIP_CHARACTERS + 1), "x" * 4_000]
    assert of("zip", *nothing) == [None] * len(nothing)
    assert of("zip", "SW1A 1AA", "''1", "na") == ["SW1A 1AA", "'1", "na"]


@pytest.mark.parametrize(
    ("word", "texts"),
    [
        ("male", ["Male", "male", " MALE ", "M", "1", "1.0"]),
        ("female", ["Female", "female", "F", "f", "2", "2.0"]),
        ("unknown", ["0", "", None, "3", "-1", "1.5", "diverse", "Male\x00", "'Male", CANARY, "\uff11"]),
    ],
)
def test_a_gender_is_one_of_three_words(word, texts):
    assert of("gender", *texts) == [word] * len(texts)


@pytest.mark.parametrize(
    ("word", "texts"),
    [
        ("Registered", ["Registered", "Subscriber", "member", "SUBSCRIBER"]),
        ("Casual", ["Casual", "casual", "Customer"]),
        (None, ["", None, "Dependent", CANARY]),
    ],
)
def test_a_user_is_registered_or_casual_or_not_known(word, texts):
    assert of("user_type", *texts) == [word] * len(texts)


@pytest.mark.parametrize(
    ("column", "words"),
    [
        (pa.array([1, 2, 0, None]), ["male", "female", "unknown", "unknown"]),
        (pa.array([1.0, 2.0, 1.5, float("nan"), None]), ["male", "female", "unknown", "unknown", "unknown"]),
        (pa.array([1e300, float("-inf")]), ["unknown", "unknown"]),
        (pa.array([], pa.string()), []),
        (pa.array([None, None], pa.string()), ["unknown", "unknown"]),
    ],
)
def test_numbers_and_nothing_are_read_as_well(column, words):
    assert extra_values("gender", column).to_pylist() == words


def test_a_float_zip_has_no_point_and_a_broken_one_is_null():
    assert extra_values("zip", pa.array([2139.0, 2139.5, None])).to_pylist() == ["2139", None, None]


STRANGE = {
    "user_type": ["Alien", "Registered", "", None, "unknown"],
    "gender": ["Robot", "male", "0", None, "2"],
    "zip": ["=1+1", "02139", "'", None, "SW1A 1AA"],
}


@pytest.mark.parametrize(("name", "values"), STRANGE.items(), ids=STRANGE)
def test_what_says_something_that_is_on_no_list_is_told_from_what_says_nothing(name, values):
    assert unlisted(name, pa.array(values, pa.string())).tolist() == [True, False, False, False, False]


def test_the_report_counts_values_on_no_list_and_never_says_them():
    rows = [
        OLD_ROW.format(kind, gender) for kind, gender in (("Alien", "7"), ("Customer", "0"), (CANARY, "1"))
    ]
    _, report = reading_of(BIKE_OLD + "".join(rows))
    assert dict(report.unlisted) == {"gender": 1, "user_type": 2}
    assert set(report.unlisted_words) == {
        "values of gender on no list, counted as unknown: 1",
        "values of user type on no list, counted as unknown: 2",
    }
    assert CANARY not in report.to_json()
    assert type(report).from_json(report.to_json()) == report


def test_old_bike_share_has_gender_and_type_of_user():
    rows = rows_of(BIKE_OLD + OLD_ROW.format("Subscriber", 2) + OLD_ROW.format("Customer", 0))
    assert [(row["extra_gender"], row["extra_user_type"]) for row in rows] == [
        ("female", "Registered"),
        ("unknown", "Casual"),
    ]
    assert "extra_zip" not in rows[0]


def test_later_files_of_the_old_form_have_a_postal_code_instead_of_a_gender():
    text = BIKE_OLD.replace("birth year,gender", "postal code") + OLD_ROW.replace(",1980,{}", ",{}")
    assert inspect(upload(text)).extras == {"zip": "postal code", "user_type": "usertype"}
    assert rows_of(text.format("Subscriber", "02139"))[0]["extra_zip"] == "02139"


def test_new_bike_share_has_the_type_of_user():
    rows = rows_of(BIKE_NEW + NEW_ROW.format("member") + NEW_ROW.format("casual"))
    assert [row["extra_user_type"] for row in rows] == ["Registered", "Casual"]


def test_a_form_may_lack_its_attributes():
    header = BIKE_OLD.replace(",usertype,birth year,gender", "")
    table, _ = reading_of(header + OLD_ROW.replace(",{},1980,{}", ""))
    assert table.schema == POINT_TRIPS


@pytest.mark.parametrize(
    ("header", "schema"), [(CANONICAL, POINT_TRIPS), (LONG, RECORD_TRIPS), (ZONES, ZONE_TRIPS)]
)
def test_forms_without_attributes_read_no_column_more(header, schema):
    text = header.replace("\n", ",gender,zip_code,usertype\n")
    seen = inspect(upload(text))
    assert seen.needed == seen.mapping
    assert reading_of(text)[0].schema == schema


def test_an_owner_can_name_the_column_of_an_attribute():
    text = CANONICAL.replace("\n", ",plz,sex\n") + GOOD.replace("\n", ",10115,F\n")
    (row,) = rows_of(text, mapping={"extra_zip": "PLZ", "extra_gender": "sex"})
    assert (row["user_id"], row["extra_zip"], row["extra_gender"]) == ("u1", "10115", "female")
    (row,) = rows_of(text, mapping={"end_lng": "end_lng", "extra_zip": "plz"})
    assert row["extra_zip"] == "10115"


@pytest.mark.parametrize(
    ("header", "mapping", "text"),
    [
        (CANONICAL, {"extra_zip": "user_id"}, "one column for two roles"),
        (CANONICAL, {"extra_zip": "plz"}, "unknown column"),
        (CANONICAL.replace("\n", ",a\n"), {"extra_colour": "a"}, "unknown role"),
        (LONG.replace("\n", ",a\n"), {"extra_zip": "a"}, "needs one row a trip"),
        ("a,b\n", {"extra_zip": "a"}, "columns missing"),
        (text_of([]).replace("gender", "zip_code"), None, "two columns have the same name"),
    ],
)
def test_impossible_attributes_are_refused(header, mapping, text):
    with pytest.raises(InputError, match=text):
        inspect(upload(header), mapping)


def test_a_column_of_another_kind_is_refused_by_its_name():
    columns = {name: ["1"] for name in CANONICAL.strip().split(",")} | {"plz": [[1, 2]]}
    with pytest.raises(InputError, match=r"type list: t.parquet, column plz"):
        inspect(upload(parquet(columns), "t.parquet"), {"extra_zip": "plz"})


def test_attributes_of_bad_records_leave_with_them():
    rows = [record(zip_code="'01111"), record(zip_code=CANARY, start_date="x"), record(zip_code="'03333")]
    table, _ = reading_of(text_of(rows), drop=True)
    assert table["extra_zip"].to_pylist() == ["01111", "03333"]
    with pytest.raises(InputError) as refused:
        reading_of(text_of(rows))
    assert CANARY not in str(refused.value) + str(refused.value.__notes__)


def test_no_attribute_makes_a_record_bad():
    strange = [CANARY * 300, "\x7f", "\u202e", '"a""b"', "=1+1", "null", "\\N"]
    rows = [record(zip_code=text, gender=text, subsc_type=text) for text in strange]
    table, report = reading_of(text_of(rows))
    assert (report.trips, report.dropped_records) == (len(strange), 0)
    assert table["extra_gender"].to_pylist() == ["unknown"] * len(strange)
    assert table["extra_user_type"].null_count == len(strange)
