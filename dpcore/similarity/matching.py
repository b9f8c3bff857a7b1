"""Two tables of one measure on the union of their keys, or why they cannot be compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpcore.errors import InputError
from dpcore.similarity.count_table import CountTable
from dpcore.similarity.layout import Kind, Layout, days

Numbers = NDArray[np.float64]
Texts = NDArray[np.str_]


@dataclass(frozen=True, repr=False, eq=False)
class Pair:
    """Two tables cell by cell; cells rise by their keys. Its text shows no value: a side may be private."""

    measure: str
    layout: Layout
    columns: Mapping[str, Texts]
    """Key columns of the cells, as text."""
    one: Numbers
    """Counts of the first table, A; 0 where it has no such key."""
    other: Numbers
    """Counts of the second table, B."""
    notes: tuple[str, ...] = ()
    """What a reader must know, in plain words."""


def matched(one: CountTable, other: CountTable) -> Pair:
    """Two tables of one measure on the union of their keys; what a side does not list counts 0 there.

    Numbers that are no counts of cells (``ds_statistics``) are compared where both sides have them.

    Raises:
        InputError: the tables are of different measures, tiles, bins, windows or steps of time.

    """
    if one.measure != other.measure:
        raise InputError(
            "these are tables of different measures",
            f"{one.measure} and {other.measure}",
            "Compare tables of one measure.",
        )
    layout = one.layout
    _must_agree(one, other)
    sides, size = (one, other), len(one.values)
    code = np.zeros(size + len(other.values), np.int64)
    labels: dict[str, Texts] = {}
    for name in layout.columns:
        labels[name], where = np.unique(
            np.concatenate([side.columns[name] for side in sides]), return_inverse=True
        )
        code = code * len(labels[name]) + where
    cells, where = np.unique(code, return_inverse=True)
    laid = [np.zeros(len(cells)), np.zeros(len(cells))]
    listed = [np.zeros(len(cells), bool), np.zeros(len(cells), bool)]
    for number, rows in enumerate((where[:size], where[size:])):
        laid[number][rows] = sides[number].values
        listed[number][rows] = True
    positions = np.unravel_index(cells, [len(labels[name]) for name in layout.columns])
    columns = {name: labels[name][at] for name, at in zip(layout.columns, positions, strict=True)}
    pair = Pair(one.measure, layout, columns, laid[0], laid[1])
    return _with_notes(pair, listed[0] & listed[1])


def _with_notes(pair: Pair, shared: NDArray[np.bool_]) -> Pair:
    if shared.all():
        return pair
    if pair.layout.kind is Kind.NUMBERS:
        columns = {name: column[shared] for name, column in pair.columns.items()}
        note = f"{int(shared.sum())} of {len(shared)} numbers are on both sides and were compared"
        return Pair(pair.measure, pair.layout, columns, pair.one[shared], pair.other[shared], (note,))
    if pair.layout.kind is Kind.DATES:
        note = "the periods differ; a date that one side does not list counts 0 there"
        return Pair(pair.measure, pair.layout, pair.columns, pair.one, pair.other, (note,))
    return pair  # a pair of tiles that is not listed is one without trips


def _must_agree(one: CountTable, other: CountTable) -> None:
    """Refuse two tables whose cells mean different things."""
    layout = one.layout
    if layout.kind is Kind.DATES and {_step(one), _step(other)} >= {"days", "weeks or months"}:
        raise InputError(
            "one series counts by day and the other by week or month",
            one.measure,
            "Choose one step for both.",
        )
    names = {
        Kind.BINS: ("the bins are not the same", ("bin_start", "bin_end"), "Count both with the same edges."),
        Kind.TILES: ("the tiles are not the same", ("tile_id",), "Count both on the same tessellation."),
    }
    if layout.kind in names and not (layout.kind is Kind.TILES and layout.groups):
        what, columns, mend = names[layout.kind]
        if _keys(one, columns) != _keys(other, columns):
            raise InputError(what, one.measure, mend)
    for column in ("window", "day_type", "kind"):
        if column in layout.groups and not _comparable(
            _keys(one, (column,)), _keys(other, (column,)), column
        ):
            raise InputError(
                "the time windows are not the same", one.measure, "Count both with the same windows."
            )


def _keys(table: CountTable, columns: tuple[str, ...]) -> set[tuple[str, ...]]:
    return {*zip(*(table.columns[name].tolist() for name in columns), strict=True)}


def _comparable(one: set[tuple[str, ...]], other: set[tuple[str, ...]], column: str) -> bool:
    """Whether labels belong to one list: a sparse table may lack some, but not have others in their place."""
    return column != "window" or one <= other or other <= one


def _step(table: CountTable) -> str:
    """What a series counts by, as far as its dates tell."""
    dates = table.columns["date"]
    at = np.sort(days(dates[(dates != "before") & (dates != "after")]))
    if len(at) < 3:  # the first and the last count may be short
        return "unknown"
    return "days" if float(np.diff(at)[1:].min(initial=np.inf)) <= 1 else "weeks or months"
