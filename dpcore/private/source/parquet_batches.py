"""Parquet -> batches of the needed columns, in their own types."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final

import pyarrow as pa

from dpcore.errors import InputError
from dpcore.private.source.batch import RawBatch
from dpcore.private.source.inspection import Inspection
from dpcore.private.source.parquet_pages import check_length
from dpcore.private.source.parquet_start import DAMAGE, damaged, is_text, opened, records
from dpcore.private.source.text import letters, longest_bytes, with_missing
from dpcore.private.source.trips_file import TripsFile

_BATCH_ROWS: Final = 131_072


def parquet_batches(
    file: TripsFile, inspection: Inspection, progress: Callable[[float], None]
) -> Iterator[RawBatch]:
    """The needed columns, text as strings; rows and bytes are counted while they are decoded.

    Raises:
        InputError: damaged, more rows than the footer declares, or more bytes than the limit.

    """
    names = list(inspection.needed.values())
    with suppress(*DAMAGE), opened(file) as table:
        if tuple(table.schema_arrow.names) != inspection.columns:
            raise InputError("the columns have changed", file.name, "Inspect the file again.")
        declared, first, decoded = table.metadata.num_rows, 0, 0
        for batch in records(file, table, names, _BATCH_ROWS):
            columns = {
                role: plain(batch[name], f"{file.name}, column {name}")
                for role, name in inspection.needed.items()
            }
            decoded += sum(column.nbytes for column in columns.values())
            if decoded > file.max_unpacked:
                raise InputError(
                    f"unpacks to more than {file.max_unpacked:,} bytes",
                    file.name,
                    "Split it by months, or write shorter ids.",
                )
            yield RawBatch(first, batch.num_rows, columns)
            first += batch.num_rows
            if first > declared:
                raise InputError("more rows than the footer declares", file.name, "Write the file again.")
            progress(first / max(1, declared))
        return
    raise damaged(file)


def plain(column: pa.Array, place: str) -> pa.Array:
    """A column as it is, or clean text with null where a field is missing; raises InputError for text that is none."""
    if not is_text(column.type):
        return column
    text = column.cast(pa.string())
    check_length(longest_bytes(text), place)
    clean = False
    with suppress(pa.ArrowInvalid):
        text.validate(full=True)  # Parquet does not promise that its text is UTF-8
        clean = bool((letters(text) != 0).all())
    if not clean:
        raise InputError("the text is not UTF-8, or holds NUL", place, "Write the column as UTF-8 text.")
    return with_missing(text)
