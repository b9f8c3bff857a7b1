"""The beginning of a CSV file: its header."""

from __future__ import annotations

from dpcore.private.source.header import Header, read_header
from dpcore.private.source.trips_file import TripsFile


def header_of(file: TripsFile) -> Header:
    """The names of the columns, and what separates them."""
    with file.open_text() as stream:
        return read_header(stream, file.name)
