"""Parquet -> batches of the needed columns, in their own types."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from dpcore.errors import InputError
from dpcore.private.source.batch import RawBatch
from dpcore.private.source.inspection import Inspection
from dpcore.private.source.parquet_start import DAMAGE, damaged, is_text, opened
from dpcore.private.source.text import mask_of, with_missing
from dpcore.private.source.trips_file import TripsFile

_BATCH_ROWS: Final = 131_072


def parquet_batches(
    file: TripsFile, inspection: Inspection, progress: Callable[[float], None]
) -> Iterator[RawBatch]:
    """The needed columns, text as strings; the rows are counted again while they are decoded.

    Raises:
        InputError: damaged, or more rows than the footer declares.

    """
    names = list(inspection.needed.values())
    with suppress(*DAMAGE), opened(file) as table:
        if tuple(table.schema_arrow.names) != inspection.columns:
            raise InputError("the columns have changed", file.name, "Inspect the file again.")
        declared, first = table.metadata.num_rows, 0
        for batch in table.iter_batches(batch_size=_BATCH_ROWS, columns=names, use_threads=False):
            columns = {
                role: plain(batch[name], f"{file.name}, column {name}")
                for role, name in inspection.needed.items()
            }
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
    clean = False
    with suppress(pa.ArrowInvalid):
        text.validate(full=True)  # Parquet does not promise that its text is UTF-8
        clean = not mask_of(pc.match_substring(text, "\0")).any()
    if not clean:
        raise InputError("the text is not UTF-8, or holds NUL", place, "Write the column as UTF-8 text.")
    return with_missing(text)
