"""Times: text or timestamps -> instants, field by field; and the clock of a city by the IANA rules of its zone."""

from __future__ import annotations

import zoneinfo
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from dpcore import limits
from dpcore.errors import InputError
from dpcore.private.source.batch import Mask
from dpcore.private.source.fields import Checked, filled, is_missing, mask_of, stripped, too_long, without
from dpcore.private.source.forms import Times
from dpcore.private.source.not_a_time import A_ZONE, kinds_of, kinds_of_numbers
from dpcore.private.source.report import TOO_LONG, YEAR_OUTSIDE, Rule

Microseconds = NDArray[np.int64]

SOME_MOMENT: Final = int(np.datetime64("2020-01-01", "us").astype(np.int64))
"""Placeholder for an unknown time. It is near the times of most files, so that few changes of clocks lie between."""

_FEW_BORDERS: Final = 4
_SECOND: Final = timedelta(seconds=1)


def check_timezone(timezone: str | None, name: str) -> str:
    """The zone, if it is a known IANA name. Raises InputError: missing or unknown."""
    if timezone is None:
        raise InputError(
            "the time zone is missing",
            name,
            "Hours and dates are in local time. Give the IANA name of the city's zone, such as Europe/Berlin.",
        )
    if timezone not in _known_zones():
        raise InputError("unknown time zone", repr(timezone), "Use an IANA name such as Europe/Berlin.")
    return timezone


@cache
def _known_zones() -> frozenset[str]:
    """Cached, because Python reads some six hundred files for it."""
    return frozenset(zoneinfo.available_timezones())


def instants_of(clock: Microseconds, timezone: str, *, fold: int = 0) -> Microseconds:
    """The instants (UTC) at which the city's clock shows these readings, in microseconds since 1970.

    ``fold`` has the meaning that it has in Python's ``datetime``. With 0, a reading in the hour that occurs twice is its
    first occurrence, and one in the skipped hour takes the offset before the change. With 1, it is the second occurrence,
    and the offset after the change.
    """
    rules = _rules_around(clock, timezone)
    return clock - _offset_at(clock, rules.readings[fold], rules)


def clock_of(instants: Microseconds, timezone: str) -> Microseconds:
    """What the city's clock shows at these instants (UTC), in microseconds since it showed 1970-01-01 00:00."""
    rules = _rules_around(instants, timezone)
    return instants + _offset_at(instants, rules.changes, rules)


def wall_clock(instants: pa.Array, timezone: str) -> pa.Array:
    """``clock_of`` as timestamp[us] without zone; null for null."""
    values = np.asarray(filled(instants, SOME_MOMENT), np.int64)
    missing = instants.is_null().to_numpy(zero_copy_only=False) if instants.null_count else None
    return pa.array(clock_of(values, timezone), pa.timestamp("us"), mask=missing)


@dataclass(frozen=True, eq=False)
class _Rules:
    """When the offset of a zone changes; all in microseconds."""

    offsets: Microseconds
    """Offsets before, between and after the changes."""
    changes: Microseconds
    """Instants of the changes."""
    readings: tuple[Microseconds, Microseconds]
    """Readings of the clock from which the next offset applies, for each ``fold``."""


def _offset_at(moments: Microseconds, borders: Microseconds, rules: _Rules) -> Microseconds | np.int64:
    if not len(moments):
        return moments
    # The moments of a batch lie between few changes. Searching among those is several times as fast.
    first, last = np.searchsorted(borders, (moments.min(), moments.max()), side="right")
    if last - first > _FEW_BORDERS:
        found: Microseconds = rules.offsets[
            first + np.searchsorted(borders[first:last], moments, side="right")
        ]
        return found
    offset: Microseconds | np.int64 = rules.offsets[first]
    for border, after in zip(borders[first:last], rules.offsets[first + 1 : last + 1], strict=True):
        offset = np.where(moments < border, offset, after)
    return offset


def _rules_around(moments: Microseconds, timezone: str) -> _Rules:
    """The rules of a zone in all years in which these moments lie, on whatever clock."""
    margin = 2 * _DAY  # more than any two clocks differ
    if not len(moments):  # otherwise all years there are, which takes longer than a file
        moments = np.array([_FIRST])
    low = max(int(moments.min(initial=_END)), _FIRST) - margin
    high = min(int(moments.max(initial=_FIRST)), _END) + margin
    first, last = np.array([low, high], "M8[us]").astype("M8[Y]").astype(int) + 1970
    return _rules(timezone, int(min(first, last)), int(max(first, last)))


@cache
def _rules(timezone: str, first: int, last: int) -> _Rules:
    """The rules of a zone from a year to another."""
    zone = zoneinfo.ZoneInfo(timezone)
    changes = [change for year in range(first, last + 1) for change in _changes(timezone, year)]
    at = np.array([instant for instant, _ in changes], np.int64)
    begin = _offset(datetime(first, 1, 1, tzinfo=UTC), zone)
    known = np.array([begin, *(offset for _, offset in changes)], np.int64)
    # Before a change a clock shows the instant plus the old offset, after it plus the new one. The readings between are
    # shown twice (smaller new offset) or never (larger). The first occurrence ends at the later of the two readings.
    readings = at + np.maximum(known[1:], known[:-1]), at + np.minimum(known[1:], known[:-1])
    return _Rules(known, at, readings)


@cache
def _changes(timezone: str, year: int) -> tuple[tuple[int, int], ...]:
    """When the offset of a zone changes in a year (UTC), and to what, found by asking it day by day and halving.

    Arrow's own conversion knows no changes of clocks after 2037 (measured), and needs a time zone database of the system.
    """
    zone = zoneinfo.ZoneInfo(timezone)
    day, end = datetime(year, 1, 1, tzinfo=UTC), datetime(year + 1, 1, 1, tzinfo=UTC)
    before, found = _offset(day, zone), []
    while day < end:
        following = day + timedelta(days=1)
        if _offset(following, zone) != before:
            low, high = day, following
            while high - low > _SECOND:
                middle = low + timedelta(seconds=(high - low) // _SECOND // 2)
                low, high = (middle, high) if _offset(middle, zone) == before else (low, middle)
            before = _offset(high, zone)
            found.append((_in_microseconds(high - datetime(1970, 1, 1, tzinfo=UTC)), before))
        day = following
    return tuple(found)


def _offset(instant: datetime, zone: zoneinfo.ZoneInfo) -> int:
    shift = instant.astimezone(zone).utcoffset()
    return _in_microseconds(shift or timedelta(0))


def _in_microseconds(length: timedelta) -> int:
    return length // timedelta(microseconds=1)


_Way = str
"""A way in which times are written: a key of ``_PATTERNS``."""

_HOUR: Final = r"(?:[01][0-9]|2[0-3])"
_SIXTY: Final = r"[0-5][0-9]"
_LEAP_YEAR: Final = r"(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)"
_DATE: Final = (
    r"(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
    rf"|02-(?:0[1-9]|1[0-9]|2[0-8]))|{_LEAP_YEAR}-02-29)"
)
_CLOCK: Final = rf"{_HOUR}:{_SIXTY}(?::{_SIXTY}(?:\.[0-9]+)?)?"

_MONTHS: Final = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAY_OF_MONTH: Final = r"(?:0[1-9]|[12][0-9]|3[01])"
_SPELLINGS: Final = (
    (r"^([0-9]{4}-.*[0-9] ?[+-][0-9]{2}:?[0-9]{2}) [A-Za-z_/]+$", r"\1"),  # 2024-03-01 10:00:00 +0000 UTC
    (r"^([0-9]{4})/([0-9]{2})/([0-9]{2}[ T])", r"\1-\2-\3"),  # 2024/03/01 10:00
    (r"^([0-9]{4}-[0-9]{2}-[0-9]{2}[ T])([0-9]:)", r"\10\2"),  # 2024-03-01 9:00
    (r"^([0-9]{4}-.*[0-9]) ([+-][0-9]{2}:?[0-9]{2})$", r"\1\2"),  # 2024-03-01 10:00:00 +0200
    (r"^([0-9]{4}-.*[0-9]) UTC$", r"\1Z"),
)
"""Other spellings of a time that has its year first, and the usual one."""
_MORE_SPELLINGS: Final = (
    (r"^([0-9]{4}-.*[0-9]) ?(?:UTC|GMT|Etc/UTC)$", r"\1Z"),
    (r"^([0-9]{4}-.*[0-9]:[0-9]{2}),([0-9]+)", r"\1.\2"),  # 2024-03-01 10:00:00,5
    (
        r"^([0-9]{4}-.*(?:Z|[+-][0-9]{2}:?[0-9]{2}))\[[A-Za-z_/+-]+\]$",
        r"\1",
    ),  # 2024-03-01T10:00:00+01:00[Europe/Berlin]
    (
        r"^([0-9]{4})([0-9]{2})([0-9]{2})[ T]?([0-9]{2})([0-9]{2})([0-9]{2})([^0-9].*)?$",
        r"\1-\2-\3 \4:\5:\6\7",
    ),  # 20240301T100000Z
    (r"^([0-9]{4})([0-9]{2})([0-9]{2})[ T]([0-9]{2})([0-9]{2})([^0-9].*)?$", r"\1-\2-\3 \4:\5\6"),
    (
        r"^([0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2})\.([0-9]{2})\.([0-9]{2})",
        r"\1:\2:\3",
    ),  # 2024-03-01 10.00.00
    *(
        (rf"^([1-9])\.([0-9]{{{digits}}})[eE]\+?0?{digits}$", r"\1\2")
        for digits in (9, 12, 15, 18)  # 1.709280000E9: no digit is hidden
    ),
    (r"^([1-9])\.([0-9]{9})([0-9]+)[eE]\+?0?9$", r"\1\2.\3"),
)
"""More of them, which are tried after these."""
_REST: Final = (
    r"(?P<year>[0-9]{4}|[0-9]{2}) (?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:\.[0-9]+)?)?"
    r"(?: ?(?P<half>[AaPp])[Mm])?$"
)
_NAMED_REST: Final = (
    r"[ ,/.-]+(?P<year>[0-9]{4}|[0-9]{2})(?:,? |T|,|:)(?:at )?(?P<hour>[0-9]{1,2})[:.](?P<minute>[0-9]{2})"
    r"(?:[:.](?P<second>[0-9]{2})(?:\.[0-9]+)?)?(?: ?(?P<half>[AaPp])\.?[Mm]\.?)?$"
)
_MONTH_NAME: Final = (
    r"(?P<month>(?i:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?"
    r"|dec(?:ember)?))\.?"
)
_WEEKDAY: Final = r"(?:[A-Za-z]{3,9},? )?"

# The first two match exactly what Arrow's cast accepts, with three differences: a date alone is not a time, fractions may be
# finer than microseconds (the rest is cut off), and T or a space is required. No text matches two of all.
_PATTERNS: Final[dict[_Way, str]] = {
    "naive": rf"^{_DATE}[ T]{_CLOCK}$",
    "offset": rf"^{_DATE}[ T](?:{_CLOCK}|{_HOUR})(?:Z|[+-]{_HOUR}(?::?{_SIXTY})?)$",
    # Seconds, milliseconds, microseconds and nanoseconds since 1970 have 10, 13, 16 and 19 digits from September 2001 on.
    # Other numbers may be dates such as 20240301, or times of a simulation, so they are no times.
    "unix": r"^(?P<whole>[1-9][0-9]{9}|[1-9][0-9]{12}|[1-9][0-9]{15}|[1-8][0-9]{18})(?:\.(?P<part>[0-9]+))?$",
    # as posts are stamped: Tue Apr 03 18:00:09 +0000 2012
    "posted": (
        rf"^[A-Z][a-z][a-z] (?P<month>{'|'.join(_MONTHS)}) (?P<day>{_DAY_OF_MONTH}) (?P<clock>{_HOUR}:{_SIXTY}:{_SIXTY}) "
        rf"(?P<offset>[+-]{_HOUR}{_SIXTY}) (?P<year>[0-9]{{4}})$"
    ),
    "month-first": rf"^(?P<month>[0-9]{{1,2}})/(?P<day>[0-9]{{1,2}})/{_REST}",
    "day-first": rf"^(?P<day>[0-9]{{1,2}})[/.-](?P<month>[0-9]{{1,2}})[/.-]{_REST}",
    # unpadded, by twelve hours, or past midnight of a day of service: 2024-3-1 8:05, 2024-03-01 8:05 PM, 2024-03-01 24:10:00
    "loose": (
        r"^(?P<year>[0-9]{4})[/.-](?P<month>[0-9]{1,2})[/.-](?P<day>[0-9]{1,2})(?:,? +|T)(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{1,2})"
        r"(?::(?P<second>[0-9]{1,2})(?:\.[0-9]+)?)?(?: ?(?P<half>[AaPp])\.?[Mm]\.?)?$"
    ),
    "day-named": rf"^{_WEEKDAY}(?P<day>[0-9]{{1,2}})(?:st|nd|rd|th)?[ ./-]*{_MONTH_NAME}{_NAMED_REST}",
    "month-named": rf"^{_WEEKDAY}{_MONTH_NAME}[ ./-]*(?P<day>[0-9]{{1,2}})(?:st|nd|rd|th)?{_NAMED_REST}",
    "zoned": rf"^(?P<time>{_DATE}[ T]{_CLOCK}) ?\[?(?P<zone>[A-Z][A-Za-z_]+(?:/[A-Za-z0-9_+-]+){{1,2}})\]?$",
    "dates": r"^(?P<year>[0-9]{4})[/.-](?P<month>[0-9]{1,2})[/.-](?P<day>[0-9]{1,2})(?P<hour>)(?P<minute>)(?P<second>)(?P<half>)$",
    "of-day": (
        r"^(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:\.[0-9]+)?)?(?: ?(?P<half>[AaPp])\.?[Mm]\.?)?$"
    ),
    "excel": r"^(?P<days>[1-9][0-9]{0,5}(?:\.[0-9]{0,18})?)$",
    "wall-clock": rf"^(?P<time>{_DATE}[ T]{_CLOCK}) ?{A_ZONE}$",
}
_TYPES: Final[dict[_Way, pa.DataType]] = {"naive": pa.timestamp("us"), "offset": pa.timestamp("us", "UTC")}
_UNITS: Final = (1_000_000, 1_000, 1)
"""Microseconds of a second, a millisecond and a microsecond. Nanoseconds come after them."""
_LEAST: Final = 1_000_000_000
"""The smallest number of ten digits: September 2001. That of the next unit is a thousand times as large."""
_BEYOND: Final = 1_988_150_400
"""Seconds until 2033. From here on a number may be year, month, day and hour (2024030110), so it is not read."""
EIGHT_DIGITS: Final = (r"^([0-9]{4})([0-9]{2})([0-9]{2})$", r"\1-\2-\3")
"""A date of eight digits, and the same with hyphens."""
_EXCEL: Final = int(np.datetime64("1899-12-30", "us").astype(np.int64))
_ITS_DAY: Final = "2000-01-01 "
"""The day of a time of day that has none."""
_NOT_A_TIME: Final = pa.array(["NaT"], pa.string())
"""What pandas writes for a missing time."""
_SHORTEST: Final = len("2024-03-01 10:00")  # Arrow reads a date as its midnight; here it is not a time
_FEW_FIELDS: Final = 100
_DAY: Final = 86_400_000_000
_FIRST: Final = int(np.datetime64(f"{limits.FIRST_YEAR}-01-01", "us").astype(np.int64))
_END: Final = int(np.datetime64(f"{limits.LAST_YEAR + 1}-01-01", "us").astype(np.int64))


def instants(column: pa.Array, timezone: str, *, times: Times, fold: int = 0) -> Checked[np.int64]:
    """Each field as an instant. How a field is read depends on that field alone, never on other records.

    A time with an offset is an instant, and so is a Unix time, whose number of digits tells its unit. A time without an
    offset is the wall clock of the city, see ``instants_of``. For timestamps the type of the column decides, which is public.

    Args:
        column: text, or timestamps or numbers of a Parquet file; null if missing.
        timezone: IANA name of the city's zone.
        times: the order in which a time may be written beside the usual one.
        fold: which of two readings to use if a change of clocks leaves two.

    """
    bad: list[tuple[Rule, Mask]] = []
    if pa.types.is_timestamp(column.type):
        values, missing = _microseconds(column), is_missing(column)
        if column.type.tz is None:
            values = instants_of(values, timezone, fold=fold)
    elif pa.types.is_floating(column.type) or (pa.types.is_integer(column.type) and times != "dates"):
        values, missing, bad = _of_numbers(column, timezone, fold, times)
    else:
        if not pa.types.is_string(column.type):  # dates, times of day, or dates as numbers
            column = column.cast(pa.string())
        long = too_long(column)
        if long is not None:
            bad.append((TOO_LONG, long))
            column = without(column, long)
        values, missing, words = _instants_of(column, timezone, fold, times)
        if words is not None:
            bad += kinds_of(stripped(column), words, times)
        if long is not None:
            missing &= ~long
    if len(values) and (values.min() < _FIRST + _DAY or values.max() >= _END - _DAY):
        clock = clock_of(values, timezone)
        bad.append((YEAR_OUTSIDE, (clock < _FIRST) | (clock >= _END)))
    return Checked(values, missing, tuple(bad))


def _microseconds(column: pa.Array) -> NDArray[np.int64]:
    """Timestamps of any unit. Values far outside the allowed years stay outside but cannot overflow."""
    unit = np.timedelta64(1, column.type.unit)
    nothing, first, end = (np.timedelta64(at, "us") // unit for at in (SOME_MOMENT, _FIRST, _END))
    ticks = np.asarray(
        pc.fill_null(column.cast(pa.int64()), nothing).to_numpy(zero_copy_only=False), np.int64
    )
    margin = np.timedelta64(2 * _DAY, "us") // unit
    inside = np.clip(ticks, first - margin, end + margin)
    return inside.astype(f"m8[{column.type.unit}]").astype("m8[us]").astype(np.int64)


def _instants_of(
    column: pa.Array, timezone: str, fold: int, order: Times
) -> tuple[NDArray[np.int64], Mask, Mask | None]:
    """The instants of texts, where a text is missing, and where it has no known format; None: nowhere."""
    first = column[:_FEW_FIELDS].drop_null()[:1]
    for way, kind in _TYPES.items():
        try:
            # A column of another format is not tried as a whole, because Arrow words an error for each field.
            pc.cast(first, kind)
            times = pc.cast(column, kind)
        except pa.ArrowInvalid:  # at least one field has another format or needs a closer look
            continue
        shortest = pc.min(pc.binary_length(column)).as_py()
        if shortest is None or shortest >= _SHORTEST:
            return _instants(times, way, timezone, fold), is_missing(column), None
    text = stripped(column)
    missing = is_missing(text)
    values, words = np.full(len(text), SOME_MOMENT), ~missing
    for way, spelled in _turns(text, order):
        if not words.any():
            break
        fits = words & mask_of(pc.match_substring_regex(spelled, _PATTERNS[way]))
        if fits.any():
            some = without(spelled, ~fits)
            if way == "zoned":
                found, known = _of_zones(some, fold)
            else:
                reads = _READERS.get(way)
                times = reads(some, _PATTERNS[way]) if reads else pc.cast(_to_us(some), _TYPES[way])
                found, known = _instants(times, way, timezone, fold), ~is_missing(times)
            fits &= known  # 2/30/17 has the format of a time but does not exist
            values = np.where(fits, found, values)
            words &= ~fits
            if not words.any():  # before the next way makes its texts
                break
    if words.any():
        unknown = words & mask_of(pc.is_in(text, _NOT_A_TIME))
        missing, words = missing | unknown, words & ~unknown
    return values, missing, words if words.any() else None


def _turns(text: pa.Array, order: Times) -> Iterator[tuple[str, pa.Array]]:
    """The ways in which texts are tried, and the texts. What fits none is tried once more as it would be spelled usually."""
    if order not in {"year-first", "wall-clock"}:
        yield order, pc.replace_substring_regex(text, *EIGHT_DIGITS) if order == "dates" else text
    yield from ((way, text) for way in (*_TYPES, "unix", "posted"))
    for spelled, usual in _SPELLINGS:
        text = pc.replace_substring_regex(text, spelled, usual)
    yield from ((way, text) for way in _TYPES)
    for spelled, usual in _MORE_SPELLINGS:
        text = pc.replace_substring_regex(text, spelled, usual)
    yield from ((way, text) for way in (*_TYPES, "unix", "loose", "zoned", "day-named", "month-named"))
    if order == "wall-clock":  # last, so that an offset or a known zone counts
        yield order, text


def _instants(times: pa.Array, way: _Way, timezone: str, fold: int) -> NDArray[np.int64]:
    whole = pc.fill_null(times.cast(pa.int64()), SOME_MOMENT)
    values = np.array(whole.to_numpy(zero_copy_only=False), np.int64)
    return values if way in {"offset", "unix", "posted"} else instants_of(values, timezone, fold=fold)


def _to_us(texts: pa.Array) -> pa.Array:
    """The texts without fractions finer than microseconds."""
    return pc.replace_substring_regex(texts, r"(\.[0-9]{6})[0-9]+", r"\1")


def _of_unix(numbers: NDArray[Any]) -> tuple[NDArray[np.int64], Mask]:
    """Microseconds since 1970 of some numbers from 2001 to 2032, by the number of their digits, and where one is such a number."""
    values, known = np.full(len(numbers), SOME_MOMENT), np.zeros(len(numbers), np.bool_)
    for unit in range(len(_UNITS) + 1):
        least = _LEAST * 1_000**unit
        fits = (numbers >= least) & (numbers < _BEYOND * 1_000**unit)
        if fits.any():
            some = numbers[fits]
            scaled = some // 1_000 if unit == len(_UNITS) else some * _UNITS[unit]
            values[fits] = scaled if scaled.dtype.kind in "iu" else np.rint(scaled).astype(np.int64)
            known |= fits
    return values, known


def _of_numbers(
    column: pa.Array, timezone: str, fold: int, times: Times
) -> tuple[NDArray[np.int64], Mask, list[tuple[Rule, Mask]]]:
    """The instants of numbers, where a number is missing, and which are no times."""
    # wide enough for microseconds; what does not fit is negative then, and so no time
    wide = np.int64 if pa.types.is_integer(column.type) else np.float64
    numbers = pc.fill_null(column, 0).to_numpy(zero_copy_only=False).astype(wide)
    missing, bad = is_missing(column), []
    values, known = _of_unix(numbers)
    if times == "excel":
        values, known = _of_excel(numbers.astype(np.float64), values, known, timezone, fold)
    wrong = np.flatnonzero(~known & ~missing)
    for rule, mask in kinds_of_numbers(numbers[wrong], times):
        whole = np.zeros(len(numbers), np.bool_)
        whole[wrong[mask]] = True
        bad.append((rule, whole))
    return values, missing, bad


def _of_excel(
    days: NDArray[np.float64], values: NDArray[np.int64], known: Mask, timezone: str, fold: int
) -> tuple[NDArray[np.int64], Mask]:
    """The same with numbers of days since 30 December 1899 on the clock of the city, to the second, as Excel shows them."""
    with np.errstate(invalid="ignore"):
        fits = (days >= 1) & (days < 1_000_000) & ~known
    clock = np.where(fits, _clock_of_excel(np.where(fits, days, 1.0)), SOME_MOMENT)
    return np.where(fits, instants_of(clock, timezone, fold=fold), values), known | fits


def _excel(texts: pa.Array, pattern: str) -> pa.Array:
    days = pc.cast(pc.struct_field(pc.extract_regex(texts, pattern), "days"), pa.float64())
    missing = is_missing(days)
    clock = _clock_of_excel(pc.fill_null(days, 1.0).to_numpy(zero_copy_only=False))
    return pa.array(clock, _TYPES["naive"], mask=missing)


def _clock_of_excel(days: NDArray[np.float64]) -> NDArray[np.int64]:
    """Microseconds on the clock of the city. Rounded to the second, because a day has no exact fraction in binary."""
    return _EXCEL + np.rint(days * 86_400).astype(np.int64) * 1_000_000


def _of_zones(texts: pa.Array, fold: int) -> tuple[NDArray[np.int64], Mask]:
    """The instants of times that each name their own zone, such as 2024-03-01 10:00:00 America/New_York, and where it is known."""
    parts = pc.extract_regex(texts, _PATTERNS["zoned"])
    times = pc.cast(_to_us(pc.struct_field(parts, "time")), _TYPES["naive"])
    zones = pc.struct_field(parts, "zone")
    values, known = np.full(len(texts), SOME_MOMENT), np.zeros(len(texts), np.bool_)
    for zone in sorted({*pc.unique(zones.drop_null()).to_pylist()} & _known_zones()):
        of_zone = mask_of(pc.equal(zones, zone))
        values = np.where(of_zone, _instants(without(times, ~of_zone), "naive", zone, fold), values)
        known |= of_zone
    return values, known


def _without_zone(texts: pa.Array, pattern: str) -> pa.Array:
    """A time with the zone behind it left out."""
    return pc.cast(_to_us(pc.struct_field(pc.extract_regex(texts, pattern), "time")), _TYPES["naive"])


def _of_day(texts: pa.Array, _pattern: str) -> pa.Array:
    """A time of day on a day that stands for any."""
    return _iso_times(pc.binary_join_element_wise(_ITS_DAY.strip(), texts, " "), _PATTERNS["loose"])


def _unix(texts: pa.Array, pattern: str) -> pa.Array:
    """Unix times of the format ``unix``, with fractions up to the microsecond; the rest is cut off."""
    parts = pc.extract_regex(texts, pattern)
    whole = pc.fill_null(pc.cast(pc.struct_field(parts, "whole"), pa.int64()), 0).to_numpy()
    values, known = _of_unix(whole)
    digits = pc.utf8_slice_codeunits(
        pc.utf8_rpad(pc.fill_null(pc.struct_field(parts, "part"), ""), 6, "0"), 0, 6
    )
    fraction = pc.cast(digits, pa.int64()).to_numpy()
    of_seconds, of_milliseconds = whole < 10 * _LEAST, (whole >= 10 * _LEAST) & (whole < 10_000 * _LEAST)
    values = values + of_seconds * fraction + of_milliseconds * (fraction // 1_000)
    return pa.array(values, _TYPES["offset"], mask=~known)


def _posted(texts: pa.Array, pattern: str) -> pa.Array:
    """Times such as Tue Apr 03 18:00:09 +0000 2012, whose weekday says nothing. Null if the day does not exist."""
    parts = pc.extract_regex(texts, pattern)
    year, month, day, clock, offset = (
        pc.struct_field(parts, name) for name in ("year", "month", "day", "clock", "offset")
    )
    number = pc.index_in(month, pa.array(_MONTHS))
    month = pa.array([f"{one:02d}" for one in range(1, 13)]).take(number)
    usual = pc.binary_join_element_wise(pc.binary_join_element_wise(year, month, day, "-"), clock, " ")
    usual = pc.binary_join_element_wise(usual, offset, "")
    return pc.cast(
        without(usual, ~mask_of(pc.match_substring_regex(usual, _PATTERNS["offset"]))), _TYPES["offset"]
    )


def _month_of(names: pa.Array) -> NDArray[np.int64]:
    """The numbers of months by the first three letters of their English names."""
    short = pc.utf8_capitalize(pc.utf8_slice_codeunits(names, 0, 3))
    number = pc.fill_null(pc.index_in(short, pa.array(_MONTHS)), -1)
    return np.asarray(number.to_numpy(zero_copy_only=False), np.int64) + 1


def _iso_times(texts: pa.Array, pattern: str) -> pa.Array:
    """Times such as 1/31/17 0:21. A two-digit year is of this century. Null if the date or the time does not exist."""
    parts = pc.extract_regex(texts, pattern)

    def number(name: str) -> NDArray[np.int64]:
        digits = pc.struct_field(parts, name)
        whole = pc.cast(without(digits, mask_of(pc.equal(digits, ""))), pa.int64())
        return np.asarray(pc.fill_null(whole, 0).to_numpy(zero_copy_only=False), np.int64)

    names = pattern in {_PATTERNS["day-named"], _PATTERNS["month-named"]}
    past_midnight = {_PATTERNS[way] for way in ("loose", "month-first", "day-first")}
    year, day = number("year"), number("day")
    month = _month_of(pc.struct_field(parts, "month")) if names else number("month")
    hour, minute, second = number("hour"), number("minute"), number("second")
    half = pc.fill_null(pc.utf8_lower(pc.struct_field(parts, "half")), "")
    am, pm = mask_of(pc.equal(half, "a")), mask_of(pc.equal(half, "p"))
    of_twelve = (hour >= 1) & (hour <= 12) | ~(am | pm)
    hour = np.where(am | pm, hour % 12 + 12 * pm, hour)
    year = np.where(year < 100, year + 2000, year)
    months = np.where((month >= 1) & (month <= 12), (year - 1970) * 12 + month - 1, 0).astype("M8[M]")
    days = months.astype("M8[D]") + (day - 1)
    valid = (
        (month >= 1) & (month <= 12) & (day >= 1) & (days.astype("M8[M]") == months)
        & (hour < (48 if pattern in past_midnight else 24)) & (minute < 60) & (second < 60) & of_twelve
    )  # fmt: skip
    seconds = days.astype("M8[s]").astype(np.int64) + hour * 3600 + minute * 60 + second
    return pa.array(seconds * 1_000_000, _TYPES["naive"], mask=~valid)


_READERS: Final[dict[_Way, Callable[[pa.Array, str], pa.Array]]] = {
    "unix": _unix,
    "posted": _posted,
    "month-first": _iso_times,
    "day-first": _iso_times,
    "loose": _iso_times,
    "day-named": _iso_times,
    "month-named": _iso_times,
    "dates": _iso_times,
    "wall-clock": _without_zone,
    "of-day": _of_day,
    "excel": _excel,
}
"""How the texts of a way are read that Arrow does not read."""
