"""What a worker holds of a tessellation: ids and arrays, no shapes; packed as plain bytes to travel."""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from dpcore.tessellation.index import TileIndex

_IDS: Final = "tile_ids"


@dataclass(frozen=True)
class Tiles:
    """Ids of tiles, and which of them a point lies in: public."""

    tile_ids: tuple[str, ...]
    index: TileIndex


def packed(tile_ids: tuple[str, ...], index: TileIndex) -> bytes:
    """Ids and index as one block of arrays; no object is serialised."""
    place = io.BytesIO()
    ids = np.frombuffer("\n".join(tile_ids).encode(), np.uint8)  # no id holds a line break
    np.savez(
        place,
        allow_pickle=False,
        **{_IDS: ids},
        **{name: np.asarray(one) for name, one in vars(index).items()},
    )
    return place.getvalue()


@lru_cache(maxsize=1)
def unpacked(block: bytes) -> Tiles:
    """The tiles of such a block; made once in each process that prepares trips."""
    with np.load(io.BytesIO(block), allow_pickle=False) as arrays:
        held = {name: arrays[name] for name in arrays.files}
    ids = held.pop(_IDS).tobytes().decode().split("\n")
    index = TileIndex.__new__(TileIndex)
    vars(index).update({name: one if one.ndim else one.item() for name, one in held.items()})
    return Tiles(tuple(ids), index)
