"""Entries: their content, how it is written and read, and the chain of hashes in which each entry covers all before it.

``hash = SHA-256(previous hash, canonical JSON of [number, time, kind, data set, body])``. A changed, removed or inserted
entry breaks the chain. The chain alone cannot show that its last entries were cut off. The anchors in released bundles
(number and hash of their entry) can.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from hashlib import sha256
from types import MappingProxyType
from typing import Final

from dpcore import limits
from dpcore.errors import LedgerError, PrivacyError
from dpcore.exact_json import canonical, one_line
from dpcore.ledger.account import Account, Entry, Price, as_stored, check_account, read_amount
from dpcore.privacy import PrivacyUnit

BEFORE_THE_FIRST: Final = "0" * 64
"""The previous hash in the first entry."""

RESTORE: Final = "Nothing can be spent from this ledger. Restore the newest backup and verify it with the bundles of all releases."


def entry_hash(entry: Entry) -> str:
    """The hash of an entry, from its content and the hash before it."""
    # A body was made canonical when it was created, so its content is not checked again.
    says = one_line([entry.number, entry.time, entry.kind, entry.dataset, dict(entry.body)])
    return sha256(f"{entry.previous}{says}".encode()).hexdigest()


def check_size(body: Mapping[str, object]) -> None:
    """Refuse an entry that is too long. Raises PrivacyError."""
    if len(canonical(body)) > limits.MAX_ENTRY_CHARACTERS:
        raise PrivacyError(
            "the terms of this release are too long for the ledger",
            "terms",
            f"At most {limits.MAX_ENTRY_CHARACTERS:,} characters fit into an entry, with two for each tile that has a district. "
            "Shorten the note or the names of districts.",
        )


def check_link(entry: Entry, before: Entry | None) -> None:
    """Check that an entry continues the chain. Raises LedgerError that names the entry."""
    number, previous = (before.number + 1, before.hash) if before else (1, BEFORE_THE_FIRST)
    if entry.number != number:
        raise altered(number, "it is missing")
    if entry.previous != previous or entry.hash != entry_hash(entry):
        raise altered(number, "its hash does not match its content or the entry before it")


def altered(number: int, why: str) -> LedgerError:
    """The refusal of a ledger in which an entry was changed after it was written."""
    return LedgerError("the ledger was changed after it was written", f"entry {number}: {why}", RESTORE)


def check_anchors(entries: Sequence[Entry], anchors: Iterable[tuple[int, str]]) -> None:
    """Check that every anchor (number and hash) of a bundle is in the chain. Raises LedgerError."""
    for number, printed in anchors:
        if not 1 <= number <= len(entries):
            raise LedgerError(
                "the ledger has lost entries: it was set back, for example to an old backup",
                f"entry {number}, which a release names; the last one here is {len(entries)}",
                RESTORE,
            )
        if entries[number - 1].hash != printed:
            raise LedgerError(
                "a release names an entry that is not in this ledger: the ledger was set back and written on, "
                "or the release was charged to another ledger",
                f"entry {number}",
                RESTORE,
            )


class Misfit(ValueError):  # noqa: N818 - never shown to anybody: its text becomes the reason of a LedgerError
    """The content of an entry is wrong for its kind, or does not fit to the entries before it."""


def text(value: object) -> str:
    """The value, if it is text; otherwise Misfit."""
    if not isinstance(value, str):
        raise Misfit("a text is missing")
    return value


def mapping(value: object) -> Mapping[str, object]:
    """The value, read-only, if it is a table with names; otherwise Misfit."""
    if not isinstance(value, Mapping):
        raise Misfit("a table is missing")
    return MappingProxyType(dict(value))


def texts(value: object) -> tuple[str, ...]:
    """The value, if it is a list of texts; otherwise Misfit."""
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise Misfit("a list is missing")
    return tuple(text(inner) for inner in value)


def amount(value: object) -> Fraction:
    """The exact amount of a text; Misfit if it is not exact."""
    try:
        return read_amount(value)
    except (ValueError, ZeroDivisionError):
        raise Misfit("an amount is not exact") from None


def account_body(account: Account) -> dict[str, object]:
    """The content of a registration entry."""
    return {
        "population": account.population,
        "unit": account.unit.value,
        "total": as_stored(account.total),
        "total_delta": as_stored(account.total_delta),
        "parts": list(account.parts),
        "parts_of": account.parts_of.value if account.parts_of else None,
    }


def account_of(entry: Entry) -> Account:
    """The account that an entry registers. AtlasError or ValueError if it registers none."""
    body, parts_of = entry.body, entry.body["parts_of"]
    account = Account(
        dataset=entry.dataset,
        population=text(body["population"]),
        unit=PrivacyUnit(body["unit"]),
        total=amount(body["total"]),
        parts=texts(body["parts"]),
        parts_of=None if parts_of is None else PrivacyUnit(parts_of),
        total_delta=amount(body["total_delta"]),
    )
    check_account(account)
    return account


def price_body(price: Price) -> dict[str, object]:
    """A price as it is written in an entry."""
    return {
        "epsilon": as_stored(price.epsilon),
        "delta": as_stored(price.delta),
        "steps": list(price.steps),
    }


def price_of(body: object) -> Price:
    """The price that ``price_body`` wrote. ValueError or KeyError if it is not one."""
    said = mapping(body)
    return Price(amount(said["epsilon"]), amount(said["delta"]), texts(said["steps"]))
