"""What a report file draws: its charts of cells, its maps, and the parts of split tables that it shows."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dpcore.measures.measurement import Measurement
from dpcore.release.one_part import part_keys
from dpcore.release.release import Release
from dpcore.views.charts.plots import Plot, plots
from dpcore.views.ground.part_choice import largest, numbers_of
from dpcore.views.ground.shown import released_numbers


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
            found += [
                Pictured(plot_id(name, plot.name), plot, whole, whole)
                for plot in plots(released_numbers(whole, -1))
            ]
        elif whole.cells is None and name != "od_districts":  # those stand as tables
            keys = part_keys(release, name)
            for at, part in shown.items():
                table = whole.part(keys, at)
                for plot in (
                    plots(released_numbers(table, -1))[:1] if keys.size > 1 else ()
                ):  # single numbers stand in one table
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
