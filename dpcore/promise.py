"""What epsilon and delta promise, in numbers and in words: one place for bundles, reports and pages.

A reader asks two questions, and one epsilon answers them differently:

* **Is this unit in the data?** Under add/remove the data with it and without it are neighbours: ``(epsilon, delta)``.
* **What did this unit do, if it is in the data?** With one behaviour or another the data are two steps apart: take the
  unit out, put it in otherwise. ``P(S) <= e^epsilon P'(S) + delta`` twice gives
  ``P(S) <= e^(2 epsilon) P''(S) + (1 + e^epsilon) delta``: ``(2 epsilon, (1 + e^epsilon) delta)``.

A promise under *replace one* answers the second question with its epsilon and says nothing about the first: neighbours
have the same size, so the number of units may be told exactly.

**Best guess.** A fair coin chooses between two data sets of a loss ``(e, d)``; whoever sees the result guesses "first" on
a set A of results. Right: ``(P(A) + 1 - P'(A)) / 2``. With ``x = P(A) - P'(A)``, the sum of ``P(A) <= e^e P'(A) + d`` and
``1 - P'(A) <= e^e (1 - P(A)) + d`` is ``1 + x <= e^e (1 - x) + 2 d``, so ``x <= (e^e - 1 + 2 d) / (e^e + 1)`` and the
guess is right with probability ``(1 + x) / 2 <= (e^e + d) / (e^e + 1)`` at most. QED.

Every number in words is a bound, so it is rounded up.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from math import ceil, exp
from typing import Final

from dpcore.accuracy import posterior
from dpcore.privacy import ContributionBound, PrivacyUnit, at_most_text

EXAMPLE_TRIPS: Final = 20
"""Trips of the person for whom a promise about one trip is spelled out."""
PRIORS: Final = (0.01, 0.1, 0.5)
"""Beliefs for which ``beliefs_table`` says what they can become."""
_OF: Final = (100, 1_000, 10_000, 100_000)  # a bound of 100 in 100 says nothing, so it is said of more
_GUARD: Final = 1 + 1e-12  # more than the rounding of floating point, so that no bound is understated
_DIGITS: Final = Context(prec=3, rounding=ROUND_CEILING)


@dataclass(frozen=True, slots=True)
class Loss:
    """How far two data sets can be told apart: epsilon and delta."""

    epsilon: Fraction
    delta: Fraction | float = 0

    def times(self, steps: int) -> Loss:
        """Of so many steps: ``k epsilon``, and ``delta`` times ``1 + e^epsilon + .. + e^((k - 1) epsilon)``."""
        if not self.delta:
            return Loss(steps * self.epsilon)
        if (steps - 1) * self.epsilon > 500:  # beyond the numbers of floating point, and far beyond 1
            return Loss(steps * self.epsilon, 1.0)
        grown = sum(exp(step * float(self.epsilon)) for step in range(steps))
        return Loss(steps * self.epsilon, min(1.0, float(self.delta) * grown * _GUARD))

    @property
    def right(self) -> float:
        """How often the best guess between the two is right at most, where a fair coin chose."""
        at_odds = posterior(self.epsilon, 0.5)
        return min(1.0, at_odds + float(self.delta) * (1 - at_odds))

    @property
    def right_text(self) -> str:
        """The same in words, of 100 or more: ``at most 74 times``; never less than it is, and never a false certainty."""
        for of in _OF:
            times = ceil(of * self.right * _GUARD)
            if times < of:
                return f"at most {times} times" if of == _OF[0] else f"at most {times:,} of {of:,} times"
        return "practically every time"

    @property
    def text(self) -> str:
        """``epsilon 1``, with its delta where there is one."""
        delta = f", delta {delta_text(self.delta)}" if self.delta else ""
        return f"epsilon {at_most_text(self.epsilon)}{delta}"


def delta_text(delta: Fraction | float) -> str:
    """A delta with three digits, rounded up.

    >>> delta_text(Fraction(3, 4_000_000)), delta_text(3.7183e-6), delta_text(0.1)
    ('7.5e-07', '3.72e-06', '0.1')
    """
    exact = Fraction(repr(delta)) if isinstance(delta, float) else delta
    rounded = _DIGITS.divide(Decimal(exact.numerator), Decimal(exact.denominator))
    return f"{float(rounded):.3g}"


@dataclass(frozen=True, slots=True)
class Promise:
    """What one result, or all of a release, promises to one privacy unit."""

    bound: ContributionBound
    presence: Loss
    """Whether the unit is in the data."""
    doings: Loss
    """What a unit that is in the data did."""
    replaces: bool = False
    """Whether the promise is stated under *replace one*: then ``doings`` is what is stated, ``presence`` what its noise gives."""

    @classmethod
    def of(cls, bound: ContributionBound, epsilon: Fraction, delta: Fraction = Fraction(0)) -> Promise:
        """Under add/remove, the relation of every release."""
        there = Loss(epsilon, delta)
        return cls(bound, there, there.times(2))

    @classmethod
    def of_replacing(cls, bound: ContributionBound, epsilon: Fraction, delta: Fraction) -> Promise:
        """Stated under replace one, of noise that costs half as much where one is added or removed (``stability``)."""
        return cls(bound, Loss(epsilon / 2, delta), Loss(epsilon, delta), replaces=True)

    @property
    def by_trip(self) -> bool:
        """Whether the unit is one trip."""
        return self.bound.unit is PrivacyUnit.TRIP

    @property
    def questions(self) -> tuple[str, str]:
        """Both questions, as the beginning of a sentence."""
        if self.by_trip:
            return (
                "Whether one trip is in the data",
                "Where one trip that is in the data went (clinic or square?)",
            )
        return "Whether somebody is in the data", "What somebody who is in the data did (clinic or square?)"

    @property
    def words(self) -> str:
        """Both answers as guesses of a fair coin, and at trip level what that leaves a person (plain text)."""
        there, did = self.questions
        said = (
            f"{there}: a guess that is right 50 of 100 times becomes right {self.presence.right_text}. "
            f"{did}: {self.doings.right_text}."
        )
        if self.presence.delta:
            said += " With a delta both hold on average over all results: a single result may tell more."
        if self.replaces:
            said += (
                " What is stated is about replacing one trip by another, which says nothing about presence: the first number "
                "follows from the noise as it is drawn here."
            )
        return f"{said} {self.person}" if self.by_trip else said

    @property
    def person(self) -> str:
        """What a promise about one trip leaves a person."""
        k, there, did = EXAMPLE_TRIPS, self.presence.epsilon, self.doings.epsilon
        grows = " (delta grows faster still)" if self.presence.delta else ""
        return (
            f"Both are about one trip. A person with k trips is protected by k times epsilon only{grows}: with "
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
    """What a belief can become at most, for some beliefs before; columns of a table. Of promises without a delta only."""
    if promise.presence.delta:
        raise ValueError("with a delta single results may tell all, so no belief has a bound")
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
    """A belief as an upper bound: rounded up, and never a false 100 %.

    >>> at_most_percent(0.7311), at_most_percent(0.0694), at_most_percent(0.9999546), at_most_percent(1 - 1e-9)
    ('at most 73.2 %', 'at most 7 %', 'at most 99.996 %', 'practically certain')
    """
    if belief > 0.99999:
        return "practically certain"
    digits = 3 if belief > 0.999 else 1
    return f"at most {ceil(belief * _GUARD * 100 * 10**digits) / 10**digits:g} %"
