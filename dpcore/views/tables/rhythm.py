"""Rhythm: trips by date, weekday and hour."""

from __future__ import annotations

from typing import Final

import numpy as np

from dpcore.comparison.findings import Finding
from dpcore.release import Release
from dpcore.views.maps.address import Address
from dpcore.views.numbers.findings import said_of
from dpcore.views.pictures import charts
from dpcore.views.pictures.chart_views import chart_view
from dpcore.views.pictures.sentences import numbers_word, shown_at
from dpcore.views.pictures.table_view import TableView


def _holds(release: Release, _at: Address) -> bool:
    shown = {charts.DATES, charts.WEEK, charts.HOURS, *charts.binned(release)}
    return not shown.isdisjoint(release.measurements)


def _rhythm(release: Release, told: tuple[Finding, ...], at: Address) -> str:
    """When the day begins and when it is busiest; the hour or day with the largest number where it is not sure."""
    begins = [said_of(release, one) for one in told if one.kind == "earliest"]
    return " ".join([*begins, busiest_time(release, told, at)]).strip()


def busiest_time(release: Release, told: tuple[Finding, ...], at: Address) -> str:
    """The busiest hour, by the findings of a release or else by its numbers; else the busiest day, week or month. Empty without any."""
    peak = next((one for one in told if one.kind == "peak"), None)
    if peak is not None:
        return said_of(release, peak)
    for measure in (charts.HOURS, charts.DATES):
        if measure not in release.measurements:
            continue
        shown = shown_at(release, measure, at)
        labels = shown.keys.labels(shown.cells)
        if measure == charts.HOURS:
            keys = zip(labels["kind"], labels["day_type"], strict=True)
            listed = [cell for cell, key in enumerate(keys) if key == ("start", "weekday")]
        else:
            inside = {*shown.keys.axes[0].inside}
            listed = [cell for cell, label in enumerate(labels["date"]) if label in inside]
        top = listed[int(np.argmax(shown.numbers.values[listed]))]
        name = str(labels["hour" if measure == charts.HOURS else "date"][top])
        if measure == charts.HOURS:
            said = f"hour of weekdays begins at {int(name)}:00"
        else:
            covers = shown.keys.axes[0].covers
            said = f"{covers} {'is' if covers == 'day' else 'begins on'} {name}"
        return f"By {numbers_word(released=at.released)} the busiest {said}: {shown.told(top)}."
    return ""


VIEW: Final[TableView] = chart_view(
    "When trips take place",
    _holds,
    lambda release, _: charts.charted(release),
    charts.rhythm,
    sentence=_rhythm,
    button=":material/show_chart: Rhythm",
)
