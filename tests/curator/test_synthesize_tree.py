"""A tree of trajectories takes the one road: one charge of what a whole record can lose, one bundle, whatever happens."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from dpcore import curator, places
from dpcore.curator import pending, publishing
from dpcore.curator import price as synthesis_price
from dpcore.errors import BudgetExceededError, InputError, PrivacyError
from dpcore.kinds.tree.choices import Making, Source
from dpcore.kinds.tree.plan import Definition, Strategy
from dpcore.kinds.tree.private import maker
from dpcore.kinds.tree.private.sequences import TileSequences, sequences_of
from dpcore.ledger import Account
from dpcore.privacy import ContributionBound, PrivacyUnit
from dpcore.private.bounding import bounding_key
from dpcore.release import read_bundle, verify_bundle
from tests.cities import Trip, four_tiles, private
from tests.curator.asking import Cut, account, cut_short, request, spent, trips
from tests.curator.asking_synthetic import ONE_TRIP, asked, synthesized, synthetic_releases, tree
from tests.synthesis.tree.growing import QUIET

DAYS = tree("0.2", making=Making(Source.DAY))
RECORD = tree("0.2", definition=Definition.RECORD, strategy=Strategy.RECORD)
KINDS = {"trips": tree(), "days": DAYS, "record": RECORD, "all critical": tree(named=())}


def counts(release) -> list[int]:
    return release.drawn.tables.tree.y.tolist()


@pytest.mark.parametrize("choices", KINDS.values(), ids=KINDS)
def test_a_tree_is_paid_for_with_what_a_record_can_lose_and_lies_where_anyone_may_read_it(choices, tmp_path):
    ledger, steps = account(), []
    receipt = synthesized(ledger, asked(choices), out=tmp_path / "bundle", progress=steps.append)
    assert receipt.charged == spent(ledger) == choices.loss[0] == receipt.release.plan.loss[0]
    assert receipt.charged in {3 * choices.epsilon, 3 * choices.epsilon * Fraction(5, 2)}
    assert steps[-1] == 1
    verify_bundle(receipt.folder, digest=receipt.digest)
    (found,) = synthetic_releases()
    assert found.plan == choices
    assert curator.committed_digest(ledger, found) == receipt.digest
    assert curator.releases(ledger, "town") == ()
    assert f"--trajectory {choices.making.source.value} --outside leave-out" in found.command
    assert ("--levels LEVELS" in found.command) == bool(choices.named)


@pytest.mark.parametrize("source", Source)
def test_what_is_counted_are_the_bounded_trajectories(source, monkeypatch):
    monkeypatch.setattr(maker, "EXACT_NOISE", QUIET)
    choices = tree("0.2", making=Making(source), height=2)
    release = synthesized(account(), asked(choices)).release
    sequences = sequences_of(trips(), four_tiles(), choices, bounding_key())
    first, count = np.unique(sequences.symbols[sequences.offsets[:-1]], return_counts=True)
    found = release.drawn.tables.tree
    rows = found.of_depth(1)
    shown = dict(zip(found.symbol[rows].tolist(), found.y[rows].tolist(), strict=True))
    assert shown == {tile: n for tile, n in zip(first.tolist(), count.tolist(), strict=True) if tile in shown}
    assert shown
    assert len(sequences.lengths) == 120  # forty people, three trips or days each


def test_noise_is_drawn_afresh_for_every_release():
    ledger = account("15")
    # at this epsilon the tree keeps some place in every draw; two empty trees would be equal by chance
    one, two = (synthesized(ledger, asked(tree("1"), nonce)) for nonce in ("a", "b"))
    assert counts(one.release) != counts(two.release)


@pytest.mark.parametrize(
    ("choices", "charged"),
    [
        (tree(bound=ONE_TRIP), Fraction(5, 4)),
        (tree(bound=ONE_TRIP, named=()), Fraction(1, 2)),
        (tree(), Fraction(5, 2)),
        (tree(bound=ContributionBound.per_user(1)), Fraction(5, 2)),
        (tree(bound=ContributionBound.per_user(4), making=Making(Source.DAY)), Fraction(5, 2)),
        (tree(strategy=Strategy.UNIFORM), Fraction(1)),
    ],
)
def test_a_trip_account_pays_twice_what_one_trajectory_loses_for_a_promise_to_people(choices, charged):
    ledger = account(unit=PrivacyUnit.TRIP)
    receipt = synthesized(ledger, asked(choices))
    assert (receipt.charged, spent(ledger), receipt.charged_delta) == (charged, charged, 0)


def test_the_price_is_explained_step_by_step():
    steps = synthesis_price(tree(), PrivacyUnit.TRIP).steps
    assert steps[0].startswith("Tree of trajectories: Critical places have epsilon 0.5")
    assert "Low of weight 2/5: 0.5 / (2/5) = 1.25" in steps[1]
    assert "At most 3 trips" in steps[2]
    assert "1.25 x 3 = 3.75 for each person" in steps[2]
    assert "3.75 x 2/3 = 2.5 for each trip" in steps[3]
    assert "3 days" in synthesis_price(DAYS, PrivacyUnit.USER).steps[2]
    assert "No place has a lower level" in synthesis_price(tree(named=()), PrivacyUnit.USER).steps[1]
    assert (
        "same on every level" in synthesis_price(tree(strategy=Strategy.UNIFORM), PrivacyUnit.USER).steps[1]
    )
    assert len(synthesis_price(tree(bound=ONE_TRIP), PrivacyUnit.TRIP).steps) == 2


def test_the_steps_stand_in_the_ledger_for_everyone_to_read():
    ledger = account()
    synthesized(ledger, asked(tree()))
    assert any("Low of weight 2/5" in line for line in ledger.statement("town").lines)


def test_what_does_not_fit_costs_nothing():
    ledger = account()
    with pytest.raises(PrivacyError, match="without limit"):
        synthesized(ledger, asked(tree(bound=ONE_TRIP)))
    with pytest.raises(InputError, match="'Q'"):
        synthesized(ledger, asked(tree(named=(("Q", "Low"),))))
    with pytest.raises(BudgetExceededError):
        synthesized(ledger, asked(tree("2")))  # 2 x 5/2 x 3 is more than 10
    nobody = private([Trip(None, "A", "B")], has_users=False)
    with pytest.raises(PrivacyError, match="no user column"):
        curator.publish(nobody, four_tiles(), asked(DAYS), ledger)
    assert spent(ledger) == 0
    assert not (places.home() / "releases").exists()


def test_a_new_account_is_not_opened_for_what_cannot_be_published():
    ledger = curator.default_ledger()
    new = Account("new", "", PrivacyUnit.USER, Fraction(1))
    with pytest.raises(BudgetExceededError):
        curator.must_be_publishable(trips(), four_tiles(), asked(tree(), dataset="new"), new, ledger)
    curator.must_be_publishable(trips(), four_tiles(), asked(tree("0.1"), dataset="new"), new, ledger)
    assert ledger.accounts() == ()


def test_trips_that_visit_no_tile_give_a_tree_of_noise():
    nobody = private([Trip("u", "outside", "outside")])
    receipt = curator.publish(nobody, four_tiles(), asked(tree("0.1")), account())
    assert len(receipt.release.drawn.tables.tree) >= 1


def test_the_same_nonce_is_the_same_bundle_and_costs_nothing_more(tmp_path):
    ledger = account()
    first = synthesized(ledger, asked(tree()))
    again = synthesized(ledger, asked(tree()), out=tmp_path / "copy")
    assert (again.digest, again.repeated) == (first.digest, True)
    for file in ("tree.parquet", "trajectories.parquet", "manifest.json"):
        assert (first.folder / file).read_bytes() == (again.folder / file).read_bytes()
    for other in (tree(named=(("A", "High"),)), tree(making=Making(minutes=5))):
        with pytest.raises(PrivacyError, match="nonce"):
            synthesized(ledger, asked(other))
    assert spent(ledger) == tree().loss[0]


STEPS = [
    (maker, "sequences_of"),
    (maker, "grow"),
    (maker, "consistent"),
    (publishing.accounts, "noted_files"),
    (publishing, "write_bundle"),
    (pending, "manifest_digest"),
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
        synthesized(ledger, asked(tree()))
    drawn = [counts(read_bundle(path)) for path in (places.home() / "private" / "waiting").glob("town-*")]
    receipt = synthesized(curator.default_ledger(), asked(tree()))
    assert spent(ledger) == tree().loss[0]
    assert len(synthetic_releases()) == 1
    if drawn:
        assert counts(receipt.release) == drawn[0]
    assert ledger.statement("town").open_reservations == ()


@pytest.mark.parametrize("choices", KINDS.values(), ids=KINDS)
def test_a_reservation_left_open_is_finished_from_its_own_terms(choices, monkeypatch):
    ledger = account()
    with monkeypatch.context() as patch:
        patch.setattr(publishing, "write_bundle", lambda *_: (_ for _ in ()).throw(Cut()))
        with pytest.raises(Cut):
            synthesized(ledger, asked(choices, note="two\nlines"))
    (left,) = ledger.statement("town").open_reservations
    receipt = curator.finish(trips(), four_tiles(), left, ledger)
    assert (receipt.release.note, receipt.release.plan) == ("two\nlines", choices)
    assert spent(ledger) == choices.loss[0]


def test_a_tree_is_never_raised_nor_given_back_once_it_was_drawn(monkeypatch):
    ledger = account()
    with monkeypatch.context() as patch:
        patch.setattr(ledger, "commit", lambda *_: (_ for _ in ()).throw(Cut()))
        with pytest.raises(Cut):
            synthesized(ledger, asked(tree()))
    number = ledger.reservation("town", "first").number
    with pytest.raises(PrivacyError, match="noise was drawn"):
        curator.void(ledger, number, "nobody saw it")
    name = synthesized(ledger, asked(tree())).release.id
    with pytest.raises(PrivacyError, match="only a release of tables can be raised"):
        curator.top_up(ledger, name, Fraction(9), nonce="up")
    with pytest.raises(PrivacyError, match="nonce"):
        curator.publish(trips(), four_tiles(), request(), ledger)


def test_the_noise_of_releases_is_the_exact_one():
    noise = maker.EXACT_NOISE
    assert [one.__module__ for one in (noise.laplace, noise.false_positives, noise.tail)] == [
        "dpcore.noise.samplers",
        "dpcore.noise.sparse",
        "dpcore.noise.samplers",
    ]


def test_a_tree_that_could_not_be_drawn_is_refused_before_the_charge(monkeypatch):
    ledger = account()
    monkeypatch.setattr("dpcore.kinds.tree.private.drawing.MAX_FALSE_POSITIVES", 1_000)
    with pytest.raises(PrivacyError, match="could not be drawn"):
        synthesized(ledger, asked(tree()))
    assert spent(ledger) == 0


def test_a_number_that_is_no_tile_is_found_before_the_charge(monkeypatch):
    ledger = account()
    monkeypatch.setattr(maker, "sequences_of", lambda *_: TileSequences.of([(0, 99)]))
    with pytest.raises(ValueError, match="not a tile"):
        synthesized(ledger, asked(tree()))
    assert spent(ledger) == 0


@pytest.mark.parametrize("choices", KINDS.values(), ids=KINDS)
def test_a_tree_of_more_places_than_fit_is_paid_for_and_finished(choices, monkeypatch):
    monkeypatch.setattr("dpcore.limits.MAX_TREE_PLACES", 6)
    monkeypatch.setattr(
        "dpcore.limits.MAX_BUNDLE_ROWS", 19
    )  # each place with two end markers, and what stands above all
    monkeypatch.setattr(maker, "EXACT_NOISE", QUIET)
    ledger = account("100")
    receipt = synthesized(ledger, asked(replace(choices, epsilon=Fraction(10))))
    verify_bundle(receipt.folder, digest=receipt.digest)
    tree = receipt.release.drawn.tables.tree
    assert int((tree.symbol[1:] < tree.locations).sum()) == 6
    assert "At most 6 places are kept" in (receipt.folder / "README.md").read_text(encoding="utf-8")
