"""Whether sparse tables have the law of the dense one: looks at draws, cell by cell and rung by rung.

Nothing here is drawn and nothing is asked of the package: the expected law is written down from the definition.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy import stats

from tests.chance import Looks, classes, one_count, trials
from tests.noise_law import pmf, step_pmf

_CLASSES = np.arange(-2, 3)  # of a step between rungs, in its own spread


def reaches(rho, values):
    """P(V >= v) for whole numbers of either sign."""
    q, values = np.exp(-float(rho)), np.asarray(values)
    return np.where(values > 0, q ** np.abs(values), 1 + q - q ** (1.0 - np.minimum(values, 0))) / (1 + q)


@dataclass(frozen=True)
class Asked:
    """One table that is drawn again and again."""

    cells: np.ndarray
    counts: np.ndarray
    size: int
    rhos: list
    threshold: int

    @property
    def exact(self):
        """The count of every cell."""
        exact = np.zeros(self.size, np.int64)
        exact[self.cells] = self.counts
        return exact


def drawn(asked, draw, times):
    """Repetition, cell and values of every listed cell of so many tables."""
    tables = [draw(asked.cells, asked.counts, asked.size, asked.rhos, asked.threshold) for _ in range(times)]
    which = np.repeat(np.arange(times), [len(cells) for cells, _ in tables])
    return which, np.concatenate([t[0] for t in tables]), np.concatenate([t[1] for t in tables], axis=1)


def looks_at(asked, found, times) -> dict[str, Looks]:
    """Looks by what is looked at."""
    which, cells, values = found
    exact, top = asked.exact, asked.rhos[-1]
    occupied = np.zeros(asked.size, bool)
    occupied[asked.cells] = True
    chance = reaches(top, asked.threshold - exact)
    listed = np.bincount(cells, minlength=asked.size)
    seen = {}
    for name, kind in (("occupied", occupied), ("empty", ~occupied)):
        if not kind.any():
            continue
        # which cells, and how many over all
        seen[f"{name}: which"] = trials(listed[kind], float(times), times * chance[kind])
        # by how much that varies: cells that repel or attract each other have the right mean alone
        groups = [np.flatnonzero(kind & (exact == count)) for count in np.unique(exact[kind])]
        for group in groups:
            law = stats.binom.pmf(np.arange(times + 1), times, chance[group[0]])
            seen[f"{name} {exact[group[0]]}: number of each cell"] = classes(
                np.bincount(np.minimum(listed[group], times), minlength=times + 1), law
            )
        law = np.ones(1)
        for group in groups:
            law = np.convolve(law, stats.binom.pmf(np.arange(len(group) + 1), len(group), chance[group[0]]))
        numbers = np.bincount(which[kind[cells]], minlength=times)
        seen[f"{name}: number of each table"] = classes(np.bincount(numbers, minlength=len(law)), law)
        seen |= {f"{name}: {what}": looks for what, looks in _values(asked, cells, values, kind).items()}
    # neighbours: both of two cells in a row are listed as often as independence says; no two such pairs share a cell
    second = cells[1:][(np.diff(cells) == 1) & (np.diff(which) == 0)]
    pairs = chance[:-1] * chance[1:]
    for parity in range(2):
        mine = pairs[parity::2]
        if len(mine):
            seen[f"neighbours {parity}"] = one_count(
                ((second - 1) % 2 == parity).sum(), times * len(mine), mine.mean()
            )
    return seen


def _values(asked, cells, values, kind) -> dict[str, Looks]:
    """Of the listed cells of a kind: values at the top, and all steps between rungs together with them."""
    mine = kind[cells]
    exact, top = asked.exact[cells[mine]], asked.rhos[-1]
    if not len(exact):
        return {}
    most = int(30 / float(top)) + max(int(exact.max()), asked.threshold)
    noise, expected = np.arange(-most, most + 1), np.zeros(2 * most + 1)
    for count, times in zip(*np.unique(exact, return_counts=True), strict=True):
        least = asked.threshold - count
        expected += times * np.where(noise >= least, pmf(top, noise), 0) / reaches(top, least)
    shown = np.bincount(np.clip(values[-1, mine] - exact, -most, most) + most, minlength=2 * most + 1)
    found = {"values": classes(shown, expected / len(exact))}
    above = values[-1, mine] - asked.threshold
    law, code, shape = np.ones(1), np.zeros(int(mine.sum()), np.int64), ()
    for rung, (coarse, fine) in enumerate(pairwise(asked.rhos)):
        width = max(1, int(0.8 / float(coarse)))
        every = np.arange(-int(40 / float(coarse)), int(40 / float(coarse)) + 1)
        shares = np.bincount(_class(every, width), step_pmf(coarse, fine, every), len(_CLASSES))
        step = _class(values[rung, mine] - values[rung + 1, mine], width)
        found[f"step {rung}"] = classes(np.bincount(step, minlength=len(_CLASSES)), shares)
        if rung >= len(asked.rhos) - 3:  # jointly at most two steps: more classes than draws show nothing
            law, shape = np.multiply.outer(law, shares).ravel(), (*shape, len(_CLASSES))
            code = code * len(_CLASSES) + step
    tall = np.minimum(above // max(1, int(0.7 / float(top))), 4)
    table = np.bincount(tall * len(law) + code, minlength=5 * len(law)).reshape(5, *shape)
    # the heights are taken as they came: they are looked at above
    rows = [classes(row, law.reshape(shape)) for row in table if row.sum()]
    found["values and steps together"] = sum(rows[1:], rows[0])
    return found


def _class(step, width):
    return np.clip(np.floor_divide(step + width // 2, width), -2, 2) + 2
