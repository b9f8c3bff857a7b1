"""Flows between places: which stand first in a list, and why a table of very many cells lists some of them only.

Flows between two different places come first, of these what is known (``Shown.known``). Trips within one place are many, and
say nothing of a way between two, so they stand apart, with those from or to the outside.

Thresholds, false flows, and what becomes of small true ones follow from the size of the table and of the noise: from no
count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpcore.estimates import Estimated, Estimates
from dpcore.estimates.words import LIKELY
from dpcore.measures.keys import KeySet
from dpcore.measures.measurement import Measurement
from dpcore.measures.plan import USUAL_FALSE_FLOWS
from dpcore.noise.accuracy import false_positive_threshold, reaches
from dpcore.noise.expected_estimates import CERTAIN
from dpcore.privacy import decimal_text
from dpcore.release.estimates import estimates_of
from dpcore.release.release import Release
from dpcore.views.charts.plots import window_name
from dpcore.views.ground.plain import chance_words, flow_name, number, percent, rounded
from dpcore.views.ground.reading import touches_a_tile
from dpcore.views.ground.shown import ALL, Shown, counted_of, ranged, spoken_of

DRAWN_FLOWS: Final = 150
"""Lines on the map; more of them could not be told apart."""
SENT_FLOWS: Final = 1_500
"""Flows that an interactive map is given; a slider and the chosen places say which of them it draws."""
ESTIMATE: Final = "estimated trips"
"""Column of estimates; their ranges stand beside it."""
PLACES: Final = ("tile_id", "origin", "destination")
"""Key columns that are places."""
NONE_LISTED: Final = "No flow between two different places is listed, which does not mean that there is none."
"""In place of an empty list."""
APART_ROWS: Final = 10
"""Rows of the list of trips within a place."""
RELEASED: Final = "released (95 % of the noise)"
"""Column of the released counts where all trips count."""
RELEASED_COUNTED: Final = "released, of the trips that count (95 % of the noise)"
"""The same where at most so many trips of each person count."""
BY_NOISE: Final = "Expected: at most one of them is false."
"""Stands beside the number of flows that stand out (``accuracy.stands_out_from``); help and glossary say what is false."""
TOO_FEW_LISTED: Final = "Too few flows are listed to tell how many trips all of them have. A flow that is not listed is not known to be 0."
"""Where the listed flows hold less than ``_LISTED`` of the trips that the table by hour tells."""
_LISTED: Final = 0.5
HIDDEN_TOTAL: Final = "Noise hides how many trips there are in all. Estimates of all trips say nothing here."
"""Where the noise of the two numbers of the share reaches far beyond them."""
_HIDDEN: Final = 5
"""A share whose range goes down to so small a part of it is not known."""

Cells = NDArray[np.int64]


def finest_flows(release: Release) -> Estimated:
    """The estimated flows between tiles at the finest stop."""
    return estimates_of(release, of=("od_flows",)).tables["od_flows"]


def flows_words(estimates: Estimates) -> str:
    """How many trips the estimated flows between tiles are."""
    table, hours = estimates.tables["od_flows"], estimates.tables.get("trips_per_hour")
    total, share = float(ranged(table).values.sum()), estimates.share
    if share is not None and share.low * _HIDDEN < share.value:
        return HIDDEN_TOTAL
    about = number(rounded(round(total), round(total / 10)))  # a tenth: its own range is not known
    said = f"About {about} {counted_of('trips', spoken_of(table))}, by start and end."
    # a trip starts in one hour and ends in one
    few = hours is not None and total < _LISTED * ranged(hours).values.sum() / 2
    return TOO_FEW_LISTED if few else said


def ends_of(keys: KeySet, cells: Cells) -> list[tuple[Cells, int]]:
    """The number of each place of each cell, and how many places there are; the last one is outside."""
    positions = np.unravel_index(cells, keys.shape)
    return [
        (where, size)
        for axis, where, size in zip(keys.axes, positions, keys.shape, strict=True)
        if axis.column in PLACES
    ]


def ranked_cells(keys: KeySet, cells: Cells) -> Cells:
    """Positions of the cells that a ranking of places takes: inside, and between two different places."""
    ends = ends_of(keys, cells)
    part = np.logical_and.reduce([np.ones(len(cells), bool), *(end < size - 1 for end, size in ends)])
    if len(ends) > 1:
        part &= ends[0][0] != ends[1][0]
    return np.flatnonzero(part).astype(np.int64)


def cells_apart(keys: KeySet, cells: Cells) -> Cells:
    """Positions of the flows that no ranking takes: within a place, and from or to the outside. From outside to outside is none."""
    part = touches_a_tile(keys, cells)
    part[ranked_cells(keys, cells)] = False
    return np.flatnonzero(part).astype(np.int64)


@dataclass(frozen=True, eq=False)
class FirstFlows:
    """What a list of flows shows, each part with what is known first and then by size."""

    between: Cells
    """Positions of the first flows between two different places."""
    apart: Cells
    """Positions of the first trips within a place, and of those from or to the outside."""
    said: str
    """How many of the first are known, and what the others are, as a sentence or two."""
    apart_title: str
    """What stands above those apart."""


def first_flows(shown: Shown, rows: int, apart_rows: int = APART_ROWS) -> FirstFlows:
    """The first flows of a table over pairs of places: the order of every list of them."""
    between = shown.first(ranked_cells(shown.keys, shown.cells), rows)
    apart = shown.first(cells_apart(shown.keys, shown.cells), apart_rows)
    said = known_first(shown.known[between], drawn=shown.is_drawn)
    return FirstFlows(between, apart, said, title_apart(shown.keys, shown.cells[apart]))


def title_apart(keys: KeySet, cells: Cells) -> str:
    """What stands above some flows that are listed apart."""
    place = "district" if keys.axes[-1].of_tiles else "tile"
    outside = any((end == size - 1).any() for end, size in ends_of(keys, cells))
    return f"Trips within a {place}{', and from or to the outside' if outside else ''}"


def known_first(of_list: NDArray[np.bool_], *, drawn: bool) -> str:
    """How many flows of a list are known, and what the others are. ``drawn``: of drawn counts."""
    many, known = len(of_list), int(of_list.sum())
    is_so, are_so, others = "stands out of the noise", "stand out of the noise", "may be noise alone"
    if not drawn:
        is_so, are_so = (f"{verb} known within {percent(CERTAIN)}" for verb in ("is", "are"))
        others = "have wider likely ranges"
    if not many:
        return NONE_LISTED
    if known == many:
        return f"All listed flows {are_so}."
    if not known:
        return f"No flow {is_so}: all {others}."
    return f"The first {is_so if known == 1 else f'{known:,} {are_so}'}. The others {others}."


def flows_table(shown: Shown, names: Mapping[str, str], top: Cells, *, apart: bool = False) -> pd.DataFrame:
    """Some flows as ``listed_flows`` has them: of drawn counts also whether they stand out, of estimates the released counts."""
    found = listed_flows(shown, names, top, apart=apart)
    if shown.is_drawn:
        return found.assign(**{"stands out": shown.readable[top]})
    found = found.rename(columns={"trips": ESTIMATE})
    if shown.released is None:
        return found
    column = RELEASED if shown.released.about == ALL else RELEASED_COUNTED
    return found.assign(**{column: list(shown.released.exact(shown.cells[top]))})


def listed_flows(shown: Shown, names: Mapping[str, str], top: Cells, *, apart: bool = False) -> pd.DataFrame:
    """Some flows of a table: both ends, when (of flows by window), trips, and the range.

    ``apart``: one column tells both ends, because many are within one place.
    """
    labels, numbers = shown.keys.labels(shown.cells[top]), shown.numbers.at(top)
    ends = {
        name: [names.get(place, place) for place in labels[end]]
        for name, end in (("from", "origin"), ("to", "destination"))
    }
    same = (start == end for start, end in zip(labels["origin"], labels["destination"], strict=True))
    called = [flow_name(*both, within=one) for *both, one in zip(*ends.values(), same, strict=True)]
    ranges = [
        "no range is known" if np.isnan(high) else f"{number(low)} to {number(high)}"
        for low, high in zip(numbers.low, numbers.high, strict=True)
    ]
    return pd.DataFrame(
        {
            **({"where": called} if apart else ends),
            **when(labels),
            "trips": np.rint(numbers.values).astype(np.int64),
            "95 %" if shown.is_drawn else LIKELY: ranges,
        }
    )


def when(labels: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """The column with day type and window of flows by window; none for other flows."""
    if "window" not in labels:
        return {}
    both = zip(labels["day_type"], labels["window"], strict=True)
    return {"when": [f"{day_type}s, {window_name(window)}" for day_type, window in both]}


NUMBERS_OF_FALSE_FLOWS: Final = (Fraction(1), Fraction(10), Fraction(100), Fraction(1_000), Fraction(10_000))
"""Numbers of false flows that are set side by side."""
TRUE_FLOWS: Final = (1, 5, 10, 20, 50, 100)
"""True counts whose chance of being listed is told."""
_TILES: Final = (1_000, 5_000, 20_000)
_NOISE: Final = (1, 10, 50)  # noise scales: sensitivity over the epsilon of the measure

WHAT_A_LIST_IS: Final = (
    "Between so many tiles most pairs have no trip. Yet **every pair gets noise**: otherwise a listed pair would "
    "prove that someone travelled. There are too many pairs to list all, so only those whose noisy count reaches "
    "a **threshold** are listed. Some empty pairs reach it too: **false flows**. Their number is chosen "
    "beforehand. The threshold follows from it, from the number of pairs and from the noise, never from a trip. "
    "So it costs no ε and needs no δ."
)
WHAT_THE_NUMBER_CHANGES: Final = (
    "**More false flows** lower the threshold: more small true flows are listed, among more noise. **Fewer** "
    "raise it: the list is surer, and more small flows are missing. Ten times as many false flows lower the "
    "threshold only by 2.3 times the noise. So a true flow much smaller than the threshold cannot be listed "
    "without countless empty pairs. A missing pair means few trips, not none. Whether a flow *stands out* is a "
    "stricter test and does not depend on this number: of all pairs, about one empty one stands out."
)
THRESHOLDS_BY_SIZE: Final = (
    "Thresholds by number of tiles and size of the noise (a noise of 10 is sensitivity 10 at ε 1)."
)


def by_chance(flows: Measurement) -> str:
    """About how many of the listed pairs are noise alone, in words."""
    many = flows.expected_false
    return "about one" if many == USUAL_FALSE_FLOWS else f"about {false_flows_text(many)}"


def false_flows_text(many: Fraction) -> str:
    """A number of false flows for people.

    >>> false_flows_text(Fraction(10_000)), false_flows_text(Fraction(1, 10))
    ('10,000', '0.1')
    """
    return f"{int(many):,}" if many.denominator == 1 else decimal_text(many)


def thresholds_of_plan(rho: Fraction, cells: int, chosen: Fraction) -> dict[str, list[str]]:
    """Columns, one row a number of false flows: the threshold, and how often true flows of some sizes are listed.

    ``rho``: rate of the noise where the listing is decided; ``cells``: number of pairs; ``chosen``: by the plan, marked.
    """
    rows = sorted({*NUMBERS_OF_FALSE_FLOWS, chosen})
    thresholds = [false_positive_threshold(rho, cells, many) for many in rows]
    columns = {
        "false flows (about)": [
            f"{false_flows_text(many)}{' (chosen)' if many == chosen else ''}" for many in rows
        ],
        "listed from": [f"{threshold:,}" for threshold in thresholds],
    }
    for true in TRUE_FLOWS:
        columns[f"a flow of {true} is listed"] = [
            chance_words(reaches(rho, threshold - true)) for threshold in thresholds
        ]
    return columns


def thresholds_by_size() -> dict[str, list[str]]:
    """Thresholds for one false flow and for a hundred by number of tiles, at some sizes of the noise; as columns."""
    columns = {"tiles": [f"{tiles:,}" for tiles in _TILES], "pairs": [f"{tiles**2:,}" for tiles in _TILES]}
    for scale in _NOISE:
        columns[f"noise {scale}: 1 / 100 false"] = [
            " / ".join(
                f"{false_positive_threshold(Fraction(1, scale), tiles**2, many):,}" for many in (1, 100)
            )
            for tiles in _TILES
        ]
    return columns
