"""The ledger of this computer, its accounts, and the nonces of requests."""

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
    """The ledger at an address; raises LedgerError if it cannot be trusted.

    Every line is checked, and so are the last line that this computer saw and the entries that releases here name.
    """
    ledger = last_seen.checked_ledger(address)
    ledger.verify([*library.anchors(ledger)])
    library.settle(ledger)
    return ledger


def register(ledger: Ledger, account: Account) -> Account:
    """Open an account, or find it with the same terms; PrivacyError if it exists with other terms."""
    stored = ledger.register(account)
    last_seen.remember(ledger)
    return stored


def fresh_nonce(ledger: Ledger, *facts: object) -> str:
    """A nonce that follows from the facts of a request and from the last line of the ledger.

    A request that is repeated before the ledger grows gets the same nonce, so it is charged once.
    """
    text = json.dumps([*ledger.head(), *(str(fact) for fact in facts)])
    return sha256(text.encode()).hexdigest()[:24]


def noted_files(
    ledger: Ledger, fingerprint: str, dataset: str, files: Sequence[str] = (), part: str | None = None
) -> tuple[str, ...]:
    """Record that a file, or a set of files, was counted for a data set; return warnings for the owner.

    One file under two names gives the same people two budgets. No program can prevent that, because one changed byte makes
    it another file. But it can be noticed as long as nobody hides it.
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
                "that is right for other trips of the same people, such as another month. Other people need an account of their own."
                if part is None
                else f"make sure that none of the people of part {part} is in another part."
            )
        )
    return tuple(notes)
