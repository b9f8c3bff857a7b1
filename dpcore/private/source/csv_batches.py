"""CSV text -> batches of text columns: only the needed ones are decoded, every record is counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress

import pyarrow as pa
import pyarrow.csv

from dpcore import limits
from dpcore.errors import InputError
from dpcore.private.source.batch import RawBatch
from dpcore.private.source.byte_stream import ByteStream
from dpcore.private.source.faults import Faults
from dpcore.private.source.header import Header, read_header
from dpcore.private.source.inspection import Inspection
from dpcore.private.source.rules import field_count
from dpcore.private.source.text import MISSING
from dpcore.private.source.trips_file import TripsFile


def csv_batches(
    file: TripsFile, inspection: Inspection, faults: Faults, progress: Callable[[float], None]
) -> Iterator[RawBatch]:
    """The needed columns as text, in batches of about ``limits.CSV_BLOCK_BYTES``.

    Records with more or fewer fields than the header are left out and added to ``faults``.

    Raises:
        InputError: not CSV, not UTF-8, or over a limit.

    """
    with file.open_text() as stream:
        header = read_header(stream, file.name)
        if header != Header(inspection.columns, inspection.separator):
            raise InputError("the header has changed", file.name, "Inspect the file again.")
        first = 0
        try:
            for batch in _parsed(stream, file.name, inspection, faults):
                columns = dict(zip(inspection.needed, batch.columns, strict=True))
                yield RawBatch(first, batch.num_rows, columns)
                first += batch.num_rows
                _check_rows(file, first + faults.ragged)
                progress(stream.share)
            _check_rows(
                file, first + faults.ragged
            )  # the engine yields no batch where it left out all records
        except BaseException:
            stream.wait_for_refusal()
            raise
        stream.wait_for_return()


def _to_the_end(reader: pa.csv.CSVStreamingReader, stream: ByteStream) -> Iterator[pa.RecordBatch]:
    """The batches of a reader, which has come to its end when this is left, for whatever cause.

    The engine reads ahead on a thread of its own. Left alone after a refusal, that thread would still call
    Python while the program exits, and hang or abort it (see ``ByteStream.wait_for_return`` for the rest of it).
    """
    try:
        yield from reader
    finally:
        stream.end()
        with suppress(pa.ArrowException, OSError, InputError):
            for _ in reader:
                pass


def _check_rows(file: TripsFile, records: int) -> None:
    if records > file.max_rows:
        raise InputError(f"more than {file.max_rows:,} records", file.name, "Split the file by months.")


def _parsed(
    stream: ByteStream, name: str, inspection: Inspection, faults: Faults
) -> Iterator[pa.RecordBatch]:
    # the engine sees numbered columns: names that are given twice or empty cannot confuse it
    numbered = [str(position) for position in range(len(inspection.columns))]
    needed = [str(inspection.columns.index(name)) for name in inspection.needed.values()]

    some = stream.read(1)
    if not some:  # a header alone: the engine would call this an error
        return
    stream.put_back(some)
    try:
        reader = pa.csv.open_csv(
            pa.PythonFile(stream.handle(), mode="r"),
            read_options=pa.csv.ReadOptions(
                use_threads=False, block_size=limits.CSV_BLOCK_BYTES, column_names=numbered
            ),
            parse_options=pa.csv.ParseOptions(
                delimiter=inspection.separator,
                newlines_in_values=True,
                invalid_row_handler=stream.lend(_LeftOut(faults)),
            ),
            convert_options=pa.csv.ConvertOptions(
                include_columns=needed,
                column_types=dict.fromkeys(needed, pa.string()),
                null_values=MISSING,
                strings_can_be_null=True,
                quoted_strings_can_be_null=True,
            ),
        )
        yield from _to_the_end(reader, stream)
    except (pa.ArrowException, OSError) as error:
        # the engine's texts quote cells: none of them leaves this block, one is only recognised
        endless = "straddling" in str(error)
    else:
        return
    if endless:
        raise InputError(
            f"a record has more than {limits.MAX_RECORD_BYTES:,} bytes",
            name,
            "Is a quotation mark left open?",
        )
    raise InputError("the text is not CSV", name, "Write it again: commas, one record a line.")


class _LeftOut:
    """Leaves out what has not as many fields as the header, and remembers where it stands."""

    def __init__(self, faults: Faults) -> None:
        self._faults = faults

    def __call__(self, row: pa.csv.InvalidRow) -> str:
        """The engine's word for going on."""
        self._faults.add_ragged(field_count(row.actual_columns, row.expected_columns))
        return "skip"
