"""Trips that Spark reads become PrivateTrips: checked and prepared on its workers, held there for all measures."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

import pyarrow as pa

from dpcore import limits
from dpcore.engines.spark.private import places, worker
from dpcore.engines.spark.private.counting import SparkRows
from dpcore.engines.spark.private.files import (
    Listed,
    addresses,
    column_of,
    data_files,
    digest_of,
    footers,
    inspected_frame,
    must_be_all,
    name_of,
    spark_schema,
)
from dpcore.engines.spark.private.holding import Holding
from dpcore.engines.spark.private.jobs import clearly, run
from dpcore.engines.spark.private.session import session
from dpcore.engines.spark.private.worker import packed_tiles, report_of, unpacked
from dpcore.errors import AtlasError, InputError
from dpcore.measures.attribute import Attribute
from dpcore.measures.measure import Engine
from dpcore.private import kept, store
from dpcore.private.bounding import bounding_key
from dpcore.private.prepared.folders import Inputs, set_folder, sweep
from dpcore.private.progress import Progress
from dpcore.private.source import BadRecords, Inspection, ReadReport
from dpcore.private.source.forms import Times
from dpcore.private.source.times import check_timezone
from dpcore.private.trips import PrivateTrips
from dpcore.tiles import Tessellation

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_NUMBERS: Final = count()


@dataclass(frozen=True)
class _Source:
    """Files that were found and recognised."""

    spark: SparkSession
    name: str
    paths: Sequence[str]
    files: tuple[Listed, ...]
    frame: DataFrame
    inspection: Inspection
    rows: int
    """Number of records that the footers of all files declare."""

    @property
    def places(self) -> Collection[str]:
        """Paths that messages may name."""
        return [file.path for file in self.files]


def inspect_on_spark(
    paths: Sequence[str],
    *,
    master: str | None = None,
    mapping: Mapping[str, str] | None = None,
    times: Times | None = None,
) -> Inspection:
    """The form of the files at some paths; raises as ``load_on_spark`` does."""
    return _source(paths, master, mapping or {}, times).inspection


def fingerprint_on_spark(
    paths: Sequence[str], *, master: str | None = None, mapping: Mapping[str, str]
) -> str:
    """The fingerprint that trips of these paths have; raises as ``load_on_spark`` does."""
    return digest_of(_source(paths, master, mapping, None).files, bounding_key())


def load_on_spark(
    paths: Sequence[str],
    tessellation: Tessellation,
    *,
    timezone: str | None,
    bad_records: BadRecords = BadRecords.REFUSE,
    master: str | None = None,
    mapping: Mapping[str, str] | None = None,
    times: Times | None = None,
    progress: Progress | None = None,
    recount: bool = False,
    attributes: Sequence[Attribute] = (),
) -> PrivateTrips:
    """Trips ready to be counted on Spark: Parquet files of one form with one row for each trip.

    Args:
        paths: files and folders, of this computer or as URLs (s3a, gs, abfs, hdfs); folders may be partitioned.
        tessellation: tiles to which the points are assigned, WGS84.
        timezone: IANA name of the city's clock.
        bad_records: whether one bad record refuses everything, or is dropped and counted.
        master: such as ``spark://host:7077``; None runs Spark on this computer.
        mapping: role -> column name, as in ``inspect``.
        times: the order in which times may be written as text, as in ``inspect``.
        progress: called with the share that was read, 0 to 1. Any exception of it cancels the work.
        recount: read and count again even if it was done before.
        attributes: declared attributes of the trips, which are kept; ``mapping`` may name their columns.

    Raises:
        InputError: Spark is missing, or something in the files cannot be used. Earlier data stay untouched.

    """
    sweep()
    places.sweep()
    source = _source(paths, master, mapping or {}, times, attributes)
    zone = check_timezone(timezone, source.name)
    key = bounding_key()
    fingerprint = digest_of(source.files, key)
    inputs = Inputs(fingerprint, source.inspection, tessellation.digest, zone, bad_records, key)
    folder = _folder(inputs)

    def must_be_unchanged() -> None:
        if digest_of(data_files(source.spark, source.paths), key) != fingerprint:
            raise InputError(
                "the files changed while they were read", source.name, "Wait until they are complete, then load them again."
            )  # fmt: skip

    holding = Holding(source.name)
    done = False
    try:
        view, report = _prepared_view(
            source,
            holding,
            worker.Work(source.inspection, zone, key),
            tessellation,
            bad_records=bad_records,
            place=folder / "report.json",
            must_be_unchanged=must_be_unchanged,
            progress=progress,
            recount=recount,
        )
        rows = SparkRows(source.spark, view, report.trips, holding.must_be_there, must_be_unchanged)
        holding.take_the_place(rows)
        done = True
    finally:
        if not done:  # a refusal, a cancel, an interrupt
            holding.let_go()
    return PrivateTrips(
        name=source.name,
        folder=folder,
        _rows=rows,
        tile_ids=tessellation.tile_ids,
        form=source.inspection.recorded,
        timezone=zone,
        _reading=report,
        tiles_digest=tessellation.digest,
        fingerprint=fingerprint,
        extras=tuple(source.inspection.extras),
        engine=Engine.SPARK,
        tessellation=tessellation,
        attributes=tuple(one.attribute for one in source.inspection.kept),
    )


def _source(
    paths: Sequence[str],
    master: str | None,
    mapping: Mapping[str, str],
    times: Times | None,
    attributes: Sequence[Attribute] = (),
) -> _Source:
    places = addresses(paths)
    name = name_of(places)
    spark = session(master)
    files = data_files(spark, places)
    read = footers(spark, files, name)
    frame = run(
        spark.sparkContext,
        lambda: spark.read.parquet(*places),
        name=name,
        doing="reading the columns",
        files=[file.path for file in files],
    )
    must_be_all(
        files,
        run(spark.sparkContext, frame.inputFiles, name=name, doing="listing files"),
        name,
    )
    inspection = clearly(
        lambda: inspected_frame(frame, read, mapping, name, times, attributes=attributes),
        name=name,
        doing="reading the columns",
    )
    return _Source(spark, name, places, files, frame, inspection, sum(footer.rows for footer in read))


def _prepared_view(
    source: _Source,
    holding: Holding,
    work: worker.Work,
    tessellation: Tessellation,
    *,
    bad_records: BadRecords,
    place: Path,
    must_be_unchanged: Callable[[], None],
    progress: Progress | None,
    recount: bool,
) -> tuple[str, ReadReport]:
    """The view of the prepared trips, and the report of reading them, now or before."""
    context, name = source.spark.sparkContext, source.name
    held = run(
        context, lambda: _prepared(source, holding, work, tessellation), name=name, doing="preparing trips"
    )
    report = None if recount else kept.kept_content(place, _report)
    if report is None:
        store.forget_answers(place.parent)
        report = _record_report(source, held, work, bad_records, progress)
        must_be_unchanged()
        text = report.to_json().encode()
        kept.keep(place, lambda out: out.write(text))
    if progress is not None:
        progress(1.0)
    trips = f"{worker.TALLY} IS NULL"
    view = run(
        context,
        lambda: holding.shared_view(held.where(trips).drop(worker.TALLY), f"epsilon_atlas_{next(_NUMBERS)}"),
        name=name,
        doing="preparing trips",
    )
    return view, report


def _prepared(source: _Source, holding: Holding, work: worker.Work, tessellation: Tessellation) -> DataFrame:
    """The prepared trips and the tallies, held once they are made. Nothing is read yet.

    Sent to the workers: ids and index of the tiles, once; and form, clock and bounding key, with the work.
    """
    context = source.spark.sparkContext
    tiles = holding.sent(context.broadcast(packed_tiles(tessellation.tile_ids, tessellation.index)))

    def prepared(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return worker.prepared(batches, work, unpacked(tiles.value))

    needed = [column_of(source.frame, column).alias(role) for role, column in work.inspection.needed.items()]
    return holding.table(source.frame.select(needed).mapInArrow(prepared, spark_schema(work.schema)))


def _record_report(
    source: _Source, held: DataFrame, work: worker.Work, bad_records: BadRecords, progress: Progress | None
) -> ReadReport:
    """Read everything once. The counts come from the rows that are then held."""
    context = source.spark.sparkContext
    told = held.where(f"{worker.TALLY} IS NOT NULL").select(worker.TALLY)
    tallies = run(
        context,
        told.collect,
        name=source.name,
        doing="preparing trips",
        files=source.places,
        progress=progress,
    )
    report = report_of((row[0] for row in tallies), source.name)
    if report.records != source.rows:
        raise InputError(
            "Spark read another number of rows than the files declare",
            source.name,
            "Load them again once nobody writes to them.",
        )
    if report.dropped and bad_records is BadRecords.REFUSE:
        raise _refusal(source, work, report)
    return report


def _refusal(source: _Source, work: worker.Work, report: ReadReport) -> InputError:
    """One error for all bad records. A second reading finds their files and rows."""
    from pyspark.sql import functions as f  # noqa: PLC0415 - an extra

    def found(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return worker.bad_records_of(batches, work)

    def look() -> list[tuple[str, str, str, str, int, int]]:
        frame = source.frame
        needed = [column_of(frame, column).alias(role) for role, column in work.inspection.needed.items()]
        placed = frame.select(
            *needed,
            f.col("_metadata.file_path").alias(worker.FILE),
            f.col("_metadata.row_index").alias(worker.ROW),
        )
        bad = placed.mapInArrow(found, spark_schema(worker.FOUND)).groupBy("file", "what", "mend", "column")
        first = bad.agg(f.sum("count").alias("n"), f.min("row").alias("row")).orderBy("file", "row", "what")
        return [tuple(row) for row in first.limit(limits.MAX_LISTED_PROBLEMS).collect()]

    places = run(
        source.spark.sparkContext,
        look,
        name=source.name,
        doing="looking for bad records",
        files=source.places,
    )
    problems: list[AtlasError] = []
    counts = []
    for file, what, mend, column, number, row in places:
        where = f"{unquote(file.rpartition('/')[2])}, row {row:,}, column {column}"
        problems.append(InputError(what, where, mend))
        counts.append(
            f"{number:,} x {what}: {unquote(file.rpartition('/')[2])}, column {column}, first in row {row:,}"
        )
    if not problems:  # the second reading found none, because somebody mended the files
        return InputError("the files changed while they were read", source.name, "Load them again.")
    error = InputError.several(problems, report.dropped_records)
    for note in (*map(str, problems[:1]), *counts):
        error.add_note(note)
    return error


def _folder(inputs: Inputs) -> Path:
    """The folder of the answers for these inputs.

    It is made like a folder of several parts: it has the version of prepared rows in its name and in it, and is swept with
    the others.
    """
    return set_folder([Path(f"spark-{inputs.name}")], inputs.key)


def _report(content: memoryview) -> ReadReport:
    return ReadReport.from_json(bytes(content).decode())
