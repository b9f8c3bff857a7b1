"""Refusals on the way of a spend that hardly ever happen: damaged keys and notes, odd disks, bundles that were exchanged."""

from __future__ import annotations

import os
import pickle
from dataclasses import replace
from fractions import Fraction

import pytest

from dpcore import curator, limits, places
from dpcore.curator import library, pending
from dpcore.errors import AtlasError, InputError, LedgerError, PrivacyError, UnfinishedError
from dpcore.kinds.roy.private import drawing
from dpcore.ledger import Account, Ledger, Price, entries, last_seen
from dpcore.noise.sparse import false_positives
from dpcore.privacy import PrivacyUnit
from dpcore.private import store
from dpcore.private.bounding import bounding_key
from dpcore.private.sealed import Sealed
from tests.cities import four_tiles
from tests.curator.asking import account, request, spent, trips
from tests.synthesis.small import plan


@pytest.mark.parametrize("content", [b"", b"k" * 15, b"k" * 17])
def test_a_damaged_bounding_key_is_refused_and_never_drawn_anew(content):
    place = store.folder("keys") / "bounding.key"
    place.write_bytes(content)
    with pytest.raises(PrivacyError, match="bounding key is damaged"):
        bounding_key()
    assert place.read_bytes() == content


def test_private_things_show_their_class_and_nothing_else():
    class Secret(Sealed):
        __slots__ = ("value",)

    secret = Secret()
    secret.value = 41_077
    assert repr(secret) == str(secret) == "<Secret>"
    with pytest.raises(PrivacyError):
        pickle.dumps(secret)


@pytest.mark.parametrize(("empty", "threshold"), [(-1, 1), (11, 1), (5, 0)])
def test_empty_cells_are_some_of_all_cells_and_the_threshold_is_one_or_more(empty, threshold):
    with pytest.raises(ValueError, match="at most as many empty cells as cells"):
        false_positives(empty, 10, Fraction(1), threshold)


@pytest.mark.parametrize(
    ("read", "value"), [(entries.text, 7), (entries.mapping, ["a"]), (entries.texts, "abc")]
)
def test_what_an_entry_says_is_of_its_kind_or_a_misfit(read, value):
    with pytest.raises(entries.Misfit, match="is missing"):
        read(value)


def seen_ledger(tmp_path) -> Ledger:
    ledger = last_seen.checked_ledger(tmp_path / "ledger.sqlite")
    last_seen.remember(ledger)
    return ledger


def notes():
    return sorted((places.home() / "ledgers-seen").iterdir())


@pytest.mark.parametrize("content", [b"", b"1 abc\n", b"\xff\xfe"])
def test_a_note_about_a_ledger_that_cannot_be_read_stops_every_spend(tmp_path, content):
    seen_ledger(tmp_path)
    (last,) = [note for note in notes() if note.name.startswith("of-")]
    last.write_bytes(content)
    with pytest.raises(LedgerError):
        last_seen.checked_ledger(tmp_path / "ledger.sqlite")


def test_a_note_that_cannot_be_written_is_told(tmp_path):
    (places.home() / "ledgers-seen").write_text("a file where the folder should be")
    with pytest.raises(LedgerError):
        last_seen.checked_ledger(tmp_path / "ledger.sqlite")


def test_a_note_whose_folder_cannot_be_made_is_told(tmp_path, monkeypatch):
    def full(*_):
        raise OSError("no space left")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(LedgerError, match="note about the ledger cannot be written"):
        last_seen._write(tmp_path / "notes" / "at-1", "x")


def test_a_ledger_is_made_whole_where_the_disk_knows_no_hard_links(tmp_path, monkeypatch):
    def none(*_):
        raise OSError("no hard links here")

    monkeypatch.setattr(os, "link", none)
    ledger = Ledger.opened(tmp_path / "new" / "ledger.sqlite")
    ledger.verify()
    assert [path.name for path in (tmp_path / "new").iterdir() if path.name.startswith(".part")] == []


def test_another_ledger_in_the_place_of_one_that_was_used_is_refused(tmp_path):
    seen_ledger(tmp_path)
    Ledger.opened(tmp_path / "other.sqlite")
    (tmp_path / "other.sqlite").replace(tmp_path / "ledger.sqlite")
    for _ in range(2):  # and the refusal does not make it the known one
        with pytest.raises(LedgerError, match="is gone: it was deleted, moved or replaced"):
            last_seen.checked_ledger(tmp_path / "ledger.sqlite")


def test_a_slower_process_never_sets_the_last_seen_line_back(tmp_path, monkeypatch):
    ledger = seen_ledger(tmp_path)
    earlier = ledger.head()
    ledger.register(Account("city", "", PrivacyUnit.USER, Fraction(1)))
    last_seen.remember(ledger)
    (last,) = [note for note in notes() if note.name.startswith("of-")]
    newest = last.read_text()
    monkeypatch.setattr(ledger, "head", lambda: earlier)
    last_seen.remember(ledger)
    assert last.read_text() == newest


@pytest.mark.parametrize(
    "address", ["postgresql://atlas:geheim@host/books?password=geheim", "postgresql+psycopg://host/books"]
)
def test_a_note_about_a_ledger_on_a_server_holds_no_password(tmp_path, monkeypatch, address):
    here = Ledger.opened(tmp_path / "ledger.sqlite")
    other = Ledger.opened(tmp_path / "other.sqlite")
    monkeypatch.setattr(Ledger, "opened", lambda _: here)
    assert last_seen.checked_ledger(address) is here  # no file of that name is looked for
    assert last_seen.checked_ledger(address) is here
    assert not any("geheim" in note.read_text() for note in notes())
    monkeypatch.setattr(Ledger, "opened", lambda _: other)
    with pytest.raises(LedgerError, match=r"is gone: .*//host/books") as refusal:
        last_seen.checked_ledger(address)
    assert "geheim" not in str(refusal.value)


def test_a_receipt_shows_the_release_and_what_it_cost():
    ledger = account()
    first = curator.publish(trips(), four_tiles(), request(), ledger)
    again = curator.publish(trips(), four_tiles(), request(), ledger)
    assert repr(first) == f"<Receipt of {first.release.id}: charged 1, left {first.left}>"
    assert repr(again).endswith(", published before>")


def test_a_bundle_that_was_exchanged_is_not_handed_out(tmp_path):
    ledger = account()
    done = curator.publish(trips(), four_tiles(), request(), ledger)
    (done.folder / "manifest.json").write_text("{}")
    with pytest.raises(AtlasError):
        curator.publish(trips(), four_tiles(), request(), ledger, out=tmp_path / "out")
    assert spent(ledger) == 1
    assert not (tmp_path / "out").exists()


def test_a_folder_with_another_release_is_refused_and_untouched(tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "manifest.json").write_text("somebody else's")
    with pytest.raises(InputError, match="the folder holds another release"):
        pending.must_not_hold_another(out, "0" * 64)
    assert (out / "manifest.json").read_text() == "somebody else's"


@pytest.mark.parametrize("place", ["file/below", "file"])
def test_a_place_that_cannot_be_written_is_refused_before_anything_is_charged(tmp_path, place):
    (tmp_path / "file").write_text("no folder")
    ledger = account()
    with pytest.raises(InputError):
        curator.publish(trips(), four_tiles(), request(), ledger, out=tmp_path / place)
    assert spent(ledger) == 0
    assert (tmp_path / "file").read_text() == "no folder"


def test_a_copy_that_fails_after_the_charge_says_where_the_release_is_safe(tmp_path, monkeypatch):
    ledger = account()

    def full(*_):
        raise OSError(28, "no space left")

    with monkeypatch.context() as patch:
        patch.setattr(pending.shutil, "copytree", full)
        with pytest.raises(UnfinishedError, match=r"cannot be written.*The release is safe in .*nonce first"):
            curator.publish(trips(), four_tiles(), request(), ledger, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()
    done = curator.publish(trips(), four_tiles(), request(), ledger, out=tmp_path / "out")
    assert (done.folder, done.repeated, spent(ledger)) == (tmp_path / "out", True, 1)


def test_a_copy_goes_into_an_empty_folder_that_is_there_already(tmp_path):
    (tmp_path / "out").mkdir()
    done = curator.publish(trips(), four_tiles(), request(), account(), out=tmp_path / "out")
    assert (done.folder / "manifest.json").is_file()


def test_a_release_that_another_ledger_paid_for_is_not_vouched_for(tmp_path):
    done = curator.publish(trips(), four_tiles(), request(), account())
    with pytest.raises(LedgerError, match="not the ledger that paid for the release"):
        curator.committed_digest(Ledger.opened(tmp_path / "other.sqlite"), done.release)


def test_a_release_that_was_never_committed_is_not_vouched_for():
    ledger = account()
    done = curator.publish(trips(), four_tiles(), request(), ledger)
    left = ledger.reserve("town", nonce="open", price=Price(Fraction(1)), terms={})
    anchor = replace(done.release.anchor, number=left.number, hash=left.entry_hash)
    with pytest.raises(LedgerError, match="never committed this release"):
        curator.committed_digest(ledger, replace(done.release, anchor=anchor))


def test_a_manifest_too_large_to_be_ours_is_not_read_and_does_not_stop_the_ledger(monkeypatch):
    ledger = account()
    done = curator.publish(trips(), four_tiles(), request(), ledger)
    assert list(library.anchors(ledger)) == [(done.release.anchor.number, done.release.anchor.hash)]
    monkeypatch.setattr(limits, "MAX_MANIFEST_BYTES", 10)
    assert list(library.anchors(ledger)) == []
    curator.default_ledger()


@pytest.mark.parametrize("name", ["town", "town-99-abcdef", "town-x-abcdef"])
def test_a_bundle_that_waits_under_a_name_that_this_ledger_never_gave_stays_where_it_is(name):
    account()
    place = pending.waiting(name)
    place.mkdir(parents=True)
    (place / "manifest.json").write_text("{}")
    curator.default_ledger()
    assert (place / "manifest.json").is_file()
    assert not places.published().exists()


def test_a_release_that_another_ledger_paid_for_is_no_anchor_and_no_release_of_this_one(tmp_path):
    ledger, other = account(), Ledger.opened(tmp_path / "other.sqlite")
    done = curator.publish(trips(), four_tiles(), request(), ledger)
    assert list(library.anchors(other)) == []
    assert [release.id for release in curator.releases(ledger, "town")] == [done.release.id]
    assert curator.releases(other, "town") == curator.releases(ledger, "village") == ()
    with pytest.raises(InputError, match="this ledger knows no such release here"):
        library.release(other, done.release.id)


@pytest.mark.parametrize("terms", [{}, {"kind": "of a later version"}])
def test_an_entry_of_no_kind_that_we_know_is_neither_named_nor_finished(terms):
    ledger = account()
    left = ledger.reserve("town", nonce="strange", price=Price(Fraction(1)), terms=terms)
    assert curator.kind_of_entry(terms) == ""
    with pytest.raises(LedgerError, match="the terms of this entry are not those of a release: strange"):
        curator.finish(trips(), four_tiles(), left, ledger)
    assert spent(ledger) == 1


@pytest.mark.parametrize("lacking", ["title", "parameters_chosen"])
def test_an_entry_whose_terms_lack_a_word_is_not_finished(lacking):
    ledger, whole = account(), request().terms("tiles", "UTC", "here")
    terms = {name: value for name, value in whole.items() if name != lacking}
    left = ledger.reserve("town", nonce="short", price=Price(Fraction(1)), terms=terms)
    with pytest.raises(LedgerError, match="the terms of this entry are not those of a release: short"):
        curator.finish(trips(), four_tiles(), left, ledger)


def test_a_bundle_that_waits_and_was_never_committed_is_not_published_by_opening_the_ledger():
    ledger = account()
    left = ledger.reserve("town", nonce="open", price=Price(Fraction(1)), terms={})
    place = pending.waiting(pending.release_id(left))
    place.mkdir(parents=True)
    (place / "manifest.json").write_text("{}")
    library.settle(ledger)
    assert (place / "manifest.json").is_file()
    assert not places.published().exists()


def test_the_entry_of_a_raise_is_about_tables():
    assert curator.kind_of_entry({"kind": "top-up", "raises": "town-3-abcdef"}) == "tables"


def test_rates_of_synthetic_tables_too_long_to_draw_are_refused_before_anything_is_counted():
    drawing.must_be_drawable(plan())
    with pytest.raises(PrivacyError, match="too long to draw exactly"):
        drawing.must_be_drawable(plan(epsilon=Fraction(2**60 + 1, 2**60)))
