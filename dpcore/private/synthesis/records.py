"""Private trips between stations as columns of integers, and their exact tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dpcore.errors import InputError, PrivacyError
from dpcore.privacy import ContributionBound, PrivacyUnit
from dpcore.private.sealed import Sealed
from dpcore.private.synthesis.bounding import smallest_hashes, smallest_ranks
from dpcore.private.synthesis.kept import PrivateColumns
from dpcore.synthesis import durations
from dpcore.synthesis.domain import TripDomain
from dpcore.synthesis.workload import SynthesisPlan

Counts = NDArray[np.int64]
Texts = Sequence[str | None] | NDArray[np.str_]


@dataclass(frozen=True, repr=False, eq=False)
class StationTrips(Sealed):
    """Trips that lie within the public domain, one row a trip."""

    domain: TripDomain
    columns: PrivateColumns
    users: Sequence[str] | NDArray[np.int64] | None = None
    """User id of each trip; None where the file has none. Where there are ranks a number: it only tells users apart."""
    ranks: NDArray[np.int64] | None = None
    """Keyed hash of each trip with the id of its user, as trips were prepared; None where the ids are texts."""


def station_trips(
    domain: TripDomain,
    *,
    start: Texts,
    end: Texts,
    started: NDArray[np.datetime64],
    seconds: NDArray[np.int64],
    extras: Mapping[str, Texts] | None = None,
    users: Sequence[str] | None = None,
) -> StationTrips:
    """Trips as they are read become codes; a trip outside the public domain is left out, each by its own values.

    Left out are trips at stations that are not listed, on dates outside the period, and shorter or longer than the
    public bounds of ``durations``.

    Args:
        domain: stations, dates and attributes.
        start: ids of the stations where trips start.
        end: ids of the stations where they end.
        started: start on the wall clock, datetime64.
        seconds: duration, whole seconds; negative where it is unknown.
        extras: text of each further attribute of the domain, by name.
        users: user ids, if there are any.

    Raises:
        InputError: a column is missing, or a value that its attribute neither lists nor has a category for.

    """
    given = extras or {}
    absent = [attribute.name for attribute in domain.extras if attribute.name not in given]
    if absent:
        raise InputError("a column is missing", ", ".join(absent), "Name it, or leave it out of the domain.")
    here, there = (domain.stations.attribute.encoded(texts) for texts in (start, end))
    clock = (started - np.datetime64(domain.period.first, "s")).astype("timedelta64[s]").astype(np.int64)
    date, second = np.divmod(clock, 86_400)
    listed = len(domain.stations.ids)
    fits = (here < listed) & (there < listed) & durations.counted(seconds)
    fits &= (date >= 0) & (date < domain.sizes["date"])
    keep = np.flatnonzero(fits)
    columns = PrivateColumns(
        here[keep],
        there[keep],
        date[keep].astype(np.int32),
        second[keep].astype(np.int32),
        seconds[keep].astype(np.int32),
        {attribute.name: attribute.encoded(given[attribute.name])[keep] for attribute in domain.extras},
    )
    return StationTrips(domain, columns, None if users is None else [users[i] for i in keep.tolist()])


def kept_of_each(trips: StationTrips, bound: ContributionBound, key: bytes) -> StationTrips:
    """The trips that count under a bound: of each user those with the smallest keyed hash of their own content.

    What is kept of a user depends on this user's trips alone (see ``dpcore.private.bounding``, which does the same for
    trips between tiles). At trip level nothing is bounded. Raises PrivacyError where there are no users.
    """
    if bound.unit is PrivacyUnit.TRIP:
        return trips
    if trips.users is None:
        raise PrivacyError(
            "these trips have no user column",
            "synthetic trips",
            "Choose the privacy unit trip: without user ids a person's trips cannot be found.",
        )
    columns = trips.columns
    content = [
        columns.start,
        columns.end,
        columns.date,
        columns.second,
        columns.seconds,
        *columns.extras.values(),
    ]
    if trips.ranks is not None:
        users = np.asarray(trips.users)
        keep = smallest_ranks(users, trips.ranks, content, bound.trips)
        return replace(trips, columns=columns.at(keep), users=users[keep], ranks=trips.ranks[keep])
    texts = [str(user) for user in trips.users]
    keep = smallest_hashes(texts, [column.astype(np.uint64) for column in content], bound.trips, key)
    return replace(trips, columns=columns.at(keep), users=[texts[i] for i in keep.tolist()])


@dataclass(frozen=True, repr=False, eq=False)
class ExactTables(Sealed):
    """Exact counts of the groups of a plan, of trips that are bounded as the plan says."""

    plan: SynthesisPlan
    counts: Mapping[str, Counts]


def exact_tables(trips: StationTrips, plan: SynthesisPlan, key: bytes) -> ExactTables:
    """The exact table of every group, counted under the bound of the plan."""
    kept = kept_of_each(trips, plan.bound, key).columns
    return ExactTables(
        plan,
        {
            group.name: contingency([kept.codes(plan.domain, axis) for axis in group.axes], plan.shape(group))
            for group in plan.groups
        },
    )


def contingency(codes: Sequence[NDArray[np.int64]], shape: tuple[int, ...]) -> Counts:
    """How many rows have each combination of codes; int64, of the given shape."""
    cell = np.ravel_multi_index(tuple(codes), shape)
    return np.bincount(cell, minlength=int(np.prod(shape))).reshape(shape)
