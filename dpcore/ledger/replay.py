"""The replay of a ledger: its accounts from its entries in order, with every charge computed again and compared.

The same replay checks a new entry before it is stored and an old one when it is read. So a ledger never holds an entry
that could not have been written into it. ``AccountBooks`` are all accounts of a ledger. An ``AccountBook`` is one account
with its reservations.

What releases cost together:

*Chains.* A top-up refines the same ladder, and all rungs are post-processing of the finest one. So the releases of one
chain cost what the most expensive of them costs (largest epsilon, largest delta).

*Sequential composition.* Different chains use fresh noise on the same units, so their losses add up.

*Parallel composition.* If every privacy unit lies in one declared part, its loss is what was spent on the whole data set
plus what was spent on that part. The worst unit lies in the most expensive part.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from dpcore.errors import AtlasError, InputError, LedgerError, PrivacyError
from dpcore.exact_json import canonical
from dpcore.ledger.account import Entry, EntryKind, Loss, Reservation, largest
from dpcore.ledger.entries import (
    BEFORE_THE_FIRST,
    Misfit,
    account_of,
    altered,
    amount,
    check_link,
    check_size,
    entry_hash,
    mapping,
    price_of,
    text,
)


@dataclass
class Chain:
    """The releases that continue one ladder, by the numbers of their entries."""

    part: str | None
    """The part that they count; None for the whole data set."""
    losses: dict[int, Loss] = field(default_factory=dict)

    @property
    def cost(self) -> Loss:
        """The cost of all of them together: that of the most expensive one."""
        return largest(self.losses.values())


class Composition:
    """The running cost of one account. It only adds up. Whether the account can pay is checked elsewhere."""

    def __init__(self) -> None:
        self.chains: dict[str, Chain] = {}
        self._sums: dict[str | None, Loss] = {}

    @property
    def spent(self) -> Loss:
        """The loss of the worst unit so far."""
        return self.on_whole + largest(loss for part, loss in self._sums.items() if part is not None)

    @property
    def on_whole(self) -> Loss:
        """What was spent on the whole data set."""
        return self.on_part(None)

    def on_part(self, part: str | None) -> Loss:
        """What was spent on one part alone, or with None on the whole data set."""
        return self._sums.get(part, Loss())

    def add(self, number: int, group: str, part: str | None, loss: Loss) -> Loss:
        """Add a release to its chain. Returns by how much the spent rose."""
        before = self.spent
        chain = self.chains.setdefault(group, Chain(part))
        cost = chain.cost
        chain.losses[number] = loss
        self._sums[part] = self.on_part(part) + (chain.cost - cost)
        return self.spent - before

    def remove(self, number: int, group: str) -> Loss:
        """Remove a release from its chain. Returns by how much the spent fell."""
        before = self.spent
        chain = self.chains[group]
        cost = chain.cost
        del chain.losses[number]
        self._sums[chain.part] = self.on_part(chain.part) + (chain.cost - cost)
        return before - self.spent

    def copy(self) -> Composition:
        """A copy with the same sums, for trying a change that other readers must not see."""
        same = Composition()
        same.chains = {group: Chain(chain.part, dict(chain.losses)) for group, chain in self.chains.items()}
        same._sums = dict(self._sums)
        return same

    def cost_of(self, group: str) -> Loss:
        """The cost of a chain so far; 0 for a new one."""
        return self.chains[group].cost if group in self.chains else Loss()

    def fits(self, group: str, part: str | None, total: Fraction) -> Fraction:
        """The largest epsilon that a release in this chain could have under a total. It may be 0."""
        beside = self.spent.epsilon if part is None else self.on_whole.epsilon + self.on_part(part).epsilon
        return total - beside + self.cost_of(group).epsilon


@dataclass(frozen=True)
class Step:
    """What one entry did to the account, for the statement."""

    entry: Entry
    reservation: Reservation | None
    """The reservation that the entry made, committed or gave back."""
    change: Loss
    """By how much the spent rose (reserve) or fell (void)."""
    chain_before: Loss
    """The cost of its chain before the entry."""
    part_after: Loss
    """The cost of its part alone, after the entry."""
    spent: Loss
    """The spent after the entry."""


def own_group(number: int) -> str:
    """The name of the chain that a reservation begins if no chain is given."""
    return f"entry-{number}"


class AccountBook:
    """An account, its reservations by number, and the running sum."""

    def __init__(self, ledger: str, registration: Entry) -> None:
        self.account = account_of(registration)
        self.reservations: dict[int, Reservation] = {}
        self.by_nonce: dict[str, int] = {}
        self.commits: dict[int, Entry] = {}
        """The entry that committed a reservation, by the number of the reservation."""
        self.composition = Composition()
        self.steps = [Step(registration, None, Loss(), Loss(), Loss(), Loss())]
        self._ledger = ledger

    @property
    def total(self) -> Loss:
        """The most that the account may lose in all."""
        return Loss(self.account.total, self.account.total_delta)

    def take(self, entry: Entry) -> None:
        """Replay the next entry of this account. Misfit, ValueError or KeyError if it does not fit to those before."""
        if entry.kind == "reserve":
            self._reserve(entry)
        elif entry.kind == "commit":
            self._commit(entry)
        elif entry.kind == "void":
            self._void(entry)
        else:
            raise Misfit("a data set is registered once")

    def charge(self, number: int, group: str, part: str | None, loss: Loss) -> Loss:
        """What a reservation would be charged. Nothing is changed, because other threads may be reading."""
        return self.composition.copy().add(number, group, part, loss)

    def end_of(self, group: str) -> Reservation | None:
        """The newest release of a chain that was not given back; None if there is none."""
        links = [link for link in self.reservations.values() if link.group == group and link.state != "void"]
        return links[-1] if links else None

    def _reserve(self, entry: Entry) -> None:
        body = entry.body
        nonce, group, part = text(body["nonce"]), text(body["group"]), body["part"]
        if nonce in self.by_nonce:
            raise Misfit("its nonce was used before")
        if part is not None and part not in self.account.parts:
            raise Misfit("its part was never declared")
        part = None if part is None else text(part)
        chain = self.composition.chains.get(group)
        if chain is not None and chain.part != part:
            raise Misfit("its chain belongs to another part")
        end = self.end_of(group)
        number = None if end is None else end.number
        # Entries of the earliest versions do not say what they follow. Their hash vouches for them.
        if body.get("follows", number) != number or ("follows" in body and end and end.state != "committed"):
            raise Misfit("it does not continue its chain from the end")
        price = price_of(body["price"])
        loss = Loss(price.epsilon, price.delta)
        if loss.epsilon <= 0 or loss.delta < 0:
            raise Misfit("its price is not positive")
        before = self.composition.cost_of(group)
        charged = self.composition.add(entry.number, group, part, loss)
        if charged != Loss(amount(body["charged"]), amount(body["charged_delta"])):
            raise Misfit("its charge is not what its price adds to the earlier charges")
        if not self.composition.spent.within(self.total):
            raise Misfit("it takes more than the account held")
        reservation = Reservation(
            ledger=self._ledger,
            number=entry.number,
            dataset=entry.dataset,
            nonce=nonce,
            charged=charged.epsilon,
            entry_hash=entry.hash,
            state="reserved",
            digest=None,
            terms=mapping(body["terms"]),
            fresh=False,
            group=group,
            part=part,
            follows=number,
            price=price,
            charged_delta=charged.delta,
        )
        self.reservations[entry.number] = reservation
        self.by_nonce[nonce] = entry.number
        self._note(entry, reservation, charged, before)

    def _commit(self, entry: Entry) -> None:
        reservation = self._open(entry)
        committed = replace(reservation, state="committed", digest=text(entry.body["digest"]))
        self.reservations[reservation.number] = committed
        self.commits[reservation.number] = entry
        self._note(entry, committed, Loss(), Loss())

    def _void(self, entry: Entry) -> None:
        reservation = self._open(entry)
        text(entry.body["reason"])
        refunded = self.composition.remove(reservation.number, reservation.group)
        if refunded != Loss(amount(entry.body["refunded"]), amount(entry.body["refunded_delta"])):
            raise Misfit("what it gives back is not what its release had added")
        given_back = replace(reservation, state="void")
        self.reservations[reservation.number] = given_back
        self._note(entry, given_back, refunded, Loss())

    def refund(self, reservation: Reservation) -> Loss:
        """What giving a reservation back would return. Nothing is changed."""
        return self.composition.copy().remove(reservation.number, reservation.group)

    def _open(self, entry: Entry) -> Reservation:
        number = entry.body["reservation"]
        reservation = self.reservations[number] if isinstance(number, int) else None
        if reservation is None or reservation.state != "reserved":
            raise Misfit("its reservation is not open")
        return reservation

    def _note(self, entry: Entry, reservation: Reservation, change: Loss, before: Loss) -> None:
        part_after = self.composition.on_part(reservation.part)
        self.steps.append(Step(entry, reservation, change, before, part_after, self.composition.spent))


_FORMAT: Final = "epsilon-atlas ledger"
_VERSION: Final = 1


def first_entry() -> Entry:
    """The entry with which a new ledger begins. Its hash names the ledger.

    Nanoseconds and the process make two ledgers differ. They are a name and not a secret, so no randomness is needed.
    """
    body = {"format": _FORMAT, "version": _VERSION, "nanoseconds": time.time_ns(), "process": os.getpid()}
    return _sealed(1, "genesis", "", body, BEFORE_THE_FIRST)


class AccountBooks:
    """The entries of a ledger and their sums. It belongs to one transaction and is then thrown away."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        """Replay all entries. Raises LedgerError that names the first one that does not fit."""
        self.entries: list[Entry] = []
        self.accounts: dict[str, AccountBook] = {}
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

    def book(self, dataset: str) -> AccountBook:
        """The account with that name. Raises InputError with the registered names."""
        if dataset not in self.accounts and not self.accounts:
            raise InputError(
                "no data set is registered yet", repr(dataset), "Register it with its total budget."
            )
        if dataset not in self.accounts:
            raise InputError.unknown("data set", dataset, sorted(self.accounts))
        return self.accounts[dataset]

    def reservation(self, number: int) -> Reservation:
        """The reservation that an entry made. Raises LedgerError if the entry made none."""
        for book in self.accounts.values():
            if number in book.reservations:
                return book.reservations[number]
        raise LedgerError(
            "this entry of the ledger reserved nothing",
            f"entry {number}",
            "Give the number that the release or the statement names.",
        )

    def check_new_name(self, dataset: str) -> None:
        """Refuse a name that a file system could mistake for a registered one. Raises PrivacyError."""
        for known in self.accounts:
            if known.casefold() == dataset.casefold():
                raise PrivacyError(
                    "a data set of nearly this name is registered",
                    f"{dataset!r} beside {known!r}",
                    "If it is the same data set, use the registered name. Otherwise choose a name that differs in more "
                    "than capital letters.",
                )

    def write(self, kind: EntryKind, dataset: str, body: Mapping[str, object]) -> Entry:
        """Append an entry. The caller has the lock and stores it. Raises LedgerError if it does not fit."""
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
            raise altered(entry.number, "its content is wrong for its kind") from None
        self.entries.append(entry)

    def _replay(self, entry: Entry) -> None:
        if not self.entries:
            _check_first(entry)
        elif entry.kind == "register":
            if entry.dataset in self.accounts:
                raise Misfit("it registers a data set a second time")
            self.accounts[entry.dataset] = AccountBook(self.identity, entry)
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
