"""Five-number summaries of a release, and their table in a bundle. Both follow from manifest and released histograms."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

import pyarrow as pa

from dpcore.noise.five_numbers import Quantile, summaries
from dpcore.privacy import rung_number
from dpcore.release.release import Release

_DECIMALS: Final = 9
_NUMBERS: Final = ("value", "half_width_95", "low_95", "high_95")
SCHEMA: Final = pa.schema(
    [
        ("measure", pa.string()),
        ("statistic", pa.string()),
        *((name, pa.float64()) for name in _NUMBERS),
        ("method", pa.string()),
    ]
)


def five_numbers(release: Release, epsilon: Fraction | None = None) -> tuple[Quantile, ...]:
    """The summaries of a release at a released rung (None: the finest); PrivacyError if it was not released.

    See ``dpcore.noise.five_numbers.summaries``. Split histograms have a summary of each part, which ``one_part.part_of`` gives.
    """
    rungs = release.plan.rungs
    whole = {name: one for name, one in release.measurements.items() if not release.plan.measure(name).splits}
    return summaries(whole, release.five_numbers, rungs[rung_number(rungs, epsilon)])


def five_numbers_table(release: Release) -> pa.Table:
    """The summaries at the highest rung of a release, one row a number; an open side is infinite."""
    found = five_numbers(release)
    numbers = {
        "value": [one.value for one in found],
        "half_width_95": [one.half_width for one in found],
        "low_95": [one.low for one in found],
        "high_95": [one.high for one in found],
    }
    return pa.table(
        {
            "measure": [one.measure for one in found],
            "statistic": [one.statistic for one in found],
            **{name: [round(number, _DECIMALS) + 0.0 for number in numbers[name]] for name in _NUMBERS},
            "method": [one.method for one in found],
        },
        schema=SCHEMA,
    )
