"""CSV text: its header, then batches of text columns. Only needed columns are decoded; every record is counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.csv

from dpcore import limits
from dpcore.errors import InputError
from dpcore.private.source.batch import RawBatch
from dpcore.private.source.content import ByteStream, first_line
from dpcore.private.source.fields import MISSING
from dpcore.private.source.inspection import Inspection, check_names
from dpcore.private.source.report import Faults
from dpcore.private.source.trips_file import TripsFile
from dpcore.private.source.vocabulary import GEOMETRIES, ROLE_OF, UNNAMED, normal_name
from dpcore.tiles.csv_rows import fields_of

if TYPE_CHECKING:
    from dpcore.private.source.line_gate import Lines

_SEPARATORS = (",", ";", "\t", "|")
_LONGEST_LINE = 2**17
"""Characters. A longer field is not read, because it cannot be a name."""


@dataclass(frozen=True)
class Header:
    """The first line of a CSV text. It is public."""

    names: tuple[str, ...]
    """Names of the columns as written, without quotes and surrounding white space."""
    separator: str
    """The one of ``_SEPARATORS`` that the line before the header names, or else the one that gives most known names."""
    lines: int = field(default=1, compare=False)
    """Number of the header's line, counted from 1."""


def read_header(stream: ByteStream, name: str) -> Header:
    """The column names of the first line. The stream is then at the second line.

    A byte-order mark, quotes and surrounding white space are removed. Empty lines before the header are skipped, and so is
    a line such as ``sep=;``, which Excel writes. Raises InputError: no header, an open quotation mark, more than
    ``limits.MAX_COLUMNS`` columns, or a first line that looks like data. In the last case none of its cells is shown.
    """
    first = stream.read(limits.MAX_RECORD_BYTES)
    begin, end, lines, told = first_line(first)
    text = first[begin:end].decode("utf-8", errors="replace").strip("\r\n")
    stream.put_back(first[end:])
    if not text.strip():
        raise InputError(
            "the file has no header",
            name,
            "Write the names of the columns on the first line. With --header and a number, that line holds the names in every file: load "
            "those apart whose names stand elsewhere.",
        )
    likely = [told] if told else [mark for mark in _SEPARATORS if mark in text] or [","]
    headers = [Header(_names(text, mark, name), mark, lines) for mark in likely]
    header = max(headers, key=lambda one: sum(normal_name(column) in ROLE_OF for column in one.names))
    check_names(header.names, name)
    return header


def is_latin(file: TripsFile) -> bool:
    """Whether the header of a text is no UTF-8, so that the text is read as Latin-1. Raises InputError as ``header_of``."""
    with file.open_text() as stream:
        stream.read(limits.MAX_RECORD_BYTES)
        return stream.is_latin


def _names(text: str, separator: str, file_name: str) -> tuple[str, ...]:
    names = fields_of(text, separator)
    if names is None and len(text) < _LONGEST_LINE:
        raise InputError(
            "a quotation mark in the first line is not closed",
            file_name,
            "Close it. The header must be on one line.",
        )
    return tuple(name.strip() for name in names or [text])


def header_of(file: TripsFile) -> tuple[tuple[str, ...], str]:
    """The names of the columns of a file, and the separator of its fields."""
    with file.open_text() as stream:
        header = read_header(stream, file.name)
    return header.names, header.separator


def csv_batches(
    file: TripsFile,
    inspection: Inspection,
    faults: Faults,
    progress: Callable[[float], None],
    *,
    added: int = 0,
) -> Iterator[RawBatch]:
    """The needed columns as text, in batches of about ``limits.CSV_BLOCK_BYTES``.

    A record is a line. A record with more or fewer fields than the header, with an open quotation mark, or with too long a
    field in any column is left out, alone, and told to ``faults``. The first ``added`` columns are not the file's own.
    Raises InputError: not CSV, not UTF-8, or over a limit.
    """
    from dpcore.private.source.line_gate import LineGate  # noqa: PLC0415 - numba takes long to load, and a header needs no gate

    with file.open_text() as stream:
        header = read_header(stream, file.name)
        if header != Header(inspection.columns, inspection.separator):
            raise InputError("the header has changed", file.name, "Inspect the file again.")
        most = (
            limits.MAX_FIELD_CHARACTERS
            if GEOMETRIES.isdisjoint(inspection.mapping)
            else limits.MAX_GEOMETRY_CHARACTERS
        )
        above = header.lines + file.lines_more
        normal = {*map(normal_name, header.names)}
        unnamed = next((more for names, more in UNNAMED.items() if names <= normal), 0)
        width = len(header.names)
        gate = LineGate(stream, width, header.separator, above, most=most, added=added, unnamed=unnamed)
        first = 0
        with ThreadPoolExecutor(1) as ahead:  # it reads and checks the next lines while these are parsed
            coming = ahead.submit(gate.take)
            while (lines := coming.result()) is not None:
                coming = ahead.submit(gate.take)
                for rule, position, places in lines.bad:
                    column = "" if position < 0 else inspection.columns[position]
                    faults.add_left_out(rule, column, places)
                columns = _parsed(lines, inspection)
                if columns is None:
                    raise InputError("the text is not CSV", file.name, "Write one record on each line.")
                yield RawBatch(first, len(lines.places), columns, lines.places)
                first += len(lines.places)
                if first + faults.left_out > file.max_rows:
                    raise InputError(
                        f"more than {file.max_rows:,} records", file.name, "Split the file by months."
                    )
                progress(lines.share)


def _parsed(lines: Lines, inspection: Inspection) -> dict[str, pa.Array] | None:
    """Role -> texts of some records. None if the parser does not read them as the gate did; then they are refused."""
    at = {role: str(inspection.columns.index(name)) for role, name in inspection.needed.items()}
    needed = [
        *dict.fromkeys(at.values())
    ]  # one column may have two roles: an attribute is also kept as declared
    # The texts of the parser quote cells, so none of them leaves this block.
    with suppress(pa.ArrowException):
        table = pa.csv.read_csv(
            pa.BufferReader(lines.text),
            # The first line numbers the columns, so that duplicate or empty names cannot confuse the parser, and a record
            # that begins with a byte-order mark keeps it.
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
            return {role: batch[name] for role, name in at.items()}
    return None
