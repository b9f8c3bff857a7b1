"""Special values only: NaN, infinities, overflow, empty, signs, spaces, borders of the globe."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest
from reading_of import CANONICAL, GOOD, LONG, parquet, reading_of, rows_of

from dpcore.errors import InputError

BAD = "u2,2024-03-01 10:00:00,2024-03-01 10:30:00,{},13.4,52.6,13.5\n"


@pytest.mark.parametrize(
    "number",
    ["nan", "NaN", "-nan", "inf", "-inf", "Infinity", "1e400", "-1e400", "0x10", "1_0", "52..5", "1e", "-", "+",
     "--1", "+-1", "++1", "\u0661", "52.5°", "N52.5", "None", "null", "NA", "true", "1 2", "1d", "."],
)  # fmt: skip
def test_what_is_no_number_is_bad_wherever_it_stands(number):
    for text in (CANONICAL + GOOD + BAD.format(number), CANONICAL + BAD.format(number) + GOOD):
        with pytest.raises(
            InputError, match=r"not a number: trips.csv, line \d, column start_lat\. Give degrees"
        ) as error:
            reading_of(text)
        assert "more" not in str(error.value)
        table, report = reading_of(text, drop=True)
        assert (table.num_rows, report.dropped_records) == (1, 1)


@pytest.mark.parametrize("beside", ["", BAD.format("x"), GOOD])
@pytest.mark.parametrize(("text", "value"), [("52,5", 52.5), ("-0,25", -0.25), ("1,2345", 1.2345)])
def test_a_decimal_comma_is_read_because_degrees_have_no_thousands(text, value, beside):
    table, _ = reading_of(CANONICAL + BAD.format(f'"{text}"') + beside, drop=True)
    assert table["start_lat"][0].as_py() == value
    assert reading_of(CANONICAL + BAD.format('"1,234,5"'), drop=True)[1].dropped_records == 1


@pytest.mark.parametrize(
    ("number", "value"),
    [("52.5", 52.5), ("+52.5", 52.5), (" 52.5 ", 52.5), ("5.25e1", 52.5), ("5.25E+1", 52.5), (".5", 0.5), ("5.", 5.0),
     ("+.5", 0.5), ("-0", 0.0), ("0", 0.0), ("1e-400", 0.0), ("90", 90.0), ("-90", -90.0), ("90.0000", 90.0),
     ("00052.5", 52.5), ("52.516300000000000000000001", 52.5163)],
)  # fmt: skip
@pytest.mark.parametrize("beside", ["", BAD.format("x")])
def test_numbers_have_one_value_in_clean_and_in_bad_company(number, value, beside):
    table, _ = reading_of(CANONICAL + BAD.format(number) + beside, drop=True)
    assert table["start_lat"].to_pylist() == [value]


@pytest.mark.parametrize("missing", ["", '""', "NULL", '"NULL"', "\\N", " ", "  NULL "])
def test_missing_is_not_bad(missing):
    table, report = reading_of(CANONICAL + BAD.format(missing))
    (row,) = table.to_pylist()
    assert not row["complete"]
    assert report.missing["start_lat"] == 1
    assert (report.incomplete, report.dropped) == (1, ())


@pytest.mark.parametrize(
    ("column", "number"),
    [("start_lat", "90.0000001"), ("start_lat", "-91"), ("end_lng", "180.0000001"), ("end_lng", "-181"),
     ("end_lat", "5800000"), ("start_lng", "1e308")],
)  # fmt: skip
def test_outside_the_globe_is_bad(column, number):
    names = CANONICAL.strip().split(",")
    cells = GOOD.strip().split(",")
    cells[names.index(column)] = number
    with pytest.raises(InputError, match=rf"outside \[-\d+, \d+\]: trips.csv, line 4, column {column}"):
        reading_of(CANONICAL + GOOD * 2 + ",".join(cells) + "\n" + GOOD * 2)


@pytest.mark.parametrize(
    ("lat", "lng"), [(0, 0), (90, 0), (-90, 0), (0, 180), (0, -180), (90, 180), (-90.0, -180.0)]
)
def test_the_ends_of_the_globe_are_legal(lat, lng):
    table, report = reading_of(LONG + f"u,t,2024-03-01 10:00:00,{lat},{lng}\n")
    (row,) = table.to_pylist()
    assert (row["end_lat"], row["end_lng"]) == (lat, lng)
    assert len(report.notes) == (lat == 0 and lng == 0)


def test_most_records_projected_or_swapped_get_that_hint():
    projected = "u,t{0},2024-03-01 10:00:00,{0}5820000.5,392000.1\n"
    with pytest.raises(InputError, match="look projected; WGS84 is expected"):
        reading_of(LONG + "".join(projected.format(i) for i in range(5)))
    swapped = "u,t{},2024-03-01 10:00:00,-118.24,34.05\n"
    with pytest.raises(InputError, match="Latitude and longitude look swapped"):
        reading_of(LONG + "".join(swapped.format(i) for i in range(5)))
    good = "u,g{},2024-03-01 10:00:00,34.05,-118.24\n"
    with pytest.raises(InputError) as one:
        reading_of(LONG + swapped.format(1) + "".join(good.format(i) for i in range(5)))
    assert "swapped" not in str(one.value)


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, 1e300])
def test_special_floats_of_parquet_are_bad_and_null_is_missing(number):
    columns = {
        "uid": ["u", "v", "w"],
        "tid": ["1", "1", "1"],
        "datetime": pa.array([0, 1, 2], pa.timestamp("s")),
        "lat": pa.array([1.0, number, None]),
        "lng": [2.0, 2.0, 2.0],
    }
    data = parquet(columns)
    with pytest.raises(InputError, match=r"trips.parquet, row 2, column lat"):
        reading_of(data, "trips.parquet")
    table, report = reading_of(data, "trips.parquet", drop=True)
    assert table["end_lat"].to_pylist() == [1.0, None]
    assert table["end_lng"].to_pylist() == [2.0, None]
    assert report.missing["lat"] == 1
    assert report.dropped[0].places == (2,)


def test_half_a_place_is_none():
    (row,) = rows_of(CANONICAL + "u,2024-03-01 10:00:00,2024-03-01 10:30:00,52.5,13.4,52.6,\n")
    assert (row["end_lat"], row["end_lng"]) == (52.5, 13.4)
    assert not row["complete"]
