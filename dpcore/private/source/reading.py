"""Reading: recognise the form of a trips file, then one pass from its bytes to checked Arrow batches of trips."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import pyarrow as pa

from dpcore import limits
from dpcore.errors import AtlasError, InputError, InternalError
from dpcore.measures.attribute import Attribute
from dpcore.private.progress import Progress
from dpcore.private.sealed import Sealed
from dpcore.private.source import csv_file, parquet_file, plt_file
from dpcore.private.source.attribute_columns import with_attributes
from dpcore.private.source.batch import RawBatch
from dpcore.private.source.content import Content
from dpcore.private.source.declared import NO_PERSON
from dpcore.private.source.fields import with_missing
from dpcore.private.source.forms import Times
from dpcore.private.source.inspection import Inspection, inspected, must_have_trips
from dpcore.private.source.long_rows import record_schema, trips_of_records
from dpcore.private.source.people import must_not_be_folders_of_people
from dpcore.private.source.point_rows import points_of
from dpcore.private.source.report import BadRecords, Faults, ReadReport, Tally
from dpcore.private.source.roles import NOT_SHOWN
from dpcore.private.source.times import check_timezone
from dpcore.private.source.tracks import note_of
from dpcore.private.source.trip_rows import trip_schema, trips_of_rows
from dpcore.private.source.trips_file import TripsFile


@dataclass(frozen=True)
class _Reader:
    """How a kind of content is read. A new container of columns is one more of these, in its own file."""

    unit: str
    """The word for a record in messages: line or row."""
    header: Callable[[TripsFile], tuple[tuple[str, ...], str]]
    """Names of all columns, and the separator of the fields of a text."""
    check_types: Callable[[TripsFile, Mapping[str, str]], None]
    """Refuses a column whose type does not suit its role; roles -> columns."""
    batches: Callable[[TripsFile, Inspection, Faults, Progress], Iterator[RawBatch]]


_CSV: Final = _Reader("line", csv_file.header_of, lambda _file, _roles: None, csv_file.csv_batches)
_OTHERS: Final[Mapping[Content, _Reader]] = {
    Content.PARQUET: _Reader(
        "row",
        lambda file: (parquet_file.column_names(file), ","),
        parquet_file.check_types,
        lambda file, seen, _faults, progress: parquet_file.parquet_batches(file, seen, progress),
    ),
    Content.PLT: _Reader("line", plt_file.header_of, lambda _file, _roles: None, plt_file.plt_batches),
}
"""Readers of content that is not CSV text, packed or not."""


def _reader_of(file: TripsFile) -> _Reader:
    return _OTHERS.get(file.content, _CSV)


_OLDER: Final = (
    "The header is not UTF-8 and was read as Latin-1. If it is of another older encoding, such as CP949, GBK, Shift_JIS or "
    "Windows-1251, save the file as CSV UTF-8 first."
)
_FURTHER_DOWN: Final = " If the names stand further down, say in which line: --header 4."


def inspect(
    file: TripsFile, mapping: Mapping[str, str] | None = None, *, times: Times | None = None
) -> Inspection:
    """The form of the file. Exactly one form must match, whatever other columns there are.

    A file with a header and no records is accepted.

    Args:
        file: the trips file.
        mapping: role -> column name, for columns that are not recognised, or to choose others; the roles are those of
            ``vocabulary.NAMES``. Roles that are not given keep their usual columns. To leave ``uid`` without a column, name
            all other roles. Then no user is known, and only trips can be protected. Attributes of a trip that are read have
            the roles ``extra_zip``, ``extra_gender`` and ``extra_user_type``.
        times: the order in which times may be written beside 2024-03-01 10:00; None is that of the form.

    Raises:
        InputError: no form or several match, a column is missing or its name occurs twice, or the first bytes cannot be
            read. Column names are quoted, because they are public; cells never are.

    """
    reader = _reader_of(file)
    own, separator = reader.header(file)
    if file.content is Content.PLT:  # the columns are those of the format, with or without users
        mapping = {name: name for name in own}
    folders = file.more_columns(own)
    try:
        found = inspected(file.name, (*own, *folders), mapping or {}, times=times, separator=separator)
    except InputError as error:
        if file.content in {Content.PARQUET, Content.PLT}:
            raise
        older = f"{_OLDER} " if csv_file.is_latin(file) else ""
        lower = _FURTHER_DOWN if error.mend.endswith(NOT_SHOWN) else ""
        raise InputError(
            error.what, error.where, f"{older}{error.mend}{lower}", options=error.options
        ) from None
    if not (found.has_users or NO_PERSON in (mapping or {})):
        must_not_be_folders_of_people(file.name, folders)
    reader.check_types(file, found.without(folders).needed)
    return found


def _folder_columns(file: TripsFile) -> dict[str, str | None]:
    """The columns that folders tell of a file, with their values. Without such folders its header is not read again for it."""
    return file.more_columns(_reader_of(file).header(file)[0]) if file.folders else {}


def keeping(
    file: TripsFile,
    seen: Inspection,
    attributes: Sequence[Attribute],
    columns: Mapping[str, str] | None = None,
) -> Inspection:
    """What ``inspect`` found of the file, with attributes of its trips that are kept. Without any it is the same.

    ``columns``: name of an attribute -> column, where the name does not tell. Raises InputError as ``with_attributes`` does, and
    for a column whose type is neither text nor a number.
    """
    found = with_attributes(file.name, seen, attributes, columns or {})
    if found.kept:
        _reader_of(file).check_types(
            file, {one.role: one.column for one in found.without(_folder_columns(file)).kept}
        )
    return found


def column_names(file: TripsFile) -> tuple[str, ...]:
    """The names of all columns, in the order of the file, whatever its form. Raises InputError."""
    own = _reader_of(file).header(file)[0]
    return (*own, *file.more_columns(own))


class Reported(Sealed):
    """What a reading tells besides its batches: whether there are users, and in the end its report."""

    __slots__ = ("_inspection", "_report")

    def __init__(self, inspection: Inspection) -> None:
        self._inspection = inspection
        self._report: ReadReport | None = None

    @property
    def has_users(self) -> bool:
        """Whether ``user_id`` holds users; otherwise it is null everywhere."""
        return self._inspection.has_users

    @property
    def report(self) -> ReadReport:
        """What was read and dropped. Available once all batches were taken."""
        if self._report is None:
            raise InternalError.at("source.reading: the report of an unfinished reading")
        return self._report


class Reading(Reported):
    """One reading of one file: its batches once, then its report."""

    __slots__ = ("_bad_records", "_file", "_progress", "_started", "_tally", "_timezone", "_work_folder")

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
        super().__init__(inspection)
        self._file, self._timezone = file, timezone
        self._bad_records, self._work_folder = bad_records, work_folder
        self._progress: Progress = progress or (lambda _share: None)
        self._tally = Tally()
        self._started = False

    @property
    def schema(self) -> pa.Schema:
        """POINT_TRIPS, RECORD_TRIPS or ZONE_TRIPS, then a column for each attribute that the form has, and for each declared."""
        if self._inspection.layout == "records":
            return record_schema(self._inspection)
        return trip_schema(self._inspection)

    def points(self) -> Iterator[pa.RecordBatch]:
        """The good points of a file of points, with schema POINTS. Can be called once, instead of ``batches``.

        Raises InputError and InternalError as ``batches``.
        """
        return self._once(self._points())

    def batches(self) -> Iterator[pa.RecordBatch]:
        """The good trips, each once, about 100,000 rows at a time. Can be called once.

        With BadRecords.REFUSE, nothing more is yielded after the first bad record. The rest is read to count bad records,
        up to ``limits.MAX_BAD_RECORDS``.

        Raises:
            InputError: something in the file cannot be used, or it holds points that nothing cuts into trips. The text
                holds no cell.
            InternalError: a fault of this program, with its place only.

        """
        must_have_trips(self._file.name, self._inspection)
        return self._once(self._trips())

    def _once(self, rows: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        if self._started:
            raise InternalError.at("source.reading: batches taken twice")
        self._started = True
        return guarded(rows)

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
        self._finish()

    def _points(self) -> Iterator[pa.RecordBatch]:
        for raw in self._raw():
            points = points_of(raw, self._inspection, self._timezone, self._tally)
            if not self._refused():
                yield points
        self._finish()

    def _finish(self) -> None:
        """Refuse the file for its bad records, or make the report."""
        tally = self._tally
        if self._refused():
            unit = _reader_of(self._file).unit
            raise tally.faults.error(self._file.where, unit, tally.records)
        self._report = ReadReport(
            records=tally.records,
            trips=tally.trips,
            incomplete=tally.incomplete,
            missing=dict(tally.missing),
            dropped=tally.faults.dropped(self._file.where),
            unlisted=dict(tally.unlisted),
            notes=(*tally.notes(), *note_of(self._inspection.track)),
        )
        self._progress(1.0)

    def _raw(self) -> Iterator[RawBatch]:
        tally, reader, seen = self._tally, _reader_of(self._file), self._inspection
        folders = _folder_columns(self._file)
        same = {role: folders[column] for role, column in seen.needed.items() if column in folders}
        for raw in reader.batches(self._file, seen.without(folders), tally.faults, self._progress):
            tally.parsed += raw.rows
            yield replace(raw, columns={**raw.columns, **_repeated(same, raw.rows)}) if same else raw
            if self._bad_records is BadRecords.REFUSE and tally.faults.total >= limits.MAX_BAD_RECORDS:
                return

    def _refused(self) -> bool:
        return self._bad_records is BadRecords.REFUSE and self._tally.faults.total > 0


def _repeated(values: Mapping[str, str | None], rows: int) -> dict[str, pa.Array]:
    """Columns that have one value in all records, as a folder gives it."""
    return {
        role: with_missing(pa.repeat(pa.scalar(value, pa.string()), rows)) for role, value in values.items()
    }


def guarded(rows: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The same rows. An error that is not ours becomes an InternalError, because the texts of engines quote cells."""
    place = ""
    try:
        yield from rows
    except (AtlasError, GeneratorExit, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001  the texts of engines quote cells: none may pass
        place = place_of(error)
    else:
        return
    raise InternalError.at(place)


def place_of(error: Exception) -> str:
    """Type and line of a fault in this program. Never its text, which may quote a cell."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "dpcore" in Path(frame.filename).parts]
    last = ours[-1] if ours else frames[-1]
    return f"{type(error).__name__} in {Path(last.filename).name}, line {last.lineno}"


def read(
    file: TripsFile,
    inspection: Inspection,
    *,
    timezone: str | None,
    bad_records: BadRecords = BadRecords.REFUSE,
    progress: Progress | None = None,
    work_folder: Path | None = None,
) -> Reading:
    """A reading of the file. No record is read before its batches are taken.

    Args:
        file: the trips file.
        inspection: the result of ``inspect``.
        timezone: IANA name of the city's zone. A time without an offset is its wall clock. A time with an offset is
            converted to it.
        bad_records: whether a bad record refuses the file, or is dropped and counted.
        progress: called with the share of the file that was read, 0 to 1.
        work_folder: private folder for the temporary files that pairing a very large long file needs. The default is a
            new one, mode 0700, in the system's folder for temporary files.

    Raises:
        InputError: the time zone is missing or unknown.

    """
    zone = check_timezone(timezone, file.name)
    return Reading(
        file, inspection, timezone=zone, bad_records=bad_records, progress=progress, work_folder=work_folder
    )
