"""Latitudes and longitudes: text or numbers -> degrees, float64, checked one by one."""

from __future__ import annotations

from contextlib import suppress
from typing import Final, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dpcore.private.source.checked import CheckedFloats
from dpcore.private.source.rules import (
    DECIMAL_COMMA,
    LAT_OUTSIDE,
    LNG_OUTSIDE,
    NOT_A_NUMBER,
    TOO_LONG,
    Rule,
)
from dpcore.private.source.text import Mask, is_missing, mask_of, stripped, too_long, without

Axis = Literal["lat", "lng"]

# what Arrow's cast takes, but for its words nan and inf, which the range check refuses, and for the
# plus sign and white space around a number, which are taken off first
_NUMBER: Final = r"^-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$"
_COMMA: Final = r"^[+-]?[0-9]+,[0-9]+$"
_LIMIT: Final[dict[Axis, tuple[float, Rule]]] = {"lat": (90.0, LAT_OUTSIDE), "lng": (180.0, LNG_OUTSIDE)}


def degrees(column: pa.Array, axis: Axis) -> CheckedFloats:
    """Each field as degrees, WGS84; the poles, (0, 0) and longitudes 180 and -180 are legal.

    Args:
        column: text, floats, integers or decimals; null where missing.
        axis: which range applies: latitude [-90, 90] or longitude [-180, 180].

    """
    bad: list[tuple[Rule, Mask]] = []
    if pa.types.is_string(column.type):
        long = too_long(column)
        if long is not None:
            bad.append((TOO_LONG, long))
            column = without(column, long)
        numbers = None
        with suppress(pa.ArrowInvalid):
            numbers = pc.cast(column, pa.float64())
        if numbers is None:  # one field at least needs a closer look
            column, numbers, wrong = _one_by_one(column)
            bad += wrong
    else:
        numbers = column.cast(pa.float64(), safe=False)
    missing = is_missing(column)
    values = np.array(pc.fill_null(numbers, float("nan")).to_numpy(zero_copy_only=False), np.float64)
    limit, rule = _LIMIT[axis]
    with np.errstate(invalid="ignore"):
        outside = ~(np.abs(values) <= limit) & ~is_missing(numbers)
    if outside.any():
        number = np.isfinite(values)
        bad += [(NOT_A_NUMBER, outside & ~number), (rule, outside & number)]
        # the values stay as they are until swapped axes were looked for
    return CheckedFloats(values, missing & ~_any(bad, len(missing)), tuple(bad))


def _any(bad: list[tuple[Rule, Mask]], rows: int) -> Mask:
    mask = np.zeros(rows, np.bool_)
    for _, wrong in bad:
        mask |= wrong
    return mask


def _one_by_one(column: pa.Array) -> tuple[pa.Array, pa.Array, list[tuple[Rule, Mask]]]:
    """The texts stripped, their numbers, and those that are none."""
    text = stripped(column)
    plain = pc.replace_substring_regex(text, r"^\+([0-9.])", r"\1")
    number = mask_of(pc.match_substring_regex(plain, _NUMBER))
    comma = mask_of(pc.match_substring_regex(text, _COMMA))
    words = ~number & ~is_missing(text)
    numbers = pc.cast(without(plain, ~number), pa.float64())
    return text, numbers, [(DECIMAL_COMMA, words & comma), (NOT_A_NUMBER, words & ~comma)]
