"""Runs that end in the middle: taken up without a second charge or draw, or given back."""

from __future__ import annotations

import shutil

import pytest

from dpcore import curator, places
from dpcore.curator import makers, pending, publishing
from dpcore.errors import InputError, LedgerError, PrivacyError, UnfinishedError
from dpcore.release import read_bundle, verify_bundle, writing
from tests.cities import Trip, four_tiles, private
from tests.curator.asking import CANARY, Cut, account, cut_short, published, request, spent, trips

STEPS = [
    (makers, "exact_answers"),
    (makers, "measured"),
    (publishing.accounts, "noted_files"),
    (publishing.kept_counts, "keep"),
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
        published(ledger, request())
    waiting = (places.home() / "private" / "waiting").glob("town-*")
    drawn = [read_bundle(path).measurements["od_flows"].values.tolist() for path in waiting]
    charged = spent(ledger)
    assert charged in {0, 1}
    if not drawn and step not in {"delivered", "must_be_unchanged"}:
        assert not (places.home() / "releases").exists()  # nobody has seen anything
    receipt = published(curator.default_ledger(), request())
    assert spent(ledger) == 1
    assert len(curator.releases(ledger, "town")) == 1
    if drawn:  # what was whole already is handed over as it was
        assert receipt.release.measurements["od_flows"].values.tolist() == drawn[0]
    assert ledger.statement("town").open_reservations == ()
    verify_bundle(receipt.folder, digest=ledger.reservation("town", "first").digest)


def test_a_reservation_left_open_is_finished_from_its_own_terms(monkeypatch):
    ledger = account()
    with monkeypatch.context() as patch:
        patch.setattr(publishing, "write_bundle", lambda *_: (_ for _ in ()).throw(Cut()))
        with pytest.raises(Cut):
            published(ledger, request(note="two\nlines", publisher="City council"))
    (left,) = ledger.statement("town").open_reservations
    receipt = curator.finish(trips(), four_tiles(), left, ledger)
    assert receipt.release.note == "two\nlines"
    assert receipt.release.publisher == "City council"
    assert (receipt.charged, spent(ledger)) == (1, 1)
    assert receipt.release.plan == request().plan


def cut_at(step, ledger, monkeypatch):
    """A run that ends before a step."""
    with monkeypatch.context() as patch:
        place = makers if step == "measured" else publishing
        patch.setattr(place, step, lambda *_, **__: (_ for _ in ()).throw(Cut()))
        with pytest.raises(Cut):
            published(ledger, request())
    return ledger.reservation("town", "first").number


def test_a_void_request_stays_void_and_its_budget_comes_back(monkeypatch):
    ledger = account()
    number = cut_at("measured", ledger, monkeypatch)
    curator.void(ledger, number, "the power went before anything was drawn")
    assert spent(ledger) == 0
    assert not list((places.home() / "private" / "chains").glob("*"))
    with pytest.raises(PrivacyError, match="given back"):
        published(ledger, request())


def test_what_was_committed_before_a_cut_is_found_when_the_ledger_is_opened(monkeypatch):
    ledger = account()
    with monkeypatch.context() as patch:
        patch.setattr(pending, "delivered", lambda *_: (_ for _ in ()).throw(Cut()))
        with pytest.raises(Cut):
            published(ledger, request())
    assert ledger.reservation("town", "first").state == "committed"
    assert not (places.home() / "releases").exists()
    assert len(curator.releases(curator.default_ledger(), "town")) == 1


def test_a_bundle_that_is_whole_is_finished_without_its_trips(monkeypatch):
    ledger = account()
    cut_at("committed", ledger, monkeypatch)
    left = ledger.reservation("town", "first")
    monkeypatch.setattr(makers, "exact_answers", None)
    assert curator.finish(private([Trip("x", "A", "B")]), four_tiles(), left, ledger).charged == 1


def test_a_bundle_damaged_while_it_waited_was_never_seen_and_is_drawn_again(monkeypatch):
    ledger = account()
    cut_at("committed", ledger, monkeypatch)
    (waiting,) = (places.home() / "private" / "waiting").glob("town-*")
    (waiting / "tables" / "od_flows.csv").unlink()
    with pytest.raises(PrivacyError, match="noise was drawn"):
        curator.void(ledger, ledger.reservation("town", "first").number, "it is damaged")
    receipt = published(ledger, request())
    verify_bundle(receipt.folder, digest=receipt.digest)
    assert spent(ledger) == 1


def test_what_was_drawn_is_never_given_back(monkeypatch):
    ledger = account()
    number = cut_at("committed", ledger, monkeypatch)
    with pytest.raises(PrivacyError, match="noise was drawn"):
        curator.void(ledger, number, "nobody saw it")
    assert spent(ledger) == 1
    assert published(ledger, request()).charged == 1
    with pytest.raises(LedgerError, match="not open"):
        curator.void(ledger, number, "it is published")


@pytest.mark.parametrize("left", ["parts", "nothing"])
def test_noise_that_was_written_in_part_is_never_given_back(left, monkeypatch):
    """A killed run leaves the parts, a failed one removes them: either way somebody could have looked before."""
    ledger, seen = account(), []

    def cut(folder, _):
        seen.append((folder / "tables" / "od_flows.csv").read_bytes())
        raise Cut

    with monkeypatch.context() as patch:
        patch.setattr(writing, "_read_back", cut)
        if left == "parts":
            patch.setattr(writing.shutil, "rmtree", lambda *_, **__: None)
        with pytest.raises(Cut):
            published(ledger, request())
    waiting = places.home() / "private" / "waiting"
    assert seen
    assert bool([*waiting.glob(".town-*/bundle/manifest.json")]) is (left == "parts")
    if left == "parts":
        next(waiting.glob(".town-*.drawn")).unlink()  # as earlier versions left it
    with pytest.raises(PrivacyError, match="noise was drawn"):
        curator.void(ledger, ledger.reservation("town", "first").number, "nobody saw it")
    assert published(ledger, request()).charged == spent(ledger) == 1
    assert not [*waiting.glob(".town-*")]


def test_another_computer_neither_finishes_nor_gives_back_what_was_begun_here(tmp_path, monkeypatch):
    ledger = account()
    number = cut_at("measured", ledger, monkeypatch)
    city = trips()
    monkeypatch.setenv("EPSILON_ATLAS_HOME", str(tmp_path / "other"))
    with pytest.raises(PrivacyError, match="another computer"):
        curator.void(ledger, number, "not drawn")
    with pytest.raises(PrivacyError, match="nonce"):
        curator.publish(city, four_tiles(), request(), ledger)
    assert not (tmp_path / "other" / "releases").exists()


def test_a_second_draw_of_a_copied_computer_is_never_shown(tmp_path, monkeypatch):
    """A copy of the data folder, made while a release waited, draws again: the ledger knows one of the two."""
    ledger = account()
    cut_at("write_bundle", ledger, monkeypatch)
    shutil.copytree(places.home(), tmp_path / "copy")
    city = trips()
    published(ledger, request())
    monkeypatch.setenv("EPSILON_ATLAS_HOME", str(tmp_path / "copy"))
    with pytest.raises(LedgerError):
        curator.publish(city, four_tiles(), request(), ledger)
    assert not (tmp_path / "copy" / "releases").exists()


@pytest.mark.parametrize(
    "place", ["publishing.last_seen.remember", "publishing.accounts.noted_files", "publishing.committed"]
)
def test_whatever_fails_after_the_charge_is_told_as_paid(place, monkeypatch):
    ledger = account()
    with monkeypatch.context() as patch:
        patch.setattr(f"dpcore.curator.{place}", lambda *_: (_ for _ in ()).throw(OSError(28, "full")))
        with pytest.raises(UnfinishedError, match="nonce first"):
            published(ledger, request())
    assert published(ledger, request()).charged == 1
    assert spent(ledger) == 1


def test_a_failure_after_the_charge_says_that_it_is_paid_and_how_to_go_on(monkeypatch):
    ledger = account()
    for error in (InputError("the folder cannot be written", "there", "Free some."), ValueError(CANARY)):
        with monkeypatch.context() as patch:
            patch.setattr(publishing, "write_bundle", lambda *_, error=error: (_ for _ in ()).throw(error))
            with pytest.raises(UnfinishedError, match="nonce first") as told:
                published(ledger, request())
        assert CANARY not in str(told.value)
        assert told.value.__cause__ is None
    assert spent(ledger) == 1
    assert published(ledger, request()).charged == 1
