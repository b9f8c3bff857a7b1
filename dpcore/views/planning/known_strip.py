"""How many tiles are expected to be known, as a strip of marks: one for each tile of a typical city. Colour alone tells nothing.

Public facts do not tell which tile is busy. So this is no map, and the marks stand in the order of what will be known of them.
"""

from __future__ import annotations

from math import ceil
from typing import Final

from dpcore.noise.expected_estimates import CERTAIN, VisitsForecast
from dpcore.views.ground.plain import percent
from dpcore.views.ground.style import NOISY, ink

MOST_MARKS: Final = 400
"""Of more tiles each mark stands for several."""
_ROW: Final = 34
_STEP: Final = 14
_SIDE: Final = 11


def tiles_of_a_mark(tiles: int) -> int:
    """For how many tiles each mark stands.

    >>> tiles_of_a_mark(150), tiles_of_a_mark(60_000)
    (1, 150)
    """
    return max(1, ceil(tiles / MOST_MARKS))


def strip_counts(found: VisitsForecast) -> tuple[int, int, int]:
    """Tiles of a typical city: known, known roughly, and nearly empty or hidden by noise. They add up to all tiles."""
    known = min(round(found.readable), found.of)
    hidden = min(round(found.hidden), found.of - known)
    return known, found.of - known - hidden, hidden


def strip_words(found: VisitsForecast) -> str:
    """What the marks mean and how wrong they may be, as a sentence."""
    known, roughly, hidden = strip_counts(found)
    many = tiles_of_a_mark(found.of)
    each = "Each mark is a tile" if many == 1 else f"Each mark stands for {many:,} tiles"
    part = " of an average part" if found.of_part else ""
    return (
        f"{each}{part} of a typical city: {known:,} known within {percent(CERTAIN)} (filled; {found.known_tiles} in cities that are spread otherwise), {roughly:,} known roughly (half), "
        f"{hidden:,} nearly empty or hidden by noise (ring). It is no map: nobody knows yet which tiles these are."
    )


def strip_svg(found: VisitsForecast, *, dark: bool = False) -> str:
    """The marks, row by row: filled squares, half-filled ones, rings."""
    many = tiles_of_a_mark(found.of)
    known, roughly, _ = (round(count / many) for count in strip_counts(found))
    marks = max(1, ceil(found.of / many))
    across, down = min(marks, _ROW), ceil(marks / _ROW)
    drawn = "".join(
        _mark(at, 0 if at < known else 1 if at < known + roughly else 2, dark=dark) for at in range(marks)
    )
    wide, high = across * _STEP, down * _STEP
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" height="{high}" '
        f'role="img">{drawn}</svg>'
    )


def _mark(at: int, kind: int, *, dark: bool) -> str:
    x, y = at % _ROW * _STEP + 1, at // _ROW * _STEP + 1
    if kind == 2:
        middle = _SIDE / 2
        return (
            f'<circle cx="{x + middle:g}" cy="{y + middle:g}" r="{middle - 1:g}" fill="none" stroke="{ink(dark=dark)}" '
            'stroke-opacity="0.35"/>'
        )
    rim = f'<rect x="{x + 0.5}" y="{y + 0.5}" width="{_SIDE - 1}" height="{_SIDE - 1}" fill="none" stroke="{NOISY}"/>'
    filled = _SIDE if kind == 0 else _SIDE / 2
    return (
        f'{rim}<rect x="{x}" y="{y + _SIDE - filled:g}" width="{_SIDE}" height="{filled:g}" fill="{NOISY}"/>'
    )
