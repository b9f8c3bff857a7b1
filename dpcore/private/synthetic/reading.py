"""Prepared trips become columns of integers, for trips between stations, for trip ends and for trajectories alike.

The rows are read batch by batch. Nothing here depends on the position of a row in the file, or on anybody else's rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from dpcore.errors import PrivacyError
from dpcore.private.sealed import Sealed
from dpcore.private.source.times import clock_of
from dpcore.private.trips import PrivateTrips, local_rows
from dpcore.tiles import Tessellation

Integers = NDArray[np.int64]
Coder: TypeAlias = "Callable[[pa.RecordBatch], tuple[Integers, Mapping[str, NDArray[Any]]]]"
"""The numbers of the rows of a batch that are kept, and the columns made from them."""


@dataclass(frozen=True, repr=False, eq=False)
class TripColumnsRead(Sealed):
    """What was read from all batches, one after another."""

    columns: Mapping[str, NDArray[Any]]
    users: Integers
    """A small number for the user of each row. It only tells users apart. 0 if users are not needed."""
    ranks: Integers
    """Keyed hash of each row with the id of its user, from preparing the trips. 0 if users are not needed."""


def read_columns(
    trips: PrivateTrips,
    stored: tuple[str, ...],
    coded: Coder,
    kinds: Mapping[str, type[Any]],
    *,
    users: bool,
) -> TripColumnsRead:
    """The columns that ``coded`` makes of the prepared rows.

    Args:
        trips: where the rows are.
        stored: names of the prepared columns that ``coded`` reads.
        coded: what becomes of a batch, row by row.
        kinds: the columns that ``coded`` gives, each with its type.
        users: whether users are told apart, which bounding needs.

    """
    timed = not {"start_us", "end_us"}.isdisjoint(stored)
    for what, is_lacking in (("times", timed and not trips.form.times), ("other ends", not trips.form.ends)):
        if is_lacking:
            raise PrivacyError(
                f"these trips have no {what}, which synthetic data need",
                trips.name,
                "Publish tables instead: visits and the numbers of people need none.",
            )
    pieces: dict[str, list[NDArray[Any]]] = {name: [np.zeros(0, kind)] for name, kind in kinds.items()}
    hashes, ranks = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for batch in local_rows(trips).batches([*stored, *(("user_id", "rnd") if users else ())]):
        rows, found = coded(batch)
        for name, column in found.items():
            pieces[name].append(column)
        nobody = np.zeros(len(rows), np.int64)
        hashes.append(integers(batch["user_id"])[rows] if users else nobody)
        ranks.append(integers(batch["rnd"])[rows] if users else nobody)
    return TripColumnsRead(
        {name: np.concatenate(parts) for name, parts in pieces.items()},
        _small_numbers(np.concatenate(hashes)),
        np.concatenate(ranks),
    )


def must_be_counted_on(trips: PrivateTrips, tessellation: Tessellation) -> None:
    """Refuse tiles other than those with which the trips were loaded. Raises PrivacyError."""
    if tessellation.digest != trips.tiles_digest:
        raise PrivacyError(
            "these are not the tiles that the trips were counted on", trips.name, "Load the trips with them."
        )


def integers(column: pa.Array, missing: int = -1) -> Integers:
    """A column of whole numbers, with a given number in place of missing ones."""
    return np.asarray(pc.fill_null(column, missing).to_numpy(zero_copy_only=False), np.int64)


def seconds_of_day(instants: pa.Array, timezone: str) -> tuple[Integers, Integers]:
    """Days since 1970 and seconds since midnight on the city's clock. Arbitrary numbers for unknown times.

    ``instants``: microseconds since 1970, UTC.
    """
    return np.divmod(clock_of(integers(instants, 0), timezone) // 1_000_000, 86_400)


def _small_numbers(hashes: Integers) -> Integers:
    """Small numbers from 0 in place of the keyed hashes of users. Equal hashes give equal numbers; nothing else is kept."""
    return np.asarray(pa.array(hashes).dictionary_encode().indices.to_numpy(), np.int64)
