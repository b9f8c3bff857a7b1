"""An attribute of a trip with its public list of values: text in, small integers out.

The list is fixed before anyone looks at the data. A value beyond it is either refused or counted as unknown, row by
row, so that it never widens the list.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from dpcore.errors import InputError, PrivacyError

Codes = NDArray[np.int32]


@dataclass(frozen=True)
class Attribute:
    """A named column and the values it may have."""

    name: str
    """Column name, such as ``zip``."""
    values: tuple[str, ...]
    """Public values in printing order."""
    unknown: str | None = None
    """Category of missing and of unlisted values, such as ``X``, printed last; None: such values are refused."""

    def __post_init__(self) -> None:
        """Refuse an empty list and values that appear twice."""
        if not self.labels or len(set(self.labels)) != len(self.labels):
            raise PrivacyError(
                "the values of an attribute must be listed once each",
                self.name,
                "Give a public list without repetitions; the category for unknown values is no part of it.",
            )

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """All categories; the one for unknown values comes last."""
        return self.values if self.unknown is None else (*self.values, self.unknown)

    def encoded(self, texts: Sequence[str | None] | NDArray[np.str_]) -> Codes:
        """The position of each text in ``labels``, int32.

        Raises InputError where a text is missing or not listed and there is no category for that; the message never
        holds the text.
        """
        found = pc.index_in(pa.array(texts, pa.string()), value_set=pa.array(self.labels, pa.string()))
        if found.null_count and self.unknown is None:
            raise InputError(
                "a value is not in the public list of its attribute",
                f"attribute {self.name!r}, {found.null_count:,} rows",
                "Add the value to the list if everybody may know of it, or give the attribute a category for "
                "unknown values.",
            )
        return np.asarray(pc.fill_null(found, len(self.values)).to_numpy(zero_copy_only=False), np.int32)
