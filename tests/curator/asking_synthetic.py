"""Requests for synthetic releases of the small city of ``asking``."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

from dpcore import curator, places
from dpcore.kinds.roy.choices import RoyChoices
from dpcore.kinds.stability.choices import StabilityChoices, usual_variant
from dpcore.kinds.tree.choices import TreeChoices
from dpcore.measures.keys import Period
from dpcore.privacy import ContributionBound
from dpcore.release import AnyRelease, kind_of, read_bundle
from dpcore.release.kinds.tables import TABLES
from tests.cities import four_tiles
from tests.curator.asking import trips

WEEK = Period(date(2024, 4, 1), date(2024, 4, 7))
PERSON = ContributionBound.per_user(3)
ONE_TRIP = ContributionBound.per_trip()
MILLIONTH = Fraction(1, 1_000_000)


def roy(epsilon: str = "1", bound: ContributionBound = PERSON, **changes) -> RoyChoices:
    return RoyChoices(bound, Fraction(epsilon), WEEK, **changes)


def stability(epsilon: str = "6", bound: ContributionBound = PERSON, **changes) -> StabilityChoices:
    changes = {"variant": usual_variant(bound.unit), "delta": MILLIONTH, **changes}
    return StabilityChoices(bound, Fraction(epsilon), **changes)


def tree(epsilon: str = "0.5", bound: ContributionBound = PERSON, **changes) -> TreeChoices:
    return TreeChoices(bound, Fraction(epsilon), **{"height": 3, "named": (("A", "Low"),), **changes})


def asked(choices=None, nonce: str = "first", **changes) -> curator.Request:
    given = {"dataset": "town", "title": "Town", "note": "", "parameters_chosen": "before_data", **changes}
    return curator.Request(plan=choices or roy(), nonce=nonce, **given)


def synthesized(ledger, request=None, **options) -> curator.Receipt:
    return curator.publish(trips(), four_tiles(), request or asked(), ledger, **options)


def synthetic_releases() -> list[AnyRelease]:
    """The synthetic releases that lie on this computer, each read and checked."""
    folders = [place.parent for place in sorted((places.home() / "releases").glob("*/manifest.json"))]
    found = [read_bundle(folder) for folder in folders]
    return [release for release in found if kind_of(release.plan) is not TABLES]
