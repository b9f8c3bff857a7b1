"""The shapes and names under a map, by kind and by rank."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import shapely
from numpy.typing import NDArray

from dpcore.tiles.called import Place

Shapes = NDArray[Any]
"""shapely geometries of one part each, in WGS84 degrees, longitude first."""

AREAS: Final = ("water", "park")
"""Kinds of areas: Polygons."""
LINES: Final = ("waterway", "street", "rail")
"""Kinds of lines: LineStrings."""
NAMES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "water": "areas of water",
        "park": "parks",
        "waterway": "rivers and streams",
        "street": "streets",
        "rail": "railways",
    }
)
"""What people call the shapes of a kind."""
RANKS: Final = 4
"""Ranks of lines and areas: 0, such as a motorway, to 3, such as a tertiary street."""
PLACE_RANKS: Final = 6
"""Ranks of names: city, town, suburb or village, quarter, park or water, small place."""
MAX_NAME_CHARACTERS: Final = 60
MAX_ATTRIBUTION_CHARACTERS: Final = 200
MAX_NOTE_CHARACTERS: Final = 400


@dataclass(frozen=True, eq=False)
class Layer:
    """All shapes of one kind."""

    shapes: Shapes = field(default_factory=lambda: np.empty(0, dtype=object))
    ranks: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    """Rank of each shape."""

    @classmethod
    def of(cls, shapes: Sequence[Any], ranks: Sequence[int]) -> Layer:
        """The layer of shapes that were gathered one by one."""
        found = np.empty(len(shapes), dtype=object)
        found[:] = shapes
        return cls(found, np.array(ranks, np.int64))

    def __len__(self) -> int:
        return len(self.shapes)

    def at(self, which: NDArray[Any]) -> Layer:
        """The chosen shapes; ``which``: numbers or truth values."""
        return Layer(self.shapes[which], self.ranks[which])

    @property
    def corners(self) -> int:
        """Corners of all shapes together."""
        return int(shapely.get_num_coordinates(self.shapes).sum())


@dataclass(frozen=True, eq=False)
class Context:
    """What is drawn under tiles. Public."""

    layers: Mapping[str, Layer]
    """By kind, in the order of ``AREAS`` and ``LINES``; every kind is there."""
    places: tuple[Place, ...]
    """Names, the most important first."""
    attribution: str
    """Whose work it is; it stands on every map that shows it."""
    notes: tuple[str, ...] = ()
    """What was left out, in words."""

    @classmethod
    def of(
        cls,
        layers: Mapping[str, Layer],
        places: Sequence[Place],
        attribution: str,
        notes: Sequence[str] = (),
    ) -> Context:
        """A context with clean texts. Kinds that are missing are empty; names without a visible letter are dropped."""
        named = [
            Place(name, place.lng, place.lat, place.rank)
            for place in places
            if (name := one_line(place.name, MAX_NAME_CHARACTERS))
        ]
        said = one_line(attribution, MAX_ATTRIBUTION_CHARACTERS)
        clean = tuple(one_line(note, MAX_NOTE_CHARACTERS) for note in notes)
        whole = {kind: layers.get(kind, Layer()) for kind in (*AREAS, *LINES)}
        return cls(whole, tuple(sorted(named, key=lambda place: place.rank)), said, clean)

    @cached_property
    def landmarks(self) -> tuple[Place, ...]:
        """The names that tiles and districts may be called after: those that lie in water or in a park come after all others.

        A single city is the name of the whole map, so no part of it is called after that where there are other names.
        """
        areas = np.concatenate([self.layers[kind].shapes for kind in AREAS])
        points = shapely.points(np.array([(place.lng, place.lat) for place in self.places]).reshape(-1, 2))
        inside = {*shapely.STRtree(areas).query(points, predicate="within")[0].tolist()} if len(areas) else {}
        last = PLACE_RANKS - 1
        ranked = [
            replace(place, rank=last) if at in inside else place for at, place in enumerate(self.places)
        ]
        ordered = sorted(ranked, key=lambda place: place.rank)
        whole = len(ordered) > 1 and ordered[0].rank == 0 < ordered[1].rank
        return tuple(ordered[1:] if whole else ordered)

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to draw."""
        return not self.places and not any(len(layer) for layer in self.layers.values())

    @property
    def counted(self) -> str:
        """How many shapes of each kind and how many names there are, in words."""
        shapes = [f"{len(layer):,} {NAMES[kind]}" for kind, layer in self.layers.items() if len(layer)]
        return ", ".join([*shapes, f"{len(self.places):,} names"])

    def __repr__(self) -> str:
        return f"<Context: {self.counted}; {self.attribution}>"


def one_line(text: str, most: int) -> str:
    """A text of strangers as a map may show it: printable characters on one line, cut to a length.

    Marks that turn the direction of reading are not printable, and go.
    """
    shown = "".join(sign if sign.isprintable() else " " for sign in text[: 4 * most])
    return " ".join(shown.split())[:most].strip()
