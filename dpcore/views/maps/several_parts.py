"""Several parts of a release whose tables are split: added up, and each beside the others with one scale.

A sum of k released counts has the noise of k draws, and its 95 % half width is exact (``accuracy.half_width_of_sum``). So sums
over many parts are wider than the same table that was never split, by about the square root of k.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache, partial
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpcore.measures.keys import KeySet
from dpcore.measures.split import parts_of
from dpcore.noise.accuracy import half_width_of_sum
from dpcore.release.one_part import part_keys, tables_of
from dpcore.release.release import Release
from dpcore.tiles import Tessellation
from dpcore.views.charts import plots, series
from dpcore.views.charts.charts import Chart
from dpcore.views.ground.plain import cell, flow_name, number
from dpcore.views.ground.reading import (
    BY_NOISE,
    RANGE_AS_WIDE,
    breaks_of_counts,
)
from dpcore.views.ground.shown import Shown, released_numbers
from dpcore.views.maps.map_classes import classes_of, few_of, few_words
from dpcore.views.maps.small_maps import drawn_classes, map_of, small_legend
from dpcore.views.numbers.area import sums_stand_out_from
from dpcore.views.numbers.flows import cells_apart, ranked_cells, title_apart


@dataclass(frozen=True, eq=False)
class SummedParts:
    """A table added up over some parts, at one rung."""

    keys: KeySet
    cells: NDArray[np.int64]
    """Numbers of the cells: all, or those that some part lists."""
    values: NDArray[np.int64]
    half_widths: NDArray[np.int64]
    """95 % half width of the noise of each sum."""
    draws: NDArray[np.int64]
    """How many released counts are in each sum. Of a list of the largest cells other parts may leave a cell out."""

    def lists(self) -> dict[str, SummedParts]:
        """What is listed one below the other, by title: of flows those between two places, and those apart; else all, without a title."""
        if "origin" not in self.keys.columns:
            return {"": self}
        apart = cells_apart(self.keys, self.cells)
        both = {
            "": ranked_cells(self.keys, self.cells),
            title_apart(self.keys, self.cells[apart]): apart,
        }
        columns = (self.cells, self.values, self.half_widths, self.draws)
        return {
            title: SummedParts(self.keys, *(column[at] for column in columns)) for title, at in both.items()
        }


def summed_parts(release: Release, measure: str, parts: Sequence[int], rung: int) -> SummedParts:
    """One table of a release that is split, added up over some parts."""
    found, keys = release.measurements[measure], part_keys(release, measure)
    tables = [*tables_of(release, measure, parts).values()]
    cells = np.unique(np.concatenate([one.cell_numbers for one in tables]))
    values, draws = np.zeros(len(cells), np.int64), np.zeros(len(cells), np.int64)
    for one in tables:
        at = np.searchsorted(cells, one.cell_numbers)
        values[at] += one.values[rung]
        draws[at] += 1
    many, which = np.unique(draws, return_inverse=True)
    wide = np.array([_half_width(found.rho(rung), int(k)) for k in many], np.int64)
    return SummedParts(keys, cells, values, wide[which], draws)


def chart_of_sums(release: Release, measure: str, parts: Sequence[int], rung: int) -> Chart:
    """The pictures of a table without tiles, added up over some parts, with the exact ranges of the noise of its sums."""
    found, each = release.measurements[measure], [*tables_of(release, measure, parts).values()]
    rungs = range(len(found.rungs))
    summed = replace(
        each[0],
        values=np.sum([one.values for one in each], axis=0),
        half_widths=tuple(_half_width(found.rho(at), len(parts)) for at in rungs),
    )
    return plots.whole(released_numbers(summed, rung), clipped=True)


@lru_cache(maxsize=10_000)
def _half_width(rho: Fraction, counts: int) -> int:
    return half_width_of_sum(rho, counts)


def sums_table(
    release: Release, sums: SummedParts, parts: int, most: int | None = None, *, ordered: bool = True
) -> pd.DataFrame:
    """Sums with their noise; key columns as text, and of lists in how many parts each is listed.

    ``ordered``: whether the largest stand first; else they stand in the order of their keys.
    """
    order = np.argsort(-sums.values, kind="stable")[:most] if ordered else np.arange(len(sums.values))
    names = dict(zip(release.tessellation.tile_ids, release.tessellation.called, strict=True))
    columns: dict[str, Sequence[object] | NDArray[np.int64]] = {}
    labels = sums.keys.labels(sums.cells[order])
    for name, texts in labels.items():
        columns[name] = [cell(names.get(one) or one) for one in texts]
    if "origin" in columns and not len(ranked_cells(sums.keys, sums.cells)):  # flows apart
        same = (start == end for start, end in zip(labels["origin"], labels["destination"], strict=True))
        ends = zip(columns.pop("origin"), columns.pop("destination"), same, strict=True)
        columns["where"] = [cell(flow_name(str(start), str(end), within=one)) for start, end, one in ends]
    values, wide = sums.values[order], sums.half_widths[order]
    columns |= {"about": values, "from": values - wide, "to": values + wide}
    if (sums.draws < parts).any():
        columns["listed in"] = [f"{int(one):,} of {parts:,} parts" for one in sums.draws[order]]
    return pd.DataFrame(columns)


def totals_table(release: Release, measure: str, parts: Mapping[int, str], rung: int) -> pd.DataFrame:
    """All counts of each part of a table that lists every cell, added up, with the noise of that sum."""
    found, rows = release.measurements[measure], []
    for at, table in tables_of(release, measure, parts).items():
        values, name = table.values[rung], parts[at]
        wide = _half_width(found.rho(rung), len(values))
        total = int(values.sum())
        rows.append((cell(name), total, total - wide, total + wide))
    return pd.DataFrame(rows, columns=["part", "about", "from", "to"])


def charts_beside(
    shown: Shown,
    keys: KeySet,
    parts: Mapping[int, str],
    *,
    truth: NDArray[np.int64] | None = None,
    mark: str = "",
) -> dict[str, Chart]:
    """One chart a part, all with one scale: hours of the start on weekdays, or dates.

    Args:
        shown: a split table with all its cells.
        keys: those of one part.
        parts: number and name of each part.
        truth: the exact counts of the whole table, on an owner's page.
        mark: of an owner's pictures.

    """
    limits, of_hours = (0, shown.limits(truth=truth)[1]), shown.measure == "trips_per_hour"
    draw = partial(series.per_hour, kind="start", day_type="weekday") if of_hours else series.over_time
    found = {}
    for at, name in parts.items():
        true = None if truth is None else truth[at * keys.size : (at + 1) * keys.size]
        found[name] = draw(shown.part(keys, at), true, mark, clipped=True, limits=limits)
    return found


SUMS: Final = "The sum of released counts"


@dataclass(frozen=True)
class MapsBeside:
    """Small maps in one scale of colours, the same at every rung."""

    pictures: Mapping[str, str]
    """SVG texts by name of the part."""
    legend: str
    """HTML."""


def maps_beside(
    tiles: Tessellation,
    shown: Shown,
    parts: Mapping[int, str],
    breaks: tuple[int, ...],
    *,
    truth: NDArray[np.int64] | None = None,
    mark: str = "",
) -> MapsBeside:
    """One small map a part of ``visits_per_tile``. Grey: noise alone could have made the count, or the likely range is as wide.

    Args:
        tiles: the public tiles.
        shown: the split table with all its cells.
        parts: number and name of each part.
        breaks: of the classes of colours.
        truth: the exact counts of the whole table, drawn in its place; owner pages only.
        mark: of an owner's pictures.

    """
    size = len(shown.keys.axes[-1].labels)
    classes = drawn_classes(shown, breaks, truth)
    pictures = {name: map_of(tiles, classes[at * size :], breaks, name, mark) for at, name in parts.items()}
    if truth is not None:
        return MapsBeside(pictures, small_legend(breaks, shown.unit, "none"))
    words = few_words(few_of(shown, breaks), estimated=not shown.is_drawn)
    grey = BY_NOISE if shown.is_drawn else RANGE_AS_WIDE
    return MapsBeside(pictures, small_legend(breaks, shown.unit, grey, words))


def map_of_sums(release: Release, measure: str, parts: Sequence[int], rung: int) -> MapsBeside:
    """The map of the sums of released counts, in colours of their own that are the same at every rung."""
    tiles = release.tessellation
    count, rho = len(tiles.tile_ids), release.measurements[measure].rho(rung)
    finest = summed_parts(release, measure, parts, len(release.plan.rungs) - 1).values[:count]
    below = sums_stand_out_from(rho, np.full(count, len(parts)))[0]
    values = summed_parts(release, measure, parts, rung).values[:count]
    breaks = breaks_of_counts(finest)
    picture = map_of(tiles, classes_of(values, breaks, values >= below), breaks, SUMS)
    return MapsBeside({SUMS: picture}, small_legend(breaks, release.measurements[measure].counts, BY_NOISE))


def several_words(release: Release, parts: int) -> str:
    """What is shown where several parts are chosen, and what it costs in accuracy."""
    splits = release.plan.choices.splits
    each = " and ".join(one.title for one in splits)
    every = "all " if parts == len(parts_of(splits)) else ""
    return (
        f"These are sums over {every}{number(parts)} parts. Each adds up {number(parts)} released counts, so its noise is about "
        f"{parts**0.5:.1f} times as wide as that of one count. The ranges of sums hold 95 % of the noise. Choose one category of "
        f"{each} for the large map and the ranks of one part."
    )
