"""All accounts of one ledger, replayed from its entries; a new entry passes the same checks as an old one."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Final

from dpcore.errors import AtlasError, InputError, LedgerError, PrivacyError
from dpcore.ledger.account import Entry, EntryKind, Reservation
from dpcore.ledger.bodies import Misfit
from dpcore.ledger.book import Book
from dpcore.ledger.chain import BEFORE_THE_FIRST, altered, canonical, check_link, check_size, entry_hash

_FORMAT: Final = "epsilon-atlas ledger"
_VERSION: Final = 1


def first_entry() -> Entry:
    """The entry that a new ledger begins with; its hash names the ledger.

    Nanoseconds and process make two ledgers differ. They are a name and no secret, so no randomness is needed.
    """
    body = {"format": _FORMAT, "version": _VERSION, "nanoseconds": time.time_ns(), "process": os.getpid()}
    return _sealed(1, "genesis", "", body, BEFORE_THE_FIRST)


class Books:
    """The entries of a ledger and what they add up to. It belongs to one transaction and is then thrown away."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        """Replay all entries; raises LedgerError that names the first one that does not fit."""
        self.entries: list[Entry] = []
        self.accounts: dict[str, Book] = {}
        for entry in entries:
            self._take(entry)
        if not self.entries:
            raise altered(1, "it is missing")

    @property
    def identity(self) -> str:
        """Name of the ledger: the hash of its first entry."""
        return self.entries[0].hash

    @property
    def head(self) -> tuple[int, str]:
        """Number and hash of the last entry."""
        return self.entries[-1].number, self.entries[-1].hash

    def book(self, dataset: str) -> Book:
        """The account of that name; raises InputError that lists the names there are."""
        if dataset not in self.accounts and not self.accounts:
            raise InputError(
                "no data set is registered yet", repr(dataset), "Register it with its total budget."
            )
        if dataset not in self.accounts:
            raise InputError.unknown("data set", dataset, sorted(self.accounts))
        return self.accounts[dataset]

    def reservation(self, number: int) -> Reservation:
        """The reservation that an entry made; raises LedgerError where the entry made none."""
        for book in self.accounts.values():
            if number in book.reservations:
                return book.reservations[number]
        raise LedgerError(
            "this entry of the ledger reserved nothing",
            f"entry {number}",
            "Give the number that the release or the statement names.",
        )

    def check_new_name(self, dataset: str) -> None:
        """Refuse a name that a file system could take for one that is registered; raises PrivacyError."""
        for known in self.accounts:
            if known.casefold() == dataset.casefold():
                raise PrivacyError(
                    "a data set of nearly this name is registered",
                    f"{dataset!r} beside {known!r}",
                    "If it is the same data set, use the registered name; else choose a name that differs in more "
                    "than capital letters.",
                )

    def write(self, kind: EntryKind, dataset: str, body: Mapping[str, object]) -> Entry:
        """Append an entry; whoever calls has the lock and stores it. Raises LedgerError if it does not fit."""
        check_size(body)
        last = self.entries[-1]
        entry = _sealed(last.number + 1, kind, dataset, body, last.hash)
        self._take(entry)
        return entry

    def _take(self, entry: Entry) -> None:
        check_link(entry, self.entries[-1] if self.entries else None)
        try:
            self._replay(entry)
        except Misfit as error:
            raise altered(entry.number, str(error)) from None
        except LedgerError:
            raise
        except (AtlasError, KeyError, TypeError, ValueError):
            raise altered(entry.number, "it does not say what an entry of its kind says") from None
        self.entries.append(entry)

    def _replay(self, entry: Entry) -> None:
        if not self.entries:
            _check_first(entry)
        elif entry.kind == "register":
            if entry.dataset in self.accounts:
                raise Misfit("it registers a data set a second time")
            self.accounts[entry.dataset] = Book(self.identity, entry)
        else:
            self.accounts[entry.dataset].take(entry)


def _check_first(entry: Entry) -> None:
    if entry.kind != "genesis" or entry.body["format"] != _FORMAT:
        raise Misfit("it is not the beginning of a ledger")
    if entry.body["version"] != _VERSION:
        raise LedgerError(
            "this ledger was written by another version of the program",
            f"entry 1 names version {entry.body['version']}, this program reads {_VERSION}",
            "Use the program that wrote it. Nothing was changed.",
        )


def _sealed(number: int, kind: EntryKind, dataset: str, body: Mapping[str, object], previous: str) -> Entry:
    now = datetime.now(UTC).isoformat(timespec="seconds")
    entry = Entry(number, now, kind, dataset, MappingProxyType(json.loads(canonical(body))), previous, "")
    return replace(entry, hash=entry_hash(entry))
