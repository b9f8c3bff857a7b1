"""CSV text -> batches of text columns: only the needed ones are decoded, every record is counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pyarrow as pa
import pyarrow.csv

from dpcore.errors import InputError
from dpcore.private.source.batch import RawBatch
from dpcore.private.source.faults import Faults
from dpcore.private.source.header import Header, read_header
from dpcore.private.source.inspection import Inspection
from dpcore.private.source.line_gate import LineGate, Lines
from dpcore.private.source.text import MISSING
from dpcore.private.source.trips_file import TripsFile


def csv_batches(
    file: TripsFile, inspection: Inspection, faults: Faults, progress: Callable[[float], None]
) -> Iterator[RawBatch]:
    """The needed columns as text, in batches of about ``limits.CSV_BLOCK_BYTES``.

    A record is a line. One that has more or fewer fields than the header, that leaves a quotation mark open, or that has
    too long a field in any column is left out, alone, and added to ``faults``.

    Raises:
        InputError: not CSV, not UTF-8, or over a limit.

    """
    with file.open_text() as stream:
        header = read_header(stream, file.name)
        if header != Header(inspection.columns, inspection.separator):
            raise InputError("the header has changed", file.name, "Inspect the file again.")
        gate = LineGate(stream, len(header.names), header.separator, header.lines)
        first = 0
        with ThreadPoolExecutor(1) as ahead:  # the next lines are read and walked while these are parsed
            coming = ahead.submit(gate.take)
            while (lines := coming.result()) is not None:
                coming = ahead.submit(gate.take)
                for rule, position, places in lines.bad:
                    column = "" if position < 0 else inspection.columns[position]
                    faults.add_left_out(rule, column, places)
                columns = _parsed(lines, inspection)
                if columns is None:
                    raise InputError("the text is not CSV", file.name, "Write it again: one record a line.")
                yield RawBatch(first, len(lines.places), columns, lines.places)
                first += len(lines.places)
                if first + faults.left_out > file.max_rows:
                    raise InputError(
                        f"more than {file.max_rows:,} records", file.name, "Split the file by months."
                    )
                progress(lines.share)


def _parsed(lines: Lines, inspection: Inspection) -> dict[str, pa.Array] | None:
    """Role -> texts of some records; None if the engine does not read them as the gate did, so that they are refused."""
    needed = [str(inspection.columns.index(name)) for name in inspection.needed.values()]
    # the engine's texts quote cells: none of them leaves this block
    with suppress(pa.ArrowException):
        table = pa.csv.read_csv(
            pa.BufferReader(lines.text),
            # the first line numbers the columns: names that are given twice or empty cannot confuse the engine, and a
            # record that begins with a byte-order mark keeps it wherever it stands
            read_options=pa.csv.ReadOptions(use_threads=False, block_size=lines.text.size),
            parse_options=pa.csv.ParseOptions(delimiter=inspection.separator),
            convert_options=pa.csv.ConvertOptions(
                include_columns=needed,
                column_types=dict.fromkeys(needed, pa.string()),
                null_values=MISSING,
                strings_can_be_null=True,
                quoted_strings_can_be_null=True,
            ),
        )
        if len(table) == len(lines.places):
            batch = table.to_batches()[0] if len(table) else pa.RecordBatch.from_pylist([], table.schema)
            return dict(zip(inspection.needed, batch.columns, strict=True))
    return None
