"""BoundedTrips become ExactAnswers. They are counted once for each bound, then read from the private folder.

At trip level most measures are sums over rows (``Measure.counts_each_row_alone``). Their answers are stored beside the rows
of each part, so that for one more file only that file is counted. Everything else is counted on all rows and stored in the
folder of the trips.
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

from dpcore import wings
from dpcore.errors import InternalError, PrivacyError
from dpcore.measures import Measure
from dpcore.measures.attribute import reads, text_of
from dpcore.measures.keys import KeySet
from dpcore.measures.measure import Engine
from dpcore.privacy import PrivacyUnit
from dpcore.private import kept
from dpcore.private.bounding import BoundedTrips
from dpcore.private.engine import duckdb
from dpcore.private.engine.merging import Answer, answer_sum
from dpcore.private.prepared import LocalRows
from dpcore.private.progress import Progress, share
from dpcore.private.sealed import Sealed
from dpcore.private.trips import PrivateTrips, local_rows

Counts = NDArray[np.int64]


@dataclass(frozen=True, repr=False, eq=False)
class ExactAnswers(Sealed):
    """Exact integer counts of some measures under one bound."""

    answers: Mapping[str, Counts]
    """For each measure the engine's key integers and counts; shape (axes + 1, cells that occur)."""

    def on(self, measure: Measure, keys: KeySet) -> tuple[Counts, Counts]:
        """Numbers of the cells other than 0 (ascending, int64) and their counts, on a public key set.

        Sums of 0 are left out, because the engines differ in whether they list them.
        """
        *codes, counts = self.answers[measure.name]
        found = keys.cells(codes)
        if not (found[1:] > found[:-1]).all():
            order = np.argsort(found, kind="stable")  # quick, because the engine's rows are almost in order
            found, counts = found[order], counts[order]
        begins = np.flatnonzero(np.diff(found, prepend=-1))  # several of them may share a catch-all cell
        total = np.add.reduceat(counts, begins) if len(begins) else counts
        some = np.flatnonzero(total)
        return found[begins[some]], total[some]

    def dense(self, measure: Measure, keys: KeySet) -> Counts:
        """The count of every cell of the key set, including zeros."""
        cells, counts = self.on(measure, keys)
        table = np.zeros(keys.size, np.int64)
        table[cells] = counts
        return table

    def days(self) -> tuple[int, int] | None:
        """First and last day with a trip, in days since 1970-01-01; None without trips.

        This is a fact about the trips: for the owner only.
        """
        days = self.answers["trips_over_time"][0]
        return (int(days.min()), int(days.max())) if len(days) else None


def exact_answers(
    bounded: BoundedTrips, measures: Iterable[Measure], progress: Progress | None = None
) -> ExactAnswers:
    """Exact answers of the measures. Only answers that were never counted under this bound are counted.

    At trip level, answers that are sums over rows are stored for each part of the data set, so a new part is counted alone.

    Args:
        bounded: the trips and their bound.
        measures: what to count.
        progress: called in this thread with the share that was counted, 0 to 1; not called if all was counted before.
            An exception of it ends the counting. Answers are stored whole or not at all.

    Raises:
        PrivacyError: a measure needs users and the form has none, or distances and the form has no coordinates.
        InputError: the prepared trips were damaged, or do not fit into the memory that counting may take.

    """
    wanted = {measure.name: measure for measure in measures}
    for measure in wanted.values():
        _must_be_answerable(bounded, measure)
    # Flows between tiles and between districts ask the same. Keys are merged later, so the same answer serves both.
    asking: dict[tuple[str, ...], Measure] = {}
    for measure in wanted.values():
        asking.setdefault(_question(measure), measure)
    try:
        found = _answers(bounded, [*asking.values()], progress)
        return ExactAnswers({name: found[asking[_question(one)].name] for name, one in wanted.items()})
    except InternalError:
        _drop_if_damaged(bounded.trips)
        raise


def _must_be_answerable(bounded: BoundedTrips, measure: Measure) -> None:
    for one in measure.attributes:
        if not any(reads(one, kept) for kept in bounded.trips.attributes):
            raise PrivacyError(
                f"these trips do not have the attribute {one.name} with the same declaration",
                measure.name,
                f"Load them with --attribute {one.name}=..., in the library attributes={{'{one.name}': ...}}, declared as it is here.",
            )
    for lacking in measure.lacks(bounded.trips.form):
        what, why = _LACKS[lacking]
        raise PrivacyError(
            f"these trips have no {what}, which {measure.name} needs",
            bounded.trips.name,
            f"Leave the measure out: {why}.",
        )


_LACKS: Final = {
    "users": ("user column", "without user ids a person's trips cannot be found"),
    "points": ("coordinates", "zone ids have no distances"),
    "times": ("times", "their owner declared that they have no times (no_times)"),
    "ends": (
        "other ends",
        "their owner declared that only one end of each is known (no_end), so each is a visit",
    ),
}


@dataclass(frozen=True, repr=False, eq=False)
class _Job(Sealed):
    """Some measures that are counted together on some rows."""

    rows: LocalRows
    places: Mapping[Measure, Path]
    """Where each answer is stored."""


def _answers(
    bounded: BoundedTrips, measures: Sequence[Measure], progress: Progress | None = None
) -> dict[str, Answer]:
    """Each measure's answer, read if it is stored, otherwise counted and stored. Files are written whole or not at all."""
    places = {measure: answer_file(bounded, measure) for measure in measures}
    found = {measure.name: kept for measure in measures if (kept := stored(places[measure])) is not None}
    missing = [measure for measure in measures if measure.name not in found]
    if not missing:
        return found
    if bounded.trips.engine not in ENGINES:  # a wing, which holds the trips itself
        counted: dict[str, Answer] = {}
        for some in _alike(missing):
            counted |= wings.engine(bounded.trips.engine.value).count(bounded, some, progress)
        for measure in missing:
            keep(places[measure], counted[measure.name])
        return found | counted
    return found | _local(bounded, {measure: places[measure] for measure in missing}, progress)


def _local(
    bounded: BoundedTrips, places: Mapping[Measure, Path], progress: Progress | None
) -> dict[str, Answer]:
    rows = local_rows(bounded.trips)
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
    counted = _new_answers(bounded, jobs, progress)
    for measure, place in places.items():
        if measure not in summed:
            found[measure.name] = counted[place]
            continue
        found[measure.name] = reduce(answer_sum, (counted[piece] for piece in pieces[measure.name]))
        if len(rows.parts) > 1:
            keep(place, found[measure.name])
    return found


def _new_answers(
    bounded: BoundedTrips, jobs: Sequence[_Job], progress: Progress | None
) -> dict[Path, Answer]:
    """The answer at each place of some jobs. Stored ones are not counted."""
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
        counted = _run(bounded, job.rows, [*job.places], told)
        for measure, place in job.places.items():
            keep(place, counted[measure.name])
            found[place] = counted[measure.name]
        done += job.rows.count
    return found


def _run(
    bounded: BoundedTrips, rows: LocalRows, measures: Sequence[Measure], progress: Progress | None
) -> Mapping[str, Answer]:
    """Measures that are counted together, one set after another."""
    together = _alike(measures)
    found: dict[str, Answer] = {}
    for number, some in enumerate(together):
        told = share(progress, number / len(together), (number + 1) / len(together))
        found |= ENGINES[bounded.trips.engine](bounded, rows, some, told)
    return found


def _alike(measures: Sequence[Measure]) -> list[list[Measure]]:
    """The measures in sets that read the same attributes, each of which may be counted together.

    An attribute decides which of two trips that are else equal counts, and which of them has the gap before it. So
    measures that read other attributes are counted apart. Those that read none and no gap cannot tell, and join the first.
    """
    sets: dict[tuple[str, ...], list[Measure]] = {}
    for measure in measures:
        if measure.attributes or measure.reads_gaps:
            sets.setdefault(tuple(one.column for one in measure.attributes), []).append(measure)
    free = [measure for measure in measures if not (measure.attributes or measure.reads_gaps)]
    first, *others = sets.values() or [[]]
    return [[*first, *free], *others]


def _compiled(
    bounded: BoundedTrips, rows: LocalRows, measures: Sequence[Measure], progress: Progress | None
) -> Mapping[str, Answer]:
    """Compiled passes for measures that have a rule, SQL for the others."""
    from dpcore.private.engine.compiled import counting as compiled  # noqa: PLC0415 - numba takes long to load, and known answers need none

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
"""How each engine counts some rows of bounded trips on this computer."""


def _drop_if_damaged(trips: PrivateTrips) -> None:
    """Raise if prepared trips were removed or damaged, and forget them. Otherwise do nothing."""
    rows = local_rows(trips)
    for _ in rows.batches(rows.columns):  # every column of every row is checked
        pass


def answer_file(bounded: BoundedTrips, measure: Measure) -> Path:
    """The file of a measure's exact answer. Its name follows from what is counted, the engine and the code.

    Keys are not part of it: an answer holds integers of the engine, which ``ExactAnswers.on`` lays on the public keys. So
    two measures with one SQL share a file, and other districts need no counting.
    """
    counted_by = kept.name_of(b"", bounded.trips.engine.value, kept.code_digest(), *_question(measure))
    bound = bounded.bound
    return bounded.trips.folder / f"{bound.unit.value}-{bound.trips}-{counted_by}.npy"


def _question(measure: Measure) -> tuple[str, ...]:
    """What is counted, whatever the keys."""
    return (
        measure.sql,
        *map(text_of, measure.attributes),
        *(f"{table.name}\n{table.sql}" for table in measure.tables),
    )


def stored(place: Path) -> Answer | None:
    """A stored answer. None if there is none or the file was changed: then it is counted again."""
    answer = kept.stored_content(place, lambda source: np.load(source, allow_pickle=False))
    return answer if answer is not None and answer.ndim == 2 and answer.dtype == np.int64 else None


def keep(place: Path, answer: Answer) -> None:
    """Write an answer whole or not at all. Raises InputError if the disk is full."""
    kept.keep(place, lambda out: np.save(out, answer, allow_pickle=False), lasting=False)
