"""Flows between tiles by part of the day: what all windows tell of a pair, spread over them as its arrivals are.

A single window of a pair is nearly all noise. So a cell is first expected from what is known better:

* the flow of the pair over all windows: of paid flows, else of the law of flows and, where all pairs are listed, of the sum over
  the windows of the pair;
* the share of a window: that of the arrivals in the tile of the end, else that of the city.

Then the noisy count pulls the cell from that expectation as far as its noise leaves it open (``posterior``). A pair that is
listed because its noisy count is large keeps half of what it stands above, and a range that holds both, as flows do.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from dpcore.estimates.law import Law
from dpcore.estimates.listed import LEAST
from dpcore.estimates.noisy import Integers, Noisy, Numbers
from dpcore.estimates.posterior import Posterior, fitted, posterior_of
from dpcore.estimates.result import Ranged

_BINS: Final = 8
_LITTLE: Final = 1e-4


@dataclass(frozen=True, eq=False)
class KnownFlows:
    """What is known of flows over all windows: estimated ones, in the order of their cells, and the law for the others."""

    places: int
    cells: Integers
    values: Numbers
    law: Law | None

    def at(self, cells: Integers) -> Numbers:
        """The expected flow of some pairs, more than 0."""
        found = np.full(len(cells), LEAST / 2)
        if self.law is not None:
            found = self.law.flows(cells)
        if len(self.cells):
            place = np.minimum(np.searchsorted(self.cells, cells), len(self.cells) - 1)
            found = np.where(self.cells[place] == cells, self.values[place], found)
        least: Numbers = np.maximum(found, _LITTLE)
        return least


def flows_by_window(
    table: Noisy, pairs: KnownFlows | None, shares: Numbers | None
) -> tuple[Integers | None, Ranged]:
    """Numbers of the listed cells, None if all are listed, and their flows.

    Args:
        table: noisy flows by day type, window, origin and destination.
        pairs: what other tables tell of flows over all windows; None if nothing.
        shares: arrivals by window and place of the end, shape (windows, places), or (windows, 1) of the city; None if nothing
            tells them but the flows themselves.

    """
    places = table.keys.shape[-1]
    each = places * places
    if table.cells is None:
        y = table.values.reshape(-1, each)
        sums, noise = y.sum(axis=0), table.noise.of_sum(len(y))
        even = np.full(each, max(float(sums.sum()), 1.0) / each)
        usual = even if pairs is None else pairs.at(np.arange(each))
        whole = posterior_of(sums, noise, usual, fitted(sums, noise, usual, _BINS)).values
        mean = np.maximum(np.tile(whole, len(y)) * _spread(shares, y, np.arange(y.size), places), _LITTLE)
        found = posterior_of(y.ravel(), table.noise, mean, fitted(y.ravel(), table.noise, mean, _BINS))
        return None, Ranged(
            found.values, np.minimum(found.low, found.values), np.maximum(found.high, found.values)
        )
    cells, drawn = table.cells, table.values
    if not len(cells):
        return cells, Ranged.without_range(drawn)
    known = KnownFlows(places, np.zeros(0, np.int64), np.zeros(0), None) if pairs is None else pairs
    mean = known.at(cells % each) * _spread(shares, None, cells, places)
    mean = np.maximum(mean, _LITTLE)
    found = posterior_of(drawn, table.noise, mean, fitted(drawn, table.noise, mean, _BINS))
    return _listed(cells, drawn, found, table.noise.half_width)


def _spread(shares: Numbers | None, y: Numbers | None, cells: Integers, places: int) -> Numbers:
    """The share of its window for each cell."""
    if shares is None and y is not None:
        shares = np.maximum(y.sum(axis=1), 1.0)[:, np.newaxis]
    if shares is None:
        return np.ones(len(cells))
    shares = np.maximum(shares, _LITTLE)
    part = shares / shares.sum(axis=0)
    found: Numbers = part[cells // (places * places), cells % places if part.shape[1] > 1 else 0]
    return found


def _listed(cells: Integers, drawn: Numbers, found: Posterior, reach: int) -> tuple[Integers, Ranged]:
    values = found.values + np.maximum(drawn - found.values, 0.0) / 2
    low = np.minimum(np.minimum(found.low, np.maximum(drawn - reach, 0.0)), values)
    high = np.maximum(np.maximum(found.high, drawn + reach), values)
    some = values >= LEAST
    return cells[some], Ranged(values[some], low[some], high[some])
