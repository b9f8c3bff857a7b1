"""A released table as CSV and as Parquet. The same table gives the same bytes.

Spreadsheets open CSV files and run a cell that looks like a formula. So a text that begins like a formula gets a leading
apostrophe (OWASP ASVS 1.2.10). Numbers stay numbers, also -3 and -inf. Parquet keeps all texts as they are, because programs
read it.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

from dpcore import limits
from dpcore.errors import BundleError
from dpcore.parquet import footer_of, pages_of
from dpcore.release.canonical import AGAIN, CHANGED
from dpcore.release.files import ListedFiles
from dpcore.release.layout import parquet_name

_FORMULA: Final = r"^[=+\-@\t\r\x00]"
DAMAGE: Final = (pa.ArrowException, OSError, ValueError, OverflowError, KeyError, IndexError, TypeError)
"""What Arrow, and the check before it, raise for damaged and for malicious files."""
_ENCODINGS: Final = frozenset({0, 2, 3, 4, 8})
"""Encodings of a page that do not derive one value from another: PLAIN, PLAIN_DICTIONARY, RLE, BIT_PACKED, RLE_DICTIONARY."""
_BLOCK_BYTES: Final = 2**20
"""Of a CSV file that are read at a time. Arrow takes twice as long for blocks that do not stay in the processor's cache."""
_ROWS_AT_ONCE: Final = 4096
"""Of a CSV file that is written, for the same reason."""


def csv_bytes(table: pa.Table) -> bytes:
    """A table as CSV: UTF-8 with a header, lines end with a line feed, empty cells are missing values."""
    written = io.BytesIO()
    pa.csv.write_csv(
        _formula_safe(table),
        written,
        pa.csv.WriteOptions(batch_size=_ROWS_AT_ONCE, quoting_style="needed", quoting_header="none"),
    )
    return written.getvalue()


def parquet_bytes(table: pa.Table) -> bytes:
    """A table as Parquet, compressed with zstd, without metadata that a reader would have to trust."""
    written = io.BytesIO()
    pq.write_table(table, written, compression="zstd", store_schema=False)
    return written.getvalue()


def read_parquet(
    data: bytes,
    schema: pa.Schema,
    where: str,
    *,
    notes: Mapping[bytes, bytes] | None = None,
    rows: int | None = None,
) -> pa.Table:
    """The table in a Parquet file with exactly these columns; raises BundleError for anything else.

    The footer and the headers of all pages are checked before any value is decoded. ``notes``: what its writer noted, all of it. ``rows``: how many rows it
    has, if the caller knows. Columns of texts and bytes come as dictionaries.
    """
    with suppress(*DAMAGE):
        footer, unpacked = checked_footer(data, notes)
        decoded = 8 * footer.num_rows * len(schema)  # one value a million times is tiny in the file
        fits = max(sum(unpacked), decoded) <= limits.MAX_BUNDLE_UNPACKED_BYTES
        counted = footer.num_rows <= limits.MAX_BUNDLE_ROWS if rows is None else footer.num_rows == rows
        if fits and counted:
            texts = [field.name for field in schema if field.type in {pa.string(), pa.binary()}]
            # A value that repeats is kept once, so a small file cannot fill the memory. Arrow also refuses pages in which a
            # value is the one before with a new end (DELTA_BYTE_ARRAY), whatever the footer says of them.
            with pq.ParquetFile(pa.BufferReader(data), read_dictionary=texts) as file:
                if _plain(file.schema_arrow) == schema:
                    table = file.read()
                    table.validate(
                        full=True
                    )  # Arrow reads texts by offset, and a forged one may point outside
                    return table
    raise BundleError("the table is not what the manifest says", where, AGAIN)


def checked_footer(
    data: bytes, notes: Mapping[bytes, bytes] | None = None
) -> tuple[pq.FileMetaData, tuple[int, ...]]:
    """What Arrow reads in a footer, and the bytes of each group of rows in memory by the headers of its pages.

    ``notes``: as for ``read_parquet``. Raises one of ``DAMAGE``: damaged, too large, with other notes, or with an encoding
    that derives one value from another.
    """
    stored = io.BytesIO(data)
    declared = footer_of(stored)
    if declared.schema > limits.MAX_NESTED_COLUMNS:  # columns within columns would fill the stack
        raise ValueError
    pages = [[page for chunk in chunks for page in pages_of(stored, chunk)] for chunks in declared.groups]
    footer = pq.read_metadata(pa.BufferReader(data))
    declared.must_be_that_of(footer)
    # a schema in the notes could name types that run code
    if (footer.metadata or {}) != (notes or {}):
        raise ValueError
    if not {page.encoding for group in pages for page in group} <= _ENCODINGS:
        raise ValueError
    return footer, tuple(sum(page.unpacked for page in group) for group in pages)


def read_csv(data: bytes, schema: pa.Schema, where: str) -> pa.Table:
    """The table in a CSV file with these columns; texts keep their apostrophes. Raises BundleError for anything else."""
    with suppress(*DAMAGE):
        if _header(data) == schema.names:
            return pa.csv.read_csv(
                pa.BufferReader(data),
                pa.csv.ReadOptions(block_size=_BLOCK_BYTES),
                convert_options=pa.csv.ConvertOptions(
                    column_types=schema, null_values=[""], strings_can_be_null=False
                ),
            )
    raise BundleError("the table is not what the manifest says", where, AGAIN)


def same_values(table: pa.Table, csv: pa.Table) -> bool:
    """Whether a table from ``read_csv`` equals a table."""
    return bool(_formula_safe(table).equals(csv))


def read_table(files: ListedFiles, name: str, schema: pa.Schema) -> pa.Table:
    """The table in a Parquet file of a bundle; raises BundleError."""
    return read_parquet(files.content(parquet_name(name)), schema, parquet_name(name))


def must_say_the_same(
    files: ListedFiles,
    csv: str,
    table: pa.Table,
    schema: pa.Schema,
    fault: str = "the table differs from its Parquet file",
) -> None:
    """Refuse a CSV file that differs from the table of its Parquet file; raises BundleError."""
    if not same_values(table, read_csv(files.content(csv), schema, csv)):
        raise BundleError(fault, csv, CHANGED)


def _header(data: bytes) -> list[str]:
    return data[: data.find(b"\n") + 1].decode("utf-8").rstrip("\n").split(",")


def _plain(schema: pa.Schema) -> pa.Schema:
    return pa.schema(
        [
            (field.name, field.type.value_type if pa.types.is_dictionary(field.type) else field.type)
            for field in schema
        ]
    )


def _formula_safe(table: pa.Table) -> pa.Table:
    columns = {}
    for name in table.column_names:
        column, kind = table[name], table[name].type
        if pa.types.is_dictionary(kind):
            column = column.cast(kind.value_type)
        if pa.types.is_string(column.type) and _has_formula(table[name]):
            guarded = pc.binary_join_element_wise("'", column, "")
            column = pc.if_else(pc.match_substring_regex(column, _FORMULA), guarded, column)
        columns[name] = column
    return pa.table(columns)


def _has_formula(column: pa.ChunkedArray) -> bool:
    """Whether any text begins like a formula. Each different text is looked at once, because rows are far more."""
    return bool(pc.any(pc.match_substring_regex(pc.unique(column).cast(pa.string()), _FORMULA)).as_py())
