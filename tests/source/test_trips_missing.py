"""Empty fields are counted with the trip they belong to, whatever else becomes of them."""

from __future__ import annotations

import pytest
from reading_of import CANONICAL, LONG, rows_of

from dpcore import limits

A, B, C = "2024-03-01 10:00:00", "2024-03-01 11:00:00", "2024-03-01 12:00:00"
ZONED = "user_id,started_at,ended_at,start_tile,end_tile\n"


def missing(text, **options):
    """(latitude, longitude, time) of the one trip."""
    (row,) = rows_of(text, **options)
    return tuple(row[f"missing_{kind}"] for kind in ("lat", "lng", "time"))


@pytest.mark.parametrize(
    ("row", "counted"),
    [
        (f"{A},{B},1,2,3,4", (0, 0, 0)),
        (f"{A},{B},,2,3,4", (1, 0, 0)),  # half a place is none, but one field is empty
        (f"{A},{B},,,3,4", (1, 1, 0)),
        (f"{A},{B},,,,", (2, 2, 0)),
        (f",{B},1,2,3,4", (0, 0, 1)),
        (f"{A},,1,2,3,", (0, 1, 1)),
    ],
)
def test_one_row_a_trip(row, counted):
    assert missing(f"{CANONICAL}u,{row}\n") == counted


@pytest.mark.parametrize(
    ("records", "counted"),
    [
        ([f"{A},1,2", f"{B},3,4"], (0, 0, 0)),
        ([f"{A},,2", f"{B},3,"], (1, 1, 0)),
        ([f"{A},1,2", ",3,4"], (0, 0, 1)),
        ([f"{A},1,2"], (0, 0, 0)),  # a record that is not there has no fields
        ([f"{A},1,2", f"{B},,4", f"{C},5,6"], (1, 0, 0)),  # between the ends, too
        ([f"{A},,", ",,", ",,", f"{B},,"], (2, 2, 2)),  # two of a kind and no more: a trip has two ends
    ],
)
@pytest.mark.parametrize("apart", [False, True])
def test_one_row_a_record_together_or_scattered_over_the_file(records, counted, apart, monkeypatch, tmp_path):
    monkeypatch.setattr(limits, "MAX_RUNS_IN_MEMORY", 1 if apart else 10)
    other = f"v,t,{A},9,9\n"
    text = LONG + other.join(f"u,t,{record}\n" for record in records)
    mine = [row for row in rows_of(text, work_folder=tmp_path) if row["user_id"] == "u"]
    assert [tuple(row[f"missing_{kind}"] for kind in ("lat", "lng", "time")) for row in mine] == [counted]


def test_a_missing_zone_is_a_missing_latitude_and_longitude():
    assert missing(f"{ZONED}u,{A},{B},,T1\n") == (1, 1, 0)
    assert missing(f"{ZONED}u,{A},{B},T1,T2\n") == (0, 0, 0)
