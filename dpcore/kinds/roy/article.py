"""What synthetic trips have from the article of Roy, Kantarcioglu and Sweeney (DBSec 2016), and what is ours: sentences and its numbers.

Pages, commands, bundles and docs say the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType
from typing import Final

from dpcore.kinds.roy.figure import TIMES_OF_DAY

RULE: Final = "the statistical 3IQR rule to attributes"
"""All that the article says of outliers. IQR: the range between the first and the third quartile."""

SOUND: Final = (
    "The idea is that of Roy, Kantarcioglu and Sweeney (2016): groups of attributes are counted with noise, and trips are drawn from "
    "the counts, attribute after attribute. Ours are the public lists and bins, noise on all cells, shares of epsilon that add up, "
    "and the rule for outliers: trips shorter than 60 seconds or of 24 hours and more are left out. The article applies "
    f'"{RULE}" and has seven bins of durations. Both are read off the trips without noise, which no epsilon covers.'
)
"""Of the sound mode, and so of every release."""

_HOURS: Final = ", ".join(f"{name} {low} to {high}" for name, (low, high) in TIMES_OF_DAY.items())
PAPER: Final = (
    "Theirs: the groups, noise of scale 2/\N{GREEK SMALL LETTER EPSILON} on each of them, seven bins of durations, and for outliers "
    f'"{RULE}". Ours, because the article does not say it: whose quartiles these are, bins of durations that hold equally many trips '
    f"each, and the hours of the times of day ({_HOURS})."
)
"""Of the published mode."""


class Outliers(Enum):
    """Which trips the published mode leaves out, by their durations. A rule reads its quartiles off the trips without noise."""

    ATTRIBUTE = "attribute"
    PAIR = "pair"
    NARROW = "narrow"

    @property
    def fence(self) -> float:
        """So many times the range between the quartiles may a duration lie outside them."""
        return 1.5 if self is Outliers.NARROW else 3.0

    @property
    def words(self) -> str:
        """The rule, and whose it is: the article names none."""
        whose = (
            "all trips (ours, the nearest to its words)"
            if self is Outliers.ATTRIBUTE
            else "its start and end (ours)"
        )
        return f"{self.fence:g} IQR beyond the quartiles of {whose}"


PRINTED: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "AvRLE": ("0.06 to 0.30", "0.003 to 0.015"),
        "EMD": ("0.06 to 0.99", "0.021 to 0.124"),
        "TP": ("95.25 to 97.5 %", "2.22 to 3.08"),
        "UL": ("4.41 to 10.1 %", "2.22 to 3.03"),
    }
)
"""Range of the means and of the sigmas that the article prints for epsilon from 0.1 to 1, by metric."""


def printed(metric: str) -> str:
    """What the article prints of a metric.

    >>> printed("AvRLE")
    'AvRLE 0.06 to 0.30 (sigma 0.003 to 0.015)'
    """
    mean, sigma = PRINTED[metric]
    return f"{metric} {mean} (sigma {sigma})"


PRINTED_MEANS: Final = (
    "The article prints this for epsilon from 0.1 to 1. It does not define the metrics, and its trips are others, so compare the order "
    "of size alone."
)
