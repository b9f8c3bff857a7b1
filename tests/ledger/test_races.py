"""Many writers at once, and writers that are killed: never more than the budget, never a charge lost."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import pytest

from dpcore.errors import BudgetExceededError
from dpcore.ledger import Ledger, storage
from tests.conftest import ROOT
from tests.ledger.spending import spend, spent


def racers(*words: object) -> str:
    """What the program beside this file prints; what goes wrong in one of its processes is shown."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.ledger.racers", *map(str, words)],
        check=False, capture_output=True, text=True, cwd=ROOT, timeout=500,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    print(done.stderr)
    return done.stdout.strip()


def test_of_fifty_processes_that_make_a_ledger_and_race_for_ten_shares_exactly_ten_get_one(address):
    assert racers("race", address, 50) == "10 40 0"
    ledger = Ledger.opened(address)
    ledger.verify()
    assert spent(ledger) == 1
    assert [entry.kind for entry in ledger.entries()] == ["genesis", "register", *["reserve"] * 10]


def test_a_maker_that_comes_second_takes_the_ledger_that_somebody_already_writes(file, monkeypatch):
    make = storage._make

    def overtaken(path):
        """Another maker comes between the look for a ledger and its making, and writes while we make ours."""
        make(path)
        first = storage.storage_at(path)
        with first.writing() as connection:
            connection.execute(storage.insert(storage.SIGHTINGS).values(dataset="city", fingerprint="f"))
            assert file.with_name(f"{file.name}-wal").exists()
            make(path)

    monkeypatch.setattr(storage, "_make", overtaken)
    ledger = Ledger.opened(file)
    assert [entry.kind for entry in ledger.entries()] == ["genesis"]


def test_of_forty_threads_on_one_ledger_exactly_ten_get_a_share(ledger):
    def ask(number: int) -> bool:
        try:
            spend(ledger, "1/10", f"thread {number}")
        except BudgetExceededError:
            return False
        return True

    with ThreadPoolExecutor(40) as threads:
        assert sum(threads.map(ask, range(40))) == 10
    assert spent(ledger) == 1


def test_forty_threads_with_one_nonce_are_charged_once(ledger):
    with ThreadPoolExecutor(40) as threads:
        got = list(threads.map(lambda _: spend(ledger, "1/10", "double click"), range(40)))
    assert [reservation.fresh for reservation in got].count(True) == 1
    assert len({reservation.number for reservation in got}) == 1
    assert spent(ledger) == Fraction(1, 10)


@pytest.mark.parametrize("seed", [1])
def test_a_writer_that_is_killed_loses_no_charge_and_leaves_books_that_balance(address, seed):
    granted, _ = map(int, racers("kill", address, 6, seed).split())
    assert granted >= 6
