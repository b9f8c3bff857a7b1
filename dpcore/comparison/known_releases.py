"""Releases of others, and a plan beside them, on one scale: epsilon for one person over four weeks.

Reported facts are in our own words, with their sources and how certain they are.

An epsilon means nothing without what it protects. If one person has ``k`` protected pieces, pure epsilons add up to
``k * epsilon`` (group privacy: the worst case, which may be far from the usual one). Delta grows to
``delta * (e**(k * epsilon) - 1) / (e**epsilon - 1)``. Once that reaches 1 the promise is void. If a unit says nothing about a
person, no number is given, because a guess would be read as a fact.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp, expm1, inf, log, sqrt
from pathlib import Path
from types import MappingProxyType
from typing import Final, Literal, cast

from dpcore.noise.forecast import TRIPS_IN_FOUR_WEEKS
from dpcore.privacy import ContributionBound, PrivacyUnit, decimal_text

Per = Literal["user", "user-month", "user-week", "user-day", "trip", "trip-exchanged", "event", "other"]
"""What one epsilon protects. ``trip-exchanged``: neighbours have one trip exchanged for another."""
Certainty = Literal["reported", "paper", "unverified"]
"""In the OpenDP registry (no record used here is approved by its board), read in the paper, or neither."""

ATTRIBUTION: Final = (
    "Reported numbers: the OpenDP deployments registry (MIT licence, © 2025 OpenDP) and the papers that each row "
    "names, in our own words. Reported, not certified: no record used here was approved by the registry's board."
)

_FILE: Final = Path(__file__).parent / "releases.csv"


@dataclass(frozen=True)
class KnownRelease:
    """One release of somebody else."""

    name: str
    publisher: str
    year: int
    protects: str
    """Its privacy unit in words, such as ``one person's day``."""
    per: Per
    epsilon: Fraction | None
    """As reported; None if only ``rho`` is."""
    rho: Fraction | None
    """Parameter of zero-concentrated differential privacy, if that was reported."""
    delta: float
    local: bool
    """Whether noise was added on each person's own device: the same epsilon under another trust model."""
    mobility: bool
    certainty: Certainty
    note: str
    sources: tuple[str, ...]
    """Addresses, or the name of a paper that has none."""

    @property
    def reported(self) -> str:
        """The number as reported, with everything that belongs to it."""
        number = f"ε = {float(self.epsilon):g}" if self.epsilon is not None else ""
        if self.rho is not None and self.epsilon is None:
            number = f"rho = {float(self.rho):g} (zCDP)"
        delta = f", δ = {self.delta:g}" if self.delta else ""
        return f"{number}{delta} for {self.protects}"


def known_releases() -> tuple[KnownRelease, ...]:
    """All of them, in the order of the file."""
    with _FILE.open(encoding="utf-8", newline="") as text:
        return tuple(_release(row) for row in csv.DictReader(text))


def _release(row: dict[str, str]) -> KnownRelease:
    addresses = row["sources"].split() if row["sources"].startswith("http") else [row["sources"]]
    return KnownRelease(
        name=row["name"],
        publisher=row["publisher"],
        year=int(row["year"]),
        protects=row["protects"],
        per=cast("Per", row["per"]),
        epsilon=Fraction(row["epsilon"]) if row["epsilon"] else None,
        rho=Fraction(row["rho"]) if row["rho"] else None,
        delta=float(row["delta"] or 0),
        local=row["model"] == "local",
        mobility=row["mobility"] == "yes",
        certainty=cast("Certainty", row["certainty"]),
        note=row["note"],
        sources=tuple(addresses),
    )


FOUR_WEEKS: Final = 28
"""Days of the common unit."""

_PIECES: Final = MappingProxyType({"user": 1, "user-month": 1, "user-week": 4, "user-day": FOUR_WEEKS})
_ORDER: Final = ("user", "user-month", "user-week", "user-day", "trip", "trip-exchanged", "event", "other")
_ZCDP_DELTA: Final = (
    1e-10  # with this delta zCDP is read as epsilon if no delta is reported; the Census Bureau's choice
)
_WORDS: Final = MappingProxyType(
    {
        "user": "Protects a person as a whole: used as it is.",
        "user-month": "A month is at least four weeks: used as it is.",
        "user-week": "Times 4 weeks.",
        "user-day": f"Times {FOUR_WEEKS} days.",
    }
)


@dataclass(frozen=True)
class Compared:
    """One release beside the others."""

    name: str
    publisher: str
    year: int | None
    """None for a plan."""
    reported: str
    """The number with its own unit."""
    epsilon: float | None
    """For one person over four weeks; None if it cannot be compared."""
    how: str
    """How it was converted, or why it cannot be."""
    certainty: Certainty
    local: bool
    ours: bool
    note: str
    sources: tuple[str, ...]


def compared(
    bound: ContributionBound,
    epsilon: Fraction,
    days: int | None,
    *,
    trips_in_four_weeks: int = TRIPS_IN_FOUR_WEEKS,
    only_mobility: bool = True,
    with_local: bool = False,
) -> tuple[Compared, ...]:
    """A plan of ours and the releases of others, each for one person over four weeks.

    Ours comes first; the others by what they protect and then by year, never by epsilon alone.

    Args:
        bound: privacy unit and bound of the plan.
        epsilon: total epsilon of the plan.
        days: number of days that its data cover, if declared.
        trips_in_four_weeks: assumed trips of one person, where an epsilon protects a single trip.
        only_mobility: leave out releases that are not about places or trips.
        with_local: include those with noise added on each person's own device.

    """
    others = [
        release
        for release in known_releases()
        if (release.mobility or not only_mobility) and (with_local or not release.local)
    ]
    others.sort(key=lambda release: (_ORDER.index(release.per), release.year))
    mine = _ours(bound, epsilon, days, trips_in_four_weeks)
    return (mine, *(_converted(release, trips_in_four_weeks) for release in others))


def _ours(bound: ContributionBound, epsilon: Fraction, days: int | None, trips: int) -> Compared:
    number = f"ε = {decimal_text(epsilon)}"
    if bound.unit is PrivacyUnit.TRIP:
        reported, value, how = f"{number} for one trip", float(trips * epsilon), _times_trips(trips)
    else:
        reported, value, how = f"{number} for one person", float(epsilon), _WORDS["user"]
    if days is not None and days < FOUR_WEEKS:
        pieces = ceil(FOUR_WEEKS / days)
        how += f" It covers {days} days: four weeks published in such pieces would cost up to {pieces} times as much."
    return Compared(
        "This plan", "", None, reported, value, how, "paper", local=False, ours=True, note="", sources=()
    )


def _converted(release: KnownRelease, trips: int) -> Compared:
    value, how = _over_four_weeks(release, trips)
    return Compared(
        name=release.name,
        publisher=release.publisher,
        year=release.year,
        reported=release.reported,
        epsilon=value,
        how=how,
        certainty=release.certainty,
        local=release.local,
        ours=False,
        note=release.note,
        sources=release.sources,
    )


def _over_four_weeks(release: KnownRelease, trips: int) -> tuple[float | None, str]:
    """Epsilon for one person over four weeks and how it was computed, or None and the reason."""
    if release.per in {"trip", "trip-exchanged"}:
        pieces, how = trips, _times_trips(trips)
    elif release.per in _PIECES:
        pieces, how = _PIECES[release.per], _WORDS[release.per]
    else:
        return (
            None,
            f"Cannot be compared: it protects {release.protects}. How much of that a person has is not stated.",
        )
    if release.epsilon is None:
        return _of_zcdp(release, pieces, how)
    total, delta = float(pieces * release.epsilon), _group_delta(release, pieces)
    if delta >= 1:
        return None, (
            f"Cannot be compared: {pieces} times ε would be {total:g}, but δ would exceed 1, which promises nothing."
        )
    return total, how if pieces == 1 or not release.delta else f"{how} δ becomes {delta:.1g}."


def _of_zcdp(release: KnownRelease, pieces: int, how: str) -> tuple[float | None, str]:
    """Zero-concentrated privacy converted to epsilon with delta (Bun and Steinke, TCC 2016); an upper bound."""
    if release.rho is None or pieces > 1:
        return (
            None,
            "Cannot be compared: the rho of zCDP grows with the square of the number of pieces and soon promises nothing.",
        )
    rho, delta = float(release.rho), release.delta or _ZCDP_DELTA
    value = rho + 2 * sqrt(rho * log(1 / delta))
    return (
        value,
        f"{how} The rho of zCDP is converted to an upper bound of ε with δ = {delta:g}: a weaker promise than ε alone.",
    )


def _group_delta(release: KnownRelease, pieces: int) -> float:
    """Delta for a group of pieces; infinite if it is too large for a number."""
    if not release.delta:
        return 0.0
    rate = float(release.epsilon or 0)
    grown = log(release.delta) + (pieces - 1) * rate
    if grown > 0:
        return inf
    return exp(grown) * expm1(-pieces * rate) / expm1(-rate)


def _times_trips(trips: int) -> str:
    return f"Times {trips} trips of one person in four weeks (assumed)."
