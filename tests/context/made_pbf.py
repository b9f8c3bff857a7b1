"""A small OpenStreetMap extract, written as the format says: blobs of protocol buffers, packed with zlib."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Mapping, Sequence

Tags = Mapping[str, str]


def varint(number: int) -> bytes:
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    return bytes([*found, number])


def zigzag(number: int) -> int:
    return number << 1 if number >= 0 else (-number << 1) - 1


def field(number: int, content: bytes | int) -> bytes:
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    return varint(number << 3 | 2) + varint(len(content)) + content


def packed(numbers: Iterable[int]) -> bytes:
    return b"".join(map(varint, numbers))


def deltas(numbers: Sequence[int]) -> bytes:
    before = [0, *numbers[:-1]]
    return packed(zigzag(now - then) for now, then in zip(numbers, before, strict=True))


def blob(kind: str, content: bytes) -> bytes:
    body = field(2, len(content)) + field(3, zlib.compress(content))
    head = field(1, kind.encode()) + field(3, len(body))
    return len(head).to_bytes(4, "big") + head + body


def pbf(
    nodes: Sequence[tuple[float, float, Tags]],
    ways: Sequence[tuple[Sequence[int], Tags]],
) -> bytes:
    """Nodes are (longitude, latitude, tags) with ids from 1; ways are lists of these ids, with tags."""
    texts: dict[str, int] = {"": 0}

    def at(text: str) -> int:
        return texts.setdefault(text, len(texts))

    ids = list(range(1, len(nodes) + 1))
    tagged = [number for *_, tags in nodes for k, v in tags.items() for number in (at(k), at(v))]
    pairs = []
    for *_, tags in nodes:
        pairs += [number for k, v in tags.items() for number in (at(k), at(v))] + [0]
    dense = field(1, deltas(ids))
    dense += field(8, deltas([round(lat * 1e7) for _, lat, _ in nodes]))
    dense += field(9, deltas([round(lng * 1e7) for lng, _, _ in nodes]))
    dense += field(10, packed(pairs)) if tagged else b""
    groups = [field(2, field(2, dense))]
    rows = b""
    for number, (refs, tags) in enumerate(ways, 1):
        way = field(1, number) + field(2, packed(map(at, tags))) + field(3, packed(map(at, tags.values())))
        rows += field(3, way + field(8, deltas(list(refs))))
    groups.append(field(2, rows))
    table = field(1, b"".join(field(1, text.encode()) for text in texts))
    header = field(4, b"OsmSchema-V0.6") + field(4, b"DenseNodes")
    return blob("OSMHeader", header) + blob("OSMData", table + b"".join(groups))
