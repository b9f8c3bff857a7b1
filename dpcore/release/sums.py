"""Sums and means of a release in the unit of what was added up, each with its range.

The files of a bundle hold whole units: of a sum its cells, of a mean its three components (``dpcore.measures.sums``). The tables
that are shown follow from these and cost nothing. A mean has the range of a ratio (``dpcore.noise.ratio``). Where there may be no
value at all, it is missing. In a large table that is judged so that about one empty cell has a mean by chance.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from dpcore.measures.measurement import Measurement
from dpcore.measures.sums import Sum, components_of, in_unit, rounded, sum_named
from dpcore.noise.accuracy import half_width, half_width_of_sum
from dpcore.noise.ratio import ratios
from dpcore.release.layout import MAPPED
from dpcore.release.release import Release

_TENTHS = 10.0


def sums_on_tiles(release: Release) -> tuple[str, ...]:
    """The sums and means of a release that have a number for each tile."""
    choices = release.plan.choices
    if choices.by != MAPPED:
        return ()
    return tuple(name for name in release.measurements if sum_named(name, choices.sums))


def told_table(measurement: Measurement, one: Sum, rung: int) -> dict[str, pa.Array]:
    """The table of a sum or a mean at a rung: its keys as text, then numbers in the unit of what was added up.

    Of a sum ``value`` and ``half_width_95``. Of a mean ``value``, ``low_95`` and ``high_95``, null where there may be no value;
    ``count`` of the values that are there with ``count_half_width_95``, and ``missing`` with ``missing_half_width_95``.
    """
    if measurement.measure == one.names[0]:
        values = in_unit(one, measurement.values[rung])
        width = in_unit(one, np.full(len(values), measurement.half_widths[rung], np.int64))
        keys = measurement.keys.labels(measurement.cell_numbers)
        return {**_texts(keys), "value": pa.array(values), "half_width_95": pa.array(width)}
    return _mean_table(measurement, one, rung)


def _mean_table(measurement: Measurement, one: Sum, rung: int) -> dict[str, pa.Array]:
    parts = components_of(measurement.keys, measurement.cell_numbers, measurement.values[rung])
    rho = measurement.rho(rung)
    value, low, high = (
        one.lowest + one.width * end for end in ratios(parts.above, parts.below, rho, parts.keys.size)
    )
    numbers = {
        "value": rounded(one, value, np.rint),
        "low_95": rounded(one, low, np.floor),
        "high_95": rounded(one, high, np.ceil),
        "count": np.rint((parts.above + parts.below) / one.width * _TENTHS) / _TENTHS,
        "count_half_width_95": _width(half_width_of_sum(rho, 2), one, len(value)),
        "missing": np.rint(parts.missing / one.width * _TENTHS) / _TENTHS,
        "missing_half_width_95": _width(half_width(rho), one, len(value)),
    }
    columns = {name: pa.array(column, from_pandas=True) for name, column in numbers.items()}
    return {**_texts(parts.keys.labels(parts.cells)), **columns}


def _width(units: int, one: Sum, size: int) -> np.typing.NDArray[np.float64]:
    """A half width of a number of values, rounded up to tenths, for each cell."""
    return np.full(size, np.ceil(units / one.width * _TENTHS) / _TENTHS)


def _texts(keys: dict[str, list[str]]) -> dict[str, pa.Array]:
    return {name: pa.array(texts, pa.string()) for name, texts in keys.items()}
