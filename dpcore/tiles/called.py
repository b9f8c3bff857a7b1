"""What tiles and districts are called that have a code or no name: after the places that lie under the map.

Names follow from the tiles and from public places alone, never from trips, so whoever has a bundle finds the names of its
owner. A tile is called after the place that lies in it, or else after the nearest one; a district after its largest place.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, count
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import shapely
from numpy.typing import NDArray

from dpcore.tiles.distance import EARTH_RADIUS_M
from dpcore.tiles.halving import metres

if TYPE_CHECKING:
    from shapely.geometry.base import BaseGeometry

    from dpcore.tiles.tessellation import Tessellation

Numbers = NDArray[np.float64]
Cells = NDArray[np.int64]

_COMPASS: Final = ("east", "north-east", "north", "north-west", "west", "south-west", "south", "south-east")
_WAY: Final = re.compile(rf"by |[\d.]+ k?m ({'|'.join(_COMPASS)}) of ")
_CAPITALS: Final = 3  # letters of a name that is a code, such as the initials of a city
_SMALL: Final = 300  # metres: tiles below are so near to each other that tens of metres tell them apart
_FAR: Final = 10_000  # metres, from which whole kilometres are said


@dataclass(frozen=True)
class Place:
    """A name on the map; the rank says how important it is, 0 for a city."""

    name: str
    lng: float
    lat: float
    rank: int


def is_code(text: str) -> bool:
    """Whether an id tells people nothing: it has no letter, or is one word with a digit.

    >>> is_code("D001"), is_code("3"), is_code("Old town"), is_code("Zone 12")
    (True, True, False, False)
    """
    return not any(map(str.isalpha, text)) or (" " not in text and any(map(str.isdigit, text)))


def is_coded_name(name: str) -> bool:
    """Whether a name that a file gives tells people nothing: its letters are up to three capitals, and stand beside digits.

    >>> is_coded_name("JC 6-9"), is_coded_name("D001"), is_coded_name("Paris-15"), is_coded_name("12th"), is_coded_name("Zone 12")
    (True, True, False, False, False)
    """
    letters = [sign for sign in name if sign.isalpha()]
    short = len(letters) <= _CAPITALS and all(map(str.isupper, letters))
    return short and any(map(str.isdigit, name))


def is_way(name: str) -> bool:
    """Whether a name says where a tile lies.

    >>> is_way("by Grove St"), is_way("1.2 km north-east of Grove St"), is_way("Grove St")
    (True, True, False)
    """
    return _WAY.match(name) is not None


def called_tiles(tiles: Tessellation) -> tuple[str, ...]:
    """What each tile is called: its name; where that is a code, by its place, such as ``by Grove St`` and ``600 m north of Grove St``.

    Without places it keeps its name. Names that are made are all different.
    """
    named = [*tiles.tile_names]
    both = enumerate(zip(named, tiles.tile_ids, strict=True))
    lacking = np.array(
        [at for at, (name, id_) in both if (is_code(id_) if name == id_ else is_coded_name(name))], np.int64
    )
    if not len(lacking) or not tiles.places:
        return tiles.tile_names
    lying = _Lying(tiles.polygons, tiles.places)
    taken = {*named}
    of_place: dict[int, list[int]] = defaultdict(list)
    for tile, place in zip(lacking.tolist(), lying.place_of(lacking).tolist(), strict=True):
        of_place[place].append(tile)
    for place, around in of_place.items():
        by_distance = sorted(around, key=lambda tile: (lying.metres(place, tile), tiles.tile_ids[tile]))
        for number, tile in enumerate(by_distance):
            there = tiles.places[place].name
            beside = number == 0 and lying.is_beside(place, tile)
            text = f"by {there}" if beside else f"{lying.way(place, tile)} of {there}"
            named[tile] = _untaken(text, taken)
    return tuple(named)


def called_districts(tiles: Tessellation, names: Sequence[str], of_tiles: Sequence[int]) -> tuple[str, ...]:
    """What each district is called: its name; where that is a code, after its largest place, or by the place that is nearest.

    ``names``: those of the districts; ``of_tiles``: which of them each tile lies in. Largest is the place whose kind is largest,
    as a city before a town; of equal ones that nearest to the middle. Two that lie in places of one name differ by a word
    of the compass.
    """
    lacking = [at for at, name in enumerate(names) if is_code(name)]
    if not lacking or not tiles.places:
        return tuple(names)
    lying = _Lying(tiles.polygons, tiles.places, np.asarray(of_tiles))
    place_of = dict(zip(lacking, lying.place_of(np.array(lacking)).tolist(), strict=True))
    holding = {at: at in lying.holders(place) for at, place in place_of.items()}
    alike = Counter(tiles.places[place].name for at, place in place_of.items() if holding[at])
    middle = lying.middles.mean(axis=0)
    found, taken = [*names], {name for name in names if not is_code(name)}
    for at, place in place_of.items():
        name = tiles.places[place].name
        if not holding[at]:
            text = f"{_compass(lying.middles[at] - lying.spots[place])} of {name}"
        elif alike[name] > 1:
            text = f"{name} {_compass(lying.middles[at] - middle)}"
        else:
            text = name
        found[at] = _untaken(text, taken)
    return tuple(found)


class _Lying:
    """Where tiles, or groups of them, and places lie to each other, in metres east and north."""

    def __init__(
        self, polygons: Sequence[BaseGeometry], places: Sequence[Place], of: Cells | None = None
    ) -> None:
        """``of``: the group of each tile; None: each is its own."""
        shapes: NDArray[Any] = np.array(polygons, dtype=object)
        of = np.arange(len(shapes)) if of is None else of
        points = shapely.points([(one.lng, one.lat) for one in places])
        self._ranks = [one.rank for one in places]
        both, many = metres([*shapes, *points]), np.bincount(of)
        east, north = (np.bincount(of, one) / many for one in both[: len(shapes)].T)
        self.middles: Numbers = np.column_stack([east, north])
        self.spots: Numbers = both[len(shapes) :]
        _, south, _, north_end = shapely.total_bounds(shapes)
        degree = np.radians(EARTH_RADIUS_M)
        areas = shapely.area(shapes) * np.cos(np.radians((south + north_end) / 2)) * degree**2
        self._sizes: Numbers = np.sqrt(np.bincount(of, areas))
        self._step = 100 if float(np.median(self._sizes)) >= _SMALL else 10
        self._held: dict[int, list[int]] = defaultdict(list)
        self._holders: dict[int, set[int]] = defaultdict(set)
        for place, tile in shapely.STRtree(shapes).query(points, predicate="intersects").T.tolist():
            self._held[int(of[tile])].append(place)
            self._holders[place].add(int(of[tile]))

    def holders(self, place: int) -> set[int]:
        """The shapes that a place lies in; several where it lies on their border."""
        return self._holders[place]

    def place_of(self, which: Cells) -> Cells:
        """For each of some shapes the largest place in it, of these the one nearest to its middle; else the nearest place."""
        nearest = shapely.STRtree(shapely.points(self.spots)).nearest(shapely.points(self.middles[which]))
        return np.array(
            [
                min(self._held[at], key=lambda place: (self._ranks[place], self.metres(place, at), place))
                if at in self._held
                else near
                for at, near in zip(which.tolist(), np.atleast_1d(nearest).tolist(), strict=True)
            ],
            np.int64,
        )

    def metres(self, place: int, shape: int) -> float:
        """From a place to the middle of a shape; nothing where the place lies in it."""
        if shape in self._holders[place]:
            return 0.0
        return float(np.hypot(*(self.middles[shape] - self.spots[place])))

    def is_beside(self, place: int, shape: int) -> bool:
        """Whether a place lies in a shape, or no farther from its middle than the shape is wide."""
        return bool(self.metres(place, shape) <= self._sizes[shape])

    def way(self, place: int, shape: int) -> str:
        """How far and where the middle of a shape lies from a place."""
        away = self.middles[shape] - self.spots[place]
        return f"{_length(float(np.hypot(*away)), self._step)} {_compass(away)}"


def _compass(away: Numbers) -> str:
    """The direction of a way that leads so far east and north."""
    east, north = away
    return _COMPASS[round(float(np.degrees(np.arctan2(north, east))) / 45) % 8]


def _length(of: float, step: int) -> str:
    """Metres in words."""
    rounded = max(step, step * round(of / step))
    if rounded < 1_000:
        return f"{rounded} m"
    return f"{of / 1_000:.0f} km" if of >= _FAR else f"{rounded / 1_000:g} km"


def _untaken(text: str, taken: set[str]) -> str:
    """The text, with a number where it is taken; from then on it is taken."""
    numbered = (f"{text} ({number})" for number in count(2))
    found = next(one for one in chain((text,), numbered) if one not in taken)
    taken.add(found)
    return found
