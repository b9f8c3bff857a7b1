"""Continue what was reserved: finish it, give it back, or raise a release to a higher epsilon for the difference in price.

The finer rungs of a top-up continue the ladder that was drawn (``samplers.climb``). They use the exact counts of that
release, which were kept encrypted, so other trips or another bound cannot enter. A chain of top-ups has one end, and the
ledger lets it grow only there: two continuations of one rung would together reveal more than was charged for both.
"""

from __future__ import annotations

import shlex
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Final

from dpcore.context import Context
from dpcore.curator import library, pending
from dpcore.curator.pricing import price_of_plan
from dpcore.curator.publishing import Progress, anchor_of, committed, now, publish, taken_up, versions
from dpcore.curator.request import Receipt, Request
from dpcore.errors import PrivacyError
from dpcore.ledger import Entry, Ledger, Reservation, last_seen
from dpcore.measures.plan import Plan
from dpcore.noise.mechanisms import must_be_drawable, raised
from dpcore.privacy import RUNGS, decimal_text, exact_epsilon, must_be_decimal
from dpcore.private import kept_counts
from dpcore.private.bounding import bounding_key, key_identity
from dpcore.private.trips import PrivateTrips
from dpcore.release import write_bundle
from dpcore.tiles import Tessellation

TOP_UP: Final = "top-up"
"""The kind of a top-up in the terms of the ledger."""


def finish(
    trips: PrivateTrips,
    tessellation: Tessellation,
    reservation: Reservation,
    ledger: Ledger,
    *,
    context: Context | None = None,
    out: Path | None = None,
    progress: Progress | None = None,
) -> Receipt:
    """Complete a release of any kind, or a top-up, that was reserved and then cut short; nothing is charged again.

    ``context``: what lies under its tiles on maps. The ledger does not hold it, so the caller gives it once more. It is ignored
    for a top-up, which has that of the release it raises, and for a bundle that was drawn whole before the break.
    Raises LedgerError if the terms of the reservation are not those of a release; else raises like ``publish``.
    """
    terms = reservation.terms
    if terms.get("kind") == TOP_UP:
        epsilon = exact_epsilon(str(terms["epsilon"]))
        return top_up(
            ledger, str(terms["raises"]), epsilon, nonce=reservation.nonce, out=out, progress=progress
        )
    receipt = taken_up(ledger, reservation, out)
    if receipt is not None:
        return receipt
    request = Request.of_terms(reservation.dataset, reservation.nonce, reservation.part, terms)
    request = replace(request, context=context)
    return publish(trips, tessellation, request, ledger, out=out, progress=progress)


def top_up(
    ledger: Ledger,
    release_name: str,
    epsilon: Fraction,
    *,
    nonce: str,
    out: Path | None = None,
    progress: Progress | None = None,
) -> Receipt:
    """Publish the rungs of an earlier release and finer ones up to ``epsilon``; only the difference is charged.

    ``progress`` is called with the share of the new estimates that is computed, 0 to 1.

    Raises:
        BudgetExceededError: the account does not hold the difference; nothing was charged.
        PrivacyError: the release is not the end of its chain, its kept counts are gone, or epsilon is not higher.
        LedgerError: the ledger cannot be trusted.

    """
    pending.must_be_free(out)
    must_be_decimal(epsilon)  # first, because the request is found again by its decimal text
    begun = _reservation(ledger, release_name, epsilon, nonce)
    if begun is not None and pending.is_drawn(begun):  # needs neither the earlier release nor its counts
        with pending.alone(ledger.identity, begun.dataset), pending.paid(begun):
            return committed(ledger, ledger.reservation_numbered(begun.number), out)
    release = library.release(ledger, release_name)
    account = ledger.account(release.dataset)
    earlier = ledger.reservation_numbered(release.anchor.number)
    plan = raised_plan(release.plan, epsilon)
    must_be_drawable(plan)
    installation = key_identity(bounding_key())
    terms = {
        "kind": TOP_UP,
        "raises": release.id,
        "epsilon": decimal_text(epsilon),
        "installation": installation,
    }
    with pending.alone(ledger.identity, release.dataset):
        pending.must_not_hold_another(out, None)
        counts = kept_counts.counts_of_chain(pending.chain(earlier), pending.draw_of(release.measurements))
        reservation = ledger.reserve(
            release.dataset,
            nonce=nonce,
            price=price_of_plan(plan, account.unit),
            terms=terms,
            group=earlier.group,
            follows=earlier.number,
            part=release.anchor.part,
        )
        with pending.paid(reservation):
            last_seen.remember(ledger)
            written = None
            if not pending.is_drawn(reservation):
                pending.discard(pending.release_id(reservation))
                finer = plan.rungs[len(release.plan.rungs) :]
                higher = replace(
                    release,
                    id=pending.release_id(reservation),
                    created=now(),
                    plan=plan,
                    drawn=replace(
                        release.drawn,
                        measurements={
                            name: raised(measurement, counts[name], finer)
                            for name, measurement in release.measurements.items()
                        },
                    ),
                    anchor=anchor_of(reservation, account, release.anchor.part),
                    raised_from=release.id,
                    command=_command(release.id, epsilon),
                    software=versions(),
                )
                pending.mark_as_drawn(higher.id)
                written = write_bundle(higher, pending.waiting(higher.id), progress)
            return committed(ledger, reservation, out, written)


def raised_plan(plan: Plan, epsilon: Fraction) -> Plan:
    """The plan with all listed rungs up to ``epsilon``; PrivacyError if that is not higher than its own."""
    if epsilon <= plan.epsilon:
        raise PrivacyError(
            "a top-up must go higher than what was released",
            f"epsilon {decimal_text(epsilon)}",
            f"Give more than {decimal_text(plan.epsilon)}: everything up to it is in the release already.",
        )
    between = (rung for rung in RUNGS if plan.epsilon < rung < epsilon)
    return replace(plan, rungs=(*plan.rungs, *between, epsilon))


def void(ledger: Ledger, number: int, reason: str) -> Entry:
    """Give back a reservation for which no noise was written; ``reason`` says how the owner knows that.

    Raises PrivacyError if noise was written, whole or in part, or if another computer made the reservation: nobody can
    tell from here what was drawn there.
    """
    reservation = ledger.reservation_numbered(number)
    with pending.alone(ledger.identity, reservation.dataset):
        if reservation.state == "reserved" and pending.may_have_been_seen(pending.release_id(reservation)):
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
        if reservation.follows is None:  # a top-up leaves the counts of its chain for the next one
            kept_counts.destroy(pending.chain(reservation))
    return entry


def _reservation(ledger: Ledger, release_name: str, epsilon: Fraction, nonce: str) -> Reservation | None:
    """The reservation of this top-up, by its nonce, if it was made before."""
    for account in ledger.accounts():
        known = ledger.reservation(account.dataset, nonce)
        if known is not None and known.terms.get("raises") == release_name:
            return known if known.terms.get("epsilon") == decimal_text(epsilon) else None
    return None


def _command(release_id: str, epsilon: Fraction) -> str:
    raising = ["top-up", release_id, "--epsilon", decimal_text(epsilon), "--out", "DIR"]
    return shlex.join(["python", "-m", "dpcore", *raising])
