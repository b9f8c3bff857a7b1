"""Synthetic releases take the one road: one charge, one bundle, whatever happens in between."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction

import pytest

from dpcore import curator, places
from dpcore.curator import pending, publishing
from dpcore.errors import BudgetExceededError, InputError, LedgerError, PrivacyError
from dpcore.kinds.roy.private import maker
from dpcore.kinds.stability.plan import Variant
from dpcore.ledger import Account, Price
from dpcore.privacy import ContributionBound, PrivacyUnit
from dpcore.release import read_bundle, verify_bundle
from tests.cities import Trip, four_tiles, private
from tests.context.made_layers import made_context
from tests.curator.asking import Cut, account, cut_short, request, spent, trips
from tests.curator.asking_synthetic import (
    MILLIONTH,
    ONE_TRIP,
    asked,
    roy,
    stability,
    synthesized,
    synthetic_releases,
)

KINDS = {"roy": roy(), "stability": stability()}


def values(release) -> list:
    tables = release.drawn.tables
    if tables is None:
        return []
    if hasattr(tables, "values"):
        return [table.tolist() for table in tables.values.values()]
    return [one.counts.tolist() for one in tables.large.values()]


@pytest.mark.parametrize("choices", KINDS.values(), ids=KINDS)
def test_a_synthetic_release_is_paid_for_and_lies_where_anyone_may_read_it(choices, tmp_path):
    ledger, steps = account(), []
    receipt = synthesized(ledger, asked(choices), out=tmp_path / "bundle", progress=steps.append)
    assert (receipt.charged, receipt.repeated) == (choices.epsilon, False)
    assert receipt.left == 10 - choices.epsilon
    assert receipt.folder == tmp_path / "bundle"
    assert steps == sorted(steps)
    assert steps[-1] == 1
    verify_bundle(receipt.folder, digest=receipt.digest)
    (found,) = synthetic_releases()
    assert found.plan == choices
    assert found.anchor.hash == ledger.reservation("town", "first").entry_hash
    assert curator.committed_digest(ledger, found) == receipt.digest
    assert curator.releases(ledger, "town") == ()  # no table of it passes for a release of tables


def test_epsilon_and_delta_add_up_exactly_and_neither_goes_beyond_its_total():
    ledger = curator.default_ledger()
    two = Account("town", "", PrivacyUnit.USER, Fraction(2), total_delta=2 * MILLIONTH)
    curator.register(ledger, two)
    synthesized(ledger, asked(roy("0.3"), "a"))
    synthesized(ledger, asked(stability("0.6"), "b"))
    synthesized(ledger, asked(stability("0.1", delta=MILLIONTH / 2), "c"))
    statement = ledger.statement("town")
    assert (statement.spent, statement.spent_delta) == (1, MILLIONTH * 3 / 2)
    with pytest.raises(BudgetExceededError, match="delta"):
        synthesized(ledger, asked(stability("0.1"), "beyond"))
    with pytest.raises(BudgetExceededError):
        synthesized(ledger, asked(roy("1.1"), "beyond"))
    assert ledger.statement("town") == statement
    synthesized(ledger, asked(stability("1", delta=MILLIONTH / 2), "d"))
    assert ledger.statement("town").left == 0


def test_the_same_nonce_is_the_same_bundle_and_costs_nothing_more(tmp_path):
    ledger = account()
    first = synthesized(ledger)
    again = synthesized(ledger, out=tmp_path / "copy")
    assert (again.digest, again.repeated) == (first.digest, True)
    for file in ("trips.parquet", "manifest.json"):
        assert (first.folder / file).read_bytes() == (again.folder / file).read_bytes()
    with pytest.raises(PrivacyError, match="nonce"):
        synthesized(ledger, asked(roy("2")))
    with pytest.raises(PrivacyError, match="nonce"):
        curator.publish(trips(), four_tiles(), request(), ledger)
    assert spent(ledger) == 1
    assert synthesized(ledger, asked(nonce="second")).digest != first.digest


@pytest.mark.parametrize(
    ("choices", "charged"),
    [
        (roy(bound=ONE_TRIP), Fraction(1)),
        (roy(bound=ContributionBound.per_user(4)), Fraction(1, 2)),
        (roy(bound=ContributionBound.per_user(1)), Fraction(2)),
        (stability("2", ONE_TRIP), Fraction(2)),
        (stability("2", ONE_TRIP, variant=Variant.OPAL), Fraction(1)),
        (stability("2", ONE_TRIP, variant=Variant.TIGHT), Fraction(1)),
        (stability("2"), Fraction(4, 3)),
    ],
)
def test_a_trip_account_takes_every_kind_in_its_own_currency(choices, charged):
    ledger = account(unit=PrivacyUnit.TRIP)
    receipt = synthesized(ledger, asked(choices))
    assert (receipt.charged, spent(ledger)) == (charged, charged)
    assert receipt.charged_delta == choices.loss[1]


def test_what_does_not_fit_costs_nothing(tmp_path, monkeypatch):
    ledger = account()
    for choices in (
        roy(bound=ONE_TRIP),
        stability("1", ONE_TRIP),
        stability("1", ONE_TRIP, variant=Variant.OPAL),
    ):
        with pytest.raises(PrivacyError, match="without limit"):
            synthesized(ledger, asked(choices))
    nobody = private([Trip(None, "A", "B")], has_users=False)
    other = replace(four_tiles(), tile_ids=("A", "B", "C", "E"))
    for choices in KINDS.values():
        with pytest.raises(PrivacyError, match="no user column"):
            curator.publish(nobody, four_tiles(), asked(choices), ledger)
        with pytest.raises(PrivacyError, match="not the tiles"):
            curator.publish(trips(), other, asked(choices), ledger)
    with pytest.raises(InputError, match="attribute"):
        synthesized(ledger, asked(roy(extras=("gender",))))
    for choices, name in ((roy(), "not listed"), (stability(), "UNKNOWN")):
        tiles = replace(four_tiles(), tile_ids=("A", "B", "C", name))
        named = replace(trips(), tiles_digest=tiles.digest, tile_ids=tiles.tile_ids)
        with pytest.raises(PrivacyError, match="a place is called"):
            curator.publish(named, tiles, asked(choices), ledger)
    with monkeypatch.context() as patch:
        patch.setattr("dpcore.limits.MAX_BUNDLE_ROWS", 1)
        patch.setattr("dpcore.kinds.stability.private.large_counts.keys_above", lambda *_: 2.0)
        with pytest.raises(InputError, match="more keys would be shown"):
            synthesized(ledger, asked(stability()))
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match="not empty"):
        synthesized(ledger, out=tmp_path / "full")
    assert spent(ledger) == 0
    assert not (places.home() / "releases").exists()


STEPS = [
    (maker, "exact_tables"),
    (maker, "noisy_tables"),
    (publishing.accounts, "noted_files"),
    (publishing, "write_bundle"),
    (pending, "manifest_digest"),
    (pending, "_must_be_committed"),
    (pending, "delivered"),
    (publishing, "must_be_unchanged"),
]


@pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
@pytest.mark.parametrize(("place", "step"), STEPS, ids=[step for _, step in STEPS])
def test_a_run_cut_short_anywhere_is_taken_up_without_a_second_charge_or_draw(
    place, step, before, monkeypatch
):
    ledger = account()
    with cut_short(monkeypatch, place, step, before=before):
        synthesized(ledger)
    waiting = (places.home() / "private" / "waiting").glob("town-*")
    drawn = [values(read_bundle(path)) for path in waiting]
    assert spent(ledger) in {0, 1}
    if not drawn and step not in {"delivered", "must_be_unchanged"}:
        assert not (places.home() / "releases").exists()  # nobody has seen anything
    receipt = synthesized(curator.default_ledger())
    assert spent(ledger) == 1
    assert len(synthetic_releases()) == 1
    if drawn:  # what was whole already is handed over as it was
        assert values(receipt.release) == drawn[0]
    assert ledger.statement("town").open_reservations == ()


@pytest.mark.parametrize("choices", KINDS.values(), ids=KINDS)
def test_a_reservation_left_open_is_finished_from_its_own_terms(choices, monkeypatch):
    ledger = account()
    with monkeypatch.context() as patch:
        patch.setattr(publishing, "write_bundle", lambda *_: (_ for _ in ()).throw(Cut()))
        with pytest.raises(Cut):
            synthesized(ledger, asked(choices, note="two\nlines"))
    (left,) = ledger.statement("town").open_reservations
    under = made_context(four_tiles())  # the charge does not keep it
    receipt = curator.finish(trips(), four_tiles(), left, ledger, context=under)
    assert receipt.release.context.attribution == under.attribution
    assert (receipt.release.note, receipt.release.plan) == ("two\nlines", choices)
    assert spent(ledger) == choices.epsilon


def test_a_release_is_finished_as_the_kind_that_its_terms_name():
    ledger = account()
    tables = curator.publish(trips(), four_tiles(), request(), ledger)
    again = curator.finish(trips(), four_tiles(), ledger.reservation("town", "first"), ledger)
    assert (again.release.plan, again.digest, again.repeated) == (tables.release.plan, tables.digest, True)


def test_terms_that_no_kind_wrote_are_finished_by_none():
    ledger = account()
    terms = {"kind": "synthesis", "choices": {"kind": "unheard of"}}
    left = ledger.reserve("town", nonce="strange", price=Price(Fraction(1)), terms=terms)
    with pytest.raises(LedgerError, match="not those of a release"):
        curator.finish(trips(), four_tiles(), left, ledger)


def test_many_at_once_with_one_nonce_are_one_charge_and_one_bundle():
    ledger, city = account(), trips()

    def one(_):
        return curator.publish(city, four_tiles(), asked(), curator.default_ledger())

    with ThreadPoolExecutor(4) as pool:
        receipts = list(pool.map(one, range(4)))
    assert len({receipt.digest for receipt in receipts}) == 1
    assert sum(not receipt.repeated for receipt in receipts) == 1
    assert spent(ledger) == 1


def test_what_was_drawn_is_never_given_back_and_a_synthetic_release_is_never_raised(monkeypatch):
    ledger = account()
    with monkeypatch.context() as patch:
        patch.setattr(pending, "delivered", lambda *_: (_ for _ in ()).throw(Cut()))
        patch.setattr(ledger, "commit", lambda *_: (_ for _ in ()).throw(Cut()))
        with pytest.raises(Cut):
            synthesized(ledger)
    number = ledger.reservation("town", "first").number
    with pytest.raises(PrivacyError, match="noise was drawn"):
        curator.void(ledger, number, "nobody saw it")
    name = synthesized(ledger).release.id
    before = ledger.head()
    with pytest.raises(PrivacyError, match="only a release of tables can be raised"):
        curator.top_up(ledger, name, Fraction(2), nonce="up")
    assert ledger.head() == before
