"""Shapes in well-known binary, read without trust.

A parser that trusts such bytes can be made to exhaust the stack (collections in collections) or the memory (counts without
content). This one knows points, lines and polygons, never recurses and never reads past the end.

Source: OGC 06-103r4, section 8 (well-known binary).
"""

from __future__ import annotations

import struct
from typing import Final

import numpy as np

from dpcore.tiles.features import Ring

_DIMENSIONS: Final = (2, 3, 3, 4)
"""Numbers in a position: plain, with height, with measure, with both (the thousands of the type)."""
_POINT, _LINE, _POLYGON = 1, 2, 3
_MULTIPOINT, _MULTILINE, _MULTIPOLYGON = 4, 5, 6
POINT, LINE, AREA = "point", "line", "area"
_NAMES: Final = {_POINT: POINT, _LINE: LINE, _POLYGON: AREA}
_SEVERAL: Final = {_MULTIPOINT: _POINT, _MULTILINE: _LINE, _MULTIPOLYGON: _POLYGON}


def polygons(data: bytes, at: int = 0) -> list[list[Ring]]:
    """The parts of a geometry that must be an area, each a list of rings; as ``parts``."""
    kind, found = parts(data, at)
    if kind != AREA:
        raise ValueError("no polygon")
    return found


def parts(data: bytes, at: int = 0) -> tuple[str, list[list[Ring]]]:
    """What the geometry that begins at a place and fills the rest is (``point``, ``line`` or ``area``), and its parts.

    A part is a list of rings, or of one array of positions.

    Raises ValueError for anything but one whole point, line or polygon, or several of one kind.
    """
    left = _Bytes(data, at)
    order, kind, dimensions = left.start()
    several = kind in _SEVERAL
    single = _SEVERAL.get(kind, kind)
    if single not in _NAMES:
        raise ValueError("no point, line or polygon")
    found = []
    for _ in range(left.number(order) if several else 1):
        if several:
            order, kind, dimensions = left.start()
            if kind != single:
                raise ValueError("a part of another kind")
        found.append(
            left.rings(order, dimensions)
            if single == _POLYGON
            else [left.positions(order, dimensions, 1 if single == _POINT else left.number(order))]
        )
    if left.left or not found:
        raise ValueError("bytes follow the geometry, or there is none")
    return _NAMES[single], found


def point(data: bytes, at: int = 0) -> Ring | None:
    """The corner of a geometry that is one point, as ``parts``; None for any other."""
    try:
        kind, found = parts(data, at)
    except ValueError:
        return None
    ring = found[0][0]
    return ring if kind == POINT and len(found) == 1 and np.isfinite(ring).all() else None


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
            found.append(self.positions(order, dimensions, corners))
        if not found:
            raise ValueError("a polygon without rings")
        return found

    def positions(self, order: str, dimensions: int, count: int) -> Ring:
        """Positions without heights and measures."""
        flat = np.frombuffer(self.take(count * dimensions * 8), f"{order}f8")
        return flat.reshape(count, dimensions)[:, :2].astype(np.float64)

    @property
    def left(self) -> int:
        return len(self._data) - self._at
