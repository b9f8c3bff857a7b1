"""Two tables of one measure on the union of their keys, or why they cannot be compared.

Bins that differ are merged to the edges that both tables have, so that no count is split.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from itertools import pairwise
from math import inf
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.comparison.layout import BEYOND, days
from dpcore.comparison.tables import CountTable
from dpcore.errors import InputError
from dpcore.measures.keys import Step
from dpcore.measures.measure import Kind, Layout

_LEAST: Final = 2
"""Common edges that are needed. A single one would only separate two parts."""
_SHOWN: Final = 8


def on_common_edges(one: CountTable, other: CountTable) -> tuple[CountTable, CountTable, str]:
    """Both tables with the bins between their common edges, and a note about it.

    Raises InputError if there are fewer than two common edges.
    """
    common = sorted(_edges(one) & _edges(other))
    if len(common) < _LEAST:
        raise InputError(
            "the bins are not the same",
            one.measure,
            "Count both with the same edges, or with at least two common edges.",
        )
    listed = ", ".join(f"{edge:g}" for edge in common[:_SHOWN]) + (", ..." if len(common) > _SHOWN else "")
    note = f"the bins differ; both were joined to the {len(common)} edges that they share: {listed}"
    return _with_wider_bins(one, common), _with_wider_bins(other, common), note


def _edges(table: CountTable) -> set[float]:
    return {edge for edge in np.concatenate(_bin_ends(table)).tolist() if np.isfinite(edge)}


def _bin_ends(table: CountTable) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return table.columns["bin_start"].astype(float), table.columns["bin_end"].astype(float)


def _with_wider_bins(table: CountTable, edges: list[float]) -> CountTable:
    """Put every bin whole into the new bin that holds it. New edges are edges of the table."""
    starts, _ = _bin_ends(table)
    counts = np.bincount(np.searchsorted(edges, starts, side="right"), table.values, len(edges) + 1)
    bins = list(pairwise((-inf, *edges, inf)))
    columns = {"bin_start": [str(low) for low, _ in bins], "bin_end": [str(high) for _, high in bins]}
    return CountTable.of(table.measure, columns, counts.tolist())


Numbers = NDArray[np.float64]
Texts = NDArray[np.str_]

_BIN: Final = ("bin_start", "bin_end")
_WEEK: Final = 7  # days between the beginnings of two weeks
_MONTH: Final = 28  # fewest days between the beginnings of two months


@dataclass(frozen=True, repr=False, eq=False)
class Pair:
    """Two tables cell by cell, in the order of their keys. Its text shows no value, because a side may be private."""

    measure: str
    layout: Layout
    columns: Mapping[str, Texts]
    """Key columns of the cells, as text."""
    one: Numbers
    """Counts of the first table, A; 0 for keys that it does not have."""
    other: Numbers
    """Counts of the second table, B."""
    notes: tuple[str, ...] = ()
    """What a reader must know."""
    rates: tuple[Fraction | None, Fraction | None] = (None, None)
    """Rates of the noise on each count of A and of B; None if nothing says that there is noise, or if not all of the noise is known."""


def matched(one: CountTable, other: CountTable) -> Pair:
    """Two tables of one measure on the union of their keys. A key that a side does not list counts 0 there.

    Numbers that are not counts of cells (``ds_statistics``) are compared if both sides have them. Different bins are merged
    to the edges that both have, if there are at least two. For different periods the common dates are compared.

    Raises:
        InputError: the tables are of different measures, tiles, bins, windows or steps of time, or have no date in common.

    """
    one, other, joined = laid_alike(one, other)
    pair = _on_all_keys(one, other)
    return replace(pair, notes=(*joined, *pair.notes)) if joined else pair


def laid_alike(one: CountTable, other: CountTable) -> tuple[CountTable, CountTable, tuple[str, ...]]:
    """Two tables whose cells mean the same, with notes on what that took. Raises as ``matched`` does."""
    if one.measure != other.measure:
        raise InputError(
            "these are tables of different measures",
            f"{one.measure} and {other.measure}",
            "Compare tables of one measure.",
        )
    one, other, joined = _without_lacking(one, other)
    if one.layout.kind is Kind.BINS and _keys(one, _BIN) != _keys(other, _BIN):
        one, other, note = on_common_edges(one, other)
        joined = (*joined, note)
    _must_agree(one, other)
    if one.layout.kind is Kind.DATES:
        one, other, dated = _on_common_dates(one, other)
        joined = (*joined, *dated)
    return one, other, joined


def _without_lacking(one: CountTable, other: CountTable) -> tuple[CountTable, CountTable, tuple[str, ...]]:
    """Both without the keys that one of them cannot count, with a note: there it would stand beside a zero that nobody counted."""
    keys = {
        key for side in (one, other) for column in side.columns.values() for key in np.unique(column).tolist()
    }
    lacking = sorted((one.lacks | other.lacks) & keys)
    if not lacking:
        return one, other, ()
    rows = [
        np.logical_or.reduce([np.isin(column, lacking) for column in side.columns.values()])
        for side in (one, other)
    ]
    alike = [_only(side, ~found) for side, found in zip((one, other), rows, strict=True)]
    return alike[0], alike[1], (f"without {' and '.join(lacking)}, which a side does not count",)


def _on_common_dates(one: CountTable, other: CountTable) -> tuple[CountTable, CountTable, tuple[str, ...]]:
    """Both series on the dates that both periods have, with a note. Unchanged if the periods are the same.

    A day within a period that a table does not list has no trips. A week or a month counts if both sides list it, unless
    it is the last one of the period that ends first, because it may cover fewer days there than on the other side.
    """
    mine, theirs = (
        [day for day in np.sort(side.columns["date"]).tolist() if day not in BEYOND] for side in (one, other)
    )
    if not mine or not theirs or (mine[0], mine[-1]) == (theirs[0], theirs[-1]):
        return one, other, ()
    first, last = max(mine[0], theirs[0]), min(mine[-1], theirs[-1])
    if step_of_both(one, other) is Step.DAY:
        kept = {day for day in (*mine, *theirs) if first <= day <= last}
    else:
        kept = {*mine} & {*theirs}
        if mine[-1] != theirs[-1]:
            kept -= {last}
    if not kept:
        raise InputError(
            "the two periods have no date in common",
            one.measure,
            "Compare them by weekday and by hour, or count one period on both sides.",
        )
    alike = [_only(side, np.isin(side.columns["date"], [*kept])) for side in (one, other)]
    note = f"the periods differ; compared from {min(kept)} to {max(kept)}, which both have"
    return alike[0], alike[1], (note,)


def _only(table: CountTable, rows: NDArray[np.bool_]) -> CountTable:
    columns = {name: column[rows] for name, column in table.columns.items()}
    return replace(table, columns=columns, values=table.values[rows])


def _on_all_keys(one: CountTable, other: CountTable) -> Pair:
    layout = one.layout
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
    rates = (one.rate, other.rate) if one.ranged and other.ranged else (None, None)
    pair = Pair(one.measure, layout, columns, laid[0], laid[1], rates=rates)
    shared = listed[0] & listed[1]
    if shared.all():
        return pair
    if pair.layout.kind is Kind.NUMBERS:
        note = f"{int(shared.sum())} of {len(shared)} numbers are on both sides and were compared"
        return replace(_of_rows(pair, shared, note), rates=(None, None))
    if one.threshold is not None and other.threshold is not None:
        alone = [int((mine & ~shared).sum()) for mine in listed]
        note = (
            f"{int(shared.sum()):,} cells are listed on both sides and were compared; {alone[0]:,} of A alone are below the threshold of "
            f"{other.threshold:,} in B, {alone[1]:,} of B alone below that of {one.threshold:,} in A: that is not zero, so they are left out"
        )
        return _of_rows(pair, shared, note)
    return pair  # a pair of tiles that is not listed has no trips


def _of_rows(pair: Pair, rows: NDArray[np.bool_], note: str) -> Pair:
    columns = {name: column[rows] for name, column in pair.columns.items()}
    return replace(pair, columns=columns, one=pair.one[rows], other=pair.other[rows], notes=(note,))


def _must_agree(one: CountTable, other: CountTable) -> None:
    """Refuse two tables whose cells mean different things."""
    layout = one.layout
    for name, mine in one.meaning.items():
        if other.meaning.get(name, mine) != mine:
            raise InputError(
                f"the {name} are not the same", one.measure, "Compare releases whose cells count the same."
            )
    if None not in (one.threshold, other.threshold) and _keys(one, layout.columns).isdisjoint(
        _keys(other, layout.columns)
    ):
        raise InputError(
            "no cell is listed on both sides",
            one.measure,
            "What is not listed is below a threshold, which is not zero.",
        )
    if layout.kind is Kind.DATES:
        step_of_both(one, other)
    tiles = ("tile_id",)
    if layout.kind is Kind.TILES and not layout.groups and _keys(one, tiles) != _keys(other, tiles):
        raise InputError("the tiles are not the same", one.measure, "Count both on the same tessellation.")
    if layout.kind is Kind.PAIRS and any(
        _keys(one, (column,)) != _keys(other, (column,)) for column in layout.columns
    ):
        raise InputError(
            "the districts are not the same", one.measure, "Count both on the same districts of the tiles."
        )
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
    """Whether labels belong to one list. A sparse table may lack some, but not have others in their place."""
    return column != "window" or one <= other or other <= one


def step_of_both(one: CountTable, other: CountTable) -> Step:
    """What one count of both series covers, as far as the tables tell. InputError if it cannot be the same."""
    both = _steps(one) & _steps(other)
    if not both:
        raise InputError(
            "the two series do not count by the same step",
            one.measure,
            "Choose days, weeks or months for both.",
        )
    return next(step for step in Step if step in both)


def _steps(table: CountTable) -> frozenset[Step]:
    """What one count of a series may cover, as far as the table tells: its own word, or the gaps between its dates.

    Weeks begin on Mondays and months on the first, except the first date, which is that of the period.
    """
    if table.step:
        return frozenset({Step(table.step)})
    dates = table.columns["date"]
    at = np.sort(days(dates[~np.isin(dates, BEYOND)]))[1:]
    begun = [date.fromordinal(int(day)) for day in at]
    possible = {Step.DAY}
    if all(day.weekday() == 0 for day in begun):
        possible.add(Step.WEEK)
    if all(day.day == 1 for day in begun):
        possible.add(Step.MONTH)
    if len(at) > 1:
        gap = float(np.diff(at).min())
        likely = Step.DAY if gap < _WEEK else Step.WEEK if gap < _MONTH else Step.MONTH
        possible = possible & {likely} or possible
    return frozenset(possible)
