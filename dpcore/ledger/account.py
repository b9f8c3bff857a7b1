"""The values of a ledger (exact amounts, accounts, prices, reservations, entries) and what may be written into them.

All of them are public. Names of data sets get into file names, pages and CSV files, so their alphabet is small: nothing in
them can be a path, a formula or a part of a web page.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, Literal

from dpcore import limits
from dpcore.errors import InputError, PrivacyError
from dpcore.privacy import PrivacyUnit, decimal_text

_DECIMALS: Final = 12


@dataclass(frozen=True)
class Loss:
    """A privacy loss (epsilon, delta). Losses of one release after another add up. Sums and comparisons are exact."""

    epsilon: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)

    def __add__(self, other: Loss) -> Loss:
        return Loss(self.epsilon + other.epsilon, self.delta + other.delta)

    def __sub__(self, other: Loss) -> Loss:
        return Loss(self.epsilon - other.epsilon, self.delta - other.delta)

    def within(self, other: Loss) -> bool:
        """Whether neither epsilon nor delta is larger than the other's."""
        return self.epsilon <= other.epsilon and self.delta <= other.delta


def largest(losses: Iterable[Loss]) -> Loss:
    """The largest epsilon and the largest delta of some losses; 0 and 0 if there are none."""
    every = [Loss(), *losses]
    return Loss(max(loss.epsilon for loss in every), max(loss.delta for loss in every))


def as_stored(amount: Fraction) -> str:
    """An amount as written in the ledger: in lowest terms, such as ``1/3`` or ``2``."""
    return str(amount)


def read_amount(text: object) -> Fraction:
    """The amount that ``as_stored`` wrote. ValueError for any other text, so that an amount has one spelling."""
    # of "1e9999999999" no number is made: that would never end
    amount = Fraction(text) if isinstance(text, str) and {*text} <= {*"-/0123456789"} else None
    if amount is None or as_stored(amount) != text:
        raise ValueError("not an exact amount")
    return amount


def amount_text(amount: Fraction) -> str:
    """An amount for people: its exact decimals if they are few, otherwise the fraction and a decimal near it.

    >>> amount_text(Fraction(3, 10)), amount_text(Fraction(1, 3)), amount_text(Fraction(1, 10**6)), amount_text(Fraction(-2))
    ('0.3', '1/3 (about 0.333333)', '0.000001', '-2')
    """
    if 10**_DECIMALS % amount.denominator == 0:
        return _decimals(amount, _DECIMALS)
    return f"{amount} (about {_decimals(amount, 6)})"


def _decimals(amount: Fraction, places: int) -> str:
    sign = "-" if amount < 0 else ""
    whole, part = divmod(round(abs(amount) * 10**places), 10**places)
    return f"{sign}{whole}.{part:0{places}d}".rstrip("0").rstrip(".")


State = Literal["reserved", "committed", "void"]
EntryKind = Literal["genesis", "register", "reserve", "commit", "void"]


@dataclass(frozen=True)
class Account:
    """A registered data set with its budget, in one currency.

    The owner declares whose people they are. Two accounts over the same people are two budgets, and no program can see
    that from the files.
    """

    def __repr__(self) -> str:
        """One line: name, total and whose epsilon it is."""
        return f"<Account {self.dataset}: total epsilon {decimal_text(self.total)} per {self.unit.value}>"

    dataset: str
    """The name under which all releases of these people are charged."""
    population: str
    """The owner's declaration of who is in the data, in words."""
    unit: PrivacyUnit
    """The currency: whose epsilon is counted. A user account takes only user-level releases."""
    total: Fraction
    """The whole budget. It is stored at registration and cannot be raised later."""
    parts: tuple[str, ...] = ()
    """Declared parts that share no unit. Spends on different parts are charged in parallel."""
    parts_of: PrivacyUnit | None = None
    """What was divided into the parts: users (for either currency), or trips (for a trip account only)."""
    total_delta: Fraction = Fraction(limits.MAX_TOTAL_DELTA)
    """The most delta that all releases together may take."""

    def must_have(self, part: str | None) -> None:
        """Refuse a part that was not declared, with an InputError."""
        if part is not None and part not in self.parts:
            raise InputError(
                "this data set has no such part",
                repr(part),
                f"Declared parts: {', '.join(self.parts) or 'none'}.",
            )


@dataclass(frozen=True)
class Price:
    """The cost of a release in the currency of an account, with the reason for every step of the sum."""

    epsilon: Fraction
    delta: Fraction = Fraction(0)
    steps: tuple[str, ...] = ()
    """How the number was computed, one sentence for each step."""


@dataclass(frozen=True)
class Reservation:
    """Budget that is reserved for one release, which its nonce identifies."""

    ledger: str
    """Identity of the ledger: the hash of its first entry."""
    number: int
    """Number of the entry that reserved it."""
    dataset: str
    nonce: str
    charged: Fraction
    """By how much the account's spent epsilon rose."""
    entry_hash: str
    """Hash of the entry that reserved it. The release carries it as its anchor."""
    state: State
    digest: str | None
    """Digest of the bundle, once committed."""
    terms: Mapping[str, object]
    """The public terms of the reservation, as given."""
    fresh: bool
    """Whether this call made the reservation. False if the nonce was known before."""
    group: str = ""
    """The chain that it belongs to. A release that continues its ladder is reserved in the same chain."""
    part: str | None = None
    """The declared part that is counted; None for the whole data set."""
    follows: int | None = None
    """The reservation whose release this one continues, the end of the chain until now. None begins a chain."""
    price: Price = Price(Fraction(0))
    """The cost of the whole chain up to here. ``charged`` is what that adds to the earlier charges."""
    charged_delta: Fraction = Fraction(0)
    """By how much the account's spent delta rose."""


@dataclass(frozen=True)
class Entry:
    """One line of the ledger. Lines are only ever added."""

    number: int
    time: str
    """UTC, ISO 8601, seconds."""
    kind: EntryKind
    dataset: str
    body: Mapping[str, object]
    """The content of the line, as it enters the hash."""
    previous: str
    hash: str


@dataclass(frozen=True)
class KnownFiles:
    """What the ledger knows about files from which a data set is about to be counted. For the owner's eyes only."""

    other_datasets: tuple[str, ...]
    """Other data sets that were counted from one of these files. They may be the same people under two budgets."""
    changed: bool
    """Whether this data set was last counted from another file or another set of files."""


@dataclass(frozen=True)
class Statement:
    """An account, as a bank statement would show it."""

    account: Account
    spent: Fraction
    left: Fraction
    spent_delta: Fraction
    lines: tuple[str, ...] = field(default=())
    """Every charge, step by step, in words."""
    open_reservations: tuple[Reservation, ...] = ()
    """Reserved but not committed: releases that are being made, or that were interrupted."""
    committed: tuple[Reservation, ...] = ()
    """Reservations that became a release, in the order of their entries."""
    why: Mapping[int, str] = field(default_factory=dict)
    """By number of a reservation: how its price came about, and why less than that may have been charged."""


_NAME: Final = re.compile(r"[A-Za-z0-9](?:(?:[A-Za-z0-9._-]|[ ](?! ))*[A-Za-z0-9])?", re.ASCII)


def check_name(kind: str, name: object) -> str:
    """The name, if it is allowed. Raises InputError that says how names are made."""
    if isinstance(name, str) and len(name) <= limits.MAX_NAME_CHARACTERS and _NAME.fullmatch(name):
        return name
    raise InputError(
        f"the name of a {kind} has a sign that no name may have, or it is empty or too long",
        f"name of a {kind}",
        f"Use 1 to {limits.MAX_NAME_CHARACTERS} letters a to z and digits; dots, hyphens, underscores and single "
        "spaces may stand between them.",
    )


def check_nonce(nonce: object) -> str:
    """The nonce, if it is short printable text. Raises InputError otherwise."""
    if isinstance(nonce, str) and 0 < len(nonce) <= limits.MAX_NONCE_CHARACTERS and nonce.isprintable():
        return nonce
    raise InputError(
        "a nonce is a short text", "nonce", f"Give 1 to {limits.MAX_NONCE_CHARACTERS} printable characters."
    )


def check_account(account: Account) -> None:
    """Refuse an impossible account: InputError for names and PrivacyError for the rest."""
    check_name("data set", account.dataset)
    words = account.population
    if len(words) > limits.MAX_POPULATION_CHARACTERS or not words.isprintable():
        raise InputError(
            "the description of the population is too long or has signs that cannot be printed",
            "population",
            f"Say in at most {limits.MAX_POPULATION_CHARACTERS:,} characters, on one line, who is in the data.",
        )
    most = Fraction(limits.MAX_TOTAL_BUDGET)
    if not _exact(account.total) or not Fraction(limits.MIN_EPSILON) <= account.total <= most:
        raise PrivacyError(
            "the total budget is out of range",
            "total budget",
            f"Give an exact epsilon from {limits.MIN_EPSILON} to {limits.MAX_TOTAL_BUDGET}.",
        )
    if not _exact(account.total_delta) or not 0 <= account.total_delta <= Fraction(limits.MAX_TOTAL_DELTA):
        raise PrivacyError(
            "the total delta is out of range", "total delta", f"Give 0 to {limits.MAX_TOTAL_DELTA}."
        )
    _check_parts(account)


def _check_parts(account: Account) -> None:
    if not account.parts:
        if account.parts_of is not None:
            raise PrivacyError(
                "there are no parts", "parts", "Name the parts, or do not say what they divide."
            )
        return
    for part in account.parts:
        check_name("part", part)
    twice = [part for part, times in Counter(part.casefold() for part in account.parts).items() if times > 1]
    if twice or len(account.parts) > limits.MAX_PARTS:
        raise PrivacyError(
            "the parts cannot be told apart",
            "parts",
            f"Give each part its own name, different in more than capital letters; at most {limits.MAX_PARTS:,} parts.",
        )
    if account.parts_of is PrivacyUnit.USER:
        return  # no two parts share a person, so they share no trip either
    if account.parts_of is PrivacyUnit.TRIP and account.unit is PrivacyUnit.TRIP:
        return
    if account.unit is PrivacyUnit.USER:
        raise PrivacyError(
            "these parts may share a person",
            "parts",
            "Spends on parts are charged in parallel only if nobody is in two parts. Dates, weekdays, modes or places do not "
            "divide people: one person travels on several dates and by several modes, and loses privacy in each. Declare "
            "parts of users, such as two cities without a common user, or no parts.",
        )
    raise PrivacyError(
        "it is not said what the parts divide",
        "parts",
        "Spends on parts are charged in parallel only if no trip is in two parts. Declare parts of trips or of users.",
    )


def check_price(price: Price) -> None:
    """Refuse a price that is not exact or is out of range. Raises PrivacyError."""
    if not _exact(price.epsilon) or price.epsilon <= 0:
        raise PrivacyError(
            "a price must be an exact epsilon above 0",
            "epsilon",
            "Give a fraction or plain decimal text, such as 0.5.",
        )
    if not _exact(price.delta) or not 0 <= price.delta <= Fraction(limits.MAX_DELTA):
        raise PrivacyError(
            "delta is out of range",
            "delta",
            f"Give 0 to {limits.MAX_DELTA}. Delta is the probability that the promise fails altogether. Its limit is a public "
            "number, so it tells nothing about how many people there are.",
        )


def check_charge(charge: Loss) -> None:
    """Refuse a charge that a release could not write down. Raises PrivacyError.

    With parts a charge is a difference of sums of many prices, which can have more digits than each of them.
    """
    if not _exact(charge.epsilon) or not _exact(charge.delta):
        raise PrivacyError(
            "what this release would be charged is a fraction of too many digits",
            "epsilon",
            "Count it without its part, or with weights whose sum is a round number. Nothing was spent.",
        )


def check_same_terms(stored: Account, asked: Account) -> None:
    """Refuse to register a data set again under other terms. Raises PrivacyError with the stored terms."""
    if (
        (stored.total, stored.total_delta, stored.unit, stored.parts_of)
        == (asked.total, asked.total_delta, asked.unit, asked.parts_of)
    ) and sorted(stored.parts) == sorted(asked.parts):
        return
    raise PrivacyError(
        "this data set is registered under other terms",
        repr(stored.dataset),
        f"Stored: {terms_in_words(stored)}. Asked for: {terms_in_words(asked)}. The terms of an account never change: use "
        "the stored ones. If these are other people's trips, give them another name.",
    )


def terms_in_words(account: Account) -> str:
    """Budget, currency and parts of an account, in words."""
    parts = ""
    if account.parts and account.parts_of is not None:
        parts = f", parts of {account.parts_of.value}s: {', '.join(account.parts)}"
    return (
        f"a total budget of epsilon {amount_text(account.total)} and delta {amount_text(account.total_delta)}, counted for each "
        f"{account.unit.value}{parts}"
    )


def _exact(amount: object) -> bool:
    """Whether it is a fraction of usual size. Floats, whole numbers and True are not."""
    return isinstance(amount, Fraction) and all(
        abs(number) < 10**limits.MAX_AMOUNT_DIGITS for number in (amount.numerator, amount.denominator)
    )
