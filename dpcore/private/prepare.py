"""The private step for each row: trips with places become trips with tiles, hours, lengths and a keyed hash.

The same function serves every engine: one Arrow batch in, one Arrow batch out, no state.

The places on the way of a trip become the sequence of tiles that it passes between its start and its end. A point in the
tile of the point before it adds nothing; the first point follows the start. Points in the tile of the end right before the
end add nothing either. So ``start, via, end`` names each stay in a tile once, except that start and end are always listed,
even if they are in one tile: a trip without other tiles on its way is its two ends. Outside every tile (-1) counts as a
tile. Of a longer sequence the first ``MOST`` tiles are kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from dpcore import limits
from dpcore.measures.attribute import KEPT, Attribute
from dpcore.private.sealed import Sealed
from dpcore.private.siphash import Words, hash_columns, hash_rows, hash_texts
from dpcore.private.source.attributes import kept_fields
from dpcore.private.source.batch import MISSING, POINT_COLUMNS
from dpcore.private.source.extras import ROLE, extra_fields
from dpcore.private.source.fields import filled
from dpcore.tiles.distance import distance_m
from dpcore.tiles.id_rules import IdMatcher
from dpcore.tiles.index import TileIndex

VIA: Final = pa.list_(pa.int32())
MOST: Final = limits.MAX_POINTS_PER_TRIP - 2
"""Tiles that are kept between the start and the end of a trip."""


@dataclass(frozen=True, repr=False, eq=False)
class Via(Sealed):
    """The tiles on the way of some trips, one trip after another."""

    counts: NDArray[np.int64]
    """Number of tiles of each trip."""
    tiles: NDArray[np.int32]

    @property
    def lists(self) -> pa.ListArray:
        """One list for each trip; null for a trip without tiles on its way, whatever its form."""
        if not len(self.tiles):
            return _nothing(len(self.counts))
        offsets = pa.array(self._offsets.astype(np.int32))
        return pa.ListArray.from_arrays(offsets, pa.array(self.tiles), mask=pa.array(self.counts == 0))

    def into(self, hashes: Words, key: bytes) -> Words:
        """The keyed hashes of the trips, now with the tiles on their way. Those of trips without any do not change."""
        some = self.counts > 0
        if not some.any():
            return hashes
        ends = self._offsets[1:][some] * 4
        tiles = self.tiles.astype("<i4").view(np.uint8)
        words = np.stack([hashes[some], hash_texts(np.append(0, ends), tiles, key)])
        mixed = hashes.copy()
        mixed[some] = hash_rows(words, key)
        return mixed

    @property
    def _offsets(self) -> NDArray[np.int64]:
        return np.append(0, np.cumsum(self.counts))


@lru_cache(4)
def _nothing(trips: int) -> pa.ListArray:
    return pa.nulls(trips, VIA)


def no_via(trips: int) -> Via:
    """Trips with nothing on their way."""
    return Via(np.zeros(trips, np.int64), np.empty(0, np.int32))


def via_of(places: pa.ListArray, index: TileIndex, start: NDArray[np.int32], end: NDArray[np.int32]) -> Via:
    """The tiles on the way of each trip, from lists of ``lat`` and ``lng`` in order of time (null or empty if there are none).

    ``start`` and ``end`` are the tiles of both ends of each trip.
    """
    points = places.flatten()
    if not len(points):
        return no_via(len(places))
    counts = pc.fill_null(places.value_lengths(), 0).to_numpy()
    tiles = index.assign(points.field("lng").to_numpy(), points.field("lat").to_numpy())
    trip = np.repeat(np.arange(len(places), dtype=np.int32), counts)
    before = np.append(0, tiles[:-1])
    first = np.flatnonzero(np.diff(trip, prepend=-1))
    before[first] = start[trip[first]]
    trip, tiles = _those(tiles != before, trip, tiles)
    last = np.diff(trip, append=len(places)) != 0
    trip, tiles = _those(~last | (tiles != end[trip]), trip, tiles)
    counts = np.bincount(trip, minlength=len(places))
    if counts.max(initial=0) > MOST:
        place = np.arange(len(trip)) - np.repeat(np.cumsum(counts) - counts, counts)
        trip, tiles = _those(place < MOST, trip, tiles)
        counts = np.minimum(counts, MOST)
    return Via(counts, tiles)


def _those(
    kept: NDArray[np.bool_], trip: NDArray[np.int32], tiles: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    return trip[kept], tiles[kept]


PREPARED: Final = pa.schema(
    [
        pa.field("user_id", pa.string()),  # text of the id; null where the form has no users
        pa.field("rnd", pa.int64()),  # keyed hash of the user and all that a measure reads of the trip
        pa.field("start_tile", pa.int32()),  # position among the sorted tile ids; -1 = outside or missing
        pa.field("end_tile", pa.int32()),
        pa.field("start_hour", pa.int32()),  # whole hours of the wall clock since 1970-01-01 00:00
        pa.field("end_hour", pa.int32()),
        pa.field("complete", pa.bool_()),
        pa.field("start_us", pa.int64()),  # instants in microseconds, see ``batch.TRIP_COLUMNS``
        pa.field("end_us", pa.int64()),
        pa.field("jump_m", pa.int32()),  # whole metres from start to end, rounded down; null unless complete
        *(pa.field(name, pa.int8()) for name in MISSING),
        # places in 1e-7 degrees (about a centimetre), so that sums are exact in any order; null if unknown
        *(pa.field(field.name, pa.int32()) for field in POINT_COLUMNS),
        # tiles passed between start and end, see ``via_of``; null if there are none
        pa.field("via", VIA),
    ]
)
"""Columns of a prepared batch. The number of a row is not among them: it would shift when another user leaves."""

DEGREE: Final = 10_000_000
"""Units of a prepared coordinate in one degree."""

_HOUR_US: Final = 3_600_000_000
_NO_TIME: Final = np.int64(np.iinfo(np.int64).min)


class Tiles(Protocol):
    """What preparing reads of a tessellation: plain texts and arrays, which can be sent to where rows are prepared."""

    @property
    def tile_ids(self) -> tuple[str, ...]:
        """Ids of the tiles, sorted as text."""

    @property
    def index(self) -> TileIndex:
        """The index that finds the tile of a point."""


@dataclass(frozen=True)
class Preparation:
    """What preparing a row needs: the tiles (public), the bounding key (secret), and the attributes of the rows."""

    tessellation: Tiles
    key: bytes
    extras: tuple[str, ...] = ()
    """Attributes of a trip, see ``source.extras``. They pass unchanged."""
    attributes: tuple[Attribute, ...] = ()
    """Attributes that the owner declared. They pass unchanged, and are not in the hash; see ``bounding``."""
    match: tuple[str, ...] = ()
    """Rules for ids that no tile has, see ``tiles.id_rules``."""

    @cached_property
    def schema(self) -> pa.Schema:
        """``PREPARED``, then a text column for each attribute, and one of whole numbers for each that was declared."""
        return pa.schema([*PREPARED, *extra_fields(self.extras), *kept_fields(self.attributes)])

    @cached_property
    def _tile_of_zone(self) -> pa.Array:
        return pa.array(self.tessellation.tile_ids, pa.string())

    @cached_property
    def _matcher(self) -> IdMatcher:
        return IdMatcher(self.tessellation.tile_ids, self.match)

    def __call__(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        """The prepared rows of a batch of POINT_TRIPS, RECORD_TRIPS or ZONE_TRIPS, in the same order."""
        if POINT_COLUMNS[0].name in batch.schema.names:
            start, end, place_words = self._points(batch)
            lengths = _lengths(batch)
        else:
            start, end, place_words = self._zones(batch)
            lengths = [pa.nulls(len(batch), pa.int32())] * (1 + len(POINT_COLUMNS))
        users = batch["user_id"]
        complete = batch["complete"].to_numpy(zero_copy_only=False)
        words = [
            _words_of(users, self.key),
            complete.astype(np.uint64),
            _integers(batch["start_us"]).view(np.uint64),
            _integers(batch["end_us"]).view(np.uint64),
            *place_words,
        ]
        extras = [batch[ROLE + name] for name in self.extras]
        if users.null_count < len(users):  # without users the hash is not used for bounding
            words += [_dictionary_words(extra, self.key) for extra in extras]
        via = no_via(len(batch))
        if "via" in batch.schema.names:
            via = via_of(batch["via"], self.tessellation.index, start, end)
        rnd = via.into(hash_columns(words, self.key), self.key)
        return pa.RecordBatch.from_arrays(
            [
                users,
                pa.array(rnd.view(np.int64)),
                pa.array(start),
                pa.array(end),
                _hours(batch["started_at"]),
                _hours(batch["ended_at"]),
                batch["complete"],
                batch["start_us"],
                batch["end_us"],
                lengths[0],
                *(batch[name] for name in MISSING),
                *lengths[1:],
                via.lists,
                *extras,
                *(batch[KEPT + one.name] for one in self.attributes),
            ],
            schema=self.schema,
        )

    def _points(self, batch: pa.RecordBatch) -> tuple[NDArray[np.int32], NDArray[np.int32], list[Words]]:
        # null becomes the one NaN of numpy, and adding 0.0 turns -0.0 into 0.0, so equal places give equal words
        degrees = {f.name: _floats(batch[f.name]) + 0.0 for f in POINT_COLUMNS}
        assign = self.tessellation.index.assign
        start = assign(degrees["start_lng"], degrees["start_lat"])
        end = assign(degrees["end_lng"], degrees["end_lat"])
        return start, end, [column.view(np.uint64) for column in degrees.values()]

    def _zones(self, batch: pa.RecordBatch) -> tuple[NDArray[np.int32], NDArray[np.int32], list[Words]]:
        def tiles(column: str) -> NDArray[np.int32]:
            found = pc.index_in(batch[column], value_set=self._tile_of_zone)
            known = pc.fill_null(found, -1).to_numpy(zero_copy_only=False)
            if self.match and (known < 0).any():
                unknown = batch[column].filter(pa.array(known < 0)).dictionary_encode()
                tiles = [*map(self._matcher.tile, unknown.dictionary.to_pylist())]
                known = known.copy()
                known[known < 0] = np.array([*tiles, -1], np.int32)[pc.fill_null(unknown.indices, len(tiles))]
            missing = batch[column].is_null().to_numpy(zero_copy_only=False)
            return np.where(missing, -1, known).astype(np.int32)

        start, end = tiles("start_zone"), tiles("end_zone")
        return start, end, [start.astype(np.int64).view(np.uint64), end.astype(np.int64).view(np.uint64)]


def _floats(column: pa.Array) -> NDArray[np.float64]:
    return np.asarray(filled(column, float("nan")), np.float64)


def _lengths(batch: pa.RecordBatch) -> list[pa.Array]:
    """The jump in metres, then the four coordinates, as integers."""
    places = [_floats(batch[field.name]) for field in POINT_COLUMNS]
    return [
        _whole_numbers(np.floor(distance_m(*places))),
        *(_whole_numbers(np.rint(place * DEGREE)) for place in places),
    ]


def _whole_numbers(values: NDArray[np.float64]) -> pa.Array:
    """Integers of 32 bits; null for NaN."""
    unknown = np.isnan(values)
    some = bool(unknown.any())
    return pa.array(
        np.where(unknown, 0, values).astype(np.int32) if some else values.astype(np.int32),
        mask=unknown if some else None,
    )


def _integers(column: pa.Array) -> NDArray[np.int64]:
    return np.asarray(filled(column, int(_NO_TIME)), np.int64)


def _hours(wall_clock: pa.Array) -> pa.Array:
    # dates start in 1970, so dividing rounds down; null stays null
    return pc.cast(pc.divide(wall_clock.cast(pa.int64()), _HOUR_US), pa.int32())


def _words_of(texts: pa.StringArray, key: bytes) -> Words:
    """Keyed hash of each row's text; 0 for null."""
    if texts.null_count == len(texts):
        return np.zeros(len(texts), np.uint64)
    _, offsets, data = texts.buffers()
    starts = np.frombuffer(offsets, np.int32)[texts.offset : texts.offset + len(texts) + 1]
    text = np.frombuffer(data, np.uint8) if data is not None else np.empty(0, np.uint8)
    hashes = hash_texts(starts.astype(np.int64), text, key)
    if texts.null_count:
        hashes[texts.is_null().to_numpy(zero_copy_only=False)] = 0
    return hashes


def _dictionary_words(column: pa.DictionaryArray, key: bytes) -> Words:
    """``_words_of`` for a dictionary column. Each different text is hashed once."""
    if column.null_count == len(column):
        return np.zeros(len(column), np.uint64)
    hashes = np.append(_words_of(column.dictionary, key), np.zeros(1, np.uint64))
    return np.take(hashes, np.asarray(column.indices.fill_null(len(hashes) - 1)))


def long_ways(prepared: pa.RecordBatch) -> int:
    """Number of trips with the most tiles on their way that are kept. They may have had more."""
    return pc.sum(pc.equal(prepared["via"].value_lengths(), MOST)).as_py() or 0


def note_of_long_ways(trips: int) -> tuple[str, ...]:
    """The note of a report about trips with long ways."""
    if not trips:
        return ()
    which = "1 trip passes" if trips == 1 else f"{trips:,} trips pass"
    return (f"{which} {MOST:,} or more tiles between start and end: the first {MOST:,} are kept",)
