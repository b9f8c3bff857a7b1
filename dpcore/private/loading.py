"""Trips files and a tessellation become PrivateTrips: each file read once, kept prepared on disk as a part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Final

from dpcore.errors import InputError
from dpcore.measures.measure import Engine
from dpcore.private import cache
from dpcore.private.bounding import bounding_key
from dpcore.private.data_set import (
    as_files,
    common_extras,
    must_differ,
    name_of,
    summed,
)
from dpcore.private.part_loading import PartLoader, digest_anew
from dpcore.private.prepared import LocalRows, Part
from dpcore.private.prepared.meeting import must_share_no_hash
from dpcore.private.progress import Progress, share
from dpcore.private.source import BadRecords, Inspection, TripsFile
from dpcore.private.trips import PrivateTrips
from dpcore.tessellation import Tessellation

_DIGESTING: Final = 0.05
"""The share of the work that digesting takes where files of one size are compared before they are read."""


def load(
    file: TripsFile | Sequence[TripsFile],
    inspection: Inspection | Sequence[Inspection],
    tessellation: Tessellation,
    *,
    timezone: str | None,
    bad_records: BadRecords = BadRecords.REFUSE,
    progress: Progress | None = None,
    recount: bool = False,
    engine: Engine = Engine.COMPILED,
) -> PrivateTrips:
    """Trips ready to be counted, from the private folder as far as these very bytes were read before.

    Args:
        file: the trips file, or several that are one data set; their order does not matter.
        inspection: its form and columns, as recognised or re-mapped; of several files one each.
        tessellation: tiles that the points are assigned to, WGS84.
        timezone: IANA name of the city's clock.
        bad_records: whether one bad record refuses a file or is dropped and reported.
        progress: called in this thread with the share of all bytes that was read, 0 to 1. What it raises ends the
            loading, and leaves nothing of the file that was being read.
        recount: read again even if a file was read before.
        engine: what is to count the trips, on this computer.

    Raises:
        InputError: something in a file cannot be used, or the files do not fit together. Files that were read before
            it stay in the private folder, and earlier data untouched.

    """
    cache.sweep()
    if engine is Engine.SPARK:
        raise InputError("Spark reads its trips itself", "--engine spark", "Use load_on_spark.")
    pairs = as_files(file, inspection)
    files, inspections = [one for one, _ in pairs], [seen for _, seen in pairs]
    key = bounding_key()
    new = _must_differ_at_once(files, key, share(progress, 0.0, _DIGESTING), afresh=recount)
    tell = share(progress, _DIGESTING if new else 0.0, 1.0) or (lambda _share: None)
    loader = PartLoader(tessellation, timezone, bad_records, key)
    total, done = max(1, sum(one.size for one in files)), 0
    parts: list[Part] = []
    digests: list[str] = []
    for one, seen in pairs:

        def told(read: float, before: int = done, size: int = one.size) -> None:
            tell(min(0.99, (before + read * size) / total))

        part, digest = loader.loaded(one, seen, told, afresh=recount, digested=one in new)
        parts.append(part)
        digests.append(digest)
        done += one.size
        told(0.0, done)
    reports = [part.report for part in parts]
    must_differ(files, digests)
    folder = parts[0].folder
    if len(parts) > 1:
        folder = cache.set_folder([part.folder for part in parts], key)
        must_share_no_hash(parts, folder, key)
    if recount:
        for stale in folder.glob("*.npy"):
            stale.unlink(missing_ok=True)
    tell(1.0)
    return PrivateTrips(
        name_of(files),
        LocalRows.of(parts),
        folder,
        tessellation.tile_ids,
        inspections[0].has_users,
        str(timezone),
        summed(reports, [one.name for one in files]),
        tessellation.digest,
        cache.digest_of_set(digests, key),
        inspections[0].has_points,
        common_extras(inspections),
        engine,
        tuple(sorted(digests)) if len(digests) > 1 else (),
    )


def _must_differ_at_once(
    files: Sequence[TripsFile], key: bytes, progress: Progress | None, *, afresh: bool
) -> Collection[TripsFile]:
    """Refuse the same file twice before anything is read: only files of one size can be the same.

    Gives the files of which a digest was worked out for this.
    """
    tell = progress or (lambda _share: None)
    sizes = Counter(file.size for file in files)
    alike = [file for file in files if sizes[file.size] > 1]
    digests: dict[TripsFile, str] = {}
    for file in alike:
        known = None if afresh else cache.known_digest(file, key)
        if known is not None:
            digests[file] = known
    new = [file for file in alike if file not in digests]
    total, done = max(1, sum(file.size for file in new)), 0
    for file in new:

        def told(read: float, before: int = done, size: int = file.size) -> None:
            tell((before + read * size) / total)

        told(0.0)
        digests[file] = digest_anew(file, key, told)
        done += file.size
    must_differ(alike, [digests[file] for file in alike])
    return new
