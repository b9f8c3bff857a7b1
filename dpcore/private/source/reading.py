"""Reading: one pass over a trips file, from its bytes to checked Arrow batches of trips."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from dpcore import limits
from dpcore.errors import AtlasError, InternalError
from dpcore.private.progress import Progress
from dpcore.private.sealed import Sealed
from dpcore.private.source.batch import RECORD_TRIPS, RawBatch
from dpcore.private.source.city_clock import check_timezone
from dpcore.private.source.content import Content
from dpcore.private.source.csv_batches import csv_batches
from dpcore.private.source.inspection import Inspection
from dpcore.private.source.long_rows import trips_of_records
from dpcore.private.source.parquet_batches import parquet_batches
from dpcore.private.source.report import BadRecords, ReadReport
from dpcore.private.source.tally import Tally
from dpcore.private.source.trip_rows import trip_schema, trips_of_rows
from dpcore.private.source.trips_file import TripsFile


class Reading(Sealed):
    """One reading of one file: its batches once, then its report."""

    __slots__ = (
        "_bad_records", "_file", "_inspection", "_progress", "_report", "_started", "_tally",
        "_timezone", "_work_folder",
    )  # fmt: skip

    def __init__(
        self,
        file: TripsFile,
        inspection: Inspection,
        *,
        timezone: str,
        bad_records: BadRecords,
        progress: Progress | None,
        work_folder: Path | None,
    ) -> None:
        self._file, self._inspection, self._timezone = file, inspection, timezone
        self._bad_records, self._work_folder = bad_records, work_folder
        self._progress: Progress = progress or (lambda _share: None)
        self._tally = Tally()
        self._started = False
        self._report: ReadReport | None = None

    @property
    def schema(self) -> pa.Schema:
        """POINT_TRIPS, RECORD_TRIPS or ZONE_TRIPS, then a column for each attribute that the form has."""
        if self._inspection.layout == "records":
            return RECORD_TRIPS
        return trip_schema(self._inspection)

    @property
    def has_users(self) -> bool:
        """Whether ``user_id`` holds users; else it is null everywhere."""
        return self._inspection.has_users

    @property
    def report(self) -> ReadReport:
        """What was read and dropped; there once all batches were taken."""
        if self._report is None:
            raise InternalError.at("source.reading: the report of an unfinished reading")
        return self._report

    def batches(self) -> Iterator[pa.RecordBatch]:
        """The good trips, each once, about 100,000 rows at a time. Can be called once.

        With BadRecords.REFUSE the first bad record ends the yielding; the rest is read to count the bad
        ones, up to ``limits.MAX_BAD_RECORDS``.

        Raises:
            InputError: something in the file cannot be used. No cell stands in its text.
            InternalError: a fault of this program, with its place only.

        """
        if self._started:
            raise InternalError.at("source.reading: batches taken twice")
        self._started = True
        place = ""
        try:
            yield from self._trips()
        except (AtlasError, GeneratorExit, MemoryError):
            raise
        except Exception as error:  # noqa: BLE001  the texts of engines quote cells: none may pass
            place = _place(error)
        else:
            return
        raise InternalError.at(place)

    def _trips(self) -> Iterator[pa.RecordBatch]:
        tally = self._tally
        if self._inspection.layout == "records":
            rows = trips_of_records(self._raw(), self._inspection, self._timezone, tally, self._work_folder)
        else:
            rows = (trips_of_rows(raw, self._inspection, self._timezone, tally) for raw in self._raw())
        for batch in rows:
            if self._refused():
                continue
            tally.trips += batch.num_rows
            tally.incomplete += batch.num_rows - batch["complete"].true_count
            if batch.num_rows:
                yield batch
        if self._refused():
            raise tally.faults.error(self._file.name, self._unit, tally.records)
        self._report = ReadReport(
            records=tally.records,
            trips=tally.trips,
            incomplete=tally.incomplete,
            missing=dict(tally.missing),
            dropped=tally.faults.dropped(),
            unlisted=dict(tally.unlisted),
            notes=tally.notes(),
        )
        self._progress(1.0)

    def _raw(self) -> Iterator[RawBatch]:
        tally = self._tally
        if self._file.content is Content.PARQUET:
            batches = parquet_batches(self._file, self._inspection, self._progress)
        else:
            batches = csv_batches(self._file, self._inspection, tally.faults, self._progress)
        for raw in batches:
            tally.parsed += raw.rows
            yield raw
            if self._bad_records is BadRecords.REFUSE and tally.faults.total >= limits.MAX_BAD_RECORDS:
                return

    def _refused(self) -> bool:
        return self._bad_records is BadRecords.REFUSE and self._tally.faults.total > 0

    @property
    def _unit(self) -> str:
        return "row" if self._file.content is Content.PARQUET else "line"


def _place(error: Exception) -> str:
    """Type and line of a fault in this program; never its text, which may quote a cell."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "dpcore" in Path(frame.filename).parts]
    return f"{type(error).__name__} in {Path(ours[-1].filename).name}, line {ours[-1].lineno}"


def read(
    file: TripsFile,
    inspection: Inspection,
    *,
    timezone: str | None,
    bad_records: BadRecords = BadRecords.REFUSE,
    progress: Progress | None = None,
    work_folder: Path | None = None,
) -> Reading:
    """A reading of the file; no record is read before its batches are taken.

    Args:
        file: the trips file.
        inspection: what ``inspect`` told of it.
        timezone: IANA name of the city's zone. A time without an offset is its wall clock, one with an offset is
            converted to it.
        bad_records: whether a bad record refuses the file or is dropped and counted.
        progress: called with the share of the file that was read, 0 to 1.
        work_folder: private folder for the temporary files that pairing a very large long file needs; the
            default is a new one, mode 0700, where the system keeps temporary files.

    Raises:
        InputError: the time zone is missing or unknown.

    """
    zone = check_timezone(timezone, file.name)
    return Reading(
        file, inspection, timezone=zone, bad_records=bad_records, progress=progress, work_folder=work_folder
    )
