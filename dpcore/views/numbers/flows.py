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

from dpcore.measures.measurement import Measurement
from dpcore.measures.plan import USUAL_FALSE_FLOWS
from dpcore.noise.accuracy import false_positive_threshold, reaches
from dpcore.privacy import decimal_text
from dpcore.views.charts.plots import window_name
from dpcore.views.ground.plain import chance_words, number
from dpcore.views.ground.reading import of_the_map, trusted_flows

DRAWN_FLOWS: Final = 150
"""Lines on the map; more of them could not be told apart."""
SENT_FLOWS: Final = 1_500
"""Flows that an interactive map is given; a slider and the chosen places say which of them it draws."""
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


def strongest_flows(
    flows: Measurement,
    rung: int,
    names: Mapping[str, str],
    truth: NDArray[np.int64] | None = None,
    rows: int = 50,
) -> pd.DataFrame:
    """The largest noisy flows at a rung with their intervals, largest first; from outside to outside is none.

    The order is by noisy count, so its top is biased upwards: what noise lifted stands higher. Columns:
    from, to, when (of flows by window), trips, 95 % (interval), true if given (owner pages only), stands out.
    """
    values, wide = flows.values[rung], flows.half_widths[rung]
    order = np.argsort(-values, kind="stable")
    top = order[of_the_map(flows)[order]][:rows]
    labels = flows.keys.labels(flows.cell_numbers[top])
    table = pd.DataFrame(
        {
            "from": [names.get(tile, tile) for tile in labels["origin"]],
            "to": [names.get(tile, tile) for tile in labels["destination"]],
            **when(labels),
            "trips": values[top],
            "95 %": [f"{number(value - wide)} to {number(value + wide)}" for value in values[top]],
        }
    )
    if truth is not None:
        table.insert([*table.columns].index("trips") + 1, "true", truth[top])
    table["stands out"] = trusted_flows(flows, rung)[top]
    return table


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
