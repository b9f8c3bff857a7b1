"""Whether sparse tables have the law of the dense one: p-values against the exact law, cell by cell and rung by rung.

Nothing here is drawn and nothing is asked of the package: the expected law is written down from the definition.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy import stats

_CLASSES = np.arange(-2, 3)  # of a step between rungs, in its own spread


def pmf(rho, values):
    q = np.exp(-float(rho))
    return -np.expm1(-float(rho)) / (1 + q) * q ** np.abs(values)


def reaches(rho, values):
    """P(V >= v) for whole numbers of either sign."""
    q, values = np.exp(-float(rho)), np.asarray(values)
    return np.where(values > 0, q ** np.abs(values), 1 + q - q ** (1.0 - np.minimum(values, 0))) / (1 + q)


def step_pmf(coarse, fine, values):
    """Law of coarse minus fine noise."""
    q1, q2 = np.exp(-float(coarse)), np.exp(-float(fine))
    still = q2 / q1 * ((1 - q1) / (1 - q2)) ** 2
    return np.where(values == 0, still, 0) + (1 - still) * pmf(coarse, values)


def chi_square(observed, expected, lost=1):
    """p-value of counts against expectations, rare classes together; ``lost`` degrees of freedom are fitted."""
    observed, expected = np.ravel(observed), np.ravel(expected)
    rare = expected < 50
    observed = np.append(observed[~rare], observed[rare].sum())
    expected = np.append(expected[~rare], expected[rare].sum())
    if expected[-1] < 50:  # too few to judge even together
        observed, expected = observed[:-1], expected[:-1]
    statistic = ((observed - expected) ** 2 / expected).sum()
    return stats.chi2.sf(statistic, max(1, len(expected) - lost))


def two_sided(statistic, freedom):
    """p-value of a chi-square statistic that may be too small as well: cells that repel each other fit too well."""
    return 2 * min(stats.chi2.sf(statistic, freedom), stats.chi2.cdf(statistic, freedom))


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


def p_values(asked, found, times):
    """p-values by what is looked at; each small one of its own is a fault."""
    which, cells, values = found
    exact, top = asked.exact, asked.rhos[-1]
    occupied = np.zeros(asked.size, bool)
    occupied[asked.cells] = True
    chance = reaches(top, asked.threshold - exact)
    listed = np.bincount(cells, minlength=asked.size)
    seen = {}
    for name, kind in (("occupied", occupied), ("empty", ~occupied)):
        p = chance[kind]
        if not kind.any():
            continue
        whole = int(listed[kind].sum())
        # how many over all, how much the number varies from table to table, and which
        spread = np.sqrt(times * (p * (1 - p)).sum())
        seen[f"{name}: how many"] = 2 * stats.norm.sf(abs(whole - times * p.sum()) / spread)
        numbers = np.bincount(which[kind[cells]], minlength=times)
        if p.sum() >= 20:
            seen[f"{name}: number of each table"] = two_sided(
                ((numbers - p.sum()) ** 2).sum() / (p * (1 - p)).sum(), times
            )
        sure = times * np.minimum(p, 1 - p) >= 5
        mean = times * p[sure]
        statistic = ((listed[kind][sure] - mean) ** 2 / (mean * (1 - p[sure]))).sum()
        seen[f"{name}: which"] = two_sided(statistic, int(sure.sum()))
        seen |= {f"{name}: {what}": p for what, p in _values(asked, cells, values, kind).items()}
    # neighbours: both of two cells in a row are listed as often as independence says
    both = int(((np.diff(cells) == 1) & (np.diff(which) == 0)).sum())
    pairs = chance[:-1] * chance[1:]
    triples = chance[:-2] * chance[1:-1] * chance[2:]
    variance = times * ((pairs * (1 - pairs)).sum() + 2 * (triples - pairs[:-1] * pairs[1:]).sum())
    seen["neighbours"] = 2 * stats.norm.sf(abs(both - times * pairs.sum()) / np.sqrt(variance))
    return seen


def _values(asked, cells, values, kind):
    """Of the listed cells of a kind: values at the top, and all steps between rungs together with them."""
    mine = kind[cells]
    exact, top = asked.exact[cells[mine]], asked.rhos[-1]
    if not len(exact):
        return {}
    reach = int(30 / float(top)) + int(exact.max())
    shown = np.arange(asked.threshold, asked.threshold + reach)
    expected = np.zeros(reach)
    for count, times in zip(*np.unique(exact, return_counts=True), strict=True):
        expected += times * pmf(top, shown - count) / reaches(top, asked.threshold - count)
    above = np.minimum(values[-1, mine] - asked.threshold, reach - 1)
    found = {"values": chi_square(np.bincount(above, minlength=reach), expected)}
    law, code = np.ones(1), np.zeros(int(mine.sum()), np.int64)
    for rung, (coarse, fine) in enumerate(pairwise(asked.rhos)):
        width = max(1, int(0.8 / float(coarse)))
        every = np.arange(-int(40 / float(coarse)), int(40 / float(coarse)) + 1)
        shares = np.bincount(_class(every, width), step_pmf(coarse, fine, every), len(_CLASSES))
        found[f"step {rung}"] = chi_square(
            np.bincount(_class(values[rung, mine] - values[rung + 1, mine], width), minlength=len(_CLASSES)),
            shares * len(code),
        )
        if rung >= len(asked.rhos) - 3:  # jointly at most two steps: more classes than draws show nothing
            law = np.multiply.outer(law, shares).ravel()
            code = code * len(_CLASSES) + _class(values[rung, mine] - values[rung + 1, mine], width)
    tall = np.minimum(above // max(1, int(0.7 / float(top))), 4)
    table = np.bincount(tall * len(law) + code, minlength=5 * len(law)).reshape(5, -1)
    lost = int((table.sum(axis=1) > 0).sum())  # the heights are taken as they came: they are tested above
    found["values and steps together"] = chi_square(table, np.outer(table.sum(axis=1), law), lost)
    return found


def _class(step, width):
    return np.clip(np.floor_divide(step + width // 2, width), -2, 2) + 2
