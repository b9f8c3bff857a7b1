"""What means something else here than in DpMobilityReport: for all analyses; of each its measure says it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from dpcore.measures import MEASURES

_COUNTS: Final = (
    "Tables hold noisy counts, below zero too. Shares and totals are derived from them, with an interval; clamping at 0 "
    "first would lift every total."
)
USER_LEVEL: Final = (
    "Which trips of a person count is decided by a secret key and that person's own trips. It is the same at every run "
    "on this computer, and no seed is needed."
)
MORE_TRIPS_IGNORED: Final = "max_trips_per_user is ignored at trip level: all trips count there."
NO_DATES: Final = (
    "trips_over_time is left out, and its budget goes to the others: its dates must be public. Name them with period to "
    "have it."
)


def notes_on(analyses: Sequence[str]) -> tuple[str, ...]:
    """What differs in meaning for some analyses, each fact once."""
    found = [_COUNTS, *(note for name in analyses for note in MEASURES[name].differences or ())]
    return tuple(dict.fromkeys(found))
