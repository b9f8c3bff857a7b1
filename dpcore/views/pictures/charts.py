"""Charts as pictures: when trips take place, the first by their counts, what changed, and the promise. Numbers are those of the Viewer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from dpcore.comparison.change import CellChanges
from dpcore.estimates import Estimates, Ranged
from dpcore.measures import Kind, measure_named
from dpcore.measures.keys import Period
from dpcore.measures.measurement import Measurement
from dpcore.privacy import EXAMPLE_TRIPS, Promise
from dpcore.release import Release
from dpcore.tiles import Tessellation
from dpcore.views.charts import plots, series
from dpcore.views.charts.charts import Chart
from dpcore.views.charts.plots import Plot
from dpcore.views.comparison import changes
from dpcore.views.ground.derived import shown_with_weekdays, weekdays
from dpcore.views.maps.address import Address
from dpcore.views.numbers.area import DISTRICT_FLOWS, FLOWS, VISITS
from dpcore.views.numbers.guarantee import TERMS, losses_of_presence
from dpcore.views.numbers.ranking import Ranking, first_of
from dpcore.views.pictures.slide import DrawnCharts, DrawnPromise, Panel, Times

MOST_PANELS: Final = 4
"""Charts in one picture; more could not be read on paper."""
DATES: Final = "trips_over_time"
WEEK: Final = "trips_per_weekday"
HOURS: Final = "trips_per_hour"
_ADDED_UP: Final = "; these days added up"
_RANKED: Final = {
    VISITS: "Tiles by visits",
    FLOWS: "Flows by trips",
    DISTRICT_FLOWS: "Flows between districts",
}


def charted(release: Release) -> tuple[str, ...]:
    """The measures that have charts: all but tables over tiles."""
    return tuple(name for name, drawn in release.measurements.items() if plots.is_plotted(name))


def binned(release: Release) -> tuple[str, ...]:
    """The measures that have histograms."""
    return tuple(name for name in charted(release) if "bin_start" in release.measurements[name].keys.columns)


def rhythm(release: Release, at: Address, estimates: Estimates) -> DrawnCharts | None:
    """Trips by date, by weekday and by hour; of a release without them its first histograms. None where it has neither."""
    held, week = release.measurements, weekdays(release)
    found = _panels(release, held[DATES], at, estimates) if DATES in held else []
    if week is not None:
        found += [
            replace(panel, unit=f"{panel.unit}{days_of_week(release.plan.choices.period, panel.names)}")
            for panel in _panels(release, week, at, estimates)
        ]
    if HOURS in held:
        found += [
            replace(panel, unit=f"{panel.unit}{_ADDED_UP}")
            for panel in _panels(release, held[HOURS], at, estimates)
        ]
    return DrawnCharts(tuple(found[:MOST_PANELS])) if found else histograms(release, at, estimates)


def days_of_week(period: Period | None, names: Sequence[str]) -> str:
    """How many days each weekday of a period has, where these differ, to follow a unit; ``names`` of the days from Monday on."""
    if period is None:
        return ""
    each = np.bincount([day.weekday() for day in period.days], minlength=len(names))
    few, many = int(each.min()), int(each.max())
    more = ", ".join(name for name, days in zip(names, each, strict=True) if days == many)
    return f"; {more}: {many} days each, others: {few}" if few < many else ""


def histograms(release: Release, at: Address, estimates: Estimates) -> DrawnCharts | None:
    """The first histograms of a release; None where there is none."""
    found = [
        panel
        for name in binned(release)
        for panel in _panels(release, release.measurements[name], at, estimates)
    ]
    return DrawnCharts(tuple(found[:MOST_PANELS])) if found else None


def _panels(release: Release, drawn: Measurement, at: Address, estimates: Estimates) -> list[Panel]:
    shown = shown_with_weekdays(release, drawn, at.rung, None if at.released else estimates)
    return [
        _panel(plot, drawn, plots.chart(plot, shown, clipped=True))
        for plot in plots.plots(shown, release.tessellation)
    ]


def _panel(plot: Plot, drawn: Measurement, chart: Chart) -> Panel:
    """A chart of the Viewer without the parts that only a browser draws."""
    low, high = chart.figure["layout"]["yaxis"]["range"]
    lined = measure_named(drawn.measure).layout.kind is Kind.DATES or drawn.measure == HOURS
    table = chart.table
    counts = drawn.counts
    return Panel(
        plot.title,
        f"{counts}, by {unit}" if (unit := series.unit_of(drawn.measure)) else counts,
        "line" if lined else "bars",
        tuple(f"{int(hour):02}:00" for hour in plot.ticks) if drawn.measure == HOURS else plot.ticks,
        _columns(table["drawn"], table["bottom"], table["top"]),
        (float(low), float(high)),
        tuple(np.flatnonzero(table["noisy"] < 0).tolist()),
    )


def _columns(*columns: object) -> Ranged:
    middle, low, high = (np.asarray(column, np.float64) for column in columns)
    return Ranged(middle, low, high)


def rankings(release: Release, at: Address, estimates: Estimates) -> DrawnCharts | None:
    """The first tiles and the first flows, with their ranges; None where neither was counted."""
    held = release.measurements if at.released else estimates.tables
    first = [
        (title, first_of(release, name, at.rung, None if at.released else estimates))
        for name, title in _RANKED.items()
        if name in held and not (at.released and name == DISTRICT_FLOWS)
    ]
    found = [_dots(title, one) for title, one in first[:2]]
    return DrawnCharts(tuple(found)) if found else None


def _dots(title: str, ranking: Ranking) -> Panel:
    """Dots with ranges; what noise took below zero stands at zero."""
    shown = ranking.shown.numbers
    return Panel(
        title,
        ranking.shown.axis,
        "dots",
        tuple(f"{rank}. {name}" for rank, name in enumerate(ranking.names, 1)),
        Ranged(*(np.maximum(part, 0.0) for part in shown.columns)),
        ranking.limits,
        tuple(np.flatnonzero(shown.values < 0).tolist()),
        f"{title}: {ranking.said}" if ranking.said else "",
    )


def chart_of_changes(found: CellChanges, tiles: Tessellation) -> DrawnCharts | None:
    """The surest changes with their ranges; None where none is announced."""
    chart = changes.change_chart(found, tiles)
    if chart is None:
        return None
    table = chart.table
    shown = _columns(table["change"], table["low"], table["high"])
    each = " a day" if found.per_day else ""
    ends = np.concatenate([*shown.columns, [0.0]])
    room = 0.05 * float(ends.max() - ends.min())
    limits = float(ends.min()) - room, float(ends.max()) + room
    unit = f"B less A, {found.counts}{each}"
    return DrawnCharts((Panel(chart.alt, unit, "dots", tuple(table["at"]), shown, limits),))


def promise_dots(promise: Promise) -> DrawnPromise:
    """How often of 100 a guess is right at most: of presence, of doings and, where one trip is hidden, of many trips of one person."""
    there, *many = losses_of_presence(promise)
    asked = {"Are your trips in this data?": there, "What did you do (clinic or square?)": promise.doings}
    if promise.by_trip:
        asked = {
            "Is one trip of yours in this data?": there,
            "Where did it go (clinic or square?)": promise.doings,
            f"Are {EXAMPLE_TRIPS} trips of yours in it?": many[0],
        }
    times = (
        Times(f"{question} Of 100 guesses:", loss.right_of_100, loss.right_text, loss.right_of)
        for question, loss in asked.items()
    )
    return DrawnPromise(tuple(times), TERMS)
