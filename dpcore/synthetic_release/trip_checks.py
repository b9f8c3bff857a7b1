"""The file of trips of a bundle that may come from anyone, held against its tables batch by batch.

Rows that are repeated from large counts follow exactly from the table, so they are made again and compared. Trips that are
drawn from a law are not drawn again: another version of numpy may draw others from the same seed, and another machine may
round the law otherwise. Of them it is checked that each row is one that could be drawn, and that they are as many as the
tables count. So a changed one that is still possible is found by the sum of the file and by the ledger's digest alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from dpcore import limits
from dpcore.errors import BundleError
from dpcore.release.mending import AGAIN
from dpcore.synthesis.domain import TripDomain, durations_counted
from dpcore.synthesis.workload import NoisyTables
from dpcore.synthetic_release.layout import TRIPS
from dpcore.synthetic_release.release import SyntheticRelease
from dpcore.synthetic_release.trips import BATCH_ROWS, ID, label_points, trip_batches, trip_schema

_DAMAGE: Final = (pa.ArrowException, OSError, ValueError, OverflowError, KeyError, TypeError)
_SECOND: Final = 1_000_000  # microseconds

Fits = Callable[[Iterator[pa.Table]], bool]


def check_trips(data: bytes, release: SyntheticRelease, rows: int) -> None:
    """Refuse trips that this release cannot have, as far as the module says; raises BundleError."""
    fits: Fits
    if isinstance(release.tables, NoisyTables):
        _check_number(release.tables, rows)
        fits = _Drawn(release, release.tables.plan.domain).fit
    else:
        fits = _Repeated(release).fit
    done = False
    with suppress(*_DAMAGE):
        footer = pq.read_metadata(pa.BufferReader(data))
        groups = [footer.row_group(number) for number in range(footer.num_row_groups)]
        small = all(group.num_rows <= BATCH_ROWS for group in groups)
        unpacked = max((group.total_byte_size for group in groups), default=0)
        bounded = footer.metadata is None and unpacked <= limits.MAX_BUNDLE_UNPACKED_BYTES
        if small and bounded and footer.num_rows == rows:
            done = fits(_tables(data, trip_schema(release.choices, release.form)))
    if not done:
        raise BundleError("the trips are not those of the release", TRIPS, AGAIN)


def _tables(data: bytes, schema: pa.Schema) -> Iterator[pa.Table]:
    """The rows of a file, one row group at a time; ValueError where its columns are not those of the schema."""
    # a text that repeats is kept once: a small file cannot grow without bounds
    texts = [field.name for field in schema if pa.types.is_string(field.type)]
    with pq.ParquetFile(pa.BufferReader(data), read_dictionary=texts) as file:
        if file.schema_arrow.names != schema.names:
            raise ValueError("other columns")
        for number in range(file.num_row_groups):
            table = file.read_row_group(number)
            table.validate(full=True)
            yield table.cast(schema)


def _check_number(tables: NoisyTables, rows: int) -> None:
    """There are as many trips as the tables count, up to rounding."""
    wanted = min(max(0.0, tables.total), limits.MAX_SYNTHETIC_TRIPS)
    if abs(rows - wanted) > 1:
        raise BundleError("the number of trips does not follow from the tables", TRIPS, AGAIN)


class _Repeated:
    """Rows of large counts: they are made again."""

    def __init__(self, release: SyntheticRelease) -> None:
        self._release = release

    def fit(self, tables: Iterator[pa.Table]) -> bool:
        """Whether they are exactly the rows of the release, in their order."""
        made = trip_batches(self._release)
        kept = trip_schema(self._release.choices, self._release.form).empty_table()
        for table in tables:
            while len(kept) < len(table):
                batch = next(made, None)
                if batch is None:
                    return False
                kept = pa.concat_tables([kept, pa.Table.from_batches([batch])])
            if not kept.slice(0, len(table)).equals(table):
                return False
            kept = kept.slice(len(table))
        return len(kept) == 0 and all(len(batch) == 0 for batch in made)


class _Drawn:
    """Trips drawn from a law: each must be possible, and they come in the order of their start."""

    def __init__(self, release: SyntheticRelease, domain: TripDomain) -> None:
        self._release = release
        self._tiles = pa.array(release.tessellation.tile_ids, pa.string())
        self._lists = {"start_tile": self._tiles, "end_tile": self._tiles} | {
            extra.name: pa.array(extra.labels, pa.string()) for extra in domain.extras
        }
        self._first, self._beyond = (
            int(day.astype("datetime64[us]").astype(np.int64))
            for day in (
                np.datetime64(domain.period.first, "D"),
                np.datetime64(domain.period.last, "D") + 1,
            )
        )

    def fit(self, tables: Iterator[pa.Table]) -> bool:
        """Whether all rows could be drawn and are numbered from 1."""
        rows, latest = 0, self._first
        for table in tables:
            if any(column.null_count for column in table.columns):
                return False
            began, ended = (table[name].cast(pa.int64()).to_numpy() for name in ("started_at", "ended_at"))
            ids = np.arange(rows + 1, rows + len(table) + 1)
            if not (np.array_equal(table[ID].to_numpy(), ids) and self._possible(began, ended, latest)):
                return False
            if not (self._listed(table) and self._stands(table)):
                return False
            rows += len(table)
            latest = int(began[-1]) if len(began) else latest
        return True

    def _possible(
        self,
        began: np.ndarray[tuple[int, ...], np.dtype[np.int64]],
        ended: np.ndarray[tuple[int, ...], np.dtype[np.int64]],
        latest: int,
    ) -> bool:
        """Whether times are such as are drawn: within the period, in order, neither too short nor too long."""
        ordered = (np.diff(began, prepend=latest) >= 0) & (began < self._beyond)
        whole = (began % _SECOND == 0) & (ended % _SECOND == 0)
        return bool((ordered & whole & durations_counted((ended - began) // _SECOND)).all())

    def _listed(self, table: pa.Table) -> bool:
        """Whether every text is on its public list."""
        return all(
            pc.index_in(table[name], value_set=listed).null_count == 0 for name, listed in self._lists.items()
        )

    def _stands(self, table: pa.Table) -> bool:
        """Whether coordinates are those of the tiles."""
        if self._release.form != "points":
            return True
        lat, lng = label_points(self._release.tessellation)
        for end in ("start", "end"):
            place = pc.index_in(table[f"{end}_tile"], value_set=self._tiles).to_numpy()
            for side, degrees in (("lat", lat), ("lng", lng)):
                if not np.array_equal(table[f"{end}_{side}"].to_numpy(), degrees[place]):
                    return False
        return True
