"""Parquet: the footer is checked before anything is decoded. Then batches of the needed columns in their own types."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

from dpcore import limits
from dpcore.errors import InputError
from dpcore.measures.attribute import KEPT
from dpcore.parquet import Footer
from dpcore.private.source.batch import RawBatch
from dpcore.private.source.extras import ROLE
from dpcore.private.source.fields import letters, longest_bytes, with_missing
from dpcore.private.source.inspection import WHOLE, Inspection, check_names
from dpcore.private.source.parquet_pages import Pages, check_length, checked_footer, read_pages
from dpcore.private.source.trips_file import TripsFile
from dpcore.private.source.vocabulary import CLOCK, GEOMETRIES

DAMAGE: Final = (pa.ArrowException, OSError, ValueError, OverflowError, IndexError)
"""Errors of Arrow and of the check before it for damaged files. The texts of Arrow may quote cells."""

_PEEK_BYTES: Final = 2**16  # read at a time if the beginning of a column is enough
_TIMES: Final = frozenset({"started_at", "ended_at", "datetime"})
_IDS: Final = frozenset({"uid", "tid"})
_ZONES: Final = frozenset({"start_tile", "end_tile", "start_station", "end_station"})


@contextmanager
def open_parquet(file: TripsFile) -> Iterator[tuple[pq.ParquetFile, Footer]]:
    """The file and its footer, which is read and within the limits.

    The caller suppresses DAMAGE around this and raises ``damaged`` after it. Raising ``damaged`` here would attach Arrow's
    error, which may quote cells, as its context. Raises InputError: the
    footer is too large, or declares too many rows or bytes.
    """
    with file.open_bytes() as stored:
        footer = checked_footer(stored, file.name)
    # buffering ahead would keep the bytes of the whole file in memory
    with file.open_arrow() as stored, pq.ParquetFile(stored, pre_buffer=False) as table:
        footer.must_be_that_of(table.metadata)
        for what, found, limit in (
            ("rows", table.metadata.num_rows, file.max_rows),
            ("bytes unpacked", sum(footer.unpacked), file.max_unpacked),
        ):
            if found > limit:
                raise InputError(
                    f"the file declares {found:,} {what}, the limit is {limit:,}",
                    file.name,
                    "Split it by months.",
                )
        yield table, footer


def records(
    file: TripsFile, table: pq.ParquetFile, footer: Footer, names: Sequence[str], rows: int
) -> Iterator[pa.RecordBatch]:
    """The records with some columns, in batches of at most ``rows`` rows; fewer if their texts are long.

    Raises InputError: the data in memory together, or the longest text, exceed their limit.
    """
    with file.open_bytes() as stored:
        pages = read_pages(stored, footer, table.schema, names, file.name)
    most = pages.bytes_a_row + _longest_texts(file, table.metadata, pages)
    rows = max(1, min(rows, limits.DECODED_TEXT_BYTES // max(1, most)))
    yield from table.iter_batches(batch_size=rows, columns=list(names), use_threads=False)


def _longest_texts(file: TripsFile, footer: pq.FileMetaData, pages: Pages) -> int:
    """Bytes of the longest text of each dictionary, added up, because one record may hold them all.

    Asked for the first record of a row group, Arrow returns its whole dictionary without expanding it.
    """
    if not pages.dictionaries:
        return 0
    most = 0
    texts = sorted({name for names in pages.dictionaries.values() for name in names})
    with (
        file.open_arrow() as stored,
        pq.ParquetFile(
            stored, metadata=footer, read_dictionary=texts, pre_buffer=False, buffer_size=_PEEK_BYTES
        ) as table,
    ):
        for group, names in pages.dictionaries.items():
            first = table.iter_batches(batch_size=1, row_groups=[group], columns=names, use_threads=False)
            for batch in islice(first, 1):
                longest = [longest_bytes(column.dictionary.cast(pa.binary())) for column in batch.columns]
                check_length(max(longest), file.name)
                most = max(most, sum(longest))
    return most


def damaged(file: TripsFile) -> InputError:
    """The refusal of a file for which Arrow raised one of DAMAGE."""
    return InputError("the Parquet file is damaged", file.name, "Write or download it again.")


def column_names(file: TripsFile) -> tuple[str, ...]:
    """The names of the columns."""
    names = tuple(_schema(file).names)
    check_names(names, file.name)
    return names


def column_types(file: TripsFile) -> tuple[pa.DataType, ...]:
    """The types of the columns, as the file declares them."""
    return tuple(_schema(file).types)


def is_text(kind: pa.DataType) -> bool:
    """Whether a Parquet column holds text, plain or as a dictionary."""
    if pa.types.is_dictionary(kind):
        return is_text(kind.value_type)
    return bool(
        pa.types.is_string(kind)
        or pa.types.is_large_string(kind)
        or pa.types.is_string_view(kind)
        or pa.types.is_null(kind)
    )


def check_types(file: TripsFile, mapping: Mapping[str, str]) -> None:
    """Refuse columns whose type does not suit their role.

    Raises InputError: for example for user ids as floats, which merge 7 and 7.0, or times as bare numbers.
    """
    check_schema(file.name, _schema(file), mapping)


def check_schema(file_name: str, schema: pa.Schema, mapping: Mapping[str, str]) -> None:
    """``check_types`` for columns whose names and types are known."""
    ends = {CLOCK + "started_at", CLOCK + "ended_at"} <= mapping.keys()
    one_date = ends and mapping.get("started_at") == mapping.get("ended_at")
    for role, name in mapping.items():
        kind = schema.field(name).type
        number = pa.types.is_floating(kind) or pa.types.is_integer(kind)
        if CLOCK + role in mapping:
            fits = pa.types.is_date(kind) or pa.types.is_timestamp(kind) or (one_date and number)
            mend = "Write dates or text."
        elif role.startswith(CLOCK):
            fits = pa.types.is_time(kind) or (one_date and (number or pa.types.is_timestamp(kind)))
            mend = "Write times of day or text."
        elif role in _TIMES:
            fits = number or pa.types.is_timestamp(kind) or pa.types.is_date(kind) or pa.types.is_time(kind)
            fits |= role == "ended_at" and pa.types.is_duration(kind)
            mend = "Write timestamps, Unix seconds or text."
        elif role in GEOMETRIES:
            fits, mend = pa.types.is_binary(kind), "Write WKB, or WKT as text."
        elif role in _IDS:
            fits, mend = pa.types.is_integer(kind), "Ids are text: write text or whole numbers, never floats."
        elif role in _ZONES:
            fits, mend = number, "Write zone ids as text or whole numbers."
        elif role == WHOLE or role.startswith((ROLE, KEPT)):
            fits, mend = _fits_attribute(role, kind, number=number)
        else:
            fits, mend = number or pa.types.is_decimal(kind), "Write degrees as floats."
        if not (fits or is_text(kind)):
            raise InputError(f"the column has type {_short(kind)}", f"{file_name}, column {name}", mend)


def _fits_attribute(role: str, kind: pa.DataType, *, number: bool) -> tuple[bool, str]:
    """Whether an attribute of a trip, or ``WHOLE``, may have a type that is no text, and how to mend it."""
    if role == WHOLE:
        return pa.types.is_boolean(kind), "Write True or False."
    if role.startswith(KEPT):
        return number or pa.types.is_decimal(kind) or pa.types.is_boolean(kind), "Write text or numbers."
    return number, "Write text or whole numbers."


def _schema(file: TripsFile) -> pa.Schema:
    with suppress(*DAMAGE), open_parquet(file) as (table, _):
        return table.schema_arrow
    raise damaged(file)


def _short(kind: pa.DataType) -> str:
    # The name of a nested type holds names of fields and can be very long. Its first word is enough.
    return str(kind).split("<")[0].split("[")[0]


_BATCH_ROWS: Final = 65_536
"""So many that the arrays of a step stay in the cache of the processor."""
_BEYOND_ASCII: Final = 128


def parquet_batches(
    file: TripsFile, inspection: Inspection, progress: Callable[[float], None]
) -> Iterator[RawBatch]:
    """The needed columns, with text as strings. Rows and bytes are counted while they are decoded.

    Raises InputError: damaged, more rows than the footer declares, or more bytes than the limit.
    """
    names = [*dict.fromkeys(inspection.needed.values())]
    with suppress(*DAMAGE), open_parquet(file) as (table, footer):
        if tuple(table.schema_arrow.names) != inspection.columns:
            raise InputError("the columns have changed", file.name, "Inspect the file again.")
        declared, first, decoded = table.metadata.num_rows, 0, 0
        for batch in records(file, table, footer, names, _BATCH_ROWS):
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
    """A column as it is, or clean text with null for missing fields. Raises InputError for invalid text."""
    if not is_text(column.type):
        return column
    text = column.cast(pa.string())
    check_length(longest_bytes(text), place)
    every, clean = letters(text), False
    with suppress(pa.ArrowInvalid):
        text.validate(
            full=every.max(initial=0) >= _BEYOND_ASCII
        )  # Parquet does not promise that its text is UTF-8
        clean = every.min(initial=1) > 0
    if not clean:
        raise InputError("the text is not UTF-8, or holds NUL", place, "Write the column as UTF-8 text.")
    return with_missing(text)
