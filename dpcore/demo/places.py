"""Where the people of the demo city live, work and go: one pool of addresses for each kind of place."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dpcore.demo.land import Floats, Land, land_of

Indices = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Places:
    """All addresses of a city."""

    points: Floats
    """East and north of the market square, km; shape (n, 2)."""
    kinds: dict[str, tuple[int, int, float]]
    """For each kind: its first row, its number of rows, and how much the first of them are preferred."""

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
