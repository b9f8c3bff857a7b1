"""The points of some files together: one rule cuts them into trips, because a person may have points in several files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from dpcore.measures.trip_rule import TripRule
from dpcore.private.progress import Progress, share
from dpcore.private.source.batch import RECORD_TRIPS
from dpcore.private.source.inspection import Inspection
from dpcore.private.source.long_rows import trips_of_runs
from dpcore.private.source.point_rows import runs_of_points
from dpcore.private.source.reading import Reading, Reported, guarded, read
from dpcore.private.source.report import BadRecords, Tally, summed
from dpcore.private.source.times import check_timezone
from dpcore.private.source.trips_file import TripsFile


class Together(Reported):
    """One reading of some files of points: the trips that a rule cuts, once, then a report of all files."""

    __slots__ = ("_names", "_readings", "_rule", "_timezone", "_work_folder")

    schema = RECORD_TRIPS

    def __init__(
        self,
        files: Sequence[tuple[TripsFile, Inspection]],
        rule: TripRule,
        *,
        timezone: str | None,
        bad_records: BadRecords = BadRecords.REFUSE,
        progress: Progress | None = None,
        work_folder: Path | None = None,
    ) -> None:
        """Arguments as for ``read``. Raises InputError: the time zone is missing or unknown."""
        super().__init__(files[0][1])
        self._names = [file.name for file, _ in files]
        self._rule, self._work_folder = rule, work_folder
        self._timezone = check_timezone(timezone, self._names[0])
        total, done = max(1, sum(file.size for file, _ in files)), 0
        self._readings: list[Reading] = []
        for file, seen in files:
            begin, done = done, done + file.size
            told = share(progress, begin / total, done / total)
            self._readings.append(read(file, seen, timezone=timezone, bad_records=bad_records, progress=told))

    def batches(self) -> Iterator[pa.RecordBatch]:
        """The good trips, each once, with schema RECORD_TRIPS. Nothing is yielded before all files were read.

        Raises InputError and InternalError as ``Reading.batches``.
        """
        return guarded(self._trips())

    def _trips(self) -> Iterator[pa.RecordBatch]:
        tally = Tally()
        points = (
            batch if reading.has_users else _apart(batch, number)
            for number, reading in enumerate(self._readings)
            for batch in reading.points()
        )
        for runs in runs_of_points(points, self._rule, self._work_folder, tally):
            trips = trips_of_runs(runs, self._inspection, self._timezone, tally)
            tally.trips += trips.num_rows
            tally.incomplete += trips.num_rows - trips["complete"].true_count
            yield trips
        found = summed([reading.report for reading in self._readings], self._names)
        self._report = replace(
            found,
            trips=tally.trips,
            incomplete=tally.incomplete,
            notes=(*found.notes, *tally.notes()),
        )


def _apart(points: pa.RecordBatch, number: int) -> pa.RecordBatch:
    """Points without a user, so that those of two files are never taken for one person's."""
    names = pc.binary_join_element_wise(str(number), points["uid"], " ")
    return pa.RecordBatch.from_arrays([names, *points.columns[1:]], schema=points.schema)
