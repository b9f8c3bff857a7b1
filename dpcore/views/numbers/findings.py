"""What a release surely says (``comparison.findings``), in words."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor
from typing import Final

import numpy as np

from dpcore.comparison.all_trips import counts_all
from dpcore.comparison.findings import FIRST_HOUR, Finding, busiest_part, hours_of_weekdays
from dpcore.noise.expected_estimates import VISITS
from dpcore.release import Release
from dpcore.views.ground.plain import district_labels

FINDINGS: Final = "What is sure"
"""What stands above findings."""
HOW_SURE: Final = (
    "The chance that a release tells any false finding is at most 5 %. They are told at the highest ε."
)
"""What findings promise."""
_BEGINS: Final = {"earliest": "the busy part of the day", "latest": "the last busy hour"}


def said_of(release: Release, found: Finding) -> str:
    """A finding as a sentence. It holds names of others as they were written, and no count: the views tell that, each with its range."""
    drawn, of_counted = release.measurements[found.measure], of_those_that_count(of_all=counts_all(release))
    if found.kind == "largest":
        called = "tile" if found.measure == VISITS else "flow between districts"
        return surely_words(called, names_of(release, found), (), of_all=counts_all(release))
    if found.kind == "most uneven":
        many = len(release.tessellation.tile_ids)
        whole = "the visits that count" if of_counted else "all visits"
        share = f"{floor(100 * found.low)} to {ceil(100 * found.high)} %"
        return f"The busiest tenth of the tiles ({busiest_part(many):,} of {many:,}) has {share} of {whole}."
    if found.kind == "peak":
        hours = hours_of_weekdays(drawn.keys)
        starts = [f"{hours.index(cell)}:00" for cell in sorted(found.cells)]
        sure, which = (" surely", "") if len(starts) == 1 else ("", ": noise hides which")
        return f"On weekdays the busiest hour{of_counted}{sure} begins at {either(starts)}{which}."
    when = _between(int(found.low), int(found.high))
    return f"On weekdays {_BEGINS[found.kind]} {when}, with more starts{of_counted} than in the average hour."


def surely_words(called: str, names: Sequence[str], words: Sequence[str], *, of_all: bool) -> str:
    """What is surely the busiest, with its number if one is given; where noise hides which of several it is, their names alone.

    ``of_all``: whether it is so of all trips, not only of those that count.
    """
    said = f"The busiest {called}{of_those_that_count(of_all=of_all)} is"
    if len(names) > 1:
        return f"{said} {either(names)}: noise hides which."
    return f"{said} surely {': '.join((names[0], *words))}."


def of_those_that_count(*, of_all: bool) -> str:
    """Which trips something is said of, where these are not all."""
    return "" if of_all else " of the trips that count"


def either(names: Sequence[str]) -> str:
    """Names of which one is meant.

    >>> either(["A"]), either(["A", "B"]), either(["A", "B", "C"])
    ('A', 'A or B', 'A, B or C')
    """
    *first, last = names
    return f"{', '.join(first)} or {last}" if first else last


def names_of(release: Release, found: Finding) -> list[str]:
    """The names of the places of which one is surely the largest. Untrusted text."""
    tiles = release.tessellation
    if found.measure == VISITS:
        return [tiles.called[cell] for cell in found.cells]
    keys = release.measurements[found.measure].keys
    labels, ends = district_labels(tiles, keys.axes[0]), keys.labels(np.array(found.cells)).values()
    return [" \N{RIGHTWARDS ARROW} ".join(labels[one] for one in both) for both in zip(*ends, strict=True)]


def _between(low: int, high: int) -> str:
    """When something begins, by the first and the last possible hour, both counted from ``FIRST_HOUR``."""
    first, last = ((at + FIRST_HOUR) % 24 for at in (low, high))
    if low == high:
        return f"surely begins at {first}:00"
    if high - low == 1:
        return f"begins at {first}:00 or at {last}:00"
    return f"begins between {first}:00 and {last}:00"
