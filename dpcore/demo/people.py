"""The people of the demo city: when, why and how often they travel, where they live, and where they work or learn."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Final

import numpy as np

from dpcore.measures.keys import Period

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from dpcore.demo.land import Floats, Indices, Places

DEMO_PERIOD: Final = Period(date(2024, 3, 4), date(2024, 3, 31))
"""Four weeks from a Monday. Every trip starts in them."""
DEMO_TIMEZONE: Final = "Europe/Berlin"
CLOCKS_CHANGE: Final = np.datetime64("2024-03-31T02:00:00", "s")
"""The wall clock jumps from here to 03:00. No trip starts or ends in the hour that does not exist."""
RAINY_DAY: Final = date(2024, 3, 12)
"""A Tuesday of rain: about a third fewer trips."""
STADIUM_DAY: Final = date(2024, 3, 20)
"""A Wednesday evening match."""
DAYS: Final = len(DEMO_PERIOD.days)

Clock = tuple[float, float, float, float, float]  # share of the first peak, its hour and spread, the second's


@dataclass(frozen=True)
class Purpose:
    """One reason for an outing: a trip there, a stay, and a trip back."""

    week: tuple[float, float, float, float, float, float, float]
    """Relative frequency from Monday to Sunday."""
    weekday: Clock
    """Hours of leaving on weekdays: two bell curves."""
    weekend: Clock
    """Hours of leaving at weekends."""
    stay: tuple[float, float]
    """Mean and spread of the stay in hours."""
    goal: str
    """Kind of place. ``main`` is a person's own workplace or school, ``near`` a walk around the corner."""
    tries: int = 1
    """The nearest of so many places is chosen."""
    rain: float = 0.5
    """Share of these outings that remains on the rainy day."""


_EVERY: Final = (1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0)
_WORKDAYS: Final = (1.0, 1.03, 1.03, 1.0, 0.86, 0.06, 0.03)
_NO_WEEKEND: Final = (1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0)
_LATE_FLAT: Final = (0.5, 13.6, 2.4, 17.2, 2.0)

PURPOSES: Final = {
    "work": Purpose(
        _WORKDAYS, (0.87, 7.75, 0.8, 13.4, 1.2), (0.7, 8.0, 1.2, 14.0, 2.0), (8.7, 0.8), "main", 1, 0.85
    ),
    "study": Purpose(_WORKDAYS, (0.6, 8.2, 0.45, 10.4, 1.0), _LATE_FLAT, (5.2, 1.7), "main", 1, 0.7),
    "school": Purpose(_NO_WEEKEND, (1.0, 7.55, 0.2, 7.55, 0.2), _LATE_FLAT, (5.7, 0.6), "main", 1, 0.95),
    "lunch": Purpose(_NO_WEEKEND, (1.0, 12.1, 0.3, 12.1, 0.3), _LATE_FLAT, (0.6, 0.12), "food", 8, 0.45),
    "shop": Purpose(
        (0.9, 0.9, 0.9, 1.0, 1.35, 1.2, 0.2),
        (0.4, 10.4, 1.2, 17.0, 1.3),
        (0.3, 11.6, 1.5, 15.6, 1.6),
        (0.9, 0.4),
        "shop",
        3,
    ),
    "leisure": Purpose(
        (0.7, 0.75, 0.8, 0.85, 1.2, 1.9, 2.4),
        (0.25, 15.5, 1.6, 18.8, 1.0),
        _LATE_FLAT,
        (2.3, 0.9),
        "leisure",
        2,
    ),
    "market": Purpose(
        (0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0), _LATE_FLAT, (0.8, 10.0, 0.9, 12.0, 0.8), (1.3, 0.5), "market"
    ),
    "match": Purpose(_EVERY, (0.8, 18.7, 0.35, 17.9, 0.4), _LATE_FLAT, (2.9, 0.25), "stadium"),
    "night": Purpose(
        (0.05, 0.05, 0.1, 0.25, 1.0, 1.2, 0.08),
        (1.0, 21.2, 0.9, 21.2, 0.9),
        (1.0, 21.2, 0.9, 21.2, 0.9),
        (3.9, 1.2),
        "bar",
    ),
    "near": Purpose(
        (0.9, 0.9, 0.9, 0.9, 1.0, 1.2, 1.3),
        (0.45, 9.5, 2.0, 17.6, 1.6),
        (0.5, 11.0, 2.0, 16.5, 2.0),
        (0.4, 0.2),
        "near",
    ),
    "excursion": Purpose(
        (0.5, 0.5, 0.5, 0.5, 0.7, 1.6, 2.0),
        (0.5, 9.0, 1.2, 14.0, 1.5),
        (0.7, 11.0, 1.5, 14.0, 1.2),
        (4.0, 1.3),
        "beyond",
        1,
        0.35,
    ),
    "deliver": Purpose(
        (1.1, 1.0, 1.0, 1.0, 1.1, 0.8, 0.05),
        (0.5, 10.5, 1.5, 15.0, 1.9),
        (0.5, 10.5, 1.5, 14.0, 1.9),
        (0.2, 0.08),
        "home",
    ),
}


@dataclass(frozen=True)
class Profile:
    """One kind of person."""

    share: float
    """Share of all people."""
    trips: tuple[float, float]
    """Median number of trips in the four weeks, and spread of its logarithm."""
    main: str
    """Kind of place of the workplace or school."""
    tries: int
    """The nearest of so many places is theirs."""
    by_train: float
    """Share that comes by train, so that their trips in the city begin at the station."""
    from_beyond: float
    """Share that lives outside the city."""
    reasons: dict[str, float]
    """Relative frequency of the purposes."""


PROFILES: Final = (
    Profile(0.50, (5.5, 0.95), "job", 1, 0.03, 0.028, {"work": 56, "lunch": 9, "shop": 9, "leisure": 12, "market": 1.3, "night": 2.5, "near": 9, "excursion": 2.2}),
    Profile(0.13, (6.0, 0.95), "campus", 1, 0.25, 0.0, {"study": 52, "lunch": 8, "shop": 6, "leisure": 14, "market": 1, "night": 9, "near": 6, "excursion": 1.2}),
    Profile(0.11, (5.5, 0.9), "school", 12, 0.0, 0.01, {"school": 68, "leisure": 16, "shop": 4, "near": 11, "excursion": 1}),
    Profile(0.16, (4.0, 0.95), "food", 4, 0.0, 0.012, {"shop": 34, "leisure": 22, "market": 5, "near": 31, "excursion": 3}),
    Profile(0.08, (1.7, 0.6), "leisure", 1, 0.4, 0.05, {"leisure": 45, "shop": 22, "market": 6, "night": 8, "excursion": 3}),
    Profile(0.02, (48.0, 0.75), "shop", 1, 0.0, 0.0, {"deliver": 92, "near": 8}),
)  # fmt: skip
MATCH_SHARE: Final = 0.055
"""Share of people who go to the match with their first outing."""
MAX_TRIPS_EACH: Final = 900


def day_table(steps: int) -> NDArray[np.int64]:
    """For each purpose, the day at each of ``steps`` equal steps of a share; shape (purposes, steps)."""
    rain = (RAINY_DAY - DEMO_PERIOD.first).days
    table = np.empty((len(PURPOSES), steps), np.int64)
    for row, (name, purpose) in enumerate(PURPOSES.items()):
        weights = np.tile(purpose.week, DAYS // 7)
        weights *= np.repeat([0.97, 1.0, 1.02, 1.01], 7)  # the four weeks differ a little
        weights[rain] *= purpose.rain
        if name == "match":
            weights[:] = 0
            weights[(STADIUM_DAY - DEMO_PERIOD.first).days] = 1
        ends = np.cumsum(weights) / weights.sum()
        table[row] = np.minimum(np.searchsorted(ends, (np.arange(steps) + 0.5) / steps), DAYS - 1)
    return table


@dataclass(frozen=True, eq=False)
class People:
    """One row for each person."""

    trips: Indices
    """Number of trips in the period."""
    profile: Indices
    home: Indices
    """Address where days begin."""
    main: Indices
    """Address of the workplace or school."""

    @classmethod
    def drawn(cls, places: Places, trips: int, rng: np.random.Generator) -> People:
        """People who together make ``trips`` trips."""
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
