"""A ledger that is gone, was set back or was changed is noticed before anything is spent."""

from __future__ import annotations

import shutil

import pytest

from dpcore import curator, places
from dpcore.errors import LedgerError
from tests.cities import four_tiles
from tests.curator.asking import account, request, trips


def files():
    return list((places.home() / "ledger").iterdir())


def test_a_ledger_that_was_deleted_is_not_begun_anew():
    ledger = account()
    curator.publish(trips(), four_tiles(), request(), ledger)
    for file in files():
        file.unlink()
    for _ in range(2):  # and the refusal makes none
        with pytest.raises(LedgerError, match="is gone"):
            curator.default_ledger()


def test_a_ledger_restored_from_an_old_backup_is_refused(tmp_path):
    account()
    shutil.copytree(places.home() / "ledger", tmp_path / "backup")
    curator.publish(trips(), four_tiles(), request(), curator.default_ledger())
    shutil.rmtree(places.home() / "ledger")
    shutil.copytree(tmp_path / "backup", places.home() / "ledger")
    with pytest.raises(LedgerError):
        curator.default_ledger()


def test_a_damaged_note_stops_spending():
    account()
    (note,) = (places.home() / "ledgers-seen").glob("of-*")
    note.write_text("{", encoding="utf-8")
    with pytest.raises(LedgerError, match="note"):
        curator.default_ledger()


def test_another_place_by_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("EPSILON_ATLAS_LEDGER", str(tmp_path / "other.db"))
    account()
    assert (tmp_path / "other.db").exists()
    assert not (places.home() / "ledger").exists()


def test_a_nonce_follows_the_last_line():
    ledger = account()
    first = curator.fresh_nonce(ledger, "a", 1)
    assert first == curator.fresh_nonce(ledger, "a", 1)
    assert first != curator.fresh_nonce(ledger, "a", 2)
    curator.publish(trips(), four_tiles(), request(nonce=first), ledger)
    assert first != curator.fresh_nonce(ledger, "a", 1)


def test_a_ledger_without_the_entry_of_a_release_that_lies_here_is_refused(tmp_path):
    account()
    shutil.copytree(places.home() / "ledger", tmp_path / "backup")
    curator.publish(trips(), four_tiles(), request(), curator.default_ledger())
    for folder in ("ledger", "ledgers-seen"):  # the notes are set back with it
        shutil.rmtree(places.home() / folder)
    shutil.copytree(tmp_path / "backup", places.home() / "ledger")
    with pytest.raises(LedgerError):
        curator.default_ledger()
