"""Tables that a release does not pay for, because they follow from tables that it holds: sums of their cells.

* ``trips_per_weekday``: a weekday is the sum of its dates. Trips outside of the period are in no weekday.
* ``ds_statistics``: each number is the sum of all cells of a table that counts it. Of several such tables the one with the
  least noise is taken.

A sum of noisy cells has the noise of all of them, and its 95 % half width is exact (``accuracy.half_width_of_sum``). The same
measure can be paid for by name. Then it has less noise, and nothing is derived.

Which table counts what:

==================  ======================================================================================
``users``           every histogram of people in which all of them are
``trips``           dates, weekdays, arrivals by time window: each trip is in one cell
``records``         hours and visits at both ends: a complete trip is in two cells, an incomplete one in one
``complete_trips``  flows, distances, durations
==================  ======================================================================================
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore import limits
from dpcore.measures.keys import KeySet
from dpcore.measures.measurement import Measurement
from dpcore.measures.overview import weekdays_follow
from dpcore.measures.plan import Plan
from dpcore.measures.split import parts_of
from dpcore.noise.accuracy import half_width_of_sum
from dpcore.privacy import rung_number
from dpcore.release.release import Release

WEEKDAYS: Final = "trips_per_weekday"
STATISTICS: Final = "ds_statistics"

_DATES: Final = "trips_over_time"
_INCOMPLETE: Final = "incomplete_trips"
_TRIPS: Final = frozenset({_DATES, WEEKDAYS, "visits_per_time_tile"})
_HOURS: Final = "trips_per_hour"
_VISITS: Final = "visits_per_tile"


@dataclass(frozen=True, eq=False)
class Derived:
    """A table that follows from released ones. It costs nothing."""

    measure: str
    counts: str
    """What one unit of a cell is, such as ``trips``."""
    keys: KeySet
    cells: NDArray[np.int64]
    """Numbers of the cells that follow, ascending. An overall number that no table counts is not among them."""
    values: NDArray[np.int64]
    """Sums of noisy counts, shape (rungs, cells)."""
    half_widths: NDArray[np.int64]
    """95 % half width of the noise of each sum, same shape."""
    sources: tuple[str, ...]
    """The measures that were added up, each once."""

    @property
    def note(self) -> str:
        """Where the table comes from, as a sentence."""
        return f"{self.measure} was not paid for: it is derived from {', '.join(self.sources)}, whose noise adds up"


def derivable(plan: Plan) -> tuple[str, ...]:
    """Names of the measures that follow from a plan without being paid for."""
    found = []
    if (
        WEEKDAYS not in plan.weights
        and _DATES in plan.weights
        and weekdays_follow(plan.choices)
        and _is_whole(plan)
    ):
        found.append(WEEKDAYS)
    if STATISTICS not in plan.weights and any(_sources(plan).values()):
        found.append(STATISTICS)
    return tuple(found)


def derived(plan: Plan, measurements: Mapping[str, Measurement], measure: str) -> Derived:
    """A table that follows from the measurements of a plan, at every rung. ValueError unless it is ``derivable``."""
    if measure not in derivable(plan):
        raise ValueError("this table does not follow from the others")
    if measure == WEEKDAYS:
        sums: dict[int, _Sum] = {day: (_DATES, cells) for day, cells in dates_of_weekdays(plan).items()}
    else:
        sums = _of_statistics(plan, measurements)
    asked = plan.measure(measure)
    rows = [_cell_sums(measurements[source], cells) for source, cells in sums.values()]
    return Derived(
        measure,
        asked.counts,
        asked.keys(()),
        np.array(list(sums), np.int64),
        np.array([values for values, _ in rows]).T,
        np.array([widths for _, widths in rows]).T,
        tuple(dict.fromkeys(source for source, _ in sums.values())),
    )


def derived_table(
    release: Release, measure: str, epsilon: Fraction | None
) -> dict[str, list[str] | list[int]]:
    """A derived table at one released rung (None: the finest): keys as text, ``value`` and ``half_width_95``.

    Raises PrivacyError if the rung was not released, ValueError unless the table is ``derivable``.
    """
    rung = rung_number(release.plan.rungs, epsilon)
    found = derived(release.plan, release.measurements, measure)
    return {
        **found.keys.labels(found.cells),
        "value": found.values[rung].tolist(),
        "half_width_95": found.half_widths[rung].tolist(),
    }


_Sum = tuple[str, NDArray[np.int64] | None]
"""A measure and the cells of it that are added up; None for all."""


def _cell_sums(source: Measurement, cells: NDArray[np.int64] | None) -> tuple[NDArray[np.int64], list[int]]:
    """Sums and half widths of some cells at every rung."""
    values = source.values if cells is None else source.values[:, cells]
    number = values.shape[1]
    widths = [half_width_of_sum(source.rho(rung), number) for rung in range(len(source.rungs))]
    return values.sum(axis=1, dtype=np.int64), widths


def dates_of_weekdays(plan: Plan) -> dict[int, NDArray[np.int64]]:
    """By weekday, Monday 0, the cells of ``trips_over_time`` that are its dates; of split tables by part and weekday, in order."""
    *_, axis = plan.measure(_DATES).keys(()).axes
    first, dates = 0 if axis.before is None else 1, len(axis.labels)
    days = np.array([date.fromisoformat(label).weekday() for label in axis.inside])
    return {
        part * 7 + weekday: np.flatnonzero(days == weekday) + first + part * dates
        for part in range(len(parts_of(plan.choices.splits)))
        for weekday in range(7)
    }


def _is_whole(plan: Plan) -> bool:
    """Whether all dates are listed: split by many categories they may be too many."""
    return plan.measure(_DATES).keys(()).size <= limits.MAX_DENSE_CELLS


def _of_statistics(plan: Plan, measurements: Mapping[str, Measurement]) -> dict[int, _Sum]:
    (axis,) = plan.measure(STATISTICS).keys(()).axes
    sums: dict[int, _Sum] = {}
    for name, sources in _sources(plan).items():
        whole = [measurements[source] for source in sources if measurements[source].cells is None]
        if whole:
            least = min(whole, key=lambda one: half_width_of_sum(one.rho(-1), one.values.shape[1]))
            sums[axis.inside.index(name)] = (least.measure, None)
    return dict(sorted(sums.items()))


def _sources(plan: Plan) -> dict[str, list[str]]:
    """By overall number the measures of a plan whose cells add up to it."""
    at_ends = plan.choices.visits_cap is None
    told: dict[str, list[str]] = {
        "trips": [name for name in plan.weights if name in _TRIPS],
        "records": [name for name in plan.weights if name == _HOURS or (name == _VISITS and at_ends)],
        "complete_trips": [m.name for m in plan.measures if m.adds_to == "complete_trips" and not m.sparse],
        "incomplete_trips": [name for name in plan.weights if name == _INCOMPLETE],
    }
    if plan.choices.users:
        told["users"] = [m.name for m in plan.measures if m.adds_to == "users"]
    return told
