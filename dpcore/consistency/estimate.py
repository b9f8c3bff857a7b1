"""Tables that agree with each other: what a release says, put together so that equal totals are equal.

Post-processing of public values: it costs no privacy, and the files of a release stay as they were drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import log, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from dpcore.consistency.identities import LINKED, Identities, identities
from dpcore.consistency.least_squares import Estimate, least_squares
from dpcore.consistency.stack import Numbers, Rows, Stack
from dpcore.measures import measure_named
from dpcore.measures.choices import KeyChoices
from dpcore.measures.measurement import Measurement
from dpcore.release import Release

_WIDE: Final = log(20) / sqrt(2)
"""95 % half width of continuous Laplace noise in standard deviations, 2.12: more than a sum of many has (1.96)."""


@dataclass(frozen=True, eq=False)
class Table:
    """One measure after all tables were made to agree."""

    measurement: Measurement
    values: Numbers
    """Estimates of the listed cells, not whole numbers and maybe negative; totals are sums of these."""
    deviations: Numbers
    """Standard deviation of each, in counts."""
    half_widths: Numbers
    """95 % half width of each, in counts: the deviation times what that is for the noise as drawn, or 2.12 if more."""
    reason: str
    """Why the values are those that were drawn; empty where they are not."""

    def for_display(self) -> NDArray[np.int64]:
        """Whole numbers of 0 or more, for pictures alone: their sums are too large."""
        return np.maximum(np.rint(self.values), 0).astype(np.int64)


@dataclass(frozen=True)
class Total:
    """A number that several tables tell together."""

    value: float
    deviation: float
    """Standard deviation, in its own unit."""

    @property
    def half_width(self) -> float:
        """95 % half width."""
        return _WIDE * self.deviation


@dataclass(frozen=True, eq=False)
class Consistent:
    """All tables of a release at one rung, agreeing with each other, and how much error that saved."""

    rung: int
    tables: Mapping[str, Table]
    """By measure, in the order of the release."""
    totals: Mapping[str, Total]
    """``trips``, ``complete_trips``, ``records`` and ``users``, as far as the tables tell them."""
    stack: Stack
    estimate: Estimate

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Measures that were changed."""
        return tuple(name for name, table in self.tables.items() if not table.reason)

    def deviation_of_sum(self, measure: str, cells: NDArray[np.int64] | None = None) -> float:
        """Exact standard deviation of the sum of some cells of a measure after agreement; None: of all of them.

        Cells that agree are no longer independent, so their deviations alone do not tell it.
        """
        table = self.tables[measure]
        numbers = table.measurement.cell_numbers if cells is None else cells
        if measure not in self.stack.measurements:
            return sqrt(len(numbers)) * float(table.deviations[0]) if len(numbers) else 0.0
        row_of = np.full(table.measurement.keys.size, -1, np.int64)
        row_of[numbers] = 0
        return sqrt(float(self.estimate.variance_of(self.stack.sums(measure, row_of, 1))[0]))


def consistent(release: Release, rung: int = -1) -> Consistent:
    """The tables of a release at a rung (its number; -1: the finest), made to agree; bundles stay as drawn."""
    return agreed(release.measurements, release.plan.choices, rung)


def agreed(measurements: Mapping[str, Measurement], choices: KeyChoices, rung: int = -1) -> Consistent:
    """Measurements of the same trips under one bound and one choice of keys, made to agree at a rung."""
    reasons = {name: _left_out(one, choices) for name, one in measurements.items()}
    stack = Stack({name: one for name, one in measurements.items() if not reasons[name]}, rung)
    known = identities(stack, choices)
    estimate = least_squares(stack.values, stack.variances, _matrix(known, stack))
    touched = np.diff(estimate.identities.tocsc().indptr) > 0
    tables = {}
    for name, one in measurements.items():
        reason = reasons[name]
        if not reason and not touched[stack.part(name)].any():
            reason = "no other table of this release shares a total with it"
        tables[name] = _table(one, rung, reason, None if reason else (stack, estimate, name))
    totals = {
        name: Total(float((row @ estimate.values)[0]), sqrt(float(estimate.variance_of(row)[0])))
        for name, row in known.totals.items()
    }
    return Consistent(rung, tables, totals, stack, estimate)


def _left_out(measurement: Measurement, choices: KeyChoices) -> str:
    """Why a measure can take no part; empty if it can."""
    name = measurement.measure
    if measurement.cells is not None:
        return "only its larger counts are listed, so its totals are not measured"
    if name == "visits_per_tile" and choices.visits_cap is not None:
        return "it counts all points of a trip, and how many those are no other table tells"
    if name in LINKED:
        return ""
    return measure_named(name).shares_no_total


def _matrix(known: Identities, stack: Stack) -> Rows:
    blocks = [identity.rows for identity in known.known]
    return Rows(sparse.vstack(blocks, format="csr")) if blocks else Rows((0, stack.size))


def _table(
    measurement: Measurement, rung: int, reason: str, found: tuple[Stack, Estimate, str] | None
) -> Table:
    alone = Stack({measurement.measure: measurement}, rung)
    drawn = sqrt(alone.variance(measurement.measure))
    width = measurement.half_widths[rung]
    values = measurement.values[rung].astype(np.float64)
    if found is None:
        deviations = np.full(len(values), drawn)
        return Table(measurement, values, deviations, np.full(len(values), float(width)), reason)
    stack, estimate, name = found
    part = stack.part(name)
    deviations = np.sqrt(estimate.variances[part])
    return Table(measurement, estimate.values[part], deviations, deviations * max(_WIDE, width / drawn), "")
