"""Reads the polygons of GeoPackage geometry blobs, trusting no count they declare.

A parser that believes a blob can be led to exhaust the stack (collections in collections) or memory (counts
without content). This one knows polygons only, never recurses and never reads past the end.

Source: OGC 12-128r18 (GeoPackage), section 2.1.3; OGC 06-103r4, section 8 (well-known binary).
"""

from __future__ import annotations

import struct
from typing import Final

import numpy as np

from dpcore.tessellation.features import Ring

_ENVELOPE_BYTES: Final = (0, 32, 48, 48, 64)
_DIMENSIONS: Final = (2, 3, 3, 4)
"""Numbers of a position: plain, with height, with measure, with both (thousands of the type)."""
_POLYGON: Final = 3
_MULTIPOLYGON: Final = 6


class _Bytes:
    """A place in the bytes that only moves forward; raises ValueError at their end."""

    def __init__(self, data: bytes, at: int) -> None:
        self._data = data
        self._at = at

    def take(self, size: int) -> bytes:
        if size > len(self._data) - self._at:
            raise ValueError("a count is larger than what follows")
        self._at += size
        return self._data[self._at - size : self._at]

    def number(self, order: str) -> int:
        return int(struct.unpack(f"{order}I", self.take(4))[0])

    def start(self) -> tuple[str, int, int]:
        """Byte order, type and numbers of a position of the geometry that begins here."""
        mark = self.take(1)
        if mark not in {b"\x00", b"\x01"}:
            raise ValueError("unknown byte order")
        order = "<" if mark == b"\x01" else ">"
        thousands, kind = divmod(self.number(order), 1000)
        if thousands >= len(_DIMENSIONS):
            raise ValueError("unknown type")
        return order, kind, _DIMENSIONS[thousands]

    def rings(self, order: str, dimensions: int) -> list[Ring]:
        """The rings that follow the start of a polygon; heights and measures are dropped."""
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


def polygons(blob: object) -> tuple[int, list[list[Ring]]]:
    """The spatial reference id of a GeoPackage geometry and its polygons, each a list of rings.

    Raises ValueError for anything but one whole Polygon or MultiPolygon.
    """
    if not isinstance(blob, bytes) or len(blob) < 8 or blob[:3] != b"GP\x00":
        raise ValueError("no GeoPackage geometry")
    flags = blob[3]
    envelope = flags >> 1 & 7
    # Bit 5: a type of some extension; bit 4: an empty geometry.
    if flags & 0b0011_0000 or envelope >= len(_ENVELOPE_BYTES):
        raise ValueError("empty or of an unknown kind")
    reference = int(struct.unpack("<i" if flags & 1 else ">i", blob[4:8])[0])
    data = _Bytes(blob, 8 + _ENVELOPE_BYTES[envelope])
    order, kind, dimensions = data.start()
    if kind == _POLYGON:
        parts = [data.rings(order, dimensions)]
    elif kind == _MULTIPOLYGON:
        parts = []
        for _ in range(data.number(order)):
            order_inside, kind_inside, dimensions_inside = data.start()
            if kind_inside != _POLYGON:
                raise ValueError("a part that is no polygon")
            parts.append(data.rings(order_inside, dimensions_inside))
    else:
        raise ValueError("no polygon")
    if data.left or not parts:
        raise ValueError("bytes follow the geometry, or there is none")
    return reference, parts
