"""BoundedTrips become ExactAnswers: counted once for each bound, then read from the private folder.

At trip level most measures are sums over rows (``Measure.counts_each_row_alone``). Their answers are kept beside the
rows of each part, so that a data set with one file more counts that file alone. Everything else is counted on all rows
and kept in the folder of the trips.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.errors import InternalError, PrivacyError
from dpcore.measures import Measure
from dpcore.measures.keys import KeySet
from dpcore.measures.measure import Engine
from dpcore.privacy import PrivacyUnit
from dpcore.private import kept
from dpcore.private.bounding import BoundedTrips
from dpcore.private.engine import duckdb
from dpcore.private.engine.compiled import counting as compiled
from dpcore.private.engine.merging import Answer, added
from dpcore.private.prepared import LocalRows
from dpcore.private.progress import Progress, share
from dpcore.private.sealed import Sealed
from dpcore.private.spark import counting as spark
from dpcore.private.trips import PrivateTrips

Counts = NDArray[np.int64]


@dataclass(frozen=True, repr=False, eq=False)
class ExactAnswers(Sealed):
    """Exact integer counts of some measures under one bound."""

    answers: Mapping[str, Counts]
    """For each measure the engine's key integers and counts, shape (axes + 1, cells that occur)."""

    def on(self, measure: Measure, keys: KeySet) -> tuple[Counts, Counts]:
        """Cell numbers that occur (ascending, int64) and their counts, laid on a public key set."""
        *codes, counts = self.answers[measure.name]
        cells, where = np.unique(keys.cells(codes), return_inverse=True)
        total = np.zeros(len(cells), np.int64)
        np.add.at(total, where, counts)  # several of the engine's rows may share a catch-all cell
        return cells, total

    def dense(self, measure: Measure, keys: KeySet) -> Counts:
        """The count of every cell of the key set, zeros included."""
        cells, counts = self.on(measure, keys)
        table = np.zeros(keys.size, np.int64)
        table[cells] = counts
        return table

    def days(self) -> tuple[int, int] | None:
        """First and last day with a trip, in days since 1970-01-01; None without any.

        A fact about the trips: for the owner only.
        """
        days = self.answers["trips_over_time"][0]
        return (int(days.min()), int(days.max())) if len(days) else None


def exact_answers(
    bounded: BoundedTrips, measures: Iterable[Measure], progress: Progress | None = None
) -> ExactAnswers:
    """Exact answers of the measures, counting only those that were never counted for this bound.

    At trip level, what is a sum over rows is kept for each part of the data set: a part more is counted alone.

    Args:
        bounded: the trips and their bound.
        measures: what to count.
        progress: called in this thread with the share that is counted, 0 to 1, and never where all was counted before.
            What it raises ends the counting; answers are kept whole or not at all.

    Raises:
        PrivacyError: users are to be told apart in a form that has none, or distances are asked of a form without
            coordinates.
        InputError: the prepared trips were damaged, or do not fit into the memory that counting may take.

    """
    wanted = {measure.name: measure for measure in measures}
    for measure in wanted.values():
        _must_be_answerable(bounded, measure)
    try:
        return ExactAnswers(_answers(bounded, [*wanted.values()], progress))
    except InternalError:
        _drop_if_damaged(bounded.trips)
        raise


def _must_be_answerable(bounded: BoundedTrips, measure: Measure) -> None:
    if measure.needs_users and not bounded.trips.has_users:
        raise PrivacyError(
            f"these trips have no user column, which {measure.name} needs",
            bounded.trips.name,
            "Leave the measure out: without user ids a person's trips cannot be found.",
        )
    if measure.needs_points and not bounded.trips.has_points:
        raise PrivacyError(
            f"these trips have no coordinates, which {measure.name} needs",
            bounded.trips.name,
            "Leave the measure out: zone ids alone tell no distance.",
        )


@dataclass(frozen=True, repr=False, eq=False)
class _Job(Sealed):
    """Some measures that are counted together on some rows."""

    rows: LocalRows
    places: Mapping[Measure, Path]
    """Where each answer is kept."""


def _answers(
    bounded: BoundedTrips, measures: Sequence[Measure], progress: Progress | None = None
) -> dict[str, Answer]:
    """Each measure's answer: read where it is kept, else counted and kept. Each file is written whole or not at all."""
    places = {measure: answer_file(bounded, measure) for measure in measures}
    found = {measure.name: kept for measure in measures if (kept := stored(places[measure])) is not None}
    missing = [measure for measure in measures if measure.name not in found]
    if not missing:
        return found
    if bounded.trips.engine is Engine.SPARK:
        counted = spark.count(bounded, missing, progress)
        for measure in missing:
            keep(places[measure], counted[measure.name])
        return found | dict(counted)
    return found | _local(bounded, {measure: places[measure] for measure in missing}, progress)


def _local(
    bounded: BoundedTrips, places: Mapping[Measure, Path], progress: Progress | None
) -> dict[str, Answer]:
    rows = bounded.trips.local_rows()
    trip_level = bounded.bound.unit is PrivacyUnit.TRIP
    summed = [measure for measure in places if trip_level and measure.counts_each_row_alone]
    jobs, found = [], {}
    pieces: dict[str, list[Path]] = {}
    for part in rows.parts:
        of_part = {measure: part.folder / places[measure].name for measure in summed}
        for measure, place in of_part.items():
            pieces.setdefault(measure.name, []).append(place)
        jobs.append(_Job(LocalRows.of([part]), of_part))
    jobs.append(_Job(rows, {measure: place for measure, place in places.items() if measure not in summed}))
    if len(rows.parts) == 1:  # one pass counts both
        jobs = [_Job(rows, {**jobs[0].places, **jobs[1].places})]
    counted = _counted(bounded, jobs, progress)
    for measure, place in places.items():
        if measure not in summed:
            found[measure.name] = counted[place]
            continue
        found[measure.name] = reduce(added, (counted[piece] for piece in pieces[measure.name]))
        if len(rows.parts) > 1:
            keep(place, found[measure.name])
    return found


def _counted(bounded: BoundedTrips, jobs: Sequence[_Job], progress: Progress | None) -> dict[Path, Answer]:
    """The answer at each place of some jobs; what is kept there is not counted."""
    found = {
        place: kept for job in jobs for place in job.places.values() if (kept := stored(place)) is not None
    }
    left = [
        _Job(job.rows, {measure: place for measure, place in job.places.items() if place not in found})
        for job in jobs
    ]
    left = [job for job in left if job.places]
    total, done = sum(job.rows.count for job in left) or 1, 0
    for job in left:
        told = share(progress, done / total, (done + job.rows.count) / total)
        counted = ENGINES[bounded.trips.engine](bounded, job.rows, [*job.places], told)
        for measure, place in job.places.items():
            keep(place, counted[measure.name])
            found[place] = counted[measure.name]
        done += job.rows.count
    return found


def _compiled(
    bounded: BoundedTrips, rows: LocalRows, measures: Sequence[Measure], progress: Progress | None
) -> Mapping[str, Answer]:
    """Compiled passes where a measure has a rule for them, SQL for the others."""
    ruled = [measure for measure in measures if measure.compiled_rule is not None]
    others = [measure for measure in measures if measure.compiled_rule is None]
    middle = len(ruled) / len(measures)
    found: dict[str, Answer] = {}
    if ruled:
        found |= compiled.count_rows(bounded, rows, ruled, share(progress, 0.0, middle))
    if others:
        found |= duckdb.count_rows(bounded, rows, others, share(progress, middle, 1.0))
    return found


_Counting = Callable[[BoundedTrips, LocalRows, Sequence[Measure], Progress | None], Mapping[str, Answer]]
ENGINES: Final[Mapping[Engine, _Counting]] = MappingProxyType(
    {Engine.COMPILED: _compiled, Engine.DUCKDB: duckdb.count_rows}
)
"""How some rows of bounded trips are counted on this computer."""


def _drop_if_damaged(trips: PrivateTrips) -> None:
    """Say so if prepared trips were removed or damaged, and forget them; else do nothing."""
    rows = trips.local_rows()
    for _ in rows.batches(rows.columns):  # every column of every row is checked
        pass


def answer_file(bounded: BoundedTrips, measure: Measure) -> Path:
    """The file of a measure's exact answer; its name follows what is counted, by which engine and with which code."""
    of_measure = (measure.sql, *(f"{table.name}\n{table.sql}" for table in measure.tables))
    counted_by = kept.name_of(b"", bounded.trips.engine.value, kept.code_digest(), *of_measure)
    bound = bounded.bound
    return bounded.trips.folder / f"{measure.name}-{bound.unit.value}-{bound.trips}-{counted_by}.npy"


def stored(place: Path) -> Answer | None:
    """A stored answer, or None where there is none or something else than was written: then it is counted again."""
    answer = kept.kept(place, lambda source: np.load(source, allow_pickle=False))
    return answer if answer is not None and answer.ndim == 2 and answer.dtype == np.int64 else None


def keep(place: Path, answer: Answer) -> None:
    """Write an answer whole or not at all; raises InputError where the disk is full."""
    kept.keep(place, lambda out: np.save(out, answer, allow_pickle=False))
