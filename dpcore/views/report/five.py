"""The five numbers of a histogram as words: below which value so many of 100 lie, and between which it surely lies."""

from __future__ import annotations

from collections.abc import Mapping
from math import isinf
from types import MappingProxyType
from typing import Final

from dpcore.bought_quantiles import BoughtQuantiles
from dpcore.five_numbers import Quantile, decimal, summaries
from dpcore.measurement import Measurement
from dpcore.quantile_grids import GRIDS
from dpcore.views.report.explanations import EXPLANATIONS

FIVE_NUMBERS: Final = EXPLANATIONS["five_numbers"]

_NAMES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "p5": "5 of 100 below",
        "p25": "a quarter below",
        "p50": "half below (median)",
        "p75": "three quarters below",
        "p95": "95 of 100 below",
    }
)


def five_rows(
    measurement: Measurement, rung: int, bought: BoughtQuantiles | None = None
) -> tuple[tuple[str, str, str], ...]:
    """Which number, its value with its interval, and whence it comes; nothing for a table that is no histogram."""
    name = measurement.measure
    if name not in GRIDS:
        return ()
    found = summaries({name: measurement}, bought, measurement.rungs[rung])
    return tuple((_NAMES.get(one.statistic, one.statistic), _words(one), one.method) for one in found)


def _words(one: Quantile) -> str:
    """The number with its interval; an open end is said as such."""
    low = "no lower end" if isinf(one.low) else decimal(round(one.low, 3))
    high = "no upper end" if isinf(one.high) else decimal(round(one.high, 3))
    middle = "beyond the bins" if isinf(one.value) else f"about {decimal(round(one.value, 3))}"
    return f"{middle} ({low} to {high})"
