"""A small public domain and trips in it, for tests of synthetic trips."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

import numpy as np

from dpcore.measures.keys import Period
from dpcore.privacy import ContributionBound
from dpcore.private.synthesis.kept import PrivateColumns
from dpcore.private.synthesis.records import StationTrips
from dpcore.synthesis.attributes import Attribute
from dpcore.synthesis.domain import TripColumns, TripDomain
from dpcore.synthesis.stations import Stations
from dpcore.synthesis.workload import SynthesisPlan

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


def private(columns: TripColumns, of: TripDomain, users: list[str] | None = None) -> StationTrips:
    return StationTrips(of, PrivateColumns.of(columns), users)
