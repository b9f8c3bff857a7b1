"""How near synthetic trips come to true ones, table by table, in the four numbers that Roy et al. print.

Roy, Kantarcioglu and Sweeney name these metrics without defining them. **The definitions here are ours**, so numbers may be
compared with each other but only loosely with theirs. Every metric takes a table of true and one of synthetic counts on the
same cells; the synthetic one is scaled to the true total first. With true counts these are facts about private data: for
their owner only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from dpcore.errors import InternalError
from dpcore.synthesis.domain import TripColumns, TripDomain

Floats = NDArray[np.float64]
Counts = NDArray[np.int64] | Floats

TOP: Final = 20
"""Cells of a ranking that are compared; the paper looks at 20 to 100."""
_TOP_HOURS: Final = 6  # of 24
_MOST_STATIONS: Final = 600
"""With more stations the transport problem takes seconds, and is left out."""


def _scaled(synthetic: Counts, total: float) -> Floats:
    """Counts made to add up to a total; an empty table stays empty."""
    own = float(np.sum(synthetic))
    return np.asarray(synthetic, np.float64) * (total / own if own > 0 else 0.0)


def average_relative_error(true: Counts, synthetic: Counts, smallest: float | None = None) -> float:
    """Mean over cells of ``abs(synthetic - true) / max(true, smallest)`` (AvRLE, our definition).

    ``smallest`` keeps small counts from ruling the mean: 0.1 % of the total unless it is given.
    """
    total = float(np.sum(true))
    floor = max(total / 1000 if smallest is None else smallest, 1e-12)
    return float((np.abs(_scaled(synthetic, total) - true) / np.maximum(true, floor)).mean())


def shift_along_line(true: Counts, synthetic: Counts, positions: Floats | None = None) -> float:
    """Earth mover's distance between two tables on ordered cells: how far an average trip must be moved.

    In the unit of ``positions``, which rise (bins unless given). The area between both distribution functions.
    """
    if np.sum(true) <= 0 or np.sum(synthetic) <= 0:
        return 0.0
    where = np.arange(len(true), dtype=np.float64) if positions is None else positions
    gap = np.cumsum(np.asarray(true) / np.sum(true) - np.asarray(synthetic) / np.sum(synthetic))
    return float((np.abs(gap[:-1]) * np.diff(where)).sum())


def shift_between_places(true: Counts, synthetic: Counts, kilometres: Floats) -> float:
    """Earth mover's distance between two tables over places, in kilometres: how far an average trip must be moved.

    Solved exactly as a transport problem. What both tables have at one place stays there, which is best for any
    distance that obeys the triangle inequality.
    """
    if np.sum(true) <= 0 or np.sum(synthetic) <= 0:
        return 0.0
    from scipy.optimize import LinearConstraint, milp  # noqa: PLC0415 - slow to load, and few commands need it

    gap = np.asarray(synthetic) / np.sum(synthetic) - np.asarray(true) / np.sum(true)
    much, less = np.flatnonzero(gap > 0), np.flatnonzero(gap < 0)
    if len(much) == 0:
        return 0.0
    moved = float(gap[much].sum())
    unit = moved / len(much)  # amounts around 1 lie well above the tolerance of the solver
    amounts = np.concatenate([gap[much], -gap[less]]) / unit
    roads = len(much) * len(less)
    number = np.arange(roads)
    rows = np.concatenate([number // len(less), len(much) + number % len(less)])
    sums = csr_array((np.ones(2 * roads), (rows, np.concatenate([number, number]))))
    costs = kilometres[np.ix_(much, less)].ravel()
    plan = milp(costs, constraints=LinearConstraint(sums[:-1], amounts[:-1], amounts[:-1]))
    if plan.fun is None:
        raise InternalError.at("transport between places")
    return float(plan.fun) * unit


def _top(table: Counts, k: int) -> NDArray[np.int64]:
    return np.argsort(-np.asarray(table), kind="stable")[:k]


def top_kept(true: Counts, synthetic: Counts, k: int) -> float:
    """Percentage of the true top k cells that are among the synthetic top k (TP_k, our definition).

    Both tops have the same size, at most the number of cells; of equal counts the first cell counts as larger.
    """
    k = min(k, len(true))
    return 100 * len(np.intersect1d(_top(true, k), _top(synthetic, k))) / k


def utility_loss(true: Counts, synthetic: Counts, k: int) -> float:
    """Percentage by which the counts of the true top k cells are off, summed over them (UL, our definition)."""
    top = _top(true, k)
    support = float(np.sum(np.asarray(true)[top]))
    if support <= 0:
        return 0.0
    off = np.abs(_scaled(synthetic, float(np.sum(true)))[top] - np.asarray(true)[top])
    return float(100 * off.sum() / support)


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
