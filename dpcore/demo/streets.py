"""What lies on the ground of the demo city: its water, streets, railways, parks and names, made by the code.

No trip depends on it. Streets end at wide water, and main streets cross the river on bridges.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

import numpy as np
import shapely
from numpy.typing import NDArray

from dpcore.context import Context, Layer, Place
from dpcore.demo.city import suburb_names
from dpcore.demo.land import RADIUS, RIVER_BEARING, Floats, Land, bent, land_of, to_degrees

ATTRIBUTION: Final = "Invented city: all streets and names are made up"
_WIDE: Final = 0.2  # km from both shores: no bridge is so long
_BLOCK: Final = 0.24  # km between two streets of a quarter
_RANK: Final = {"motorway": 0, "primary": 1, "secondary": 2, "tertiary": 3}
_PARKS: Final = {  # place that it lies beside, km east and north of it, radius
    "Castle Gardens": ("Market Square", (-0.75, 0.75), 0.34),
    "Stadium Park": ("Stadium", (0.25, 0.45), 0.6),
    "Botanical Garden": ("University", (0.7, -0.2), 0.36),
    "Hospital Park": ("Hospital", (-0.5, 0.2), 0.28),
    "Harbour Green": ("Harbour", (-0.65, 0.15), 0.22),
}
_WOODS: Final = ("North Wood", "Monks' Heath", "Deer Forest", "Long Meadows")
_OF_PEOPLE: Final = (
    "Market Square",
    "Central Station",
    "Harbour",
    "University",
    "Hospital",
    "Shipyard",
    "Beach",
)

Lines = list[Any]


@lru_cache(maxsize=4)
def city_context(tiles: int, seed: int) -> Context:
    """What lies under ``tiles`` districts of the city with this seed; always the same."""
    land, rng = land_of(seed), np.random.default_rng([seed, 5])
    water = _water(land, rng)
    wide = water.buffer(-_WIDE).buffer(_WIDE)
    main = _main_streets(land, rng)
    streets = [(line.difference(wide), _RANK[kind]) for kind, lines in main.items() for line in lines]
    quarters = shapely.difference(shapely.multilinestrings(_quarters(land, rng)), water.buffer(0.03))
    parks = _parks(land, water, rng)
    rails = shapely.difference(np.array(_rails(land, rng)), wide)
    green = [shape for shape, *_ in parks.values()]
    layers = {
        "water": _layer([water], [0]),
        "park": _layer(green, [0] * len(green)),
        "street": _layer(*zip(*streets, (quarters, _RANK["tertiary"]), strict=True)),
        "rail": _layer(rails, [0] * len(rails)),
    }
    return Context.of(layers, _places(land, parks, suburb_names(land, tiles)), ATTRIBUTION)


def _layer(shapes: Any, ranks: Any) -> Layer:  # noqa: ANN401 - shapes of any type, in parts
    parts, owners = shapely.get_parts(np.array(shapes, dtype=object), return_index=True)
    degrees = shapely.transform(parts, to_degrees)
    return Layer(degrees, np.array(ranks, np.int64)[owners])


def _water(land: Land, rng: np.random.Generator) -> Any:  # noqa: ANN401 - a shape
    """The river from far inland, its firth, and the sea that it flows into."""
    turn = np.radians(RIVER_BEARING)
    ahead, aside = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
    coast = bent(np.array([[[-30.0, 0.0], [30.0, 0.0]]]), 8, 0.11, rng)[0]
    shore = (12.6 + coast[:, 1])[:, None] * ahead + coast[:, :1] * aside
    sea = shapely.Polygon([*shore, 60 * ahead + 30 * aside, 60 * ahead - 30 * aside])
    corners = shapely.get_coordinates(land.river)
    source = corners[(corners @ ahead) < -13.9].mean(axis=0)
    upper = bent(np.array([[source, source - 22 * ahead]]), 6, 0.12, rng)[0]
    open_ = shapely.difference(sea.buffer(0), shapely.union_all(land.banks))  # the coast ends at the city
    return shapely.union_all([land.river, open_, shapely.LineString(upper).buffer(0.085)])


def _main_streets(land: Land, rng: np.random.Generator) -> dict[str, Lines]:
    """By kind: a motorway around the city, streets from the market to the suburbs and on, and two rings."""
    suburbs = land.suburbs[:, :2]
    angle = np.arctan2(suburbs[:, 1], suburbs[:, 0])
    far = 2.6 * RADIUS * np.column_stack([np.cos(angle), np.sin(angle)])
    middle = np.zeros_like(suburbs)
    out = [*_bent(middle, suburbs, 0.1, rng), *_bent(suburbs, far, 0.08, rng)]
    marks = np.array([place for place in land.landmarks.values() if place != (0.0, 0.0)])
    neighbours = suburbs[np.argsort(angle)]
    between = _bent(neighbours, np.roll(neighbours, -1, axis=0), 0.13, rng)
    motorway = _ring(5.1, 0.05, rng)
    corner = shapely.get_coordinates(motorway)[[12, 60, 110]]
    roads = _bent(corner, 4.5 * corner, 0.06, rng)
    return {
        "motorway": [motorway, *roads],
        "primary": out,
        "secondary": [_ring(1.25, 0.08, rng), _ring(3.1, 0.07, rng), *between],
        "tertiary": _bent(marks, marks * 0.35, 0.1, rng),
    }


def _bent(start: Floats, end: Floats, strength: float, rng: np.random.Generator) -> Lines:
    return list(shapely.linestrings(bent(np.stack([start, end], axis=1), 4, strength, rng)))


def _ring(radius: float, waves: float, rng: np.random.Generator) -> Any:  # noqa: ANN401 - a shape
    angle = np.linspace(0, 2 * np.pi, 145)
    first, second = rng.uniform(0, 2 * np.pi, 2)
    at = radius * (1 + waves * (np.cos(2 * angle + first) + np.cos(5 * angle + second) / 2))
    return shapely.LineString(np.column_stack([at * np.cos(angle), at * np.sin(angle)]))


def _quarters(land: Land, rng: np.random.Generator) -> Lines:
    """The streets of the old town and of every suburb: two families that cross, cut to a round."""
    centres = [(np.zeros(2), 1.75), *((row[:2], 1.6 * row[2]) for row in land.suburbs)]
    found: Lines = []
    for middle, radius in centres:
        turn = rng.uniform(0, np.pi)
        round_ = shapely.Point(middle).buffer(radius)
        for way in (turn, turn + np.pi / 2 + rng.uniform(-0.15, 0.15)):
            along, across = np.array([np.cos(way), np.sin(way)]), np.array([-np.sin(way), np.cos(way)])
            shift = np.arange(-radius, radius, _BLOCK)
            shift = (shift + rng.uniform(-0.05, 0.05, len(shift)))[:, None] * across + middle
            lines = _bent(shift - radius * along, shift + radius * along, 0.03, rng)
            found += list(shapely.get_parts(shapely.intersection(np.array(lines), round_)))
    return [line for line in found if line.geom_type == "LineString" and line.length > _BLOCK]


def _rails(land: Land, rng: np.random.Generator) -> Lines:
    """The main line through the station, and the branches to the harbour and to the shipyard."""
    station = np.array(land.landmarks["Central Station"])
    way = station / np.hypot(*station)
    side = np.array([-way[1], way[0]])
    ends = np.array([station + 22 * way, station - 9 * side, station + 24 * side])
    ends = np.concatenate([ends, [land.landmarks["Harbour"]], [land.landmarks["Shipyard"]]])
    return _bent(np.repeat(station[None], len(ends), axis=0), ends, 0.05, rng)


def _parks(land: Land, water: Any, rng: np.random.Generator) -> dict[str, tuple[Any, int]]:  # noqa: ANN401 - a shape
    """Each park with the rank of its name."""
    spots = {
        name: (np.array(land.landmarks[beside]) + shift, radius, 4)
        for name, (beside, shift, radius) in _PARKS.items()
    }
    for number, name in enumerate(_WOODS):
        angle = np.radians(RIVER_BEARING + 72 + 62 * number + rng.uniform(-12, 12))
        spots[name] = (8.6 * np.array([np.cos(angle), np.sin(angle)]), rng.uniform(1.4, 2.1), 3)
    angle = np.linspace(0, 2 * np.pi, 72, endpoint=False)
    found = {}
    for name, (middle, radius, rank) in spots.items():
        at = radius * (
            1 + sum(rng.uniform(0.04, 0.14) * np.cos(k * angle + rng.uniform(0, 6)) for k in (2, 3, 5))
        )
        shape = shapely.Polygon(middle + np.column_stack([at * np.cos(angle), at * np.sin(angle)]))
        found[name] = (shapely.difference(shape, water.buffer(0.04)), rank)
    return found


def _places(land: Land, parks: dict[str, tuple[Any, int]], suburbs: list[str]) -> list[Place]:
    """Names with their ranks: suburbs first, then well-known places, water and parks."""
    turn = np.radians(RIVER_BEARING)
    ahead = np.array([np.cos(turn), np.sin(turn)])
    named: list[tuple[str, Floats | NDArray[Any], int]] = [
        (name, row[:2], 2) for name, row in zip(suburbs, land.suburbs, strict=True)
    ]
    named += [(name, np.array(land.landmarks[name]), 3) for name in _OF_PEOPLE]
    named += [("Amber Firth", 8.6 * ahead, 1), ("River Ask", _on_the_river(land, -5.0), 3)]
    named += [
        (name, shapely.get_coordinates(shapely.point_on_surface(shape))[0], rank)
        for name, (shape, rank) in parks.items()
        if not shape.is_empty
    ]
    degrees = to_degrees(np.array([at for _, at, _ in named]))
    return [
        Place(name, float(lng), float(lat), rank)
        for (name, _, rank), (lng, lat) in zip(named, degrees, strict=True)
    ]


def _on_the_river(land: Land, along: float) -> Floats:
    """A point in the river, so many km from the market towards the mouth."""
    turn = np.radians(RIVER_BEARING)
    ahead, aside = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
    across = shapely.LineString([along * ahead - 4 * aside, along * ahead + 4 * aside])
    middle: Floats = shapely.get_coordinates(shapely.centroid(land.river.intersection(across)))[0]
    return middle
