"""Polygons in well-known binary, read without trust.

A parser that trusts such bytes can be made to exhaust the stack (collections in collections) or the memory (counts without
content). This one knows polygons only, never recurses and never reads past the end.

Source: OGC 06-103r4, section 8 (well-known binary).
"""

from __future__ import annotations

import struct
from typing import Final

import numpy as np

from dpcore.tiles.features import Ring

_DIMENSIONS: Final = (2, 3, 3, 4)
"""Numbers in a position: plain, with height, with measure, with both (the thousands of the type)."""
_POLYGON: Final = 3
_MULTIPOLYGON: Final = 6


def polygons(data: bytes, at: int = 0) -> list[list[Ring]]:
    """The polygons of one geometry that begins at a place and fills the rest, each a list of rings.

    Raises ValueError for anything but one whole Polygon or MultiPolygon.
    """
    left = _Bytes(data, at)
    order, kind, dimensions = left.start()
    if kind == _POLYGON:
        parts = [left.rings(order, dimensions)]
    elif kind == _MULTIPOLYGON:
        parts = []
        for _ in range(left.number(order)):
            order_inside, kind_inside, dimensions_inside = left.start()
            if kind_inside != _POLYGON:
                raise ValueError("a part that is not a polygon")
            parts.append(left.rings(order_inside, dimensions_inside))
    else:
        raise ValueError("no polygon")
    if left.left or not parts:
        raise ValueError("bytes follow the geometry, or there is none")
    return parts


class _Bytes:
    """A reading position in the bytes that only moves forward. Raises ValueError at their end."""

    def __init__(self, data: bytes, at: int) -> None:
        self._data = data
        self._at = at

    def take(self, size: int) -> bytes:
        if size > len(self._data) - self._at:
            raise ValueError("a count is larger than the bytes that follow")
        self._at += size
        return self._data[self._at - size : self._at]

    def number(self, order: str) -> int:
        return int(struct.unpack(f"{order}I", self.take(4))[0])

    def start(self) -> tuple[str, int, int]:
        """Byte order, geometry type and numbers in a position of the geometry that begins here."""
        mark = self.take(1)
        if mark not in {b"\x00", b"\x01"}:
            raise ValueError("unknown byte order")
        order = "<" if mark == b"\x01" else ">"
        thousands, kind = divmod(self.number(order), 1000)
        if thousands >= len(_DIMENSIONS):
            raise ValueError("unknown type")
        return order, kind, _DIMENSIONS[thousands]

    def rings(self, order: str, dimensions: int) -> list[Ring]:
        """The rings that follow the start of a polygon. Heights and measures are dropped."""
        found = []
        for _ in range(self.number(order)):
            corners = self.number(order)
            if corners < 4:
                raise ValueError("a ring without an inside")
            flat = np.frombuffer(self.take(corners * dimensions * 8), f"{order}f8")
            found.append(flat.reshape(corners, dimensions)[:, :2].astype(np.float64))
        if not found:
            raise ValueError("a polygon without rings")
        return found

    @property
    def left(self) -> int:
        return len(self._data) - self._at
