"""BoundedTrips become ExactAnswers: counted once for each bound, then read from the private folder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpcore.errors import InternalError, PrivacyError
from dpcore.measures import Measure
from dpcore.measures.keys import KeySet
from dpcore.private import cache, counting
from dpcore.private.bounding import BoundedTrips
from dpcore.private.progress import Progress
from dpcore.private.sealed import Sealed

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
        return ExactAnswers(counting.answers(bounded, [*wanted.values()], progress))
    except InternalError:
        cache.drop_if_damaged(bounded.trips)
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
