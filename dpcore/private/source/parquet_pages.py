"""How much memory a Parquet file would take, according to its footer and the headers of its pages."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import BinaryIO, Final

import pyarrow.parquet as pq

from dpcore import limits
from dpcore.errors import InputError
from dpcore.parquet import Footer, TooLargeError, footer_of, pages_of

_ENTRY: Final = 16  # bytes that Arrow sets aside for each value that a dictionary declares

_LONGEST_TEXT: Final = 4 * limits.MAX_FIELD_CHARACTERS  # a character has at most 4 bytes
_ROOM: Final = 64  # approximate bytes of a text in a page beside the text itself

_CODED: Final = (2, 8)  # encodings whose values are in the dictionary
_PREFIXES: Final = 7  # the encoding in which a value repeats the beginning of the one before, without bound


def checked_footer(stored: BinaryIO, name: str) -> Footer:
    """The footer of a file, unless it would fill the memory or the stack.

    Raises:
        InputError: too many columns, or too many pieces for the limit.
        ValueError, IndexError: the footer is damaged.

    """
    footer = None
    with suppress(TooLargeError):
        footer = footer_of(stored)
    if footer is None:
        raise InputError("the footer is too large", name, "Write it with larger row groups, or split it.")
    if footer.schema > limits.MAX_NESTED_COLUMNS:
        raise InputError(
            f"over {limits.MAX_NESTED_COLUMNS:,} columns and groups", name, "Keep only the needed ones."
        )
    return footer


def check_length(size: int, place: str) -> None:
    """Refuse a text of so many bytes. A text that is only slightly too long is one bad record. Raises InputError."""
    if size > _LONGEST_TEXT:
        raise InputError(f"a text of more than {_LONGEST_TEXT:,} bytes", place, "Write shorter ids.")


@dataclass(frozen=True)
class Pages:
    """What the headers of the pages of some columns declare."""

    bytes_a_row: int
    """Most bytes of a record in the pages, apart from what a dictionary holds."""
    dictionaries: Mapping[int, Sequence[str]]
    """The text columns with a dictionary, by row group. Any record may hold any text of a dictionary."""


def read_pages(
    stored: BinaryIO, footer: Footer, schema: pq.ParquetSchema, names: Collection[str], name: str
) -> Pages:
    """How much memory the pages of some columns would take.

    Raises:
        InputError: the pages in memory together are too large, or are encoded so that their size is unknown.
        ValueError, IndexError: the header of a page is damaged.

    """
    # bytes of the largest page of a column, separately for dictionaries
    largest: Counter[tuple[int, bool]] = Counter()
    a_row: Counter[int] = Counter()
    dictionaries: dict[int, list[str]] = defaultdict(list)
    for position, column in _columns_read(schema, names):
        place, is_text = f"{name}, column {column.path}", _is_text(column, name)
        for group, chunks in enumerate(footer.groups):
            coded = []
            for page in pages_of(stored, chunks[position]):
                if page.is_dictionary and is_text:
                    dictionaries[group].append(column.path)
                size = page.unpacked + _ENTRY * page.values * page.is_dictionary
                if page.encoding == _PREFIXES:
                    raise InputError(
                        "a column written as DELTA_BYTE_ARRAY", place, "Write it plain or with a dictionary."
                    )
                if page.values and not page.is_dictionary:
                    coded.append(page.encoding in _CODED)
                    a_row[position] = max(a_row[position], -(-size // page.values))
                largest[position, page.is_dictionary] = max(largest[position, page.is_dictionary], size)
            if any(coded) and not coded[0]:
                raise ValueError  # no writer does this; it would hide the dictionary
        if is_text:
            check_length(a_row[position] - _ROOM, place)
    if largest.total() > limits.MAX_PAGES_BYTES:
        raise InputError(
            f"pages of more than {limits.MAX_PAGES_BYTES:,} bytes unpacked",
            name,
            "Write it with smaller row groups.",
        )
    return Pages(a_row.total(), dictionaries)


def _is_text(column: pq.ColumnSchema, name: str) -> bool:
    """Whether a column holds texts, each with its own length. Raises InputError for numbers with their own lengths."""
    if column.physical_type != "BYTE_ARRAY":
        return False
    if column.logical_type.type == "DECIMAL":
        # Arrow expands each of them before it checks its length.
        raise InputError(
            "decimals without a fixed length", f"{name}, column {column.path}", "Write degrees as floats."
        )
    return True


def _columns_read(schema: pq.ParquetSchema, names: Collection[str]) -> Iterator[tuple[int, pq.ColumnSchema]]:
    """The columns that Arrow reads for these names, with positions. Arrow also takes a name as the start of a path."""
    for position in range(len(schema)):
        column = schema.column(position)
        if any(column.path == name or column.path.startswith(f"{name}.") for name in names):
            yield position, column
