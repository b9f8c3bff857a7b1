"""What stands in a picture: its words, and what is drawn, as plain data. All of it is public.

Texts are plain: names and sentences in them were written by others, and whoever writes a file escapes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dpcore.context import Context
from dpcore.estimates import Ranged
from dpcore.tiles import Tessellation

Cells = NDArray[np.int64]
Named = tuple[tuple[str, NDArray[np.float64]], ...]
"""Words on a map, with the longitude and latitude of each."""

BY_AUTHOR: Final = "The sentence is in the author's words."
"""What stands beside a sentence that was not made of the release."""


@dataclass(frozen=True)
class Key:
    """The colours of a map: what is counted, and what each colour means, in reading order."""

    unit: str
    colours: tuple[tuple[str, str], ...]
    """Colour and words of each."""


@dataclass(frozen=True)
class Listed:
    """Names with their numbers and ranges in words, beside a map or alone."""

    title: str
    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, eq=False)
class Arrows:
    """Flows as lines that are thick where they end."""

    origins: NDArray[np.float64]
    """Longitude and latitude, shape (flows, 2)."""
    destinations: NDArray[np.float64]
    sizes: NDArray[np.float64]
    """Size of each flow; the largest has the widest line."""
    sure: NDArray[np.bool_]
    """Whether its range is known; the others are dashed."""


@dataclass(frozen=True, eq=False)
class DrawnMap:
    """Tiles in colours, with what lies over them."""

    tiles: Tessellation
    which: Cells
    """The place of each tile's colour in ``colours``."""
    colours: tuple[str, ...]
    key: Key | None
    arrows: Arrows | None = None
    outlined: tuple[Any, ...] = ()
    """Shapes with a thick border: what is chosen, or the districts."""
    listed: Listed | None = None
    context: Context | None = None
    """What lies under the tiles, if the release has it."""
    names: Named = ()
    """What is written on the map: names of districts, or the ranks of the tiles that are listed."""


@dataclass(frozen=True, eq=False)
class Panel:
    """One chart: numbers with ranges at places that have names."""

    title: str
    unit: str
    look: Literal["line", "bars", "dots"]
    names: tuple[str, ...]
    """Of the places, short enough for an axis; of dots names of others."""
    shown: Ranged
    """What is drawn. Nothing is below zero but changes; ends that are NaN or infinite are not known."""
    limits: tuple[float, float]
    """Of the axis of numbers."""
    below: tuple[int, ...] = ()
    """Places whose released count noise took below zero. They are drawn at zero, with a triangle."""


@dataclass(frozen=True, eq=False)
class DrawnCharts:
    """Charts beside and below each other."""

    panels: tuple[Panel, ...]


@dataclass(frozen=True)
class Times:
    """Out of 100 times: how often a guess is right at most, before and after a release is seen."""

    question: str
    right: int
    said: str
    large: str
    """``said`` with what it is of, to be read from afar."""


@dataclass(frozen=True)
class DrawnPromise:
    """The promise as dots, a hundred for each question."""

    times: tuple[Times, ...]
    terms: tuple[str, ...]
    """What the terms of small print mean, a line each."""


SlideContent: TypeAlias = DrawnMap | DrawnCharts | DrawnPromise | Listed


@dataclass(frozen=True, eq=False)
class Slide:
    """One picture with all that must be read beside it."""

    title: str
    """What is shown, and of which release."""
    sentence: str
    """What is said of it."""
    told: str
    """Of which trips the numbers are, how wide their ranges are, and what grey means."""
    source: str
    """Which release, when, and what it promises."""
    alt: str
    """What the picture shows, for those who cannot see it."""
    drawn: SlideContent | None
    """None where nothing can be drawn: noise hides it, or the view cannot be opened."""
    created: datetime
    """When the release was made: files carry this date, so that equal pictures are equal files."""

    def by_author(self, notes: Sequence[str]) -> Slide:
        """Say in the small print that somebody wrote the sentence: after ``notes``, with which the small print begins."""
        first = " ".join(notes)
        rest = self.told.removeprefix(first).strip()
        return replace(self, told=" ".join(filter(None, (first, BY_AUTHOR, rest))))
