"""Two histograms with different bins on the edges that both have: bins are joined, and no count is split."""

from __future__ import annotations

from itertools import pairwise
from math import inf
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.errors import InputError
from dpcore.similarity.count_table import CountTable

_LEAST: Final = 2
"""Common edges that are needed: one alone would only tell two parts apart."""
_SHOWN: Final = 8


def on_common_edges(one: CountTable, other: CountTable) -> tuple[CountTable, CountTable, str]:
    """Both tables with the bins between their common edges, and a note that says so.

    Raises InputError where there are fewer than two common edges.
    """
    common = sorted(_edges(one) & _edges(other))
    if len(common) < _LEAST:
        raise InputError(
            "the bins are not the same",
            one.measure,
            "Count both with the same edges, or with two common edges at least.",
        )
    listed = ", ".join(f"{edge:g}" for edge in common[:_SHOWN]) + (", ..." if len(common) > _SHOWN else "")
    note = f"the bins differ; both were joined to the {len(common)} edges that they share: {listed}"
    return _joined(one, common), _joined(other, common), note


def _edges(table: CountTable) -> set[float]:
    return {edge for edge in np.concatenate(_ends(table)).tolist() if np.isfinite(edge)}


def _ends(table: CountTable) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    return table.columns["bin_start"].astype(float), table.columns["bin_end"].astype(float)


def _joined(table: CountTable, edges: list[float]) -> CountTable:
    """Every bin goes whole into the one of the new bins that holds it: new edges are edges of the table."""
    starts, _ = _ends(table)
    counts = np.bincount(np.searchsorted(edges, starts, side="right"), table.values, len(edges) + 1)
    bins = list(pairwise((-inf, *edges, inf)))
    columns = {"bin_start": [str(low) for low, _ in bins], "bin_end": [str(high) for _, high in bins]}
    return CountTable.of(table.measure, columns, counts.tolist())
