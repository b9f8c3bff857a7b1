"""Metrics of the shares of a small table: each noisy count is paired with the sum of all others.

In a table of few cells the noisy total moves together with each count, so it cannot be replaced by its mean: of five cells
under strong noise, the Jensen-Shannon divergence would come out a sixth too small. But a count X and the sum R of the other
counts are independent, the share is ``X / (X + R)``, and a metric that is a sum over cells has for its mean the sum
of the means over all pairs of values of X and R. Where every noisy count is 0 there are no shares, and nothing is compared.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.utility_curves.cells import Cells, share_metrics
from dpcore.utility_curves.sums import clipped_cells, others

Numbers = NDArray[np.float64]

_MOST_CELLS: Final = 40
_VALUES: Final = 201  # of the law of one count


def is_small(cells: Cells) -> bool:
    """Whether a table is small enough for pairs; a sparse one never is."""
    return cells.false_flows is None and 2 <= cells.size <= _MOST_CELLS


def small_table_means(cells: Cells, rho: Fraction) -> dict[str, float]:
    """Mean of each metric of shares, summed over the cells of a small table."""
    kinds = np.repeat(np.arange(len(cells.times)), cells.times)
    counted = cells.counted.astype(float)[kinds]
    first = np.searchsorted(kinds, np.arange(len(cells.times)))
    one, rest = clipped_cells(counted, rho, _VALUES), others(counted, rho)
    found = dict.fromkeys(("smape", "jsd", "kld"), 0.0)
    for cell, true, times in zip(first, cells.truth, cells.times, strict=True):
        noisy = one.values[cell, :, None]
        total = noisy + rest.values[cell]
        chance = one.chances[cell, :, None] * rest.chances[cell]
        some = total > 0
        whole = chance[some].sum()
        metrics = share_metrics(cells.total, np.where(some, total, 1.0), float(cells.size))
        for name, metric in metrics.items():
            sizes = metric(np.full((1, 1), float(true)), noisy)
            found[name] += int(times) * float((sizes * chance)[some].sum() / whole)
    return found
