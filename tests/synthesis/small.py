"""A small public domain and trips in it, for tests of synthetic trips."""

from __future__ import annotations

from datetime import date, timedelta
from fractions import Fraction
from hashlib import blake2b
from itertools import product

import numpy as np

from dpcore.kinds.roy.domain import Stations, TripColumns, TripDomain
from dpcore.kinds.roy.private.station_trips import PrivateColumns, StationTrips
from dpcore.kinds.roy.workload import SynthesisPlan
from dpcore.kinds.stability.choices import COMBINATIONS
from dpcore.kinds.stability.plan import Combination, StabilityPlan, Variant
from dpcore.kinds.stability.totals import DELTA
from dpcore.measures.keys import Period
from dpcore.measures.riders import Attribute
from dpcore.privacy import ContributionBound
from dpcore.release.kinds import kind_of_terms

KEY = b"sixteen bytes ok"
STATIONS = Stations(("a", "b", "c"), (42.30, 42.31, 42.36), (-71.0, -71.0, -71.1))
PERIOD = Period(date(2024, 4, 22), date(2024, 5, 12))  # three weeks in two months


def domain(*, area: bool = True, person: bool = True, by_month: bool = True) -> TripDomain:
    return TripDomain(
        STATIONS,
        PERIOD,
        holidays=frozenset({date(2024, 5, 1)}),
        area=Attribute("zip", ("1", "2"), unknown="X") if area else None,
        person=(Attribute("gender", ("m", "f"), unknown="X"),) if person else (),
        by_month=by_month,
    )


def plan(
    of: TripDomain | None = None, epsilon: str = "1", bound: ContributionBound | None = None
) -> SynthesisPlan:
    return SynthesisPlan(of or domain(), bound or ContributionBound.per_trip(), Fraction(epsilon))


def some_trips(n: int, of: TripDomain, seed: int = 0) -> TripColumns:
    """Any trips of a domain, busier at the first values of everything."""
    rng = np.random.default_rng(seed)

    def codes(size: int) -> np.ndarray:
        return np.minimum(rng.geometric(2 / size, n) - 1, size - 1).astype(np.int32)

    stations = of.sizes["start"]
    return TripColumns(
        codes(stations),
        codes(stations),
        codes(of.sizes["date"]),
        codes(86_400),
        (60 + codes(20_000)).astype(np.int32),
        {attribute.name: codes(len(attribute.labels)) for attribute in of.extras},
    )


def private(
    columns: TripColumns, of: TripDomain, users: list[str] | None = None, key: bytes = KEY
) -> StationTrips:
    """Trips as they come from prepared ones: each has a number for its user and a keyed hash of user and content."""
    trips = PrivateColumns.of(columns)
    if users is None:
        return StationTrips(of, trips)
    content = [trips.start, trips.end, trips.date, trips.second, trips.seconds, *trips.extras.values()]
    rows = zip(users, *(column.tolist() for column in content), strict=True)
    ranks = [blake2b(repr(row).encode(), key=key, digest_size=8).digest() for row in rows]
    numbers = np.array([int(user[1:] or 0) for user in users], np.int64)
    return StationTrips(of, trips, numbers, np.frombuffer(b"".join(ranks), np.int64))


def choices_of_terms(terms):
    """What the kind that the terms name reads of them."""
    kind = kind_of_terms({"kind": "synthesis", "choices": terms})
    if kind is None:
        raise ValueError("no kind of synthesis")
    return kind.asked.of_terms(terms)


def opal_plan(variant: Variant = Variant.OPAL, bound: ContributionBound | None = None) -> StabilityPlan:
    """The plan of the Opal release: 4 modes on 14 days with 6 combinations."""
    days = [
        f"{first + timedelta(days=i):%Y%m%d}"
        for first in (date(2016, 7, 25), date(2016, 8, 8))
        for i in range(7)
    ]
    return StabilityPlan(
        ("mode", "date"),
        tuple(product(("bus", "ferry", "lightrail", "train"), days)),
        tuple(Combination(columns, Fraction(len(columns)), DELTA) for columns in COMBINATIONS),
        variant,
        bound or ContributionBound.per_trip(),
        minutes={"on_time": 15, "off_time": 15},
    )
