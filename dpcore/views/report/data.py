"""The released numbers that a report file carries for its script: every rung of what it shows, and nothing else.

Names of tiles are texts of others: they travel as JSON in which no sign can end the element that holds it, and the
script puts them on the page as text only.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.measures.keys import OUTSIDE
from dpcore.measures.measurement import Measurement
from dpcore.noise.accuracy import standard_deviation
from dpcore.privacy import decimal_text
from dpcore.release.one_part import part_keys
from dpcore.release.release import Release
from dpcore.views.flows import drawn_flows
from dpcore.views.part_choice import largest, numbers_of
from dpcore.views.plots import Plot, plots, window_name
from dpcore.views.reading import breaks_of, colour_breaks, coloured_from, few_below, trusted
from dpcore.views.report.numbers import short_labels
from dpcore.views.style import Json
from dpcore.views.tile_facts import tile_label

MOST_FLOWS: Final = 100
"""Flows that a table can show at a rung."""
OF_A_TILE: Final = 3
"""Flows of each tile that are known in each direction."""
MOST_NUMBERS: Final = 600_000
"""Of one grid over all rungs; a larger one is carried at its finest rung alone."""

Counts = NDArray[np.int64]


def plot_id(measure: str, name: str) -> str:
    """The name of a plot on the page."""
    return f"{measure}--{name}"


@dataclass(frozen=True, eq=False)
class Pictured:
    """One chart of cells in the file."""

    identity: str
    """Its name on the page."""
    plot: Plot
    measurement: Measurement
    """The table: of a split one a part, to which the cells of the plot belong."""
    whole: Measurement
    """The released table, whose scale all its parts have."""
    first: int = 0
    """The cell of the released table with which that of the plot begins."""
    part: str = ""
    """The name of the part; empty where the table is not split."""


def pictured(release: Release) -> list[Pictured]:
    """The charts of a release, in the order of its tables; of a split table the first one of each part that is shown."""
    found, shown = [], shown_parts(release)
    for name, whole in release.measurements.items():
        if not release.plan.measure(name).splits:
            found += [Pictured(plot_id(name, plot.name), plot, whole, whole) for plot in plots(whole)]
        elif whole.cells is None and name != "od_districts":  # those stand as tables
            keys = part_keys(release, name)
            for at, part in shown.items():
                table = whole.part(keys, at)
                for plot in plots(table)[:1] if keys.size > 1 else ():  # single numbers stand in one table
                    named = replace(plot, title=f"{part}: {plot.title}")
                    found.append(
                        Pictured(plot_id(name, f"part-{at}"), named, table, whole, at * keys.size, part)
                    )
    return found


def shown_parts(release: Release) -> dict[int, str]:
    """Number and name of each part that a file shows beside the others; none where no table is split."""
    splits = release.plan.choices.splits
    return largest(release, numbers_of((), splits)) if splits else {}


def grids(release: Release) -> tuple[str, ...]:
    """The tables over tiles that a file draws as maps. Arrivals by time window of each part would be too many maps."""
    drawn = (
        ("visits_per_tile",) if release.plan.choices.splits else ("visits_per_tile", "visits_per_time_tile")
    )
    return tuple(name for name in drawn if name in release.measurements)


def data_json(release: Release, paths: list[str], charts: Json, estimates: Json) -> str:
    """All of it as JSON that may stand in a script element; ``charts``: the figures by their names, and their looks."""
    held = release.measurements
    tiles = range(len(release.tessellation.tile_ids))
    found: Json = {
        "rungs": [decimal_text(rung) for rung in release.plan.rungs],
        "tiles": {
            "names": [tile_label(release, tile) for tile in tiles],
            "short": short_labels(release),
            "paths": paths,
        },
        "measures": {name: _measure(measurement) for name, measurement in held.items()},
        "grids": {name: _grid(held[name]) for name in grids(release)},
        "plots": {one.identity: _plot(one) for one in pictured(release)},
    }
    if "visits_per_time_tile" in grids(release):
        day_types, windows, _ = held["visits_per_time_tile"].keys.axes
        found["windows"] = {
            "days": [f"{day}s" for day in day_types.inside],
            "names": [window_name(window) for window in windows.inside],
        }
    if "od_flows" in held and not release.plan.choices.splits:
        found["flows"] = _flows(held["od_flows"])
    found |= {**charts, "estimates": estimates}
    text = json.dumps(found, separators=(",", ":"), ensure_ascii=True)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def carries_every_rung(measurement: Measurement) -> bool:
    """Whether a grid over tiles is small enough to travel at all rungs."""
    return measurement.values.size <= MOST_NUMBERS


def carried_flows(flows: Measurement) -> Counts:
    """Positions of the flows that travel: the strongest of every rung, the drawn ones, the strongest of each tile."""
    chosen = [drawn_flows(flows)]
    for values in flows.values:
        many = min(MOST_FLOWS, len(values))
        # ties at the edge are broken as a table breaks them: by position
        chosen.append(np.argsort(-values, kind="stable")[:many])
    finest = flows.values[-1]
    standing = np.flatnonzero(trusted(flows, len(flows.rungs) - 1))
    falling = standing[np.argsort(-finest[standing], kind="stable")]
    both_ends = np.unravel_index(flows.cell_numbers[falling], flows.keys.shape)
    chosen += [falling[first_few(np.asarray(ends), OF_A_TILE)] for ends in both_ends]
    return np.unique(np.concatenate(chosen))


def first_few(groups: Counts, most: int) -> NDArray[np.bool_]:
    """Which entries are among the first ``most`` of their group."""
    order = np.argsort(groups, kind="stable")
    ordered = groups[order]
    starts = np.searchsorted(ordered, ordered, side="left")
    kept = np.zeros(len(groups), bool)
    kept[order] = np.arange(len(groups)) - starts < most
    return kept


def _plot(one: Pictured) -> Json:
    plot, values = one.plot, one.measurement.values
    return {
        "measure": one.measurement.measure,
        "rows": values[:, plot.cells].tolist(),
        "totals": None if plot.total is None else values[:, plot.total].sum(axis=1).tolist(),
        "cells": 0 if plot.total is None else len(plot.total),
    }


def _measure(measurement: Measurement) -> Json:
    rungs = range(len(measurement.rungs))
    return {
        "counts": measurement.counts,
        "wide": list(measurement.half_widths),
        "below": [coloured_from(measurement, rung) for rung in rungs],
        "deviation": [round(standard_deviation(measurement.rho(rung)), 6) for rung in rungs],
        "breaks": list(breaks_of(measurement)),
        "few": few_below(colour_breaks(measurement)),
    }


def _grid(measurement: Measurement) -> Json:
    rows = measurement.values if carries_every_rung(measurement) else measurement.values[-1:]
    return {
        "rows": rows.tolist(),
        "totals": measurement.values.sum(axis=1).tolist(),
        "cells": measurement.values.shape[1],
    }


def _flows(flows: Measurement) -> Json:
    carried = carried_flows(flows)
    drawn = drawn_flows(flows)
    origin, destination = np.unravel_index(flows.cell_numbers[carried], flows.keys.shape)
    return {
        "from": origin.tolist(),
        "to": destination.tolist(),
        "rows": flows.values[:, carried].tolist(),
        "drawn": np.searchsorted(carried, drawn).tolist(),
        "strongest": int(flows.values[-1][drawn].max(initial=1)),
        "outside": OUTSIDE,
    }
