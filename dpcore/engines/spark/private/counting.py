"""Trips that Spark holds, and the engine that counts them with the same SQL as the embedded one and the same answers, and forgets them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dpcore.engines.spark.private import places, session
from dpcore.engines.spark.private.holding import Holding
from dpcore.engines.spark.private.jobs import run
from dpcore.errors import AtlasError, InternalError
from dpcore.measures import Measure
from dpcore.private.bounding import (
    ALL_TRIPS,
    BUSY_USERS,
    KEPT_TRIPS,
    TRIPS,
    TRIPS_WITH_GAPS,
    VIA,
    BoundedTrips,
    attribute_sql,
    attributes_read,
)
from dpcore.private.engine.merging import Answer
from dpcore.private.progress import Progress, share
from dpcore.private.sealed import Sealed
from dpcore.private.trips import rows_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True, repr=False, eq=False)
class SparkRows(Sealed):
    """Prepared trips, one row for each trip; columns as ``prepare.PREPARED``, with the text of the id as ``user_id``.

    Spark releases the trips when this object is no longer used.
    """

    session: SparkSession
    view: str
    """Name of the table that holds them, known to every session on the same Spark."""
    count: int
    """Number of trips. It is exact, so it stays here."""
    must_be_held: Callable[[], None]
    """Refuses to go on if Spark has released them."""
    must_be_unchanged: Callable[[], None]
    """Refuses to go on if the files are not those that were read."""


KEPT_VIA: Final = (
    "SELECT {read}duration_us, jump_m, tile, place + 1 AS place FROM kept "
    "LATERAL VIEW posexplode(via) tiles AS place, tile"
)
"""``kept_via`` in Spark's dialect: the tiles on the ways of counted trips, with their place on the way, from 1."""


def count(
    bounded: BoundedTrips, measures: Sequence[Measure], progress: Progress | None = None
) -> Mapping[str, Answer]:
    """The exact answer of each measure: one row for each key column, then one of counts, for cells that occur, unordered.

    ``progress`` is called with the share that is done. Raises InputError: Spark ended, a worker died repeatedly, or the files
    changed.
    """
    rows = rows_of(bounded.trips)
    if not isinstance(rows, SparkRows):
        raise InternalError.at("counting on Spark: trips of this computer")
    rows.must_be_held()
    holding = Holding(bounded.trips.name)
    wrong: AtlasError
    try:
        return _answers(bounded, rows, measures, holding, progress)
    except AtlasError as error:
        wrong = error
    finally:
        holding.let_go()
    rows.must_be_held()  # if they were released meanwhile, that is the cause
    raise wrong


def forget() -> None:
    """End Spark if it runs in this process, and remove what killed processes left.

    Raises InputError: it does not end. What others left is removed even then.
    """
    try:
        session.forget()
    finally:
        places.sweep()


def _answers(
    bounded: BoundedTrips,
    rows: SparkRows,
    measures: Sequence[Measure],
    holding: Holding,
    progress: Progress | None,
) -> Mapping[str, Answer]:
    rows.must_be_unchanged()
    context, name = rows.session.sparkContext, bounded.trips.name
    answers: dict[str, Answer] = {}
    # each count has its own session, so that its views do not meet those of another
    spark = run(context, lambda: session.own(rows.session), name=name, doing="counting trips")
    run(context, lambda: _tables(spark, bounded, rows, measures, holding), name=name, doing="counting trips")
    for number, measure in enumerate(measures):
        answers[measure.name] = run(
            context,
            lambda sql=measure.sql: _answer(spark, sql),  # type: ignore[misc]
            name=name,
            doing="counting trips",
            progress=share(progress, number / len(measures), (number + 1) / len(measures)),
        )
    rows.must_be_unchanged()
    return answers


def _tables(
    spark: SparkSession,
    bounded: BoundedTrips,
    rows: SparkRows,
    measures: Sequence[Measure],
    holding: Holding,
) -> None:
    """The tables that measures may read. Expensive ones are held."""

    def view(name: str, sql: str, *, hold: bool) -> None:
        frame = spark.sql(sql)
        holding.view(holding.table(frame) if hold else frame, name)

    gaps, via = any(m.reads_gaps for m in measures), any(m.reads_via for m in measures)
    view("prepared", f"SELECT * FROM {rows.view}", hold=False)
    max_trips, more = bounded.bound.max_trips, VIA if via else ""
    read = attribute_sql(attributes_read(measures))
    view("trips", TRIPS_WITH_GAPS.format(**read) if gaps else TRIPS, hold=gaps)
    if max_trips is None:
        view("kept", ALL_TRIPS.format(via=more, **read), hold=False)
    else:
        view("busy", BUSY_USERS.format(max_trips=max_trips), hold=False)
        view("kept", KEPT_TRIPS.format(max_trips=max_trips, via=more, **read), hold=True)
    if via:
        view("kept_via", KEPT_VIA.format(**read), hold=False)
    for table in dict.fromkeys(table for measure in measures for table in measure.tables):
        view(table.name, table.sql, hold=True)


def _answer(spark: SparkSession, sql: str) -> Answer:
    found: pa.Table = spark.sql(sql).toArrow()
    # a missing place counts as outside every tile (-1)
    columns = [pc.fill_null(column.combine_chunks().cast(pa.int64()), -1) for column in found.columns]
    return np.stack([column.to_numpy(zero_copy_only=False) for column in columns])
