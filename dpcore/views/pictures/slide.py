"""What stands in a picture: its words, and what is drawn, as plain data. All of it is public.

Texts are plain: names and sentences in them were written by others, and whoever writes a file escapes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Literal, TypeAlias

from dpcore.estimates import Ranged
from dpcore.views.maps.drawn_map import DrawnMap, Listed

BY_AUTHOR: Final = "The sentence is in the author's words."
"""What stands beside a sentence that was not made of the release."""


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
    said: str = ""
    """What is said of the numbers below the picture."""


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
