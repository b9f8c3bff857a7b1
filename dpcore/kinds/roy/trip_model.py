"""From noisy tables to a distribution of trips, as a tree of conditional distributions. Post-processing, no data.

The usual tree is: ``(start, end)``; month given start; day type given start and month; date given month and day type; hour given
start and day type; duration given the distance band; area given start; the other attributes of a person given the area; declared
attributes alone. Groups of the owner draw their attributes instead, each given those of the group that come before it. Whatever
is in no table, such as a station that is busy on one date only, is lost by design at every epsilon.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpcore.kinds.roy.consistency import consistent, labels_of, on_simplex, with_margins
from dpcore.kinds.roy.domain import Group, TripDomain
from dpcore.kinds.roy.workload import NoisyTables, sources

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Law:
    """The distribution of one attribute given others."""

    given: tuple[str, ...]
    values: Floats
    """Shape (combinations of the given attributes, values), the last given one fastest."""


@dataclass(frozen=True, eq=False)
class Calendar:
    """The distributions of month, day type and date; each row adds up to 1."""

    month: Floats | None
    """P(month | start); None if months are not told apart."""
    day_type: Floats
    """P(day type | start, month), shape (stations, months or 1, day types)."""
    date: Floats
    """P(date | month, day type), shape (months or 1, day types, dates)."""


@dataclass(frozen=True, eq=False)
class TripModel:
    """The distribution from which trips are drawn; each row of a conditional distribution adds up to 1."""

    domain: TripDomain
    trips: int
    """Estimated number of trips, and size of a synthetic data set."""
    flows: Floats
    """P(start, end), shape (stations, stations)."""
    calendar: Calendar | None
    """None if a group of the owner draws the date."""
    laws: Mapping[str, Law]
    """All other attributes in the order in which they are drawn."""


def conditional(table: Floats) -> Floats:
    """Each row along the last axis, divided by its sum; cells are 0 or more.

    An empty row gets the distribution of all rows together. If all rows are empty, they become uniform.
    """
    flat = table.reshape(-1, table.shape[-1])
    together = flat.sum(axis=0) if flat.sum() > 0 else np.ones(flat.shape[1])
    sums = flat.sum(axis=1, keepdims=True)
    rows = np.where(sums > 0, flat / np.where(sums > 0, sums, 1), together / together.sum())
    return np.asarray(rows.reshape(table.shape))


def fitted(noisy: NoisyTables) -> TripModel:
    """The distribution of trips that follows from noisy tables: made consistent, projected, then conditioned."""
    domain, total = noisy.plan.domain, noisy.total
    agreed = consistent(noisy)
    tables = {group.name: _law(group, domain, agreed[group.name], total) for group in noisy.plan.groups}
    from_tables = sources(domain)
    return TripModel(
        domain=domain,
        trips=max(0, round(total)),
        flows=conditional(tables["start+end"].reshape(1, -1)).reshape(tables["start+end"].shape),
        calendar=None if "date" in from_tables else _calendar(domain, tables),
        laws={
            name: _conditional_law(domain, group, tables[group.name], name)
            for name, group in from_tables.items()
        },
    )


def _conditional_law(domain: TripDomain, group: Group, table: Floats, name: str) -> Law:
    """The distribution of an attribute given those of a table that are drawn before it; the later ones are added up."""
    place = domain.order.index(name)
    given = tuple(axis for axis in group.axes if domain.order.index(axis) < place)
    kept = [group.axes.index(axis) for axis in (*given, name)]
    others = tuple(number for number in range(table.ndim) if number not in kept)
    left = [number for number in range(table.ndim) if number in kept]
    part = table.sum(axis=others).transpose([left.index(number) for number in kept])
    return Law(given, conditional(part.reshape(-1, part.shape[-1])))


def _calendar(domain: TripDomain, tables: Mapping[str, Floats]) -> Calendar:
    hours = tables.get("start+hour+day_type")
    by_start = tables["start+day_type"] if hours is None else hours.sum(axis=1)
    month_of, day_type_of = domain.month_of_date, domain.day_type_of_date
    months = domain.sizes["month"] if domain.by_month else 1
    row = (month_of if domain.by_month else 0) * len(domain.day_types) + day_type_of
    dates = np.zeros((months * len(domain.day_types), len(day_type_of)))
    dates[row, np.arange(len(row))] = tables["date"]
    in_month = dates.sum(axis=1).reshape(months, -1)
    return Calendar(
        conditional(tables["start+month"]) if domain.by_month else None,
        _day_types(by_start, in_month, row, months),
        _dates(dates, row).reshape(months, len(domain.day_types), -1),
    )


def _law(group: Group, domain: TripDomain, table: Floats, total: float) -> Floats:
    """A consistent table without negative cells; the sums over its first axis and over all others together stay."""
    if table.ndim == 1:
        return on_simplex(table, total)
    cell, rest = np.arange(table.size), table.size // len(table)
    bands = labels_of(domain, group, "band") if group.name == "start+end" else None
    return with_margins(table, [cell // rest, cell % rest, *(() if bands is None else (bands,))], total)


def _dates(dates: Floats, row: NDArray[np.int64]) -> Floats:
    """P(date | row); if the projection left a row empty, its dates are equally likely."""
    there = np.zeros_like(dates)
    there[row, np.arange(len(row))] = 1.0
    return conditional(np.where(dates.sum(axis=1, keepdims=True) > 0, dates, there))


def _day_types(by_start: Floats, in_month: Floats, row: NDArray[np.int64], months: int) -> Floats:
    """P(day type | start, month), proportional to P(day type | start) P(day type | month) / P(day type).

    So a station keeps its own week, and a month its number of weekends. Without months only the first factor remains.
    """
    station = conditional(by_start)
    possible = (np.bincount(row, minlength=in_month.size) > 0).reshape(in_month.shape)
    if months == 1:
        return station[:, None, :]
    overall = in_month.sum(axis=0)
    tilt = conditional(np.where(in_month > 0, in_month, 1e-9 * possible)) / np.where(
        overall > 0, overall, 1.0
    )
    return conditional(station[:, None, :] * tilt + 1e-12 * possible)
