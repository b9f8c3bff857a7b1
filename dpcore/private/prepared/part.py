"""Part: the prepared rows of one file, in a folder of the cache that appeared in one step."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa

from dpcore.errors import InputError
from dpcore.private import store
from dpcore.private.prepared.checked_file import Checks, DamagedError, read_batches
from dpcore.private.prepared.run_file import Run, run_name
from dpcore.private.prepared.stored import BUCKETS, STORED, VERSION, extra_columns
from dpcore.private.prepared.user_table import USERS
from dpcore.private.sealed import Sealed
from dpcore.private.source.report import ReadReport

DESCRIPTION: Final = "part.npz"
"""All about a part that is not rows. The zip has checksums of its own."""
USERS_FILE: Final = "users.arrow"
_DAMAGE: Final = (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile)
"""What reading a description raises that is missing or damaged."""


@dataclass(frozen=True, repr=False, eq=False)
class Part(Sealed):
    """One file's prepared rows on disk."""

    folder: Path
    """Private folder of the rows; answers that are counted of this part alone stand beside them."""
    name: str
    """Of the file, for captions and messages."""
    extras: tuple[str, ...]
    report: ReadReport
    """What was read of this file."""
    runs: tuple[Run, ...]
    user_checks: Checks

    @property
    def count(self) -> int:
        """How many rows."""
        return sum(run.rows for run in self.runs)

    @property
    def schema(self) -> pa.Schema:
        """Columns of its rows."""
        return pa.schema([*STORED, *extra_columns(self.extras)])

    @classmethod
    def open(cls, folder: Path, name: str) -> Part | None:
        """The part that a folder holds; None where there is none, or one of another version, or a damaged one."""
        try:
            with _description(folder) as found:
                about = json.loads(found["about"].tobytes())
                offsets, tiles, checks = found["offsets"], found["tiles"], found["checks"]
                batches, users = found["batches"], found["users"]
            if about["version"] != VERSION or not all(
                (folder / run_name(number)).exists() for number in range(len(offsets))
            ):
                return None
            ends = np.cumsum(batches)
            return cls(
                folder,
                name,
                tuple(about["extras"]),
                ReadReport.from_json(about["report"]),
                tuple(map(Run, offsets, tiles, np.split(checks, ends[:-1]) if len(ends) else [])),
                users,
            )
        except _DAMAGE:
            return None

    def describe(self) -> None:
        """Write what ``open`` reads."""
        about = {"version": VERSION, "extras": self.extras, "report": self.report.to_json()}
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
            )

    def rows(self, buckets: range, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """The rows of some buckets, each once, a few at a time; see ``STORED``.

        Raises:
            InputError: what is on the disk is not what was written.

        """
        for number, run in enumerate(self.runs):
            begin, end = int(run.offsets[buckets.start]), int(run.offsets[buckets.stop])
            if begin == end:
                continue
            first, last = np.searchsorted(run.cuts, [buckets.start, buckets.stop - 1], side="right") - 1
            batches = range(int(first), int(last) + 1)
            found = self._read(run_name(number), self.schema, run.checks, batches, columns)
            for position, batch in zip(batches, found, strict=True):
                start = int(run.offsets[run.cuts[position]])
                low, high = max(begin, start), min(end, start + len(batch))
                yield batch.slice(low - start, high - low)

    def _is(self, other: Part) -> bool:
        """Whether what is to be found on the disk is the same."""
        return (
            len(self.runs) == len(other.runs)
            and all(map(_same, self.runs, other.runs))
            and np.array_equal(self.user_checks, other.user_checks)
        )

    def users(self) -> Iterator[pa.RecordBatch]:
        """Hash and text of every user of this part; nothing where the form has none."""
        for number in range(len(self.user_checks)):
            yield from self._read(USERS_FILE, USERS, self.user_checks, [number], USERS.names)

    def _read(
        self, file: str, schema: pa.Schema, checks: Checks, batches: Sequence[int], columns: Sequence[str]
    ) -> list[pa.RecordBatch]:
        try:
            return read_batches(self.folder / file, schema, checks, batches, columns)
        except DamagedError:
            pass
        raise self.damaged()

    def damaged(self) -> InputError:
        """Forget the description, so that the part is read again, and give the refusal.

        A description that is not that of these rows stays: the file was loaded anew while they were in use.
        """
        now = Part.open(self.folder, self.name)
        if now is not None and not self._is(now):
            return InputError("these trips were loaded again meanwhile", self.name, "Load the file again.")
        (self.folder / DESCRIPTION).unlink(missing_ok=True)
        return InputError("the prepared trips were removed or damaged", self.name, "Load the file again.")


def _same(one: Run, other: Run) -> bool:
    return np.array_equal(one.offsets, other.offsets) and np.array_equal(one.checks, other.checks)


def part_version(folder: Path) -> str | None:
    """The version that wrote a part; None for what is no part, or is damaged."""
    try:
        with _description(folder) as found:
            return str(json.loads(found["about"].tobytes())["version"])
    except _DAMAGE:
        return None


@contextmanager
def _description(folder: Path) -> Iterator[Mapping[str, Any]]:
    """The arrays of a description; raises one of ``_DAMAGE``."""
    with (folder / DESCRIPTION).open("rb") as source, np.load(source, allow_pickle=False) as found:
        yield found
