"""The report of a release whose tables are split, where no part is chosen: what all parts say together, then each beside the others.

Pictures of the parts share one scale and stand below the name of their category. Tables of places are one a part, so that no
number can be taken for that of another part or of all.
"""

from __future__ import annotations

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
from dpcore.views.ground.part_choice import MOST_BESIDE
from dpcore.views.ground.plain import interval, number
from dpcore.views.ground.shown import ranged, spoken_of
from dpcore.views.numbers.estimated_flows import drawn_of_cells
from dpcore.views.report import maps, numbers
from dpcore.views.report.figures import Charts, figure
from dpcore.views.report.markup import folded
from dpcore.views.report.pictured import grids, pictured, shown_parts
from dpcore.views.report.stop import Stop

ONE_SCALE: Final = "All parts share one scale."
"""Beside small multiples."""
_NONE_LISTED: Final = "none is listed, which does not mean that there are none."
_NOT_DRAWN: Final = "The maps of each time window stand in the report of one part."
_NOT_SPLIT: Final = "Tables of people are not split. They are of all categories together."
_ADDED_UP: Final = "Released counts added up, with 95 % of the noise"
_NUMBERS: Final = ("trips", "complete_trips", "records")
"""Overall numbers that each part has too, the best one first."""


def overall(stop: Stop) -> str:
    """What the release as a whole says, and how many trips each part has; with the range of the noise of each sum."""
    release, shown = stop.release, shown_parts(stop.release)
    by = " and ".join(one.title for one in release.plan.choices.splits)
    many = len(parts_of(release.plan.choices.splits))
    said = f"The tables of trips are split by {by} into {number(many)} parts. {ONE_SCALE}"
    if many > len(shown):
        said += f" Here are the {MOST_BESIDE} parts with the largest released sums. All are in the tables of the bundle."
    if any(not release.plan.measure(name).splits for name in release.measurements):
        said += f" {_NOT_SPLIT}"
    return f"<p>{escape(said)}</p>{_totals(stop)}"


def _totals(stop: Stop) -> str:
    release, rung, rows, counts = stop.release, stop.rung, [], ""
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


def beside(stop: Stop, name: str, paths: list[str], charts: Charts) -> str:
    """One split table: maps, charts or lists of its parts. Flows between tiles are estimated even where none were released."""
    whole = stop.release.measurements.get(name)
    if name == "visits_per_time_tile":
        return f'<p class="small">{escape(_NOT_DRAWN)}</p>'
    if whole is not None and name in grids(stop.release):
        return _maps(stop, whole, paths)
    drawn = [one for one in pictured(stop.release) if one.whole is whole]
    if drawn:
        title = drawn[0].plot.title.removeprefix(f"{drawn[0].part}: ")
        what = "" if title == stop.release.plan.measure(name).title else f"<h4>{escape(title)}</h4>"
        figures = "".join(figure(stop, one, charts, with_caption=True) for one in drawn)
        return f'{what}<div class="plots parts">{figures}</div>'
    if whole is not None and part_keys(stop.release, name).size == 1:
        return _numbers(stop, whole)
    return _lists(stop, name)


def _numbers(stop: Stop, whole: Measurement) -> str:
    """A table of one number for each part."""
    shown, rung, rows, head = stop.shown(whole.measure), stop.rung, [], []
    if shown is not None:
        head = [f"estimate, {spoken_of(stop.estimates.tables[whole.measure])}"]
    for at, part in shown_parts(stop.release).items():
        guess = [] if shown is None else [likely(*shown.cell(at))]
        drawn = interval(int(whole.values[rung][at]), whole.half_widths[rung])
        rows.append(numbers.row(part, *guess, drawn))
    return numbers.table(("", *head, "released (95 % of the noise)"), rows, "Each part")


def _maps(stop: Stop, whole: Measurement, paths: list[str]) -> str:
    release, name = stop.release, whole.measure
    small = []
    for at, part in shown_parts(release).items():
        picture = maps.map_svg(
            paths,
            whole,
            stop,
            first=at * part_keys(release, name).size,
            alt=f"Map of visits per tile: {part}",
            part=part,
        )
        small.append(f"<figure>{picture}<figcaption>{escape(part)}</figcaption></figure>")
    legends = maps.legends(stop, whole)
    return f'<div class="small-maps parts">{"".join(small)}</div>{legends}{folded("The first ten tiles of each part", _lists(stop, name))}'


def _lists(stop: Stop, name: str) -> str:
    """The first places of each part, by estimate or by released count."""
    release, whole = stop.release, stop.release.measurements.get(name)
    lists = []
    for at, part in shown_parts(release).items():
        guessed = _guessed(stop, name, at, part) if stop.computed else ""
        drawn = guessed
        if whole is not None:
            drawn = _drawn(stop, whole.part(part_keys(release, name), at), part)
        lists.append(f"<div>{stop.sides(guessed, drawn)}</div>")
    table_of = stop.table(name)
    without = (
        ""
        if table_of is None or ranged(table_of).is_ranged
        else f'<p class="small if-estimate">{escape(NO_RANGE)}</p>'
    )
    return f'{without}<div class="plots">{"".join(lists)}</div>'


def _guessed(stop: Stop, name: str, at: int, part: str) -> str:
    release, table = stop.release, stop.estimates.tables[name]
    one, whole = table.part(part_keys(release, name), at), release.measurements.get(name)
    shown, first = ranged(one), _first(one.keys, one.cell_numbers, ranged(one).values)
    cells = one.cell_numbers[first]
    released = None if whole is None else drawn_of_cells(whole.part(one.keys, at), cells, stop.rung)
    rows = [
        numbers.row(place, likely(*shown.cell(first[i])), *([] if released is None else [released[i]]))
        for i, place in enumerate(_named(stop, one.keys, cells))
    ]
    head = (
        "",
        f"estimate, {spoken_of(one)}",
        *([] if released is None else ["released (95 % of the noise)"]),
    )
    return _list_of(part, head, rows)


def _drawn(stop: Stop, table: Measurement, part: str) -> str:
    rung = stop.rung
    first = _first(table.keys, table.cell_numbers, table.values[rung])
    rows = [
        numbers.row(place, interval(int(table.values[rung][at]), table.half_widths[rung]))
        for place, at in zip(_named(stop, table.keys, table.cell_numbers[first]), first, strict=True)
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


def _named(stop: Stop, keys: KeySet, cells: NDArray[np.int64]) -> list[str]:
    """What people call each cell: its places, then its other keys."""
    release = stop.release
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


def sums_of_parts(stop: Stop, name: str, one: Sum) -> str:
    """A sum or a mean of each part."""
    release = stop.release
    title = release.plan.measure(name).title
    tables = tables_of(release, name, shown_parts(release))
    found = (
        (part, numbers.told_rows(told_table(tables[at], one, stop.rung), f"{part}: {title}"))
        for at, part in shown_parts(release).items()
    )
    if part_keys(release, name).size <= numbers.FIRST_ROWS:
        return "".join(rows for _, rows in found)
    return "".join(folded(f"{part}: the numbers", rows) for part, rows in found)
