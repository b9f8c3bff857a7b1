"""Times: text or timestamps -> microseconds since 1970."""

from __future__ import annotations

from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from dpcore import limits
from dpcore.private.source.checked import CheckedTimes
from dpcore.private.source.rules import NOT_A_TIME, NOT_MONTH_FIRST, TOO_LONG, YEAR_OUTSIDE, Rule
from dpcore.private.source.text import Mask, is_missing, mask_of, stripped, too_long, without
from dpcore.private.source.time_kind import PATTERNS, TimeKind

_MICROSECONDS: Final = pa.timestamp("us")
_UTC: Final = pa.timestamp("us", "UTC")
_SHORTEST: Final = len("2024-03-01 10:00")  # Arrow takes a date for its midnight: for us it is no time
_DAY: Final = 86_400_000_000
_FIRST: Final = int(np.datetime64(f"{limits.FIRST_YEAR}-01-01", "us").astype(np.int64))
_END: Final = int(np.datetime64(f"{limits.LAST_YEAR + 1}-01-01", "us").astype(np.int64))


class MixedTimesError(Exception):
    """A time of another kind than the first of the file; holds the ordinal in its batch, no value."""

    def __init__(self, row: int) -> None:
        self.row = row
        super().__init__("mixed times")


def instants(column: pa.Array, kind: TimeKind) -> CheckedTimes:
    """Each field as microseconds: instants (UTC) where offsets are given, else the wall clock as if UTC.

    Args:
        column: text, or timestamps of a Parquet file; null where missing.
        kind: how the file writes its times.

    Raises:
        MixedTimesError: a text is a time of another kind.

    """
    bad: list[tuple[Rule, Mask]] = []
    if pa.types.is_timestamp(column.type):
        times, missing = _microseconds(column, bad), is_missing(column)
    else:
        long = too_long(column)
        if long is not None:
            bad.append((TOO_LONG, long))
            column = without(column, long)
        column, times = _parsed(column, kind, bad)
        missing = is_missing(column)
        if long is not None:
            missing &= ~long
    values = np.array(pc.fill_null(times.cast(pa.int64()), _FIRST + _DAY).to_numpy(zero_copy_only=False))
    # a day of margin keeps the wall clock of every zone in range where the values are instants
    margin = _DAY if kind == "offset" else 0
    outside = (values < _FIRST + margin) | (values >= _END - margin)
    if outside.any():
        bad.append((YEAR_OUTSIDE, outside))
    return CheckedTimes(values, missing, tuple(bad))


def _microseconds(column: pa.Array, bad: list[tuple[Rule, Mask]]) -> pa.Array:
    """Timestamps of any unit; a year that is far outside is bad before it can overflow."""
    unit = np.timedelta64(1, column.type.unit)
    ticks = np.array(pc.fill_null(column.cast(pa.int64()), 0).to_numpy(zero_copy_only=False), np.int64)
    first, end = (np.timedelta64(bound, "us") // unit for bound in (_FIRST, _END))
    outside = (ticks < first) | (ticks >= end)
    if outside.any():
        bad.append((YEAR_OUTSIDE, outside))
        ticks[outside] = 0
    values = ticks.astype(f"m8[{column.type.unit}]").astype("m8[us]").astype(np.int64)
    return pa.array(values, _MICROSECONDS, mask=outside | is_missing(column))


def _parsed(column: pa.Array, kind: TimeKind, bad: list[tuple[Rule, Mask]]) -> tuple[pa.Array, pa.Array]:
    """The texts (stripped if need be) and their times, naive or UTC."""
    if kind != "month-first":
        try:
            times = pc.cast(column, _UTC if kind == "offset" else _MICROSECONDS)
        except pa.ArrowInvalid:  # one field at least needs a closer look
            pass
        else:
            shortest = pc.min(pc.binary_length(column)).as_py()
            if shortest is None or shortest >= _SHORTEST:
                return column, times
    text = stripped(column)
    fits = mask_of(pc.match_substring_regex(text, PATTERNS[kind]))
    words = ~fits & ~is_missing(text)
    if words.any():
        for other in ("naive", "offset"):
            found = words & mask_of(pc.match_substring_regex(text, PATTERNS[other]))
            if found.any():
                raise MixedTimesError(int(np.flatnonzero(found)[0]))
        bad.append((NOT_MONTH_FIRST if kind == "month-first" else NOT_A_TIME, words))
    good = without(text, ~fits)
    if kind == "month-first":
        return text, _month_first(good, bad)
    cut = pc.replace_substring_regex(good, r"(\.[0-9]{6})[0-9]+", r"\1")
    return text, pc.cast(cut, _UTC if kind == "offset" else _MICROSECONDS)


def _month_first(good: pa.Array, bad: list[tuple[Rule, Mask]]) -> pa.Array:
    """Times such as 1/31/17 0:21; a two-digit year is of this century. A wrong date is bad."""
    parts = pc.extract_regex(good, PATTERNS["month-first"])

    def number(name: str) -> NDArray[np.int64]:
        digits = pc.struct_field(parts, name)
        whole = pc.cast(without(digits, mask_of(pc.equal(digits, ""))), pa.int64())
        return np.asarray(pc.fill_null(whole, 0).to_numpy(zero_copy_only=False), np.int64)

    missing = is_missing(good)
    year, month, day = number("year"), number("month"), number("day")
    hour, minute, second = number("hour"), number("minute"), number("second")
    year = np.where(year < 100, year + 2000, year)
    months = np.where((month >= 1) & (month <= 12), (year - 1970) * 12 + month - 1, 0).astype("M8[M]")
    days = months.astype("M8[D]") + (day - 1)
    valid = (
        (month >= 1) & (month <= 12) & (day >= 1) & (days.astype("M8[M]") == months)
        & (hour < 24) & (minute < 60) & (second < 60)
    )  # fmt: skip
    if not (valid | missing).all():
        bad.append((NOT_MONTH_FIRST, ~valid & ~missing))
    seconds = days.astype("M8[s]").astype(np.int64) + hour * 3600 + minute * 60 + second
    return pa.array(seconds * 1_000_000, _MICROSECONDS, mask=~valid | missing)
