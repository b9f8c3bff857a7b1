"""The file of trips of a bundle that may come from anyone: every row lies where its release says, batch by batch."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from dpcore import limits
from dpcore.errors import BundleError
from dpcore.synthesis.noisy_tables import NoisyTables
from dpcore.synthesis.stability.large_counts import StabilityHistogram
from dpcore.synthetic_release.layout import TRIPS
from dpcore.synthetic_release.release import SyntheticRelease
from dpcore.synthetic_release.trips import BATCH_ROWS, ID, label_points, trip_schema

_DAMAGE: Final = (pa.ArrowException, OSError, ValueError, OverflowError, KeyError, TypeError)
_AGAIN: Final = "Get the bundle again from where it was published."


def check_trips(data: bytes, release: SyntheticRelease, rows: int) -> None:
    """Refuse trips with other columns, another number of rows, or places that no tile has; raises BundleError."""
    _check_number(release, rows)
    schema = trip_schema(release.choices, release.form)
    done = False
    with suppress(*_DAMAGE):
        footer = pq.read_metadata(pa.BufferReader(data))
        groups = [footer.row_group(number) for number in range(footer.num_row_groups)]
        small = all(group.num_rows <= BATCH_ROWS for group in groups)
        unpacked = max((group.total_byte_size for group in groups), default=0)
        fits = footer.metadata is None and unpacked <= limits.MAX_BUNDLE_UNPACKED_BYTES
        if small and fits and footer.num_rows == rows:
            # a text that repeats is kept once: a small file cannot grow without bounds
            texts = [field.name for field in schema if pa.types.is_string(field.type)]
            with pq.ParquetFile(pa.BufferReader(data), read_dictionary=texts) as file:
                names = file.schema_arrow.names == schema.names
                done = names and all(
                    _fits(file.read_row_group(number), schema, release) for number in range(len(groups))
                )
    if not done:
        raise BundleError("the trips are not those of the release", TRIPS, _AGAIN)


def _check_number(release: SyntheticRelease, rows: int) -> None:
    """There are as many trips as the tables count, up to rounding; of large counts no more than were counted."""
    if isinstance(release.tables, NoisyTables):
        wanted = min(max(0.0, release.tables.total), limits.MAX_SYNTHETIC_TRIPS)
        good = abs(rows - wanted) <= 1
    elif isinstance(release.tables, StabilityHistogram):
        good = rows <= max(int(one.counts.sum()) for one in release.tables.large.values())
    else:  # rows of a tree are compared one by one, see ``row_checks``
        raise ValueError("these trips follow from a tree")  # noqa: TRY004 - a fault of ours, not of a type
    if not good:
        raise BundleError("the number of trips does not follow from the tables", TRIPS, _AGAIN)


def _fits(table: pa.Table, schema: pa.Schema, release: SyntheticRelease) -> bool:
    """Whether some rows are such as this program writes."""
    table.validate(full=True)
    plain = table.cast(schema)
    if plain[ID].null_count or not _listed(plain, release):
        return False
    both = pc.less_equal(plain["started_at"], plain["ended_at"])
    return pc.all(both).as_py() is not False and _stands(plain, release)


def _listed(table: pa.Table, release: SyntheticRelease) -> bool:
    """Whether every text is on its public list; a tile may be missing where large counts do not tell it."""
    tiles = pa.array(release.tessellation.tile_ids, pa.string())
    roy = isinstance(release.tables, NoisyTables)
    lists = {"start_tile": tiles, "end_tile": tiles}
    if isinstance(release.tables, NoisyTables):
        lists |= {
            extra.name: pa.array(extra.labels, pa.string()) for extra in release.tables.plan.domain.extras
        }
    for name, listed in lists.items():
        column = table[name]
        unlisted = pc.index_in(column, value_set=listed).null_count
        if unlisted > (0 if roy else column.null_count):
            return False
    return True


def _stands(table: pa.Table, release: SyntheticRelease) -> bool:
    """Whether coordinates are those of the tiles."""
    if release.form != "points":
        return True
    tiles = pa.array(release.tessellation.tile_ids, pa.string())
    lat, lng = label_points(release.tessellation)
    for end in ("start", "end"):
        place = pc.fill_null(pc.index_in(table[f"{end}_tile"], value_set=tiles), len(tiles))
        for side, degrees in (("lat", lat), ("lng", lng)):
            found = pc.fill_null(table[f"{end}_{side}"], float("nan")).to_numpy()
            if not np.array_equal(found, degrees[place.to_numpy()], equal_nan=True):
                return False
    return True
