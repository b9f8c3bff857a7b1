"""Released tables as columns: keys, the finest value with its half width, then every coarser rung.

A key column holds numbers if all its public keys are numbers, such as hours or edges of bins. Tile ids and dates stay
text, so that ``007`` keeps its zeros. Flows have four more public columns with a point inside each tile, because some
programs can draw arcs only from coordinates.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import shapely
from numpy.typing import NDArray

from dpcore.errors import InputError
from dpcore.measures.keys import Axis, KeySet
from dpcore.measures.measurement import Measurement
from dpcore.privacy import decimal_text, rung_number
from dpcore.release.release import Release
from dpcore.tiles import Tessellation

END_COLUMNS: Final = ("origin", "destination")
"""Key columns of the two ends of a flow."""
DECIMALS: Final = 6
"""Decimals of the points inside tiles, in degrees: about a tenth of a metre."""

_WHOLE: Final = r"^-?[0-9]{1,15}$"
_NUMBER: Final = r"^-?([0-9]{1,15}(\.[0-9]{1,15})?|inf)$"


def disclosed_at(release: Release, rung: int) -> Fraction:
    """The exact epsilon of everything that a release shows at a rung (0: the coarsest). It is the rung if nothing was bought.

    Bought bins are visible at every rung, so their price counts at each. Bought five-number summaries are shown from the
    rung on at which they were bought. A raise draws neither again, so above that rung the sum is less than the rung. The
    sum leaves one thing out: which pairs a sparse table lists was decided once, at the highest rung when it was drawn.
    """
    counts = sum((one.epsilon(rung) for one in release.measurements.values()), Fraction(0))
    total = release.plan.rungs[rung]
    return (
        counts
        + (Fraction(0) if release.ranges is None else release.ranges.epsilon)
        + (release.five_numbers.epsilon if release.five_numbers and release.five_numbers.at <= total else 0)
    )


def release_table(
    release: Release, measure: str, epsilon: Fraction | None
) -> dict[str, list[str] | list[int]]:
    """One measure at one released rung: its key columns as text, ``value`` and ``half_width_95``.

    ``epsilon`` is the total epsilon of the rung; None: the finest. Raises InputError if the release does not hold the
    measure, PrivacyError if the rung was not released.
    """
    if measure not in release.measurements:
        raise InputError.unknown("measure in this release", measure, list(release.measurements))
    measurement = release.measurements[measure]
    rung = rung_number(measurement.rungs, epsilon)
    cells = measurement.cell_numbers
    return {
        **measurement.keys.labels(cells),
        "value": measurement.values[rung].tolist(),
        "half_width_95": [measurement.half_widths[rung]] * len(cells),
    }


def table_of(measurement: Measurement, tiles: Tessellation) -> pa.Table:
    """The whole table of a measurement: one row a listed cell, in the order of the cells.

    Columns: the keys; ``value`` and ``half_width_95`` of the finest rung; ``value_at_E`` and ``half_width_95_at_E`` of every
    coarser rung with total epsilon E, finest first; for flows ``origin_lng`` and so on, in degrees (WGS84).
    """
    positions = np.unravel_index(measurement.cell_numbers, measurement.keys.shape)
    columns: dict[str, pa.Array] = {}
    for axis, where in zip(measurement.keys.axes, positions, strict=True):
        for name, keys in key_columns(axis).items():
            columns[name] = keys.take(pa.array(where))
    rows = len(positions[0])
    for rung, (value, width) in rung_columns(measurement.rungs).items():
        columns[value] = pa.array(measurement.values[rung])
        columns[width] = pa.array(np.full(rows, measurement.half_widths[rung], np.int64))
    if has_points(measurement.keys):
        points = inner_points(tiles)
        for name, where in zip(END_COLUMNS, positions, strict=True):
            for side, degrees in zip(("lng", "lat"), points, strict=True):
                columns[f"{name}_{side}"] = degrees.take(pa.array(where))
    return pa.table(columns)


def schema_of(keys: KeySet, rungs: tuple[Fraction, ...]) -> pa.Schema:
    """Names and types of the columns of ``table_of``, from public facts alone."""
    fields = [(name, column.type) for axis in keys.axes for name, column in key_columns(axis).items()]
    fields += [(name, pa.int64()) for pair in rung_columns(rungs).values() for name in pair]
    if has_points(keys):
        fields += [(f"{name}_{side}", pa.float64()) for name in END_COLUMNS for side in ("lng", "lat")]
    return pa.schema(fields)


def rung_columns(rungs: tuple[Fraction, ...]) -> Mapping[int, tuple[str, str]]:
    """Names of the columns of value and half width, by number of the rung, finest first as in the table."""
    finest = len(rungs) - 1
    lower = {
        rung: (f"value_at_{decimal_text(rungs[rung])}", f"half_width_95_at_{decimal_text(rungs[rung])}")
        for rung in range(finest - 1, -1, -1)
    }
    return {finest: ("value", "half_width_95"), **lower}


def key_columns(axis: Axis) -> dict[str, pa.Array]:
    """The key columns of one axis (two for bins), one entry a label; numbers if all labels are numbers."""
    labels = KeySet((axis,)).labels(np.arange(len(axis.labels), dtype=np.int64))
    return {name: _typed_column(pa.array(texts, pa.string())) for name, texts in labels.items()}


def has_points(keys: KeySet) -> bool:
    """Whether the table holds flows between tiles, which have a point for either end. Districts have none."""
    return (
        all(not axis.of_tiles for axis in keys.axes)
        and tuple(axis.column for axis in keys.axes) == END_COLUMNS
    )


def inner_points(tiles: Tessellation) -> tuple[pa.Array, pa.Array]:
    """Longitude and latitude (degrees, six decimals) of a point inside each tile; null for ``outside``, which is last."""
    points = shapely.point_on_surface(np.array(tiles.polygons))
    return _degrees(shapely.get_x(points)), _degrees(shapely.get_y(points))


def _degrees(values: NDArray[np.float64]) -> pa.Array:
    return pa.concat_arrays([pa.array(np.round(values, DECIMALS) + 0.0), pa.nulls(1, pa.float64())])


def _typed_column(texts: pa.Array) -> pa.Array:
    for pattern, kind in ((_WHOLE, pa.int64()), (_NUMBER, pa.float64())):
        if pc.all(pc.match_substring_regex(texts, pattern)).as_py():
            return texts.cast(kind)
    return texts
