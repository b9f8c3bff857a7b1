"""The beginning of a CSV file: its header and how its first times are written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dpcore.csv_rows import rows_of
from dpcore.private.source.header import Header, read_header
from dpcore.private.source.time_kind import TimeKind, first_kind
from dpcore.private.source.trips_file import TripsFile

_SAMPLE_BYTES: Final = 65_536
_SAMPLE_RECORDS: Final = 500


def header_of(file: TripsFile) -> Header:
    """The names of the columns, and what separates them."""
    with file.open_text() as stream:
        return read_header(stream, file.name)


def time_kind(
    file: TripsFile, columns: Sequence[str], positions: Sequence[int], *, month_first: bool
) -> tuple[TimeKind, int]:
    """The kind of the first time among the first records, and its line, counted from 0."""
    with file.open_text() as stream:
        header = read_header(stream, file.name)
        text = stream.read(_SAMPLE_BYTES).decode("utf-8", errors="replace")
    records, lines = [], []
    for line, record in rows_of(text, header.separator):
        if record is not None and len(record) == len(columns):
            records.append([record[position] for position in positions])
            lines.append(header.lines + line - 1)
        if len(records) == _SAMPLE_RECORDS:
            break
    kind, ordinal = first_kind(records, month_first=month_first)
    return kind, lines[ordinal] if lines else 0
