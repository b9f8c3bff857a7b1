"""What is protected, and by how much: privacy unit, contribution bound, epsilon and delta. No data here.

One neighbouring relation holds everywhere: two data sets are neighbours if one has exactly one privacy unit more
(add/remove). So the number of trips and the number of users are secret too.

*What epsilon and delta promise*, in numbers and in words, stands here for bundles, reports and pages. A reader asks two
questions, and the same epsilon gives them different answers:

* **Is this unit in the data?** Under add/remove, the data with it and without it are neighbours: ``(epsilon, delta)``.
* **What did this unit do, if it is in the data?** Data sets that differ in what one unit did are two steps apart: remove
  the unit, then add it with the other behaviour. ``P(S) <= e^epsilon P'(S) + delta`` applied twice gives
  ``P(S) <= e^(2 epsilon) P''(S) + (1 + e^epsilon) delta``: ``(2 epsilon, (1 + e^epsilon) delta)``.

A promise under *replace one* answers the second question with its epsilon. It says nothing about the first question,
because neighbours have the same size there: the number of units may be released exactly.

**Best guess.** A fair coin chooses one of two data sets whose loss is ``(e, d)``. Somebody sees the result and guesses
"first" if it lies in a set A. The guess is right with probability ``(P(A) + 1 - P'(A)) / 2``. Let ``x = P(A) - P'(A)``.
The sum of ``P(A) <= e^e P'(A) + d`` and ``1 - P'(A) <= e^e (1 - P(A)) + d`` is ``1 + x <= e^e (1 - x) + 2 d``. So
``x <= (e^e - 1 + 2 d) / (e^e + 1)``, and the guess is right with probability
``(1 + x) / 2 <= (e^e + d) / (e^e + 1)`` at most. QED.

Every number in words is an upper bound, so it is rounded up.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from enum import Enum
from fractions import Fraction
from math import ceil, exp, expm1, floor, log
from typing import Final

from dpcore import limits
from dpcore.errors import PrivacyError


class PrivacyUnit(Enum):
    """Whose presence is hidden: everything a user did, or one trip."""

    USER = "user"
    TRIP = "trip"

    @classmethod
    def parse(cls, text: str) -> PrivacyUnit:
        """The unit with that name. Raises PrivacyError for any other word."""
        try:
            return cls(text)
        except ValueError:
            raise PrivacyError("unknown privacy unit", repr(text), "Choose user or trip.") from None


@dataclass(frozen=True, slots=True)
class ContributionBound:
    """How much one privacy unit may add to a result.

    Unit ``user``: at most ``max_trips`` trips of each user count. Unit ``trip``: all trips count and there is no
    bound. With a bound, one added trip could displace another one, which changes two trips instead of one.
    """

    unit: PrivacyUnit
    max_trips: int | None
    """M: at most this many trips of a user count. None for the unit ``trip``, where all trips count."""

    def __post_init__(self) -> None:
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
        """The bound in words, for manifests and captions."""
        if self.max_trips is None:
            return "trip"
        return f"person, at most {self.max_trips} {'trip' if self.max_trips == 1 else 'trips'}"


_DECIMAL: Final = re.compile(rf"[0-9]{{1,4}}(\.[0-9]{{1,{limits.MAX_EPSILON_DECIMALS}}})?")


def exact_epsilon(text: str) -> Fraction:
    """The exact fraction of a decimal text: ``"0.1"`` is 1/10, not a float near it.

    Raises PrivacyError unless it is plain decimal text within the limits of one release.
    """
    return _exact(text, "epsilon", limits.MAX_EPSILON)


def noise_rate(share: Fraction, epsilon: Fraction, sensitivity: int) -> Fraction:
    """The rate rho of discrete Laplace noise under which a table costs its share of epsilon.

    One privacy unit changes the table by ``sensitivity`` at most, in all cells together, and noise of rate rho changes the
    chance of a result by ``e^(rho * sensitivity)`` at most (``noise.samplers``): that is ``e^(share * epsilon)``.
    """
    return share * epsilon / sensitivity


def exact_budget(text: str) -> Fraction:
    """The exact total of an account: as ``exact_epsilon``, within the limits of an account."""
    return _exact(text, "total budget", limits.MAX_TOTAL_BUDGET)


def _exact(text: str, name: str, most: str) -> Fraction:
    if isinstance(text, (int, float)):
        why = ": a float is not exact" if isinstance(text, float) else ""
        raise PrivacyError(
            f"{name} must be text, not a number{why}", name, 'Write it as text, in quotes, such as "0.5".'
        )
    value = Fraction(text) if isinstance(text, str) and _DECIMAL.fullmatch(text) else None
    if value is None or not Fraction(limits.MIN_EPSILON) <= value <= Fraction(most):
        raise PrivacyError(
            f"{name} must be a plain decimal number within its limits",
            name,
            f"Give {limits.MIN_EPSILON} to {most} with at most {limits.MAX_EPSILON_DECIMALS} decimals, such as 0.5.",
        )
    return value


def must_be_decimal(epsilon: Fraction, name: str = "epsilon") -> None:
    """Refuse an epsilon whose decimal text is not exact. Files of a release and commands name an epsilon by that text.

    Raises PrivacyError with the nearest allowed values, or with the limits of one release.
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
    """Whether ``decimal_text`` of this epsilon is exact."""
    return 10**limits.MAX_EPSILON_DECIMALS % epsilon.denominator == 0


RUNGS: Final[tuple[Fraction, ...]] = tuple(
    exact_epsilon(text)
    for text in ("0.1", "0.2", "0.3", "0.5", "0.75", "1", "1.5", "2", "3", "4", "5", "7.5", "10")
)
"""The public list of epsilons at which a slider stops, coarsest first."""


def rung_number(rungs: Sequence[Fraction], epsilon: Fraction | None, of: str = "") -> int:
    """The number of the rung with a total epsilon: 0 is the coarsest. None stands for the finest.

    Raises PrivacyError for any other epsilon, with the rungs there are. ``of`` names what they belong to.
    """
    if epsilon is None:
        return len(rungs) - 1
    if epsilon not in rungs:
        raise PrivacyError(
            "this rung was not released",
            f"{of}, epsilon {decimal_text(epsilon)}" if of else f"epsilon {decimal_text(epsilon)}",
            f"Choose one of: {', '.join(decimal_text(rung) for rung in rungs)}.",
        )
    return rungs.index(epsilon)


def decimal_text(epsilon: Fraction) -> str:
    """The shortest decimal text of an epsilon, with at most six decimals: 1/10 is ``0.1``, 3/4 is ``0.75``.

    >>> decimal_text(exact_epsilon("12.345678")), decimal_text(Fraction(10))
    ('12.345678', '10')
    """
    scale = 10**limits.MAX_EPSILON_DECIMALS
    return _decimal(round(epsilon * scale), scale)


def at_most_text(epsilon: Fraction) -> str:
    """As ``decimal_text``, rounded up: for upper bounds, so that no bound is understated.

    >>> at_most_text(Fraction(1, 3)), decimal_text(Fraction(1, 3)), at_most_text(Fraction(1, 4))
    ('0.333334', '0.333333', '0.25')
    """
    scale = 10**limits.MAX_EPSILON_DECIMALS
    return _decimal(ceil(epsilon * scale), scale)


def _decimal(number: int, scale: int) -> str:
    whole, part = divmod(number, scale)
    return f"{whole}.{part:0{limits.MAX_EPSILON_DECIMALS}d}".rstrip("0").rstrip(".")


def posterior(epsilon: Fraction | float, prior: float) -> float:
    """The upper bound of a belief that one person is in the data, from a belief of ``prior`` before. Both are probabilities.

    Posterior odds are at most ``exp(epsilon)`` times prior odds, whatever else is known. For beliefs about what a person
    who is in the data did, pass twice the epsilon (see the top of this module).
    ValueError for a negative epsilon or a prior outside 0 to 1. Source: the definition of differential privacy.
    """
    if epsilon < 0 or not 0 <= prior <= 1:
        raise ValueError("epsilon is 0 or more, and a belief lies between 0 and 1")
    return prior / (prior + (1 - prior) * exp(-float(epsilon))) if prior else 0.0


def best_guess(epsilon: Fraction | float) -> float:
    """The best guess of one unknown bit is right with at most this probability: ``exp(epsilon) / (1 + exp(epsilon))``.

    A coin flip has 0.5. ValueError for a negative epsilon. Source: ``posterior`` with a prior of one half.
    """
    return posterior(epsilon, 0.5)


EXAMPLE_TRIPS: Final = 20
"""Trips of the example person in the text about a promise for one trip."""
PRIORS: Final = (0.01, 0.1, 0.5)
"""Prior beliefs in ``beliefs_table``."""
_GUESS: Final = "a guess that is right 50 of 100 times becomes right "
_OF: Final = (100, 1_000, 10_000, 100_000)  # "100 of 100" says nothing, so such a bound is told of more times
_SMALL: Final = 0.1  # beliefs below are told with a decimal, or one would seem twice another
_GUARD: Final = 1 + 1e-12  # exceeds the rounding of floating point, so that no bound is understated
_DIGITS: Final = Context(prec=3, rounding=ROUND_CEILING)


@dataclass(frozen=True, slots=True)
class Loss:
    """How far two data sets can be told apart: epsilon and delta."""

    epsilon: Fraction
    delta: Fraction | float = 0

    def times(self, steps: int) -> Loss:
        """The loss over k steps: ``k epsilon``, and ``delta`` times ``1 + e^epsilon + .. + e^((k - 1) epsilon)``."""
        if not self.delta:
            return Loss(steps * self.epsilon)
        if (steps - 1) * self.epsilon > 500:  # exp of it would overflow, and delta is far above 1 there
            return Loss(steps * self.epsilon, 1.0)
        grown = sum(exp(step * float(self.epsilon)) for step in range(steps))
        return Loss(steps * self.epsilon, min(1.0, float(self.delta) * grown * _GUARD))

    @property
    def void_from(self) -> int | None:
        """From so many steps on nothing is promised, because delta has grown to 1. None without a delta."""
        if not self.delta:
            return None
        one = float(self.epsilon)
        # delta (e^(k e) - 1) / (e^e - 1) >= 1, in logarithms, because e^1000 overflows
        return ceil((one + log(-expm1(-one) / float(self.delta) + exp(-one))) / one)

    @property
    def right(self) -> float:
        """A fair coin chose one of the two: the best guess of it is right with at most this probability."""
        at_odds = posterior(self.epsilon, 0.5)
        return min(1.0, at_odds + float(self.delta) * (1 - at_odds))

    @property
    def right_text(self) -> str:
        """The same in words: ``at most 74 times`` of 100, or of more where it is nearly certain. Always rounded up."""
        for of in _OF:
            times = ceil(of * self.right * _GUARD)
            if times < of:
                return f"at most {times} times" if of == _OF[0] else f"at most {times:,} of {of:,} times"
        return "practically every time"

    @property
    def right_of_100(self) -> int:
        """``right`` of 100 times, rounded up: 100 where it is nearly certain."""
        return min(100, ceil(100 * self.right * _GUARD))

    @property
    def right_of(self) -> str:
        """The same with what it is of, where it is a number: ``at most 74 of 100 times``."""
        said = self.right_text
        whole = " of " in said or not said.startswith("at most")
        return said if whole else said.replace(" times", f" of {_OF[0]} times")

    @property
    def text(self) -> str:
        """``epsilon 1``, and its delta if there is one."""
        delta = f", delta {delta_text(self.delta)}" if self.delta else ""
        return f"epsilon {at_most_text(self.epsilon)}{delta}"


def delta_text(delta: Fraction | float) -> str:
    """A delta to three digits, rounded up.

    >>> delta_text(Fraction(3, 4_000_000)), delta_text(3.7183e-6), delta_text(0.1)
    ('7.5e-07', '3.72e-06', '0.1')
    """
    exact = Fraction(repr(delta)) if isinstance(delta, float) else delta
    rounded = _DIGITS.divide(Decimal(exact.numerator), Decimal(exact.denominator))
    return f"{float(rounded):.3g}"


@dataclass(frozen=True, slots=True)
class Promise:
    """What one result, or a whole release, promises to one privacy unit."""

    bound: ContributionBound
    presence: Loss
    """Whether the unit is in the data."""
    doings: Loss
    """What a unit that is in the data did."""
    replaces: bool = False
    """Whether the promise is stated under *replace one*. Then ``doings`` is the stated promise, and ``presence`` follows
    from the noise."""

    @classmethod
    def of(cls, bound: ContributionBound, epsilon: Fraction, delta: Fraction = Fraction(0)) -> Promise:
        """A promise under add/remove, the relation of every release."""
        there = Loss(epsilon, delta)
        return cls(bound, there, there.times(2))

    @classmethod
    def of_replacing(cls, bound: ContributionBound, epsilon: Fraction, delta: Fraction) -> Promise:
        """A promise under replace one, whose noise costs half as much for one unit added or removed (``stability``)."""
        return cls(bound, Loss(epsilon / 2, delta), Loss(epsilon, delta), replaces=True)

    @property
    def by_trip(self) -> bool:
        """Whether the unit is one trip."""
        return self.bound.unit is PrivacyUnit.TRIP

    @property
    def questions(self) -> tuple[str, str]:
        """Both questions, each as the beginning of a sentence."""
        if self.by_trip:
            return (
                "Whether one trip is in the data",
                "Where one trip that is in the data went (clinic or square?)",
            )
        return "Whether somebody is in the data", "What somebody who is in the data did (clinic or square?)"

    @property
    def words(self) -> str:
        """Both answers as guesses of a fair coin. For the unit ``trip`` also what that means for a person (plain text).

        Bundles hold it, so it stays as it is. People read ``in_full``.
        """
        return f"{self._two_guesses('')} {self.person}" if self.by_trip else self._two_guesses("")

    @property
    def in_full(self) -> str:
        """The same with all guesses spelled out: a second number alone was read as the chance that it happens."""
        said = self._two_guesses(_GUESS)
        if not self.by_trip:
            return said
        if self.presence.delta:
            return f"{said} {self.person}"
        there, did = (loss.times(EXAMPLE_TRIPS).right_text for loss in (self.presence, self.doings))
        often = (
            f"both guesses become right {there}"
            if there == did
            else f"the guess whether they are there becomes right {there}, and where they went {did}"
        )
        return f"{said} Both are about one trip. For {EXAMPLE_TRIPS} trips of one person {often}."

    def _two_guesses(self, again: str) -> str:
        there, did = self.questions
        said = f"{there}: {_GUESS}{self.presence.right_text}. {did}: {again}{self.doings.right_text}."
        if self.presence.delta:
            said += " With a delta both hold on average over all results: a single result may tell more."
        if self.replaces:
            said += (
                " What is stated is about replacing one trip by another, which says nothing about presence: the first number "
                "follows from the noise as it is drawn here."
            )
        return said

    @property
    def person(self) -> str:
        """What a promise about one trip means for a person. READMEs of bundles hold these very words, and are refused with others."""
        if self.presence.delta:
            return (
                "Both are about one trip. A person with k trips is protected by k times epsilon only, and delta grows faster still: "
                f"from {self.presence.void_from} trips on, nothing is promised about whether that person is in the data, and from "
                f"{self.doings.void_from} trips on, nothing about where that person went."
            )
        k, there, did = EXAMPLE_TRIPS, self.presence.epsilon, self.doings.epsilon
        return (
            "Both are about one trip. A person with k trips is protected by k times epsilon only: with "
            f"{k} trips by epsilon {at_most_text(k * there)}, and for where they went by {at_most_text(k * did)}."
        )

    @property
    def exact(self) -> str:
        """Both answers with their epsilons, deltas and factors (plain text)."""
        there, did = self.presence, self.doings
        what = "where it went" if self.by_trip else "what somebody did"
        powers = f"{_factor(there.epsilon)} and {_factor(did.epsilon)}"
        said = f"{there.text} for presence, and {did.text} for {what}. "
        said += (
            f"With delta on top, the probability of any set of results changes by factors of at most {powers} (e to the power of epsilon)."
            if there.delta
            else f"The odds change by factors of at most {powers} (e to the power of epsilon)."
        )
        return said


def _factor(epsilon: Fraction) -> str:
    """``e^epsilon``, never rounded down.

    >>> _factor(Fraction(1)), _factor(Fraction(10)), _factor(Fraction(800))
    ('2.72', '22,027', 'practically any number')
    """
    if epsilon > 30:
        return "practically any number"
    factor = exp(epsilon) * _GUARD
    return f"{ceil(factor * 100) / 100:.2f}" if factor < 100 else f"{ceil(factor):,}"


def beliefs_table(promise: Promise) -> dict[str, list[str]]:
    """Upper bounds of some beliefs after a result is seen, as columns of a table. ValueError for a promise with a delta."""
    if promise.presence.delta:
        raise ValueError("with a delta a single result may tell everything, so no belief has a bound")
    rows: dict[str, Loss] = dict(zip(promise.questions, (promise.presence, promise.doings), strict=True))
    if promise.by_trip:
        k = EXAMPLE_TRIPS
        rows[f"Whether the {k} trips of one person are in the data"] = promise.presence.times(k)
        rows[f"Where the {k} trips of one person went"] = promise.doings.times(k)
    return {"": list(rows)} | _after(rows)


def _after(rows: Mapping[str, Loss]) -> dict[str, list[str]]:
    return {
        f"{100 * prior:.0f} % before": [
            at_most_percent(posterior(loss.epsilon, prior)) for loss in rows.values()
        ]
        for prior in PRIORS
    }


def at_most_percent(belief: float) -> str:
    """A belief as an upper bound in percent, rounded up. Where that would read 100 %, ``practically certain``.

    As coarse as ``Loss.right_text``, so that both say one number, but for small beliefs.

    >>> at_most_percent(0.7311), at_most_percent(0.0111), at_most_percent(0.9999546), at_most_percent(1 - 1e-9)
    ('at most 74 %', 'at most 1.2 %', 'at most 99.996 %', 'practically certain')
    """
    for of in _OF if belief > _SMALL else _OF[1:]:
        times = ceil(of * belief * _GUARD)
        if times < of:
            return f"at most {100 * times / of:g} %"
    return "practically certain"


def epsilon_text(epsilon: Fraction) -> str:
    """An epsilon of a level as text, never rounded down: exact if six decimals suffice, else about three digits.

    >>> epsilon_text(Fraction(5, 8)), epsilon_text(Fraction(10, 3)), epsilon_text(Fraction(1, 300))
    ('0.625', '3.34', '0.00334')
    """
    exact = decimal_text(epsilon)
    if Fraction(exact) == epsilon:
        return exact
    decimals = 2
    while epsilon * 10**decimals < 100 and decimals < limits.MAX_EPSILON_DECIMALS:
        decimals += 1
    return decimal_text(Fraction(ceil(epsilon * 10**decimals), 10**decimals))
