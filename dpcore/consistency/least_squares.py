"""Weighted least squares under linear identities: the best linear unbiased estimate of what was measured.

Cells ``y = x + noise`` with variances ``V`` (a diagonal), and rows ``A`` with ``A x = 0`` for every true ``x``. The
``x`` that satisfies the identities and minimises the sum of ``(x - y)**2 / V`` is

    x = y - V A' K A y,   K = (A V A')**-1,   with the covariance  V - V A' K A V

(Lagrange; by Gauss, Markov and Aitken no linear unbiased estimate has a smaller variance in any cell or sum). ``A``
is sparse and has few rows, so only the small matrix ``A V A'`` is ever factored: one row a tile and some dozens more,
however many flows there are. It uses noisy values and public facts alone, so it costs no privacy.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg, sparse

from dpcore.consistency.stack import Numbers, Rows

_REFINEMENTS = 3  # each takes what rounding left of A x away


@dataclass(frozen=True, eq=False)
class Estimate:
    """Estimated counts of all cells of a stack, with what is left of their noise."""

    values: Numbers
    """Shape (cells,), not whole numbers and maybe negative: their sums are unbiased."""
    variances: Numbers
    """Variance of each, shape (cells,), in squared counts."""
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
        variances: of their noise, positive, shape (cells,).
        identities: rows ``A`` of full rank over the cells.

    """
    if not identities.shape[0]:
        return Estimate(values, variances, variances, identities, np.zeros((0, 0)))
    weighted = identities.multiply(variances).tocsr()
    spread = (weighted @ identities.T).toarray()
    scale = 1 / np.sqrt(
        spread.diagonal()
    )  # rows of one size: what is left to invert is a matrix of correlations
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
