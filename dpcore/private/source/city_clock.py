"""The clock of a city, from the IANA rules of its time zone: its readings -> instants, and back."""

from __future__ import annotations

import zoneinfo
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from dpcore import limits
from dpcore.errors import InputError

Microseconds = NDArray[np.int64]

SOME_MOMENT: Final = int(np.datetime64("2020-01-01", "us").astype(np.int64))
"""Stands where a time is not known: near those of most files, so that few changes of clocks lie between."""

_FEW: Final = 4
_SECOND: Final = timedelta(seconds=1)


def check_timezone(timezone: str | None, name: str) -> str:
    """The zone, if it is an IANA name that is known.

    Raises:
        InputError: missing or unknown.

    """
    if timezone is None:
        raise InputError(
            "the time zone is missing",
            name,
            "Hours and dates are those of the city's clock: give its IANA name, such as Europe/Berlin.",
        )
    if timezone not in _known_zones():
        raise InputError("unknown time zone", repr(timezone), "Use an IANA name such as Europe/Berlin.")
    return timezone


@cache
def _known_zones() -> frozenset[str]:
    """Asked for once: Python reads some six hundred files for it."""
    return frozenset(zoneinfo.available_timezones())


def instants_of(clock: Microseconds, timezone: str, *, fold: int = 0) -> Microseconds:
    """The instants (UTC) at which the city's clock reads so, microseconds since 1970.

    ``fold`` means what it means to Python's ``datetime``. A reading of the hour that occurs twice is its first
    occurrence, and one of the hour that is skipped takes the offset before the change; with 1 its second occurrence,
    and the offset after it.
    """
    rules = _rules(timezone)
    return clock - _offset_at(clock, rules.readings[fold], rules)


def clock_of(instants: Microseconds, timezone: str) -> Microseconds:
    """What the city's clock reads at these instants (UTC), as microseconds since it read 1970-01-01 00:00."""
    rules = _rules(timezone)
    return instants + _offset_at(instants, rules.changes, rules)


def wall_clock(instants: pa.Array, timezone: str) -> pa.Array:
    """``clock_of`` as timestamp[us] without zone; null where an instant is null."""
    values = np.asarray(pc.fill_null(instants, SOME_MOMENT).to_numpy(zero_copy_only=False), np.int64)
    missing = instants.is_null().to_numpy(zero_copy_only=False) if instants.null_count else None
    return pa.array(clock_of(values, timezone), pa.timestamp("us"), mask=missing)


@dataclass(frozen=True, eq=False)
class _Rules:
    """When the offset of a zone changes; all in microseconds."""

    offsets: Microseconds
    """Before, between and after the changes."""
    changes: Microseconds
    """Instants of the changes."""
    readings: tuple[Microseconds, Microseconds]
    """Readings of the clock from which on the next offset counts, for each ``fold``."""


def _offset_at(moments: Microseconds, borders: Microseconds, rules: _Rules) -> Microseconds | np.int64:
    if not len(moments):
        return moments
    # the moments of a batch lie between few borders: to search among those is several times as fast
    first, last = np.searchsorted(borders, (moments.min(), moments.max()), side="right")
    if last - first > _FEW:
        found: Microseconds = rules.offsets[
            first + np.searchsorted(borders[first:last], moments, side="right")
        ]
        return found
    offset: Microseconds | np.int64 = rules.offsets[first]
    for border, after in zip(borders[first:last], rules.offsets[first + 1 : last + 1], strict=True):
        offset = np.where(moments < border, offset, after)
    return offset


@cache
def _rules(timezone: str) -> _Rules:
    """Found by asking the zone day by day and halving.

    Arrow's own conversion knows no changes of clocks after 2037 (measured), and needs a time zone database of the
    system.
    """
    zone = zoneinfo.ZoneInfo(timezone)
    # two days of margin: the clock of every zone, in the first hour of the first year and in the last of the last
    day = datetime(limits.FIRST_YEAR, 1, 1, tzinfo=UTC) - timedelta(days=2)
    last = datetime(limits.LAST_YEAR + 1, 1, 1, tzinfo=UTC) + timedelta(days=2)
    changes: list[int] = []
    offsets = [_offset(day, zone)]
    while day < last:
        following = day + timedelta(days=1)
        if _offset(following, zone) != offsets[-1]:
            low, high = day, following
            while high - low > _SECOND:
                middle = low + timedelta(seconds=(high - low) // _SECOND // 2)
                low, high = (middle, high) if _offset(middle, zone) == offsets[-1] else (low, middle)
            changes.append(_microseconds(high - datetime(1970, 1, 1, tzinfo=UTC)))
            offsets.append(_offset(high, zone))
        day = following
    at, known = np.array(changes, np.int64), np.array(offsets, np.int64)
    # before a change clocks read its instant and the old offset, after it the new one: between lies what is read twice
    # (the new offset is less) or never (it is more), and the first occurrence ends where the later reading begins
    readings = at + np.maximum(known[1:], known[:-1]), at + np.minimum(known[1:], known[:-1])
    return _Rules(known, at, readings)


def _offset(instant: datetime, zone: zoneinfo.ZoneInfo) -> int:
    shift = instant.astimezone(zone).utcoffset()
    return _microseconds(shift or timedelta(0))


def _microseconds(length: timedelta) -> int:
    return length // timedelta(microseconds=1)
