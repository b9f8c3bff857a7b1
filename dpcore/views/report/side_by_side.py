"""The report of a release whose tables are split, where no part is chosen: what all parts say together, then each beside the others.

Pictures of the parts share one scale and stand below the name of their category. Tables of places are one a part, so that no
number can be taken for that of another part or of all.
"""

from __future__ import annotations

from functools import partial
from html import escape
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.estimates.words import NO_RANGE, likely
from dpcore.measures.keys import OUTSIDE, KeySet
from dpcore.measures.measurement import Measurement
from dpcore.measures.split import parts_of
from dpcore.measures.sums import Sum
from dpcore.release.derived import STATISTICS, derivable, derived
from dpcore.release.one_part import part_keys, part_of, tables_of
from dpcore.release.sums import told_table
from dpcore.views.estimated import estimate_breaks, ranged, spoken_of
from dpcore.views.estimated_flows import drawn_of_cells
from dpcore.views.part_choice import MOST_BESIDE
from dpcore.views.plain import number
from dpcore.views.report import maps, numbers
from dpcore.views.report.data import grids, pictured, shown_parts
from dpcore.views.report.estimates import NOT_HERE, Carried
from dpcore.views.report.figures import Charts, figure
from dpcore.views.report.markup import at_rungs, folded
from dpcore.views.sentences import interval

ONE_SCALE: Final = "All parts share one scale."
"""Beside small multiples."""
NO_ESTIMATE: Final = "only at the finest ε"
"""In place of an estimate that the file does not carry."""
_NONE_LISTED: Final = "none is listed, which does not mean that there are none."
_NOT_DRAWN: Final = "The maps of each time window stand in the report of one part."
_NOT_SPLIT: Final = "Tables of people are not split. They are of all categories together."
_ADDED_UP: Final = "Released counts added up, with 95 % of the noise"
_NUMBERS: Final = ("trips", "complete_trips", "records")
"""Overall numbers that each part has too, the best one first."""


def overall(carried: Carried, rung: int) -> str:
    """What the release as a whole says, and how many trips each part has; with the range of the noise of each sum."""
    release, shown = carried.release, shown_parts(carried.release)
    by = " and ".join(one.title for one in release.plan.choices.splits)
    many = len(parts_of(release.plan.choices.splits))
    said = f"The tables of trips are split by {by} into {number(many)} parts. {ONE_SCALE}"
    if many > len(shown):
        said += f" Here are the {MOST_BESIDE} parts with the largest released sums. All are in the tables of the bundle."
    if any(not release.plan.measure(name).splits for name in release.measurements):
        said += f" {_NOT_SPLIT}"
    totals = at_rungs(release.plan.rungs, rung, lambda at: _totals(carried, at))
    return f"<p>{escape(said)}</p>{totals}"


def _totals(carried: Carried, rung: int) -> str:
    release, rows, counts = carried.release, [], ""
    every = parts_of(release.plan.choices.splits)
    parts = {"all parts": release} | {
        name: part_of(release, every[at]) for at, name in shown_parts(release).items()
    }
    for name, one in parts.items():
        if STATISTICS not in derivable(one.plan):
            continue
        found = derived(one.plan, one.measurements, STATISTICS)
        labels = found.keys.labels(found.cells)["statistic"]
        told = counts or next((which for which in _NUMBERS if which in labels), "")
        if told in labels:
            at, counts = labels.index(told), told
            rows.append(
                numbers.row(name, interval(int(found.values[rung][at]), int(found.half_widths[rung][at])))
            )
    head = ("", counts.replace("_", " "))
    return numbers.table(head, rows, _ADDED_UP) if rows else ""


def beside(carried: Carried, name: str, rung: int, paths: list[str], charts: Charts) -> str:
    """One split table: maps, charts or lists of its parts. Flows between tiles are estimated even where none were released."""
    whole = carried.release.measurements.get(name)
    if name == "visits_per_time_tile":
        return f'<p class="small">{escape(_NOT_DRAWN)}</p>'
    if whole is not None and name in grids(carried.release):
        return _maps(carried, whole, rung, paths)
    drawn = [one for one in pictured(carried.release) if one.whole is whole]
    if drawn:
        title = drawn[0].plot.title.removeprefix(f"{drawn[0].part}: ")
        what = "" if title == carried.release.plan.measure(name).title else f"<h4>{escape(title)}</h4>"
        figures = "".join(figure(carried, one, rung, charts, titled=True) for one in drawn)
        return f'{what}<div class="plots parts">{figures}</div>'
    if whole is not None and part_keys(carried.release, name).size == 1:
        return at_rungs(carried.release.plan.rungs, rung, partial(_numbers, carried, whole))
    return _lists(carried, name, rung)


def _numbers(carried: Carried, whole: Measurement, rung: int) -> str:
    """A table of one number for each part."""
    shown, rows, head = carried.shown(whole.measure, rung), [], []
    if carried.computed:
        head = [f"estimate, {spoken_of(carried.finest.tables[whole.measure])}"]
    for at, part in shown_parts(carried.release).items():
        guess = [NO_ESTIMATE if shown is None else likely(*shown.cell(at))][: len(head)]
        drawn = interval(int(whole.values[rung][at]), whole.half_widths[rung])
        rows.append(numbers.row(part, *guess, drawn))
    return numbers.table(("", *head, "released (95 % of the noise)"), rows, "Each part")


def _maps(carried: Carried, whole: Measurement, rung: int, paths: list[str]) -> str:
    release, name = carried.release, whole.measure
    edges, shown = estimate_breaks(release, name), carried.grid(name, rung)
    small = []
    for at, part in shown_parts(release).items():
        picture = maps.map_svg(
            paths,
            whole,
            rung,
            first=at * part_keys(release, name).size,
            alt=f"Map of visits per tile: {part}",
            shown=shown,
            edges=edges,
            part=part,
        )
        small.append(f"<figure>{picture}<figcaption>{escape(part)}</figcaption></figure>")
    legends = carried.sides(
        lambda: maps.estimated_legend(name, whole.counts, edges), maps.legend_html(whole, rung)
    )
    return f'<div class="small-maps parts">{"".join(small)}</div>{legends}{folded("The first ten tiles of each part", _lists(carried, name, rung))}'


def _lists(carried: Carried, name: str, rung: int) -> str:
    """The first places of each part, by estimate or by released count."""
    release, whole = carried.release, carried.release.measurements.get(name)
    lists = []
    for at, part in shown_parts(release).items():
        guessed = partial(at_rungs, release.plan.rungs, rung, partial(_guessed, carried, name, at, part))
        drawn = guessed() if whole is None else ""
        if whole is not None:
            table = whole.part(part_keys(release, name), at)
            drawn = at_rungs(release.plan.rungs, rung, partial(_drawn, carried, table, part))
        lists.append(f"<div>{carried.sides(guessed, drawn)}</div>")
    table_of = carried.finest.tables.get(name)
    without = (
        ""
        if table_of is None or ranged(table_of).is_ranged
        else f'<p class="small if-estimate">{escape(NO_RANGE)}</p>'
    )
    return f'{without}<div class="plots">{"".join(lists)}</div>'


def _guessed(carried: Carried, name: str, at: int, part: str, rung: int) -> str:
    release, table = carried.release, carried.table(name, rung)
    if table is None:
        return f'<p class="warned">{escape(NOT_HERE)}</p>'
    one, whole = table.part(part_keys(release, name), at), release.measurements.get(name)
    shown, first = ranged(one), _first(one.keys, one.cell_numbers, ranged(one).values)
    cells = one.cell_numbers[first]
    released = None if whole is None else drawn_of_cells(whole.part(one.keys, at), cells, rung)
    rows = [
        numbers.row(place, likely(*shown.cell(first[i])), *([] if released is None else [released[i]]))
        for i, place in enumerate(_named(carried, one.keys, cells))
    ]
    head = (
        "",
        f"estimate, {spoken_of(one)}",
        *([] if released is None else ["released (95 % of the noise)"]),
    )
    return _list_of(part, head, rows)


def _drawn(carried: Carried, table: Measurement, part: str, rung: int) -> str:
    first = _first(table.keys, table.cell_numbers, table.values[rung])
    rows = [
        numbers.row(place, interval(int(table.values[rung][at]), table.half_widths[rung]))
        for place, at in zip(_named(carried, table.keys, table.cell_numbers[first]), first, strict=True)
    ]
    return _list_of(part, ("", f"{table.counts} (95 %)"), rows)


def _list_of(part: str, head: tuple[str, ...], rows: list[str]) -> str:
    """A list of a part, or that nothing is listed."""
    if not rows:
        return f'<p class="small">{escape(f"{part}: {_NONE_LISTED}")}</p>'
    return numbers.table(head, rows, f"{part}: the first {len(rows)}")


def _first(
    keys: KeySet, cells: NDArray[np.int64], values: NDArray[np.float64] | NDArray[np.int64]
) -> NDArray[np.int64]:
    """Positions of the largest of some cells: inside, and between two different places; largest first."""
    ends = [
        (where, axis)
        for axis, where in zip(keys.axes, np.unravel_index(cells, keys.shape), strict=True)
        if axis.after == OUTSIDE
    ]
    some = (
        np.logical_and.reduce([where < len(axis.inside) for where, axis in ends])
        if ends
        else np.ones(len(cells), bool)
    )
    if len(ends) > 1:
        some &= ends[0][0] != ends[1][0]
    part = np.flatnonzero(some)
    return np.asarray(part[np.argsort(-values[part], kind="stable")[: numbers.FIRST_ROWS]], dtype=np.int64)


def _named(carried: Carried, keys: KeySet, cells: NDArray[np.int64]) -> list[str]:
    """What people call each cell: its places, then its other keys."""
    release = carried.release
    names = dict(zip(release.tessellation.tile_ids, numbers.short_labels(release), strict=True))
    labels = keys.labels(cells)
    places = [labels[axis.column] for axis in keys.axes if axis.after == OUTSIDE]
    others = [labels[axis.column] for axis in keys.axes if axis.after != OUTSIDE]
    return [
        ", ".join(
            [
                " \N{RIGHTWARDS ARROW} ".join(names.get(column[i], column[i]) for column in places),
                *(column[i] for column in others),
            ]
        )
        for i in range(len(cells))
    ]


def sums_of_parts(carried: Carried, name: str, one: Sum, rung: int) -> str:
    """A sum or a mean of each part."""
    release = carried.release
    title = release.plan.measure(name).title
    tables = tables_of(release, name, shown_parts(release))
    found = (
        (part, numbers.told_rows(told_table(tables[at], one, rung), f"{part}: {title}"))
        for at, part in shown_parts(release).items()
    )
    if part_keys(release, name).size <= numbers.FIRST_ROWS:
        return "".join(rows for _, rows in found)
    return "".join(folded(f"{part}: the numbers", rows) for part, rows in found)
