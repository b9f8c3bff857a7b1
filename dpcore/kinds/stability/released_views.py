"""Views of large counts: where and when trips start and end, and the busiest places.

A combination counts trips by some columns, in parts. A view adds up the listed counts of one column. Counts below the threshold are
not listed, so a sum is what is listed, and says so. Only where every cell of a sum could be listed and was, a range is known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from math import prod
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.estimates import Ranged
from dpcore.kinds.stability.choices import DATE, listed_texts
from dpcore.kinds.stability.kind import ENDS
from dpcore.kinds.stability.plan import UNKNOWN, Combination, StabilityHistogram, StabilityPlan
from dpcore.noise.accuracy import half_width_of_sum
from dpcore.release import AnyRelease
from dpcore.views.ground.plain import interval, number
from dpcore.views.kinds.places import coloured_places
from dpcore.views.kinds.words import slide
from dpcore.views.pictures.slide import DrawnCharts, Panel, Slide

Counts = NDArray[np.int64]

_WHAT: Final[Mapping[str, str]] = {"on": "trip starts", "off": "trip ends"}
_WHERE: Final[Mapping[str, str]] = {"on": "Where trips start", "off": "Where trips end"}
_FIRST: Final = 10
_MISSING: Final = "A count below the threshold is not listed. So a place or a time that is missing has few trips or none; it does not mean zero."


@dataclass(frozen=True, eq=False)
class Sums:
    """The listed counts of one column, added up over all parts and all other columns."""

    labels: tuple[str, ...]
    """The public list of the column, without the category of unknown values."""
    values: Counts
    """What is listed of each, added up."""
    listed: Counts
    """How many counts that is."""
    cells: int
    """How many there could be for each."""
    threshold: int
    rho: float
    half_widths: tuple[int, ...]
    """Of the noise of each sum, with 95 %; 0 where nothing is listed."""

    @property
    def is_whole(self) -> NDArray[np.bool_]:
        """Where every count is listed, so that nothing is missing in the sum."""
        return np.asarray(self.listed == self.cells)

    @property
    def ranged(self) -> Ranged:
        """The sums, with the range of their noise where nothing is missing."""
        wide = np.where(self.is_whole, np.array(self.half_widths, float), np.nan)
        values = self.values.astype(float)
        return Ranged(values, np.maximum(values - wide, 0), values + wide)

    def words(self, at: int) -> str:
        """One sum, with what is known of it."""
        value, wide = int(self.values[at]), self.half_widths[at]
        if self.is_whole[at]:
            return interval(value, wide)
        return f"at least about {number(max(value - wide, 1))} ({number(value)} listed)"


def views(release: AnyRelease) -> dict[str, tuple[str, Callable[[AnyRelease], Slide]]]:
    """The views that the combinations of a release allow: a map and a ranking for each end with places, charts by time and by day."""
    plan: StabilityPlan = release.drawn.tables.plan
    columns = {column for one in plan.combinations for column in one.columns}
    found: dict[str, tuple[str, Callable[[AnyRelease], Slide]]] = {}
    for end in ENDS:
        if f"{end}_loc" in columns:
            found[f"map-{end}"] = (_WHERE[end], partial(_map, end=end))
    if any(f"{end}_time" in columns for end in ENDS) or DATE in plan.partition_by:
        found["rhythm"] = ("When trips take place", _rhythm)
    if any(f"{end}_loc" in columns for end in ENDS):
        found["rankings"] = ("The busiest places", _rankings)
    return found


def sums_by(tables: StabilityHistogram, tile_ids: tuple[str, ...], column: str) -> Sums:
    """The listed counts by one column of the parts or of a combination, out of the combination with the fewest cells.

    Raises:
        ValueError: no combination has the column.

    """
    plan = tables.plan
    one = _combination(plan, column, tile_ids)
    large = tables.large[one.name]
    if column in plan.partition_by:
        place = plan.partition_by.index(column)
        labels = plan.values[place]
        texts = [plan.partitions[part][place] for part in large.part.tolist()]
        cells = len(plan.partitions) // len(labels) * _keys(one, plan, tile_ids)
    else:
        labels = listed_texts(column, plan, tile_ids)
        texts = list(large.keys[one.columns.index(column)])
        cells = len(plan.partitions) * _keys(one, plan, tile_ids) // len(labels)
        labels = tuple(label for label in labels if label != UNKNOWN)
    at = {label: number for number, label in enumerate(labels)}
    known = [
        (at[text], count) for text, count in zip(texts, large.counts.tolist(), strict=True) if text in at
    ]
    values, listed = np.zeros(len(labels), np.int64), np.zeros(len(labels), np.int64)
    for number_of, count in known:
        values[number_of] += count
        listed[number_of] += 1
    rho = plan.rho(one)
    wide = {many: half_width_of_sum(rho, many) for many in {*listed.tolist()} - {0}}
    widths = tuple(wide.get(many, 0) for many in listed.tolist())
    return Sums(labels, values, listed, cells, large.threshold, float(rho), widths)


def _combination(plan: StabilityPlan, column: str, tile_ids: tuple[str, ...]) -> Combination:
    """The combination that has a column and the fewest other cells: its sums have the least noise."""
    having = [one for one in plan.combinations if column in one.columns or column in plan.partition_by]
    if not having:
        raise ValueError("no combination has this column")
    return min(having, key=lambda one: _keys(one, plan, tile_ids))


def _keys(one: Combination, plan: StabilityPlan, tile_ids: tuple[str, ...]) -> int:
    return prod(len(listed_texts(column, plan, tile_ids)) for column in one.columns)


def _map(release: AnyRelease, end: str) -> Slide:
    found = sums_by(release.drawn.tables, release.tessellation.tile_ids, f"{end}_loc")
    order = dict(zip(found.labels, range(len(found.labels)), strict=True))
    at = np.array([order[tile] for tile in release.tessellation.tile_ids], np.int64)
    drawn = coloured_places(
        release.tessellation,
        found.values[at],
        found.listed[at] > 0,
        unit=_WHAT[end],
        grey=f"not listed: below {number(found.threshold)}",
        words=[found.words(one) for one in at.tolist()],
    )
    shown = int((found.listed[at] > 0).sum())
    return slide(
        release,
        _WHERE[end],
        _busiest_words(release, found, _WHAT[end]),
        (f"{number(shown)} of {number(len(at))} places are listed.", _of_parts(release, found), _MISSING),
        drawn,
    )


def _rankings(release: AnyRelease) -> Slide:
    panels = []
    for end in ENDS:
        column = f"{end}_loc"
        if not any(column in one.columns for one in release.drawn.tables.plan.combinations):
            continue
        found = sums_by(release.drawn.tables, release.tessellation.tile_ids, column)
        first = _largest(found)
        names = tuple(_place_name(release, found.labels[at]) for at in first)
        shown = found.ranged.at(np.array(first, np.int64))
        top = float(np.nanmax([*shown.values, *shown.high, 1.0]))
        ranked = tuple(f"{rank}. {name}" for rank, name in enumerate(names, 1))
        panels.append(Panel(_WHERE[end], _WHAT[end], "dots", ranked, shown, (0.0, top)))
    found_any = any(len(panel.names) for panel in panels)
    return slide(
        release,
        "The busiest places",
        "Where ranges overlap, the order is open." if found_any else "No place reached the threshold.",
        (_MISSING, "Where no range is drawn, some counts of the place are not listed: there may be more."),
        DrawnCharts(tuple(panel for panel in panels if len(panel.names))) if found_any else None,
    )


def _rhythm(release: AnyRelease) -> Slide:
    tables: StabilityHistogram = release.drawn.tables
    tiles = release.tessellation.tile_ids
    columns = {column for one in tables.plan.combinations for column in one.columns}
    panels = []
    for end in ENDS:
        if f"{end}_time" in columns:
            found = sums_by(tables, tiles, f"{end}_time")
            title = f"{_WHAT[end].capitalize()} by time of day"
            panels.append(_line(title, _WHAT[end], found))
    if DATE in tables.plan.partition_by:
        found = sums_by(tables, tiles, DATE)
        panels.append(_line("Listed counts by day", "listed counts, added up", found))
    return slide(
        release,
        "When trips take place",
        "Each bar adds up what is listed of its time." if panels else "",
        (_MISSING, "Where no range is drawn, some counts of the time are not listed: there may be more."),
        DrawnCharts(tuple(panels)),
    )


def _line(title: str, unit: str, found: Sums) -> Panel:
    shown = found.ranged
    top = float(np.nanmax([*shown.values, *shown.high, 1.0]))
    return Panel(title, unit, "bars", found.labels, shown, (0.0, top))


def _largest(found: Sums) -> list[int]:
    order = np.argsort(-found.values, kind="stable")[:_FIRST]
    return [int(at) for at in order if found.listed[at]]


def _busiest_words(release: AnyRelease, found: Sums, what: str) -> str:
    first = _largest(found)[:1]
    if not first:
        return f"No place reached the threshold of {number(found.threshold)}: nothing is listed."
    name = _place_name(release, found.labels[first[0]])
    return f"Most {what} are listed at {name}: {found.words(first[0])}."


def _place_name(release: AnyRelease, tile: str) -> str:
    tiles = release.tessellation
    return tiles.called[tiles.tile_ids.index(tile)] if tile in tiles.tile_ids else tile


def _of_parts(release: AnyRelease, found: Sums) -> str:
    parts = len(release.drawn.tables.plan.partitions)
    if found.cells == 1:
        return "The range of a number holds 95 % of its noise."
    of = f"{number(parts)} parts" if parts > 1 else "all its times"
    return f"The number of a place adds up what is listed of {of}."
