"""What a Parquet file declares: read without Arrow, whose own object for a column ends the process at a contradiction."""

from __future__ import annotations

import io

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dpcore.errors import BundleError
from dpcore.parquet import footer_of, page_at
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
    assert footer.unpacked == sum(group.total_byte_size for group in groups)
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
