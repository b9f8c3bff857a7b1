"""Tables of Arrow are written as tables of lists are, byte for byte."""

from __future__ import annotations

import io

import pyarrow as pa
import pytest

from dpcore.command_line.output import write

TEXTS = (
    "t1",
    "",
    "Ä b ",
    'say "no"',
    "a,b",
    "line\nfeed",
    "return\rhere",
    "=1+1",
    "'",
    " x",
    "7",
    "\\N",
    "null",
)


def written(table):
    out = io.StringIO(newline="")
    write(out, table)
    return out.getvalue()


@pytest.mark.parametrize("text", TEXTS)
def test_every_text_is_quoted_as_in_lists(text):
    lists = {"tile, id": ["t0", text, "t2"], "value": [3, -1, 2**62]}
    keys = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2], pa.int32()), pa.array(["t0", text, "t2"]))
    assert written(pa.table({"tile, id": keys, "value": pa.array(lists["value"])})) == written(lists)


def test_a_table_of_many_rows_is_written_once_in_order():
    rows = 300_000
    lists = {"key": [TEXTS[row // 100_000 * 2] for row in range(rows)], "value": [*range(rows)]}
    assert written(pa.table(lists)) == written(lists)


def test_a_table_without_rows_has_its_header():
    assert written(pa.table({"a": pa.array([], pa.string()), "b": pa.array([], pa.int64())})) == "a,b\n"
