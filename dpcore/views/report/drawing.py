"""Plots of a report as SVG text: bars with intervals, lines with a band, curves of shares.

Colours are named by class and given by the style of the page, so that one picture is right by day, by night and on
paper. Texts of an axis are escaped: a time window or a date may one day come from a file.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.measures.measurement import Measurement
from dpcore.views.plain import number
from dpcore.views.plots import Plot, limits
from dpcore.views.shares import ALONE_CURVE, NOISY_CURVE, Curve

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

WIDTH: Final = 440
_LEFT, _RIGHT, _TOP = 54, 8, 10
_FLOOR: Final = 158
_LETTER: Final = 6.2  # width of a letter below an axis
_GAP: Final = 8.0  # between two labels
_MOST_TICKS: Final = 16


def plot_svg(plot: Plot, measurement: Measurement, rung: int, identity: str) -> str:
    """A plot at a rung. Its vertical axis begins at 0 and holds every interval; below zero stands a triangle."""
    values = measurement.values[rung][plot.cells]
    wide, top = measurement.half_widths[rung], limits(plot, measurement, rung)[1]
    xs, step = _places(len(values))
    marks = _bars(values, wide, top, xs, step) if plot.kind == "bars" else _line(values, wide, top, xs)
    words, height = _ticks(plot.ticks, xs, step)
    alt = f"{plot.title} at this ε, with 95 % intervals; the table below holds the numbers"
    return (
        f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(alt)}" data-hover="{identity}" '
        f'data-count="{len(values)}" data-left="{_LEFT}" data-right="{WIDTH - _RIGHT}">'
        f"{_axis(top)}{marks}{_below(values, xs)}{words}</svg>"
    )


def curve_svg(curve: Curve, title: str) -> str:
    """Share held by the busiest 1, 2, 5 and so on; dashed what noise alone would draw, with a legend of both."""
    last = math.log10(curve.places[-1]) or 1.0
    wide = WIDTH - _LEFT - _RIGHT - 12
    xs = [_LEFT + 6 + wide * math.log10(place) / last for place in curve.places]

    def points(shares: Sequence[float]) -> str:
        return " ".join(f"{x:.1f},{_y(share, 1.0):.1f}" for x, share in zip(xs, shares, strict=True))

    grid = "".join(
        f'<path class="grid" d="M{_LEFT} {_y(at / 100, 1.0):.1f}H{WIDTH - _RIGHT}"/>'
        f'<text x="{_LEFT - 6}" y="{_y(at / 100, 1.0) + 3.5:.1f}" text-anchor="end">{at} %</text>'
        for at in (0, 50, 100)
    )
    words = "".join(
        f'<text x="{xs[i]:.1f}" y="{_FLOOR + 15}" text-anchor="{"end" if i == len(xs) - 1 else "middle"}">'
        f"{number(curve.places[i])}</text>"
        for i in _apart(xs, [len(number(place)) * _LETTER for place in curve.places])
    )
    return (
        f'<svg viewBox="0 0 {WIDTH} {_FLOOR + 40}" role="img" aria-label="{escape(title)}">{grid}'
        f'<polyline class="alone" points="{points(curve.noise_alone)}"/>'
        f'<polyline class="line" points="{points(curve.shares)}"/>{words}{_curve_legend()}</svg>'
    )


def _curve_legend() -> str:
    y = _FLOOR + 32
    return "".join(
        f'<path class="{name}" d="M{x} {y}h26"/><text x="{x + 32}" y="{y + 4}">{words}</text>'
        for x, name, words in ((_LEFT, "line", NOISY_CURVE), (_LEFT + 150, "alone", ALONE_CURVE))
    )


def interval_svg(value: int, half_width: int, top: int) -> str:
    """A dot with its 95 % interval, for one row of a ranking; one too narrow to be seen looks out of its dot a little."""
    wide = 160
    least = 6.0  # from the middle of the dot, whose radius is 3

    def x(count: int) -> float:
        return 4 + (wide - 8) * min(max(count, 0), top) / max(1, top)

    middle = x(value)
    left, right = x(value - half_width), x(value + half_width)
    if right - left < 2 * least:
        left, right = middle - least, middle + least
    return (
        f'<svg class="row" viewBox="-3 0 {wide + 6} 14" aria-hidden="true">'
        f'<path class="reach" d="M{left:.1f} 7H{right:.1f}"/><circle class="dot" cx="{middle:.1f}" cy="7" r="3"/></svg>'
    )


def _apart(xs: Sequence[float], wide: Sequence[float]) -> list[int]:
    """Which labels can stand beside one another: the last one, and from the left those that have room."""
    last = len(xs) - 1
    end = xs[last] - wide[last] - _GAP
    kept: list[int] = []
    reached = -math.inf
    for i in range(last):
        left, right = xs[i] - wide[i] / 2, xs[i] + wide[i] / 2
        if left > reached and right < end:
            kept.append(i)
            reached = right + _GAP
    return [*kept, last]


def _places(many: int) -> tuple[Floats, float]:
    step = (WIDTH - _LEFT - _RIGHT) / max(1, many)
    return np.asarray(_LEFT + (np.arange(many) + 0.5) * step, dtype=np.float64), step


def _y(count: float, top: float) -> float:
    return _FLOOR - (_FLOOR - _TOP) * min(max(count, 0.0), top) / top


def _axis(top: int) -> str:
    return "".join(
        f'<path class="grid" d="M{_LEFT} {_y(at, top):.1f}H{WIDTH - _RIGHT}"/>'
        f'<text x="{_LEFT - 6}" y="{_y(at, top) + 3.5:.1f}" text-anchor="end">{number(at)}</text>'
        for at in ((0, top // 2, top) if top > 1 else (0, top))
    )


def _bars(values: Counts, wide: int, top: int, xs: Floats, step: float) -> str:
    half = step * 0.36
    bars = "".join(
        f"M{x - half:.1f} {_FLOOR}V{_y(v, top):.1f}H{x + half:.1f}V{_FLOOR}z"
        for x, v in zip(xs, values, strict=True)
        if v > 0
    )
    reach = "".join(
        f"M{x:.1f} {_y(v - wide, top):.1f}V{_y(v + wide, top):.1f}"
        for x, v in zip(xs, values, strict=True)
        if v + wide > 0
    )
    return f'<path class="bar" d="{bars}"/><path class="whisker" d="{reach}"/>'


def _line(values: Counts, wide: int, top: int, xs: Floats) -> str:
    upper = [f"{x:.1f} {_y(v + wide, top):.1f}" for x, v in zip(xs, values, strict=True)]
    lower = [f"{x:.1f} {_y(v - wide, top):.1f}" for x, v in zip(xs, values, strict=True)]
    line = [f"{x:.1f} {_y(v, top):.1f}" for x, v in zip(xs, values, strict=True)]
    return (
        f'<path class="band" d="M{"L".join([*upper, *reversed(lower)])}z"/>'
        f'<path class="line" d="M{"L".join(line)}"/>'
    )


def _below(values: Counts, xs: Floats) -> str:
    marks = "".join(
        f"M{x - 3.5:.1f} {_FLOOR - 5}h7l-3.5 5z" for x, v in zip(xs, values, strict=True) if v < 0
    )
    return f'<path class="below" d="{marks}"/>' if marks else ""


def _ticks(labels: Sequence[str], xs: Floats, step: float) -> tuple[str, int]:
    """Labels below the axis, aslant if they are long, every second or third one if they are many; and the height."""
    every = max(1, math.ceil(len(labels) / _MOST_TICKS))
    longest = max(map(len, labels), default=1) * _LETTER
    shown = [
        (x, escape(label)) for i, (x, label) in enumerate(zip(xs, labels, strict=True)) if i % every == 0
    ]
    if longest <= step * every - 3:
        words = "".join(
            f'<text x="{x:.1f}" y="{_FLOOR + 15}" text-anchor="middle">{label}</text>' for x, label in shown
        )
        return words, _FLOOR + 22
    words = "".join(
        f'<text transform="translate({x + 3:.1f} {_FLOOR + 12}) rotate(-40)" text-anchor="end">{label}</text>'
        for x, label in shown
    )
    return words, _FLOOR + 16 + math.ceil(0.65 * longest)
