"""Refusals on the way of a spend that hardly ever happen: damaged keys and notes, odd disks, bundles that were exchanged."""

from __future__ import annotations

import os
import pickle
from fractions import Fraction

import pytest

from dpcore import curator, places
from dpcore.curator import desk
from dpcore.errors import AtlasError, InputError, LedgerError, PrivacyError
from dpcore.ledger import Ledger, entries, last_seen
from dpcore.noise.sparse import specks
from dpcore.private import store
from dpcore.private.bounding import bounding_key
from dpcore.private.sealed import Sealed
from tests.cities import four_tiles
from tests.curator.asking import account, request, spent, trips


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
    with pytest.raises(ValueError, match="empty cells are some of all cells"):
        specks(empty, 10, Fraction(1), threshold)


@pytest.mark.parametrize(
    ("read", "value"), [(entries.text, 7), (entries.mapping, ["a"]), (entries.texts, "abc")]
)
def test_what_an_entry_says_is_of_its_kind_or_a_misfit(read, value):
    with pytest.raises(entries.Misfit, match="is missing"):
        read(value)


def seen_ledger(tmp_path) -> Ledger:
    ledger = last_seen.opened(tmp_path / "ledger.sqlite")
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
        last_seen.opened(tmp_path / "ledger.sqlite")


def test_a_note_that_cannot_be_written_is_told(tmp_path):
    (places.home() / "ledgers-seen").write_text("a file where the folder should be")
    with pytest.raises(LedgerError):
        last_seen.opened(tmp_path / "ledger.sqlite")


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
        desk.must_hold(out, "0" * 64)
    assert (out / "manifest.json").read_text() == "somebody else's"
