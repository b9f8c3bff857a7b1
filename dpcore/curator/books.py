"""The ledger this computer uses, and the releases that were paid from it."""

from __future__ import annotations

import json
import os
from hashlib import sha256
from pathlib import Path

from dpcore import places
from dpcore.curator import desk
from dpcore.errors import AtlasError, InputError, LedgerError
from dpcore.ledger import Account, Entry, Ledger, witness
from dpcore.private import chain_state
from dpcore.release import Release, read_bundle


def default_ledger() -> Ledger:
    """The ledger of this installation: ``EPSILON_ATLAS_LEDGER`` (a file or a PostgreSQL URL), else a file of its own.

    Raises LedgerError where it cannot be trusted.
    """
    return ledger_at(os.environ.get("EPSILON_ATLAS_LEDGER") or places.home() / "ledger" / "ledger.db")


def ledger_at(address: str | Path) -> Ledger:
    """The ledger at an address, checked line by line and against the last line that was seen here."""
    return witness.opened(address)


def register(ledger: Ledger, account: Account) -> Account:
    """Open an account, or find it with the same terms; PrivacyError where other terms stand."""
    stored = ledger.register(account)
    witness.witness(ledger)
    return stored


def void(ledger: Ledger, number: int, reason: str) -> Entry:
    """Give a reservation back. Only where provably nothing was drawn: a bundle that waits here is deleted unseen."""
    reservation = ledger.reservation_numbered(number)
    with desk.alone(ledger.identity, reservation.dataset):
        entry = ledger.void(number, reason)
        witness.witness(ledger)
        desk.discard(desk.release_id(reservation))
        if "raises" not in reservation.terms:  # a top-up leaves the chain that it would have continued as it is
            chain_state.destroy(desk.chain(reservation))
    return entry


def releases(ledger: Ledger, dataset: str) -> tuple[Release, ...]:
    """Releases of a data set that were paid from this ledger and lie on this computer, oldest first."""
    found = []
    for place in sorted(desk.published().glob("*/manifest.json")):
        try:
            release = read_bundle(place.parent)
        except AtlasError:  # the library says what is wrong with it
            continue
        if release.anchor.ledger == ledger.identity and release.dataset == dataset:
            found.append(release)
    return tuple(sorted(found, key=lambda release: release.anchor.number))


def release(ledger: Ledger, name: str) -> Release:
    """The release of that name that was paid from this ledger; InputError where there is none."""
    known = {place.parent.name: place.parent for place in desk.published().glob("*/manifest.json")}
    found = read_bundle(known[name]) if name in known else None
    if found is None or found.anchor.ledger != ledger.identity:
        raise InputError(
            "this ledger knows no such release here", repr(name), "Choose one of those that it paid for."
        )
    return found


def committed_digest(ledger: Ledger, found: Release) -> str:
    """The digest of a release's bundle as this ledger committed it; LedgerError where it did not pay for it."""
    anchor = found.anchor
    if anchor.ledger != ledger.identity:
        raise LedgerError("this is not the ledger that paid for the release", found.id, "Name the right one.")
    ledger.verify([(anchor.number, anchor.hash)])
    digest = ledger.reservation_numbered(anchor.number).digest
    if digest is None:
        raise LedgerError("the ledger never committed this release", found.id, "Do not trust the bundle.")
    return digest


def fresh_nonce(ledger: Ledger, *facts: object) -> str:
    """A nonce for a request of these facts that follows the ledger's last line.

    The same request asked twice before anything else is written gets the same nonce: it is charged once.
    """
    text = json.dumps([*ledger.head(), *(str(fact) for fact in facts)])
    return sha256(text.encode()).hexdigest()[:24]


def sighted(ledger: Ledger, fingerprint: str, dataset: str) -> tuple[str, ...]:
    """Remember that a file was counted for a data set; says what is odd about it.

    A file under two names has two budgets for the same people, which no program can forbid: a changed byte makes
    another file of it. It can be noticed while nobody hides it.
    """
    seen = ledger.sighting(fingerprint, dataset)
    notes = []
    if seen.other_datasets:
        names = ", ".join(seen.other_datasets)
        notes.append(
            f"This very file was counted for {names} as well: these people then have a budget under each name."
        )
    if seen.changed:
        notes.append(
            f"{dataset} was last counted from another file: make sure that these are still the same people."
        )
    return tuple(notes)
