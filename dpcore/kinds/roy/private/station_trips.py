"""Prepared trips become trips between stations: a tile is a station, and everything is coded by public lists.

Then they are bounded and counted into the exact tables of a plan.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from dpcore.errors import InputError, PrivacyError
from dpcore.kinds.roy.declared import NO_AMOUNT
from dpcore.kinds.roy.domain import TRIP_COLUMNS, TripColumns, TripDomain, durations_counted
from dpcore.kinds.roy.workload import SynthesisPlan
from dpcore.measures import attribute as declaring
from dpcore.measures.attribute import KEPT
from dpcore.measures.riders import Attribute
from dpcore.privacy import ContributionBound, PrivacyUnit
from dpcore.private.sealed import Sealed
from dpcore.private.source.extras import ROLE
from dpcore.private.synthetic.bounding import smallest_ranks
from dpcore.private.synthetic.reading import integers, must_be_counted_on, read_columns, seconds_of_day
from dpcore.private.trips import PrivateTrips
from dpcore.tiles import Tessellation

Counts = NDArray[np.int64]

_STORED: Final = ("start_tile", "end_tile", "complete", "start_us", "end_us")


class SealedTwin(Sealed):
    """A public type, sealed. The same public formulas work on it, but it shows no value and cannot be serialised."""

    @classmethod
    def of(cls, public: object) -> Self:
        """The same content, sealed."""
        return cls(**vars(public))


class PrivateColumns(SealedTwin, TripColumns):
    """Trips that must not leave: real ones, or synthetic ones that nobody paid for. A selection of them is such trips too."""


@dataclass(frozen=True, repr=False, eq=False)
class StationTrips(Sealed):
    """Trips that lie within the public domain, one row for each trip."""

    domain: TripDomain
    columns: PrivateColumns
    users: NDArray[np.int64] | None = None
    """A number for the user of each trip. It only tells users apart. None if the file has no users."""
    ranks: NDArray[np.int64] | None = None
    """Keyed hash of each trip with the id of its user, from preparing the trips. None if there are no users."""


def must_have_kept(
    trips: PrivateTrips, extras: Iterable[str], declared: Iterable[declaring.Attribute]
) -> None:
    """Refuse to draw attributes that were not kept when the trips were read; raises InputError, which says how to keep them.

    ``extras``: out of zip, gender and user type. ``declared``: those that the owner declared.
    """
    absent = [name for name in extras if name not in trips.extras]
    absent += [one.name for one in declared if one not in trips.attributes]
    if absent:
        name = absent[0]
        raise InputError(
            "an attribute was not kept when these trips were read",
            f"{trips.name}, {', '.join(absent)}",
            "Files of bike shares, of Hubway and of synthetic trips bring zip, user_type and gender by themselves. If your file has "
            f"such a column, declare it with --attribute {name}=a,b,c, its public list, and draw it with --draw {name} instead of "
            "--attributes (attributes= and draw= in Python). Else leave it out.",
        )


def station_trips_of(trips: PrivateTrips, tessellation: Tessellation, domain: TripDomain) -> StationTrips:
    """The trips that lie within the public domain, each judged by its own values. Nothing is bounded yet.

    It leaves out trips without a known start and end in some tile, on other dates, or outside the public bounds of
    durations.

    Raises:
        PrivacyError: the trips were loaded with other tiles.
        InputError: the form lacks an attribute of the domain, or a value is not on its public list.

    """
    must_be_counted_on(trips, tessellation)
    must_have_kept(trips, [extra.name for extra in domain.extras], domain.declared)
    listed = len(domain.stations.ids)
    station = domain.stations.attribute.encoded(tessellation.tile_ids)
    station = np.append(station, listed).astype(np.int32)  # the last entry stands for no tile
    first = np.datetime64(domain.period.first, "D").astype(np.int64)

    def coded(batch: pa.RecordBatch) -> tuple[NDArray[np.int64], Mapping[str, NDArray[Any]]]:
        start, end = (station[integers(batch[name])] for name in ("start_tile", "end_tile"))
        seconds = (integers(batch["end_us"], 0) - integers(batch["start_us"], 0)) // 1_000_000
        day, second = seconds_of_day(batch["start_us"], trips.timezone)
        date = day - first
        fits = np.asarray(batch["complete"]) & np.asarray(batch["start_us"].is_valid())
        fits &= np.asarray(batch["end_us"].is_valid())
        fits &= (start < listed) & (end < listed) & durations_counted(seconds)
        fits &= (date >= 0) & (date < domain.sizes["date"])
        rows = np.flatnonzero(fits)
        own: dict[str, NDArray[Any]] = {
            "start": start, "end": end, "date": date, "second": second, "seconds": seconds,
        }  # fmt: skip
        extras = {
            extra.name: _encoded(batch[ROLE + extra.name].take(pa.array(rows)), extra)
            for extra in domain.extras
        }
        extras |= {
            one.name: integers(batch[KEPT + one.name], NO_AMOUNT)[rows].astype(np.int32)
            for one in domain.declared
        }
        return rows, {name: codes[rows].astype(np.int32) for name, codes in own.items()} | extras

    names = [extra.name for extra in domain.attributes]
    held = [
        *(ROLE + extra.name for extra in domain.extras),
        *(KEPT + one.name for one in domain.declared),
    ]
    found = read_columns(
        trips,
        (*_STORED, *held),
        coded,
        dict.fromkeys((*TRIP_COLUMNS, *names), np.int32),
        users=trips.has_users,
    )
    columns = PrivateColumns(
        **{name: found.columns[name] for name in TRIP_COLUMNS},
        extras={name: found.columns[name] for name in names},
    )
    if not trips.has_users:
        return StationTrips(domain, columns)
    return StationTrips(domain, columns, found.users, found.ranks)


def _encoded(column: pa.Array, attribute: Attribute) -> NDArray[np.int32]:
    """The position of each text in the public list. Each distinct text is looked up once."""
    coded = (
        column
        if pa.types.is_dictionary(column.type)
        else pc.dictionary_encode(column, null_encoding="encode")
    )
    if coded.indices.null_count or coded.dictionary.null_count:
        return attribute.encoded(column.cast(pa.string()))
    used = pc.unique(coded.indices).to_numpy()
    codes = np.zeros(len(coded.dictionary), np.int32)
    codes[used] = attribute.encoded(coded.dictionary.take(pa.array(used)).cast(pa.string()))
    found: NDArray[np.int32] = codes[coded.indices.to_numpy()]
    return found


def kept_of_each(trips: StationTrips, bound: ContributionBound) -> StationTrips:
    """The trips that count under a bound: those of each user with the smallest keyed hashes of their own content.

    Which trips of a user count depends on this user's trips alone (see ``dpcore.private.bounding``, which does the same for
    trips between tiles). At trip level nothing is bounded. Raises PrivacyError if there are no users.
    """
    if bound.unit is PrivacyUnit.TRIP:
        return trips
    if trips.users is None or trips.ranks is None:
        raise PrivacyError(
            "these trips have no user column",
            "synthetic trips",
            "Choose the privacy unit trip: without user ids a person's trips cannot be found.",
        )
    content = list(trips.columns.all_columns.values())
    keep = smallest_ranks(trips.users, trips.ranks, content, bound.trips)
    return replace(trips, columns=trips.columns.at(keep), users=trips.users[keep], ranks=trips.ranks[keep])


@dataclass(frozen=True, repr=False, eq=False)
class ExactTables(Sealed):
    """Exact counts of the groups of a plan, for trips that are bounded as the plan says."""

    plan: SynthesisPlan
    counts: Mapping[str, Counts]


def exact_tables(trips: StationTrips, plan: SynthesisPlan) -> ExactTables:
    """The exact table of every group, counted under the bound of the plan."""
    kept = kept_of_each(trips, plan.bound).columns
    return ExactTables(
        plan,
        {
            group.name: contingency([kept.codes(plan.domain, axis) for axis in group.axes], plan.shape(group))
            for group in plan.groups
        },
    )


def contingency(codes: Sequence[NDArray[np.int64]], shape: tuple[int, ...]) -> Counts:
    """The number of rows with each combination of codes; int64, of the given shape."""
    cell = np.ravel_multi_index(tuple(codes), shape)
    return np.bincount(cell, minlength=int(np.prod(shape))).reshape(shape)
