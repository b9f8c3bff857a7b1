"""What is protected, by how much: values of the field, checked when they are made; no data.

One neighbouring relation holds everywhere: two data sets are neighbours if one has one privacy
unit more (add/remove). The number of trips and of users is therefore secret too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from math import ceil, floor
from typing import Final

from dpcore import limits
from dpcore.errors import PrivacyError


class PrivacyUnit(Enum):
    """Whose presence is hidden: everything a user did, or one trip."""

    USER = "user"
    TRIP = "trip"

    @classmethod
    def parse(cls, text: str) -> PrivacyUnit:
        """The unit of that name; raises PrivacyError for any other word."""
        try:
            return cls(text)
        except ValueError:
            raise PrivacyError("unknown privacy unit", repr(text), "Choose user or trip.") from None


@dataclass(frozen=True, slots=True)
class ContributionBound:
    """How much one privacy unit may add to a result.

    Unit ``user``: at most ``max_trips`` trips of each user are counted. Unit ``trip``: all trips are
    counted and there is no bound, because bounding would let one added trip displace another one
    (a change of two trips, not of one).
    """

    unit: PrivacyUnit
    """Whose presence is hidden."""
    max_trips: int | None
    """M, the most trips of one user that count; None at trip level."""

    def __post_init__(self) -> None:
        """Refuse a bound without meaning."""
        if self.unit is PrivacyUnit.TRIP:
            if self.max_trips is not None:
                raise PrivacyError(
                    "a bound on trips per user has no meaning at trip level",
                    "max trips",
                    "Leave it out, or choose the privacy unit user.",
                )
            return
        whole = isinstance(self.max_trips, int) and not isinstance(self.max_trips, bool)
        if not whole or not 1 <= (self.max_trips or 0) <= limits.MAX_TRIPS_PER_USER:
            raise PrivacyError(
                f"the contribution bound must be a whole number from 1 to {limits.MAX_TRIPS_PER_USER:,}",
                "max trips",
                "Give the most trips of one person that may count; it is never read off the data.",
            )

    @classmethod
    def per_user(cls, max_trips: int) -> ContributionBound:
        """Hide a user; count at most ``max_trips`` trips of each."""
        return cls(PrivacyUnit.USER, max_trips)

    @classmethod
    def per_trip(cls) -> ContributionBound:
        """Hide one trip; count all trips."""
        return cls(PrivacyUnit.TRIP, None)

    @property
    def trips(self) -> int:
        """The most trips one privacy unit adds: M at user level, 1 at trip level."""
        return self.max_trips if self.max_trips is not None else 1

    def __str__(self) -> str:
        """Plain words for manifests and captions."""
        if self.max_trips is None:
            return "trip"
        return f"person, at most {self.max_trips} {'trip' if self.max_trips == 1 else 'trips'}"


_DECIMAL: Final = re.compile(rf"[0-9]{{1,4}}(\.[0-9]{{1,{limits.MAX_EPSILON_DECIMALS}}})?")


def exact_epsilon(text: str) -> Fraction:
    """The exact fraction that a decimal text names: ``"0.1"`` is 1/10, never a float near it.

    Raises PrivacyError for anything but plain decimal text within the limits of one release.
    """
    return _exact(text, "epsilon", limits.MAX_EPSILON)


def exact_budget(text: str) -> Fraction:
    """The exact total of an account, as ``exact_epsilon`` reads it, within the limits of an account."""
    return _exact(text, "total budget", limits.MAX_TOTAL_BUDGET)


def _exact(text: str, name: str, most: str) -> Fraction:
    value = Fraction(text) if isinstance(text, str) and _DECIMAL.fullmatch(text) else None
    if value is None or not Fraction(limits.MIN_EPSILON) <= value <= Fraction(most):
        raise PrivacyError(
            f"{name} must be a plain decimal number within its limits",
            name,
            f"Give {limits.MIN_EPSILON} to {most} with at most {limits.MAX_EPSILON_DECIMALS} decimals, such as 0.5.",
        )
    return value


def must_be_decimal(epsilon: Fraction, name: str = "epsilon") -> None:
    """Refuse an epsilon that its decimal text does not name exactly: files of a release and commands are written with it.

    Raises PrivacyError that names the nearest ones, or the limits of one release.
    """
    if decimal_exactly(epsilon) and Fraction(limits.MIN_EPSILON) <= epsilon <= Fraction(limits.MAX_EPSILON):
        return
    scale = 10**limits.MAX_EPSILON_DECIMALS
    nearest = (Fraction(floor(epsilon * scale), scale), Fraction(ceil(epsilon * scale), scale))
    near = "" if decimal_exactly(epsilon) else f" Nearest: {' or '.join(map(decimal_text, nearest))}."
    raise PrivacyError(
        f"{name} must be a plain decimal number within its limits",
        f"{name} {epsilon}",
        f"Give {limits.MIN_EPSILON} to {limits.MAX_EPSILON} with at most {limits.MAX_EPSILON_DECIMALS} decimals.{near}",
    )


def decimal_exactly(epsilon: Fraction) -> bool:
    """Whether ``decimal_text`` is exact."""
    return 10**limits.MAX_EPSILON_DECIMALS % epsilon.denominator == 0


RUNGS: Final[tuple[Fraction, ...]] = tuple(
    exact_epsilon(text)
    for text in ("0.1", "0.2", "0.3", "0.5", "0.75", "1", "1.5", "2", "3", "4", "5", "7.5", "10")
)
"""The public list of epsilons a slider stops at, coarsest first."""


def rung_number(rungs: Sequence[Fraction], epsilon: Fraction | None, of: str = "") -> int:
    """The number of the rung of a total epsilon, 0 for the coarsest; None names the finest.

    Raises PrivacyError, with the rungs that are there and the name of what they are of, for any other epsilon.
    """
    if epsilon is None:
        return len(rungs) - 1
    if epsilon not in rungs:
        raise PrivacyError(
            "that rung is not there",
            f"{of}, epsilon {decimal_text(epsilon)}" if of else f"epsilon {decimal_text(epsilon)}",
            f"Choose one that is: {', '.join(decimal_text(rung) for rung in rungs)}.",
        )
    return rungs.index(epsilon)


def decimal_text(epsilon: Fraction) -> str:
    """The shortest decimal text of an epsilon, exact to six decimals: 1/10 is ``0.1``, 3/4 is ``0.75``.

    >>> decimal_text(exact_epsilon("12.345678")), decimal_text(Fraction(10))
    ('12.345678', '10')
    """
    scale = 10**limits.MAX_EPSILON_DECIMALS
    return _decimal(round(epsilon * scale), scale)


def at_most_text(epsilon: Fraction) -> str:
    """The same of an upper bound: rounded up, so that what is said is never less than what may show.

    >>> at_most_text(Fraction(1, 3)), decimal_text(Fraction(1, 3)), at_most_text(Fraction(1, 4))
    ('0.333334', '0.333333', '0.25')
    """
    scale = 10**limits.MAX_EPSILON_DECIMALS
    return _decimal(ceil(epsilon * scale), scale)


def _decimal(number: int, scale: int) -> str:
    whole, part = divmod(number, scale)
    return f"{whole}.{part:0{limits.MAX_EPSILON_DECIMALS}d}".rstrip("0").rstrip(".")
