"""One file becomes a part: read once, then taken from the private folder as long as its bytes are the same."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from dpcore.private import cache, store
from dpcore.private.prepare import Preparation
from dpcore.private.prepared import Part
from dpcore.private.prepared.lanes import Lanes
from dpcore.private.prepared.writing import PartWriter
from dpcore.private.sealed import Sealed
from dpcore.private.source import BadRecords, Inspection, ReadReport, TripsFile, read
from dpcore.private.via import MOST
from dpcore.tessellation import Tessellation

Progress = Callable[[float], None]


@dataclass(frozen=True, repr=False, eq=False)
class PartLoader(Sealed):
    """What reading a file needs besides the file: the same for all files of a data set."""

    tessellation: Tessellation
    timezone: str | None
    bad_records: BadRecords
    key: bytes

    def loaded(
        self, file: TripsFile, inspection: Inspection, progress: Progress, *, afresh: bool
    ) -> tuple[Part, str]:
        """The part of a file and the keyed digest of its bytes; read only if they were not read before.

        Raises:
            InputError: something in the file cannot be used; nothing of it is left then.

        """
        identity = file.identity()
        digest = None if afresh else cache.known_digest(file, self.key)
        part = self._open(file, inspection, digest)
        if part is None:
            part, digest = self._read(file, inspection, progress, digest)
            cache.must_be_unchanged(file, identity)
        if digest is None:
            raise AssertionError("a part without a digest")
        return part, digest

    def _folder(self, inspection: Inspection, digest: str) -> Path:
        return cache.part_folder(
            digest,
            inspection,
            self.tessellation,
            timezone=self.timezone,
            bad_records=self.bad_records,
            key=self.key,
        )

    def _open(self, file: TripsFile, inspection: Inspection, digest: str | None) -> Part | None:
        return Part.open(self._folder(inspection, digest), file.name) if digest is not None else None

    def _read(
        self, file: TripsFile, inspection: Inspection, progress: Progress, digest: str | None
    ) -> tuple[Part, str]:
        identity = file.identity()
        prepare = Preparation(self.tessellation, self.key, tuple(inspection.extras))
        with store.scratch() as scratch, store.new_folder(store.folder("cache")) as place, Lanes() as lanes:
            share = _Share(lanes)
            reading = read(
                file,
                inspection,
                timezone=self.timezone,
                bad_records=self.bad_records,
                progress=share.reach,
                work_folder=scratch,
            )
            digests = lanes.run((file.digest(self.key) for _ in range(1)), 1)  # beside the reading
            writer = PartWriter(place, file.name, prepare)
            runs = writer.write(lanes, reading.batches(), lambda: progress(share.reached))
            found = digest or next(digests)
            cache.must_be_unchanged(file, identity)
            cache.remember_digest(file, found, self.key)
            part = writer.describe(runs, _with_note(reading.report, writer.long))
            folder = self._folder(inspection, found)
            store.appear(place, folder)
        return replace(part, folder=folder), found


class _Share:
    """How much of a file was read: written by the lane that reads, told by the thread that waits."""

    def __init__(self, lanes: Lanes) -> None:
        self._lanes = lanes
        self.reached = 0.0

    def reach(self, share: float) -> None:
        """Remember a share; raises StoppedError where the reading is to end."""
        self._lanes.must_go_on()
        self.reached = share


def _with_note(report: ReadReport, long: int) -> ReadReport:
    """The report, with what preparing has found."""
    if not long:
        return report
    trips = "1 trip passes" if long == 1 else f"{long:,} trips pass"
    note = f"{trips} {MOST:,} or more tiles between start and end: the first {MOST:,} are kept"
    return replace(report, notes=(*report.notes, note))
