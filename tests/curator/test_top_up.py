"""Raising a release: the same ladder, the difference in price, one end of the chain."""

from __future__ import annotations

import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from dpcore import curator, limits, places
from dpcore.curator import topping_up as topping
from dpcore.errors import AtlasError, BudgetExceededError, InputError, LedgerError, PrivacyError
from dpcore.measures import MEASURES
from dpcore.private import kept_counts
from dpcore.private.bounding import bounded
from dpcore.private.exact import exact_answers
from dpcore.release import read_bundle, verify_bundle, write_bundle
from dpcore.views.numbers.guarantee import facts
from tests.cities import four_tiles
from tests.curator.asking import account, request, spent, trips


@pytest.fixture
def first():
    ledger = account("4")
    return ledger, curator.publish(trips(), four_tiles(), request(), ledger).release


def test_a_top_up_costs_the_difference_and_keeps_every_rung_that_was_shown(first, tmp_path):
    ledger, release = first
    receipt = curator.top_up(ledger, release.id, Fraction(3), nonce="up", out=tmp_path / "bundle")
    assert (receipt.charged, spent(ledger)) == (2, 3)
    higher = receipt.release
    assert higher.raised_from == release.id
    assert higher.plan.rungs == (*release.plan.rungs, Fraction(3, 2), Fraction(2), Fraction(3))
    for name, before in release.measurements.items():
        after = higher.measurements[name]
        assert np.array_equal(after.values[: len(before.rungs)], before.values)
        assert after.half_widths[: len(before.rungs)] == before.half_widths
        assert after.half_widths[-1] < before.half_widths[-1]
    verify_bundle(tmp_path / "bundle", digest=receipt.digest)
    again = curator.top_up(ledger, release.id, Fraction(3), nonce="up", out=tmp_path / "bundle")
    assert (again.repeated, again.digest, spent(ledger)) == (True, receipt.digest, 3)


def test_a_raised_release_says_that_its_epsilon_was_chosen_later(first, tmp_path):
    ledger, release = first
    receipt = curator.top_up(ledger, release.id, Fraction(3), nonce="up", out=tmp_path / "bundle")
    said = (
        "The first epsilon, the contribution bound and the tiles were chosen before anyone looked at the data. "
        "Epsilon was raised later, when an earlier release had been published."
    )
    for name in ("manifest.json", "README.md", "registry.yaml"):
        assert said in (tmp_path / "bundle" / name).read_text(), name
    assert ("Parameters", said) in facts(receipt.release)
    assert receipt.release.parameters_chosen == "before_data"


def test_a_chain_is_raised_from_its_end_only(first):
    ledger, release = first
    second = curator.top_up(ledger, release.id, Fraction(2), nonce="up").release
    with pytest.raises(PrivacyError, match="topped up already"):
        curator.top_up(ledger, release.id, Fraction(2), nonce="beside")
    with pytest.raises(PrivacyError, match="topped up already"):
        curator.top_up(ledger, release.id, Fraction(3), nonce="beside")
    third = curator.top_up(ledger, second.id, Fraction(3), nonce="higher")
    assert (third.charged, spent(ledger)) == (1, 3)


def test_a_top_up_goes_up_and_within_the_budget(first):
    ledger, release = first
    for epsilon in (Fraction(1), Fraction(1, 2)):
        with pytest.raises(PrivacyError, match="higher"):
            curator.top_up(ledger, release.id, epsilon, nonce="down")
    with pytest.raises(BudgetExceededError):
        curator.top_up(ledger, release.id, Fraction(5), nonce="far")
    with pytest.raises(InputError, match="no such release"):
        curator.top_up(ledger, "../town-2", Fraction(2), nonce="else")
    assert spent(ledger) == 1
    assert curator.top_up(ledger, release.id, Fraction(2), nonce="up").charged == 1


def test_without_its_hidden_state_or_its_key_a_release_stays_as_it_is(first):
    ledger, release = first
    key = places.home() / "private" / "keys" / "chains.key"
    kept = key.read_bytes()
    key.unlink()
    with pytest.raises(PrivacyError, match="cannot be topped up"):  # a new key fits nothing
        curator.top_up(ledger, release.id, Fraction(2), nonce="up")
    key.write_bytes(kept[:-5])
    with pytest.raises(PrivacyError, match="damaged"):
        curator.top_up(ledger, release.id, Fraction(2), nonce="up")
    key.write_bytes(kept)
    for sealed in (places.home() / "private" / "chains").iterdir():
        sealed.unlink()
    with pytest.raises(PrivacyError, match="cannot be topped up"):
        curator.top_up(ledger, release.id, Fraction(2), nonce="up")
    assert spent(ledger) == 1


def test_the_hidden_state_is_not_readable_and_lies_apart_from_the_bundle(first):
    _, release = first
    (sealed,) = (places.home() / "private" / "chains").iterdir()
    assert sealed.stat().st_mode & 0o077 == 0
    content = sealed.read_bytes()
    assert b"visits_per_tile" not in content
    assert not any("chains" in str(p) for p in (places.home() / "releases" / release.id).rglob("*"))


class Cut(BaseException):
    """The process ends here."""


@pytest.mark.parametrize("before", [True, False], ids=["before", "after"])
@pytest.mark.parametrize("step", ["raised", "write_bundle", "committed"])
def test_a_top_up_cut_short_is_finished_before_another_may_begin(first, step, before, monkeypatch):
    ledger, release = first
    real = getattr(topping, step)

    def cut(*args, **kwargs):
        if not before:
            real(*args, **kwargs)
        raise Cut

    with monkeypatch.context() as patch:
        patch.setattr(topping, step, cut)
        with pytest.raises(Cut):
            curator.top_up(ledger, release.id, Fraction(2), nonce="up")
    with pytest.raises(PrivacyError):  # two continuations of one rung would tell too much
        curator.top_up(ledger, release.id, Fraction(3), nonce="beside")
    receipt = curator.top_up(ledger, release.id, Fraction(2), nonce="up")
    assert spent(ledger) == 2
    assert receipt.release.plan.epsilon == 2


def test_of_many_at_once_one_continues_the_chain(first, monkeypatch):
    ledger, release = first
    together = threading.Barrier(6, timeout=60)
    real = topping.library.release

    def read(*args):
        found = real(*args)
        together.wait()  # all have read the same end before any of them goes on
        return found

    monkeypatch.setattr(topping.library, "release", read)
    monkeypatch.setattr(topping.pending, "alone", lambda *_: nullcontext())  # the ledger alone must hold

    def one(number):
        try:
            return curator.top_up(curator.default_ledger(), release.id, Fraction(2), nonce=f"n{number}")
        except AtlasError:
            return None

    with ThreadPoolExecutor(6) as pool:
        done = [receipt for receipt in pool.map(one, range(6)) if receipt]
    assert len(done) == 1
    assert spent(ledger) == 2


def test_state_of_a_chain_can_be_destroyed():
    kept_counts.keep("chain", {"m": np.arange(3)}, "ab" * 32)
    assert kept_counts.counts_of_chain("chain", "ab" * 32)["m"].tolist() == [0, 1, 2]
    with pytest.raises(PrivacyError, match="another draw"):
        kept_counts.counts_of_chain("chain", "cd" * 32)
    kept_counts.destroy("chain")
    with pytest.raises(PrivacyError):
        kept_counts.counts_of_chain("chain", "ab" * 32)


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
def test_raised_values_are_the_exact_counts_with_the_noise_of_the_new_rung(sparse, monkeypatch):
    if sparse:
        monkeypatch.setattr(limits, "MAX_DENSE_CELLS", 10)
    ledger, city = account("100"), trips()
    asked = request("10")
    release = curator.publish(city, four_tiles(), asked, ledger).release
    higher = curator.top_up(ledger, release.id, Fraction(20), nonce="up").release
    answers = exact_answers(
        bounded(city, asked.plan.bound), [MEASURES[name] for name in release.measurements]
    )
    for name, measurement in higher.measurements.items():
        exact = answers.dense(MEASURES[name], measurement.keys)[measurement.cell_numbers]
        off = np.abs(measurement.values[-1] - exact)
        assert exact.any()
        assert off.max() <= 8 * measurement.half_widths[-1]  # and a count of 0 in its place would be far off
    assert sparse == (higher.measurements["trips_per_hour"].cells is not None)


def rewritten(release, **changes):
    """The bundle of a release rewritten in every file, so that it verifies by itself."""
    folder = places.home() / "releases" / release.id
    shutil.rmtree(folder)
    write_bundle(replace(release, **changes), folder)


def test_a_bundle_rewritten_to_look_whole_is_never_raised(first):
    ledger, release = first
    second = curator.top_up(ledger, release.id, Fraction(2), nonce="up").release
    rewritten(release, anchor=second.anchor)  # the old end of the chain with the newer one's entry
    verify_bundle(places.home() / "releases" / release.id)
    with pytest.raises(LedgerError, match="not the one that was committed"):
        curator.top_up(ledger, release.id, Fraction(2), nonce="beside")
    rewritten(release, title="Another")
    with pytest.raises(LedgerError, match="not the one that was committed"):
        curator.top_up(ledger, release.id, Fraction(2), nonce="beside")
    assert spent(ledger) == 2


def test_two_computers_on_one_ledger_continue_a_rung_once(first, tmp_path, monkeypatch):
    ledger, release = first
    books = places.home() / "ledger" / "ledger.db"
    shutil.copytree(places.home(), tmp_path / "copy")
    curator.top_up(ledger, release.id, Fraction(2), nonce="here")
    monkeypatch.setenv("EPSILON_ATLAS_HOME", str(tmp_path / "copy"))
    with pytest.raises(PrivacyError, match="topped up already"):
        curator.top_up(ledger, release.id, Fraction(3), nonce="there")
    with pytest.raises(LedgerError):  # the same request again: what was drawn there is not here
        curator.top_up(ledger, release.id, Fraction(2), nonce="here")
    assert books.exists()
    assert spent(ledger) == 2
    assert not any(
        read_bundle(p.parent).plan.epsilon == 2
        for p in (tmp_path / "copy" / "releases").glob("*/manifest.json")
    )


def test_more_rungs_than_a_bundle_holds_are_refused_before_the_charge(first, monkeypatch):
    ledger, release = first
    monkeypatch.setattr(limits, "MAX_BUNDLE_RUNGS", len(release.plan.rungs) + 1)
    second = curator.top_up(ledger, release.id, Fraction("1.001"), nonce="a").release
    with pytest.raises(PrivacyError, match="rungs"):
        curator.top_up(ledger, second.id, Fraction("1.002"), nonce="b")
    assert spent(ledger) == Fraction("1.001")
    assert ledger.statement("town").open_reservations == ()


def test_a_top_up_that_is_whole_is_finished_without_its_parent_and_without_hidden_state(first, monkeypatch):
    ledger, release = first
    with monkeypatch.context() as patch:
        patch.setattr(topping, "committed", lambda *_: (_ for _ in ()).throw(Cut()))
        with pytest.raises(Cut):
            curator.top_up(ledger, release.id, Fraction(2), nonce="up")
    shutil.rmtree(places.home() / "releases" / release.id)
    shutil.rmtree(places.home() / "private" / "chains")
    receipt = curator.top_up(ledger, release.id, Fraction(2), nonce="up")
    assert (receipt.release.plan.epsilon, spent(ledger)) == (2, 2)


def test_hidden_state_of_another_draw_never_raises_a_release(first):
    ledger, release = first
    (sealed,) = (places.home() / "private" / "chains").iterdir()
    other = curator.publish(trips(), four_tiles(), request(nonce="other"), ledger).release
    assert other.id != release.id
    (second,) = (p for p in (places.home() / "private" / "chains").iterdir() if p != sealed)
    sealed.write_bytes(second.read_bytes())
    with pytest.raises(PrivacyError, match="another draw"):
        curator.top_up(ledger, release.id, Fraction(2), nonce="up")
    assert spent(ledger) == 2


def cut_before_the_draw(ledger, release, monkeypatch):
    """The reservation of a top-up whose run ended before anything was drawn."""
    with monkeypatch.context() as patch:
        patch.setattr(topping, "raised", lambda *_: (_ for _ in ()).throw(Cut()))
        with pytest.raises(Cut):
            curator.top_up(ledger, release.id, Fraction(2), nonce="up")
    return ledger.reservation("town", "up")


def test_a_top_up_left_open_is_finished_from_its_own_terms(first, monkeypatch, tmp_path):
    ledger, release = first
    left = cut_before_the_draw(ledger, release, monkeypatch)
    receipt = curator.finish(trips(), four_tiles(), left, ledger, out=tmp_path / "bundle")
    assert (receipt.charged, spent(ledger)) == (1, 2)
    assert (receipt.release.raised_from, receipt.folder) == (release.id, tmp_path / "bundle")


def test_a_top_up_that_is_given_back_leaves_the_counts_for_the_next_one(first, monkeypatch):
    ledger, release = first
    left = cut_before_the_draw(ledger, release, monkeypatch)
    assert ledger.refund_of(left.number) == 1
    curator.void(ledger, left.number, "the power went before anything was drawn")
    assert spent(ledger) == 1
    assert curator.top_up(ledger, release.id, Fraction(3), nonce="again").charged == 2


def test_a_top_up_is_not_given_back_once_its_noise_was_written(first, monkeypatch):
    ledger, release = first
    with monkeypatch.context() as patch:
        patch.setattr(topping, "write_bundle", lambda *_: (_ for _ in ()).throw(Cut()))
        with pytest.raises(Cut):
            curator.top_up(ledger, release.id, Fraction(2), nonce="up")
    with pytest.raises(PrivacyError, match="noise was drawn"):
        curator.void(ledger, ledger.reservation("town", "up").number, "nobody saw it")
    assert curator.top_up(ledger, release.id, Fraction(2), nonce="up").charged == 1


def test_a_top_up_that_another_run_of_it_finished_meanwhile_is_drawn_once(first, monkeypatch):
    ledger, release = first
    real = topping.library.release
    others = []

    def overtaken(*given):
        found = real(*given)
        patch.undo()
        others.append(curator.top_up(ledger, release.id, Fraction(2), nonce="up"))
        return found

    with monkeypatch.context() as patch:
        patch.setattr(topping.library, "release", overtaken)
        receipt = curator.top_up(ledger, release.id, Fraction(2), nonce="up")
    assert (receipt.digest, receipt.repeated, spent(ledger)) == (others[0].digest, True, 2)
