"""The hash chain: every entry vouches for all entries before it.

``hash = SHA-256(previous hash, canonical JSON of [number, time, kind, data set, body])``. A changed, removed or
inserted entry breaks the chain. The chain cannot show that its last entries were cut off; the anchors that
released bundles carry (number and hash of their entry) can.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Final

from dpcore import limits
from dpcore.errors import LedgerError, PrivacyError
from dpcore.ledger.account import Entry

BEFORE_THE_FIRST: Final = "0" * 64
"""What stands for the previous hash in the first entry."""

RESTORE: Final = "Nothing can be spent from this ledger. Restore the newest backup and verify it with the bundles of all releases."


def canonical(value: object) -> str:
    """The one JSON text of a value: sorted keys, no spaces, ASCII.

    Raises ValueError for what has no exact text, floats above all: amounts are exact fractions, written as text.
    """
    return _dumped(_plain(value))


def _dumped(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def _plain(value: object) -> object:
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return [_plain(inner) for inner in value]
    raise ValueError("an entry holds text, whole numbers, true, false, null, lists and tables of these only")


def entry_hash(entry: Entry) -> str:
    """The hash that an entry must have, given what it says and the hash before it."""
    # a body was canonical when it became one, so what it holds is not walked through again
    says = _dumped([entry.number, entry.time, entry.kind, entry.dataset, dict(entry.body)])
    return sha256(f"{entry.previous}{says}".encode()).hexdigest()


def check_size(body: Mapping[str, object]) -> None:
    """Refuse an entry that says too much; raises PrivacyError."""
    if len(canonical(body)) > limits.MAX_ENTRY_CHARACTERS:
        raise PrivacyError(
            "the terms of this release are too long for the ledger",
            "terms",
            f"At most {limits.MAX_ENTRY_CHARACTERS:,} characters fit into an entry.",
        )


def check_link(entry: Entry, before: Entry | None) -> None:
    """Whether an entry continues the chain; raises LedgerError that names the entry."""
    number, previous = (before.number + 1, before.hash) if before else (1, BEFORE_THE_FIRST)
    if entry.number != number:
        raise altered(number, "it is missing")
    if entry.previous != previous or entry.hash != entry_hash(entry):
        raise altered(number, "its hash does not fit to what it says or to the entry before it")


def altered(number: int, why: str) -> LedgerError:
    """The refusal of a ledger in which an entry is not as it was written."""
    return LedgerError("the ledger was changed after it was written", f"entry {number}: {why}", RESTORE)


def check_anchors(entries: Sequence[Entry], anchors: Iterable[tuple[int, str]]) -> None:
    """Whether every anchor (number and hash) that a bundle carries is in the chain; raises LedgerError."""
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
