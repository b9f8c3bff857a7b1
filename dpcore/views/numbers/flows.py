"""Flows between tiles: which to draw, the strongest as a table, and why a table of very many cells lists some of them only.

Thresholds, false flows, and what becomes of small true ones follow from the size of the table and of the noise: from no
count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpcore.estimates.words import LIKELY
from dpcore.measures.measurement import Measurement
from dpcore.measures.plan import USUAL_FALSE_FLOWS
from dpcore.noise.accuracy import false_positive_threshold, reaches
from dpcore.privacy import decimal_text
from dpcore.views.charts.plots import window_name
from dpcore.views.ground.plain import chance_words, number
from dpcore.views.ground.reading import touches_a_tile
from dpcore.views.ground.shown import ALL, Shown

DRAWN_FLOWS: Final = 150
"""Lines on the map; more of them could not be told apart."""
SENT_FLOWS: Final = 1_500
"""Flows that an interactive map is given; a slider and the chosen places say which of them it draws."""
ESTIMATE: Final = "estimated trips"
"""Column of estimates with likely ranges."""
WITHOUT_RANGE: Final = "estimated trips (no range known)"
"""Column of estimates where no range is known."""
RELEASED: Final = "released (95 % of the noise)"
"""Column of the released counts where all trips count."""
RELEASED_COUNTED: Final = "released, of the trips that count (95 % of the noise)"
"""The same where at most so many trips of each person count."""
BY_NOISE: Final = "Expected: at most one of them is false."
"""Stands beside the number of flows to trust (``accuracy.stands_out_from``); help and glossary say what is false."""


def drawn_flows(flows: Measurement, most: int = DRAWN_FLOWS, *, rung: int = -1) -> NDArray[np.int64]:
    """Positions (among the listed cells) of the flows to draw, at most so many: the strongest between two different tiles.

    Where epsilon moves they are those of the highest rung (the default), so that lines fade in and out but never jump to
    others. A picture of one ``rung`` asks for its own.
    """
    tiles = flows.keys.shape[0] - 1  # the last position is outside
    origin, destination = np.unravel_index(flows.cell_numbers, flows.keys.shape)
    values = flows.values[rung]
    between = (origin < tiles) & (destination < tiles) & (origin != destination)
    candidates = np.flatnonzero(between & (values > 0))
    strongest = np.argsort(-values[candidates], kind="stable")[:most]
    return np.sort(candidates[strongest])


def flows_table(shown: Shown, names: Mapping[str, str], rows: int = 50) -> pd.DataFrame:
    """The largest flows of a table, largest first; from outside to outside is none.

    The top of drawn counts is biased upwards: what noise lifted stands higher. Columns: those of ``listed_flows``; of drawn counts
    whether they stand out, and of estimates the released count where the table was released.
    """
    top = touching(shown, rows)
    found = listed_flows(shown, names, top)
    if shown.is_drawn:
        return found.assign(**{"stands out": shown.readable[top]})
    found = found.rename(columns={"trips": ESTIMATE if LIKELY in found else WITHOUT_RANGE})
    if shown.released is None:
        return found
    column = RELEASED if shown.released.about == ALL else RELEASED_COUNTED
    return found.assign(**{column: list(shown.released.exact(shown.cells[top]))})


def touching(shown: Shown, rows: int) -> NDArray[np.int64]:
    """Positions of the largest flows, largest first; from outside to outside is none."""
    return shown.largest(np.flatnonzero(touches_a_tile(shown.keys, shown.cells)), rows)


def listed_flows(shown: Shown, names: Mapping[str, str], top: NDArray[np.int64]) -> pd.DataFrame:
    """Some flows of a table: from, to, when (of flows by window), trips, and the range where any is known."""
    labels, numbers = shown.keys.labels(shown.cells[top]), shown.numbers.at(top)
    found = pd.DataFrame(
        {
            "from": [names.get(place, place) for place in labels["origin"]],
            "to": [names.get(place, place) for place in labels["destination"]],
            **when(labels),
            "trips": np.rint(numbers.values).astype(np.int64),
        }
    )
    if np.isfinite(shown.numbers.high).any():
        found["95 %" if shown.is_drawn else LIKELY] = [
            "no range is known" if np.isnan(high) else f"{number(low)} to {number(high)}"
            for low, high in zip(numbers.low, numbers.high, strict=True)
        ]
    return found


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
