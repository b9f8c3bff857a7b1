"""What workers counted while they read becomes one report."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from dpcore.errors import InputError, InternalError
from dpcore.private.source.report import Dropped, ReadReport, Tally
from dpcore.private.via import MOST


def report_of(tallies: Iterable[str], name: str) -> ReadReport:
    """The report of all partitions together.

    Args:
        tallies: the last rows of ``worker.prepared``.
        name: of the trips, for messages.

    Raises:
        InputError: text that is none.
        InternalError: a fault of this program, with its place only.

    """
    told: list[Mapping[str, Any]] = [json.loads(text) for text in tallies]
    for one in told:
        _must_be_whole(one, name)
    sums = {
        key: sum(one[key] for one in told) for key in ("records", "trips", "incomplete", "at_zero", "long")
    }
    bad: Counter[tuple[str, str]] = Counter()
    missing: Counter[str] = Counter()
    unlisted: Counter[str] = Counter()
    for one in told:
        for what, column, count in one["bad"]:
            bad[what, column] += count
        missing.update(one["missing"])
        unlisted.update(one["unlisted"])
    return ReadReport(
        records=sums["records"],
        trips=sums["trips"],
        incomplete=sums["incomplete"],
        missing=dict(missing),
        dropped=tuple(Dropped(what, column, count, ()) for (what, column), count in sorted(bad.items())),
        unlisted=dict(unlisted),
        notes=_notes(sums["at_zero"], sums["long"]),
    )


def _must_be_whole(one: Mapping[str, Any], name: str) -> None:
    if "refused" in one:
        what, where, mend = one["refused"]
        raise InputError(what, f"{name}, {where}", mend)
    if "fault" in one:
        raise InternalError.at(f"preparing trips on Spark ({one['fault']})")


def _notes(at_zero: int, long: int) -> tuple[str, ...]:
    tally = Tally()
    tally.at_zero = at_zero
    if not long:
        return tally.notes()
    trips = "1 trip passes" if long == 1 else f"{long:,} trips pass"
    return (
        *tally.notes(),
        f"{trips} {MOST:,} or more tiles between start and end: the first {MOST:,} are kept",
    )
