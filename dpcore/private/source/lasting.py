"""The ends of trips of which a file tells the start and the duration.

``H:MM:SS`` says its unit itself. The unit of all other texts comes from ``durations``.
"""

from __future__ import annotations

from dataclasses import replace
from shlex import quote
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dpcore.private.source.batch import Mask, RawBatch
from dpcore.private.source.fields import NUMBER, is_missing, mask_of, stripped, without
from dpcore.private.source.inspection import Inspection
from dpcore.private.source.report import Rule, Sieve
from dpcore.private.source.vocabulary import CLOCK

Lengths = np.ndarray[tuple[int, ...], np.dtype[np.int64]]

LONGEST_DAYS: Final = 366
_MICROSECONDS: Final = {"us": 1, "ms": 1_000, "s": 1_000_000, "min": 60_000_000, "h": 3_600_000_000}
_DAY: Final = 86_400_000_000
_CLOCK: Final = r"^(?:(?P<day>[0-9]{1,3}) days?,? )?(?P<hour>[0-9]{1,4}):(?P<minute>[0-5][0-9]):(?P<second>[0-5][0-9])(?:\.[0-9]+)?$"
_OF_TWO: Final = {
    "hh:mm": r"^(?P<day>)(?P<hour>[0-9]{1,4}):(?P<minute>[0-5][0-9])(?P<second>)$",
    "mm:ss": r"^(?P<day>)(?P<hour>)(?P<minute>[0-9]{1,5}):(?P<second>[0-5][0-9])$",
}
"""Unit of clocks of two numbers -> their pattern."""
_COMMA: Final = (r"^([0-9]+),([0-9]{1,2}|[0-9]{4,})$", r"\1.\2")
"""A decimal comma. With three digits behind it, it may be one of thousands."""


def _rules(column: str) -> tuple[Rule, tuple[tuple[str, Rule], ...]]:
    """The rule for numbers without a unit, and the rules for all other fields that are no duration.

    Each of these has a pattern. The first pattern that a field matches decides its rule.
    """

    def named(*roles: str) -> str:
        return " or ".join(f"--column {quote(f'{role}={column}')}" for role in roles)

    def rule(what: str, mend: str) -> Rule:
        return Rule(f"not a duration: {what}", mend, ("--column",) if "--column" in mend else ())

    unit = named("duration_s", "duration_min")
    clock = f"Say whether it is H:MM or MM:SS: {named('duration_hhmm', 'duration_mmss')}."
    return Rule(
        "a duration without a unit", f"Say whether it is seconds or minutes: {unit}.", ("--column",)
    ), (
        (r"^-", rule("it is negative", "No trip ends before it starts: correct it.")),
        (r"^[0-9]{1,3}(?:,[0-9]{3})+$", rule("a comma that may be one of thousands", "Write 1320 or 1.32.")),
        (r"^[0-9]{1,4}:[0-9]{2}$", rule("two numbers with a colon", clock)),
        (NUMBER, rule(f"longer than {LONGEST_DAYS} days", f"Is the unit another? {unit}.")),
        (r"[A-Za-z]", rule("words, or a unit in the field", "Write H:MM:SS, or a number alone.")),
        (r"", rule("neither H:MM:SS nor a number", "Write 0:20:00, or a number alone.")),
    )


def lasting_trips(raw: RawBatch, inspection: Inspection, sieve: Sieve) -> tuple[RawBatch, Lengths]:
    """The rows with the start of each trip copied to its end, and its duration in microseconds, which the caller adds there.

    Where the duration is missing, so is the end. Rows whose field is no duration go to the sieve.
    """
    column = inspection.mapping["ended_at"]
    lengths, missing, bad = _lengths(raw.columns["ended_at"], inspection.lasting, column)
    for rule, mask in bad:
        sieve.refuse(rule, column, mask)
    columns = {**raw.columns, "ended_at": _without_missing(raw.columns["started_at"], missing)}
    if CLOCK + "started_at" in raw.columns:
        columns[CLOCK + "ended_at"] = raw.columns[CLOCK + "started_at"]
    return replace(raw, columns=columns), lengths


def _without_missing(times: pa.Array, missing: Mask) -> pa.Array:
    return without(times, missing) if missing.any() else times


def _lengths(column: pa.Array, unit: str, name: str) -> tuple[Lengths, Mask, list[tuple[Rule, Mask]]]:
    """The microseconds of each field, which fields are missing, and which are refused by what rule. Each field is read by itself."""
    if pa.types.is_duration(column.type):  # as pandas has them, whose type tells the unit
        column, unit = column.cast(pa.duration("us"), safe=False).cast(pa.int64()), "us"
    text = stripped(column if pa.types.is_string(column.type) else column.cast(pa.string()))
    missing = is_missing(text)
    with_point = pc.replace_substring_regex(text, *_COMMA)
    clock, values = np.zeros(len(text), np.bool_), np.zeros(len(text), np.int64)
    for pattern in filter(None, (_CLOCK, _OF_TWO.get(unit))):
        fits = mask_of(pc.match_substring_regex(with_point, pattern))
        if (fits & ~clock).any():
            values = np.where(clock, values, _on_clock(without(with_point, ~fits), pattern))
            clock |= fits
    number = mask_of(pc.match_substring_regex(with_point, NUMBER)) & ~clock
    numbers = pc.fill_null(pc.cast(without(with_point, ~number), pa.float64()), 0.0).to_numpy(
        zero_copy_only=False
    )
    scaled = numbers * _MICROSECONDS.get(unit, 0)
    within = (scaled >= 0) & (scaled <= LONGEST_DAYS * _DAY)
    values = np.where(number, np.rint(np.where(within, scaled, 0.0)).astype(np.int64), values)
    good = (clock & (values <= LONGEST_DAYS * _DAY)) | (number & within)
    unitless = number & (unit not in _MICROSECONDS) & (numbers >= 0)
    left = ~good & ~missing & ~unitless  # what no rule has taken yet
    bad: list[tuple[Rule, Mask]] = []
    if unitless.any() or left.any():
        no_unit, by_pattern = _rules(name)
        bad.append((no_unit, unitless))
        for pattern, rule in by_pattern:
            fits = left & mask_of(pc.match_substring_regex(text, pattern))
            bad.append((rule, fits))
            left &= ~fits
    return values, missing, bad


def _on_clock(texts: pa.Array, pattern: str) -> Lengths:
    """Microseconds of texts of a pattern; 0 for null."""
    parts = pc.extract_regex(texts, pattern)
    total = np.zeros(len(texts), np.int64)
    for name, seconds in (("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1)):
        digits = pc.struct_field(parts, name)
        whole = pc.cast(without(digits, mask_of(pc.equal(digits, ""))), pa.int64())
        total += pc.fill_null(whole, 0).to_numpy(zero_copy_only=False) * seconds
    return total * 1_000_000
