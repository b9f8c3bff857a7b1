"""How much memory a Parquet file would take, according to its footer and the headers of its pages.

Arrow trusts both: it allocates what a header declares and then unpacks. So they are read here first, by a small parser that
keeps only numbers and stops at a public limit. It skips what Arrow would skip.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import BinaryIO, Final

import pyarrow.parquet as pq

from dpcore import limits
from dpcore.errors import InputError

_TAIL: Final = 8  # bytes after the footer: its length, and the mark of the format
_HEADER: Final = 2**12  # bytes that hold almost every header of a page
_LONGEST_HEADER: Final = 2**24  # Arrow reads no longer one
_STRUCT_COST: Final = 8  # a structure without fields takes one byte in the file and many in memory
_DEEPEST: Final = 32
_ENTRY: Final = 16  # bytes that Arrow sets aside for each value that a dictionary declares

_LONGEST_TEXT: Final = 4 * limits.MAX_FIELD_CHARACTERS  # a character has at most 4 bytes
_ROOM: Final = 64  # approximate bytes of a text in a page beside the text itself

_YES, _NO, _BYTE, _NUMBER, _FLOAT, _TEXT, _LIST, _STRUCT = 1, 2, 3, 5, 7, 8, 9, 12
_NUMBERS: Final = (4, _NUMBER, 6)

_SCHEMA: Final = (2, _LIST)  # of the footer
_UNPACKED, _PACKED = (2, _NUMBER), (3, _NUMBER)  # of the header of a page, as all below
_DATA, _DICTIONARY, _DATA_2 = (5, _STRUCT), (7, _STRUCT), (8, _STRUCT)
_ENCODING, _ENCODING_2, _VALUES = (2, _NUMBER), (4, _NUMBER), (1, _NUMBER)
_CODED: Final = (2, 8)  # encodings whose values are in the dictionary
_PREFIXES: Final = 7  # the encoding in which a value repeats the beginning of the one before, without bound

Fields = dict[tuple[int, int], "int | Fields"]
"""Number and type of a field -> a number, the length of a list or a text, or the fields of a structure."""


def check_footer(stored: BinaryIO, name: str) -> None:
    """Refuse a footer that would fill the memory or the stack. A damaged one is left to Arrow.

    Raises:
        InputError: too many columns, or too many pieces for the limit.
        ValueError, IndexError: the footer is damaged.

    """
    end = stored.seek(0, 2)
    stored.seek(max(0, end - _TAIL))
    length = int.from_bytes(stored.read(_TAIL)[:4], "little")
    if length > end - _TAIL:
        raise ValueError
    if length <= limits.MAX_FOOTER_BYTES:
        stored.seek(end - _TAIL - length)
        compact = _Compact(stored.read(length), limits.MAX_FOOTER_VALUES)
        footer = compact.struct()
        if compact.left >= 0:
            if _number(footer, _SCHEMA) > limits.MAX_NESTED_COLUMNS:
                raise InputError(
                    f"over {limits.MAX_NESTED_COLUMNS:,} columns and groups",
                    name,
                    "Keep only the needed ones.",
                )
            return
    raise InputError("the footer is too large", name, "Write it with larger row groups, or split it.")


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


def pages_of(stored: BinaryIO, footer: pq.FileMetaData, names: Collection[str], name: str) -> Pages:
    """How much memory the pages of some columns would take. ``footer`` is what Arrow read.

    Raises:
        InputError: the pages in memory together are too large, or are encoded so that their size is unknown.
        ValueError, IndexError: the header of a page is damaged.

    """
    # bytes of the largest page of a column, separately for dictionaries
    largest: Counter[tuple[int, bool]] = Counter()
    a_row: Counter[int] = Counter()
    dictionaries: dict[int, list[str]] = defaultdict(list)
    for position, column in _columns_read(footer, names):
        place, is_text = f"{name}, column {column.path}", _is_text(column, name)
        for group in range(footer.num_row_groups):
            coded = []
            for page in _pages(stored, footer.row_group(group).column(position)):
                if _DICTIONARY in page and is_text:
                    dictionaries[group].append(column.path)
                size, values, encoding = _weight(page)
                if encoding == _PREFIXES:
                    raise InputError(
                        "a column written as DELTA_BYTE_ARRAY", place, "Write it plain or with a dictionary."
                    )
                if values:
                    coded.append(encoding in _CODED)
                    a_row[position] = max(a_row[position], -(-size // values))
                largest[position, _DICTIONARY in page] = max(largest[position, _DICTIONARY in page], size)
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


def _weight(page: Fields) -> tuple[int, int, int]:
    """Bytes in memory, number of values and encoding of a page; for a dictionary without values and encoding."""
    size = _number(page, _UNPACKED)
    if _DICTIONARY in page:
        return size + _ENTRY * _number(page[_DICTIONARY], _VALUES), 0, 0
    if _DATA in page:
        return size, _number(page[_DATA], _VALUES), _number(page[_DATA], _ENCODING)
    return size, _number(page.get(_DATA_2), _VALUES), _number(page.get(_DATA_2), _ENCODING_2)


def _columns_read(footer: pq.FileMetaData, names: Collection[str]) -> Iterator[tuple[int, pq.ColumnSchema]]:
    """The columns that Arrow reads for these names, with positions. Arrow also takes a name as the start of a path."""
    for position in range(footer.num_columns):
        column = footer.schema.column(position)
        if any(column.path == name or column.path.startswith(f"{name}.") for name in names):
            yield position, column


def _pages(stored: BinaryIO, chunk: pq.ColumnChunkMetaData) -> Iterator[Fields]:
    """The headers of the pages of one column in one group of rows."""
    if chunk.num_values <= 0:
        return  # Arrow opens none of them, and their position may be anywhere
    at, first = chunk.data_page_offset, chunk.dictionary_page_offset
    if first is not None and 0 < first < at:
        at = first
    end = at + chunk.total_compressed_size
    while at < end:
        page, length = _header(stored, at)
        yield page
        at += length + _number(page, _PACKED)


def _header(stored: BinaryIO, at: int) -> tuple[Fields, int]:
    """The header of the page at a place, and its length."""
    for length in (_HEADER, _LONGEST_HEADER):
        stored.seek(at)
        data = stored.read(length)
        compact = _Compact(data, limits.MAX_FOOTER_VALUES)
        try:
            page = compact.struct()
        except IndexError:
            if len(data) < length:
                raise
            continue
        if min(compact.left, _number(page, _UNPACKED), _number(page, _PACKED)) < 0:
            raise ValueError
        return page, compact.at
    raise ValueError


def _number(fields: int | Fields | None, key: tuple[int, int]) -> int:
    found = fields.get(key, 0) if isinstance(fields, dict) else 0
    return found if isinstance(found, int) else 0


class _Compact:
    """A structure in Thrift's compact protocol, up to a number of values."""

    def __init__(self, data: bytes, values: int) -> None:
        self._data = data
        self.at = 0
        self.left = values
        """Values that may still be read. Below zero there were too many, and the rest was not read."""

    def struct(self, depth: int = 0) -> Fields:
        """The fields of the structure that begins here. Raises IndexError if the bytes end first."""
        if depth > _DEEPEST:
            raise ValueError
        found: Fields = {}
        last = 0
        self.left -= _STRUCT_COST
        while self.left >= 0 and (head := self._byte()):
            last = last + (head >> 4) if head >> 4 else self._signed()
            kind = head & 15
            found[last, kind] = int(kind == _YES) if kind in {_YES, _NO} else self._value(kind, depth)
        return found

    def _value(self, kind: int, depth: int) -> int | Fields:
        self.left -= 1
        if kind in _NUMBERS:
            return self._signed()
        if kind == _STRUCT:
            return self.struct(depth + 1)
        if kind == _LIST:
            return self._list(depth)
        length = {_YES: 1, _NO: 1, _BYTE: 1, _FLOAT: 8}.get(kind)
        if length is None:
            if kind != _TEXT:  # sets and maps, which the format does not use
                raise ValueError
            length = self._unsigned()
        self.at += length
        if self.at > len(self._data):
            raise IndexError
        return length

    def _list(self, depth: int) -> int:
        head = self._byte()
        length = head >> 4 if head >> 4 < 15 else self._unsigned()
        for _ in range(length):
            if self.left < 0:
                break
            self._value(head & 15, depth + 1)
        return length

    def _byte(self) -> int:
        self.at += 1
        return self._data[self.at - 1]

    def _unsigned(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7
            if shift > 63:
                raise ValueError

    def _signed(self) -> int:
        value = self._unsigned()
        return (value >> 1) ^ -(value & 1)
