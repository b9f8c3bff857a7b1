"""Rows of a bundle that may come from anyone, against the rows that follow from its tree: equal, batch by batch."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from dpcore import limits
from dpcore.errors import BundleError

_DAMAGE: Final = (pa.ArrowException, OSError, ValueError, OverflowError, KeyError, TypeError)


def must_hold(data: bytes, schema: pa.Schema, batches: Iterable[pa.RecordBatch], place: str) -> None:
    """Refuse a Parquet file that does not hold exactly these rows; raises BundleError, naming the place.

    A row group is decoded only where it has as many rows as the batch that it is compared with.
    """
    with suppress(*_DAMAGE):
        footer = pq.read_metadata(pa.BufferReader(data))
        groups = [footer.row_group(number) for number in range(footer.num_row_groups)]
        unpacked = max((group.total_byte_size for group in groups), default=0)
        if footer.metadata is None and unpacked <= limits.MAX_BUNDLE_UNPACKED_BYTES:
            # a text that repeats is kept once: a small file cannot grow without bounds
            texts = [field.name for field in schema if pa.types.is_string(field.type)]
            with pq.ParquetFile(pa.BufferReader(data), read_dictionary=texts) as file:
                if file.schema_arrow.names == schema.names and _equal(file, schema, batches):
                    return
    raise BundleError(
        "the rows do not follow from the tree", place, "Get the bundle again from where it was published."
    )


def _equal(file: pq.ParquetFile, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> bool:
    rows = [file.metadata.row_group(number).num_rows for number in range(file.metadata.num_row_groups)]
    groups = iter([number for number, of_group in enumerate(rows) if of_group])
    for batch in batches:
        if not len(batch):
            continue
        group = next(groups, None)
        if group is None or rows[group] != len(batch):
            return False
        found = file.read_row_group(group)
        found.validate(full=True)  # Arrow reads texts by number, and a number may point nowhere
        if not found.cast(schema).equals(pa.Table.from_batches([batch])):
            return False
    return next(groups, None) is None
