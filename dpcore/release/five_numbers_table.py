"""The table of bought five-number summaries in a bundle: a function of the manifest and the released histograms."""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from dpcore.five_numbers import five_numbers
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


def five_numbers_table(release: Release) -> pa.Table:
    """The summaries at the highest rung of a release, a row for each number; an open end is infinite."""
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
