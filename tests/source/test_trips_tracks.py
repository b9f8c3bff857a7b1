"""Rows that hold a whole track: both ends follow from the row alone, and what it does not tell stays unknown."""

from __future__ import annotations

import pytest
from reading_of import parquet, reading_of, rows_of

HEADER = "TRIP_ID,TAXI_ID,TIMESTAMP,MISSING_DATA,POLYLINE\n"
LINE = "[[-8.61,41.14],[-8.62,41.15],[-8.63,41.16]]"


def read(*rows, drop=True):
    lines = (f'7,{number},{time},{missing},"{track}"\n' for number, (time, missing, track) in enumerate(rows))
    return reading_of(HEADER + "".join(lines), drop=drop)


def test_the_end_follows_from_the_number_of_places_and_is_unknown_where_the_row_does_not_tell_it():
    start = "1372630000"
    table, report = read(
        (start, "False", LINE),
        (start, "True", LINE),
        (start, "", LINE),
        (start, "False", "[[-8.61,41.14]]"),
        (start, "False", "[]"),
        (start, "False", ""),
    )
    assert table["complete"].to_pylist() == [True, *[False] * 5]
    assert (table["end_us"][0].as_py() - table["start_us"][0].as_py()) == 30_000_000
    assert [table[name][0].as_py() for name in ("start_lat", "start_lng", "end_lat", "end_lng")] == [
        41.14,
        -8.61,
        41.16,
        -8.63,
    ]
    assert {instant // 1_000_000 for instant in table["end_us"].to_pylist()[1:]} == {int(start)}
    assert table["end_lat"].to_pylist()[1:] == [41.14, 41.14, 41.14, None, None]
    assert (report.records, report.dropped_records) == (6, 0)
    assert "15 seconds after the start" in report.notes[0]
    (packed,) = rows_of(
        parquet(
            {
                "TRIP_ID": [1],
                "TAXI_ID": [2],
                "TIMESTAMP": [int(start)],
                "MISSING_DATA": [False],
                "POLYLINE": [LINE],
            }
        ),
        "t.parquet",
    )
    assert packed == table.slice(0, 1).to_pylist()[0]


@pytest.mark.parametrize(
    ("track", "rule"),
    [
        ("[[-8.61,41.14],[-8.62,41.15]", "not a list of places"),
        ("LINESTRING (1 2, 3 4)", "not a list of places"),
        ("[[-8.61,41.14],[-8.62,x]]", "not a list of places"),
        ("[[-8.61,41.14],[[-8.62,41.15]]]", "not a list of places"),
        ("[[-8.61,41.14],[1e,41.15]]", "not a number"),
        ("[[-8.61,41.14],[-8.62,141.15]]", "outside [-90, 90]"),
        (f"[[-8.61,41.14]{',[-8.61,41.14]' * 70_000}]", "a field longer than"),
    ],
)
def test_a_track_that_cannot_be_read_is_bad_by_itself(track, rule):
    other = ("1372630000", "False", LINE)
    table, report = read(other, ("1372630000", "False", track), other)
    assert table.num_rows == 2
    assert [(one.rule[: len(rule)], one.places) for one in report.dropped] == [(rule, (3,))]
