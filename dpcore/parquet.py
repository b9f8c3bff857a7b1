"""What a Parquet file declares of itself: its footer and the headers of its pages, without Arrow.

Arrow trusts both: it allocates what a header declares. And where a footer contradicts itself, Arrow's own object for a
column ends the whole process (``RowGroupMetaData.column``, pyarrow 26). So files of strangers are read here first, by a small
parser that stops at a public limit. It refuses whatever Arrow might read in another way.

Source: https://parquet.apache.org/docs/file-format/metadata, https://thrift.apache.org, compact protocol.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO, Final

from dpcore import limits

if TYPE_CHECKING:
    import pyarrow.parquet as pq

_TAIL: Final = 8  # bytes after the footer: its length, and the mark of the format
_HEADER: Final = 2**12  # bytes that hold almost every header of a page
_LONGEST_HEADER: Final = 2**24  # Arrow reads no longer one
_STRUCT_COST: Final = 8  # a structure without fields takes one byte in the file and many in memory
_DEEPEST: Final = 32
_MOST_FIELDS: Final = (
    2**15 - 1
)  # Arrow keeps the number of a field in 16 bits, so a larger one would mean another field

_YES, _NO, _BYTE, _SHORT, _INT, _LONG, _FLOAT, _TEXT, _LIST, _STRUCT = 1, 2, 3, 4, 5, 6, 7, 8, 9, 12
_BITS: Final = {_SHORT: 16, _INT: 32, _LONG: 64}

Key = tuple[int, int]
"""Number and type of a field."""
Fields = dict[Key, "int | Fields | list[int | Fields]"]
"""For each field a number, the length of a text, the fields of a structure, or what a list holds."""


@dataclass(frozen=True)
class _Known:
    """A field of the format that matters here."""

    inner: Mapping[Key, _Known] = field(default_factory=dict)
    """The fields of its structure, or of each structure of its list."""
    of: int = 0
    """Type of what its list holds. Arrow takes this type for granted, whatever the file says."""
    kept: bool = True


Shape = Mapping[Key, _Known]

_SCHEMA, _GROUPS = (2, _LIST), (4, _LIST)  # of the footer
_CHILDREN: Final = (5, _INT)  # of an entry of the schema
_COLUMNS, _GROUP_UNPACKED = (1, _LIST), (2, _LONG)  # of a group of rows
_CHUNK, _ENCRYPTED = (3, _STRUCT), (8, _STRUCT)  # of a column in a group, and in the first of them:
_CHUNK_VALUES, _CHUNK_PACKED, _DATA_AT, _DICTIONARY_AT = (5, _LONG), (7, _LONG), (9, _LONG), (11, _LONG)


def _list(of: int) -> _Known:
    """A list that is not kept."""
    return _Known(of=of, kept=False)


_IN_CHUNK: Final[Shape] = {
    **{key: _Known() for key in (_CHUNK_VALUES, _CHUNK_PACKED, _DATA_AT, _DICTIONARY_AT)},
    (2, _LIST): _list(_INT),  # encodings
    (3, _LIST): _list(_TEXT),  # names
    (8, _LIST): _list(_STRUCT),  # notes
    (13, _LIST): _list(_STRUCT),  # how often each encoding
    (16, _STRUCT): _Known({(2, _LIST): _list(_LONG), (3, _LIST): _list(_LONG)}, kept=False),  # sizes
    (17, _STRUCT): _Known({(2, _LIST): _list(_INT)}, kept=False),  # shapes
}
_IN_GROUP: Final[Shape] = {
    _COLUMNS: _Known({_CHUNK: _Known(_IN_CHUNK), _ENCRYPTED: _Known()}, _STRUCT),
    _GROUP_UNPACKED: _Known(),
    (4, _LIST): _list(_STRUCT),  # order of rows
}
_IN_FOOTER: Final[Shape] = {
    _SCHEMA: _Known({_CHILDREN: _Known()}, _STRUCT),
    _GROUPS: _Known(_IN_GROUP, _STRUCT),
    (5, _LIST): _list(_STRUCT),  # notes
    (7, _LIST): _list(_STRUCT),  # order of values
}

_KIND, _UNPACKED, _PACKED = (1, _INT), (2, _INT), (3, _INT)  # of the header of a page
_DATA, _DICTIONARY, _DATA_2 = (5, _STRUCT), (7, _STRUCT), (8, _STRUCT)
_VALUES, _ENCODING, _ENCODING_2 = (1, _INT), (2, _INT), (4, _INT)
_BODIES: Final = {0: (_DATA, _ENCODING), 2: (_DICTIONARY, _ENCODING), 3: (_DATA_2, _ENCODING_2)}
"""By the kind of a page: its body in the header, and where that says the encoding. Arrow goes by the kind alone."""

_IN_HEADER: Final[Shape] = {
    _KIND: _Known(),
    _UNPACKED: _Known(),
    _PACKED: _Known(),
    _DATA: _Known({_VALUES: _Known(), _ENCODING: _Known()}),
    _DICTIONARY: _Known({_VALUES: _Known()}),
    _DATA_2: _Known({_VALUES: _Known(), _ENCODING_2: _Known()}),
}


class TooLargeError(ValueError):
    """A footer, or the header of a page, has more bytes or more values than the limit."""


@dataclass(frozen=True)
class Chunk:
    """One column in one group of rows."""

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
    unpacked: tuple[int, ...]
    """Bytes of each group of rows, as declared."""
    groups: tuple[tuple[Chunk, ...], ...]
    """For each group of rows its columns, in the order of the schema."""

    def must_be_that_of(self, read: pq.FileMetaData) -> None:
        """Raise ValueError if Arrow read another footer. Asks it for no column."""
        groups = [read.row_group(number) for number in range(read.num_row_groups)]
        declared = zip(map(len, self.groups), self.unpacked, strict=True)
        if [*declared] != [(group.num_columns, group.total_byte_size) for group in groups]:
            raise ValueError


@dataclass(frozen=True)
class Page:
    """What the header of a page declares."""

    unpacked: int
    values: int
    encoding: int
    """By its number in the format."""
    is_dictionary: bool
    after: int
    """Where the next page begins."""


def footer_of(stored: BinaryIO) -> Footer:
    """The footer of a file.

    Raises:
        TooLargeError: it has more bytes or more values than the limit.
        ValueError, IndexError: it is damaged, encrypted, or Arrow might read it in another way; or a group of rows has other
            columns than the schema.

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
    return Footer(len(schema), tuple(_number(group, _GROUP_UNPACKED) for group in groups), chunks)


def pages_of(stored: BinaryIO, chunk: Chunk) -> Iterator[Page]:
    """The pages of one column in one group of rows. Raises ValueError or IndexError for a damaged header."""
    if chunk.values <= 0:
        return  # Arrow opens none of them, and their position may be anywhere
    at = chunk.start
    while at < chunk.start + chunk.packed:
        page = page_at(stored, at)
        yield page
        at = page.after


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
        body_of, coding = _BODIES.get(_number(found, _KIND), (None, _ENCODING))
        body = found.get(body_of) if body_of else {}  # Arrow skips pages of other kinds
        if body is None:
            raise ValueError
        is_dictionary, after = body_of == _DICTIONARY, at + compact.at + packed
        encoding = 0 if is_dictionary else _number(body, coding)
        return Page(unpacked, _number(body, _VALUES), encoding, is_dictionary, after)
    raise ValueError


def _chunk(column: Fields) -> Chunk:
    if _ENCRYPTED in column:
        raise ValueError
    about = column.get(_CHUNK)
    start, first = _number(about, _DATA_AT), _number(about, _DICTIONARY_AT)
    if 0 < first < start:
        start = first
    return Chunk(_number(about, _CHUNK_VALUES), _number(about, _CHUNK_PACKED), start)


def _number(fields: object, key: Key) -> int:
    found = fields.get(key, 0) if isinstance(fields, dict) else 0
    return found if isinstance(found, int) else 0


def _structs(fields: Fields, key: Key) -> list[Fields]:
    found = fields.get(key)
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


_UNKNOWN: Final = _Known(kept=False)


class _Compact:
    """A structure in Thrift's compact protocol, up to a number of values."""

    def __init__(self, data: bytes, values: int) -> None:
        self._data = data
        self.at = 0
        self.left = values
        """Values that may still be read. Below zero there were too many, and the rest was not read."""

    def struct(self, shape: Shape, depth: int = 0) -> Fields:
        """The kept fields of the structure that begins here. Raises IndexError if the bytes end first."""
        if depth > _DEEPEST:
            raise ValueError
        found: Fields = {}
        last = 0
        self.left -= _STRUCT_COST
        while self.left >= 0 and (head := self._byte()):
            last = last + (head >> 4) if head >> 4 else self._signed()
            kind = head & 15
            known = shape.get((last, kind), _UNKNOWN)
            value: int | Fields | list[int | Fields]
            if kind in {_YES, _NO}:
                value = int(kind == _YES)
            elif kind == _LIST:
                value = self._list(known, depth)
            else:
                value = self._value(kind, known.inner, depth)
            if not 1 <= last <= _MOST_FIELDS or (last, kind) in found:  # Arrow would merge the two
                raise ValueError
            if known.kept:
                found[last, kind] = value
        return found

    def _value(self, kind: int, inner: Shape, depth: int) -> int | Fields:
        self.left -= 1
        if kind in _BITS:
            number = self._signed()
            if number.bit_length() >= _BITS[kind]:  # Arrow drops the bits beyond
                raise ValueError
            return number
        if kind == _STRUCT:
            return self.struct(inner, depth + 1)
        if kind == _LIST:  # a list in a list: the format has none
            self._list(_UNKNOWN, depth + 1)
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

    def _list(self, known: _Known, depth: int) -> list[int | Fields]:
        """What a list holds, or nothing if it is not kept."""
        if depth > _DEEPEST:
            raise ValueError
        self.left -= 1
        head = self._byte()
        length = head >> 4 if head >> 4 < 15 else self._unsigned()
        if length and known.of not in {0, head & 15}:
            raise ValueError
        found: list[int | Fields] = []
        for _ in range(length):
            if self.left < 0:
                break
            value = self._value(head & 15, known.inner, depth + 1)
            if known.kept:
                found.append(value)
        return found

    def _byte(self) -> int:
        self.at += 1
        return self._data[self.at - 1]

    def _unsigned(self) -> int:
        byte = self._byte()
        if byte < 0x80:  # most numbers are small
            return byte
        value, shift = byte & 0x7F, 7
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
