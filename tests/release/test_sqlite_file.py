"""Databases that are written by hand: SQLite finds them whole and reads every row."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpcore.release.sqlite_file import Stored, database

SQL = "CREATE TABLE t (id INTEGER PRIMARY KEY, a, b)"


def read(rows, numbers=None):
    """The rows of a table as SQLite reads them, where it finds nothing wrong."""
    options = {} if numbers is None else {"numbers": numbers}
    data = database([Stored("table", "t", "t", SQL, rows, **options)], application=7, version=9)
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as opened:
        opened.deserialize(data)
        assert opened.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert opened.execute("PRAGMA page_count").fetchone()[0] * 4096 == len(data)
        assert opened.execute("PRAGMA freelist_count").fetchone() == (0,)
        assert opened.execute("PRAGMA application_id").fetchone() == (7,)
        assert opened.execute("PRAGMA user_version").fetchone() == (9,)
        found = opened.execute("SELECT * FROM t").fetchall()
        opened.execute("INSERT INTO t (a) VALUES ('one more')")  # other programs may go on writing
        opened.execute("DELETE FROM t WHERE id % 2")
        assert opened.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        return found


def test_every_kind_of_value_is_read():
    rows = [(None, 1, -(2**63)), (None, 0.5, "Zürich 日本"), (None, b"\0\1", None), (None, "", b"")]
    assert read(rows) == [(number, *row[1:]) for number, row in enumerate(rows, 1)]


def test_rows_may_have_numbers_of_their_own():
    numbers = [-(2**63), -129, -1, 0, 127, 128, 4326, 2**55]
    assert [row[0] for row in read([(None, "x", "y")] * len(numbers), numbers)] == numbers


@pytest.mark.parametrize("rows", [0, 1, 2, 240, 272, 273, 274, 275, 546, 75_000])
def test_a_table_of_any_number_of_rows_is_read(rows):
    wide = b"x" * (4000 if rows < 1000 else 80)
    assert read([(None, n, wide) for n in range(rows)]) == [(n + 1, n, wide) for n in range(rows)]


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.one_of(st.integers(0, 5000), st.integers(4030, 4090), st.integers(8100, 8250)), max_size=12)
)
def test_rows_of_any_length_are_read(sizes):
    assert [len(row[2]) for row in read([(None, 1, b"y" * size) for size in sizes])] == sizes


def test_a_row_of_many_pages_is_read():
    large = bytes(range(256)) * 12_000
    assert read([(None, large, "after"), (None, 1, large)]) == [(1, large, "after"), (2, 1, large)]


def test_what_does_not_fit_is_refused_rather_than_written():
    with pytest.raises(ValueError, match="do not fit"):
        database([Stored("table", "t", "t", SQL + " " * 4096, [])], application=0, version=0)
