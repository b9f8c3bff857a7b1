"""What a Parquet file declares of itself: its footer and the headers of its pages, without Arrow.

Arrow trusts both: it allocates what a header declares. And where a footer contradicts itself, Arrow's own object for a
column ends the whole process (``RowGroupMetaData.column``, pyarrow 26). So files of strangers are read here first, by a small
parser that keeps only numbers and stops at a public limit. It skips what Arrow would skip.

Source: https://parquet.apache.org/docs/file-format/metadata, https://thrift.apache.org, compact protocol.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import BinaryIO, Final

from dpcore import limits

_TAIL: Final = 8  # bytes after the footer: its length, and the mark of the format
_HEADER: Final = 2**12  # bytes that hold almost every header of a page
_LONGEST_HEADER: Final = 2**24  # Arrow reads no longer one
_STRUCT_COST: Final = 8  # a structure without fields takes one byte in the file and many in memory
_DEEPEST: Final = 32

_YES, _NO, _BYTE, _INT, _LONG, _FLOAT, _TEXT, _LIST, _STRUCT = 1, 2, 3, 5, 6, 7, 8, 9, 12
_NUMBERS: Final = (4, _INT, _LONG)

Key = tuple[int, int]
"""Number and type of a field."""
Fields = dict[Key, "int | Fields | list[int | Fields]"]
"""For each field a number, the length of a text, the fields of a structure, or what a list holds."""
Kept = Mapping[Key, "Kept"]
"""The fields that are kept, and the fields in them."""

_SCHEMA, _GROUPS = (2, _LIST), (4, _LIST)  # of the footer
_CHILDREN: Final = (5, _INT)  # of an entry of the schema
_COLUMNS, _GROUP_UNPACKED = (1, _LIST), (2, _LONG)  # of a group of rows
_CHUNK: Final = (3, _STRUCT)  # of a column in a group, and in it:
_ENCODINGS, _CHUNK_VALUES, _CHUNK_PACKED = (2, _LIST), (5, _LONG), (7, _LONG)
_DATA_AT, _DICTIONARY_AT = (9, _LONG), (11, _LONG)

_IN_FOOTER: Final[Kept] = {
    _SCHEMA: {_CHILDREN: {}},
    _GROUPS: {
        _COLUMNS: {
            _CHUNK: {_ENCODINGS: {}, _CHUNK_VALUES: {}, _CHUNK_PACKED: {}, _DATA_AT: {}, _DICTIONARY_AT: {}}
        },
        _GROUP_UNPACKED: {},
    },
}

_UNPACKED, _PACKED = (2, _INT), (3, _INT)  # of the header of a page
_DATA, _DICTIONARY, _DATA_2 = (5, _STRUCT), (7, _STRUCT), (8, _STRUCT)
_VALUES, _ENCODING, _ENCODING_2 = (1, _INT), (2, _INT), (4, _INT)

_IN_HEADER: Final[Kept] = {
    _UNPACKED: {},
    _PACKED: {},
    _DATA: {_VALUES: {}, _ENCODING: {}},
    _DICTIONARY: {_VALUES: {}},
    _DATA_2: {_VALUES: {}, _ENCODING_2: {}},
}


class TooLargeError(ValueError):
    """A footer, or the header of a page, has more bytes or more values than the limit."""


@dataclass(frozen=True)
class Chunk:
    """One column in one group of rows."""

    encodings: frozenset[int]
    """Encodings of its pages, by the numbers of the format."""
    values: int
    packed: int
    """Bytes in the file."""
    start: int
    """Where its first page begins."""


@dataclass(frozen=True)
class Footer:
    """What the footer of a file declares."""

    schema: int
    """Columns, and groups of columns."""
    unpacked: int
    """Bytes of all groups of rows."""
    groups: tuple[tuple[Chunk, ...], ...]
    """For each group of rows its columns, in the order of the schema."""


@dataclass(frozen=True)
class Page:
    """What the header of a page declares."""

    unpacked: int
    values: int
    encoding: int
    is_dictionary: bool
    after: int
    """Where the next page begins."""


def footer_of(stored: BinaryIO) -> Footer:
    """The footer of a file.

    Raises:
        TooLargeError: it has more bytes or more values than the limit.
        ValueError, IndexError: it is damaged, or a group of rows has other columns than the schema.

    """
    end = stored.seek(0, 2)
    stored.seek(max(0, end - _TAIL))
    length = int.from_bytes(stored.read(_TAIL)[:4], "little")
    if length > end - _TAIL:
        raise ValueError
    if length > limits.MAX_FOOTER_BYTES:
        raise TooLargeError
    stored.seek(end - _TAIL - length)
    compact = _Compact(stored.read(length), limits.MAX_FOOTER_VALUES)
    fields = compact.struct(_IN_FOOTER)
    if compact.left < 0:
        raise TooLargeError
    schema, groups = _structs(fields, _SCHEMA), _structs(fields, _GROUPS)
    leaves = sum(_number(entry, _CHILDREN) == 0 for entry in schema[1:])
    chunks = tuple(tuple(_chunk(column) for column in _structs(group, _COLUMNS)) for group in groups)
    if any(len(columns) != leaves for columns in chunks):
        raise ValueError
    return Footer(len(schema), sum(_number(group, _GROUP_UNPACKED) for group in groups), chunks)


def page_at(stored: BinaryIO, at: int) -> Page:
    """The page whose header begins at a place. Raises ValueError or IndexError for a damaged header."""
    for length in (_HEADER, _LONGEST_HEADER):
        stored.seek(at)
        data = stored.read(length)
        compact = _Compact(data, limits.MAX_FOOTER_VALUES)
        try:
            found = compact.struct(_IN_HEADER)
        except IndexError:
            if len(data) < length:
                raise
            continue
        packed, unpacked = _number(found, _PACKED), _number(found, _UNPACKED)
        if min(compact.left, packed, unpacked) < 0:
            raise ValueError
        after = at + compact.at + packed
        if _DICTIONARY in found:
            return Page(unpacked, _number(found[_DICTIONARY], _VALUES), 0, True, after)
        body = found.get(_DATA, found.get(_DATA_2))
        encoding = _number(body, _ENCODING if _DATA in found else _ENCODING_2)
        return Page(unpacked, _number(body, _VALUES), encoding, False, after)
    raise ValueError


def _chunk(column: Fields) -> Chunk:
    about = column.get(_CHUNK)
    listed = about.get(_ENCODINGS) if isinstance(about, dict) else None
    encodings = (
        frozenset(one for one in listed if isinstance(one, int)) if isinstance(listed, list) else frozenset()
    )
    start, first = _number(about, _DATA_AT), _number(about, _DICTIONARY_AT)
    if 0 < first < start:
        start = first
    return Chunk(encodings, _number(about, _CHUNK_VALUES), _number(about, _CHUNK_PACKED), start)


def _number(fields: object, key: Key) -> int:
    found = fields.get(key, 0) if isinstance(fields, dict) else 0
    return found if isinstance(found, int) else 0


def _structs(fields: Fields, key: Key) -> list[Fields]:
    found = fields.get(key)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


class _Compact:
    """A structure in Thrift's compact protocol, up to a number of values."""

    def __init__(self, data: bytes, values: int) -> None:
        self._data = data
        self.at = 0
        self.left = values
        """Values that may still be read. Below zero there were too many, and the rest was not read."""

    def struct(self, kept: Kept, depth: int = 0) -> Fields:
        """The kept fields of the structure that begins here. Raises IndexError if the bytes end first."""
        if depth > _DEEPEST:
            raise ValueError
        found: Fields = {}
        last = 0
        self.left -= _STRUCT_COST
        while self.left >= 0 and (head := self._byte()):
            last = last + (head >> 4) if head >> 4 else self._signed()
            kind = head & 15
            key = (last, kind)
            inner = kept.get(key)
            if kind == _LIST:
                listed = self._list(inner, depth)
                if inner is not None:
                    found[key] = listed
            else:
                value = int(kind == _YES) if kind in {_YES, _NO} else self._value(kind, inner or {}, depth)
                if inner is not None:
                    found[key] = value
        return found

    def _value(self, kind: int, kept: Kept, depth: int) -> int | Fields:
        self.left -= 1
        if kind in _NUMBERS:
            return self._signed()
        if kind == _STRUCT:
            return self.struct(kept, depth + 1)
        if kind == _LIST:  # in a list: the format has none that matters here
            self._list(None, depth + 1)
            return 0
        length = {_YES: 1, _NO: 1, _BYTE: 1, _FLOAT: 8}.get(kind)
        if length is None:
            if kind != _TEXT:  # sets and maps, which the format does not use
                raise ValueError
            length = self._unsigned()
        self.at += length
        if self.at > len(self._data):
            raise IndexError
        return length

    def _list(self, kept: Kept | None, depth: int) -> list[int | Fields]:
        """What a list holds, or nothing if it is not kept."""
        if depth > _DEEPEST:
            raise ValueError
        self.left -= 1
        head = self._byte()
        length = head >> 4 if head >> 4 < 15 else self._unsigned()
        found: list[int | Fields] = []
        for _ in range(length):
            if self.left < 0:
                break
            value = self._value(head & 15, kept or {}, depth + 1)
            if kept is not None:
                found.append(value)
        return found

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
