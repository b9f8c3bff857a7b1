"""Private rows become the large counts of a stability histogram, with or without a public list of keys.

Each call draws afresh: a release calls it once, after it was paid for.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

import numpy as np
from numpy.typing import NDArray

from dpcore import limits
from dpcore.errors import InputError, PrivacyError
from dpcore.measures.measurement import Origin
from dpcore.private.synthesis.density import keys_above
from dpcore.private.synthesis.drawing import large_counts, large_counts_of_domain
from dpcore.private.synthesis.taps import CodedColumn, Taps, key_shape, occupied
from dpcore.synthesis.stability.large_counts import LargeCounts, StabilityHistogram
from dpcore.synthesis.stability.plan import UNKNOWN, Combination

Counts = NDArray[np.int64]


def stability_histogram(found: Taps, *, origin: Origin) -> StabilityHistogram:
    """A fresh draw of every combination; costs the epsilon and the delta of the plan."""
    plan, large = found.plan, {}
    for one in plan.combinations:
        threshold = plan.threshold(one)
        keys, values = large_counts(*occupied(found, one), plan.rho(one), threshold)
        large[one.name] = _named(found, one, keys, values, threshold)
    return StabilityHistogram(plan, large, origin)


def must_fit_a_bundle(found: Taps) -> None:
    """Refuse rows that would show more keys of a combination than a table may have; raises InputError.

    Public facts cannot say it: dates, bins and tiles often allow far more keys than ever reach the threshold, and how many
    trips there are is no public fact. So it depends on the rows, as every failure to count does: asked before anything is
    charged or drawn, and told to the owner alone. With half of the limit expected, noise never shows more than all of it.
    """
    for one in found.plan.combinations:
        if min(prod(key_shape(found, one)), len(found.part)) <= limits.MAX_BUNDLE_ROWS:
            continue
        if keys_above(found, one, found.plan.threshold(one)) > limits.MAX_BUNDLE_ROWS / 2:
            raise InputError(
                "more keys would be shown than a table may have",
                one.name,
                "Use longer bins, coarser tiles, fewer dates or fewer columns together.",
            )


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
