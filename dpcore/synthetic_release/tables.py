"""The noisy tables of a synthetic release as columns, and back from columns that anyone may have written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from dpcore import limits
from dpcore.errors import BundleError
from dpcore.noise.accuracy import half_width
from dpcore.release.mending import CHANGED
from dpcore.synthesis.domain import must_not_be_a_place
from dpcore.synthesis.stability.choices import listed_texts
from dpcore.synthesis.stability.plan import (
    UNKNOWN,
    Combination,
    LargeCounts,
    StabilityHistogram,
    StabilityPlan,
)
from dpcore.synthesis.workload import Group, NoisyTables, SynthesisPlan
from dpcore.synthetic_release.release import Counted

Plan = SynthesisPlan | StabilityPlan

VALUE: Final = "value"
WIDTH: Final = "half_width_95"
"""How every fault of a file is mended."""


def parts_of(plan: Plan) -> Mapping[str, Group | Combination]:
    """What is counted together, by name of its table."""
    counted: tuple[Group, ...] | tuple[Combination, ...]
    counted = plan.groups if isinstance(plan, SynthesisPlan) else plan.combinations
    return {one.name: one for one in counted}


def width_of(plan: Plan, name: str) -> int:
    """95 % half width of the noise of one cell of a table."""
    one = parts_of(plan)[name]
    if isinstance(plan, SynthesisPlan) and isinstance(one, Group):
        return half_width(plan.rho(one))
    if isinstance(plan, StabilityPlan) and isinstance(one, Combination):
        return half_width(plan.rho(one))
    raise ValueError("plan and table do not belong together")


def threshold_of(plan: StabilityPlan, name: str) -> int:
    """From which noisy count on a key of a table is shown."""
    return plan.threshold(next(one for one in plan.combinations if one.name == name))


def schema_of(plan: Plan, name: str) -> pa.Schema:
    """Columns of a table: its keys as text, then value and half width."""
    one = parts_of(plan)[name]
    columns = one.axes if isinstance(one, Group) else one.columns
    parts = plan.partition_by if isinstance(plan, StabilityPlan) else ()
    keys = [(column, pa.string()) for column in (*parts, *columns)]
    return pa.schema([*keys, (VALUE, pa.int64()), (WIDTH, pa.int64())])


def table_of(tables: Counted, name: str) -> pa.Table:
    """One table: every public cell in order, or for large counts the keys that are shown, in order."""
    if isinstance(tables, NoisyTables):
        keys = _cells(tables.plan, name)
        values = tables.values[name].ravel()
    else:
        found = tables.columns(name)
        values = np.array(found.pop("count"), np.int64)
        keys = {column: pa.array(texts, pa.string()) for column, texts in found.items()}
    width = np.full(len(values), width_of(tables.plan, name), np.int64)
    return pa.table([*keys.values(), pa.array(values), pa.array(width)], schema_of(tables.plan, name))


def tables_from(
    plan: Plan, tables: Mapping[str, pa.Table], place: Mapping[str, str], tile_ids: tuple[str, ...]
) -> Counted:
    """The tables of a plan from columns with its schemas; BundleError, naming the place, where they cannot be its.

    Raises PrivacyError where a tile is called as places are that are not known.
    """
    for name, table in tables.items():
        if any(column.null_count for column in table.columns):
            raise BundleError("a value is missing", place[name], CHANGED)
        values, widths = table[VALUE].to_numpy(), table[WIDTH].to_numpy()
        most = limits.MAX_BUNDLE_VALUE
        if ((values < -most) | (values > most) | (widths != width_of(plan, name))).any():
            raise BundleError("a value or a half width cannot be", place[name], CHANGED)
    if isinstance(plan, StabilityPlan):
        must_not_be_a_place(UNKNOWN, tile_ids)
        large = {name: _large(plan, name, table, place[name], tile_ids) for name, table in tables.items()}
        return StabilityHistogram(plan, large, "release")
    values_of = {name: _values(plan, name, table, place[name]) for name, table in tables.items()}
    return NoisyTables(plan, values_of, "release")


def _cells(plan: SynthesisPlan, name: str) -> dict[str, pa.Array]:
    """The key columns of all cells, the last axis fastest."""
    group = next(one for one in plan.groups if one.name == name)
    shape = plan.shape(group)
    keys = {}
    for number, axis in enumerate(group.axes):
        codes = np.arange(shape[number], dtype=np.int32).reshape(
            [-1 if i == number else 1 for i in range(len(shape))]
        )
        labels = pa.array(plan.domain.texts(axis), pa.string())
        keys[axis] = labels.take(pa.array(np.broadcast_to(codes, shape).ravel()))
    return keys


def _values(plan: SynthesisPlan, name: str, table: pa.Table, place: str) -> NDArray[np.int64]:
    group = next(one for one in plan.groups if one.name == name)
    if len(table) != plan.cells(group):
        raise BundleError("the table does not list the public cells", place, CHANGED)
    for column, keys in _cells(plan, name).items():
        if not _texts(table[column]).equals(keys):
            raise BundleError("the table does not list the public cells", place, CHANGED)
    found: NDArray[np.int64] = table[VALUE].to_numpy().reshape(plan.shape(group)).copy()
    return found


def _large(
    plan: StabilityPlan, name: str, table: pa.Table, place: str, tile_ids: tuple[str, ...]
) -> LargeCounts:
    combination = next(one for one in plan.combinations if one.name == name)
    part = np.zeros(len(table), np.int64)
    if plan.partition_by:
        listed = pa.array([one[0] for one in plan.partitions], pa.string())
        found = pc.index_in(_texts(table[plan.partition_by[0]]), value_set=listed)
        part = np.asarray(pc.fill_null(found, -1), np.int64)
    if (part < 0).any():
        raise BundleError("the table has a part that the plan does not list", place, CHANGED)
    for column in combination.columns:
        public = pa.array(listed_texts(column, plan, tile_ids), pa.string())
        if pc.index_in(_texts(table[column]), value_set=public).null_count:
            raise BundleError("the table has a key that is on no public list", place, CHANGED)
    keys = tuple(_listed_texts(table[column]) for column in combination.columns)
    try:
        return LargeCounts(part, keys, table[VALUE].to_numpy().copy(), plan.threshold(combination))
    except ValueError:
        raise BundleError("rows are out of order, twice or below their threshold", place, CHANGED) from None


def _listed_texts(column: pa.ChunkedArray) -> tuple[str, ...]:
    """A column as Python texts; each different one is held once, however often it stands there."""
    coded = _texts(column).dictionary_encode()
    texts: list[str] = coded.dictionary.to_pylist()
    return tuple(texts[code] for code in coded.indices.to_pylist())


def _texts(column: pa.ChunkedArray) -> pa.Array:
    """A column of text in one piece, however it is encoded."""
    whole = column.combine_chunks()
    whole = whole.combine_chunks() if isinstance(whole, pa.ChunkedArray) else whole
    return whole.cast(pa.string())
