"""Declared attributes of a trip as attributes of the model of trips: public lists and bins, codes, and values drawn from codes.

A trip keeps a whole number for each attribute: the position in ``Categories.labels``, or the number of units of an ``Amount``.
The model counts codes: the same position, or the bin of the amount. Bins follow from the declared bounds and unit alone. Each
value has exactly one code, also a missing one, so a trip lies in exactly one cell of every table.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.measures.attribute import MISSING, Amount, Attribute

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]

AMOUNT_BINS: Final = 20
"""Most bins of an amount. More would hold mostly noise."""
NO_AMOUNT: Final = int(np.iinfo(np.int32).min)
"""Stands for a missing amount among units; beyond every bound (``limits.MAX_ATTRIBUTE_UNITS``)."""


def edges_of(amount: Amount) -> Codes:
    """The units at which bins begin, and the first unit after the last bin. Bins are as equal as whole units allow."""
    values = amount.highest - amount.lowest + 1
    bins = min(AMOUNT_BINS, values)
    return amount.lowest + np.arange(bins + 1) * values // bins


def labels_of(attribute: Attribute) -> tuple[str, ...]:
    """The categories of the model, missing last.

    >>> from dpcore.measures.attribute import attribute_of
    >>> labels_of(attribute_of("seats=1:3:1"))
    ('1', '2', '3', 'missing')
    >>> labels_of(attribute_of("fare=0:100:0.01"))[:2]
    ('0 to 4.99', '5 to 9.99')
    """
    if not isinstance(attribute, Amount):
        return attribute.labels
    edges = edges_of(attribute).tolist()
    texts = [
        attribute.text(low) if after == low + 1 else f"{attribute.text(low)} to {attribute.text(after - 1)}"
        for low, after in pairwise(edges)
    ]
    return (*texts, MISSING)


def codes_of(attribute: Attribute, values: NDArray[np.int32]) -> Codes:
    """The category of each value of a trip."""
    codes = values.astype(np.int64)
    if not isinstance(attribute, Amount):
        return codes
    edges = edges_of(attribute)
    found = np.searchsorted(edges, codes, side="right") - 1
    return np.where(codes == NO_AMOUNT, len(edges) - 1, found)


def values_in(attribute: Attribute, codes: Codes, uniform: Floats) -> NDArray[np.int32]:
    """A value of a trip in each category. All units of a bin are equally likely: ``uniform`` holds numbers from 0 to below 1."""
    if not isinstance(attribute, Amount):
        return codes.astype(np.int32)
    edges = edges_of(attribute)
    missing = codes == len(edges) - 1
    bins = np.where(missing, 0, codes)
    found = edges[bins] + np.floor(uniform * (edges[bins + 1] - edges[bins])).astype(np.int64)
    return np.where(missing, NO_AMOUNT, found).astype(np.int32)
