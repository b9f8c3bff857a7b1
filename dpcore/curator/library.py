"""The releases on this computer that the ledger paid for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from dpcore import limits, places
from dpcore.curator import pending
from dpcore.errors import AtlasError, InputError, LedgerError, PrivacyError
from dpcore.ledger import Ledger
from dpcore.release import AnyRelease, Release, kind_of, read_bundle, read_tables


def anchors(ledger: Ledger) -> Iterator[tuple[int, str]]:
    """Number and hash of the ledger entry that each release here names. A ledger that was set back lacks one of them.

    A folder whose name does not fit its manifest was changed. It says nothing about the ledger and is skipped.
    """
    for place, number, entry_hash in _entries(ledger):
        if type(number) is int and place.name.endswith(f"-{number}-{entry_hash[:6]}"):
            yield number, entry_hash


def _entries(ledger: Ledger) -> Iterator[tuple[Path, int, str]]:
    """Each folder here whose manifest names this ledger, with number and hash of the entry as they stand there, unchecked."""
    for place in sorted(places.published().glob("*/manifest.json")):
        try:
            if place.stat().st_size > limits.MAX_MANIFEST_BYTES:
                continue
            anchor = json.loads(place.read_text(encoding="utf-8"))["ledger_entry"]
            identity, number, entry_hash = anchor["ledger"], anchor["number"], anchor["hash"]
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            continue  # the Library page says what is wrong with it
        if identity == ledger.identity and isinstance(entry_hash, str):
            yield place.parent, number, entry_hash


def settle(ledger: Ledger) -> None:
    """Publish the bundles that were committed just before a run was cut short: they are paid for and must be found."""
    for waiting in pending.all_waiting():
        try:
            reservation = ledger.reservation_numbered(int(waiting.name.rsplit("-", 2)[1]))
            if pending.release_id(reservation) == waiting.name and reservation.digest is not None:
                pending.delivered(waiting.name, reservation.digest, None)
        except (OSError, ValueError, IndexError, LedgerError):
            continue  # it belongs to another ledger, or another process was faster


def releases(ledger: Ledger, dataset: str) -> tuple[Release, ...]:
    """Releases of tables of a data set on this computer that this ledger paid for, oldest first.

    Reading checks every file, so releases of other ledgers are not read.
    """
    found = []
    for place, _, _ in _entries(ledger):
        try:
            release = read_tables(place)
        except AtlasError:  # the Library page says what is wrong with it
            continue
        if release.anchor.ledger == ledger.identity and release.dataset == dataset:
            found.append(release)
    return tuple(sorted(found, key=lambda release: release.anchor.number))


def release(ledger: Ledger, name: str) -> Release:
    """The release of tables of that name, as this ledger committed it.

    Raises InputError where there is none, PrivacyError for another kind, LedgerError if it differs.
    """
    known = {place.parent.name: place.parent for place in places.published().glob("*/manifest.json")}
    found = read_bundle(known[name]) if name in known else None
    if found is None or found.anchor.ledger != ledger.identity:
        raise InputError(
            "this ledger knows no such release here", repr(name), "Choose a release that it paid for."
        )
    if not kind_of(found.plan).can_be_raised:
        raise PrivacyError(
            "only a release of tables can be raised",
            name,
            "Publish anew under another nonce; what was charged before stays charged.",
        )
    if pending.manifest_digest(known[name]) != committed_digest(ledger, found):
        # Its plan and sensitivities say how much noise comes next: they must be those that were paid for.
        raise LedgerError(
            "the bundle here is not the one that was committed",
            name,
            "Restore it from a copy of the release.",
        )
    return found


def committed_digest(ledger: Ledger, found: AnyRelease) -> str:
    """The digest of a release's bundle that this ledger committed; LedgerError if it did not pay for the release."""
    anchor = found.anchor
    return ledger.digest_of(anchor.ledger, anchor.number, anchor.hash, found.id)
