"""What a browser reads out of the messages of a map, in plain Python."""

from __future__ import annotations

import json
import struct

import numpy as np

MAP = b'{"version":3,"rungs"'
TILES = b'{"version":2,"n"'
ESTIMATES = b'{"version":1,"link"'
WINDOWS = b'{"version":2,"names"'


class Reader:
    """Reads forward through bytes that begin with a header."""

    def __init__(self, message: bytes, at: int = 0) -> None:
        self.bytes, self.at = message, at

    def json(self) -> dict:
        (length,) = struct.unpack_from("<I", self.bytes, self.at)
        self.at += 4 + length
        return json.loads(self.bytes[self.at - length : self.at])

    def whole(self) -> int:
        value, place = 0, 1
        while True:
            byte = self.bytes[self.at]
            self.at += 1
            value += (byte & 127) * place
            place *= 128
            if byte < 128:
                return -(value + 1) // 2 if value % 2 else value // 2

    def integers(self, *shape: int) -> np.ndarray:
        return np.array([self.whole() for _ in range(int(np.prod(shape)))], np.int64).reshape(shape)

    def summed(self, *shape: int) -> np.ndarray:
        return np.cumsum(self.integers(*shape), axis=0)


class ReadMap(Reader):
    """The counts of a map."""

    def __init__(self, message: bytes) -> None:
        super().__init__(message, message.index(MAP) - 4)
        self.head = self.json()
        k = len(self.head["rungs"])
        if tiles := self.head.get("tiles"):
            self.values, self.truth = self.counts(k, tiles)
        if flows := self.head.get("flows"):
            self.ends = self.integers(2, flows["count"])
            self.flows, self.true_flows = self.counts(k, flows)
        if districts := self.head.get("districts"):
            self.of_tiles = self.integers(districts["count"])
        if "levels" in self.head:
            self.levels = self.integers(self.head["levels_of"])

    def counts(self, k: int, told: dict) -> tuple[np.ndarray, np.ndarray | None]:
        rows = self.summed(k, told["count"])[::-1]
        return rows, rows[-1] + self.integers(told["count"]) if told["truth"] else None


class ReadTiles(Reader):
    """The tiles of maps."""

    def __init__(self, geometry: bytes) -> None:
        begin = geometry.index(TILES) - 20
        super().__init__(geometry, begin + 16)
        self.digest = geometry[begin : begin + 16].decode()
        self.head = self.json()
        n, rings, vertices, corners = (self.head[name] for name in ("n", "rings", "vertices", "corners"))
        origin, step = np.array(self.head["origin"]), self.head["step"]
        self.starts = np.concatenate([[0], np.cumsum(self.integers(rings))])
        self.owners = self.summed(rings)
        self.labels = origin + step * self.summed(n, 2)
        self.vertices = origin + step * self.summed(vertices, 2)
        self.which = self.summed(corners)
        self.corners = self.vertices[self.which]
        bits = np.frombuffer(self.bytes, np.uint8, -(-corners // 8), self.at)
        self.at += len(bits)
        self.borders = np.unpackbits(bits, count=corners, bitorder="little").astype(bool)
        self.bridges = self.summed(self.head["bridges"])

    def rings(self) -> list[np.ndarray]:
        return np.split(self.corners, self.starts[1:-1])


class ReadEstimates(Reader):
    """The estimates of one stop."""

    def __init__(self, message: bytes) -> None:
        super().__init__(message, message.index(ESTIMATES) - 4)
        self.head = self.json()
        for name in ("tiles", "flows"):
            if told := self.head.get(name):
                setattr(self, name, self.integers(3 if told["ranged"] else 1, told["count"]))
        if told := self.head.get("regions"):
            self.of_tiles = self.integers(self.head["tiles"]["count"])
            self.noise = self.integers(told["count"])
            self.regions = self.integers(3, told["count"])
