"""A small city, an account, and requests for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from fractions import Fraction

import pytest

from dpcore import curator
from dpcore.ledger import Account, Ledger
from dpcore.measures.choices import KeyChoices
from dpcore.measures.keys import Period
from dpcore.measures.plan import Plan
from dpcore.privacy import ContributionBound, PrivacyUnit
from tests.cities import Trip, four_tiles, private

CANARY = "canary-4c1e-uid"
CHOICES = KeyChoices(Period(date(2024, 4, 1), date(2024, 4, 7)))
WEIGHTS = {"visits_per_tile": 4, "od_flows": 3, "trips_per_hour": 2, "trips_over_time": 1}


def trips():
    """Forty people with five trips each; one is the canary."""
    places = "ABCD"
    return private(
        [
            Trip(
                CANARY if user == 7 else f"u{user}",
                places[user % 4],
                places[(user + trip) % 4],
                f"2024-04-0{1 + trip} 08:00",
                f"2024-04-0{1 + trip} 09:00",
            )
            for user in range(40)
            for trip in range(5)
        ]
    )


def account(total: str = "10", unit: PrivacyUnit = PrivacyUnit.USER, dataset: str = "town") -> Ledger:
    """The default ledger with one account."""
    ledger = curator.default_ledger()
    curator.register(ledger, Account(dataset, "everybody with a card", unit, Fraction(total)))
    return ledger


def request(epsilon: str = "1", nonce: str = "first", bound: ContributionBound | None = None, **changes):
    """A request for four measures."""
    plan = Plan.up_to(bound or ContributionBound.per_user(3), WEIGHTS, Fraction(epsilon), CHOICES)
    asked = {"dataset": "town", "plan": plan, "title": "Town", "note": "", "nonce": nonce}
    return curator.Request(**{**asked, "parameters_chosen": "before_data", **changes})


def spent(ledger: Ledger, dataset: str = "town") -> Fraction:
    """What the account has spent."""
    return ledger.statement(dataset).spent


def published(ledger, asked, **options):
    """The receipt of a request for the small city."""
    return curator.publish(trips(), four_tiles(), asked, ledger, **options)


class Cut(BaseException):
    """The process ends here."""


@contextmanager
def cut_short(monkeypatch, place, step: str, *, before: bool) -> Iterator[None]:
    """The process ends in the block, before or after a step of publishing."""
    real = getattr(place, step)

    def cut(*args, **kwargs):
        if not before:
            real(*args, **kwargs)
        raise Cut

    with monkeypatch.context() as patch:
        patch.setattr(place, step, cut)
        with pytest.raises(Cut):
            yield
