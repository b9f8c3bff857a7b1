"""Sums that must agree: parts are changed until they add up to what is known of their whole.

The parts share a difference in proportion to their variance: ``x += v (target - sum x) / sum v``. This is the least change
in units of what is not known (generalised least squares under one linear condition for each group). A part that would fall
below 0 becomes 0 and the others share the rest. Last comes one factor for each group, so that sums agree to rounding.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from dpcore.estimates.noisy import Integers, Numbers

_ROUNDS: Final = 8
_HALVINGS: Final = 90
_FIT_ROUNDS: Final = 200
_MOST_FIT_ROUNDS: Final = 5_000  # small tables with cells near 0 need them, and they cost nothing there
_FIT_CELLS: Final = 20_000_000


def summed(values: Numbers, group: Integers, count: int = 0) -> Numbers:
    """The sum of each group, as floating point numbers; at least ``count`` sums."""
    found: Numbers = np.bincount(group, values, minlength=count).astype(np.float64)
    return found


def raked(x: Numbers, variance: Numbers, group: Integers, target: Numbers) -> Numbers:
    """Parts, 0 or more, that add up to the target of their group. Flat arrays; ``group`` numbers the targets."""
    found = np.maximum(x, 0.0)
    free = np.maximum(variance, 1e-12)
    for _ in range(_ROUNDS):
        missing = target - summed(found, group, len(target))
        if np.abs(missing).max(initial=0.0) <= 1e-9 * (1 + target.max(initial=0.0)):
            break
        shared = summed(free, group, len(target))
        found = found + free * (missing / np.maximum(shared, 1e-300))[group]
        free = np.where(found <= 0, 1e-12, free)
        found = np.maximum(found, 0.0)
    return scaled(found, free, group, target)


def lowered(x: Numbers, total: float) -> Numbers:
    """Numbers, 0 or more, that add up to a total: each is lowered by the same amount, as far as it may.

    They are the nearest such numbers (least squares). Where even all positive ones add up to less, these stand.
    """
    falling = np.sort(x)[::-1]
    excess = np.cumsum(falling) - max(total, 0.0)
    each = excess / np.arange(1, len(x) + 1)
    last = np.flatnonzero(falling > each)
    by = max(float(each[last[-1]]), 0.0) if len(last) else float(falling.max(initial=0.0))
    found: Numbers = np.maximum(x - by, 0.0)
    return found


def scaled(x: Numbers, fallback: Numbers, group: Integers, target: Numbers) -> Numbers:
    """Parts times one factor for each group, so that they add up to its target; ``fallback`` says how if all are 0."""
    total = summed(x, group, len(target))
    empty = (total <= 0) & (target > 0)
    if empty.any():
        x = np.where(empty[group], np.maximum(fallback, 1e-12), x)
        total = summed(x, group, len(target))
    factor = np.divide(target, total, out=np.zeros_like(target), where=total > 0)
    found: Numbers = x * factor[group]
    return found


def fit_margins(table: Numbers, rows: Numbers, columns: Numbers) -> Numbers:
    """The table of the same odds ratios with given sums of rows and columns (iterative proportional fitting).

    Both margins must have one total. Sums of rows agree to rounding. Sums of columns agree to 1e-9 of the total, unless
    zeros of the table forbid it.
    """
    found = np.maximum(table, 0.0)
    limit = 1e-10 * max(float(rows.sum()), 1e-300)
    for _ in range(max(_FIT_ROUNDS, min(_MOST_FIT_ROUNDS, _FIT_CELLS // max(found.size, 1)))):
        found = found * quotient(columns, found.sum(axis=0))
        sums = found.sum(axis=1)
        found = found * quotient(rows, sums)[:, None]
        if np.abs(sums - rows).max(initial=0.0) <= limit:
            break
    return found


def quotient(target: Numbers, total: Numbers) -> Numbers:
    """Elementwise ratio; 0 where the total is not positive."""
    found: Numbers = np.divide(target, total, out=np.zeros_like(target), where=total > 0)
    return found


def shifted(x: Numbers, variance: Numbers, most: Numbers, group: Integers, total: Numbers) -> Numbers:
    """Numbers between 0 and ``most`` with given sums of groups: each moved by a multiple of its variance, as far as it may.

    The sum of a group grows with its multiple, so bisection finds it. A total is at most the sum of ``most``.
    """
    free = np.maximum(variance, 1e-9)
    reach = float(((np.abs(x) + most + 1.0) / free).max(initial=1.0))
    low, high = np.full(len(total), -reach), np.full(len(total), reach)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        short = summed(np.clip(x + middle[group] * free, 0.0, most), group, len(total)) < total
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    found: Numbers = np.clip(x + high[group] * free, 0.0, most)
    return found
