"""The files ``estimates/MEASURE`` of a bundle: written, read as claims, and compared with what follows from its tables.

Columns: the keys as in the tables; ``counted``, ``counted_low``, ``counted_high`` of the trips that count; ``all``,
``all_low``, ``all_high`` of all trips, where the release says how many there are. A range that is not known is empty.

*Comparing.* The method is deterministic on one computer. Another processor or version of numpy may add in another order, and
the last digits differ. So a number may differ by ``NEAR`` and by one part in ``PART``, which changes no reading of it: a
likely range is wider by far. A pair that stands in one list and not in the other must be one that the rule of the list may
leave out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dpcore import limits
from dpcore.errors import BundleError
from dpcore.estimates import Estimated, Estimates, Ranged, Share, estimated_measures
from dpcore.estimates.listed import LEAST, MOST
from dpcore.measures.choices import measure_named
from dpcore.measures.plan import Plan
from dpcore.release.canonical import CHANGED
from dpcore.release.estimates import FLOWS
from dpcore.release.files import ListedFiles
from dpcore.release.layout import MANIFEST, estimate_csv_name, estimate_parquet_name
from dpcore.release.release import Stated
from dpcore.release.table_checks import cells_of
from dpcore.release.table_files import csv_bytes, must_say_the_same, parquet_bytes, read_parquet
from dpcore.release.tables import key_columns
from dpcore.tiles import Tessellation

NEAR: Final = 0.05
"""How far a number of a file may lie from the one that is computed again, in trips or visits."""
PART: Final = 1_000
"""And one part in so many of it."""
NEAR_SHARE: Final = 0.001
"""How far the ends of the share of trips that counts may lie apart."""
_COUNTED: Final = ("counted", "counted_low", "counted_high")
_ALL: Final = ("all", "all_low", "all_high")

Numbers = NDArray[np.float64]


def names(plan: Plan) -> tuple[str, ...]:
    """Names of the files of estimates of a plan."""
    files = (estimate_csv_name, estimate_parquet_name)
    return tuple(file(name) for name in estimated_measures(plan) for file in files)


def contents(stated: Stated) -> Iterator[tuple[str, bytes]]:
    """Name and bytes of each file."""
    for name, found in stated.estimates.tables.items():
        table = table_of(found)
        yield estimate_csv_name(name), csv_bytes(table)
        yield estimate_parquet_name(name), parquet_bytes(table)


def table_of(found: Estimated) -> pa.Table:
    """One table of estimates: one row a listed cell, in the order of the cells."""
    positions = np.unravel_index(found.cell_numbers, found.keys.shape)
    columns: dict[str, pa.Array] = {}
    for axis, where in zip(found.keys.axes, positions, strict=True):
        for name, keys in key_columns(axis).items():
            columns[name] = keys.take(pa.array(where))
    for numbers, shown in ((_COUNTED, found.counted), (_ALL, found.all_trips)):
        if shown is not None:
            for name, values in zip(numbers, shown.columns, strict=True):
                columns[name] = pa.array(values, pa.float64(), from_pandas=True)  # NaN is a missing value
    return pa.table(columns)


def stated_estimates(plan: Plan, tiles: Tessellation, stated: Stated, files: ListedFiles) -> Stated:
    """What the files of a bundle state, beside what its manifest states. They are well formed; whether they are true, only ``must_follow`` tells.

    Raises BundleError, naming the file, for other columns, keys that are not public or not in order, and numbers that no
    estimate can be.
    """
    if not stated.computed:
        return stated
    share, as_drawn = stated.estimates.share, stated.estimates.as_drawn
    if not {*as_drawn} <= {*estimated_measures(plan)}:
        raise BundleError(
            "a table that is not estimated is called as drawn", f"{MANIFEST}, estimates", CHANGED
        )
    tables = {
        name: _estimated(name, plan, tiles, files, all_trips=share is not None)
        for name in estimated_measures(plan)
    }
    return replace(
        stated,
        estimates=replace(stated.estimates, rung=len(plan.rungs) - 1, tables=MappingProxyType(tables)),
    )


def _estimated(
    measure: str, plan: Plan, tiles: Tessellation, files: ListedFiles, *, all_trips: bool
) -> Estimated:
    place = estimate_parquet_name(measure)
    asked = measure_named(measure, plan.choices)
    keys = asked.keys(tiles.tile_ids)
    wanted = (*_COUNTED, *_ALL) if all_trips else _COUNTED
    fields = [(name, column.type) for axis in keys.axes for name, column in key_columns(axis).items()]
    schema = pa.schema([*fields, *((name, pa.float64()) for name in wanted)])
    table = read_parquet(files.content(place), schema, place)
    cells = cells_of(table, keys.axes, place)
    if len(cells) != keys.size <= limits.MAX_DENSE_CELLS and measure != FLOWS:
        raise BundleError("the estimates do not list all keys", place, CHANGED)
    counted, *more = (
        Ranged(*(_numbers(table[name], place) for name in trio))
        for trio in ((_COUNTED, _ALL) if all_trips else (_COUNTED,))
    )
    csv = estimate_csv_name(measure)
    must_say_the_same(files, csv, table, schema, "the estimates differ from their Parquet file")
    if any(np.isnan(one.values).any() for one in (counted, *more)):
        raise BundleError("an estimate is missing", place, CHANGED)
    listed = None if len(cells) == keys.size else cells
    return Estimated(measure, asked.counts, keys, listed, counted, more[0] if more else None)


def _numbers(column: pa.ChunkedArray, place: str) -> Numbers:
    """The numbers of a column, NaN where one is missing."""
    found: Numbers = column.to_numpy()
    missing = np.isnan(found)
    # a NaN in the file is not a missing value: other programs read it otherwise
    if (
        int(missing.sum()) != column.null_count
        or not ((found[~missing] >= 0) & (found[~missing] <= limits.MAX_BUNDLE_VALUE)).all()
    ):
        raise BundleError("this is no number of an estimate", place, CHANGED)
    return found


def must_follow(stated: Stated, computed: Estimates) -> None:
    """Refuse statements that do not follow from the tables; raises BundleError, naming the file."""
    found = stated.estimates
    if not _same_share(found.share, computed.share):
        raise BundleError(
            "the share of trips that counts does not follow from the tables",
            f"{MANIFEST}, estimates",
            CHANGED,
        )
    if found.as_drawn != computed.as_drawn:
        raise BundleError(
            "which estimates could not be computed does not follow from the tables",
            f"{MANIFEST}, estimates",
            CHANGED,
        )
    for name, table in found.tables.items():
        fault = _difference(table, computed.tables[name])
        if fault is not None:
            raise BundleError(
                f"the estimates do not follow from the tables: {fault}", estimate_parquet_name(name), CHANGED
            )


def _same_share(one: Share | None, other: Share | None) -> bool:
    if one is None or other is None:
        return one is other
    ends = ((one.value, other.value), (one.low, other.low), (one.high, other.high))
    return all(abs(a - min(max(b, 0.0), 1.0)) <= NEAR_SHARE for a, b in ends)


def _difference(stated: Estimated, computed: Estimated) -> str | None:
    """What differs between two estimates of one table, in words; None if nothing does."""
    here, there = stated.cell_numbers, computed.cell_numbers
    _, of_stated, of_computed = np.intersect1d(here, there, assume_unique=True, return_indices=True)
    for name, one, other in _pairs(stated, computed):
        if not _near(one[of_stated], other[of_computed]):
            return f"column {name}"
    least = _least_listed(computed)
    for table, used, word in ((stated, of_stated, "more"), (computed, of_computed, "fewer")):
        rest = np.ones(len(table.cell_numbers), bool)
        rest[used] = False
        if (table.counted.values[rest] > least + NEAR + least / PART).any():
            return f"{word} rows than follow"
    return None


def _pairs(stated: Estimated, computed: Estimated) -> Iterator[tuple[str, Numbers, Numbers]]:
    for trio, one, other in (
        (_COUNTED, stated.counted, computed.counted),
        (_ALL, stated.all_trips, computed.all_trips),
    ):
        if one is not None and other is not None:
            yield from zip(trio, one.columns, other.columns, strict=True)


def _near(stated: Numbers, computed: Numbers) -> bool:
    missing = np.isnan(computed)
    if (np.isnan(stated) != missing).any():
        return False
    apart = np.abs(stated - computed)[~missing]
    return bool((apart <= NEAR + np.abs(computed[~missing]) / PART).all())


def _least_listed(computed: Estimated) -> float:
    """The estimate of counted trips below which a cell may be left out of the list."""
    if len(computed.cell_numbers) < MOST:
        return LEAST
    return max(LEAST, float(computed.counted.values.min()))


def on_tiles(visits: Estimated, tiles: int) -> Mapping[str, pa.Array]:
    """Columns for the files for maps: the estimate of each tile and its range, for all trips if there are such estimates."""
    whole = visits.all_trips is not None
    shown = visits.of(whole)
    columns = {}
    names = ("estimate_all" if whole else "estimate_counted", "low", "high")
    for name, numbers in zip(names, shown.columns, strict=True):
        of_cell = np.full(tiles + 1, np.nan)  # the last cell is outside of all tiles
        of_cell[visits.cell_numbers] = numbers
        columns[name] = pa.array(of_cell[:tiles], pa.float64(), from_pandas=True)
    return columns
