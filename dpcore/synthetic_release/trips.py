"""The trips of a synthetic release, as batches of a trips file: post-processing of its tables, a batch at a time.

A place is a tile, and where the input had coordinates it stands at the tile's label point: a made-up point inside would
look more precise than it is. Roy: trips drawn from the law that the tables tell. Large counts: no trip is drawn; the rows
of one combination that tells both ends, or of one for each end, are repeated as often as they were counted, and what they
do not tell is empty. A tree of trips: first and last place of each trajectory; it tells no times.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from typing import Final

import numpy as np
import pyarrow as pa
import shapely
from numpy.typing import NDArray

from dpcore import limits
from dpcore.release.drawn_tiles import as_drawn
from dpcore.synthesis.choices import SynthesisChoices
from dpcore.synthesis.domain import TripColumns
from dpcore.synthesis.model import fitted
from dpcore.synthesis.roy_choices import RoyChoices
from dpcore.synthesis.sampling import synthetic_trips
from dpcore.synthesis.stability.plan import UNKNOWN, Combination, StabilityHistogram, StabilityPlan
from dpcore.synthesis.workload import NoisyTables
from dpcore.synthetic_release.release import SyntheticRelease, TripForm
from dpcore.synthetic_release.tree_rows import ends_of_batches
from dpcore.tessellation import Tessellation
from dpcore.trajectory_tree.noisy_tree import NoisyTree

Integers = NDArray[np.int64]

ID: Final = "synthetic_id"
"""Numbers the rows; its name tells a reader that these are no trips of anybody."""
NO_DATE: Final = date(2000, 1, 1)
"""The day on which trips stand where no dates were released."""
ENDS: Final = ("on", "off")
"""What the names of columns of large counts begin with: where a trip starts, where it ends."""
BATCH_ROWS: Final = 1_000_000
_TIME: Final = pa.timestamp("us")
_DAY_SECONDS: Final = 86_400
_NOWHERE: Final = -1
_NEVER: Final = np.datetime64("NaT", "s")


def trip_schema(choices: SynthesisChoices, form: TripForm) -> pa.Schema:
    """Columns of the trips: those of a trips file, so that it can be loaded."""
    points = ("start_lat", "start_lng", "end_lat", "end_lng") if form == "points" else ()
    extras = choices.extras if isinstance(choices, RoyChoices) else ()
    return pa.schema(
        [
            (ID, pa.int64()),
            ("started_at", _TIME),
            ("ended_at", _TIME),
            *((name, pa.float64()) for name in points),
            ("start_tile", pa.string()),
            ("end_tile", pa.string()),
            *((name, pa.string()) for name in extras),
        ]
    )


def trip_batches(release: SyntheticRelease) -> Iterator[pa.RecordBatch]:
    """The rows of a release, at most ``limits.MAX_SYNTHETIC_TRIPS``; the same release gives the same rows."""
    writer = _Rows(release.tessellation, trip_schema(release.choices, release.form))
    if isinstance(release.tables, NoisyTables):
        yield from _drawn(release.tables, release.seed, writer)
    elif isinstance(release.tables, NoisyTree):
        yield from _walked(release.tables, len(release.tessellation.tile_ids), writer)
    else:
        yield from _repeated(release.tables, writer)


def label_points(tessellation: Tessellation) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Latitude and longitude of the label point of each tile as drawn; at last NaN for no tile."""
    points = shapely.point_on_surface(np.array(as_drawn(tessellation).polygons))
    return np.append(shapely.get_y(points), np.nan), np.append(shapely.get_x(points), np.nan)


def sources_of_trips(plan: StabilityPlan) -> tuple[Combination, ...]:
    """The combinations whose rows are repeated: one that tells both ends, or the best of each end, starts first.

    The best tells most places, then most columns, then both ends, then stands first. Where it tells one end only, the best
    that tells nothing but the other end stands beside it: then starts and ends can both be counted.
    """
    best = max(plan.combinations, key=_told)
    if len(ends_of(best)) > 1:
        return (best,)
    of_end = {end: [one for one in plan.combinations if ends_of(one) == {end}] for end in ENDS}
    return tuple(max(found, key=_told) for found in of_end.values() if found)


def ends_of(one: Combination) -> set[str]:
    """The ends of a trip of which a combination tells anything: of ``ENDS``."""
    return {column.partition("_")[0] for column in one.columns}


def _told(one: Combination) -> tuple[int, int, int]:
    return sum(column.endswith("_loc") for column in one.columns), len(one.columns), len(ends_of(one))


class _Rows:
    """Rows of a trips file from numbers of tiles and seconds."""

    def __init__(self, tessellation: Tessellation, schema: pa.Schema) -> None:
        self._schema = schema
        self._ids = pa.array([*tessellation.tile_ids, None], pa.string())
        self._lat, self._lng = label_points(tessellation)
        self.place = {tile: number for number, tile in enumerate(tessellation.tile_ids)}
        self._written = 0

    def batch(
        self,
        tiles: tuple[Integers, Integers],
        times: tuple[NDArray[np.datetime64], NDArray[np.datetime64]],
        extras: dict[str, pa.Array],
    ) -> pa.RecordBatch:
        """Rows with tile numbers (-1: not known) and times (NaT: not known) of both ends."""
        columns: dict[str, pa.Array] = dict(extras)
        first = self._written + 1
        self._written += len(tiles[0])
        columns[ID] = pa.array(np.arange(first, self._written + 1))
        for end, numbers, moments in zip(("start", "end"), tiles, times, strict=True):
            columns["started_at" if end == "start" else "ended_at"] = pa.array(
                moments.astype("datetime64[us]")
            )
            columns[f"{end}_tile"] = self._ids.take(pa.array(numbers % len(self._ids)))
            columns[f"{end}_lat"] = pa.array(self._lat[numbers], from_pandas=True)
            columns[f"{end}_lng"] = pa.array(self._lng[numbers], from_pandas=True)
        return pa.RecordBatch.from_arrays([columns[name] for name in self._schema.names], schema=self._schema)


def _drawn(tables: NoisyTables, seed: int, writer: _Rows) -> Iterator[pa.RecordBatch]:
    model = fitted(tables)
    trips = synthetic_trips(replace(model, trips=min(model.trips, limits.MAX_SYNTHETIC_TRIPS)), seed)
    domain = tables.plan.domain
    first = np.datetime64(domain.period.first, "s")
    tile = np.array([writer.place[name] for name in domain.stations.ids], np.int64)
    for begin in range(0, max(1, len(trips)), BATCH_ROWS):
        rows: TripColumns = trips.at(np.arange(begin, min(begin + BATCH_ROWS, len(trips))))
        started = first + (rows.date.astype(np.int64) * _DAY_SECONDS + rows.second).astype("timedelta64[s]")
        extras = {
            extra.name: pa.array(extra.labels, pa.string()).take(pa.array(rows.extras[extra.name]))
            for extra in domain.extras
        }
        yield writer.batch(
            (tile[rows.start], tile[rows.end]),
            (started, started + rows.seconds.astype("timedelta64[s]")),
            extras,
        )


def _walked(noisy: NoisyTree, tiles: int, writer: _Rows) -> Iterator[pa.RecordBatch]:
    """A trip from the first to the last place of each trajectory; an end that is not known has neither place nor time."""
    for first, last in ends_of_batches(noisy, tiles):
        started = np.full(len(first), np.datetime64(NO_DATE, "s"))
        yield writer.batch((first, last), (started, np.where(last >= 0, started, _NEVER)), {})


def _repeated(tables: StabilityHistogram, writer: _Rows) -> Iterator[pa.RecordBatch]:
    sources = sources_of_trips(tables.plan)
    for one in sources:  # no end takes the room of the other
        yield from _rows_of(tables, one, writer, limits.MAX_SYNTHETIC_TRIPS // len(sources))


def _rows_of(
    tables: StabilityHistogram, one: Combination, writer: _Rows, most: int
) -> Iterator[pa.RecordBatch]:
    """The rows of one combination, at most so many."""
    large = tables.large[one.name]
    days = [date.fromisoformat(part[0]) if part else NO_DATE for part in tables.plan.partitions]
    midnight = np.array(days, "datetime64[s]")[large.part]
    told = dict(zip(one.columns, large.keys, strict=True))
    tiles = tuple(_tiles(told.get(f"{end}_loc"), writer, len(large.part)) for end in ENDS)
    times = [_times(told.get(f"{end}_time"), midnight) for end in ENDS]
    on, off = (end in ends_of(one) for end in ENDS)
    on_times = times[0] if on else np.full(len(midnight), _NEVER)
    off_times = times[1] if off else np.full(len(midnight), _NEVER)
    # a bin that begins earlier than that of the start is one of the next day; without a clock both ends stand at midnight
    off_times = np.where(off_times < on_times, off_times + np.timedelta64(1, "D"), off_times)
    timed = ~(np.isnat(on_times) & np.isnat(off_times))  # a trips file has no row without any time
    # no count needs more rows than these, and the sum of many huge ones would overflow
    last = np.cumsum(np.where(timed, np.minimum(large.counts, most), 0))
    total = min(int(last[-1]) if len(last) else 0, most)
    for begin in range(0, max(1, total), BATCH_ROWS):
        row = np.searchsorted(last, np.arange(begin, min(begin + BATCH_ROWS, total)), side="right")
        yield writer.batch((tiles[0][row], tiles[1][row]), (on_times[row], off_times[row]), {})


def _tiles(texts: tuple[str, ...] | None, writer: _Rows, rows: int) -> Integers:
    if texts is None:
        return np.full(rows, _NOWHERE, np.int64)
    return np.array([writer.place.get(text, _NOWHERE) for text in texts], np.int64)


def _times(texts: tuple[str, ...] | None, midnight: NDArray[np.datetime64]) -> NDArray[np.datetime64]:
    """The beginning of each bin of the clock; midnight where the combination has no clock, NaT where it is not known."""
    if texts is None:
        return midnight
    minutes = [-1 if text == UNKNOWN else 60 * int(text[:2]) + int(text[3:]) for text in texts]
    found = np.array(minutes, np.int64)
    return np.where(found < 0, _NEVER, midnight + (60 * found).astype("timedelta64[s]"))
