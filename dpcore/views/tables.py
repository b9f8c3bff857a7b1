"""Tables of a release at one rung, for reading: the keyboard's way to every number of a picture."""

from __future__ import annotations

import pandas as pd

from dpcore.measures import measure_named
from dpcore.privacy import decimal_text
from dpcore.release.release import Release
from dpcore.views.charts import Chart
from dpcore.views.plain import cell, chance_words, number, percent, plain
from dpcore.views.ranking import Place
from dpcore.views.reading import trusted, trusted_from
from dpcore.views.sentences import interval


def visits_table(release: Release, rung: int) -> pd.DataFrame:
    """Every tile with its noisy visits, largest first; the last row is what lies outside all tiles."""
    visits = release.measurements["visits_per_tile"]
    values, wide = visits.values[rung], visits.half_widths[rung]
    table = pd.DataFrame(
        {
            "tile": [*visits.keys.axes[0].labels],
            "name": [*(cell(name) for name in release.tessellation.tile_names), ""],
            "visits": values,
            "from": values - wide,
            "to": values + wide,
            "stands out": trusted(visits, rung),
        }
    )
    order = table["visits"][:-1].sort_values(ascending=False, kind="stable").index
    return table.loc[[*order, len(table) - 1]].reset_index(drop=True)


def chart_table(chart: Chart) -> pd.DataFrame:
    """The numbers of a chart as they were released, below zero too."""
    table = chart.table[["at", "noisy", "low", "high"]]
    if pd.api.types.is_datetime64_any_dtype(table["at"]):
        table = table.assign(at=table["at"].dt.date.astype(str))
    return table.set_axis(["at", "about", "from", "to"], axis=1)


def ranking_table(names: tuple[str, ...], places: tuple[Place, ...], half_width: int) -> dict[str, list[str]]:
    """The first ten with intervals and chances, as columns; Markdown, in which names are escaped."""
    return {
        "rank": [str(i) for i in range(1, len(places) + 1)],
        "name": [plain(name) for name in names],
        "count (95 %)": [interval(place.value, half_width) for place in places],
        "ahead of the next": [
            "" if place.before_next is None else chance_words(place.before_next) for place in places
        ],
        f"in the top {len(places)}": [chance_words(place.in_top) for place in places],
    }


def accuracy_table(release: Release, rung: int) -> dict[str, list[str]]:
    """The noise of each measure at a rung and what can be read of it, as columns."""
    rows = []
    for name, measurement in release.measurements.items():
        cells, seen = len(measurement.cell_numbers), int(trusted(measurement, rung).sum())
        rows.append(
            (
                measure_named(name).title,
                f"± {measurement.half_widths[rung]:,} {measurement.counts}",
                f"{number(trusted_from(measurement, rung))} or more",
                f"{seen:,} of {cells:,}",
                percent(float(release.plan.share(name))),
                f"{float(measurement.epsilon(rung)):.3g}",
                f"{measurement.sensitivity:,}",
            )
        )
    names = (
        "measure",
        "noise of one count (95 %)",
        "can be read from",
        "counts that can be read",
        "share of ε",
        "ε of its own",
        "sensitivity",
    )
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}


def ladder_table(release: Release) -> dict[str, list[str]]:
    """The noise of one count of each measure at every rung, as columns."""
    columns = {"ε": [decimal_text(rung) for rung in release.plan.rungs]}
    for name, measurement in release.measurements.items():
        columns[measure_named(name).title] = [f"± {wide:,}" for wide in measurement.half_widths]
    return columns
