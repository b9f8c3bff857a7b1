"""Prepared trips become trips between stations: a tile is a station, and everything is coded on public lists.

The rows are read a batch at a time. Nothing here depends on the place of a row in the file, or on anybody else's rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from dpcore.errors import InputError, PrivacyError
from dpcore.privacy import ContributionBound, PrivacyUnit
from dpcore.private.sealed import Sealed
from dpcore.private.source.times import clock_of
from dpcore.private.synthesis.kept import PrivateColumns
from dpcore.private.synthesis.records import StationTrips
from dpcore.private.trips import PrivateTrips
from dpcore.synthesis import durations
from dpcore.synthesis.attributes import Attribute
from dpcore.synthesis.domain import TripDomain
from dpcore.tessellation import Tessellation

Integers = NDArray[np.int64]

EXTRA: Final = "extra_"
"""What the prepared column of a further attribute begins with."""

_UNKNOWN: Final = -1
_COLUMNS: Final = ("start_tile", "end_tile", "complete", "start_us", "end_us")


@dataclass(frozen=True, repr=False, eq=False)
class _Part(Sealed):
    """The trips of one batch; without users the last two are empty."""

    columns: PrivateColumns
    users: Integers
    ranks: Integers


def station_trips_of(trips: PrivateTrips, tessellation: Tessellation, domain: TripDomain) -> StationTrips:
    """The trips that lie within the public domain, each judged by its own values; nothing is bounded yet.

    Left out are trips without a known start and end in some tile, on other dates, and shorter or longer than the public
    bounds of ``durations``.

    Raises:
        PrivacyError: the trips were loaded with other tiles.
        InputError: the form lacks an attribute of the domain, or a value is not on its public list.

    """
    must_be_counted_on(trips, tessellation)
    rows = trips.local_rows()
    _must_have(trips, rows.columns, domain)
    wanted = [*_COLUMNS, *_bounding(trips), *(EXTRA + extra.name for extra in domain.extras)]
    parts = [_coded(batch, trips, tessellation, domain) for batch in rows.batches(wanted)]
    return _together(domain, parts, has_users=trips.has_users)


def must_be_counted_on(trips: PrivateTrips, tessellation: Tessellation) -> None:
    """Refuse tiles that are not those with which the trips were loaded; raises PrivacyError."""
    if tessellation.digest != trips.tiles_digest:
        raise PrivacyError(
            "these are not the tiles that the trips were counted on", trips.name, "Load the trips with them."
        )


def must_have_users(trips: PrivateTrips, bound: ContributionBound) -> None:
    """Refuse to protect people whose trips cannot be told apart; raises PrivacyError."""
    if bound.unit is PrivacyUnit.USER and not trips.has_users:
        raise PrivacyError(
            "these trips have no user column",
            trips.name,
            "Choose the privacy unit trip: without user ids a person's trips cannot be found.",
        )


def batches_of(trips: PrivateTrips, columns: tuple[str, ...]) -> Iterator[pa.RecordBatch]:
    """The prepared rows in batches, with what bounding needs where there are users."""
    yield from trips.local_rows().batches([*columns, *_bounding(trips)])


def integers(column: pa.Array, missing: int = _UNKNOWN) -> Integers:
    """A column of whole numbers, with a number for what is missing."""
    return np.asarray(pc.fill_null(column, missing).to_numpy(zero_copy_only=False), np.int64)


def numbered(users: list[Integers]) -> Integers:
    """Small numbers, from 0, in place of the keyed hashes of users: equal where they were equal, else without meaning."""
    hashes = pa.array(np.concatenate([np.zeros(0, np.int64), *users]))
    return np.asarray(hashes.dictionary_encode().indices.to_numpy(), np.int64)


def seconds_of_day(instants: pa.Array, timezone: str) -> tuple[Integers, Integers]:
    """Days since 1970 and seconds since midnight on the city's clock; of times that are not known any numbers.

    Args:
        instants: microseconds since 1970, UTC.
        timezone: IANA name.

    """
    return np.divmod(clock_of(integers(instants, 0), timezone) // 1_000_000, 86_400)


def _bounding(trips: PrivateTrips) -> tuple[str, ...]:
    return ("user_id", "rnd") if trips.has_users else ()


def _must_have(trips: PrivateTrips, names: tuple[str, ...], domain: TripDomain) -> None:
    absent = [extra.name for extra in domain.extras if EXTRA + extra.name not in names]
    if absent:
        raise InputError(
            "these trips do not have an attribute",
            f"{trips.name}, {', '.join(absent)}",
            "Leave it out, or load trips that have it.",
        )


def _coded(
    batch: pa.RecordBatch, trips: PrivateTrips, tessellation: Tessellation, domain: TripDomain
) -> _Part:
    station = domain.stations.attribute.encoded(tessellation.tile_ids)
    station = np.append(station, len(domain.stations.ids)).astype(np.int32)  # the last one: in no tile
    start, end = (station[integers(batch[name])] for name in ("start_tile", "end_tile"))
    began, ended = integers(batch["start_us"], 0), integers(batch["end_us"], 0)
    seconds = (ended - began) // 1_000_000
    day, second = seconds_of_day(batch["start_us"], trips.timezone)
    date = day - np.datetime64(domain.period.first, "D").astype(np.int64)
    known = np.asarray(batch["complete"]) & np.asarray(batch["start_us"].is_valid())
    known &= np.asarray(batch["end_us"].is_valid())
    listed = len(domain.stations.ids)
    fits = known & (start < listed) & (end < listed) & durations.counted(seconds)
    fits &= (date >= 0) & (date < domain.sizes["date"])
    keep = np.flatnonzero(fits)
    nobody = np.zeros(0, np.int64)
    return _Part(
        PrivateColumns(
            start[keep],
            end[keep],
            date[keep].astype(np.int32),
            second[keep].astype(np.int32),
            seconds[keep].astype(np.int32),
            {
                extra.name: _encoded(batch[EXTRA + extra.name].take(pa.array(keep)), extra)
                for extra in domain.extras
            },
        ),
        integers(batch["user_id"])[keep] if trips.has_users else nobody,
        integers(batch["rnd"])[keep] if trips.has_users else nobody,
    )


def _encoded(column: pa.Array, attribute: Attribute) -> NDArray[np.int32]:
    """The position of each text in the public list; each different text is looked up once."""
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


def _together(domain: TripDomain, parts: list[_Part], *, has_users: bool) -> StationTrips:
    columns = [part.columns for part in parts]

    def codes(pieces: list[NDArray[np.int32]]) -> NDArray[np.int32]:
        return np.concatenate([np.zeros(0, np.int32), *pieces])

    return StationTrips(
        domain,
        PrivateColumns(
            codes([one.start for one in columns]),
            codes([one.end for one in columns]),
            codes([one.date for one in columns]),
            codes([one.second for one in columns]),
            codes([one.seconds for one in columns]),
            {extra.name: codes([one.extras[extra.name] for one in columns]) for extra in domain.extras},
        ),
        users=numbered([part.users for part in parts]) if has_users else None,
        ranks=np.concatenate([np.zeros(0, np.int64), *(part.ranks for part in parts)]) if has_users else None,
    )
