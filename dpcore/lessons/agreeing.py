"""Tables of one city whose totals are made to agree: the best linear unbiased estimate, by weighted least squares.

Every trip is in one cell of each of four tables, so sums of their cells are equal (the proofs are in
``docs/explanation/equal-sums.md``). Cells ``y = x + noise`` have variances ``V`` (a diagonal), and rows ``A`` have ``A x = 0``
for every true ``x``. The ``x`` that satisfies them and minimises the sum of ``(x - y)**2 / V`` is

    x = y - V A' K A y,   K = (A V A')**-1,   with the covariance  V - V A' K A V

(Lagrange; by Gauss, Markov and Aitken no linear unbiased estimate has a smaller variance in any cell or sum).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import log, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.measures.choices import KeyChoices
from dpcore.measures.measurement import Measurement
from dpcore.noise.accuracy import standard_deviation

Floats = NDArray[np.float64]

TABLES: Final = ("trips_over_time", "trips_per_weekday", "trips_per_hour", "visits_per_time_tile")
"""Each tells how many trips there are: hours by their ends, visits by windows of the day."""

_WIDE: Final = log(20) / sqrt(2)
"""95 % half width of continuous Laplace noise in standard deviations, 2.12. For a sum of many cells it is smaller (1.96)."""

_SATURDAY: Final = 5


@dataclass(frozen=True, eq=False)
class Agreement:
    """Four tables that tell one total."""

    values: Mapping[str, Floats]
    """Estimated counts of each table. Not whole numbers, and possibly negative, so that their sums are unbiased."""
    saved: Mapping[str, float]
    """Share of the squared error of a count that agreement saves, 0 to 1, by table."""
    half_width: float
    """95 % half width of the total, in trips."""


def agreement(measurements: Mapping[str, Measurement], choices: KeyChoices) -> Agreement:
    """The four tables at their finest rung, adjusted so that equal sums are equal; uncertain counts move most."""
    drawn = np.concatenate([measurements[name].values[-1] for name in TABLES]).astype(np.float64)
    variances = np.concatenate([_variances(measurements[name]) for name in TABLES])
    cells = _cells(measurements)
    equal = equal_sums(measurements, choices)
    spread = equal * variances
    inverse = np.linalg.inv(spread @ equal.T)
    values = drawn - spread.T @ (inverse @ (equal @ drawn))
    left = variances - np.einsum("ic,ij,jc->c", spread, inverse, spread, optimize=True)
    total = np.zeros(len(drawn))
    total[cells["trips_per_weekday"]] = 1
    cross = spread @ total
    return Agreement(
        {name: values[part] for name, part in cells.items()},
        {name: float(1 - (left[part] / variances[part]).mean()) for name, part in cells.items()},
        _WIDE * sqrt(total @ (variances * total) - cross @ inverse @ cross),
    )


def equal_sums(measurements: Mapping[str, Measurement], choices: KeyChoices) -> Floats:
    """Rows over all cells of the four tables whose sums are 0 for every list of trips; none follows from the others."""
    kind, day_type_of_hour, hour = _positions(measurements["trips_per_hour"])
    day_type_of_visit, window_of_visit, _ = _positions(measurements["visits_per_time_tile"])
    (weekday,) = _positions(measurements["trips_per_weekday"])
    window_of_hour = window_of_hours(choices.windows)[hour]
    rows = []
    for day_type in (0, 1):
        ends = (kind == 1) & (day_type_of_hour == day_type)
        rows.append({"trips_per_hour": ends, "trips_per_weekday": (weekday >= _SATURDAY) == day_type})
        rows += [
            {
                "trips_per_hour": ends & (window_of_hour == window),
                "visits_per_time_tile": (day_type_of_visit == day_type) & (window_of_visit == window),
            }
            for window in range(len(choices.windows))
        ]
    days = measurements["trips_over_time"].keys.size
    rows.append({"trips_over_time": np.ones(days, bool), "trips_per_weekday": np.ones(len(weekday), bool)})
    at = _cells(measurements)
    matrix = np.zeros((len(rows), at[TABLES[-1]].stop))
    for row, (one, other) in zip(matrix, (sums.items() for sums in rows), strict=True):
        row[at[one[0]]] = one[1]
        row[at[other[0]]] -= other[1]
    return matrix


def window_of_hours(starts: tuple[int, ...]) -> NDArray[np.int64]:
    """The number of the time window of each hour of a day, shape (24,). Hours before the first start are in the last one.

    >>> window_of_hours((2, 6, 22)).tolist()
    [2, 2, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2]
    """
    number = np.searchsorted(np.array(starts), np.arange(24), side="right") - 1
    return np.where(number < 0, len(starts) - 1, number)


def _variances(measurement: Measurement) -> Floats:
    return np.full(measurement.keys.size, standard_deviation(measurement.rho(-1)) ** 2)


def _positions(measurement: Measurement) -> tuple[NDArray[np.int64], ...]:
    """The position of each cell on each axis."""
    return tuple(np.unravel_index(measurement.keys.all_cells, measurement.keys.shape))


def _cells(measurements: Mapping[str, Measurement]) -> dict[str, slice]:
    """Where the cells of each table are when all stand in one line."""
    ends = np.cumsum([measurements[name].keys.size for name in TABLES]).tolist()
    return {name: slice(start, end) for name, start, end in zip(TABLES, [0, *ends[:-1]], ends, strict=True)}
