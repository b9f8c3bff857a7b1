"""A trips file and a tessellation become PrivateTrips: read once, kept prepared on disk."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from dpcore.errors import AtlasError, InputError, InternalError
from dpcore.private import cache, store
from dpcore.private.bounding import bounding_key
from dpcore.private.prepare import Preparation
from dpcore.private.source import BadRecords, Inspection, ReadReport, TripsFile, read
from dpcore.private.source.extras import ROLE
from dpcore.private.trips import PrivateTrips
from dpcore.private.via import MOST
from dpcore.tessellation import Box, Tessellation

Progress = Callable[[float], None]


def load(
    file: TripsFile,
    inspection: Inspection,
    tessellation: Tessellation,
    *,
    timezone: str | None,
    bad_records: BadRecords = BadRecords.REFUSE,
    progress: Progress | None = None,
    recount: bool = False,
) -> PrivateTrips:
    """Trips ready to be counted, from the private folder if these very bytes were read before.

    Args:
        file: the trips file.
        inspection: its form and columns, as recognised or re-mapped.
        tessellation: tiles that the points are assigned to, WGS84.
        timezone: IANA name of the city's clock.
        bad_records: whether one bad record refuses the file or is dropped and reported.
        progress: called with the share that was read, 0 to 1.
        recount: read again even if the file was read before.

    Raises:
        InputError: something in the file cannot be used; earlier data stay untouched.

    """
    store.sweep()
    key = bounding_key()
    identity = file.identity()
    folder = cache.trips_folder(
        file,
        inspection,
        tessellation,
        timezone=timezone,
        bad_records=bad_records,
        key=key,
        afresh=recount,
    )
    rows, report_file = folder / "trips.parquet", folder / "report.json"
    if recount or not rows.exists() or _report(report_file) is None:
        for stale in folder.glob("*.npy"):
            stale.unlink()
        with store.scratch() as scratch, store.written(rows) as part:
            reading = read(
                file,
                inspection,
                timezone=timezone,
                bad_records=bad_records,
                progress=progress,
                work_folder=scratch,
            )
            prepare = Preparation(tessellation, key, tuple(inspection.extras))
            long = _guarded(part, reading.batches(), prepare)
            cache.must_be_unchanged(file, identity)
        with store.written(report_file) as part:
            part.write_text(_with_note(reading.report, long).to_json(), encoding="utf-8")
    report = _report(report_file)
    if report is None:
        raise InputError("the prepared trips were removed meanwhile", file.name, "Load the file again.")
    return PrivateTrips(
        file.name,
        folder,
        tessellation.tile_ids,
        inspection.has_users,
        str(timezone),
        report,
        tessellation.digest,
        cache.digest_of(file, key),
        inspection.has_points,
        tuple(inspection.extras),
    )


def extent(file: TripsFile, inspection: Inspection, *, timezone: str | None) -> Box | None:
    """The smallest box around all places of a file, in degrees; None without coordinates.

    Private: its edges are places of single trips. Only for an owner who asked for it and was told so.
    """
    edges: list[tuple[float, float, float, float]] = []
    with store.scratch() as scratch:
        reading = read(file, inspection, timezone=timezone, bad_records=BadRecords.DROP, work_folder=scratch)
        for batch in reading.batches():
            if "end_lng" not in batch.schema.names:
                return None
            lng, lat = (
                np.concatenate([places.drop_null() for places in _places(batch, axis)])
                for axis in ("lng", "lat")
            )
            if len(lng) and len(lat):
                edges.append((lng.min(), lat.min(), lng.max(), lat.max()))
    if not edges:
        return None
    west, south, east, north = zip(*edges, strict=True)
    sides = float(min(west)), float(min(south)), float(max(east)), float(max(north))
    if not (sides[0] < sides[2] and sides[1] < sides[3]):  # said without the sides: they are somebody's place
        raise InputError("the trips span no area", file.name, "Type the box yourself.")
    return Box(*sides)


def _places(batch: pa.RecordBatch, axis: str) -> list[pa.Array]:
    """One coordinate of every place of some trips."""
    on_the_way = [batch["via"].flatten().field(axis)] if "via" in batch.schema.names else []
    return [batch[f"start_{axis}"], batch[f"end_{axis}"], *on_the_way]


def _with_note(report: ReadReport, long: int) -> ReadReport:
    """The report, with what preparing has found."""
    if not long:
        return report
    trips = "1 trip passes" if long == 1 else f"{long:,} trips pass"
    note = f"{trips} {MOST:,} or more tiles between start and end: the first {MOST:,} are kept"
    return replace(report, notes=(*report.notes, note))


def _report(place: Path) -> ReadReport | None:
    """A stored report, or None where there is none that can be read: the trips are then read again."""
    try:
        return ReadReport.from_json(place.read_text(encoding="utf-8"))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _guarded(place: Path, batches: Iterable[pa.RecordBatch], prepare: Preparation) -> int:
    """``write_prepared``, whose unknown errors are told by their place alone: their text may quote a cell."""
    try:
        return write_prepared(place, batches, prepare)
    except (AtlasError, OSError):
        raise
    except Exception as error:  # noqa: BLE001 - see above; raised again outside, so that it hangs on nothing
        fault = type(error).__name__
    raise InternalError.at(f"preparing trips ({fault})")


def write_prepared(place: Path, batches: Iterable[pa.RecordBatch], prepare: Preparation) -> int:
    """Prepare a reader's batches and write them as one Parquet file.

    Returns how many trips have as many tiles on their way as are kept of one, so that there may have been more.
    """
    numbers, long = _UserNumbers(), 0
    stored = prepare.schema.set(0, pa.field("user_id", pa.int32()))
    few = [
        ROLE + name for name in prepare.extras
    ] or False  # all other columns hold too many values for a dictionary
    with pq.ParquetWriter(place, stored, compression="snappy", use_dictionary=few) as writer:
        for batch in batches:
            prepared = prepare(batch)
            columns = [numbers.of(prepared["user_id"]), *prepared.columns[1:]]
            writer.write_batch(pa.RecordBatch.from_arrays(columns, schema=stored))
            long += pc.sum(pc.equal(prepared["via"].value_lengths(), MOST)).as_py() or 0
    return long


class _UserNumbers:
    """Numbers users in order of appearance; the number means nothing and is never hashed or shown."""

    def __init__(self) -> None:
        self._number: dict[str | None, int] = {}

    def of(self, users: pa.DictionaryArray) -> pa.Array:
        """The number of each row's user, int32; null where the form has no users."""
        number = self._number
        table = np.fromiter(
            (number.setdefault(text, len(number)) for text in users.dictionary.to_pylist()), np.int32
        )
        if len(table) == 0:
            return pa.nulls(len(users), pa.int32())
        return pa.array(table[np.asarray(users.indices)])
