"""Writes an SQLite database, so that the same rows give the same bytes with every version of SQLite.

SQLite itself may lay out its pages in another way in the next version, and leaves old bytes between its rows. Here every byte
follows from the rows. So a reader checks a database by comparing bytes, and nothing ever opens a file that may be malicious.

Source: https://www.sqlite.org/fileformat2.html (file format 4; its format has been stable since 2004).
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, pairwise
from typing import Final

Value = None | int | float | str | bytes
Row = tuple[Value, ...]

_PAGE: Final = 4096
_LEAF, _INDEX_LEAF, _INTERIOR = 13, 10, 5
_MOST_INSIDE: Final = _PAGE - 35
"""Bytes of a record that fit into a page of a table; the rest of a longer one goes to overflow pages."""
_LEAST_INSIDE: Final = (_PAGE - 12) * 32 // 255 - 23
_CHILDREN: Final = (_PAGE - 12) // 15
"""Pages below an interior page, at most: a pointer, and a cell of a page number and a row number each."""
_WRITER: Final = 3_040_000
"""The version of SQLite that the header names."""


@dataclass(frozen=True)
class Stored:
    """A table or an index of a database, with its rows."""

    kind: str
    """``table`` or ``index``."""
    name: str
    table: str
    """The table that an index belongs to; for a table, its own name."""
    sql: str | None
    """The statement that makes it. None for an index that a constraint of its table makes."""
    rows: Iterable[Row]
    """Of a table: a column that is INTEGER PRIMARY KEY is the number of the row, and None stands in its place. Of an index:
    sorted rows that end with the number of a row of the table, and fit into one page."""
    numbers: Iterable[int] = field(default_factory=lambda: count(1))
    """The number of every row of a table, ascending."""


def database(parts: Sequence[Stored], *, application: int, version: int) -> bytes:
    """The bytes of a database; ``application`` and ``version`` are its ``application_id`` and ``user_version``.

    Raises ValueError if the statements or the rows of an index do not fit into one page.
    """
    pages = _Pages(1 + len(parts))
    for number, part in enumerate(parts, 2):
        if part.kind == "table":
            pages.fill_table(number, zip(part.numbers, part.rows, strict=False))
        else:
            keys = [_varint(len(record)) + record for record in map(_record, part.rows)]
            pages.put(number, _page(_INDEX_LEAF, keys))
    schema = [(part.kind, part.name, part.table, number, part.sql) for number, part in enumerate(parts, 2)]
    cells = [_cell(number, _record(row)) for number, row in enumerate(schema, 1)]
    pages.put(1, _page(_LEAF, cells, above=_header(len(pages.all), application, version)))
    return b"".join(pages.all)


class _Pages:
    """The pages of a file while it is made. The first ones are kept free for the roots."""

    def __init__(self, roots: int) -> None:
        self.all = [b""] * roots

    def put(self, number: int, page: bytes) -> None:
        self.all[number - 1] = page

    def fill_table(self, root: int, rows: Iterable[tuple[int, Row]]) -> None:
        """Write the B-tree of a table: its leaves with their overflow pages, then the pages above them, then the root."""
        kind, cells = _LEAF, [(number, self._row(number, row)) for number, row in rows]
        while True:
            groups = [*_in_pages(cells)] if kind == _LEAF else _in_groups(cells)
            if len(groups) == 1:
                self.put(root, _page_of_cells(kind, groups[0]))
                return
            above = []
            for group in groups:
                self.all.append(_page_of_cells(kind, group))
                above.append((group[-1][0], struct.pack(">I", len(self.all))))
            kind, cells = _INTERIOR, above

    def _row(self, number: int, row: Row) -> bytes:
        """The cell of a row. What does not fit into a page follows in overflow pages, each of which names the next."""
        record = _record(row)
        if len(record) <= _MOST_INSIDE:
            return _cell(number, record)
        inside = _LEAST_INSIDE + (len(record) - _LEAST_INSIDE) % (_PAGE - 4)
        inside = inside if inside <= _MOST_INSIDE else _LEAST_INSIDE
        first = len(self.all) + 1
        for at in range(inside, len(record), _PAGE - 4):
            more = at + _PAGE - 4 < len(record)
            following = struct.pack(">I", len(self.all) + 2 if more else 0)
            self.all.append((following + record[at : at + _PAGE - 4]).ljust(_PAGE, b"\0"))
        return _varint(len(record)) + _varint(number) + record[:inside] + struct.pack(">I", first)


_Cells = list[tuple[int, bytes]]
"""The number of the last row that each covers, and its bytes: a row, or on an interior page the number of a page."""


def _in_pages(cells: _Cells) -> Iterator[_Cells]:
    """Rows, as many at a time as fit into a leaf."""
    group: _Cells = []
    left = _PAGE - 8
    for number, cell in cells:
        if len(cell) + 2 > left:
            yield group
            group, left = [], _PAGE - 8
        group.append((number, cell))
        left -= len(cell) + 2
    yield group


def _in_groups(cells: _Cells) -> list[_Cells]:
    """Pages in groups of about the same size, since an interior page needs two below it."""
    groups = -(-len(cells) // _CHILDREN)
    ends = [len(cells) * group // groups for group in range(groups + 1)]
    return [cells[start:end] for start, end in pairwise(ends)]


def _page_of_cells(kind: int, cells: _Cells) -> bytes:
    if kind == _LEAF:
        return _page(kind, [cell for _, cell in cells])
    *before, (_, last) = cells
    return _page(kind, [page + _varint(number) for number, page in before], last=last)


def _page(kind: int, cells: Sequence[bytes], *, above: bytes = b"", last: bytes = b"") -> bytes:
    """A page: what stands above, its header, where each cell begins, zeros, and the cells from the last to the first."""
    begin, starts = _PAGE, []
    for cell in cells:
        begin -= len(cell)
        starts.append(begin)
    if len(above) + 8 + len(last) + 2 * len(cells) > begin:
        raise ValueError("the cells do not fit into a page")
    head = above + struct.pack(">BHHHB", kind, 0, len(cells), begin, 0) + last
    head += struct.pack(f">{len(starts)}H", *starts)
    return head.ljust(begin, b"\0") + b"".join(reversed(cells))


def _cell(number: int, record: bytes) -> bytes:
    return _varint(len(record)) + _varint(number) + record


def _record(row: Row) -> bytes:
    """A row in SQLite's format: the length of its header, the type of every value, then the values."""
    kinds, body = b"", []
    for value in row:
        kind, content = _value(value)
        kinds += _varint(kind)
        body.append(content)
    size = len(kinds) + 1
    if size > 127:
        raise ValueError("too many columns")
    return b"".join([_varint(size), kinds, *body])


def _value(value: Value) -> tuple[int, bytes]:
    """The serial type of a value and its bytes."""
    if value is None:
        return 0, b""
    if isinstance(value, int):
        return 6, struct.pack(">q", value)
    if isinstance(value, float):
        return 7, struct.pack(">d", value)
    if isinstance(value, bytes):
        return 12 + 2 * len(value), value
    text = value.encode("utf-8")
    return 13 + 2 * len(text), text


def _varint(number: int) -> bytes:
    """A whole number of 64 bits: seven bits a byte, the highest first; every byte but the last has its top bit set.

    Nine bytes hold a negative number, as two's complement; then the last byte has eight bits.
    """
    if number < 0:
        number += 2**64
        return bytes([*(number >> shift & 127 | 128 for shift in range(57, 7, -7)), number & 255])
    found = [number & 127]
    while number := number >> 7:
        found.append(number & 127 | 128)
    return bytes(reversed(found))


def _header(pages: int, application: int, version: int) -> bytes:
    fixed = struct.pack(">16sHBBBBBB", b"SQLite format 3\0", _PAGE, 1, 1, 0, 64, 32, 32)
    # number of changes, pages, no free pages, version of the schema, format 4, no cache, no vacuum, UTF-8, user_version
    counted = struct.pack(">12I", 1, pages, 0, 0, 1, 4, 0, 0, 1, version, 0, application)
    return (fixed + counted).ljust(92, b"\0") + struct.pack(">II", 1, _WRITER)
