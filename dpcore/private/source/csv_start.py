"""The beginning of a CSV file: its header and how its first times are written."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Final

from dpcore.private.source.header import Header, read_header
from dpcore.private.source.time_kind import TimeKind, first_kind
from dpcore.private.source.trips_file import TripsFile

_SAMPLE_BYTES: Final = 65_536  # less than the longest field that the csv module takes: it cannot fail
_SAMPLE_RECORDS: Final = 500


def header_of(file: TripsFile) -> Header:
    """The names of the columns, and what separates them."""
    with file.open_text() as stream:
        return read_header(stream, file.name)


def time_kind(
    file: TripsFile, columns: Sequence[str], positions: Sequence[int], *, month_first: bool
) -> tuple[TimeKind, int]:
    """The kind of the first time among the first records, and the ordinal of its record."""
    with file.open_text() as stream:
        separator = read_header(stream, file.name).separator
        text = stream.read(_SAMPLE_BYTES).decode("utf-8", errors="replace")
    records = []
    for record in csv.reader(io.StringIO(text, newline=""), delimiter=separator):
        if len(record) == len(columns):
            records.append([record[position] for position in positions])
        if len(records) == _SAMPLE_RECORDS:
            break
    return first_kind(records, month_first=month_first)
