"""One file becomes a part: read once, then taken from the private folder as long as its bytes are the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from dpcore.private import cache, store
from dpcore.private.prepare import Preparation
from dpcore.private.prepared import Part
from dpcore.private.prepared.lanes import Lanes
from dpcore.private.prepared.part import DESCRIPTION
from dpcore.private.prepared.writing import PartWriter
from dpcore.private.progress import Progress
from dpcore.private.sealed import Sealed
from dpcore.private.source import BadRecords, Inspection, ReadReport, TripsFile, read
from dpcore.private.via import MOST
from dpcore.tessellation import Tessellation


@dataclass(frozen=True, repr=False, eq=False)
class PartLoader(Sealed):
    """What reading a file needs besides the file: the same for all files of a data set."""

    tessellation: Tessellation
    timezone: str | None
    bad_records: BadRecords
    key: bytes

    def loaded(
        self,
        file: TripsFile,
        inspection: Inspection,
        progress: Progress,
        *,
        afresh: bool,
        digested: bool = False,
    ) -> tuple[Part, str]:
        """The part of a file and the keyed digest of its bytes; read only if they were not read before.

        Args:
            file: the file.
            inspection: its form and columns.
            progress: called in this thread with the share that was read; what it raises ends the loading.
            afresh: read it even if it was read before, and digest it even if its digest is known.
            digested: whether its digest was worked out just now, so that once is enough.

        Raises:
            InputError: something in the file cannot be used; nothing of it is left then.

        """
        identity = file.identity()
        digest = cache.known_digest(file, self.key) if digested or not afresh else None
        part = None if afresh else self._open(file, inspection, digest)
        if part is None:
            part, digest = self._read(file, inspection, progress, digest, afresh=afresh)
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
        self,
        file: TripsFile,
        inspection: Inspection,
        progress: Progress,
        digest: str | None,
        *,
        afresh: bool,
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
            digests = iter([digest]) if digest else _digesting(file, self.key, lanes, _Share(lanes))
            writer = PartWriter(place, file.name, prepare)
            runs = writer.write(lanes, reading.batches(), lambda: progress(share.reached))
            found = next(digests)
            cache.must_be_unchanged(file, identity)
            if digest is None:
                cache.remember_digest(file, found, self.key)
            part = writer.describe(runs, _with_note(reading.report, writer.long))
            folder = self._folder(inspection, found)
            if not store.appear(place, folder):
                there = None if afresh else self._open(file, inspection, found)
                if there is not None:  # somebody was quicker: what was counted of it meanwhile stays
                    return there, found
                store.move_into(place, folder, DESCRIPTION)  # others may be reading: the folder is never gone
                _forget_answers(folder)
        return replace(part, folder=folder), found


def digest_anew(file: TripsFile, key: bytes, progress: Progress) -> str:
    """The keyed digest of a file, worked out now and remembered.

    Progress is called in this thread, with the share that was read; what it raises ends the work.

    Raises:
        InputError: the file changed meanwhile, or is gone.

    """
    identity = file.identity()
    with Lanes() as lanes:
        share = _Share(lanes)
        digest = next(_digesting(file, key, lanes, share, lambda: progress(share.reached)))
    cache.must_be_unchanged(file, identity)
    cache.remember_digest(file, digest, key)
    return digest


def _digesting(
    file: TripsFile, key: bytes, lanes: Lanes, share: _Share, tell: Callable[[], None] | None = None
) -> Iterator[str]:
    """The digest of a file, worked out on a thread of its own that ends with the lanes."""
    return lanes.run((file.digest(key, share.reach) for _ in range(1)), 1, tell)


def _forget_answers(folder: Path) -> None:
    """Remove what was counted of the rows that stood in a folder before."""
    for stale in folder.glob("*.npy"):
        stale.unlink(missing_ok=True)


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
