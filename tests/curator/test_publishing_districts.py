"""Releases of flows between districts and of all trips: paid, published and read back, or refused before a charge."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from dpcore import curator, limits
from dpcore.errors import PrivacyError, TessellationError
from dpcore.ledger import Price
from dpcore.measures.choices import KeyChoices
from dpcore.measures.keys import Districts
from dpcore.measures.plan import Plan
from dpcore.privacy import ContributionBound
from dpcore.release import kind_of, read_bundle
from dpcore.release.canonical import canonical
from tests.cities import DISTRICTS, four_tiles
from tests.curator.asking import account, request, spent, trips

CHOICES = KeyChoices(districts=DISTRICTS, most_trips=8)
WEIGHTS = {"visits_per_tile": 2, "od_districts": 1, "total_trips": 1, "incomplete_trips": 1}
THREE = ContributionBound.per_user(3)


def plan(choices=CHOICES, weights=None, bound=THREE, epsilon="1"):
    return Plan.up_to(bound, weights or WEIGHTS, epsilon, choices)


def asked(of=None, **changes):
    return replace(request(), plan=of or plan(), **changes)


def published(ledger, wanted):
    return curator.publish(trips(), four_tiles(), wanted, ledger)


def test_a_release_with_districts_is_paid_and_published_and_says_how_to_repeat_it():
    ledger = account("20")
    receipt = published(ledger, asked(plan(epsilon="20")))
    release = read_bundle(receipt.folder)
    assert release.plan.choices == CHOICES
    assert release.tessellation.districts == ("south", "south", "north", "north")
    assert "--districts own --most-trips 8" in release.command
    exact = {name: int(one.values[-1].sum()) for name, one in release.measurements.items()}
    widths = {name: one.half_widths[-1] for name, one in release.measurements.items()}
    assert release.measurements["total_trips"].values.shape[1] == 1
    assert exact["total_trips"] >= exact["od_districts"] - 20 * max(widths.values())
    again = published(ledger, asked(plan(epsilon="20")))
    assert again.repeated
    assert np.array_equal(
        again.release.measurements["od_districts"].values, receipt.release.measurements["od_districts"].values
    )


def test_the_terms_of_the_ledger_give_the_request_back():
    wanted = asked()
    terms = json.loads(json.dumps(wanted.terms("digest", "UTC", "here")))
    assert curator.Request.of_terms("town", "first", None, terms) == wanted


@pytest.mark.parametrize("weights", [WEIGHTS, {"visits_per_tile": 1}], ids=["flows between them", "visits alone"])
def test_districts_of_other_tiles_are_refused_before_a_charge(weights):
    ledger = account()
    other = plan(KeyChoices(districts=Districts(("a", "b"), (0, 1, 1))), weights)
    with pytest.raises((PrivacyError, TessellationError), match="not those of these tiles"):
        published(ledger, asked(other))
    assert spent(ledger) == 0


def test_flows_between_districts_without_districts_are_refused_before_a_charge():
    with pytest.raises(PrivacyError, match="need districts"):
        asked(plan(KeyChoices()))


def test_a_total_that_counts_fewer_trips_of_a_person_than_other_tables_is_refused():
    with pytest.raises(PrivacyError, match="fewer trips of a person"):
        asked(plan(KeyChoices(districts=DISTRICTS, most_trips=2)))
    asked(plan(KeyChoices(districts=DISTRICTS, most_trips=3)))
    asked(plan(KeyChoices(districts=DISTRICTS, most_trips=2), bound=ContributionBound.per_trip()))


def test_the_districts_of_as_many_tiles_as_are_allowed_fit_the_ledger_and_the_manifest():
    names = tuple(f"district {number:03}" for number in range(limits.MAX_DISTRICTS))
    many = Districts(names, tuple(tile % len(names) for tile in range(limits.MAX_TILES)))
    large = plan(KeyChoices(districts=many))
    terms = kind_of(large).terms(large)
    ledger = account()
    ledger.reserve("town", nonce="n", price=Price(large.epsilon), terms=terms)
    assert kind_of(large).plan_of_terms(json.loads(json.dumps(terms))) == large
    assert len(canonical(large.choices.terms())) < limits.MAX_MANIFEST_BYTES // 4


def test_names_of_districts_that_no_entry_holds_are_refused_with_what_to_do():
    names = tuple(sorted(f"{number:03}{'ü' * 77}" for number in range(limits.MAX_DISTRICTS)))
    many = Districts(names, tuple(tile % len(names) for tile in range(limits.MAX_TILES)))
    large, ledger = plan(KeyChoices(districts=many)), account()
    with pytest.raises(PrivacyError, match="Shorten the note or the names of districts"):
        ledger.reserve("town", nonce="n", price=Price(large.epsilon), terms=kind_of(large).terms(large))
    assert spent(ledger) == 0
