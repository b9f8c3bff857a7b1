"""Files and servers that fail: refused in plain words, nothing spent, no driver's text, no password."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import tempfile
import traceback
from fractions import Fraction
from pathlib import Path

import pytest

from dpcore import limits
from dpcore.errors import LedgerError
from dpcore.ledger import Account, Ledger
from dpcore.ledger.storage import storage_at
from dpcore.privacy import PrivacyUnit
from tests.ledger.spending import meddle, spend, spent
from tests.ledger.test_races import racers

CITY = Account("city", "", PrivacyUnit.USER, Fraction(1))


@pytest.fixture
def kept(file):
    ledger = Ledger.opened(file)
    ledger.register(CITY)
    return ledger


def plain(error: LedgerError) -> str:
    """The text, if it is ours alone."""
    text = str(error)
    for word in (
        "sqlite3",
        "sqlalche",
        "psycopg",
        "INSERT",
        "SELECT",
        "database is",
        "FATAL",
        "ERROR",
        "Traceback",
    ):
        assert word not in text
    return text


def test_a_new_ledger_is_for_its_owner_only_and_a_commit_is_on_the_disk(file):
    ledger = Ledger.opened(str(file))
    ledger.register(CITY)
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert [path.name for path in file.parent.iterdir()] == [file.name]
    with storage_at(file).reading() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar_one() == "wal"
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar_one() == 2  # FULL
        assert {stat.S_IMODE(path.stat().st_mode) for path in file.parent.iterdir()} == {0o600}


def test_two_ledgers_have_two_names(tmp_path):
    assert Ledger.opened(tmp_path / "a").identity != Ledger.opened(tmp_path / "b").identity


def test_a_folder_that_was_there_keeps_its_mode(tmp_path):
    tmp_path.chmod(0o755)
    Ledger.opened(tmp_path / "a")
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o755


def test_on_a_file_system_without_hard_links_a_ledger_can_be_made(file, monkeypatch):
    def refuse(*_):
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    Ledger.opened(file).register(CITY)
    assert Ledger.opened(file).account("city") == CITY


@pytest.mark.parametrize("hard_links", [True, False])
def test_of_two_that_make_a_ledger_the_first_one_wins_and_no_part_is_left(file, monkeypatch, hard_links):
    link = os.link

    def overtaken(part, path):
        patch.undo()
        Ledger.opened(path).register(CITY)  # somebody else was quicker
        if not hard_links:
            raise OSError(1, "Operation not permitted")
        link(part, path)

    with monkeypatch.context() as patch:
        patch.setattr(os, "link", overtaken)
        assert Ledger.opened(file).accounts() == (CITY,)
    assert [path.name for path in file.parent.iterdir() if path.name.startswith(".part-")] == []


def test_a_ledger_that_is_deleted_while_the_program_runs_is_missed_and_not_begun_anew(kept, file):
    file.unlink()
    with pytest.raises(LedgerError, match=r"not there any more.*Until then nothing can be spent"):
        spend(kept, "0.1", "n")
    assert not file.exists()


@pytest.mark.usefixtures("kept")
def test_a_ledger_whose_journal_was_left_behind_is_not_begun_anew(file):
    file.unlink()
    file.with_name(f"{file.name}-wal").write_bytes(b"left")
    with pytest.raises(LedgerError, match="not there any more"):
        Ledger.opened(file)


def test_another_ledger_put_into_its_place_is_noticed(kept, file, tmp_path):
    Ledger.opened(tmp_path / "other").register(CITY)
    (tmp_path / "other").replace(file)
    with pytest.raises(LedgerError, match="set back or replaced while the program ran"):
        spend(kept, "0.1", "n")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"PAR1 this is no ledger, whatever its name says",
        b"\x00" * 5000,
        b"SQLite format 3\x00" + b"\xff" * 5000,
    ],
    ids=["empty", "text", "zeros", "header"],
)
def test_a_file_that_is_no_ledger_is_refused_and_left_alone(tmp_path, content):
    path = tmp_path / "ledger.sqlite"
    path.write_bytes(content)
    with pytest.raises(LedgerError) as refusal:
        Ledger.opened(path)
    assert str(path) in plain(refusal.value)
    assert path.read_bytes() == content


def test_every_page_that_is_overwritten_is_refused_or_unused(kept, file):
    spend(kept, "0.9", "n")
    good = file.read_bytes()
    found = 0
    for start in range(0, len(good), 512):
        file.write_bytes(good[:start] + b"\xa5" * 512 + good[start + 512 :])
        try:
            left = Ledger.opened(file).statement("city").left
        except LedgerError as error:
            plain(error)
            found += 1
        else:
            assert left == Fraction("0.1")
    assert found >= 4


@pytest.mark.parametrize("size", [1, 100, 4096, 8192])
def test_a_ledger_that_was_cut_short_is_refused(kept, file, size):
    spend(kept, "0.9", "n")
    os.truncate(file, size)
    with pytest.raises(LedgerError) as refusal:
        spend(kept, "0.9", "m")
    plain(refusal.value)


def test_a_database_of_another_form_is_refused(tmp_path):
    path = tmp_path / "other.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE ledger_entry (number INTEGER PRIMARY KEY, words TEXT)")
    connection.close()
    with pytest.raises(LedgerError, match="another form than this program writes"):
        Ledger.opened(path)


def test_values_of_another_type_are_refused(kept, file):
    with storage_at(file).writing() as connection:
        connection.exec_driver_sql("UPDATE ledger_entry SET body = CAST(body AS BLOB) WHERE number = 2")
    with pytest.raises(LedgerError, match="entry 2: it holds something other than text"):
        kept.accounts()


def test_a_folder_is_no_ledger(tmp_path):
    with pytest.raises(LedgerError):
        Ledger.opened(tmp_path)


def test_a_folder_below_a_file_cannot_be_made(tmp_path):
    (tmp_path / "a").write_bytes(b"")
    with pytest.raises(LedgerError) as refusal:
        Ledger.opened(tmp_path / "a" / "ledger.sqlite")
    plain(refusal.value)


@pytest.mark.parametrize("mode", [0o444, 0o000])
def test_a_ledger_that_may_not_be_written_spends_nothing(mode):
    nobody = 65534
    folder = Path(tempfile.mkdtemp(prefix="atlas-", dir="/tmp"))  # where another user can look
    try:
        ledger = Ledger.opened(folder / "ledger.sqlite")
        ledger.register(CITY)
        folder.chmod(0o555)
        (folder / "ledger.sqlite").chmod(mode)
        if os.geteuid() == 0:  # root may write everything
            text = racers("without_rights", folder / "ledger.sqlite", nobody)
        else:
            with pytest.raises(LedgerError) as refusal:
                spend(ledger, "0.1", "n")
            text = plain(refusal.value)
        assert "Until then nothing can be spent" in text
        (folder / "ledger.sqlite").chmod(0o600)
        folder.chmod(0o700)
        assert spent(ledger) == 0
    finally:
        folder.chmod(0o700)
        shutil.rmtree(folder)


def test_a_full_disk_spends_nothing(kept, file):
    text = racers("without_room", file)
    assert "Until then nothing can be spent" in text
    assert spent(kept) == 0
    assert spend(kept, "1", "later").fresh


@pytest.mark.usefixtures("ledger")
def test_a_ledger_that_is_locked_too_long_is_refused(address, monkeypatch):
    monkeypatch.setattr(limits, "LEDGER_WAIT_SECONDS", 0.1)
    impatient = Ledger.opened(address)
    with storage_at(address).writing():
        with pytest.raises(LedgerError, match="locked for too long") as refusal:
            spend(impatient, "0.1", "n")
        plain(refusal.value)
        assert impatient.statement("city").left == 1  # reading waits for nobody
    assert spend(impatient, "0.1", "n").fresh


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://atlas:geheim@127.0.0.1:1/books",
        "postgresql+psycopg://atlas:geheim@127.0.0.1:1/books?connect_timeout=1",
        "postgresql://atlas:geheim@127.0.0.1:port/books",
        "postgresql://127.0.0.1:1/books?user=atlas&password=geheim",
        "mysql://atlas:geheim@127.0.0.1/books",
        "postgres://atlas:geheim@127.0.0.1/books",
    ],
)
def test_a_password_is_in_no_text_and_no_traceback(address):
    with pytest.raises(LedgerError) as refusal:
        Ledger.opened(address)
    plain(refusal.value)
    shown = "".join(traceback.format_exception(refusal.value))
    code = "".join(line for line in shown.splitlines() if "Ledger.opened(" not in line)
    assert "geheim" not in code


def test_a_server_that_takes_no_writes_spends_nothing(postgres):
    Ledger.opened(postgres).register(CITY)
    read_only = Ledger.opened(f"{postgres}%20-cdefault_transaction_read_only%3Don")
    with pytest.raises(LedgerError, match="cannot be written") as refusal:
        spend(read_only, "0.1", "n")
    plain(refusal.value)
    assert read_only.statement("city").left == 1


def test_a_user_without_rights_spends_nothing(postgres):
    Ledger.opened(postgres).register(CITY)
    meddle(postgres, "DROP TABLE IF EXISTS nothing", "CREATE TABLE ledger_x ()")
    role = f"atlas_reader_{os.getpid()}"
    schema = postgres.rpartition("search_path")[2][3:]
    meddle(postgres, f"CREATE ROLE {role}", f"GRANT USAGE ON SCHEMA {schema} TO {role}")
    try:
        meddle(postgres, f"GRANT SELECT ON ledger_entry TO {role}")
        reader = Ledger.opened(f"{postgres}%20-crole%3D{role}")
        assert reader.account("city") == CITY
        with pytest.raises(LedgerError, match="cannot be written"):
            spend(reader, "0.1", "n")
        meddle(postgres, f"GRANT INSERT ON ledger_entry TO {role}")
        assert spend(reader, "0.1", "n").fresh  # adding is all that a writer needs to be allowed
    finally:
        meddle(postgres, f"DROP OWNED BY {role}", f"DROP ROLE {role}")


def test_tables_of_another_form_on_a_server_are_refused(postgres):
    meddle_raw(postgres, "CREATE TABLE ledger_entry (number bigint)")
    with pytest.raises(LedgerError, match="another form"):
        Ledger.opened(postgres)


def meddle_raw(address: str, statement: str) -> None:
    import psycopg

    with psycopg.connect(address) as connection:
        connection.execute(statement)
