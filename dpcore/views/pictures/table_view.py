"""What a view of a release of tables is. Each is a file of ``dpcore.views.tables``, found by its name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Final

from dpcore import wings
from dpcore.comparison.findings import Finding
from dpcore.estimates import Estimates
from dpcore.release import Release
from dpcore.views.maps.address import Address
from dpcore.views.numbers import estimated
from dpcore.views.numbers.told_tiles import sum_on_map
from dpcore.views.pictures.slide import SlideContent

_FIRST: Final = ("map", "flows", "rhythm", "rankings", "measures", "accuracy")


@dataclass(frozen=True, eq=False)
class TableView:
    """One way of looking at a release of tables. Viewer, pictures, stories and links know it by the name of its file."""

    title: str
    """What it is called on its picture."""
    holds: Callable[[Release, Address], bool]
    """Whether a release, or one part of it, holds its tables. Nothing is estimated or drawn."""
    tables: Callable[[Release, Address], tuple[str, ...]]
    """The tables whose estimates it needs: all others would take seconds for nothing."""
    draw: Callable[[Release, Address, Estimates], tuple[SlideContent | None, Sequence[str]]]
    """The drawing, None where there is nothing to show, and what must be read beside it."""
    sentence: Callable[[Release, tuple[Finding, ...], Address], str] | None = None
    """What is said of it, from the findings of the release; None: nothing ever."""
    button: str = ""
    """What stands on its button in the Viewer, if that is not its title."""


@cache
def table_views() -> Mapping[str, TableView]:
    """The views by name, in reading order."""
    found = wings.files_of("views/tables", *_FIRST)
    return MappingProxyType({one.__name__.rpartition(".")[2]: one.VIEW for one in found})


def coloured_by(release: Release, at: Address) -> str:
    """The sum or mean that colours a map; empty for visits and in other views."""
    return sum_on_map(release, at.colours) if at.view == "map" else ""


def whose_words(release: Release, at: Address, estimates: Estimates) -> str:
    """Whose trips the numbers of a view are of."""
    if at.released:
        return estimated.about_released(release, estimates)
    return estimated.about_estimates(release.plan, estimates)


def ranges_words(at: Address) -> str:
    """What the ranges of a chart hold."""
    if at.released:
        return "Ranges hold 95 % of the noise of each released count."
    return "Ranges are the likely ranges of the estimates."
