"""The Opal release of one week of 2016 in small numbers, and the same numbers of any release by mode. Public, no data of ours.

The numbers are of the file of places that Transport for NSW published for 8 to 14 August 2016 ("Opal Tap On and Tap Off",
CC BY 4.0): noisy counts of taps by mode, date, on or off, and place. The file itself is not part of this project.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Final

import numpy as np

from dpcore.kinds.stability.plan import StabilityHistogram
from dpcore.measures.keys import Period

WEEK: Final = Period(date(2016, 8, 8), date(2016, 8, 14))
"""Monday to Sunday."""
TAPS: Final = (("on_loc",), ("off_loc",))
"""What the file counts."""


@dataclass(frozen=True)
class WeekOfMode:
    """The rows of one mode in a release of one week of places."""

    mode: str
    places: int
    """Places with at least one row."""
    rows: int
    smallest: int
    """Smallest count."""
    middle: float
    """Median count."""
    taps: int
    """Sum of all counts."""


PUBLISHED_WEEK: Final = (
    WeekOfMode("bus", 309, 4_107, 34, 1_045, 11_051_324),
    WeekOfMode("train", 274, 3_618, 34, 1_259, 14_948_087),
    WeekOfMode("ferry", 41, 551, 35, 328, 559_968),
    WeekOfMode("lightrail", 24, 329, 104, 514, 387_479),
)
"""The real release."""
DAILY_TRIPS: Final = {
    "bus": (946, 960, 963, 966, 921, 435, 334),
    "train": (1_216, 1_257, 1_259, 1_280, 1_266, 644, 551),
    "ferry": (34, 33, 33, 34, 39, 43, 63),
    "lightrail": (37, 28, 26, 26, 28, 23, 26),
}
"""Half of the counts of the real release in thousands, Monday to Sunday: about as many trips were shown."""


def week_of(drawn: StabilityHistogram) -> tuple[WeekOfMode, ...]:
    """The same numbers of a release of ``TAPS`` that is divided by ``mode`` first. A mode without rows has zeros."""
    modes = drawn.plan.values[0]
    of_part = np.array([modes.index(part[0]) for part in drawn.plan.partitions])
    large = [drawn.large["+".join(columns)] for columns in TAPS]
    rows = np.concatenate([of_part[one.part] for one in large])
    counts = np.concatenate([one.counts for one in large])
    names = np.array([name for one in large for name in one.keys[0]], np.str_)
    return tuple(
        _week(mode, names[rows == number], counts[rows == number]) for number, mode in enumerate(modes)
    )


def _week(mode: str, names: np.ndarray, counts: np.ndarray) -> WeekOfMode:
    if not len(counts):
        return WeekOfMode(mode, 0, 0, 0, 0, 0)
    return WeekOfMode(
        mode,
        len(np.unique(names)),
        len(counts),
        int(counts.min()),
        float(np.median(counts)),
        int(counts.sum()),
    )
