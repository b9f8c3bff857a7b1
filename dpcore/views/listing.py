"""Why a table of very many cells lists some of them only: thresholds, false flows, and what becomes of small true ones.

All of it follows from the size of the table and of the noise: from no count.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from dpcore.measures.measurement import Measurement
from dpcore.measures.plan import USUAL_FALSE_FLOWS
from dpcore.noise.accuracy import reaches, speck_threshold
from dpcore.privacy import decimal_text
from dpcore.views.plain import chance_words

NUMBERS: Final = (Fraction(1), Fraction(10), Fraction(100), Fraction(1_000), Fraction(10_000))
"""Numbers of false flows that are set side by side."""
TRUE_FLOWS: Final = (1, 5, 10, 20, 50, 100)
"""True counts whose chance of being listed is told."""
_TILES: Final = (1_000, 5_000, 20_000)
_NOISE: Final = (1, 10, 50)  # noise scales: sensitivity over the epsilon of the measure

WHAT_IT_IS: Final = (
    "Between so many tiles most pairs have no trip, and yet **every pair gets noise**, or a listed pair would prove that someone "
    "travelled. Too many to list them all: only those whose noisy count reaches a **threshold** are listed. Some empty pairs reach "
    "it too: **false flows**. How many is chosen beforehand, and the threshold follows from it, from the number of pairs "
    "and from the noise, never from a trip. So it costs no ε and needs no δ."
)
WHAT_IT_CHANGES: Final = (
    "**More false flows** lower the threshold: more small true flows are listed, in a list with more noise. **Fewer** raise it: what "
    "is listed is surer, and more small flows are missing. Ten times as many lower it only by 2.3 times the noise, "
    "so a true flow much smaller than the threshold cannot be saved: with it, countless empty pairs would come in. A missing "
    "pair means few trips, never none. Which flows *stand out* is stricter, and does not change with more: among all "
    "pairs about one empty one."
)
BY_SIZE: Final = (
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


def of_plan(rho: Fraction, cells: int, chosen: Fraction) -> dict[str, list[str]]:
    """Columns, one row a number of false flows: the threshold, and how often true flows of some sizes are listed.

    Args:
        rho: rate of the noise where the listing is decided.
        cells: number of pairs, whatever the data.
        chosen: the number of false flows of the plan; its row is marked.

    """
    rows = sorted({*NUMBERS, chosen})
    thresholds = [speck_threshold(rho, cells, many) for many in rows]
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


def by_size() -> dict[str, list[str]]:
    """Thresholds for one false flow and for a hundred by number of tiles, at some sizes of the noise; as columns."""
    columns = {
        "tiles": [f"{tiles:,}" for tiles in _TILES],
        "pairs": [f"{tiles**2:,}" for tiles in _TILES],
    }
    for scale in _NOISE:
        columns[f"noise {scale}: 1 / 100 false"] = [
            " / ".join(f"{speck_threshold(Fraction(1, scale), tiles**2, many):,}" for many in (1, 100))
            for tiles in _TILES
        ]
    return columns
