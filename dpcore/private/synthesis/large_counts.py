"""Private rows become the large counts of a stability histogram, with or without a public list of keys.

Each call draws afresh: a release calls it once, after it was paid for.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

import numpy as np
from numpy.typing import NDArray

from dpcore.errors import PrivacyError
from dpcore.measurement import Origin
from dpcore.private.synthesis.taps import CodedColumn, Taps, key_shape, occupied
from dpcore.synthesis.stability.large_counts import LargeCounts, StabilityHistogram
from dpcore.synthesis.stability.plan import UNKNOWN, Combination
from dpcore.table_mechanisms.stability import large_counts, large_counts_of_domain

Counts = NDArray[np.int64]


def stability_histogram(found: Taps, *, origin: Origin) -> StabilityHistogram:
    """A fresh draw of every combination; costs the epsilon and the delta of the plan."""
    plan, large = found.plan, {}
    for one in plan.combinations:
        threshold = plan.threshold(one)
        keys, values = large_counts(*occupied(found, one), plan.rho(one), threshold)
        large[one.name] = _named(found, one, keys, values, threshold)
    return StabilityHistogram(plan, large, origin)


def histogram_of_domain(
    found: Taps, domain: Mapping[str, tuple[str, ...]], *, origin: Origin
) -> StabilityHistogram:
    """A fresh draw where all possible keys are public: costs the epsilon of the plan and no delta at all.

    Args:
        found: rows that count.
        domain: the public texts of each column; what is not listed counts as unknown.
        origin: whether this is a throw-away draw or one that was paid for.

    Raises:
        PrivacyError: a column without a list.

    """
    plan = found.plan
    missing = sorted(set(found.columns) - set(domain))
    if missing:
        raise PrivacyError(
            "a column has no public list of values",
            ", ".join(missing),
            "List them, or use a threshold with a delta.",
        )
    listed = {name: _relisted(column, domain[name]) for name, column in found.columns.items()}
    public, large = Taps(plan, found.part, listed), {}
    for one in plan.combinations:
        cells, counts = occupied(public, one)
        size = prod(key_shape(public, one))
        keys, values, threshold = large_counts_of_domain(cells, counts, size, plan.rho(one))
        large[one.name] = _named(public, one, keys, values, threshold)
    return StabilityHistogram(plan, large, origin)


def _relisted(column: CodedColumn, texts: tuple[str, ...]) -> CodedColumn:
    """A column as positions in a public list, which is sorted and gets a category for everything else."""
    listed = tuple(sorted({*texts, UNKNOWN}))
    place = {text: number for number, text in enumerate(listed)}
    moved = np.array([place.get(text, place[UNKNOWN]) for text in column.texts], np.int32)
    return CodedColumn(np.take(moved, column.codes), listed)


def _named(found: Taps, one: Combination, keys: Counts, values: Counts, threshold: int) -> LargeCounts:
    """Shown keys with their texts; texts of keys that are not shown stay here."""
    part, *codes = np.unravel_index(keys, key_shape(found, one))
    texts = tuple(
        tuple(found.columns[name].texts[code] for code in column.tolist())
        for name, column in zip(one.columns, codes, strict=True)
    )
    return LargeCounts(part.astype(np.int64), texts, values, threshold)
