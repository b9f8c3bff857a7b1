"""The people of the demo city: how often each travels, where they live, and where they have to be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dpcore.demo.habits import MAX_TRIPS_EACH, PROFILES

if TYPE_CHECKING:
    from dpcore.demo.land import Floats
    from dpcore.demo.places import Indices, Places


@dataclass(frozen=True, eq=False)
class People:
    """One row a person."""

    trips: Indices
    """Number of trips in the period."""
    profile: Indices
    """Number of the profile."""
    home: Indices
    """Address where days begin."""
    main: Indices
    """Address of the workplace or school."""

    @classmethod
    def drawn(cls, places: Places, trips: int, rng: np.random.Generator) -> People:
        """People who make ``trips`` trips together."""
        profile = np.empty(0, np.int64)
        each = np.empty(0, np.int64)
        median, spread = np.array([kind.trips for kind in PROFILES]).T
        while each.sum() < trips:
            more = rng.choice(len(PROFILES), trips // 6 + 16, p=[kind.share for kind in PROFILES])
            many = median[more] * np.exp(spread[more] * rng.standard_normal(len(more)))
            profile = np.concatenate([profile, more])
            each = np.concatenate([each, np.clip(np.rint(many), 1, MAX_TRIPS_EACH).astype(np.int64)])
        last = int(np.searchsorted(np.cumsum(each), trips))
        each, profile = each[: last + 1], profile[: last + 1]
        each[-1] -= each.sum() - trips
        kinds = list(places.kinds)
        train, beyond = (
            np.array([getattr(p, name) for p in PROFILES])[profile] for name in ("by_train", "from_beyond")
        )
        coin = rng.random(len(profile))
        lives = np.where(
            coin < train,
            kinds.index("station"),
            np.where(coin < train + beyond, kinds.index("beyond"), kinds.index("home")),
        )
        home = places.drawn(lives, rng.random(len(profile)))
        goal = np.array([kinds.index(p.main) for p in PROFILES])[profile]
        tries = np.array([p.tries for p in PROFILES])[profile]
        return cls(each, profile, home, nearest(places, places.points[home], goal, tries, rng))


def nearest(
    places: Places, start: Floats, kind: Indices, tries: Indices, rng: np.random.Generator
) -> Indices:
    """For each start the nearest of ``tries`` addresses of a kind; shape (n,)."""
    best = places.drawn(kind, rng.random(len(kind)))
    for turn in range(1, int(tries.max(initial=1))):
        again = np.flatnonzero(tries > turn)
        other = places.drawn(kind[again], rng.random(len(again)))
        nearer = distance(start[again], places.points[other]) < distance(
            start[again], places.points[best[again]]
        )
        best[again[nearer]] = other[nearer]
    return best


def distance(start: Floats, end: Floats) -> Floats:
    """Kilometres as the crow flies; shape (n,)."""
    return np.hypot(end[:, 0] - start[:, 0], end[:, 1] - start[:, 1])
