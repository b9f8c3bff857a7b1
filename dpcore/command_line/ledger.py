"""Commands on a ledger: ``ledger show``, ``entries``, ``explain``, ``register``, ``verify`` and ``void``."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Final

from dpcore import curator
from dpcore.command_line.output import write
from dpcore.errors import InputError
from dpcore.ledger import Account, Ledger
from dpcore.ledger.storage import is_url
from dpcore.planning.choice import whole
from dpcore.privacy import PrivacyUnit, decimal_text, exact_budget


def _add_ledger(ledger: argparse.ArgumentParser) -> None:
    jobs = ledger.add_subparsers(metavar="JOB", required=True)

    show = jobs.add_parser("show", help="list every account with what was spent and what is left")
    show.set_defaults(run=_show)
    entries = jobs.add_parser("entries", help="list every line of the ledger")
    entries.set_defaults(run=_entries)
    explain = jobs.add_parser("explain", help="explain every charge of a data set, step by step")
    explain.set_defaults(run=_explain)
    register = jobs.add_parser("register", help="open an account; its terms are final")
    register.set_defaults(run=_register)
    verify = jobs.add_parser("verify", help="recompute the hash chain and the books")
    verify.set_defaults(run=_verify)
    void = jobs.add_parser("void", help="give back a reservation of which nothing was drawn")
    void.set_defaults(run=_void)

    for job in (show, entries, explain, register, verify, void):
        job.add_argument(
            "ledger",
            nargs="?",
            metavar="FILE",
            help="a file, or a PostgreSQL URL; default: the ledger of this installation",
        )
    for job in (explain, register):
        job.add_argument("--dataset", required=True, metavar="NAME")
    register.add_argument("--total-budget", required=True, metavar="B")
    register.add_argument("--account-unit", required=True, metavar="user|trip")
    register.add_argument("--population", default="", metavar="TEXT", help="who is in the data")
    register.add_argument(
        "--parts", metavar="UNIT:a,b", help="parts that share no user (users:a,b) or no trip (trips:a,b)"
    )
    void.add_argument("number", type=whole, metavar="NUMBER")
    void.add_argument("--reason", required=True, metavar="TEXT")


COMMANDS: Final = {"ledger": _add_ledger}


def _existing(options: argparse.Namespace) -> Ledger:
    """The ledger that the options name, or that of this installation. A file must exist: reading never creates a ledger."""
    address = str(curator.default_address() if options.ledger is None else options.ledger)
    if not is_url(address) and not Path(address).exists():
        raise InputError("there is no ledger", address, "Give the file that releases were paid from.")
    return curator.ledger_at(address)


def _show(options: argparse.Namespace) -> None:
    ledger = _existing(options)
    statements = [ledger.statement(account.dataset) for account in ledger.accounts()]
    write(
        sys.stdout,
        {
            "dataset": [s.account.dataset for s in statements],
            "account_unit": [s.account.unit.value for s in statements],
            "total": [decimal_text(s.account.total) for s in statements],
            "spent": [decimal_text(s.spent) for s in statements],
            "left": [decimal_text(s.left) for s in statements],
            "spent_exact": [f"{s.spent.numerator}:{s.spent.denominator}" for s in statements],
            "open_reservations": [len(s.open_reservations) for s in statements],
        },
    )


def _entries(options: argparse.Namespace) -> None:
    entries = _existing(options).entries()
    write(
        sys.stdout,
        {
            "number": [entry.number for entry in entries],
            "time": [entry.time for entry in entries],
            "kind": [entry.kind for entry in entries],
            "dataset": [entry.dataset for entry in entries],
            "body": [json.dumps(entry.body, sort_keys=True, default=dict) for entry in entries],
            "hash": [entry.hash for entry in entries],
        },
    )


def _explain(options: argparse.Namespace) -> None:
    for line in _existing(options).statement(options.dataset).lines:
        print(line)


def _register(options: argparse.Namespace) -> None:
    parts, parts_of = (), None
    if options.parts is not None:
        kind, _, names = options.parts.partition(":")
        parts_of = {"users": PrivacyUnit.USER, "trips": PrivacyUnit.TRIP}.get(kind)
        if parts_of is None:
            raise InputError("not a division of users or trips", "--parts", "Write users:a,b or trips:a,b.")
        parts = tuple(name.strip() for name in names.split(","))
    account = curator.register(
        curator.default_ledger() if options.ledger is None else curator.ledger_at(options.ledger),
        Account(
            options.dataset,
            options.population,
            PrivacyUnit.parse(options.account_unit),
            exact_budget(options.total_budget),
            parts,
            parts_of,
        ),
    )
    print(f"registered {account.dataset}: {account.total} per {account.unit.value}")


def _verify(options: argparse.Namespace) -> None:
    number, last_hash = _existing(options).head()  # opening checks every line
    print(f"all {number} lines are as they were written; the hash of the last one is {last_hash}")


def _void(options: argparse.Namespace) -> None:
    entry = curator.void(_existing(options), options.number, options.reason)
    print(f"line {entry.number}: reservation {options.number} is void")
