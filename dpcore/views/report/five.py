"""The five numbers of a histogram as words: below which value so many of 100 lie, and between which it surely lies."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import ceil, floor, isinf, log10
from types import MappingProxyType
from typing import Final

from dpcore.measures import GRIDS
from dpcore.measures.bought import BoughtQuantiles
from dpcore.measures.measurement import Measurement
from dpcore.noise.five_numbers import Quantile, decimal, summaries

_TINY: Final = 1e-6  # edges that are whole steps stay what they are
_FINEST: Final = Fraction(1, 1000)

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
    """The number with its interval, with no more digits than that allows; an open end is said as such."""
    step = _step(one)
    fine = float(step / 10)
    low = "no lower end" if isinf(one.low) else decimal(floor(one.low / fine + _TINY) * fine)
    high = "no upper end" if isinf(one.high) else decimal(ceil(one.high / fine - _TINY) * fine)
    middle = "beyond the bins" if isinf(one.value) else f"about {decimal(float(_rounded(one, step)))}"
    return f"{middle} ({low} to {high})"


def _step(one: Quantile) -> Fraction:
    """The digit to which a number is told: a third of its half width, as for counts; at most three decimals."""
    ends = [abs(end - one.value) for end in (one.low, one.high) if not isinf(end) and not isinf(one.value)]
    wide = sum(ends) / len(ends) if ends else 0.0
    return Fraction(10) ** max(-3, floor(log10(wide / 3))) if wide > 0 else Fraction(1, 1000)


def _rounded(one: Quantile, step: Fraction) -> Fraction:
    """The value to that digit; to a finer one if it would leave its own interval."""
    found = round(Fraction(one.value) / step) * step
    return found if one.low <= found <= one.high or step < _FINEST else _rounded(one, step / 10)
