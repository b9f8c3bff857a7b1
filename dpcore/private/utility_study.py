"""How similar each table is to the truth with noise of each epsilon, from the true counts. For the owner's eyes only.

Not private and not accounted. Metrics with a formula are computed (``dpcore.comparison.curves``). Rankings and metrics on
the map have none and are read off a few throw-away previews. The truth is the counts of all trips, without the bound. So
the curves include what the bound leaves out and do not end at perfect.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import Final

import numpy as np

from dpcore import limits
from dpcore.comparison.curves import CellCounts, Curve, drawn_band, worked_out
from dpcore.comparison.layout import LAYOUTS
from dpcore.comparison.matching import Pair
from dpcore.comparison.metrics import METRICS
from dpcore.comparison.on_the_map import Geography
from dpcore.comparison.scoring import Score, scores
from dpcore.measures import Kind, Measure
from dpcore.measures.measurement import Measurement
from dpcore.measures.plan import Plan
from dpcore.measures.split import drawable_keys
from dpcore.privacy import ContributionBound
from dpcore.private.bounding import bounded
from dpcore.private.exact import Counts, ExactAnswers, exact_answers
from dpcore.private.preview import preview
from dpcore.private.progress import Progress, share
from dpcore.private.sealed import Sealed
from dpcore.private.trips import PrivateTrips
from dpcore.tiles import Tessellation

DRAWS: Final = 10
"""Number of previews that are drawn for metrics without a formula."""
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
        draws: previews for metrics without a formula, 2 or more; 0 leaves these out. At each rung they are previews of the
            whole plan, whose sparse tables list what its highest rung lists.
        progress: called with the share that is done, 0 to 1.

    Raises:
        PrivacyError: the form of the trips cannot answer a measure.

    """
    kept = exact_answers(bounded(trips, plan.bound), plan.measures, share(progress, 0.0, 0.25))
    per_trip = bounded(trips, ContributionBound.per_trip())
    everything = exact_answers(per_trip, plan.measures, share(progress, 0.25, 0.5))
    found: list[Curve] = []
    for measure in plan.measures:
        found += worked_out(_counts(measure, everything, kept, trips, plan), _rates(measure, plan))
    geography = None if tessellation is None else Geography(tessellation, MOST_PLACES)
    if draws:
        found += _drawn(trips, plan, everything, geography, draws=draws, progress=share(progress, 0.5, 1.0))
    return UtilityStudy(plan, tuple(found))


def _rates(measure: Measure, plan: Plan) -> dict[Fraction, Fraction]:
    return {rung: plan.rho(measure.name, rung) for rung in plan.rungs}


def _counts(
    measure: Measure, everything: ExactAnswers, kept: ExactAnswers, trips: PrivateTrips, plan: Plan
) -> CellCounts:
    keys = drawable_keys(measure, trips.tile_ids)
    cells, truth = everything.on(measure, keys)
    fewer, counted = kept.on(measure, keys)
    laid_on = np.union1d(cells, fewer)
    return CellCounts(
        measure.name,
        keys,
        laid_on,
        _laid(cells, truth, laid_on),
        _laid(fewer, counted, laid_on),
        false_flows=plan.false_flows if keys.size > limits.MAX_DENSE_CELLS else None,
    )


def _drawn(
    trips: PrivateTrips,
    plan: Plan,
    everything: ExactAnswers,
    geography: Geography | None,
    *,
    draws: int,
    progress: Progress | None,
) -> Iterator[Curve]:
    """The metrics that can only be simulated: rankings, and metrics on the map."""
    values: dict[tuple[str, str, str], dict[Fraction, list[float]]] = {}
    notes: dict[tuple[str, str, str], str] = {}
    measures = [measure for measure in plan.measures if _on_tiles(measure)]
    for draw in range(draws if measures else 0):
        noisy = preview(trips, plan).measurements
        for measure in measures:
            for epsilon, score in _scored(measure, noisy[measure.name], everything, trips, geography):
                named = (score.measure, score.metric, score.unit)
                rungs = values.setdefault(named, {})
                if score.value is not None:
                    rungs.setdefault(epsilon, []).append(score.value)
                    notes[named] = score.note
        if progress is not None:
            progress((draw + 1) / draws)
    for (name, metric, unit), rungs in values.items():
        lowest, highest = _ends(metric)
        bands = tuple(
            drawn_band(epsilon, drawn, lowest, highest) for epsilon, drawn in rungs.items() if len(drawn) > 1
        )
        if bands:
            yield Curve(name, metric, unit, bands, draws, notes[name, metric, unit])


def _on_tiles(measure: Measure) -> bool:
    return measure.name in LAYOUTS and LAYOUTS[measure.name].kind in {Kind.TILES, Kind.FLOWS, Kind.PAIRS}


def _scored(
    measure: Measure,
    noisy: Measurement,
    everything: ExactAnswers,
    trips: PrivateTrips,
    geography: Geography | None,
) -> Iterator[tuple[Fraction, Score]]:
    """The scores of one preview that no formula gives, at every rung."""
    keys = measure.keys(trips.tile_ids)
    cells, counts = everything.on(measure, keys)
    laid_on = np.union1d(cells, noisy.cell_numbers)
    truth = _laid(cells, counts, laid_on)
    columns = {name: np.array(texts) for name, texts in keys.labels(laid_on).items()}
    for rung, epsilon in enumerate(noisy.rungs):
        values = _laid(noisy.cell_numbers, noisy.values[rung], laid_on)
        pair = Pair(measure.name, LAYOUTS[measure.name], columns, truth.astype(float), values.astype(float))
        for score in scores(pair, geography):
            if score.metric not in {"smape", "jsd", "kld"}:
                yield epsilon, score


def _laid(cells: Counts, values: Counts, on: Counts) -> Counts:
    laid = np.zeros(len(on), np.int64)
    laid[np.searchsorted(on, cells)] = values
    return laid


def _ends(metric: str) -> tuple[float, float]:
    """The least and the most that a metric can be."""
    if METRICS[metric].better == "lower":
        return 0.0, inf
    return (0.0 if metric.startswith("top_") else -1.0), 1.0
