"""A hundred guesses as marks: right by luck, right at most with a release, and wrong all the same. Colour alone tells nothing."""

from __future__ import annotations

from typing import Final

from dpcore.views.ground.style import GREY, VERMILION, ink

LUCK: Final = 50
"""Guesses of a hundred that are right without a release."""
_ROW: Final = 10
_STEP: Final = 20
_REACH: Final = 6.4  # of a mark from its middle


def marks_said(right: int) -> tuple[str, str, str]:
    """What a dot, a square and a ring mean, for ``right`` of a hundred."""
    more = max(right - LUCK, 0)
    return (
        f"{LUCK}: right by luck, without this release",
        f"at most {more} more: right with all of this release",
        f"{100 - LUCK - more} or more: wrong all the same",
    )


def hundred_svg(right: int, *, dark: bool = False) -> str:
    """The marks of a hundred guesses, row by row: dots, then squares up to ``right``, then rings."""
    return _picture("".join(_mark(at, right, dark=dark) for at in range(100)), _ROW, _ROW)


def mark_svg(which: int, *, dark: bool = False) -> str:
    """One mark alone, for its words: 0 a dot, 1 a square, 2 a ring."""
    return _picture(_mark(0, 0, which=which, dark=dark), 1, 1)


def _picture(marks: str, across: int, down: int) -> str:
    wide, high = across * _STEP, down * _STEP
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" height="{high}" '
        f'role="img">{marks}</svg>'
    )


def _mark(at: int, right: int, *, which: int | None = None, dark: bool) -> str:
    x, y = (at % _ROW + 0.5) * _STEP, (at // _ROW + 0.5) * _STEP
    kind = (0 if at < LUCK else 1 if at < right else 2) if which is None else which
    if kind == 1:
        low, side = _REACH - 0.6, 2 * (_REACH - 0.6)
        return (
            f'<rect x="{x - low:g}" y="{y - low:g}" width="{side:g}" height="{side:g}" fill="{VERMILION}"/>'
        )
    if kind == 0:
        return f'<circle cx="{x:g}" cy="{y:g}" r="{_REACH}" fill="{GREY}"/>'
    return f'<circle cx="{x:g}" cy="{y:g}" r="{_REACH - 0.5:g}" fill="none" stroke="{ink(dark=dark)}" stroke-opacity="0.35"/>'
