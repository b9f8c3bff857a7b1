"""A program that starts many processes on one ledger at once; the tests read what it prints.

It forks from one process that has imported everything, so that fifty processes cost no fifty starts of Python.
"""

from __future__ import annotations

import os
import random
import resource
import signal
import sys
import time
from collections import Counter
from fractions import Fraction
from pathlib import Path

import psycopg
from sqlalchemy import make_url

from dpcore import limits
from dpcore.errors import AtlasError, BudgetExceededError, LedgerError
from dpcore.ledger import Account, Ledger
from dpcore.privacy import PrivacyUnit
from tests.ledger.spending import spend

GRANTED, REFUSED, BROKEN = range(3)

assert psycopg.__version__  # imported once here and not once in every child
make_url("postgresql+psycopg://").get_dialect()


def account(total: int) -> Account:
    return Account("city", "", PrivacyUnit.USER, Fraction(total))


def race(address: str, racers: int) -> None:
    """All racers open the ledger (it may be missing), register, and ask for a tenth of the budget at once."""
    limits.LEDGER_WAIT_SECONDS = 400  # type: ignore[misc] # a busy machine may be slow; who waits is still served
    start, gun = os.pipe()
    children = []
    for number in range(racers):
        child = os.fork()
        if child == 0:
            os.close(gun)
            os.read(start, 1)  # blocks until the parent closes its end
            os._exit(_ask(address, number))
        children.append(child)
    os.close(gun)
    ends = Counter(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children)
    print(ends[GRANTED], ends[REFUSED], racers - ends[GRANTED] - ends[REFUSED])


def _ask(address: str, number: int) -> int:
    try:
        ledger = Ledger.opened(address)
        ledger.register(account(1))
        spend(ledger, "1/10", f"racer {number}")
    except BudgetExceededError:
        return REFUSED
    except Exception as error:  # noqa: BLE001 - the parent counts it
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return BROKEN
    return GRANTED


def kill(address: str, kills: int, seed: int) -> None:
    """A writer is killed at random moments; after each the books balance and nothing that was granted is lost."""
    rng = random.Random(seed)
    Ledger.opened(address).register(account(100))
    granted, torn = 0, 0
    for life in range(kills):
        heard, told = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(heard)
            _write_until_killed(address, life, told)
        os.close(told)
        os.read(heard, 1)  # the first grant: it is at work
        time.sleep(rng.random() * 0.03)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        told_of = 1
        while piece := os.read(heard, 4096):
            told_of += len(piece)
        os.close(heard)
        ledger = Ledger.opened(address)
        ledger.verify()
        lived = [r for r in ledger.statement("city").open_reservations if r.nonce.startswith(f"{life}-")]
        if not told_of <= len(lived) <= told_of + 1:  # one may be stored whose answer was never heard
            raise SystemExit(f"life {life}: told {told_of}, stored {len(lived)}")
        torn += len(lived) - told_of
        granted += len(lived)
        if ledger.statement("city").spent != Fraction(granted, 1000):
            raise SystemExit(f"life {life}: the books do not balance")
    print(granted, torn)


def _write_until_killed(address: str, life: int, told: int) -> None:
    ledger = Ledger.opened(address)
    number = 0
    while True:
        number += 1
        spend(ledger, "1/1000", f"{life}-{number}")
        os.write(told, b".")


def without_rights(address: str, user: int) -> None:
    """Spend as a user who may read the ledger and not write it."""
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)
    _tell_refusal(address)


def without_room(address: str) -> None:
    """Spend where no file may grow beyond a few bytes."""
    ledger = Ledger.opened(address)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    _tell_refusal(ledger)


def _tell_refusal(address: str | Ledger) -> None:
    try:
        spend(Ledger.opened(address) if isinstance(address, str) else address, "1/10", "in vain")
    except LedgerError as error:
        print(error)
    except AtlasError as error:
        raise SystemExit(f"another refusal: {error}") from None
    else:
        raise SystemExit("it was granted")


if __name__ == "__main__":
    job, where, *numbers = sys.argv[1:]
    assert Path("dpcore").is_dir()
    {"race": race, "kill": kill, "without_rights": without_rights, "without_room": without_room}[job](
        where, *map(int, numbers)
    )
