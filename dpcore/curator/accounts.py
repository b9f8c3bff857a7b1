"""The ledger that this computer uses, its accounts, and what names a request."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from dpcore import places
from dpcore.curator import library
from dpcore.ledger import Account, Ledger, last_seen


def default_ledger() -> Ledger:
    """The ledger of this installation, begun where there is none; raises LedgerError where it cannot be trusted."""
    return ledger_at(default_address())


def default_address() -> str | Path:
    """Where it lies: ``EPSILON_ATLAS_LEDGER`` (a file or a PostgreSQL URL), else a file of the data folder."""
    return os.environ.get("EPSILON_ATLAS_LEDGER") or places.home() / "ledger" / "ledger.db"


def ledger_at(address: str | Path) -> Ledger:
    """The ledger at an address, checked line by line, against the last line that was seen here and every release here."""
    ledger = last_seen.opened(address)
    ledger.verify([*library.anchors(ledger)])
    library.settle(ledger)
    return ledger


def register(ledger: Ledger, account: Account) -> Account:
    """Open an account, or find it with the same terms; PrivacyError where other terms stand."""
    stored = ledger.register(account)
    last_seen.remember(ledger)
    return stored


def fresh_nonce(ledger: Ledger, *facts: object) -> str:
    """A nonce for a request of these facts that follows the ledger's last line.

    The same request asked twice before anything else is written gets the same nonce: it is charged once.
    """
    text = json.dumps([*ledger.head(), *(str(fact) for fact in facts)])
    return sha256(text.encode()).hexdigest()[:24]


def sighted(
    ledger: Ledger, fingerprint: str, dataset: str, files: Sequence[str] = (), part: str | None = None
) -> tuple[str, ...]:
    """Remember that a file, or a set of files, was counted for a data set; says what is odd about it.

    A file under two names has two budgets for the same people, which no program can forbid: a changed byte makes
    another file of it. It can be noticed while nobody hides it.
    """
    seen = ledger.known_files(fingerprint, dataset, files)
    several = len(files) > 1
    notes = []
    if seen.other_datasets:
        names = ", ".join(seen.other_datasets)
        notes.append(
            f"{'At least one of these very files' if several else 'This very file'} was counted for {names} as well: "
            "these people then have a budget under each name."
        )
    if seen.changed:
        notes.append(
            f"{dataset} was last counted from {'other files' if several else 'another file'}: "
            + (
                "make sure that these are still the same people."
                if part is None
                else f"make sure that none of the people of part {part} is in another part."
            )
        )
    return tuple(notes)
