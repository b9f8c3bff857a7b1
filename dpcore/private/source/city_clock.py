"""The wall clock of a city, from instants and the IANA rules of its time zone."""

from __future__ import annotations

import zoneinfo
from datetime import UTC, datetime, timedelta
from functools import cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from dpcore import limits
from dpcore.errors import InputError
from dpcore.private.source.time_kind import TimeKind

_SECOND = timedelta(seconds=1)


def check_timezone(timezone: str | None, kind: TimeKind, name: str) -> str:
    """The zone, if it is an IANA name that is known.

    Raises:
        InputError: missing or unknown.

    """
    if timezone is None:
        carried = "offsets, but not the name of the city's clock" if kind == "offset" else "no offset"
        raise InputError(
            f"the times carry {carried}",
            name,
            "Give the city's time zone, an IANA name such as Europe/Berlin.",
        )
    if timezone not in zoneinfo.available_timezones():
        raise InputError("unknown time zone", repr(timezone), "Use an IANA name such as Europe/Berlin.")
    return timezone


def wall_clock(times: pa.Array, kind: TimeKind, timezone: str) -> pa.Array:
    """The city's wall clock, timestamp[us] without zone, of microseconds (int64, null where unknown).

    Naive times are the wall clock already; instants are converted, so that changes of clocks are right.
    """
    if kind != "offset":
        return times.cast(pa.timestamp("us"))
    instants = np.asarray(pc.fill_null(times, 0).to_numpy(zero_copy_only=False), np.int64)
    changes, offsets = _offsets(timezone)
    shift = offsets[np.searchsorted(changes, instants, side="right")]
    return pc.add(times, pa.array(shift)).cast(pa.timestamp("us"))


@cache
def _offsets(timezone: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Instants at which the offset changes, and the offsets before, between and after them, microseconds.

    Found by asking the zone day by day and halving: Arrow's own conversion knows no changes of clocks
    after 2037 (measured), and needs a time zone database of the system.
    """
    zone = zoneinfo.ZoneInfo(timezone)
    day = datetime(limits.FIRST_YEAR, 1, 1, tzinfo=UTC)
    last = datetime(limits.LAST_YEAR + 1, 1, 1, tzinfo=UTC)
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
    return np.array(changes, np.int64), np.array(offsets, np.int64)


def _offset(instant: datetime, zone: zoneinfo.ZoneInfo) -> int:
    shift = instant.astimezone(zone).utcoffset()
    return _microseconds(shift or timedelta(0))


def _microseconds(length: timedelta) -> int:
    return length // timedelta(microseconds=1)
