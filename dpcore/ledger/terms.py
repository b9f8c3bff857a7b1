"""What may be written into a ledger: names, accounts and prices, checked before anything is stored.

Names of data sets reach file names, pages and CSV files, so their alphabet is small: nothing in them can be a
path, a formula or a piece of a web page.
"""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction
from typing import Final

from dpcore import limits
from dpcore.errors import InputError, PrivacyError
from dpcore.ledger.account import Account, Price
from dpcore.ledger.amounts import Loss, said
from dpcore.privacy import PrivacyUnit

_NAME: Final = re.compile(r"[A-Za-z0-9](?:(?:[A-Za-z0-9._-]|[ ](?! ))*[A-Za-z0-9])?", re.ASCII)


def check_name(kind: str, name: object) -> str:
    """The name, if it may be one; raises InputError that says what a name is made of."""
    if isinstance(name, str) and len(name) <= limits.MAX_NAME_CHARACTERS and _NAME.fullmatch(name):
        return name
    raise InputError(
        f"the name of a {kind} has a sign that no name may have, or it is empty or too long",
        f"name of a {kind}",
        f"Use 1 to {limits.MAX_NAME_CHARACTERS} letters a to z and digits; dots, hyphens, underscores and single "
        "spaces may stand between them.",
    )


def check_nonce(nonce: object) -> str:
    """The nonce, if it is short printable text; raises InputError otherwise."""
    if isinstance(nonce, str) and 0 < len(nonce) <= limits.MAX_NONCE_CHARACTERS and nonce.isprintable():
        return nonce
    raise InputError(
        "a nonce is a short text", "nonce", f"Give 1 to {limits.MAX_NONCE_CHARACTERS} printable characters."
    )


def check_account(account: Account) -> None:
    """Refuse an account that has no meaning; raises InputError for names and PrivacyError for the rest."""
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
            "the total budget is out of bounds",
            "total budget",
            f"Give an exact epsilon from {limits.MIN_EPSILON} to {limits.MAX_TOTAL_BUDGET}.",
        )
    if not _exact(account.total_delta) or not 0 <= account.total_delta <= Fraction(limits.MAX_TOTAL_DELTA):
        raise PrivacyError(
            "the total delta is out of bounds", "total delta", f"Give 0 to {limits.MAX_TOTAL_DELTA}."
        )
    _check_parts(account)


def _check_parts(account: Account) -> None:
    if not account.parts:
        if account.parts_of is not None:
            raise PrivacyError(
                "there are no parts", "parts", "Name the parts, or leave out what they are of."
            )
        return
    for part in account.parts:
        check_name("part", part)
    twice = [part for part, times in Counter(part.casefold() for part in account.parts).items() if times > 1]
    if twice or len(account.parts) > limits.MAX_PARTS:
        raise PrivacyError(
            "the parts cannot be told apart",
            "parts",
            f"Give each part a name of its own, in more than capital letters; at most {limits.MAX_PARTS:,} parts.",
        )
    if account.parts_of is PrivacyUnit.USER:
        return  # no two parts share a person, and so no trip either
    if account.parts_of is PrivacyUnit.TRIP and account.unit is PrivacyUnit.TRIP:
        return
    if account.unit is PrivacyUnit.USER:
        raise PrivacyError(
            "these parts may share a person",
            "parts",
            "Spends on parts run side by side only if nobody is in two of them. Dates, weekdays, modes or places "
            "do not divide people: one person travels on several dates and by several modes, and loses privacy in "
            "each. Declare parts of users, such as two cities without a common user, or no parts.",
        )
    raise PrivacyError(
        "it is not said what the parts divide",
        "parts",
        "Spends on parts run side by side only if no trip is in two of them: declare parts of trips or of users.",
    )


def check_price(price: Price) -> None:
    """Refuse a price that is not exact or out of bounds; raises PrivacyError."""
    if not _exact(price.epsilon) or price.epsilon <= 0:
        raise PrivacyError(
            "a price must be an exact epsilon above 0",
            "epsilon",
            "Give a fraction or plain decimal text, such as 0.5.",
        )
    if not _exact(price.delta) or not 0 <= price.delta <= Fraction(limits.MAX_DELTA):
        raise PrivacyError(
            "delta is out of bounds",
            "delta",
            f"Give 0 to {limits.MAX_DELTA}: delta is the chance that the promise fails altogether, and the bound is "
            "public, so that it tells nothing about how many people there are.",
        )


def check_charge(charge: Loss) -> None:
    """Refuse a charge that a release could not write down; raises PrivacyError.

    Beside other parts it is a difference of sums of many prices, whose terms may be longer than those of each.
    """
    if not _exact(charge.epsilon) or not _exact(charge.delta):
        raise PrivacyError(
            "what this release would be charged is a fraction of too many digits",
            "epsilon",
            "Count it without its part, or with weights whose sum is a round number. Nothing was spent.",
        )


def check_same_terms(stored: Account, asked: Account) -> None:
    """Refuse to register a data set again under other terms; raises PrivacyError that says what is stored."""
    if (
        (stored.total, stored.total_delta, stored.unit, stored.parts_of)
        == (asked.total, asked.total_delta, asked.unit, asked.parts_of)
    ) and sorted(stored.parts) == sorted(asked.parts):
        return
    raise PrivacyError(
        "this data set is registered under other terms",
        repr(stored.dataset),
        f"Stored: {terms_in_words(stored)}. Asked for: {terms_in_words(asked)}. The terms of an account never "
        "change: use the stored ones. Other people's trips get a name of their own.",
    )


def terms_in_words(account: Account) -> str:
    """Budget, currency and parts of an account, for people."""
    parts = ""
    if account.parts and account.parts_of is not None:
        parts = f", parts of {account.parts_of.value}s: {', '.join(account.parts)}"
    return (
        f"a total budget of epsilon {said(account.total)} and delta {said(account.total_delta)}, counted for each "
        f"{account.unit.value}{parts}"
    )


def _exact(amount: object) -> bool:
    """Whether it is a fraction of a size that people write; floats, whole numbers and True are not."""
    return isinstance(amount, Fraction) and all(
        abs(number) < 10**limits.MAX_AMOUNT_DIGITS for number in (amount.numerator, amount.denominator)
    )
