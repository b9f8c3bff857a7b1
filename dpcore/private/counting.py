"""What has to be counted for some answers, on which rows, and where each answer is kept.

At trip level most measures are sums over rows (``Measure.counts_each_row_alone``). Their answers are kept beside the
rows of each part, so that a data set with one file more counts that file alone. Everything else is counted on all rows
and kept in the folder of the trips.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from types import MappingProxyType
from typing import Final

from dpcore.measures import Measure
from dpcore.measures.measure import Engine
from dpcore.privacy import PrivacyUnit
from dpcore.private import cache
from dpcore.private.bounding import BoundedTrips
from dpcore.private.engine import duckdb, spark
from dpcore.private.engine.compiled import passes
from dpcore.private.engine.merging import Answer, added
from dpcore.private.kept_answers import keep, stored
from dpcore.private.prepared import LocalRows
from dpcore.private.progress import Progress, share
from dpcore.private.sealed import Sealed


@dataclass(frozen=True, repr=False, eq=False)
class _Job(Sealed):
    """Some measures that are counted together on some rows."""

    rows: LocalRows
    places: Mapping[Measure, Path]
    """Where each answer is kept."""


def answers(
    bounded: BoundedTrips, measures: Sequence[Measure], progress: Progress | None = None
) -> dict[str, Answer]:
    """Each measure's answer: read where it is kept, else counted and kept. Each file is written whole or not at all."""
    places = {measure: cache.answer_file(bounded, measure) for measure in measures}
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
        found |= passes.count_rows(bounded, rows, ruled, share(progress, 0.0, middle))
    if others:
        found |= duckdb.count_rows(bounded, rows, others, share(progress, middle, 1.0))
    return found


_Counting = Callable[[BoundedTrips, LocalRows, Sequence[Measure], Progress | None], Mapping[str, Answer]]
ENGINES: Final[Mapping[Engine, _Counting]] = MappingProxyType(
    {Engine.COMPILED: _compiled, Engine.DUCKDB: duckdb.count_rows}
)
"""How some rows of bounded trips are counted on this computer."""
