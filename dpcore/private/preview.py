"""The owner's preview: a ladder of noise beside the truth, which is then thrown away.

The noise is drawn for looking only and is never stored. No draw from here becomes a release, because choosing the most
pleasing draw would break the law of the noise. A release draws anew.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.errors import InputError
from dpcore.measures import Measure, measure_named
from dpcore.measures.choices import KeyChoices
from dpcore.measures.keys import KeySet
from dpcore.measures.measurement import Measurement
from dpcore.measures.plan import Plan
from dpcore.measures.split import drawable_keys
from dpcore.noise.mechanisms import measured
from dpcore.privacy import ContributionBound, rung_number
from dpcore.private.bounding import bounded
from dpcore.private.exact import ExactAnswers, exact_answers
from dpcore.private.progress import Progress, share
from dpcore.private.sealed import Sealed
from dpcore.private.trips import PrivateTrips
from dpcore.tiles import Tessellation

Counts = NDArray[np.int64]

_TOTAL: Final = measure_named("trips_per_weekday")  # each trip counts once


@dataclass(frozen=True, repr=False, eq=False)
class Preview(Sealed):
    """Noisy measurements with the true counts of the same cells."""

    plan: Plan
    """What was asked, and under which bound."""
    measurements: Mapping[str, Measurement]
    """Noisy counts at every rung, by measure."""
    truth: Mapping[str, Counts]
    """True counts of the listed cells over all trips (without a bound), by measure."""
    counted_share: float
    """Share of all trips that count under the bound, 0 to 1."""
    tessellation: Tessellation | None = None
    """The public tiles, where they are known."""

    def joined(self, other: Preview) -> Preview:
        """The measures of both previews, in the order of their plan. ValueError unless both are parts of one plan."""
        if self.plan != other.plan or self.measurements.keys() & other.measurements.keys():
            raise ValueError("these previews are not parts of one plan")
        names = [name for name in self.plan.weights if name in {*self.measurements, *other.measurements}]
        return Preview(
            self.plan,
            {name: (self if name in self.measurements else other).measurements[name] for name in names},
            {name: (self if name in self.truth else other).truth[name] for name in names},
            self.counted_share,
            self.tessellation,
        )

    def part(self, number: int) -> Preview:
        """One part of a preview whose tables are split, in the order of ``split.parts_of``; tables of people as they are."""
        measurements, truth = dict(self.measurements), dict(self.truth)
        for name, one in self.measurements.items():
            splits = self.plan.measure(name).splits
            if splits:
                keys = KeySet(one.keys.axes[len(splits) :])
                measurements[name] = one.part(keys, number)
                truth[name] = self.truth[name][one.rows_of_part(keys, number)]
        return Preview(self.plan.unsplit, measurements, truth, self.counted_share, self.tessellation)

    def error(self, measure: str, rung: int) -> Counts:
        """Noisy minus true, cell by cell: the error by noise and bounding together."""
        error: Counts = self.measurements[measure].values[rung] - self.truth[measure]
        return error

    def columns(self, measure: str, epsilon: Fraction | None) -> Mapping[str, object]:
        """A measure at one rung as columns: its keys, ``value``, ``half_width_95`` and the ``truth``. Not private.

        ``epsilon``: total of a rung of the plan; None for the finest. Raises InputError for a measure without a preview, and
        PrivacyError for another epsilon.
        """
        if measure not in self.measurements:
            raise InputError.unknown("measure in this preview", measure, list(self.measurements))
        found = self.measurements[measure]
        rung = rung_number(found.rungs, epsilon)
        return {
            **found.keys.labels(found.cell_numbers),
            "value": found.values[rung],
            "half_width_95": found.half_widths[rung],
            "truth": self.truth[measure],
        }


def preview(
    trips: PrivateTrips,
    plan: Plan,
    measures: Collection[str] | None = None,
    *,
    progress: Progress | None = None,
) -> Preview:
    """A new throw-away preview of every measure of the plan, or of some, beside the truth; never a release.

    All rungs are drawn at once, so moving the slider is free. ``progress`` is called with the share that is counted, 0 to 1.

    Each measure has its own noise and its share of the plan's epsilon, whether the others are drawn with it, later
    (``Preview.joined``) or never. Raises InputError for a measure that is not in the plan, and PrivacyError for trips that
    cannot be protected one by one.
    """
    plan = plan.for_form(has_users=trips.has_users)
    for name in measures or ():
        if name not in plan.weights:
            raise InputError.unknown("measure in this plan", name, list(plan.weights))
    trips.must_hide(plan.bound.unit)
    asked = [measure for measure in plan.measures if measures is None or measure.name in measures]
    # Answers are found by name: a split table of the same name tells the total too.
    counted = asked if any(one.name == _TOTAL.name for one in asked) else [*asked, _TOTAL]
    kept = exact_answers(bounded(trips, plan.bound), counted, share(progress, 0.0, 0.5))
    per_trip = bounded(trips, ContributionBound.per_trip())
    everything = exact_answers(per_trip, counted, share(progress, 0.5, 1.0))
    measurements, truth = {}, {}
    for measure in asked:
        keys = drawable_keys(measure, trips.tile_ids)
        measurement = measured(measure, keys, *kept.on(measure, keys), plan, origin="preview")
        measurements[measure.name] = measurement
        listed = measurement.cells
        truth[measure.name] = (
            everything.dense(measure, keys)
            if listed is None
            else _exact_counts(listed, everything, measure, keys)
        )
    return Preview(plan, measurements, truth, _counted_share(kept, everything), trips.tessellation)


def drawn_again(
    measurement: Measurement, plan: Plan, cells: NDArray[np.int64], counts: NDArray[np.int64]
) -> Measurement:
    """A throw-away draw by the law of a released table, with these counts of cells in place of the true ones."""
    of = replace(plan, rungs=measurement.rungs)
    return measured(plan.measure(measurement.measure), measurement.keys, cells, counts, of, origin="preview")


def exact_at(trips: PrivateTrips, name: str, cells: Counts, choices: KeyChoices) -> Counts:
    """Exact counts over all trips of some cells of a measure. Private.

    Args:
        trips: the trips.
        name: of the measure.
        cells: numbers of the cells; the counts have the same shape.
        choices: the public keys of the plan that the cells belong to.

    """
    measure = measure_named(name, choices.for_form(has_users=trips.has_users))
    answers = exact_answers(bounded(trips, ContributionBound.per_trip()), [measure])
    return _exact_counts(cells, answers, measure, measure.keys(trips.tile_ids))


def _exact_counts(wanted: Counts, answers: ExactAnswers, measure: Measure, keys: KeySet) -> Counts:
    """Exact counts of some cells."""
    cells, counts = answers.on(measure, keys)
    if len(cells) == 0:
        return np.zeros(len(wanted), np.int64)
    where = np.minimum(np.searchsorted(cells, wanted), len(cells) - 1)
    return np.where(cells[where] == wanted, counts[where], 0)


def _counted_share(kept: ExactAnswers, everything: ExactAnswers) -> float:
    def trips(answers: ExactAnswers) -> int:
        return int(answers.answers[_TOTAL.name][-1].sum())

    total = trips(everything)
    return trips(kept) / total if total else 1.0
