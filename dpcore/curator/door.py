"""The one road from private trips to anything public: count, reserve, draw, write, commit, hand over.

Every kind of release takes it. Counting comes first, because a count that fails must cost nothing and shows nothing to
anyone. From the reservation on the budget is spent, whatever happens. The noise is drawn afresh, by no draw that anyone
has seen, and a run that is cut short is taken up where it was: with the same nonce nothing is charged again, and no
noise is drawn again for a bundle that is already whole.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Final, Generic, TypeVar

from dpcore.curator import accounts, desk
from dpcore.ledger import Account, Ledger, Price, Reservation, witness
from dpcore.release import Anchor

Progress = Callable[[float], None]
Receipt = TypeVar("Receipt")
Counted = TypeVar("Counted")


COUNTING: Final = (0.05, 0.6)
"""The share that is done before a release counts its trips, and after."""


@dataclass(frozen=True)
class Order:
    """What the ledger is asked for, and what writes it down."""

    dataset: str
    nonce: str
    part: str | None
    price: Price
    terms: Mapping[str, object]
    """With them the request can be finished after a crash."""
    fingerprint: str
    """Of all that is counted; tells the owner what is odd, and the ledger when two parts are one file."""
    fingerprints: tuple[str, ...]
    """Of each file of it."""


@dataclass(frozen=True)
class Steps(Generic[Counted]):
    """The steps in which one kind of release differs from another; what is counted goes from one to the next."""

    check: Callable[[], None]
    """Refuses what does not fit; looks at no trip."""
    count: Callable[[], Counted]
    """Counts what will be drawn from, so that it cannot fail after the charge."""
    draw: Callable[[Counted, Reservation], None]
    """Draws fresh noise of what was counted and writes the bundle that waits, whole or not at all."""


@dataclass(frozen=True)
class HandedOver:
    """A committed bundle at its public place."""

    folder: Path
    digest: str
    """SHA-256 of its manifest, as committed in the ledger."""
    charged: Fraction
    charged_delta: Fraction
    left: Fraction
    repeated: bool
    """Whether it had been committed before."""


def passed(
    ledger: Ledger,
    order: Order,
    steps: Steps[Counted],
    hand_over: Callable[[Reservation], Receipt],
    *,
    out: Path | None,
    progress: Progress | None,
) -> tuple[Receipt, tuple[str, ...]]:
    """What ``hand_over`` gives for the release that was paid for, and what the owner should know about the account.

    Raises:
        BudgetExceededError: the account does not hold enough; nothing was charged.
        PrivacyError: what ``check`` refuses, or a nonce of another request; nothing was charged.
        InputError: ``out`` cannot be used, or the trips cannot be counted; nothing was charged.
        LedgerError: the ledger cannot be trusted.
        UnfinishedError: it was charged, and then something failed; repeat it with the same nonce.

    """
    tell = progress or (lambda _: None)
    desk.must_be_free(out)
    known = ledger.reservation(order.dataset, order.nonce)
    desk.must_hold(out, known.digest if known else None)
    tell(COUNTING[0])
    counted: tuple[Counted] | None = None
    if known is None or not desk.is_drawn(known):  # a bundle that is whole needs its trips no more
        steps.check()
        if known is None:
            ledger.must_afford(order.dataset, order.price, part=order.part)
        counted = (steps.count(),)
    tell(COUNTING[1])
    with desk.alone(ledger.identity, order.dataset):
        reservation = ledger.reserve(
            order.dataset,
            nonce=order.nonce,
            price=order.price,
            terms=order.terms,
            part=order.part,
            files=(order.fingerprint, *order.fingerprints),
        )
        with desk.paid(reservation):
            witness.witness(ledger)
            notes = accounts.sighted(ledger, order.fingerprint, order.dataset, order.fingerprints, order.part)
            if not desk.is_drawn(reservation):
                desk.discard(desk.release_id(reservation))
                (exact,) = counted or (steps.count(),)  # the bundle that was whole is gone meanwhile
                steps.draw(exact, reservation)
            tell(0.95)
            receipt = hand_over(reservation)
    tell(1.0)
    return receipt, notes


def taken_up(
    ledger: Ledger,
    reservation: Reservation,
    hand_over: Callable[[Reservation], Receipt],
    *,
    out: Path | None,
) -> Receipt | None:
    """What ``hand_over`` gives for a bundle that was whole when its run was cut short; None where it must be drawn."""
    if not desk.is_drawn(reservation):
        return None
    desk.must_be_free(out)
    with desk.alone(ledger.identity, reservation.dataset), desk.paid(reservation):
        return hand_over(ledger.reservation_numbered(reservation.number))


def committed(ledger: Ledger, reservation: Reservation, out: Path | None) -> HandedOver:
    """Commit the bundle that waits, if it is not committed yet, and hand it over."""
    name = desk.release_id(reservation)
    digest = reservation.digest
    if digest is None:
        digest = desk.manifest_digest(desk.waiting(name))
        ledger.commit(reservation.number, digest)
        witness.witness(ledger)
    folder = desk.handed_over(name, digest, out)
    return HandedOver(
        folder,
        digest,
        reservation.charged,
        reservation.charged_delta,
        ledger.statement(reservation.dataset).left,
        repeated=reservation.state == "committed",
    )


def anchor_of(reservation: Reservation, account: Account, part: str | None) -> Anchor:
    """Where the ledger holds the charge."""
    return Anchor(
        ledger=reservation.ledger,
        number=reservation.number,
        hash=reservation.entry_hash,
        currency=account.unit,
        charged=reservation.charged,
        total=account.total,
        part=part,
    )
