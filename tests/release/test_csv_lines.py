"""Lines that are put together from texts are, byte for byte, those that Arrow writes."""

from __future__ import annotations

import math

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from dpcore.release import table_files
from dpcore.release.csv_lines import csv_lines

TEXTS = ["a", "", 'q"x', "x,y", "l\nz", "=f", "-3", "ü", "007", '"', "'a", "a" * 300, None]
NUMBERS = [
    0.0,
    -0.0,
    math.nan,
    math.inf,
    -math.inf,
    1e22,
    1e-7,
    0.1,
    1 / 3,
    5e-324,
    1.7976931348623157e308,
    None,
]
COLUMNS = {
    "texts": (st.sampled_from(TEXTS), pa.string()),
    "keys": (st.sampled_from(TEXTS), pa.dictionary(pa.int32(), pa.string())),
    "numbers": (st.sampled_from(NUMBERS), pa.float64()),
    "counts": (st.integers(-9, 9), pa.int64()),
    "missing": (st.sampled_from([1, None, -7, 2**62]), pa.int64()),
    "wide": (st.integers(-(2**63), 2**63 - 1), pa.int64()),
    "width": (st.just(5), pa.int64()),
}


@st.composite
def tables(draw):
    """Tables of one to a few dozen rows, in one or two pieces."""
    rows = draw(st.integers(1, 40))
    kinds = draw(st.lists(st.sampled_from(sorted(COLUMNS)), min_size=1, max_size=7))
    columns = {}
    for number, kind in enumerate(kinds):
        values, of = COLUMNS[kind]
        columns[f"{kind}_{number}"] = pa.array(draw(st.lists(values, min_size=rows, max_size=rows)), of)
    table, cut = pa.table(columns), draw(st.integers(0, rows))
    return pa.concat_tables([table.slice(0, cut), table.slice(cut)]) if cut else table


@given(table=tables())
def test_lines_are_those_that_arrow_writes(table):
    safe = table_files._formula_safe(table)
    assert b"".join(csv_lines(safe)) == table_files.csv_bytes(table)


def test_a_table_of_many_rows_is_read_back(monkeypatch):
    rows = table_files._MANY_ROWS + 1
    table = pa.table(
        {"key": [f"t{row % 7}" for row in range(rows)], "value": [row % 300 for row in range(rows)]}
    )
    written = table_files.csv_bytes(table)
    monkeypatch.setattr(table_files, "_MANY_ROWS", rows)
    assert written == table_files.csv_bytes(table)
    assert table_files.same_values(table, table_files.read_csv(written, table.schema, "table"))
