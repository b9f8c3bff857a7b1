"""How similar each table is to the truth with noise of each epsilon, from the true counts. For the owner's eyes only.

Not private and not accounted. All metrics are read off some throw-away previews. The truth is the counts of all trips, without the
bound. So the curves include what the bound leaves out and do not end at perfect.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np

from dpcore.comparison.curves import DRAWS, Curve, curves_of_scores
from dpcore.comparison.layout import LAYOUTS
from dpcore.comparison.matching import Pair
from dpcore.comparison.on_the_map import Geography
from dpcore.comparison.scoring import Score, scores
from dpcore.measures import Kind
from dpcore.measures.measurement import Measurement
from dpcore.measures.plan import Plan
from dpcore.measures.split import drawable_keys
from dpcore.privacy import ContributionBound
from dpcore.private.bounding import bounded
from dpcore.private.exact import Counts, ExactAnswers, exact_answers
from dpcore.private.preview import drawn_again, preview
from dpcore.private.progress import Progress, share
from dpcore.private.sealed import Sealed
from dpcore.private.trips import PrivateTrips
from dpcore.tiles import Tessellation

MOST_PLACES: Final = 500
"""Most places between which counts are carried. It is done many times: each preview has its rungs and time windows.
Carrying between 1,500 places takes ten times as long as between 500."""


@dataclass(frozen=True, repr=False, eq=False)
class UtilityStudy(Sealed):
    """Metrics against epsilon, by measure. Not private, not accounted."""

    plan: Plan
    """Bound, weights and rungs of the study."""
    curves: tuple[Curve, ...]


def utility_curves(
    trips: PrivateTrips,
    plan: Plan,
    tessellation: Tessellation | None = None,
    *,
    draws: int = DRAWS,
    progress: Progress | None = None,
) -> UtilityStudy:
    """Every metric of every measure of a plan against the rungs of the plan.

    Args:
        trips: prepared trips.
        plan: bound, weights and rungs.
        tessellation: the tiles; None leaves the metrics on the map out. With more than ``MOST_PLACES`` tiles, counts are
            carried between groups of neighbours, and the note of the curve says so.
        draws: number of previews, 2 or more. They are previews of the whole plan, whose sparse tables list at each rung what the
            highest rung lists.
        progress: called with the share that is done, 0 to 1.

    Raises:
        PrivacyError: the form of the trips cannot answer a measure.

    """
    per_trip = bounded(trips, ContributionBound.per_trip())
    everything = exact_answers(per_trip, plan.measures, share(progress, 0.0, 0.4))
    geography = None if tessellation is None else Geography(tessellation, MOST_PLACES)
    scored = _scores_of_previews(
        trips, plan, everything, geography, draws=draws, progress=share(progress, 0.4, 1.0)
    )
    return UtilityStudy(plan, curves_of_scores(scored, draws))


def _scores_of_previews(
    trips: PrivateTrips,
    plan: Plan,
    everything: ExactAnswers,
    geography: Geography | None,
    *,
    draws: int,
    progress: Progress | None,
) -> Iterator[tuple[Fraction, Score]]:
    """Every metric of every measure that can be compared, of each preview at each rung."""
    measures = [measure for measure in plan.measures if measure.name in LAYOUTS]
    for draw in range(draws if measures else 0):
        noisy = preview(trips, plan).measurements
        for measure in measures:
            keys = drawable_keys(measure, trips.tile_ids)
            yield from _scored(noisy[measure.name], *everything.on(measure, keys), geography)
        if progress is not None:
            progress((draw + 1) / draws)


def curves_of_release(measurement: Measurement, plan: Plan, *, draws: int = DRAWS) -> tuple[Curve, ...]:
    """The curves of a released table of a plan, with its finest noisy counts in place of the true ones; none if it has no layout.

    It is an estimate that anyone may make, and stands here because noise for previews is drawn behind the wall only. Where counts
    are small it takes their noise for trips, and the curve is too good. Metrics on the map are left out.
    """
    if measurement.measure not in LAYOUTS:
        return ()
    finest = measurement.values[-1]
    cells, counts = measurement.cell_numbers[finest > 0], finest[finest > 0]
    drawn = (drawn_again(measurement, plan, cells, counts) for _ in range(draws))
    return curves_of_scores((one for noisy in drawn for one in _scored(noisy, cells, counts)), draws)


def _scored(
    noisy: Measurement, cells: Counts, counts: Counts, geography: Geography | None = None
) -> Iterator[tuple[Fraction, Score]]:
    """The scores of one drawn table beside the counts of the cells that occur, at every rung; none without anything to share out."""
    if LAYOUTS[noisy.measure].kind is not Kind.NUMBERS and not counts.any():
        return
    laid_on = np.union1d(cells, noisy.cell_numbers)
    truth = _values_on_cells(cells, counts, laid_on)
    columns = {name: np.array(texts) for name, texts in noisy.keys.labels(laid_on).items()}
    name, layout = noisy.measure, LAYOUTS[noisy.measure]
    for rung, epsilon in enumerate(noisy.rungs):
        values = _values_on_cells(noisy.cell_numbers, noisy.values[rung], laid_on)
        pair = Pair(name, layout, columns, truth.astype(float), values.astype(float))
        for score in scores(pair, geography):
            yield epsilon, score


def _values_on_cells(cells: Counts, values: Counts, on: Counts) -> Counts:
    laid = np.zeros(len(on), np.int64)
    laid[np.searchsorted(on, cells)] = values
    return laid
