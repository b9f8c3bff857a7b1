"""Tables that agree with each other: the tables of a release, adjusted so that equal totals are equal.

This is post-processing of public values. It costs no privacy, and the files of a release stay as they were drawn.

The estimate is weighted least squares under linear identities: the best linear unbiased estimate. Cells ``y = x + noise``
have variances ``V`` (a diagonal), and rows ``A`` have ``A x = 0`` for every true ``x`` (``identities``). The ``x`` that
satisfies the identities and minimises the sum of ``(x - y)**2 / V`` is

    x = y - V A' K A y,   K = (A V A')**-1,   with the covariance  V - V A' K A V

(Lagrange; by Gauss, Markov and Aitken no linear unbiased estimate has a smaller variance in any cell or sum). ``A`` is
sparse and has few rows, so only the small matrix ``A V A'`` is ever factored: one row for each tile and some dozens more,
however many flows there are. The saved error follows exactly from the rates of the noise, whatever was drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import log, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from dpcore.comparison.identities import LINKED, Identities, Numbers, Rows, Stack, identities
from dpcore.errors import InputError
from dpcore.measures import measure_named
from dpcore.measures.choices import KeyChoices
from dpcore.measures.measurement import Measurement
from dpcore.measures.sums import sum_named
from dpcore.release import Release, release_table

_REFINEMENTS = 3  # each removes what rounding left of A x


@dataclass(frozen=True, eq=False)
class Estimate:
    """Estimated counts of all cells of a stack, with what is left of their noise."""

    values: Numbers
    """Shape (cells,). Not whole numbers, and possibly negative, so that their sums are unbiased."""
    variances: Numbers
    """Variance of each estimate, shape (cells,), in squared counts."""
    drawn: Numbers
    """Variance of each cell as drawn."""
    identities: Rows
    """The rows ``A``."""
    inverse: Numbers
    """The matrix ``K``."""

    def variance_of(self, sums: Rows) -> Numbers:
        """Exact variance of estimated sums of cells, one for each row."""
        cross = (self.identities.multiply(self.drawn) @ sums.T).toarray()  # A V w, shape (identities, sums)
        before = sums.power(2) @ self.drawn
        taken: Numbers = np.einsum("is,ij,js->s", cross, self.inverse, cross, optimize=True)
        return np.clip(before - taken, 0.0, None)


def least_squares(values: Numbers, variances: Numbers, identities: Rows) -> Estimate:
    """The estimate of cells that satisfies all identities.

    Args:
        values: noisy counts, shape (cells,).
        variances: variances of their noise, positive, shape (cells,).
        identities: rows ``A`` of full rank over the cells.

    """
    if not identities.shape[0]:
        return Estimate(values, variances, variances, identities, np.zeros((0, 0)))
    weighted = identities.multiply(variances).tocsr()
    spread = (weighted @ identities.T).toarray()
    scale = 1 / np.sqrt(
        spread.diagonal()
    )  # rows of equal size, so that the matrix to invert is one of correlations
    factor = linalg.cho_factor(spread * np.outer(scale, scale))
    inverse = linalg.cho_solve(factor, np.diag(scale)) * scale[:, None]
    estimate = values.copy()
    for _ in range(_REFINEMENTS):
        estimate -= weighted.T @ (scale * linalg.cho_solve(factor, scale * (identities @ estimate)))
    taken = variances**2 * _diagonal(identities.T.tocsr(), inverse)
    return Estimate(estimate, np.clip(variances - taken, 0.0, None), variances, identities, inverse)


def _diagonal(rows: sparse.csr_array, inner: Numbers) -> Numbers:
    """The diagonal of ``rows @ inner @ rows.T``, from the few entries of each row."""
    first, each = rows.indptr[:-1], np.diff(rows.indptr)
    found = np.zeros(len(each))
    for i in range(int(each.max(initial=0))):
        longer = np.flatnonzero(each > i)
        at = first[longer] + i
        for j in range(i + 1):
            other = first[longer] + j
            product = rows.data[at] * rows.data[other] * inner[rows.indices[at], rows.indices[other]]
            found[longer] += product if i == j else 2 * product
    return found


_WIDE: Final = log(20) / sqrt(2)
"""95 % half width of continuous Laplace noise in standard deviations, 2.12. For a sum of many cells it is smaller (1.96)."""


@dataclass(frozen=True, eq=False)
class Table:
    """One measure after all tables were made to agree."""

    measurement: Measurement
    values: Numbers
    """Estimates of the listed cells. Not whole numbers, and possibly negative. Totals are sums of these."""
    deviations: Numbers
    """Standard deviation of each, in counts."""
    half_widths: Numbers
    """95 % half width of each, in counts: the deviation times the factor for the noise as drawn, but at least 2.12."""
    reason: str
    """Why the values are as drawn; empty if they are not."""


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
    """All tables of a release at one rung, agreeing with each other, and how much error that saves."""

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
        """Exact standard deviation, after agreement, of the sum of some cells of a measure; None: of all its cells.

        Cells that agree are no longer independent, so their own deviations do not determine it.
        """
        table = self.tables[measure]
        numbers = table.measurement.cell_numbers if cells is None else cells
        if measure not in self.stack.measurements:
            return sqrt(len(numbers)) * float(table.deviations[0]) if len(numbers) else 0.0
        row_of = np.full(table.measurement.keys.size, -1, np.int64)
        row_of[numbers] = 0
        return sqrt(float(self.estimate.variance_of(self.stack.sums(measure, row_of, 1))[0]))


def consistent(release: Release, rung: int = -1) -> Consistent:
    """The tables of a release at a rung (its number; -1: the finest), made to agree. Bundles stay as drawn."""
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
    """Why a measure cannot take part; empty if it can."""
    name = measurement.measure
    if measurement.cells is not None:
        return "only its larger counts are listed, so its totals are not measured"
    if name == "visits_per_tile" and choices.visits_cap is not None:
        return "it counts all points of a trip, and no other table tells how many those are"
    if name in LINKED:
        return ""
    return measure_named(name, choices).shares_no_total


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


@dataclass(frozen=True)
class Saving:
    """The error of one measure as drawn and after agreement. Estimates are unbiased, so error is variance."""

    measure: str
    cells: int
    """Number of listed cells."""
    before: float
    """Mean squared error of a cell as drawn, in squared counts."""
    after: float
    """Mean squared error of a cell after agreement, averaged over the cells (from the trace of the projection)."""
    total_before: float | None
    """Standard deviation of the sum of all cells as drawn, in counts; None if that sum means nothing."""
    total_after: float | None
    """The same after agreement."""

    @property
    def share(self) -> float:
        """Share of the squared error of a cell that is saved, 0 to 1."""
        return 1 - self.after / self.before


def savings(found: Consistent) -> tuple[Saving, ...]:
    """What agreement saves in each measure that was changed, in the order of the release."""
    return tuple(_saving(found, name) for name in found.names)


def _saving(found: Consistent, name: str) -> Saving:
    table = found.tables[name]
    before = found.stack.variance(name)
    cells = len(table.values)
    sums = measure_named(name).adds_up
    return Saving(
        measure=name,
        cells=cells,
        before=before,
        after=float(np.square(table.deviations).mean()),
        total_before=sqrt(cells * before) if sums else None,
        total_after=found.deviation_of_sum(name) if sums else None,
    )


INTRODUCTION: Final = (
    "Tables of one release count the same trips, so some of their sums must be equal. Noise makes them differ. They can be "
    "made to agree: every count is adjusted a little, uncertain ones more than certain ones (weighted least squares). "
    "That costs no privacy, makes no count worse on average, and leaves the files as they were drawn."
)
_NAMES: Final = {
    "users": "people",
    "trips": "trips",
    "complete_trips": "complete trips",
    "records": "records",
}
_SMALL: Final = 0.005  # a share that rounds to nothing


def said(found: Consistent) -> tuple[str, ...]:
    """The effect of agreement on tables, one sentence for each fact; empty if no two tables share a total."""
    if not found.names:
        return ()
    lines = [INTRODUCTION]
    if found.totals:
        lines.append(f"Together the tables tell: {'; '.join(_total(found, name) for name in found.totals)}.")
    lines += [saved(one) for one in savings(found)]
    left = [
        f"{_title(name)}: as drawn, because {table.reason}."
        for name, table in found.tables.items()
        if table.reason
    ]
    return (*lines, *left)


def _total(found: Consistent, name: str) -> str:
    total = found.totals[name]
    return f"about {total.value:,.0f} {_NAMES[name]} (± {total.half_width:,.0f}, 95 %)"


def saved(one: Saving) -> str:
    """One sentence: how much of the error of a measure agreement saves."""
    text = f"{_title(one.measure)}: agreement saves {_percent(one.share)} of the squared error of a count"
    if one.total_before is not None and one.total_after is not None:
        text += (
            f"; the typical error of their sum falls from {one.total_before:,.0f} to {one.total_after:,.0f}"
        )
    return f"{text}."


def _percent(share: float) -> str:
    """A share in words, never overstated.

    >>> _percent(0.5), _percent(0.0004)
    ('50 %', 'less than 1 %')
    """
    return "less than 1 %" if share < _SMALL else f"{100 * share:.0f} %"


def _title(name: str) -> str:
    return measure_named(name).title


def consistent_table(
    release: Release, measure: str, epsilon: Fraction | None
) -> tuple[dict[str, list[str] | list[int]], Table, str]:
    """One measure at one released rung, agreeing with the other tables: key columns, ``value``, ``half_width_95``.

    Values are decimal texts with six digits, so that printed totals agree too. Half widths have three and are rounded up.
    The table itself is returned beside them; its ``reason`` says why values are as drawn, if they are. Last comes one
    sentence on what agreement saves, or that reason. Arguments and refusals as in ``release_table``.
    """
    if sum_named(measure, release.plan.choices.sums) is not None:
        raise InputError(
            "sums and means share no total with the other tables",
            measure,
            "Leave --consistent out, in the library consistent=.",
        )
    columns = release_table(release, measure, epsilon)
    wanted = release.plan.epsilon if epsilon is None else epsilon
    found = consistent(release, release.measurements[measure].rungs.index(wanted))
    table = found.tables[measure]
    said = next((saved(one) for one in savings(found) if one.measure == measure), f"as drawn: {table.reason}")
    return (
        {
            **columns,
            "value": [f"{value:.6f}" for value in table.values.tolist()],
            "half_width_95": [_up(width) for width in table.half_widths.tolist()],
        },
        table,
        said,
    )


def _up(width: float) -> str:
    """Three decimals, rounded up.

    >>> _up(1.2341), _up(3.0)
    ('1.235', '3.000')
    """
    rounded = round(width, 3)
    return f"{rounded if rounded >= width else rounded + 0.001:.3f}"
