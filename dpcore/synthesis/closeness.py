"""How near synthetic trips come to true ones, table by table, in the four numbers that Roy et al. print.

They print them without a definition; those of ``dpcore.synthesis.metrics`` are ours. With true trips on one side the
numbers are exact facts about them: for their owner only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from dpcore.synthesis.domain import TripColumns, TripDomain
from dpcore.synthesis.metrics import (
    Counts,
    average_relative_error,
    shift_along_line,
    shift_between_places,
    top_kept,
    utility_loss,
)

TOP: Final = 20
"""Cells of a ranking that are compared; the paper looks at 20 to 100."""
_TOP_HOURS: Final = 6  # of 24
_MOST_STATIONS: Final = 600
"""With more stations the transport problem takes seconds, and is left out."""


@dataclass(frozen=True)
class Closeness:
    """The numbers of one table."""

    table: str
    relative_error: float
    """Mean over cells; a cell counts as 0.1 % of all trips at least."""
    relative_error_of_one: float
    """The same; a cell counts as one trip at least, so that cells without trips rule it."""
    shift: float | None
    """Earth mover's distance; None where there is none."""
    unit: str
    """Of ``shift``."""
    top: int
    top_kept: float
    """Per cent of the true top that are in the synthetic top."""
    utility_loss: float
    """Per cent by which the counts of the true top are off."""


def closeness(original: TripColumns, synthetic: TripColumns, domain: TripDomain) -> tuple[Closeness, ...]:
    """The numbers for stations (out and in), routes, days and hours."""
    few = domain.sizes["start"] <= _MOST_STATIONS
    kilometres = domain.stations.kilometres if few else None
    found = []
    for name, axes, unit in (
        ("Stations, out", ("start",), "km"),
        ("Stations, in", ("end",), "km"),
        ("Routes", ("start", "end"), ""),
        ("Days", ("date",), "days"),
        ("Hours", ("hour",), "hours"),
    ):
        true, made = (_counts(trips, domain, axes) for trips in (original, synthetic))
        shift = None
        if unit == "km" and kilometres is not None:
            shift = shift_between_places(true, made, kilometres)
        elif unit and unit != "km":
            shift = shift_along_line(true, made)
        top = min(_TOP_HOURS if axes == ("hour",) else TOP, len(true))
        found.append(
            Closeness(
                name,
                average_relative_error(true, made),
                average_relative_error(true, made, 1.0),
                shift,
                unit,
                top,
                top_kept(true, made, top),
                utility_loss(true, made, top),
            )
        )
    return tuple(found)


def _counts(trips: TripColumns, domain: TripDomain, axes: tuple[str, ...]) -> Counts:
    shape = tuple(domain.sizes[axis] for axis in axes)
    cell = np.ravel_multi_index(tuple(trips.codes(domain, axis) for axis in axes), shape)
    return np.bincount(cell, minlength=int(np.prod(shape)))
