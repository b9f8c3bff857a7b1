"""What a Parquet file declares: read without Arrow, whose own object for a column ends the process at a contradiction."""

from __future__ import annotations

import io

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dpcore import limits
from dpcore.errors import BundleError
from dpcore.parquet import footer_of, page_at, pages_of
from dpcore.release.kinds.trip_rows import RowGroups
from dpcore.release.table_files import parquet_bytes, read_parquet

TABLE = pa.table({"origin": ["A", "B", "A"], "trips": [3, 1, 4], "share": [0.5, 0.25, 0.25]})


@pytest.mark.parametrize("compression", ["none", "zstd"])
@pytest.mark.parametrize("rows", [1, 3])
def test_a_footer_and_its_pages_say_what_arrow_says(compression, rows):
    stored = io.BytesIO()
    pq.write_table(TABLE, stored, compression=compression, row_group_size=rows)
    footer, arrow = footer_of(stored), pq.read_metadata(stored)
    groups = [arrow.row_group(group) for group in range(arrow.num_row_groups)]
    assert len(footer.groups) == len(groups) == 3 // rows
    assert footer.schema == 1 + TABLE.num_columns
    assert footer.unpacked == tuple(group.total_byte_size for group in groups)
    footer.must_be_that_of(arrow)
    for chunks, group in zip(footer.groups, groups, strict=True):
        for position, chunk in enumerate(chunks):
            column = group.column(position)
            starts = [column.data_page_offset, column.dictionary_page_offset or column.data_page_offset]
            assert (chunk.values, chunk.packed, chunk.start) == (
                column.num_values,
                column.total_compressed_size,
                min(starts),
            )
            first = page_at(stored, chunk.start)
            second = page_at(stored, first.after)
            assert (first.is_dictionary, second.is_dictionary) == (True, False)
            assert second.values == rows
            assert second.after == chunk.start + chunk.packed


def test_files_of_another_writer_are_read_alike(tmp_path):
    """DuckDB's, with columns within columns, several groups of rows, and none."""
    nested, empty = str(tmp_path / "nested.parquet"), str(tmp_path / "empty.parquet")
    rows = "SELECT i AS a, 'x' || (i % 9) AS b, {'p': i, 'q': [i, i + 1]} AS s FROM range(5000) t(i)"
    with duckdb.connect() as made:
        made.execute(f"COPY ({rows}) TO '{nested}' (FORMAT parquet, ROW_GROUP_SIZE 2048)")
        made.execute(f"COPY (SELECT 1 AS a WHERE false) TO '{empty}' (FORMAT parquet)")
    for place, groups in ((nested, 3), (empty, 0)):
        with open(place, "rb") as stored:  # noqa: PTH123 - a path as text, as DuckDB takes it
            footer = footer_of(stored)
            footer.must_be_that_of(pq.read_metadata(place))
            assert len(footer.groups) == groups
            values = [
                sum(page.values for page in pages_of(stored, chunk) if not page.is_dictionary)
                for chunk in chunks_of(footer)
            ]
        assert sum(values) == sum(chunk.values for chunk in chunks_of(footer))


def chunks_of(footer):
    return [chunk for chunks in footer.groups for chunk in chunks]


def test_one_flipped_bit_anywhere_is_refused_or_read_and_never_ends_the_process():
    data = parquet_bytes(TABLE)
    found = 0
    for at in range(len(data)):
        for bit in {at % 8, 1, 6}:
            changed = data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :]
            try:
                read_parquet(changed, TABLE.schema, "t.parquet")
            except BundleError:
                found += 1
    assert found > len(data)


# ---- files in which another reader might see something else


def with_footer(data, change):
    """A file whose footer was changed."""
    size = int.from_bytes(data[-8:-4], "little")
    footer = change(data[-8 - size : -8])
    return data[: -8 - size] + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def varint(value):
    out, value = b"", value << 1
    while value > 0x7F:
        out, value = out + bytes([value & 0x7F | 0x80]), value >> 7
    return out + bytes([value])


GROUPS = b"\x19\x1c\x19\x3c"  # field 4: a list of one group, in it a list of three columns


def as_texts(footer):
    """The groups declared as a list of texts, which Arrow reads as groups nevertheless."""
    at = footer.index(GROUPS)
    hidden = b"\x19\x18" + b"\x08\xc8\x01\x05AAAAA" + b"\x09\x02" + footer[at + 3 :]
    return footer[:at] + hidden


def as_another_field(footer):
    """The groups as field 65,540, of which Arrow keeps 16 bits: 4."""
    at = footer.index(GROUPS)
    return footer[:at] + b"\x09" + varint(65_540) + footer[at + 1 :]


def twice(footer):
    """The groups once more, and none in them."""
    return footer[:-1] + b"\x09" + varint(4) + b"\x0c" + b"\x00"


@pytest.mark.parametrize("change", [as_texts, as_another_field, twice])
def test_a_footer_that_arrow_may_read_in_another_way_is_refused(change):
    data = with_footer(parquet_bytes(TABLE), change)
    with pytest.raises((ValueError, IndexError)):
        footer_of(io.BytesIO(data)).must_be_that_of(pq.read_metadata(pa.BufferReader(data)))
    with pytest.raises(BundleError):
        read_parquet(data, TABLE.schema, "t.parquet")


def test_a_footer_that_arrow_read_otherwise_is_refused():
    """Whatever the reason: groups, columns and bytes are compared."""
    footer = footer_of(io.BytesIO(parquet_bytes(TABLE)))
    other = pq.read_metadata(pa.BufferReader(parquet_bytes(TABLE.slice(1))))
    with pytest.raises(ValueError):
        footer.must_be_that_of(other)


def test_columns_within_columns_without_end_are_refused_before_arrow_reads_them(monkeypatch):
    group, leaf = b"\x35\x00\x18\x01a\x15\x02\x00", b"\x35\x00\x18\x01a\x00"
    count = 100_000
    listed = b"\x19\xfc" + bytes([count & 0x7F | 0x80, count >> 7 & 0x7F | 0x80, count >> 14])
    body = b"\x15\x02" + listed + group * (count - 1) + leaf + b"\x16\x02\x19\x0c\x00"
    data = with_footer(parquet_bytes(TABLE), lambda _: body)
    assert footer_of(io.BytesIO(data)).schema == count
    monkeypatch.setattr(pq, "read_metadata", lambda *_: pytest.fail("Arrow read it"))
    with pytest.raises(BundleError):
        read_parquet(data, TABLE.schema, "t.parquet")


@pytest.mark.parametrize("read", [lambda data, schema: read_parquet(data, schema, "t.parquet"), RowGroups])
def test_a_column_that_unpacks_to_too_much_is_refused_whatever_its_footer_declares(monkeypatch, read):
    stored = io.BytesIO()
    table = pa.table({"origin": ["x" * 2_000_000]})
    pq.write_table(
        table, stored, compression="zstd", store_schema=False, use_dictionary=False, write_statistics=False
    )
    data = stored.getvalue()
    declared = b"\x16" + varint(footer_of(stored).unpacked[0]) + b"\x16" + varint(1)
    lying = with_footer(
        data, lambda footer: footer.replace(declared, b"\x16" + varint(1) + b"\x16" + varint(1))
    )
    assert footer_of(io.BytesIO(lying)).unpacked == (1,)
    read(lying, table.schema)
    monkeypatch.setattr(limits, "MAX_BUNDLE_UNPACKED_BYTES", 1_000_000)
    with pytest.raises((BundleError, ValueError)):
        read(lying, table.schema)


def test_a_footer_of_very_many_empty_pieces_is_refused_before_arrow_reads_it(monkeypatch):
    piece = b"\x26\x00\x00"
    count = 400_000
    listed = b"\x19\xfc" + bytes([count & 0x7F | 0x80, count >> 7 & 0x7F | 0x80, count >> 14])
    group = listed + piece * count + b"\x16\x00\x16\x00\x00"
    data = with_footer(parquet_bytes(TABLE), lambda _: b"\x15\x02\x19\x1c" + group + b"\x00")
    monkeypatch.setattr(pq, "read_metadata", lambda *_: pytest.fail("Arrow read it"))
    with pytest.raises(ValueError):
        RowGroups(data, TABLE.schema)
