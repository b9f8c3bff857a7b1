"""The shape of a trips file: what its columns are called and declared to be, and, if asked, how many of their fields are empty.

Names and declared types are public, as a header is. Numbers of empty fields are exact counts of private records: they are for
the owner's eyes, and whoever saw them chose after looking.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import pyarrow as pa

from dpcore.private.sealed import Sealed
from dpcore.private.source import csv_file, parquet_file, plt_file
from dpcore.private.source.content import Content
from dpcore.private.source.inspection import Inspection
from dpcore.private.source.report import Faults
from dpcore.private.source.trips_file import TripsFile

MOST_RECORDS: Final = 100_000
"""Empty fields are counted among about so many records at the beginning of a file, so that a large file does not take long."""
FOLDER: Final = "name of a folder"
"""The kind of a column that the folders above a file name."""
TEXT: Final = "text"
"""The kind of a column whose type the file does not declare."""


@dataclass(frozen=True)
class Column:
    """One column of a file. Public."""

    name: str
    kind: str
    """The type that the file declares, in words. A CSV declares none: each field is text until its role is known."""
    countable: bool = True
    """Whether empty fields can be counted: not in a column of lists or of records, and not where a name stands twice."""


@dataclass(frozen=True, repr=False)
class EmptyFields(Sealed):
    """How many fields of each column are empty. Private."""

    records: int
    """Records that were looked at."""
    empty: tuple[int | None, ...]
    """For each column, in the order of the file; None where it cannot be counted."""

    def share(self, column: int) -> float | None:
        """The share of the records whose field is empty, 0 to 1; None where it cannot be counted."""
        empty = self.empty[column]
        return None if empty is None or not self.records else empty / self.records


def columns_of(file: TripsFile) -> tuple[Column, ...]:
    """The columns of a file, in its order, whatever they are called. Raises InputError as ``column_names`` does."""
    if file.content is Content.PARQUET:
        names = parquet_file.column_names(file)
        kinds = parquet_file.column_types(file)
    elif file.content is Content.PLT:
        return tuple(Column(name, TEXT, countable=False) for name in plt_file.header_of(file)[0])
    else:
        names = csv_file.header_of(file)[0]
        kinds = (pa.string(),) * len(names)
    own = tuple(
        Column(name, _in_words(kind), not pa.types.is_nested(kind) and names.count(name) == 1)
        for name, kind in zip(names, kinds, strict=True)
    )
    return (*own, *(Column(name, FOLDER, countable=False) for name in file.more_columns(names)))


def empty_fields(file: TripsFile, most: int = MOST_RECORDS) -> EmptyFields:
    """Count the empty fields of the first records, at least ``most`` of them where there are so many.

    Lines that are no records are passed over. Raises InputError: the file cannot be read. No text of it holds a cell.
    """
    columns = columns_of(file)
    named = {str(number): one.name for number, one in enumerate(columns) if one.countable}
    if not named:
        return EmptyFields(0, (None,) * len(columns))
    separator = "," if file.content is Content.PARQUET else csv_file.header_of(file)[1]
    seen = Inspection(
        form="",
        layout="trips",
        columns=tuple(one.name for one in columns if one.kind != FOLDER),
        mapping=named,
        separator=separator,
    )
    batches = (
        parquet_file.parquet_batches(file, seen, _nobody)
        if file.content is Content.PARQUET
        else csv_file.csv_batches(file, seen, Faults(), _nobody)
    )
    records, empty = 0, dict.fromkeys(named, 0)
    for raw in batches:
        records += raw.rows
        for number, values in raw.columns.items():
            empty[number] += values.null_count
        if records >= most:
            break
    return EmptyFields(records, tuple(empty.get(str(number)) for number in range(len(columns))))


def _nobody(_share: float) -> None:
    """Nobody waits for the share."""


def _in_words(kind: pa.DataType) -> str:
    if pa.types.is_dictionary(kind):
        return _in_words(kind.value_type)
    for fits, words in _WORDS:
        if fits(kind):
            return words
    return TEXT if parquet_file.is_text(kind) else "another type"


_WORDS: Final = (
    (pa.types.is_timestamp, "date and time"),
    (pa.types.is_date, "date"),
    (pa.types.is_time, "time of day"),
    (pa.types.is_integer, "whole number"),
    (pa.types.is_floating, "number"),
    (pa.types.is_decimal, "number"),
    (pa.types.is_boolean, "yes or no"),
    (pa.types.is_binary, "bytes"),
    (pa.types.is_nested, "list or record"),
)
