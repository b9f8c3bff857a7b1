"""Turn the table of a file into a measurement, and refuse it if plan and manifest describe another one."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import shapely
from numpy.typing import NDArray

from dpcore import limits
from dpcore.errors import BundleError
from dpcore.measures import Measure
from dpcore.measures.keys import Axis, KeySet
from dpcore.measures.measurement import Measurement
from dpcore.measures.plan import Plan
from dpcore.noise.accuracy import expected_false_positives, half_width
from dpcore.privacy import noise_rate
from dpcore.release.tables import END_COLUMNS, has_points, key_columns, rung_columns
from dpcore.tiles import Tessellation

_APART: Final = "\x1f"  # between two key columns of one axis; no label holds it
_NEAR: Final = 1e-6  # degrees: points are rounded to six decimals
_ROUNDING: Final = 1e-9
_MEND: Final = "The table was changed, or does not belong to this manifest."

Cells = NDArray[np.int64]
Degrees = NDArray[np.float64]


@dataclass(frozen=True)
class Listing:
    """The threshold of a sparse table, and the rung at which its list was decided."""

    threshold: int
    listed_at: Fraction


def check_rows(keys: KeySet, listing: Listing | None, where: str) -> None:
    """Refuse a dense table with too many keys, before the keys are written out."""
    if listing is None and keys.size > limits.MAX_BUNDLE_ROWS:
        raise BundleError("a table of so many keys lists only some of them", where, _MEND)


def measurement_of(
    table: pa.Table,
    measure: Measure,
    keys: KeySet,
    plan: Plan,
    *,
    listing: Listing | None,
    where: str,
) -> Measurement:
    """The measurement in a table. Half widths and sensitivity come from the plan, not from the file.

    Raises BundleError for missing values, keys that are not public or not in order, half widths that do not follow from
    the plan, and listed values below the threshold.
    """
    sensitivity, share = measure.sensitivity(plan.bound), plan.share(measure.name)
    widths = tuple(half_width(noise_rate(share, rung, sensitivity)) for rung in plan.rungs)
    pairs = rung_columns(plan.rungs)
    for rung, (value, width) in pairs.items():
        if table[value].null_count or table[width].null_count:
            raise BundleError("a value is missing", where, _MEND)
        if not pc.all(pc.equal(table[width], widths[rung])).as_py() and table.num_rows:
            raise BundleError("a half width does not follow from the plan", f"{where}, column {width}", _MEND)
    values = np.stack([table[pairs[rung][0]].to_numpy() for rung in range(len(plan.rungs))])
    if len(values[0]) and max(int(values.max()), -int(values.min())) > limits.MAX_BUNDLE_VALUE:
        raise BundleError("a value is too large for a count", where, _MEND)
    cells = cells_of(table, keys.axes, where)
    if listing is None:
        if len(cells) != keys.size:
            raise BundleError("the table does not list all its keys", where, _MEND)
    else:
        if listing.listed_at not in plan.rungs:
            raise BundleError("the list was not decided at a rung of the plan", where, _MEND)
        decided = values[plan.rungs.index(listing.listed_at)]
        rho = noise_rate(share, listing.listed_at, sensitivity)
        if not _is_threshold(listing.threshold, rho, keys.size, plan.false_flows):
            raise BundleError("the threshold does not follow from the plan", where, _MEND)
        if decided.min(initial=listing.threshold) < listing.threshold:
            raise BundleError("a listed value is below the threshold", where, _MEND)
    return Measurement(
        origin="release",
        measure=measure.name,
        counts=measure.counts,
        keys=keys,
        bound=plan.bound,
        sensitivity=sensitivity,
        rungs=plan.rungs,
        share=share,
        half_widths=widths,
        values=values,
        cells=None if listing is None else cells,
        threshold=None if listing is None else listing.threshold,
        listed_at=None if listing is None else listing.listed_at,
        expected_false=plan.false_flows,
    )


def _is_threshold(threshold: int, rho: Fraction, size: int, false_flows: Fraction) -> bool:
    """Whether this is the lowest threshold at which an empty table lists at most ``false_flows`` cells on average.

    The mechanism computes it exactly. This check rounds, so it accepts both sides of a tie.
    """
    wanted = float(false_flows)
    if threshold < 1 or expected_false_positives(rho, size, threshold) > wanted * (1 + _ROUNDING):
        return False
    return threshold == 1 or expected_false_positives(rho, size, threshold - 1) > wanted * (1 - _ROUNDING)


def check_points(table: pa.Table, measurement: Measurement, tiles: Tessellation, where: str) -> None:
    """Refuse flows whose points lie outside their tiles: an arc would contradict its keys."""
    if not has_points(measurement.keys):
        return
    positions = np.unravel_index(measurement.cell_numbers, measurement.keys.shape)
    for name, where_from in zip(END_COLUMNS, positions, strict=True):
        lng, lat = (table[f"{name}_{side}"].to_numpy() for side in ("lng", "lat"))
        outside = where_from == len(tiles.tile_ids)
        tile, x, y = _different(where_from[~outside], lng[~outside], lat[~outside])
        shapes = np.array(tiles.polygons)[tile]
        known = (np.abs(x) <= 180) & (np.abs(y) <= 90)  # False for a missing one
        inside = known.all() and shapely.dwithin(shapes, shapely.points(x, y), _NEAR).all()
        empty = np.isnan(lng[outside]) & np.isnan(lat[outside])
        if not (inside and empty.all()):
            raise BundleError("a point does not lie in its tile", f"{where}, {name}", _MEND)


def _different(tile: Cells, lng: Degrees, lat: Degrees) -> tuple[Cells, Degrees, Degrees]:
    """Each tile with its point once, and again for every row that has another point: rows are far more than tiles."""
    first = np.zeros(int(tile.max(initial=-1)) + 1, np.int64)
    first[tile[::-1]] = np.arange(len(tile))[::-1]
    seen = first[tile]
    rows = np.flatnonzero((seen == np.arange(len(tile))) | (lng != lng[seen]) | (lat != lat[seen]))
    return tile[rows], lng[rows], lat[rows]


def cells_of(table: pa.Table, axes: tuple[Axis, ...], where: str) -> Cells:
    """The cell number of every row. They must ascend, so no key is there twice."""
    cells = np.zeros(table.num_rows, np.int64)
    if prod(len(axis.labels) for axis in axes) >= 2**62:
        raise BundleError("the table has more keys than there are numbers", where, _MEND)
    for axis in axes:
        labels = key_columns(axis)
        for name, public in labels.items():
            _check_texts(table[name], public, f"{where}, column {name}")
        position = _positions([table[name] for name in labels], list(labels.values()))
        if position.null_count:
            raise BundleError("a key is not a public one", f"{where}, column {axis.column}", _MEND)
        cells = cells * len(axis.labels) + position.to_numpy().astype(np.int64)
    if (np.diff(cells) <= 0).any():
        raise BundleError("the keys are not in order", where, _MEND)
    return cells


def _check_texts(column: pa.ChunkedArray, public: pa.Array, where: str) -> None:
    """Refuse texts that are not public keys while each is held once: a long one could be in millions of rows."""
    if pa.types.is_dictionary(column.type) and any(
        pc.index_in(chunk.dictionary, public).null_count for chunk in column.chunks
    ):
        raise BundleError("a key is not a public one", where, _MEND)


def _positions(columns: list[pa.ChunkedArray], public: list[pa.Array]) -> pa.ChunkedArray:
    """The number of the public key in each row; null where it is none. A text that repeats is looked up once."""
    if len(columns) == 1 and pa.types.is_dictionary(columns[0].type):
        chunks = columns[0].chunks
        found = [pc.index_in(chunk.dictionary, public[0]).take(chunk.indices) for chunk in chunks]
        return pa.chunked_array(found, pa.int32())
    return pc.index_in(_texts(columns), _texts(public))


def _texts(columns: list[pa.Array]) -> pa.Array:
    """The key columns of one axis as one column of texts."""
    texts = [column.cast(pa.string()) for column in columns]
    return texts[0] if len(texts) == 1 else pc.binary_join_element_wise(*texts, _APART)
