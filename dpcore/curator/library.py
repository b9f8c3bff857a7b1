"""The releases of this computer, as the ledger knows them."""

from __future__ import annotations

import json
from collections.abc import Iterator

from dpcore import limits
from dpcore.curator import desk
from dpcore.errors import AtlasError, InputError, LedgerError, PrivacyError
from dpcore.ledger import Ledger
from dpcore.release import AnyRelease, Release, kind_of, read_bundle, read_tables


def anchors(ledger: Ledger) -> Iterator[tuple[int, str]]:
    """Number and hash of the entry that each release here names in this ledger: a ledger that was set back lacks one.

    A folder that is not named by what its manifest says was changed, and tells nothing about the ledger.
    """
    for place in desk.published().glob("*/manifest.json"):
        try:
            if place.stat().st_size > limits.MAX_MANIFEST_BYTES:
                continue
            anchor = json.loads(place.read_text(encoding="utf-8"))["ledger_entry"]
            identity, number, line = anchor["ledger"], anchor["number"], anchor["hash"]
            named = place.parent.name.endswith(f"-{number}-{line[:6]}")
        except (
            OSError,
            ValueError,
            KeyError,
            TypeError,
            RecursionError,
        ):  # the library page says what is wrong
            continue
        if identity == ledger.identity and named and type(number) is int:
            yield number, line


def settle(ledger: Ledger) -> None:
    """Move bundles to their place that were committed just before a run was cut short: paid, they must be found."""
    for waiting in desk.all_waiting():
        try:
            reservation = ledger.reservation_numbered(int(waiting.name.rsplit("-", 2)[1]))
            if desk.release_id(reservation) == waiting.name and reservation.digest is not None:
                desk.handed_over(waiting.name, reservation.digest, None)
        except (
            OSError,
            ValueError,
            IndexError,
            LedgerError,
        ):  # another ledger's, or another process was quicker
            continue


def releases(ledger: Ledger, dataset: str) -> tuple[Release, ...]:
    """Releases of tables of a data set that were paid from this ledger and lie on this computer, oldest first."""
    found = []
    for place in sorted(desk.published().glob("*/manifest.json")):
        try:
            release = read_tables(place.parent)
        except AtlasError:  # the library says what is wrong with it
            continue
        if release.anchor.ledger == ledger.identity and release.dataset == dataset:
            found.append(release)
    return tuple(sorted(found, key=lambda release: release.anchor.number))


def release(ledger: Ledger, name: str) -> Release:
    """The release of tables of that name, as this ledger committed it.

    Raises InputError where there is none, PrivacyError for another kind, LedgerError if it differs.
    """
    known = {place.parent.name: place.parent for place in desk.published().glob("*/manifest.json")}
    found = read_bundle(known[name]) if name in known else None
    if found is None or found.anchor.ledger != ledger.identity:
        raise InputError(
            "this ledger knows no such release here", repr(name), "Choose one of those that it paid for."
        )
    if not kind_of(found.plan).can_be_raised:
        raise PrivacyError(
            "only a release of tables can be raised",
            name,
            "Publish anew under another nonce; what was charged before stays charged.",
        )
    if desk.manifest_digest(known[name]) != committed_digest(ledger, found):
        # Its plan and sensitivities say how much noise comes next: they must be those that were paid for.
        raise LedgerError(
            "the bundle here is not the one that was committed",
            name,
            "Restore it from a copy of the release.",
        )
    return found


def committed_digest(ledger: Ledger, found: AnyRelease) -> str:
    """The digest of a release's bundle as this ledger committed it; LedgerError where it did not pay for it."""
    anchor = found.anchor
    return ledger.digest_of(anchor.ledger, anchor.number, anchor.hash, found.id)
