"""Raise the highest revealed rung of an earlier release, for the difference in price.

The finer rungs continue the ladder that was drawn (``noise.climb``), on the exact counts of that very release, which
were kept encrypted: neither the trips nor another bound can slip in. A chain has one end, and the ledger
lets it be continued from there alone: two continuations of one rung would together tell more than either was charged
for.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path

from dpcore.curator import desk, library, software
from dpcore.curator.door import anchor_of
from dpcore.curator.pricing import price
from dpcore.curator.publishing import handed_over
from dpcore.curator.request import Receipt
from dpcore.errors import PrivacyError
from dpcore.ledger import Ledger, Reservation, witness
from dpcore.measures.plan import Plan
from dpcore.noise.mechanisms import must_be_drawable, raised
from dpcore.privacy import RUNGS, decimal_text, must_be_decimal
from dpcore.private import kept_counts
from dpcore.private.bounding import bounding_key, key_identity
from dpcore.release import write_bundle


def top_up(
    ledger: Ledger, release_name: str, epsilon: Fraction, *, nonce: str, out: Path | None = None
) -> Receipt:
    """A release with the rungs of an earlier one and finer ones up to ``epsilon``; charged is the difference.

    Raises:
        BudgetExceededError: the account does not hold the difference; nothing was charged.
        PrivacyError: the release is not the end of its chain, its hidden state is gone, or epsilon is not higher.
        LedgerError: the ledger cannot be trusted.

    """
    desk.must_be_free(out)
    must_be_decimal(epsilon)  # before a nonce is looked up, which is known by the decimal text
    begun = _begun(ledger, release_name, epsilon, nonce)
    if begun is not None and desk.is_drawn(begun):  # neither the parent nor its counts are needed any more
        with desk.alone(ledger.identity, begun.dataset), desk.paid(begun):
            return handed_over(ledger, ledger.reservation_numbered(begun.number), out)
    release = library.release(ledger, release_name)
    account = ledger.account(release.dataset)
    first = ledger.reservation_numbered(release.anchor.number)
    plan = raised_plan(release.plan, epsilon)
    must_be_drawable(plan)
    installation = key_identity(bounding_key())
    terms = {
        "kind": "top-up",
        "raises": release.id,
        "epsilon": decimal_text(epsilon),
        "installation": installation,
    }
    with desk.alone(ledger.identity, release.dataset):
        desk.must_hold(out, None)
        counts = kept_counts.kept(desk.chain(first), desk.draw_of(release.measurements))
        reservation = ledger.reserve(
            release.dataset,
            nonce=nonce,
            price=price(plan, account.unit),
            terms=terms,
            group=first.group,
            follows=first.number,
            part=release.anchor.part,
        )
        with desk.paid(reservation):
            witness.witness(ledger)
            if not desk.is_drawn(reservation):
                desk.discard(desk.release_id(reservation))
                finer = plan.rungs[len(release.plan.rungs) :]
                write_bundle(
                    replace(
                        release,
                        id=desk.release_id(reservation),
                        created=datetime.now(UTC).replace(microsecond=0),
                        plan=plan,
                        measurements={
                            name: raised(measurement, counts[name], finer)
                            for name, measurement in release.measurements.items()
                        },
                        anchor=anchor_of(reservation, account, release.anchor.part),
                        raised_from=release.id,
                        command=software.top_up_command(release.id, epsilon),
                        software=software.versions(),
                    ),
                    desk.waiting(desk.release_id(reservation)),
                )
            return handed_over(ledger, reservation, out)


def _begun(ledger: Ledger, release_name: str, epsilon: Fraction, nonce: str) -> Reservation | None:
    """The reservation of this very request, if it was made before."""
    for account in ledger.accounts():
        known = ledger.reservation(account.dataset, nonce)
        if known is not None and known.terms.get("raises") == release_name:
            return known if known.terms.get("epsilon") == decimal_text(epsilon) else None
    return None


def raised_plan(plan: Plan, epsilon: Fraction) -> Plan:
    """The plan with the listed rungs up to ``epsilon`` on top; raises PrivacyError unless that is higher."""
    if epsilon <= plan.epsilon:
        raise PrivacyError(
            "a top-up must go higher than what was revealed",
            f"epsilon {decimal_text(epsilon)}",
            f"Give more than {decimal_text(plan.epsilon)}; everything below is in the release already.",
        )
    between = (rung for rung in RUNGS if plan.epsilon < rung < epsilon)
    return replace(plan, rungs=(*plan.rungs, *between, epsilon))
