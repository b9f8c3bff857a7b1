"""How large the schema of an SQLite database is, without opening the database.

SQLite reads all of the schema at its first statement, in a time that grows with the square of its entries, and no limit of
SQLite's stops it. So the pages of the schema are counted before a file of a stranger is opened.

Source: https://www.sqlite.org/fileformat2.html, sections 1.3, 1.6 and 2.6.
"""

from __future__ import annotations

import struct
from typing import Final

from dpcore import limits

_LEAF: Final = 13
_INTERIOR: Final = 5


def check_schema(data: bytes) -> None:
    """Raise ValueError if the schema is larger than the limits, or if its pages cannot be read."""
    size = 65_536 if data[16:18] == b"\0\1" else int.from_bytes(data[16:18], "big")
    if size < 512 or len(data) < size:
        raise ValueError("no page of SQLite")
    waiting, entries, characters, pages = [1], 0, 0, 0
    while waiting:
        number = waiting.pop()
        page = data[(number - 1) * size : number * size] if number > 0 else b""
        pages += 1
        if len(page) < size or pages > limits.MAX_DATABASE_OBJECTS:  # pages may name each other in a circle
            raise ValueError("the schema has no end")
        at = 100 if number == 1 else 0
        kind, cells = page[at], int.from_bytes(page[at + 3 : at + 5], "big")
        first = at + (12 if kind == _INTERIOR else 8)
        if kind not in {_LEAF, _INTERIOR} or first + 2 * cells > size:
            raise ValueError("no page of a table")
        starts = struct.unpack_from(f">{cells}H", page, first)
        if kind == _LEAF:
            entries += cells
            characters += sum(_length(page, start) for start in starts)
        else:
            waiting += [int.from_bytes(page[start : start + 4], "big") for start in starts]
            waiting.append(int.from_bytes(page[at + 8 : at + 12], "big"))
        if (
            entries > limits.MAX_DATABASE_OBJECTS
            or characters > limits.MAX_DATABASE_SCHEMA_CHARACTERS
            or len(waiting) > limits.MAX_DATABASE_OBJECTS
        ):
            raise ValueError("the schema is too large")


def _length(page: bytes, start: int) -> int:
    """The length that the row of a leaf declares: a whole number of seven bits a byte."""
    found = 0
    for byte in page[start : start + 9]:
        found = found << 7 | byte & 127
        if byte < 128:
            break
    return found
