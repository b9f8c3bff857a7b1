"""How close synthetic trips are to true ones, table by table, in the four metrics of Roy et al.

Roy, Kantarcioglu and Sweeney name these metrics without defining them. **The definitions here are ours**, so the numbers can be
compared with each other, but only loosely with theirs. Every metric takes a table of true counts and one of synthetic
counts on the same cells, and scales the synthetic one to the true total. Results from true counts are private: for the
owner only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from dpcore.errors import InternalError
from dpcore.kinds.roy.declared import edges_of
from dpcore.kinds.roy.domain import TripColumns, TripDomain
from dpcore.measures.attribute import Amount

Floats = NDArray[np.float64]
Counts = NDArray[np.int64] | Floats

TOP: Final = 20
"""Cells of a ranking that are compared; the paper uses 20 to 100."""
_TOP_HOURS: Final = 6  # of 24
_MOST_STATIONS: Final = 600
"""With more stations the transport problem takes seconds, so it is left out."""


def _scaled(synthetic: Counts, total: float) -> Floats:
    """Counts scaled to a total; an empty table stays empty."""
    own = float(np.sum(synthetic))
    return np.asarray(synthetic, np.float64) * (total / own if own > 0 else 0.0)


def average_relative_error(true: Counts, synthetic: Counts, smallest: float | None = None) -> float:
    """Mean over cells of ``abs(synthetic - true) / max(true, smallest)`` (AvRLE, our definition).

    ``smallest`` keeps small counts from dominating the mean; its default is 0.1 % of the total.
    """
    total = float(np.sum(true))
    floor = max(total / 1000 if smallest is None else smallest, 1e-12)
    return float((np.abs(_scaled(synthetic, total) - true) / np.maximum(true, floor)).mean())


def shift_along_line(true: Counts, synthetic: Counts, positions: Floats | None = None) -> float:
    """Earth mover's distance between two tables on ordered cells: how far an average trip must be moved.

    The unit is that of ``positions``, which ascend; without them it is bins. Computed as the area between the two distribution
    functions.
    """
    if np.sum(true) <= 0 or np.sum(synthetic) <= 0:
        return 0.0
    where = np.arange(len(true), dtype=np.float64) if positions is None else positions
    gap = np.cumsum(np.asarray(true) / np.sum(true) - np.asarray(synthetic) / np.sum(synthetic))
    return float((np.abs(gap[:-1]) * np.diff(where)).sum())


def shift_between_places(true: Counts, synthetic: Counts, kilometres: Floats) -> float:
    """Earth mover's distance between two tables over places, in kilometres: how far an average trip must be moved.

    Solved exactly as a transport problem. What both tables have at one place stays there. That is optimal for every distance
    that obeys the triangle inequality.
    """
    if np.sum(true) <= 0 or np.sum(synthetic) <= 0:
        return 0.0
    from scipy.optimize import LinearConstraint, milp  # noqa: PLC0415 - slow to load, and few commands need it

    gap = np.asarray(synthetic) / np.sum(synthetic) - np.asarray(true) / np.sum(true)
    much, less = np.flatnonzero(gap > 0), np.flatnonzero(gap < 0)
    if len(much) == 0:
        return 0.0
    moved = float(gap[much].sum())
    unit = moved / len(much)  # so amounts are near 1, well above the tolerance of the solver
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
    """Percentage of the true top k cells that are also in the synthetic top k (TP_k, our definition).

    k is at most the number of cells. Among equal counts, the cell that comes first ranks higher.
    """
    k = min(k, len(true))
    return 100 * len(np.intersect1d(_top(true, k), _top(synthetic, k))) / k


def utility_loss(true: Counts, synthetic: Counts, k: int) -> float:
    """Sum of the errors of the true top k cells, as a percentage of their true sum (UL, our definition)."""
    top = _top(true, k)
    support = float(np.sum(np.asarray(true)[top]))
    if support <= 0:
        return 0.0
    off = np.abs(_scaled(synthetic, float(np.sum(true)))[top] - np.asarray(true)[top])
    return float(100 * off.sum() / support)


@dataclass(frozen=True)
class Closeness:
    """The metrics of one table."""

    table: str
    relative_error: float
    """Mean over cells, with at least 0.1 % of all trips as the denominator."""
    relative_error_of_one: float
    """The same with at least one trip as the denominator, so that empty cells dominate it."""
    shift: float | None
    """Earth mover's distance; None if there is none."""
    unit: str
    """Of ``shift``."""
    top: int
    top_kept: float
    """See ``top_kept``, in per cent."""
    utility_loss: float
    """See ``utility_loss``, in per cent."""


def closeness(original: TripColumns, synthetic: TripColumns, domain: TripDomain) -> tuple[Closeness, ...]:
    """The metrics for stations (out and in), routes, days, hours, and each attribute besides place and time.

    Amounts move along their bins, between the middles of these; missing ones stay out of that number.
    """
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
        top = _TOP_HOURS if axes == ("hour",) else TOP
        found.append(_of_table(name, true, made, (shift, unit), top))
    amounts = {one.name: one for one in domain.declared if isinstance(one, Amount)}
    for name in (attribute.name for attribute in domain.attributes):
        true, made = (_counts(trips, domain, (name,)) for trips in (original, synthetic))
        moved: tuple[float | None, str] = (None, "")
        if name in amounts:
            edges = edges_of(amounts[name]) * float(amounts[name].unit)
            moved = (shift_along_line(true[:-1], made[:-1], (edges[:-1] + edges[1:]) / 2), name)
        found.append(_of_table(name.replace("_", " ").capitalize(), true, made, moved, TOP))
    return tuple(found)


def _of_table(name: str, true: Counts, made: Counts, moved: tuple[float | None, str], top: int) -> Closeness:
    top, (shift, unit) = min(top, len(true)), moved
    return Closeness(
        name,
        average_relative_error(true, made),
        average_relative_error(true, made, 1.0),
        shift,
        unit,
        top,
        top_kept(true, made, top),
        utility_loss(true, made, top),
    )


def _counts(trips: TripColumns, domain: TripDomain, axes: tuple[str, ...]) -> Counts:
    shape = tuple(domain.sizes[axis] for axis in axes)
    cell = np.ravel_multi_index(tuple(trips.codes(domain, axis) for axis in axes), shape)
    return np.bincount(cell, minlength=int(np.prod(shape)))
