"""Attributes of a rider, each with its public list of values, and what may be a zip."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.errors import InputError, PrivacyError

Codes = NDArray[np.int32]
_ZIP: Final = re.compile(r"(?:[^\W_]|[ -]){2,12}")


@dataclass(frozen=True)
class Attribute:
    """A named column and the values it may have."""

    name: str
    """Column name, such as ``zip``."""
    values: tuple[str, ...]
    """Public values in printing order."""
    unknown: str | None = None
    """Category of missing and unlisted values, such as ``X``, printed last; None: such values are refused."""

    def __post_init__(self) -> None:
        if not self.labels or len(set(self.labels)) != len(self.labels):
            raise PrivacyError(
                "the values of an attribute must be listed once each",
                self.name,
                "Give a public list without repetitions and without the category for unknown values.",
            )

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """All categories; the one for unknown values comes last."""
        return self.values if self.unknown is None else (*self.values, self.unknown)

    def encoded(self, texts: Sequence[str | None] | NDArray[np.str_]) -> Codes:
        """The position of each text in ``labels``, int32.

        Raises InputError if a text is missing or not listed and there is no category for unknown values. The message never
        holds the text.
        """
        import pyarrow as pa  # noqa: PLC0415 - slow to load, and most plans have no riders
        import pyarrow.compute as pc  # noqa: PLC0415 - as above

        found = pc.index_in(pa.array(texts, pa.string()), value_set=pa.array(self.labels, pa.string()))
        if found.null_count and self.unknown is None:
            raise InputError(
                "a value is not in the public list of its attribute",
                f"attribute {self.name!r}, {found.null_count:,} rows",
                "Add the value to the list if it is public, or give the attribute a category for unknown values.",
            )
        return np.asarray(pc.fill_null(found, len(self.values)).to_numpy(zero_copy_only=False), np.int32)


ZIP: Final = "zip"
"""Attribute for where a rider lives; the owner gives the list of its values."""
PEOPLE: Final = {
    "user_type": Attribute("user_type", ("Registered", "Casual"), unknown="unknown"),
    "gender": Attribute("gender", ("male", "female"), unknown="unknown"),
}
"""Other attributes of a rider with their public values."""
EXTRAS: Final = (ZIP, *PEOPLE)
"""Every attribute besides place and time."""


def may_be_a_zip(text: str) -> bool:
    """Whether a text could be a postal code of any country: 2 to 12 letters, digits, spaces and hyphens.

    >>> may_be_a_zip("02139"), may_be_a_zip("SW1A 1AA"), may_be_a_zip("=1+1"), may_be_a_zip("7")
    (True, True, False, False)
    """
    return _ZIP.fullmatch(text) is not None
