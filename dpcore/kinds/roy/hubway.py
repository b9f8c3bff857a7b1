"""An invented bike sharing system that looks like the one in Roy, Kantarcioglu and Sweeney (DBSec 2016).

The trips of the Hubway challenge may not be distributed, so these replace them. The number of trips, stations and days and
the printed shares of Figure 1 are the same. Places, people and everything else are invented. Station numbers are those of
the figure, coordinates are ours. Everything follows from a seed. Nothing here protects anyone.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore import limits
from dpcore.errors import InputError
from dpcore.kinds.roy.domain import Stations, TripColumns, TripDomain
from dpcore.measures.keys import Period
from dpcore.measures.riders import Attribute

Floats = NDArray[np.float64]

TRIPS: Final = 1_029_739
SEED: Final = 7
PERIOD: Final = Period(date(2011, 7, 28), date(2013, 11, 30))
OUTGOING: Final = {67: 2.98, 22: 2.89, 53: 2.21, 113: 2.19, 36: 2.07}
"""Per cent of all trips that start at the five busiest stations of Figure 1."""
INCOMING: Final = {67: 3.04, 22: 2.89, 74: 2.22, 36: 2.14, 113: 2.11}
"""Per cent of all trips that end at the five busiest stations of Figure 1."""
ROUTES: Final = {(53, 67): 0.47, (67, 53): 0.46, (33, 67): 0.25, (67, 33): 0.24, (40, 22): 0.20}
"""Per cent of all trips on the five busiest routes of Figure 1."""
DAYS: Final = {
    date(2013, 10, 3): 0.56,
    date(2013, 10, 2): 0.55,
    date(2013, 9, 20): 0.55,
    date(2013, 9, 17): 0.54,
    date(2013, 10, 18): 0.54,
}
"""Per cent of all trips on the five busiest days of Figure 1."""

_IDS: Final = tuple(number for number in range(3, 146) if number != 28)
_HOURS: Final = (8, 5, 3, 1.5, 1.5, 5, 15, 40, 75, 50, 40, 45, 55, 55, 55, 60, 75, 95, 80, 60, 45, 35, 25, 16)
_LATER_HOURS: Final = (
    25,
    20,
    15,
    8,
    3,
    3,
    6,
    10,
    20,
    35,
    50,
    60,
    65,
    70,
    70,
    70,
    70,
    70,
    65,
    60,
    55,
    50,
    45,
    35,
)
_ZIPS: Final = 40
_MOST_OF_A_STATION: Final = 2.0  # in %, unless the figure says more
_MOST_OF_A_ROUTE: Final = 0.0018  # below the five of the figure, whatever chance adds
_REGISTERED: Final = 0.72


@dataclass(frozen=True, eq=False)
class Hubway:
    """The invented system: its public domain and its trips."""

    domain: TripDomain
    trips: TripColumns


def hubway(trips: int = TRIPS, seed: int = SEED, *, interactions: bool = False) -> Hubway:
    """The invented trips, in no particular order. The same arguments give the same rows.

    Args:
        trips: number of trips.
        seed: the seed of everything.
        interactions: whether stations open one after the other and have their own busy hours. Without them, hours and
            dates do not depend on the station, which is easier than any real city for a model that leaves such
            dependences out.

    Raises:
        InputError: a number of trips out of range.

    """
    if not 1 <= trips <= limits.MAX_TRIP_ROWS:
        raise InputError("the number of trips is out of range", f"{trips} trips", "Choose 1 or more.")
    rng = np.random.default_rng([seed, 11])
    stations, popular = _stations(rng)
    kilometres = stations.kilometres
    flows = _flows(popular, kilometres)
    days = _days(rng)
    pair = rng.choice(flows.size, trips, p=flows.ravel())
    start, end = np.divmod(pair, len(_IDS))
    day = rng.choice(len(days), trips, p=days)
    hours = np.array(_HOURS)
    hour = rng.choice(24, trips, p=hours / hours.sum())
    if interactions:
        opens = rng.choice([0, 270, 600], len(_IDS), p=[0.5, 0.3, 0.2])
        closed = day < opens[start]
        day[closed] = _after(days, opens[start[closed]], rng)
        later = rng.random(trips) < rng.random(len(_IDS))[start] * 0.8
        clock = np.array(_LATER_HOURS) / np.sum(_LATER_HOURS)
        hour[later] = rng.choice(24, int(later.sum()), p=clock)
    seconds = np.exp(rng.normal(np.log(300 + 240 * kilometres.ravel()[pair]), 0.45))
    columns = TripColumns(
        start.astype(np.int32),
        end.astype(np.int32),
        day.astype(np.int32),
        (hour * 3_600 + rng.integers(0, 3_600, trips)).astype(np.int32),
        np.clip(seconds, 60, 7_199).astype(np.int32),
        _people(start, rng),
    )
    return Hubway(domain_of(stations), columns)


def domain_of(stations: Stations) -> TripDomain:
    """The public domain of such a system."""
    zips = tuple(f"zone {number:02d}" for number in range(1, _ZIPS + 1))
    return TripDomain(
        stations,
        PERIOD,
        area=Attribute("zip", zips, unknown="X"),
        person=(
            Attribute("user_type", ("Registered", "Casual")),
            Attribute("gender", ("Male", "Female"), unknown="X"),
        ),
    )


def _stations(rng: np.random.Generator) -> tuple[Stations, Floats]:
    """Invented places, and the share of trips that start at each; the shares add up to 1."""
    spread = rng.standard_normal((len(_IDS), 2)) * [1.9, 1.5]  # km east and north of the middle
    lat = 42.357 + spread[:, 1] / 111.2
    lng = -71.080 + spread[:, 0] / 82.2
    rest = [number for number, name in enumerate(_IDS) if name not in OUTGOING]
    rng.shuffle(rest)
    rank = np.arange(1, len(rest) + 1)
    tail = rank**-0.55
    wanted = 100 - sum(OUTGOING.values())
    for _ in range(30):  # capping some shares makes the others grow; a few rounds settle it
        tail = np.minimum(tail * wanted / tail.sum(), _MOST_OF_A_STATION)
    share = np.zeros(len(_IDS))
    share[rest] = tail
    for name, percent in OUTGOING.items():
        share[_IDS.index(name)] = percent
    ids = tuple(str(name) for name in _IDS)
    return Stations(ids, tuple(lat.tolist()), tuple(lng.tolist())), share / share.sum()


def _flows(popular: Floats, kilometres: Floats) -> Floats:
    """P(start, end): near places attract, routes and ends have the shares of the figure, and no other is as busy.

    Rows and columns are fitted in turn: what one gives to its routes of the figure is taken from its other routes.
    """
    pull = popular * np.exp(-kilometres / 1.5)
    flows = popular[:, None] * pull / pull.sum(axis=1, keepdims=True)
    fixed = np.zeros_like(flows, dtype=bool)
    for (start, end), percent in ROUTES.items():
        place = _IDS.index(start), _IDS.index(end)
        flows[place], fixed[place] = percent / 100, True
    figure = np.zeros(len(_IDS))
    for name, percent in INCOMING.items():
        figure[_IDS.index(name)] = percent / 100
    for _ in range(100):
        ends = np.where(figure > 0, figure, np.minimum(flows.sum(axis=0), _MOST_OF_A_STATION / 100))
        for sums, axis in ((ends, 0), (popular, 1)):
            free = sums - np.where(fixed, flows, 0).sum(axis=axis)
            others = np.where(fixed, 0, flows)
            scaled = others * np.expand_dims(free / others.sum(axis=axis), axis)
            flows = np.where(fixed, flows, np.minimum(scaled, _MOST_OF_A_ROUTE))
    return np.asarray(flows / flows.sum())


def _days(rng: np.random.Generator) -> Floats:
    """P(date) from growth, seasons and weather. Closed in the first winters; the five days of the figure are the busiest."""
    days = PERIOD.days
    growth = np.array([{2011: 0.6, 2012: 1.0, 2013: 1.35}[day.year] for day in days])
    season = 1 - 0.45 * np.cos((np.array([day.timetuple().tm_yday for day in days]) - 20) / 365 * 2 * np.pi)
    open_ = np.array([_is_open(day) for day in days])
    share = growth * season * np.exp(0.25 * rng.standard_normal(len(days))) * open_
    top = [(day - PERIOD.first) // timedelta(days=1) for day in DAYS]
    rest = np.setdiff1d(np.arange(len(days)), top)
    percent = np.zeros(len(days))
    percent[top] = list(DAYS.values())
    wanted = 100 - percent.sum()
    for _ in range(30):
        share[rest] = np.minimum(share[rest] * wanted / share[rest].sum(), 0.53)
    percent[rest] = share[rest] * wanted / share[rest].sum()
    return np.asarray(percent / percent.sum())


def _is_open(day: date) -> bool:
    """Before March 2013 the system closed in winter, from December to the middle of March."""
    return day >= date(2013, 3, 1) or 3 < day.month < 12 or (day.month == 3 and day.day >= 15)


def _after(days: Floats, first: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    """Dates for trips from stations that open on day ``first``."""
    steps = np.cumsum(days)
    before = np.where(first > 0, steps[first - 1], 0.0)
    found = np.searchsorted(steps, before + rng.random(len(first)) * (steps[-1] - before), side="right")
    return np.asarray(np.minimum(found, len(days) - 1))


def _people(start: NDArray[np.int64], rng: np.random.Generator) -> dict[str, NDArray[np.int32]]:
    """User type by station, zip by station, gender by zip. Casual riders have neither zip nor gender."""
    registered = np.clip(_REGISTERED + 0.08 * rng.standard_normal(len(_IDS)), 0.4, 0.95)
    registered[_IDS.index(67)] = 0.7672
    casual = rng.random(len(start)) >= registered[start]
    near = np.cumsum(rng.dirichlet(np.full(_ZIPS, 0.4), len(_IDS)), axis=1)
    near = near / near[:, -1:] + np.arange(len(_IDS))[:, None]
    home = np.searchsorted(near.ravel(), start + rng.random(len(start))) - start * _ZIPS
    home = np.clip(home, 0, _ZIPS - 1)
    male = np.clip(0.72 + 0.07 * rng.standard_normal(_ZIPS), 0.5, 0.9)
    female = rng.random(len(start)) >= male[home]
    return {
        "zip": np.where(casual, _ZIPS, home).astype(np.int32),
        "user_type": casual.astype(np.int32),
        "gender": np.where(casual, 2, female).astype(np.int32),
    }
