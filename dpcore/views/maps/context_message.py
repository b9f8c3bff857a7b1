"""The context of a map as one message: areas and lines in whole numbers, names as text. Equal contexts give equal bytes.

Layout (numbers as ``map_geometry.varints`` writes them; "steps": each less the one before)::

    16 characters: digest of the tiles that it lies under
    u32 length of the header, little-endian, the header as JSON
    for each kind of area:  corners of each ring; corners, lng lat, steps; a bit for each corner: its edge is a shore
    for each kind of line:  corners of each line; corners, lng lat, steps
    names, lng lat, steps

Lines stand in the order of their rank; the header says how many there are of each. Positions are counted in ``step`` degrees
from ``origin``. A hole is joined to the outside of its area by an edge that is no shore.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

import numpy as np
import shapely
from numpy.typing import NDArray

from dpcore.context import AREAS, LINES, Context, Layer, fitted, window
from dpcore.context.context import RANKS
from dpcore.context.fitting import GRID, Bounds
from dpcore.views.maps.map_geometry import Integers, Shape, digest_of, packed_json, rings, steps, varints

VERSION: Final = 2
"""Raised when the layout changes; the browser refuses another one."""
MOST_BYTES: Final = 2_200_000
"""Of the dearest context that a bundle may hold: six bytes a corner. What this program makes takes four, and less than 1.5 MB."""
Whole = Callable[[NDArray[np.float64]], Integers]
GROUND: Final = {
    "light": {
        "water": (190, 216, 234),
        "park": (211, 230, 203),
        "shore": (58, 124, 168),
        "hedge": (62, 122, 66),
    },
    "dark": {"water": (27, 51, 71), "park": (30, 52, 42), "shore": (104, 160, 200), "hedge": (110, 168, 112)},
}
"""Colours of areas and of their borders on light and on dark pages: of every map with a context."""
_STEPS: Final = 2**16  # of the larger side of the tiles: a large picture has 4,000 pixels


@dataclass(frozen=True, repr=False, eq=False)
class MapContext:
    """A context made to fit under tiles, packed once for all their maps."""

    context: Context
    packed: bytes

    @property
    def digest(self) -> str:
        """SHA-256 of the packed bytes, 64 hexadecimal digits."""
        return sha256(self.packed).hexdigest()

    @classmethod
    def of(cls, context: Context, geometry: bytes, bounds: Iterable[float]) -> MapContext:
        """Any context, clipped and simplified for the tiles that ``geometry`` packs; ``bounds``: of these tiles."""
        west, south, east, north = bounds
        fits = fitted(context, (west, south, east, north))
        return cls(fits, pack_context(fits, geometry, (west, south, east, north)))


def pack_context(context: Context, geometry: bytes, bounds: Bounds) -> bytes:
    """The context as bytes for every map of the tiles that ``geometry`` packs; ``bounds``: of these tiles.

    Raises ValueError for a context that was not made to fit (``dpcore.context.fitted``).
    """
    box = np.array(window(bounds))
    step = max(GRID, float(max(bounds[2] - bounds[0], bounds[3] - bounds[1])) / _STEPS)
    origin = box[:2]

    def whole(places: NDArray[np.float64]) -> Integers:
        found: Integers = np.rint((places - origin) / step).astype(np.int64)
        return found

    kinds: dict[str, object] = {}
    parts: list[bytes] = []
    for kind in AREAS:
        kinds[kind], packed = _areas(context.layers[kind], whole, whole(box.reshape(2, 2)))
        parts += packed
    for kind in LINES:
        kinds[kind], packed = _lines(context.layers[kind], whole)
        parts += packed
    named = np.array([[one.lng, one.lat] for one in context.places]).reshape(-1, 2)
    header = packed_json(
        {
            "version": VERSION,
            "attribution": context.attribution,
            "ground": GROUND,
            "origin": origin.tolist(),
            "step": step,
            "kinds": kinds,
            "names": [one.name for one in context.places],
            "ranks": [one.rank for one in context.places],
        }
    )
    message = b"".join([digest_of(geometry).encode(), header, *parts, varints(steps(whole(named)))])
    if len(message) > MOST_BYTES:
        raise ValueError("a context is too large for a map")
    return message


def _areas(layer: Layer, whole: Whole, corners_of_box: Integers) -> tuple[dict[str, int], list[bytes]]:
    if not len(layer):
        return {"rings": 0, "corners": 0}, []
    outlines, _ = rings(layer.shapes)
    sizes = np.array([len(ring) for ring in outlines])
    places = whole(np.concatenate(outlines))
    shores = Shape.of(places, sizes).borders & ~_on_the_rim(places, sizes, corners_of_box)
    bits = np.packbits(shores, bitorder="little").tobytes()
    head = {"rings": len(sizes), "corners": len(places)}
    return head, [varints(sizes), varints(steps(places)), bits]


def _on_the_rim(places: Integers, sizes: Integers, box: Integers) -> NDArray[np.bool_]:
    """Which edges lie where the context was cut: they are no shore."""
    ends = np.cumsum(sizes)
    following = np.arange(1, len(places) + 1)
    following[ends - 1] = ends - sizes
    there = places[following]
    found = np.zeros(len(places), np.bool_)
    for axis in (0, 1):
        for edge in box[:, axis]:
            found |= (np.abs(places[:, axis] - edge) <= 1) & (np.abs(there[:, axis] - edge) <= 1)
    return found


def _lines(layer: Layer, whole: Whole) -> tuple[dict[str, object], list[bytes]]:
    order = np.argsort(layer.ranks, kind="stable")
    shapes, ranks = layer.shapes[order], layer.ranks[order]
    sizes = shapely.get_num_coordinates(shapes).astype(np.int64)
    head: dict[str, object] = {
        "lines": len(shapes),
        "corners": int(sizes.sum()),
        "of_rank": np.bincount(ranks, minlength=RANKS).tolist(),
    }
    return head, [varints(sizes), varints(steps(whole(shapely.get_coordinates(shapes))))]
