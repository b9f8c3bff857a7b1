"""Publish a release, of any kind, in this order: count, reserve, draw, write, commit, move to the public folder.

Counting comes first, because a count that fails must cost nothing, and shows nothing to anyone. The budget is spent from the
reservation on, whatever happens. The noise is always fresh, and no preview ever showed it. A run that is cut short can be
repeated with its nonce: nothing is charged again, and a bundle that is whole is never drawn again.
"""

from __future__ import annotations

import platform
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import numpy as np

from dpcore.curator import accounts, pending
from dpcore.curator.makers import maker_of
from dpcore.curator.request import Receipt, Request
from dpcore.errors import PrivacyError
from dpcore.ledger import Account, Ledger, Reservation, last_seen
from dpcore.measures.measure import Engine
from dpcore.measures.trip_rule import with_rule
from dpcore.private import kept_counts
from dpcore.private.bounding import bounding_key, key_identity
from dpcore.private.progress import share
from dpcore.private.synthetic.reading import must_be_counted_on
from dpcore.private.trips import PrivateTrips
from dpcore.release import (
    Anchor,
    Release,
    WrittenBundle,
    kind_of,
    must_be_unchanged,
    read_bundle,
    write_bundle,
)
from dpcore.tiles import Tessellation
from dpcore.version import VERSION

Progress = Callable[[float], None]

COUNTING: Final = (0.05, 0.6)
"""The share of the work that is done before the trips are counted, and after."""


def publish(
    trips: PrivateTrips,
    tessellation: Tessellation,
    request: Request,
    ledger: Ledger,
    *,
    out: Path | None = None,
    progress: Progress | None = None,
) -> Receipt:
    """Publish a request and charge for it once; the same nonce gives the same release again.

    Args:
        trips: prepared trips, loaded with this tessellation.
        tessellation: the public tiles.
        request: what to publish.
        ledger: holds the account that pays.
        out: a new or empty folder for a copy of the bundle.
        progress: called with the share that is done, 0 to 1.

    Raises:
        BudgetExceededError: the account does not hold enough; nothing was charged.
        PrivacyError: the plan does not fit the account or the trips, or the nonce is that of another request; nothing was
            charged.
        InputError: ``out`` cannot be used, or the trips cannot be counted; nothing was charged.
        LedgerError: the ledger cannot be trusted.
        UnfinishedError: it was charged, and then something failed; repeat it with the same nonce.

    """
    pending.must_be_free(out)
    account = ledger.account(request.dataset)
    maker, plan = maker_of(request.plan), request.plan
    price = maker.price(plan, account.unit)
    trips.must_hide(account.unit)
    terms = request.terms(
        tessellation.digest, trips.timezone, key_identity(bounding_key()), trips.rule, trips.read_as
    )
    tell = progress or (lambda _: None)
    known = ledger.reservation(request.dataset, request.nonce)
    pending.must_not_hold_another(out, known.digest if known else None)
    tell(COUNTING[0])
    counted: tuple[Any] | None = None  # in a tuple, because the counts themselves may be false or None
    if known is None or not pending.is_drawn(known):  # a whole bundle needs no trips
        _must_fit(trips, tessellation, request)
        if known is None:
            ledger.must_afford(request.dataset, price, part=request.part)
        counted = (maker.count(trips, tessellation, plan, share(progress, *COUNTING)),)
    tell(COUNTING[1])
    with pending.alone(ledger.identity, request.dataset):
        reservation = ledger.reserve(
            request.dataset,
            nonce=request.nonce,
            price=price,
            terms=terms,
            part=request.part,
            files=(trips.fingerprint, *trips.fingerprints),
        )
        with pending.paid(reservation):
            last_seen.remember(ledger)
            notes = accounts.noted_files(
                ledger, trips.fingerprint, request.dataset, trips.fingerprints, request.part
            )
            written: WrittenBundle | None = None
            if not pending.is_drawn(reservation):
                pending.discard(pending.release_id(reservation))
                # No trips were counted if a whole bundle waited. If it has vanished since, they are counted now.
                (exact,) = counted or (maker.count(trips, tessellation, plan, None),)
                written = _draw(
                    exact,
                    request,
                    reservation,
                    account,
                    trips,
                    tessellation,
                    share(progress, COUNTING[1], 0.95),
                )
            tell(0.95)
            receipt = committed(ledger, reservation, out, written)
    tell(1.0)
    return replace(receipt, notes=notes)


def must_be_publishable(
    trips: PrivateTrips,
    tessellation: Tessellation,
    request: Request,
    account: Account,
    ledger: Ledger,
    *,
    out: Path | None = None,
) -> None:
    """Refuse what ``publish`` or ``register`` would refuse, for an account that is not registered yet; writes nothing.

    The terms of an account are final. So it is opened only after everything that its first release needs was counted.
    """
    pending.must_be_free(out)
    pending.must_not_hold_another(out, None)
    maker = maker_of(request.plan)
    price = maker.price(request.plan, account.unit)
    trips.must_hide(account.unit)
    _must_fit(trips, tessellation, request)
    ledger.must_take(account, price, part=request.part)
    maker.count(trips, tessellation, request.plan, None)


def taken_up(ledger: Ledger, reservation: Reservation, out: Path | None) -> Receipt | None:
    """The receipt of a release whose bundle was whole when its run was cut short, now completed; None if it must be drawn."""
    if not pending.is_drawn(reservation):
        return None
    pending.must_be_free(out)
    with pending.alone(ledger.identity, reservation.dataset), pending.paid(reservation):
        return committed(ledger, ledger.reservation_numbered(reservation.number), out)


def committed(
    ledger: Ledger, reservation: Reservation, out: Path | None, written: WrittenBundle | None = None
) -> Receipt:
    """Commit the bundle that waits, unless it is committed already, move it to the public folder and give the receipt.

    ``written``: the bundle that this run wrote and read back, if it did. Then the files that are delivered must hold the same
    bytes, and no table is read again.
    """
    name = pending.release_id(reservation)
    digest = reservation.digest
    if digest is None:
        if written is not None:  # before anything is committed, and so before anybody can see it
            must_be_unchanged(pending.waiting(name), written.digest)
        digest = pending.manifest_digest(pending.waiting(name))
        ledger.commit(reservation.number, digest)
        last_seen.remember(ledger)
    folder = pending.delivered(name, digest, out)
    left = ledger.statement(reservation.dataset).left
    if written is not None:
        must_be_unchanged(folder, written.digest)
    return Receipt(
        read_bundle(folder) if written is None else written.release,
        folder,
        digest,
        reservation.charged,
        reservation.charged_delta,
        left,
        repeated=reservation.state == "committed",
    )


def anchor_of(reservation: Reservation, account: Account, part: str | None) -> Anchor:
    """Where the ledger holds the charge of a reservation."""
    return Anchor(
        ledger=reservation.ledger,
        number=reservation.number,
        hash=reservation.entry_hash,
        currency=account.unit,
        charged=reservation.charged,
        total=account.total,
        part=part,
    )


def versions() -> dict[str, str]:
    """Versions of the software that computes a release, by package."""
    return {
        "epsilon-atlas": VERSION,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "duckdb": version("duckdb"),
    }


def now() -> datetime:
    """The present time: UTC, whole seconds."""
    return datetime.now(UTC).replace(microsecond=0)


def _must_fit(trips: PrivateTrips, tessellation: Tessellation, request: Request) -> None:
    """Refuse a plan that such trips cannot answer or whose noise cannot be drawn; counts nothing."""
    must_be_counted_on(trips, tessellation)
    maker_of(request.plan).check(trips, tessellation, request.plan)
    if request.part is not None and trips.engine is Engine.SPARK:
        raise PrivacyError(  # Spark identifies a file by path, size and time of change, so a copy looks like another file
            "trips on Spark cannot be a part: another part may have counted the same file unnoticed",
            trips.name,
            "Count them without a part, whose cost adds to every part, or load them without Spark. Nothing was spent.",
        )


def _draw(  # noqa: PLR0917 - what a bundle says
    counted: Any,  # noqa: ANN401 - each maker draws from what it counted
    request: Request,
    reservation: Reservation,
    account: Account,
    trips: PrivateTrips,
    tessellation: Tessellation,
    progress: Progress | None,
) -> WrittenBundle:
    """Draw fresh noise on the counts, keep the hidden state for top-ups, and write the bundle, whole or not at all."""
    made = maker_of(request.plan).draw(counted, request.plan, trips, tessellation)
    kind = kind_of(request.plan)
    if made.hidden:
        kept_counts.keep(pending.chain(reservation), made.hidden, pending.draw_of(made.measurements))
    pending.mark_as_drawn(pending.release_id(reservation))
    return write_bundle(
        Release(
            id=pending.release_id(reservation),
            title=request.title,
            note=request.note,
            dataset=account.dataset,
            population=account.population,
            publisher=request.publisher,
            created=now(),
            plan=made.plan,
            drawn=made.drawn,
            tessellation=kind.tiles(made.plan, tessellation),
            timezone=trips.timezone,
            anchor=anchor_of(reservation, account, request.part),
            charged_delta=reservation.charged_delta,
            parameters_chosen=request.parameters_chosen,
            command=with_rule(kind.command(request.plan, request.dataset, trips.timezone), trips.rule),
            trip_rule=trips.rule,
            software=versions(),
            context=request.context,
        ),
        pending.waiting(pending.release_id(reservation)),
        progress,
    )
