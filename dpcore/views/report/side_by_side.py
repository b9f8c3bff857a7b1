"""The report of a release whose tables are split, where no part is chosen: what all parts say together, then each beside the others.

Pictures of the parts share one scale and stand below the name of their category. Tables of places are one a part, so that no
number can be taken for that of another part or of all.
"""

from __future__ import annotations

from html import escape
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.measures.keys import OUTSIDE, KeySet
from dpcore.measures.measurement import Measurement
from dpcore.measures.split import parts_of
from dpcore.measures.sums import Sum
from dpcore.release.derived import STATISTICS, derivable, derived
from dpcore.release.one_part import part_keys, part_of, tables_of
from dpcore.release.sums import told_table
from dpcore.views.ground.part_choice import MOST_BESIDE
from dpcore.views.ground.plain import flow_name, interval, number
from dpcore.views.ground.shown import Shown
from dpcore.views.numbers.flows import first_flows, ranked_cells
from dpcore.views.report import maps, numbers
from dpcore.views.report.figures import Charts, figure
from dpcore.views.report.markup import folded, on_sides
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


def beside(stop: Stop, name: str, charts: Charts) -> str:
    """One split table: maps, charts or lists of its parts. Flows between tiles are estimated even where none were released."""
    whole = stop.release.measurements.get(name)
    if name == "visits_per_time_tile":
        return f'<p class="small">{escape(_NOT_DRAWN)}</p>'
    if whole is not None and name in grids(stop.release):
        return _maps(stop, whole)
    drawn = [one for one in pictured(stop.release) if one.whole is whole]
    if drawn:
        title = drawn[0].plot.title.removeprefix(f"{drawn[0].part}: ")
        what = "" if title == stop.release.plan.measure(name).title else f"<h4>{escape(title)}</h4>"
        figures = "".join(figure(stop, one, charts, with_caption=True) for one in drawn)
        return f'{what}<div class="plots parts">{figures}</div>'
    if whole is not None and part_keys(stop.release, name).size == 1:
        return _numbers_table(stop, whole)
    return _lists(stop, name)


def _numbers_table(stop: Stop, whole: Measurement) -> str:
    """A table of one number for each part."""
    shown, parts = stop.ways(whole.measure)[0], shown_parts(stop.release)
    guess = {} if shown.released is None else {shown.head: [shown.words(at) for at in parts]}
    drawn = shown.released or shown
    released = {"released (95 % of the noise)": [drawn.words(at) for at in parts]}
    return numbers.column_table({"": [*parts.values()], **guess, **released}, "Each part")


def _maps(stop: Stop, whole: Measurement) -> str:
    release, name = stop.release, whole.measure
    small = []
    for at, part in shown_parts(release).items():
        picture = maps.map_svg(
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
    keys, ways, lists = part_keys(stop.release, name), stop.ways(name), []
    for at, part in shown_parts(stop.release).items():
        lists.append(f"<div>{on_sides([_list_of(stop, one.part(keys, at), part) for one in ways])}</div>")
    return f'<div class="plots">{"".join(lists)}</div>'


def _list_of(stop: Stop, shown: Shown, part: str) -> str:
    """The first places of a part, or that nothing is listed."""
    if "origin" in shown.keys.columns:
        found = first_flows(shown, numbers.FIRST_ROWS)
        said = f'<p class="small">{escape(f"{part}: {found.said}")}</p>'
        first = (
            _rows_of(stop, shown.at(found.between), f"{part}: the first {len(found.between)}")
            if len(found.between)
            else ""
        )
        apart = f"{part}: {found.apart_title[0].lower()}{found.apart_title[1:]}"
        more = _rows_of(stop, shown.at(found.apart), apart) if len(found.apart) else ""
        return f"{said}{first}{more}"
    busiest = shown.at(shown.largest(ranked_cells(shown.keys, shown.cells), numbers.FIRST_ROWS))
    if not len(busiest.cells):
        return f'<p class="small">{escape(f"{part}: {_NONE_LISTED}")}</p>'
    return _rows_of(stop, busiest, f"{part}: the first {len(busiest.cells)}")


def _rows_of(stop: Stop, first: Shown, caption: str) -> str:
    many = range(len(first.cells))
    columns = {"": _cell_names(stop, first.keys, first.cells), first.head: [first.words(at) for at in many]}
    if first.released is not None:
        columns["released (95 % of the noise)"] = [*first.released.exact(first.cells)]
    return numbers.column_table(columns, caption)


def _cell_names(stop: Stop, keys: KeySet, cells: NDArray[np.int64]) -> list[str]:
    """What people call each cell: its places, then its other keys."""
    release = stop.release
    names = dict(zip(release.tessellation.tile_ids, numbers.short_labels(release), strict=True))
    labels = keys.labels(cells)
    places = [labels[axis.column] for axis in keys.axes if axis.after == OUTSIDE]
    others = [labels[axis.column] for axis in keys.axes if axis.after != OUTSIDE]
    ids = [*zip(*places, strict=True)]
    called = [[names.get(one, one) for one in row] for row in ids]
    if len(places) > 1:
        called = [[flow_name(*row, within=len({*of}) == 1)] for row, of in zip(called, ids, strict=True)]
    return [", ".join([*row, *(column[i] for column in others)]) for i, row in enumerate(called)]


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
