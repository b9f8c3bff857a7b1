"""Plan to release of tables, by the road that all releases take (``door``).

Everything is counted before the charge. Where ranges are bought, the bins are known only after they were paid for: then
histograms are counted once more.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dpcore.curator import desk, door, software
from dpcore.curator.buying import bought_five_numbers, bought_ranges, values_of
from dpcore.curator.pricing import price
from dpcore.curator.request import Receipt, Request
from dpcore.curator.synthetic_request import KIND
from dpcore.errors import PrivacyError
from dpcore.ledger import Account, Ledger, Reservation
from dpcore.measures.bought import with_ranges
from dpcore.measures.measure import Engine
from dpcore.measures.measurement import Measurement
from dpcore.measures.plan import Plan
from dpcore.noise.mechanisms import measured, must_be_drawable
from dpcore.private import kept_counts
from dpcore.private.bounding import bounded, bounding_key, key_identity
from dpcore.private.exact import ExactAnswers, exact_answers
from dpcore.private.progress import Progress, share
from dpcore.private.trips import PrivateTrips
from dpcore.release import Release, read_bundle, write_bundle
from dpcore.tessellation import Tessellation


def publish(
    trips: PrivateTrips,
    tessellation: Tessellation,
    request: Request,
    ledger: Ledger,
    *,
    out: Path | None = None,
    progress: door.Progress | None = None,
) -> Receipt:
    """The release of a request, charged once; the same nonce gives the same release again.

    Args:
        trips: prepared trips; loaded with this tessellation.
        tessellation: the public tiles.
        request: what to publish.
        ledger: holds the account that pays.
        out: where to put a copy of the bundle; a new or empty folder.
        progress: called with the share that is done, 0 to 1.

    Raises:
        BudgetExceededError: the account does not hold enough; nothing was charged.
        PrivacyError: the plan does not fit the account or the trips; nothing was charged.
        InputError: ``out`` cannot be used, or the trips cannot be counted; nothing was charged.
        LedgerError: the ledger cannot be trusted.
        UnfinishedError: it was charged, and then something failed; repeat it with the same nonce.

    """
    desk.must_be_free(out)
    account = ledger.account(request.dataset)

    def check() -> None:
        _must_fit(trips, tessellation, request)

    def count() -> None:
        _count(trips, request.plan, share(progress, *door.COUNTING))

    order = door.Order(
        request.dataset,
        request.nonce,
        request.part,
        price(request.plan, account.unit),
        request.terms(tessellation.digest, trips.timezone, key_identity(bounding_key())),
        trips.fingerprint,
        trips.fingerprints,
    )
    receipt, notes = door.passed(
        ledger,
        order,
        door.Steps(check, count, lambda _, paid: _drawn(request, paid, account, trips, tessellation)),
        lambda paid: handed_over(ledger, paid, out),
        out=out,
        progress=progress,
    )
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
    """Refuse whatever ``publish`` would refuse of a request to an account that is yet to be registered; writes nothing.

    Terms of an account stand for good, so it is opened only once everything was counted that its first release needs.

    Raises as ``publish`` and ``register`` do.
    """
    desk.must_be_free(out)
    desk.must_hold(out, None)
    cost = price(request.plan, account.unit)
    _must_fit(trips, tessellation, request)
    ledger.must_take(account, cost, part=request.part)
    _count(trips, request.plan)


def finish(
    trips: PrivateTrips,
    tessellation: Tessellation,
    reservation: Reservation,
    ledger: Ledger,
    *,
    out: Path | None = None,
    progress: door.Progress | None = None,
) -> Receipt:
    """Take up a release that was reserved and then cut short; nothing is charged again."""
    if reservation.terms.get("kind") == KIND:
        raise PrivacyError(
            "this is a synthetic release, not one of tables",
            f"entry {reservation.number}",
            f"Finish it on the Synthesize page, or repeat it with the nonce {reservation.nonce}: nothing is charged again.",
        )
    receipt = door.taken_up(ledger, reservation, lambda paid: handed_over(ledger, paid, out), out=out)
    if receipt is not None:
        return receipt
    request = Request.of_terms(reservation.dataset, reservation.nonce, reservation.part, reservation.terms)
    return publish(trips, tessellation, request, ledger, out=out, progress=progress)


def handed_over(ledger: Ledger, reservation: Reservation, out: Path | None) -> Receipt:
    """Commit the bundle that waits, if it is not committed yet, and hand it over."""
    found = door.committed(ledger, reservation, out)
    return Receipt(
        read_bundle(found.folder), found.folder, found.digest, found.charged, found.left, found.repeated
    )


def _must_fit(trips: PrivateTrips, tessellation: Tessellation, request: Request) -> None:
    """Refuse a plan that these trips cannot answer, or whose noise cannot be drawn; nothing is counted."""
    if tessellation.digest != trips.tiles_digest:
        raise PrivacyError(
            "these are not the tiles that the trips were counted on", trips.name, "Load the trips with them."
        )
    bounded(trips, request.plan.bound)  # refuses a bound on users where there are none
    must_be_drawable(request.plan)
    if request.part is not None and trips.engine is Engine.SPARK:
        raise PrivacyError(  # Spark knows a file by path, size and time of change: the same bytes may have another name
            "trips on Spark cannot be a part: whether another part counted the same file could not be told",
            trips.name,
            "Count them without a part, which adds up with every part, or load them without Spark. Nothing was spent.",
        )


def _count(trips: PrivateTrips, plan: Plan, progress: Progress | None = None) -> None:
    """Count everything that a release needs, before anything is spent; it is then read from the private folder."""
    _answers(trips, plan, progress)
    values_of(trips, plan)


def _answers(trips: PrivateTrips, plan: Plan, progress: Progress | None = None) -> ExactAnswers:
    """The exact answers; counted once, then read from the private folder."""
    return exact_answers(bounded(trips, plan.bound), plan.measures, progress)


def _drawn(
    request: Request,
    reservation: Reservation,
    account: Account,
    trips: PrivateTrips,
    tessellation: Tessellation,
) -> None:
    """Draw a fresh ladder for every measure, keep its hidden state, and write the bundle that waits.

    Ranges come first: what is counted then has the bins that they give.
    """
    asked, values = request.plan, values_of(trips, request.plan)
    ranges = bought_ranges(asked, values)
    plan = asked if ranges is None else with_ranges(asked, ranges)
    answers = _answers(trips, plan)
    measurements: dict[str, Measurement] = {}
    hidden: dict[str, NDArray[np.int64]] = {}
    for measure in plan.measures:
        name, keys = measure.name, measure.keys(tessellation.tile_ids)
        cells, counts = answers.on(measure, keys)
        measurements[name] = measured(measure, keys, cells, counts, plan, origin="release")
        hidden[name] = _listed(measurements[name], cells, counts)
    kept_counts.keep(desk.chain(reservation), hidden, desk.draw_of(measurements))
    write_bundle(
        Release(
            id=desk.release_id(reservation),
            title=request.title,
            note=request.note,
            dataset=account.dataset,
            population=account.population,
            created=datetime.now(UTC).replace(microsecond=0),
            plan=plan,
            measurements=measurements,
            tessellation=tessellation,
            timezone=trips.timezone,
            anchor=door.anchor_of(reservation, account, request.part),
            parameters_chosen=request.parameters_chosen,
            command=software.command(request, trips.timezone),
            software=software.versions(),
            five_numbers=bought_five_numbers(asked, values),
            ranges=ranges,
        ),
        desk.waiting(desk.release_id(reservation)),
    )


def _listed(
    measurement: Measurement, cells: NDArray[np.int64], counts: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The exact count of every listed cell of a measurement, zeros included."""
    listed = measurement.cell_numbers
    where = np.searchsorted(cells, listed)
    found = np.zeros(len(listed), np.int64)
    inside = where < len(cells)
    hit = np.flatnonzero(inside)[cells[where[inside]] == listed[inside]]
    found[hit] = counts[where[hit]]
    return found
