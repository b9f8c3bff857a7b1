"""Choices to synthetic release, by the road that all releases take (``door``)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from dpcore.curator import desk, door, software
from dpcore.curator.synthesis_price import synthesis_price
from dpcore.curator.synthetic_request import SyntheticReceipt, SyntheticRequest
from dpcore.errors import InternalError
from dpcore.ledger import Account, Ledger, Reservation
from dpcore.private.bounding import bounding_key, key_identity
from dpcore.private.synthesis.drawing import (
    EXACT_NOISE,
    keys_must_be_drawable,
    must_be_drawable,
    must_be_growable,
    noisy_tables,
)
from dpcore.private.synthesis.large_counts import must_fit_a_bundle, stability_histogram
from dpcore.private.synthesis.reading import must_be_counted_on, must_have_users
from dpcore.private.synthesis.station_trips import ExactTables, exact_tables, station_trips_of
from dpcore.private.synthesis.trip_ends import TripEnds, trip_ends_of
from dpcore.private.trajectories.growth import grow
from dpcore.private.trajectories.sequences import TileSequences, sequences_of
from dpcore.private.trips import PrivateTrips
from dpcore.release.drawn_tiles import as_drawn
from dpcore.synthesis.domain import must_not_be_a_place
from dpcore.synthesis.roy_choices import RoyChoices
from dpcore.synthesis.sampling import fresh_seed
from dpcore.synthesis.stability.plan import UNKNOWN
from dpcore.synthetic_release import SyntheticRelease, read_bundle, write_bundle
from dpcore.synthetic_release.release import Tables
from dpcore.tessellation import Tessellation
from dpcore.trajectory_tree.choices import TreeChoices
from dpcore.trajectory_tree.noisy_tree import NoisyTree
from dpcore.trajectory_tree.tree import consistent


def synthesize(
    trips: PrivateTrips,
    tessellation: Tessellation,
    request: SyntheticRequest,
    ledger: Ledger,
    *,
    out: Path | None = None,
    progress: door.Progress | None = None,
) -> SyntheticReceipt:
    """The synthetic release of a request, charged once; the same nonce gives the same release again.

    Args:
        trips: prepared trips; loaded with this tessellation.
        tessellation: the public tiles.
        request: what to publish.
        ledger: holds the account that pays.
        out: where to put a copy of the bundle; a new or empty folder.
        progress: called with the share that is done, 0 to 1.

    Raises:
        BudgetExceededError: the account does not hold enough; nothing was charged.
        PrivacyError: the choices do not fit the account or the trips; nothing was charged.
        InputError: ``out`` cannot be used, or the trips cannot be counted; nothing was charged.
        LedgerError: the ledger cannot be trusted.
        UnfinishedError: it was charged, and then something failed; repeat it with the same nonce.

    """
    desk.must_be_free(out)
    account = ledger.account(request.dataset)
    order = door.Order(
        request.dataset,
        request.nonce,
        request.part,
        synthesis_price(request.choices, account.unit),
        request.terms(tessellation.digest, trips.timezone, key_identity(bounding_key())),
        trips.fingerprint,
        trips.fingerprints,
    )

    receipt, notes = door.passed(
        ledger,
        order,
        door.Steps(
            lambda: _check(trips, tessellation, request),
            lambda: _counted(trips, tessellation, request),
            lambda counted, paid: _drawn(counted, request, paid, account, trips, tessellation),
        ),
        lambda paid: _handed_over(ledger, paid, out),
        out=out,
        progress=progress,
    )
    return replace(receipt, notes=notes)


def must_be_synthesizable(
    trips: PrivateTrips,
    tessellation: Tessellation,
    request: SyntheticRequest,
    account: Account,
    ledger: Ledger,
    *,
    out: Path | None = None,
) -> None:
    """Refuse whatever ``synthesize`` would refuse of a request to an account that is yet to be registered; writes nothing.

    Raises as ``synthesize`` and ``register`` do.
    """
    desk.must_be_free(out)
    desk.must_hold(out, None)
    _check(trips, tessellation, request)
    ledger.must_take(account, synthesis_price(request.choices, account.unit), part=request.part)
    _counted(trips, tessellation, request)


def finish_synthesis(
    trips: PrivateTrips,
    tessellation: Tessellation,
    reservation: Reservation,
    ledger: Ledger,
    *,
    out: Path | None = None,
    progress: door.Progress | None = None,
) -> SyntheticReceipt:
    """Take up a synthetic release that was reserved and then cut short; nothing is charged again."""
    request = SyntheticRequest.of_terms(
        reservation.dataset, reservation.nonce, reservation.part, reservation.terms
    )
    receipt = door.taken_up(ledger, reservation, lambda paid: _handed_over(ledger, paid, out), out=out)
    if receipt is not None:
        return receipt
    return synthesize(trips, tessellation, request, ledger, out=out, progress=progress)


def _check(trips: PrivateTrips, tessellation: Tessellation, request: SyntheticRequest) -> None:
    must_be_counted_on(trips, tessellation)
    must_have_users(trips, request.choices.bound)
    if isinstance(request.choices, RoyChoices):
        must_be_drawable(request.choices.plan(tessellation))
    elif isinstance(request.choices, TreeChoices):
        must_be_growable(request.choices.plan(tessellation))
    else:
        must_not_be_a_place(UNKNOWN, tessellation.tile_ids)
        keys_must_be_drawable(request.choices.plan())


def _counted(
    trips: PrivateTrips, tessellation: Tessellation, request: SyntheticRequest
) -> ExactTables | TripEnds | TileSequences:
    """The exact tables, the rows whose keys are counted, or the trajectories, under the bound."""
    if isinstance(request.choices, RoyChoices):
        plan = request.choices.plan(tessellation)
        return exact_tables(station_trips_of(trips, tessellation, plan.domain), plan)
    if isinstance(request.choices, TreeChoices):
        sequences = sequences_of(trips, tessellation, request.choices, bounding_key())
        sequences.check(request.choices.plan(tessellation).locations)
        return sequences
    found = trip_ends_of(trips, tessellation, request.choices.plan())
    must_fit_a_bundle(found)
    return found


def _drawn(  # noqa: PLR0917 - what a bundle says
    counted: ExactTables | TripEnds | TileSequences,
    request: SyntheticRequest,
    reservation: Reservation,
    account: Account,
    trips: PrivateTrips,
    tessellation: Tessellation,
) -> None:
    """Draw every table afresh and write the bundle that waits; the trips follow from the tables and a public seed."""
    tables = _noisy(counted, request, tessellation)
    write_bundle(
        SyntheticRelease(
            id=desk.release_id(reservation),
            title=request.title,
            note=request.note,
            dataset=account.dataset,
            population=account.population,
            created=datetime.now(UTC).replace(microsecond=0),
            choices=request.choices,
            tables=tables,
            seed=0 if isinstance(tables, NoisyTree) else fresh_seed(),
            form="points" if trips.has_points else "tiles",
            tessellation=as_drawn(tessellation),
            timezone=trips.timezone,
            anchor=door.anchor_of(reservation, account, request.part),
            charged_delta=reservation.charged_delta,
            parameters_chosen=request.parameters_chosen,
            command=software.synthesis_command(request, trips.timezone),
            software=software.versions(),
        ),
        desk.waiting(desk.release_id(reservation)),
    )


def _noisy(
    counted: ExactTables | TripEnds | TileSequences, request: SyntheticRequest, tessellation: Tessellation
) -> Tables:
    """What was counted, with fresh noise."""
    if isinstance(counted, ExactTables):
        return noisy_tables(counted.counts, counted.plan, origin="release")
    if isinstance(counted, TileSequences) and isinstance(request.choices, TreeChoices):
        plan = request.choices.plan(tessellation)
        tree = grow(counted, plan, EXACT_NOISE)
        return NoisyTree(plan, consistent(tree, request.choices.consistency), "release")
    if isinstance(counted, TripEnds):
        return stability_histogram(counted, origin="release")
    raise InternalError.at("choices and counts of a synthetic release")


def _handed_over(ledger: Ledger, reservation: Reservation, out: Path | None) -> SyntheticReceipt:
    found = door.committed(ledger, reservation, out)
    return SyntheticReceipt(
        read_bundle(found.folder),
        found.folder,
        found.digest,
        found.charged,
        found.charged_delta,
        found.left,
        found.repeated,
    )
