"""Give budget back that was reserved for nothing."""

from __future__ import annotations

from dpcore.curator import desk
from dpcore.errors import PrivacyError
from dpcore.ledger import Entry, Ledger, last_seen
from dpcore.private import kept_counts
from dpcore.private.bounding import bounding_key, key_identity


def void(ledger: Ledger, number: int, reason: str) -> Entry:
    """Give a reservation back of which no noise was drawn; its owner says how that is known.

    Raises PrivacyError where a bundle of it waits to be committed, or where another computer made the reservation:
    what was drawn there cannot be seen from here.
    """
    reservation = ledger.reservation_numbered(number)
    with desk.alone(ledger.identity, reservation.dataset):
        # Whole or damaged: a draw that lay here could be read, so its budget is gone. Finishing is always possible.
        if reservation.state == "reserved" and desk.waiting(desk.release_id(reservation)).exists():
            raise PrivacyError(
                "noise was drawn for this reservation already",
                f"entry {number}",
                "Finish the release: it is paid, and costs nothing more.",
            )
        if reservation.terms.get("installation", "") != key_identity(bounding_key()):
            raise PrivacyError(
                "this reservation was made on another computer, or before this key was drawn",
                f"entry {number}",
                "Give it back there: from here nobody can tell what was drawn.",
            )
        entry = ledger.void(number, reason)
        last_seen.remember(ledger)
        desk.discard(desk.release_id(reservation))
        if (
            reservation.follows is None
        ):  # a top-up leaves the counts of the chain that it would have continued
            kept_counts.destroy(desk.chain(reservation))
    return entry
