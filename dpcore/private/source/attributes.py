"""The values of declared attributes: each becomes a whole number, from its own field alone.

``dpcore.measures.attribute`` says what a value is. A field that cannot be used is ``other`` or missing: it is no fault of its
record, refuses no file, and never appears in an error.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from dpcore.measures.attribute import KEPT, MISSING, OTHER, Amount, Attribute, Categories
from dpcore.private.source.batch import Mask, RawBatch
from dpcore.private.source.fields import NUMBER, is_missing, mask_of, stripped, whole_numbers, without
from dpcore.private.source.report import Tally

VALUE: Final = pa.int32()
"""Type of such a column of trips: position in ``Categories.labels``; or number of units, null if missing."""

_DECIMAL_COMMA: Final = r"^([+-]?[0-9]+),([0-9]{1,2}|[0-9]{4,})$"
"""With three digits after it, a comma may part thousands. Nobody knows, so that is no number."""
_PLUS: Final = r"^\+([0-9.])"


@dataclass(frozen=True)
class Kept:
    """A declared attribute and the column of a file that holds it. Public."""

    attribute: Attribute
    column: str

    @property
    def role(self) -> str:
        """Its role among the columns of the file, and the name of its column among the trips."""
        return KEPT + self.attribute.name


def kept_fields(attributes: Iterable[Attribute]) -> list[pa.Field]:
    """The columns of trips for some attributes."""
    return [pa.field(KEPT + one.name, VALUE) for one in attributes]


def kept_values(raw: RawBatch, kept: Iterable[Kept], tally: Tally, bad: Mask) -> list[pa.Array]:
    """The values of each attribute, one for each record of a batch. Those that are of no use are counted, where not ``bad``."""
    found = []
    for one in kept:
        values, strange = attribute_values(one.attribute, raw.columns[one.role])
        instead = OTHER if isinstance(one.attribute, Categories) else MISSING
        tally.unlist(f"{one.attribute.name}={instead}", strange, bad)
        found.append(values)
    return found


def attribute_values(attribute: Attribute, column: pa.Array) -> tuple[pa.Array, Mask]:
    """The values of an attribute from text or numbers of a file, and which of them are there but of no use.

    Type ``VALUE``. Texts of ``fields.MISSING`` are missing, whether they were read as null before or not.
    """
    if pa.types.is_float16(column.type):
        column = column.cast(pa.float32())
    return _amounts(attribute, column) if isinstance(attribute, Amount) else _codes(attribute, column)


def _codes(attribute: Categories, column: pa.Array) -> tuple[pa.Array, Mask]:
    text, count = _text(column), len(attribute.words)
    found = pc.index_in(text, value_set=pa.array(attribute.words, pa.string()))
    missing = is_missing(text)
    other = is_missing(found) & ~missing
    codes = pc.fill_null(found, count)
    if missing.any():
        codes = pc.if_else(pa.array(missing), pa.scalar(count + 1, VALUE), codes)
    return codes, other


def _text(column: pa.Array) -> pa.Array:
    """What a field says, as text. A whole number that stands among floats is written without decimals."""
    if pa.types.is_string(column.type):
        return stripped(column)
    if not pa.types.is_floating(column.type):
        return column.cast(pa.string())
    whole, wrong = whole_numbers(column)
    text = pc.if_else(pa.array(wrong), column.cast(pa.string()), whole.cast(pa.string()))
    return without(text, mask_of(pc.is_nan(column)))


def _amounts(attribute: Amount, column: pa.Array) -> tuple[pa.Array, Mask]:
    missing, numbers = is_missing(column), None
    if pa.types.is_string(column.type):
        with suppress(pa.ArrowInvalid):
            numbers = pc.cast(column, pa.float64())
        if numbers is None:  # at least one field needs a closer look
            text = stripped(column)
            missing, numbers = is_missing(text), _one_by_one(text)
    else:
        numbers = column.cast(pa.float64(), safe=False)
        missing = missing | mask_of(pc.is_nan(numbers))
    values = np.asarray(pc.fill_null(numbers, np.nan).to_numpy(zero_copy_only=False), np.float64)
    unknown = ~np.isfinite(values)
    return pa.array(_units(attribute, values, unknown), VALUE, mask=unknown), unknown & ~missing


def _one_by_one(text: pa.Array) -> pa.Array:
    """The number of each stripped text; null for what is no number."""
    plain = pc.replace_substring_regex(text, _DECIMAL_COMMA, r"\1.\2")
    plain = pc.replace_substring_regex(plain, _PLUS, r"\1")
    return pc.cast(without(plain, ~mask_of(pc.match_substring_regex(plain, NUMBER))), pa.float64())


def _units(attribute: Amount, values: NDArray[np.float64], unknown: Mask) -> NDArray[np.int32]:
    """The nearest whole number of units within the bounds; 0 where it is unknown."""
    unit = attribute.unit
    with np.errstate(over="ignore"):  # what is too large for a float is beyond the bound
        units = np.where(unknown, 0.0, values) * unit.denominator / unit.numerator
    return np.clip(np.rint(units), attribute.lowest, attribute.highest).astype(np.int32)
