"""Code for Spark's workers: the checks and the preparation of every other reader, on batches of one partition.

Batches of trips are returned. The last row holds no trip but the counts of reading, as JSON. So the counts come from the
same rows that are kept, and a task that is tried again cannot count twice. The driver makes one report of them. The only
error texts that leave a worker are those of ``AtlasError``, which hold no cell.
"""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final

import numpy as np
import pyarrow as pa

from dpcore.errors import AtlasError, InputError, InternalError
from dpcore.measures.attribute import Attribute
from dpcore.private.prepare import PREPARED, Preparation, long_ways, note_of_long_ways
from dpcore.private.source.attributes import kept_fields
from dpcore.private.source.batch import RawBatch
from dpcore.private.source.extras import ROLE
from dpcore.private.source.inspection import Inspection
from dpcore.private.source.parquet_file import plain
from dpcore.private.source.reading import place_of
from dpcore.private.source.report import Dropped, ReadReport, Tally, notes_of_zeros
from dpcore.private.source.trip_rows import trips_of_rows
from dpcore.tiles.index import TileIndex

_IDS: Final = "tile_ids"


@dataclass(frozen=True)
class Tiles:
    """Ids of tiles, and an index that finds the tile of a point. Public."""

    tile_ids: tuple[str, ...]
    index: TileIndex


def packed_tiles(tile_ids: tuple[str, ...], index: TileIndex) -> bytes:
    """Ids and index as one block of arrays. No object is serialised."""
    place = io.BytesIO()
    ids = np.frombuffer("\n".join(tile_ids).encode(), np.uint8)  # no id holds a line break
    np.savez(
        place,
        allow_pickle=False,
        **{_IDS: ids},
        **{name: np.asarray(one) for name, one in vars(index).items()},
    )
    return place.getvalue()


@lru_cache(maxsize=1)
def unpacked(block: bytes) -> Tiles:
    """The tiles of such a block. Made once in each process that prepares trips."""
    with np.load(io.BytesIO(block), allow_pickle=False) as arrays:
        held = {name: arrays[name] for name in arrays.files}
    ids = held.pop(_IDS).tobytes().decode().split("\n")
    index = TileIndex.__new__(TileIndex)
    vars(index).update({name: one if one.ndim else one.item() for name, one in held.items()})
    return Tiles(tuple(ids), index)


TALLY: Final = "tally"
"""A column that is null in trips."""
FILE, ROW = "file", "row"
"""Columns that name the place of a record, for finding bad ones."""

FOUND: Final = pa.schema(
    [(name, pa.string()) for name in ("file", "what", "mend", "column")]
    + [(name, pa.int64()) for name in ("count", "row")]
)
"""Bad records by file and rule: their number, and the first row, from 1."""


@dataclass(frozen=True)
class Work:
    """What a worker needs: the form of the files (public), the clock (public), and the bounding key (secret)."""

    inspection: Inspection
    timezone: str
    key: bytes

    @property
    def extras(self) -> tuple[str, ...]:
        """Attributes of a trip."""
        return tuple(self.inspection.extras)

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """Declared attributes of a trip."""
        return tuple(one.attribute for one in self.inspection.kept)

    @property
    def schema(self) -> pa.Schema:
        """Columns of the returned rows: plain text, no dictionaries."""
        texts = ("user_id", *(ROLE + name for name in self.extras), TALLY)
        fields = [field for field in PREPARED if field.name != "user_id"]
        fields += kept_fields(self.attributes)
        return pa.schema([*fields, *(pa.field(name, pa.string()) for name in texts)])


def prepared(batches: Iterable[pa.RecordBatch], work: Work, tiles: Tiles) -> Iterator[pa.RecordBatch]:
    """The prepared trips of one partition, then its tally."""
    tally, long = Tally(), 0
    prepare = Preparation(tiles, work.key, work.extras, work.attributes)
    problem: dict[str, Any] = {}
    try:
        for batch in batches:
            trips = trips_of_rows(_raw(batch, work.inspection, tally), work.inspection, work.timezone, tally)
            rows = prepare(trips)
            tally.trips += len(rows)
            tally.incomplete += len(rows) - rows["complete"].true_count
            long += long_ways(rows)
            yield _outgoing(rows, work.schema)
    except AtlasError as error:
        problem = {"refused": [error.what, error.where, error.mend]}
    except Exception as error:  # noqa: BLE001 - its text may quote a cell: only its place leaves
        problem = {"fault": place_of(error)}
    yield _last(work.schema, {**_counts(tally), "long": long, **problem})


def bad_records_of(batches: Iterable[pa.RecordBatch], work: Work) -> Iterator[pa.RecordBatch]:
    """The bad records of one partition by file and rule. Batches also have the columns ``file`` and ``row``."""
    for batch in batches:
        files = batch[FILE].dictionary_encode().indices.to_numpy()
        borders = [0, *(np.flatnonzero(np.diff(files)) + 1), len(files)]
        for begin, end in pairwise(borders):
            part = batch.slice(begin, end - begin)
            if len(part):
                yield pa.RecordBatch.from_pylist(list(_found_in(part, work)), schema=FOUND)


def _found_in(part: pa.RecordBatch, work: Work) -> Iterator[dict[str, Any]]:
    """The bad records among some records of one file."""
    tally = Tally()
    file, row = part[FILE][0].as_py(), part[ROW]
    try:
        trips_of_rows(_raw(part, work.inspection, tally), work.inspection, work.timezone, tally)
    except AtlasError:
        return  # told by the first pass
    for rule, column, count, first in tally.faults.by_rule():
        yield {
            "file": file, "what": rule.what, "mend": rule.mend, "column": column, "count": count,
            "row": row[first - 1].as_py() + 1,
        }  # fmt: skip


def _raw(batch: pa.RecordBatch, inspection: Inspection, tally: Tally) -> RawBatch:
    columns = {
        role: plain(batch[role], f"column {name}") for role, name in inspection.needed.items()
    }  # Spark has named the columns by their roles
    raw = RawBatch(tally.parsed, batch.num_rows, columns)
    tally.parsed += batch.num_rows
    return raw


def _outgoing(rows: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    names = rows.schema.names
    columns = [rows[f.name].cast(f.type) if f.name in names else pa.nulls(len(rows), f.type) for f in schema]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _last(schema: pa.Schema, told: Mapping[str, Any]) -> pa.RecordBatch:
    row = {TALLY: [json.dumps(told)]}
    columns = [pa.array(row.get(field.name, [None]), field.type) for field in schema]
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _counts(tally: Tally) -> dict[str, Any]:
    return {
        "records": tally.records,
        "trips": tally.trips,
        "incomplete": tally.incomplete,
        "at_zero": tally.at_zero,
        "swapped": tally.faults.swapped,
        "missing": dict(tally.missing),
        "unlisted": dict(tally.unlisted),
        "bad": [[rule.what, column, count] for rule, column, count, _ in tally.faults.by_rule()],
    }


def report_of(tallies: Iterable[str], name: str) -> ReadReport:
    """The report of all partitions together, from the last rows of ``prepared``.

    Raises InputError for invalid text, and InternalError for a fault of this program, with its place only.
    """
    told: list[Mapping[str, Any]] = [json.loads(text) for text in tallies]
    for one in told:
        _must_be_whole(one, name)
    sums = {
        key: sum(one[key] for one in told) for key in ("records", "trips", "incomplete", "at_zero", "long")
    }
    bad: Counter[tuple[str, str]] = Counter()
    missing: Counter[str] = Counter()
    unlisted: Counter[str] = Counter()
    for one in told:
        for what, column, count in one["bad"]:
            bad[what, column] += count
        missing.update(one["missing"])
        unlisted.update(one["unlisted"])
    return ReadReport(
        records=sums["records"],
        trips=sums["trips"],
        incomplete=sums["incomplete"],
        missing=dict(missing),
        dropped=tuple(Dropped(what, column, count, ()) for (what, column), count in sorted(bad.items())),
        unlisted=dict(unlisted),
        notes=(*notes_of_zeros(sums["at_zero"]), *note_of_long_ways(sums["long"])),
    )


def _must_be_whole(one: Mapping[str, Any], name: str) -> None:
    if "refused" in one:
        what, where, mend = one["refused"]
        raise InputError(what, f"{name}, {where}", mend)
    if "fault" in one:
        raise InternalError.at(f"preparing trips on Spark ({one['fault']})")
