"""Part: the prepared rows of one file, in a folder of the cache that was moved into place in one step.

LocalRows: the rows of a data set. The same id in several parts is the same person, and two ids with one hash are refused.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
import pyarrow as pa

from dpcore.errors import InputError
from dpcore.measures.attribute import KEPT, Attribute, attribute_of, text_of
from dpcore.private import store
from dpcore.private.prepared.files import (
    BUCKETS,
    STORED,
    VERSION,
    Checks,
    DamagedError,
    Piece,
    Run,
    extra_columns,
    reach,
    read_batches,
    run_name,
    sizes,
    user_key,
)
from dpcore.private.prepared.unknown_ids import UnknownIds
from dpcore.private.prepared.users import USERS, SharedHashError, UserTable, shared_hash
from dpcore.private.sealed import Sealed
from dpcore.private.source.attributes import kept_fields
from dpcore.private.source.extras import ROLE
from dpcore.private.source.report import ReadReport

DESCRIPTION: Final = "part.npz"
"""Everything about a part except its rows. The zip has its own checksums."""
USERS_FILE: Final = "users.arrow"
_DAMAGE: Final = (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile, InputError)
"""What is raised on reading a description that is missing or damaged."""


@dataclass(frozen=True, repr=False, eq=False)
class Held(Sealed):
    """Rows and users in memory, of which nothing is on disk."""

    pieces: tuple[Piece, ...]
    users: tuple[pa.RecordBatch, ...]


@dataclass(frozen=True, repr=False, eq=False)
class Part(Sealed):
    """One file's prepared rows, on disk or in memory."""

    folder: Path
    """Private folder of the rows. Answers that are counted for this part alone are stored beside them."""
    name: str
    """Name of the file, for captions and messages."""
    extras: tuple[str, ...]
    report: ReadReport
    """The report of reading this file."""
    runs: tuple[Run, ...]
    user_checks: Checks
    attributes: tuple[Attribute, ...] = ()
    """Declared attributes of its trips."""
    unknown: UnknownIds = UnknownIds.NONE
    """Its ids that no tile has."""
    held: Held | None = None
    """All of it, where nothing is on disk."""

    @property
    def count(self) -> int:
        """Number of rows."""
        return int(sum(one.offsets[-1] for one in self.pieces))

    @property
    def pieces(self) -> tuple[Run | Piece, ...]:
        """What its rows are in."""
        return (*self.runs, *(self.held.pieces if self.held else ()))

    @property
    def schema(self) -> pa.Schema:
        """Columns of its rows."""
        return pa.schema([*STORED, *extra_columns(self.extras), *kept_fields(self.attributes)])

    @classmethod
    def open(cls, folder: Path, name: str) -> Part | None:
        """The part in a folder. None if there is none, or it is damaged or of another version."""
        try:
            with _description(folder) as found:
                about = json.loads(found["about"].tobytes())
                offsets, tiles, checks = found["offsets"], found["tiles"], found["checks"]
                batches, users = found["batches"], found["users"]
                unknown = UnknownIds(found["unknown"][0], found["unknown"][1], int(found["unknown_trips"]))
            # a file that nobody waited for is empty after a power cut; what else is wrong with it, its checksums find
            sizes = [(folder / run_name(number)).stat().st_size for number in range(len(offsets))]
            if about["version"] != VERSION or not all(sizes):
                return None
            ends = np.cumsum(batches)
            return cls(
                folder,
                name,
                tuple(about["extras"]),
                ReadReport.from_json(about["report"]),
                tuple(map(Run, offsets, tiles, np.split(checks, ends[:-1]) if len(ends) else [])),
                users,
                tuple(map(attribute_of, about.get("attributes", ()))),
                unknown,
            )
        except _DAMAGE:
            return None

    def describe(self) -> None:
        """Write what ``open`` reads."""
        about = {
            "version": VERSION,
            "extras": self.extras,
            "report": self.report.to_json(),
            "attributes": [text_of(one) for one in self.attributes],
        }
        width = len(self.schema)
        with store.new_file(self.folder / DESCRIPTION).open("wb") as out:
            np.savez(
                out,
                about=np.frombuffer(json.dumps(about).encode(), np.uint8),
                offsets=np.array([run.offsets for run in self.runs], np.int64).reshape(-1, BUCKETS + 1),
                tiles=np.array([run.tiles for run in self.runs], np.int64).reshape(-1, BUCKETS + 1),
                checks=np.concatenate([np.zeros((0, width), np.uint64), *(run.checks for run in self.runs)]),
                batches=np.array([len(run.checks) for run in self.runs], np.int64),
                users=self.user_checks,
                unknown=np.stack([self.unknown.hashes, self.unknown.found_by]),
                unknown_trips=np.array(self.unknown.trips),
            )

    def rows(self, buckets: range, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """The rows of some buckets, each once, a few at a time; see ``STORED``.

        Raises InputError if the stored rows were changed.
        """
        pieces = self.held.pieces if self.held else ()
        held = [(piece.rows.select([*columns]), piece.offsets) for piece in pieces]
        for bucket in buckets if held else ():  # so that the rows of a person are near each other
            for batch, offsets in held:
                yield batch.slice(*reach(offsets, bucket, bucket + 1))
        for number, run in enumerate(self.runs):
            begin, end = int(run.offsets[buckets.start]), int(run.offsets[buckets.stop])
            if begin == end:
                continue
            first, last = np.searchsorted(run.cuts, [buckets.start, buckets.stop - 1], side="right") - 1
            batches = range(int(first), int(last) + 1)
            found = self._checked_batches(run_name(number), self.schema, run.checks, batches, columns)
            for position, batch in zip(batches, found, strict=True):
                start = int(run.offsets[run.cuts[position]])
                low, high = max(begin, start), min(end, start + len(batch))
                yield batch.slice(low - start, high - low)

    def _is(self, other: Part) -> bool:
        """Whether the part on disk is the same."""
        return (
            len(self.runs) == len(other.runs)
            and all(map(_same, self.runs, other.runs))
            and np.array_equal(self.user_checks, other.user_checks)
        )

    def users(self) -> Iterator[pa.RecordBatch]:
        """Hash and text of every user of this part; empty if the form has no users."""
        yield from self.held.users if self.held else ()
        for number in range(len(self.user_checks)):
            yield from self._checked_batches(USERS_FILE, USERS, self.user_checks, [number], USERS.names)

    def _checked_batches(
        self, file: str, schema: pa.Schema, checks: Checks, batches: Sequence[int], columns: Sequence[str]
    ) -> list[pa.RecordBatch]:
        try:
            return read_batches(self.folder / file, schema, checks, batches, columns)
        except DamagedError:
            pass
        raise self.damaged()

    def damaged(self) -> InputError:
        """Forget the description, so that the part is read again, and return the refusal.

        A description of other rows stays: the file was loaded anew while these rows were in use.
        """
        now = Part.open(self.folder, self.name)
        if now is not None and not self._is(now):
            return InputError("these trips were loaded again meanwhile", self.name, "Load the file again.")
        (self.folder / DESCRIPTION).unlink(missing_ok=True)
        return InputError("the prepared trips were removed or damaged", self.name, "Load the file again.")


def _same(one: Run, other: Run) -> bool:
    return np.array_equal(one.offsets, other.offsets) and np.array_equal(one.checks, other.checks)


def part_version(folder: Path) -> str | None:
    """The version that wrote a part; None if it is not a part or is damaged."""
    try:
        with _description(folder) as found:
            return str(json.loads(found["about"].tobytes())["version"])
    except _DAMAGE:
        return None


@contextmanager
def _description(folder: Path) -> Iterator[Mapping[str, Any]]:
    """The arrays of a description. Raises one of ``_DAMAGE``."""
    with (folder / DESCRIPTION).open("rb") as source, np.load(source, allow_pickle=False) as found:
        yield found


SHARD_ROWS: Final = 2_000_000
"""Approximate size of a shard in rows with nothing on their way. A bucket is never split, however large it is."""


@dataclass(frozen=True, repr=False, eq=False)
class Shard(Sealed):
    """All rows of some people: it has either all trips of a user in the data set or none."""

    parts: tuple[Part, ...]
    buckets: range
    columns: tuple[str, ...]
    rows: int
    """Number of rows."""
    size: int
    """The room of the rows, in rows with nothing on their way."""

    def table(self, columns: Sequence[str] | None = None) -> pa.Table:
        """The rows with some or all columns, in memory, in an order without meaning. Each column is one chunk.

        Raises InputError if the prepared rows were damaged.
        """
        wanted = list(self.columns if columns is None else columns)
        pieces = [batch for part in self.parts for batch in part.rows(self.buckets, wanted)]
        if not pieces:
            schema = self.parts[0].schema if self.parts else STORED
            return pa.schema([schema.field(name) for name in wanted]).empty_table()
        # concat_batches copies even a single batch, so that nothing keeps a larger one in memory
        return pa.Table.from_batches([pa.concat_batches(pieces)])


@dataclass(frozen=True, repr=False, eq=False)
class LocalRows(Sealed):
    """The prepared rows of one data set on this computer."""

    parts: tuple[Part, ...]
    columns: tuple[str, ...]
    """The columns of ``STORED``, then the attributes that all parts have, then the declared ones that all have."""

    @classmethod
    def of(cls, parts: Sequence[Part]) -> Self:
        """The rows of some parts, in any order."""
        common = [name for name in parts[0].extras if all(name in part.extras for part in parts)]
        kept = [one for one in parts[0].attributes if all(one in part.attributes for part in parts)]
        columns = [*STORED.names, *(ROLE + name for name in common), *(KEPT + one.name for one in kept)]
        return cls(tuple(parts), tuple(columns))

    @property
    def count(self) -> int:
        """Number of rows."""
        return sum(part.count for part in self.parts)

    def shards(self) -> tuple[Shard, ...]:
        """The rows in shards, each row in one: about ``SHARD_ROWS`` each, and one shard or an even number."""
        rows, tiles = np.zeros(BUCKETS + 1, np.int64), np.zeros(BUCKETS + 1, np.int64)
        for part in self.parts:
            for piece in part.pieces:
                rows += piece.offsets
                tiles += piece.tiles
        size = sizes(rows, tiles)
        count = -(-int(size[-1]) // SHARD_ROWS)
        count += count > 1 and count % 2
        marks = np.searchsorted(size, np.arange(1, count) * (size[-1] / max(count, 1)), side="left")
        cuts = np.unique([0, *np.clip(marks, 1, BUCKETS), BUCKETS]).tolist()
        return tuple(
            Shard(
                self.parts,
                range(begin, end),
                self.columns,
                int(rows[end] - rows[begin]),
                int(size[end] - size[begin]),
            )
            for begin, end in pairwise(cuts)
            if len(cuts) == 2 or rows[end] > rows[begin]
        )

    def batches(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Every row once, in no particular order, a few at a time."""
        for part in self.parts:
            yield from part.rows(range(BUCKETS), columns)


_MET: Final = "users-met"
"""A file in the folder of a data set that says that the users of all its parts were compared."""


def must_share_no_hash(parts: Sequence[Part], folder: Path, key: bytes) -> None:
    """Compare the ids of all users of all parts, unless that was done before.

    Raises InputError if two different ids in two files have the same hash, or if the users of a part were damaged.
    """
    met = folder / _MET
    if met.exists():
        return
    shared = _colliding_part(parts, user_key(key))
    if shared is not None:
        raise shared_hash(shared)
    with store.written(met):
        pass  # an empty file: its existence is all that counts


def _colliding_part(parts: Sequence[Part], key: bytes) -> str | None:
    """The name of the first part with an id whose hash belongs to another id; None if there is none."""
    users = UserTable(key)
    for part in parts:
        for batch in part.users():
            try:
                users.hashes(batch["text"])
            except SharedHashError:
                return part.name
    return None
