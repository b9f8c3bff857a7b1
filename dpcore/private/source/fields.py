"""Fields of one column: white space is stripped, missing ones are found, ids stay text, degrees are checked."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, Generic, Literal, TypeVar, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from dpcore import limits
from dpcore.private.sealed import Sealed
from dpcore.private.source.batch import Mask
from dpcore.private.source.report import (
    LAT_OUTSIDE,
    LNG_OUTSIDE,
    NOT_A_NUMBER,
    NOT_A_ZONE,
    TOO_LONG,
    Rule,
    Sieve,
)

MISSING: Final = ("", "NULL", "\\N")
"""The texts of a missing field, quoted or not. ``NA``, ``null``, ``None`` and ``nan`` are values."""

_SPACE: Final = 0x20
_DELETE: Final = 0x7F
_MISSING: Final = pa.array(MISSING, pa.string())
_LONGEST_MISSING: Final = max(map(len, MISSING))


def is_missing(column: pa.Array) -> Mask:
    """Which values are null."""
    if column.null_count == 0:
        return np.zeros(len(column), np.bool_)
    return np.asarray(column.is_null().to_numpy(zero_copy_only=False), np.bool_)


def mask_of(condition: pa.Array) -> Mask:
    """A condition as a mask; null becomes False."""
    return np.asarray(pc.fill_null(condition, fill_value=False).to_numpy(zero_copy_only=False), np.bool_)


def filled(column: pa.Array, instead: float) -> NDArray[Any]:
    """The numbers, with one instead of null."""
    known = pc.fill_null(column, instead) if column.null_count else column
    return cast("NDArray[Any]", known.to_numpy(zero_copy_only=False))


def without(column: pa.Array, mask: Mask) -> pa.Array:
    """The values, with null where the mask is set."""
    if not mask.any():
        return column
    return pc.if_else(pa.array(mask), pa.scalar(None, column.type), column)


def with_missing(column: pa.Array) -> pa.Array:
    """The texts, with null for every text of a missing field."""
    if len(column) and np.diff(_buffers(column)[0]).min() > _LONGEST_MISSING:
        return column
    return without(column, mask_of(pc.is_in(column, _MISSING)))


def stripped(column: pa.Array) -> pa.Array:
    """The texts without surrounding white space. Texts that then mean missing become null, whatever stands beside them.

    This is the only normalisation of ids: ``007``, ``7`` and ``7.0`` stay three ids, ``NA`` and ``nan`` are words.
    """
    if not len(column):
        return column
    every = letters(column)
    # no white space and nothing beyond ASCII anywhere: the usual case, which is checked at the speed of memory
    if every.min(initial=_DELETE) > _SPACE and every.max(initial=_SPACE) < _DELETE:
        return with_missing(column)
    return with_missing(pc.utf8_trim_whitespace(column))


def too_long(column: pa.Array) -> Mask | None:
    """Which texts are longer than ``limits.MAX_FIELD_CHARACTERS``; None if none is."""
    if longest_bytes(column) <= limits.MAX_FIELD_CHARACTERS:
        return None
    return mask_of(pc.greater(pc.utf8_length(column), limits.MAX_FIELD_CHARACTERS))


def letters(column: pa.Array) -> NDArray[np.uint8]:
    """The bytes of all texts, one after the other."""
    if not len(column):
        return np.zeros(0, np.uint8)
    offsets, data = _buffers(column)
    return data[offsets[0] : offsets[-1]]


def longest_bytes(column: pa.Array) -> int:
    """Bytes of the longest text; 0 if there is none."""
    return int(np.diff(_buffers(column)[0]).max()) if len(column) else 0


def _buffers(column: pa.Array) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Where each text begins and ends, and the bytes of all texts."""
    _, offsets, data = column.buffers()
    starts = np.frombuffer(offsets, np.int32)[column.offset : column.offset + len(column) + 1]
    return starts, np.frombuffer(data or b"", np.uint8)


Value = TypeVar("Value", np.float64, np.int64)


@dataclass(frozen=True, repr=False, eq=False)
class Checked(Sealed, Generic[Value]):
    """The values of one column after its checks: degrees (float64, NaN if missing), or instants.

    Instants are microseconds since 1970-01-01 00:00 UTC. Where a field is bad (or an instant is missing), the value is
    arbitrary.
    """

    values: NDArray[Value]
    missing: Mask
    bad: tuple[tuple[Rule, Mask], ...] = ()


_EXACT: Final = 2.0**53  # smaller whole numbers are exact in float64


def ids(column: pa.Array, name: str, sieve: Sieve, missing: Rule | None) -> pa.Array:
    """Ids as text, without surrounding white space and otherwise unchanged; null if missing.

    ``007``, ``7`` and ``7.0`` are three ids. ``NA``, ``null``, ``None`` and ``nan`` are ids like any other.

    Args:
        column: text or whole numbers (of Parquet; written in decimals), zone ids also as floats.
        name: name of the column, for the report.
        sieve: collects the bad records.
        missing: the rule that a missing id breaks; None if it may be missing.

    """
    if pa.types.is_floating(column.type):  # zone ids only: some taxi files hold whole numbers as floats
        column, wrong = whole_numbers(column)
        sieve.refuse(NOT_A_ZONE, name, wrong)
    text = stripped(column if pa.types.is_string(column.type) else column.cast(pa.string()))
    long = too_long(text)
    if long is not None:
        sieve.refuse(TOO_LONG, name, long)
        text = without(text, long)
    if missing is not None and text.null_count:
        sieve.refuse(missing, name, is_missing(text))
    return text


def whole_numbers(column: pa.Array) -> tuple[pa.Array, Mask]:
    """Floats as whole numbers, null if missing, and a mask of those that are not whole or too large to be exact."""
    values = np.array(pc.fill_null(column, 0.0).to_numpy(zero_copy_only=False), np.float64)
    with np.errstate(invalid="ignore"):
        wrong = ~(np.abs(values) < _EXACT) | (np.trunc(values) != values)
    whole = np.where(wrong, 0.0, values).astype(np.int64)
    return pa.array(whole, mask=wrong | is_missing(column)), wrong


Axis = Literal["lat", "lng"]

# This is what Arrow's cast accepts, except its words nan and inf, which the range check refuses, and a plus sign and white
# space around a number, which are removed first.
NUMBER: Final = r"^-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$"
_COMMA: Final = r"^([+-]?[0-9]{1,3}),([0-9]+)$"  # no thousands are written in degrees
_LIMIT: Final[dict[Axis, tuple[float, Rule]]] = {"lat": (90.0, LAT_OUTSIDE), "lng": (180.0, LNG_OUTSIDE)}


def degrees(column: pa.Array, axis: Axis) -> Checked[np.float64]:
    """Each field (text, floats, integers or decimals) as degrees, WGS84. Poles, (0, 0) and longitudes ±180 are legal."""
    bad: list[tuple[Rule, Mask]] = []
    if pa.types.is_string(column.type):
        long = too_long(column)
        if long is not None:
            bad.append((TOO_LONG, long))
            column = without(column, long)
        numbers = None
        with suppress(pa.ArrowInvalid):
            numbers = pc.cast(column, pa.float64())
        if numbers is None:  # at least one field needs a closer look
            column, numbers, wrong = _one_by_one(column)
            bad += wrong
    else:
        numbers = column.cast(pa.float64(), safe=False)
    missing = is_missing(column)
    values = filled(numbers, float("nan"))
    bad += outside_of(values, axis, is_missing(numbers))
    return Checked(values, missing & ~any_of(bad, len(missing)), tuple(bad))


def outside_of(values: NDArray[np.float64], axis: Axis, unknown: Mask) -> list[tuple[Rule, Mask]]:
    """Which known values are no degrees: not finite, or outside the globe. Swapped axes are looked for later."""
    limit, rule = _LIMIT[axis]
    with np.errstate(invalid="ignore"):
        outside = ~(np.abs(values) <= limit) & ~unknown
    if not outside.any():
        return []
    number = np.isfinite(values)
    return [(NOT_A_NUMBER, outside & ~number), (rule, outside & number)]


def any_of(bad: list[tuple[Rule, Mask]], rows: int) -> Mask:
    """Which rows break one of the rules."""
    mask = np.zeros(rows, np.bool_)
    for _, wrong in bad:
        mask |= wrong
    return mask


def _one_by_one(column: pa.Array) -> tuple[pa.Array, pa.Array, list[tuple[Rule, Mask]]]:
    """The stripped texts, their numbers, and the texts that are not numbers."""
    text = stripped(column)
    plain = pc.replace_substring_regex(text, _COMMA, r"\1.\2")
    plain = pc.replace_substring_regex(plain, r"^\+([0-9.])", r"\1")
    number = mask_of(pc.match_substring_regex(plain, NUMBER))
    words = ~number & ~is_missing(text)
    numbers = pc.cast(without(plain, ~number), pa.float64())
    return text, numbers, [(NOT_A_NUMBER, words)]
