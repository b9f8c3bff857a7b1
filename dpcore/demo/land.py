"""Where the demo city lies: its limit, its river, its landmarks, and one pool of addresses for each kind of place.

Inside this package the ground is flat: kilometres east and north of the market square.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np
import shapely
from numpy.typing import NDArray

from dpcore.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

Floats = NDArray[np.float64]

CENTRE_LNG: Final = 9.9
CENTRE_LAT: Final = 54.3
KM_PER_DEGREE: Final = 111.195
MAX_SEED: Final = 2**63 - 1

RADIUS: Final = 8.1  # km from the market square to the city limit, on average
SUBURBS: Final = 8
RIVER_BEARING: Final = 42.0  # degrees from east to the mouth, counter-clockwise

# Degrees from east, counter-clockwise, and km from the market square.
_LANDMARKS: Final = {
    "Market Square": (0.0, 0.0),
    "Central Station": (205.0, 1.25),
    "Harbour": (50.0, 2.7),
    "University": (303.0, 2.9),
    "Hospital": (112.0, 2.5),
    "Shipyard": (20.0, 4.7),
    "Stadium": (158.0, 4.3),
    "Shopping Park": (262.0, 5.3),
    "Beach": (60.0, 6.7),
}


@dataclass(frozen=True, eq=False)
class Land:
    """The ground of one city; km east and north of the market square."""

    banks: tuple[shapely.Polygon, shapely.Polygon]
    """The dry land on both sides of the river. The river belongs to neither."""
    outline: shapely.Polygon
    """The city limit. The river lies inside it."""
    landmarks: dict[str, tuple[float, float]]
    """Well-known places by name."""
    suburbs: Floats
    """Rows of east, north, spread (km) and share of the people."""
    river: shapely.Polygon
    """The river and its firth, also beyond the city limit."""

    @property
    def ground(self) -> shapely.MultiPolygon:
        """Both banks as one shape."""
        return shapely.MultiPolygon(list(self.banks))

    def scatter(self, draw: Callable[[int], Floats], count: int, inset: float = 0.03) -> Floats:
        """``count`` points of ``draw`` that lie on dry land, ``inset`` km from water and limit; shape (count, 2)."""
        inner = self.ground.buffer(-inset)
        shapely.prepare(inner)
        found = np.empty((0, 2))
        while len(found) < count:
            points = draw(count)
            found = np.concatenate([found, points[shapely.contains_xy(inner, points[:, 0], points[:, 1])]])
        return found[:count]


@lru_cache(maxsize=8)
def land_of(seed: int) -> Land:
    """The ground of the city with this seed, always the same."""
    if not 0 <= seed <= MAX_SEED:
        raise InputError(
            "the seed is out of range", f"seed {seed}", f"Choose a whole number from 0 to {MAX_SEED}."
        )
    rng = np.random.default_rng([seed, 0])
    outline = _limit(rng)
    river = _river(rng)
    dry = shapely.difference(outline, river)
    smaller, larger = sorted(shapely.get_parts(dry), key=shapely.area)[-2:]
    inner = shapely.union(smaller, larger).buffer(-0.3)
    landmarks = {
        name: _nearest(inner, _polar(angle + rng.uniform(-5, 5), distance))
        for name, (angle, distance) in _LANDMARKS.items()
    }
    angles = (np.arange(SUBURBS) + rng.uniform(-0.2, 0.2, SUBURBS)) * 360 / SUBURBS + 15
    distances = rng.uniform(4.0, 6.4, SUBURBS)
    centres = [
        _nearest(inner.buffer(-0.4), _polar(angle, distance))
        for angle, distance in zip(angles, distances, strict=True)
    ]
    shares = rng.uniform(0.5, 1.5, SUBURBS)
    suburbs = np.column_stack([centres, rng.uniform(0.5, 0.85, SUBURBS), shares / shares.sum()])
    return Land((smaller, larger), outline, landmarks, suburbs, river)


def to_degrees(km: Floats) -> Floats:
    """Kilometres east and north to degrees of longitude and latitude; shape (n, 2) to (n, 2)."""
    shrink = np.cos(np.radians(CENTRE_LAT))
    degrees: Floats = km / np.array([KM_PER_DEGREE * shrink, KM_PER_DEGREE]) + np.array(
        [CENTRE_LNG, CENTRE_LAT]
    )
    return degrees


def bent(lines: Floats, levels: int, strength: float, rng: np.random.Generator) -> Floats:
    """Each straight line as a bent one with the same ends; shape (n, 2, 2) to (n, 2**levels + 1, 2).

    The middle of each piece moves sideways by up to ``strength`` of its length. This is repeated ``levels`` times.
    """
    for _ in range(levels):
        step = np.diff(lines, axis=1)
        aside = np.stack([-step[..., 1], step[..., 0]], axis=-1)
        moved = rng.uniform(-strength, strength, (*step.shape[:2], 1))
        finer = np.empty((len(lines), 2 * lines.shape[1] - 1, 2))
        finer[:, 0::2] = lines
        finer[:, 1::2] = (lines[:, :-1] + lines[:, 1:]) / 2 + aside * moved
        lines = finer
    return lines


def _limit(rng: np.random.Generator) -> shapely.Polygon:
    """The city limit: a rounded shape with corners and dents."""
    angle = np.linspace(0, 2 * np.pi, 56, endpoint=False)
    waves = sum(
        size * np.cos(turns * angle + rng.uniform(0, 2 * np.pi))
        for turns, size in ((2, 0.07), (3, 0.06), (5, 0.04), (8, 0.025))
    )
    radius = RADIUS * (1 + waves + rng.uniform(-0.025, 0.025, len(angle)))
    corners = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    edges = np.stack([corners, np.roll(corners, -1, axis=0)], axis=1)
    return shapely.Polygon(bent(edges, 3, 0.09, rng)[:, :-1].reshape(-1, 2))


def _river(rng: np.random.Generator) -> shapely.Polygon:
    """The water: a river past the old town that opens into a firth."""
    along = np.linspace(-14, 14, 281)
    first, second, third = rng.uniform(0, 2 * np.pi, 3)

    def swing(at: Floats) -> Floats:
        aside: Floats = 1.0 * np.sin(at / 1.75 + first) + 0.22 * np.sin(at / 0.75 + second)
        return aside

    calm = 1 / (1 + (along / 6) ** 6)  # straight at the limit, so that it cuts off no slivers
    middle = (swing(along) - swing(np.zeros(1))) * calm - 0.85
    width = 0.075 + 0.02 * np.sin(along / 0.5 + third) + 0.035 / (1 + np.exp(-along / 1.5))
    firth = 1.15 / (1 + np.exp(-(along - 6.2) / 0.8))
    shore = bent(np.stack([along, np.zeros_like(along)], axis=1)[None, ::8], 3, 0.12, rng)[0, :, 1]
    turn = np.radians(RIVER_BEARING)
    ahead, aside = np.array([np.cos(turn), np.sin(turn)]), np.array([-np.sin(turn), np.cos(turn)])
    sides = [
        along[:, None] * ahead + (middle + side * (width + firth) + shore * firth)[:, None] * aside
        for side in (1, -1)
    ]
    return shapely.Polygon(np.concatenate([sides[0], sides[1][::-1]])).buffer(0)


def _polar(degrees: float, distance: float) -> tuple[float, float]:
    angle = np.radians(degrees)
    return float(distance * np.cos(angle)), float(distance * np.sin(angle))


def _nearest(ground: shapely.Geometry, place: tuple[float, float]) -> tuple[float, float]:
    """The place itself if it is on dry ground, otherwise the nearest point of the ground."""
    point = shapely.get_point(shapely.shortest_line(ground, shapely.Point(place)), 0)
    return float(point.x), float(point.y)


Indices = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Places:
    """All addresses of a city."""

    points: Floats
    """East and north of the market square, km; shape (n, 2)."""
    kinds: dict[str, tuple[int, int, float]]
    """For each kind: its first row, its number of rows, and how strongly its first rows are preferred."""

    def drawn(self, kind: Indices, share: Floats) -> Indices:
        """Rows of addresses: ``share`` in [0, 1) points into the pool of each kind (numbered as in ``kinds``)."""
        first, size, popular = (np.array(column) for column in zip(*self.kinds.values(), strict=True))
        rows: Indices = (first[kind] + size[kind] * share ** popular[kind]).astype(np.int64)
        return rows


@lru_cache(maxsize=4)
def places_of(seed: int) -> Places:
    """The addresses of the city with this seed, always the same."""
    land = land_of(seed)
    rng = np.random.default_rng([seed, 2])

    def around(name: str, spread: float, count: int) -> Floats:
        middle = np.array(land.landmarks[name])
        return land.scatter(lambda n: middle + rng.standard_normal((n, 2)) * spread, count)

    def housing(count: int) -> Floats:
        return land.scatter(lambda n: _housing(land, n, rng), count)

    jobs = [
        around("Market Square", 0.75, 950),
        around("Market Square", 0.22, 650),
        around("Central Station", 0.4, 480),
        around("Harbour", 0.35, 330),
        around("Shipyard", 0.4, 420),
        around("Hospital", 0.25, 260),
        around("Shopping Park", 0.3, 240),
        around("University", 0.35, 200),
        housing(430),
    ]
    centre = [
        around("Market Square", 0.5, 260),
        around("Central Station", 0.25, 90),
        around("Harbour", 0.3, 80),
    ]
    outings = [around("Beach", 0.25, 60), around("Stadium", 0.3, 30), around("Shopping Park", 0.25, 60)]
    pools = {
        "home": (housing(14_000), 1.0),
        "job": (_mixed(jobs, rng), 1.3),
        "campus": (np.concatenate([around("University", 0.28, 26), around("Hospital", 0.15, 4)]), 1.2),
        "school": (housing(42), 1.0),
        "shop": (_mixed([*centre, around("Shopping Park", 0.2, 220), housing(420)], rng), 1.3),
        "food": (
            _mixed([*centre, around("University", 0.3, 90), around("Shipyard", 0.3, 40), housing(160)], rng),
            1.2,
        ),
        "leisure": (_mixed([*centre, *outings, housing(280)], rng), 1.4),
        "bar": (np.concatenate([around("Harbour", 0.22, 40), around("Market Square", 0.3, 30)]), 1.3),
        "market": (around("Market Square", 0.09, 40), 1.0),
        "stadium": (around("Stadium", 0.07, 8), 1.0),
        "station": (around("Central Station", 0.07, 8), 1.0),
        "beyond": (_beyond(land, 400, rng), 1.0),
    }
    kinds: dict[str, tuple[int, int, float]] = {}
    first = 0
    for kind, (points, popular) in pools.items():
        kinds[kind] = (first, len(points), popular)
        first += len(points)
    return Places(np.concatenate([points for points, _ in pools.values()]), kinds)


def _mixed(parts: list[Floats], rng: np.random.Generator) -> Floats:
    """The parts in random order, so that the preferred first rows come from all of them."""
    return rng.permutation(np.concatenate(parts))


def _housing(land: Land, count: int, rng: np.random.Generator) -> Floats:
    """Homes: the old streets around the centre, the suburbs, and a few everywhere."""
    kind = rng.random((count, 1))
    suburb = land.suburbs[rng.choice(len(land.suburbs), count, p=land.suburbs[:, 3])]
    bell = rng.standard_normal((count, 2)) * rng.uniform(
        0.4, 1.5, (count, 1)
    )  # dense in the middle, frayed outside
    west, south, east, north = land.outline.bounds
    anywhere = rng.uniform((west, south), (east, north), (count, 2))
    return np.where(
        kind < 0.33, 1.7 * bell, np.where(kind < 0.78, suburb[:, :2] + suburb[:, 2:3] * bell, anywhere)
    )


def _beyond(land: Land, count: int, rng: np.random.Generator) -> Floats:
    """Villages and landing stages outside the tiles: beyond the limit, and some on the water."""
    corners = np.array(land.outline.exterior.coords)
    at = rng.integers(0, len(corners), 14)
    villages = corners[at] * rng.uniform(1.08, 1.35, (14, 1))
    return villages[rng.integers(0, 14, count)] + rng.standard_normal((count, 2)) * 0.15
