"""Ids of users, trips and zones: text from the first byte, never a number."""

from __future__ import annotations

from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dpcore.private.source.faults import Sieve
from dpcore.private.source.rules import NOT_A_ZONE, TOO_LONG, Rule
from dpcore.private.source.text import is_missing, stripped, too_long, without

_EXACT: Final = 2.0**53  # whole numbers below are exact in float64


def ids(column: pa.Array, name: str, sieve: Sieve, missing: Rule | None) -> pa.Array:
    """Ids as text, white space around them stripped and nothing else changed; null where missing.

    ``007``, ``7`` and ``7.0`` are three ids; ``NA``, ``null``, ``None`` and ``nan`` are ids like others.

    Args:
        column: text or whole numbers (of Parquet; written in decimals), zone ids also as floats.
        name: name of the column, for the report.
        sieve: takes the bad records.
        missing: the rule that a missing id breaks; None where it may be missing.

    """
    if pa.types.is_floating(column.type):  # zone ids only: some taxi files hold whole numbers as floats
        column = _whole(column, name, sieve)
    text = stripped(column if pa.types.is_string(column.type) else column.cast(pa.string()))
    long = too_long(text)
    if long is not None:
        sieve.refuse(TOO_LONG, name, long)
        text = without(text, long)
    if missing is not None and text.null_count:
        sieve.refuse(missing, name, is_missing(text))
    return text


def _whole(column: pa.Array, name: str, sieve: Sieve) -> pa.Array:
    values = np.array(pc.fill_null(column, 0.0).to_numpy(zero_copy_only=False), np.float64)
    with np.errstate(invalid="ignore"):
        wrong = ~(np.abs(values) < _EXACT) | (np.trunc(values) != values)
    sieve.refuse(NOT_A_ZONE, name, wrong)
    return pa.array(np.where(wrong, 0.0, values).astype(np.int64), mask=is_missing(column))
