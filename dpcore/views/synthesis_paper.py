"""The four ways to noise the published tables, as a table and in words."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from dpcore.privacy import decimal_text
from dpcore.views.synthesis import Columns, percent

PRINTED: Final = "0.52 to 0.54 %"
"""What Figure 1 (c) prints for the synthetic share of the five busiest days."""

Variant = tuple[str, float, int, Fraction | None, Fraction | None]
"""What the noise is added to, share of the busiest days, phantoms, epsilon under replace-one and under add/remove."""


def variants_table(true_share: float, trips: int, rows: Sequence[Variant]) -> Columns:
    """The truth and the four ways, one row each."""
    none = "\N{EM DASH}"
    return {
        "noise on": ["nothing: the truth", *(name for name, *_ in rows)],
        "five busiest days, mean": [percent(true_share), *(percent(share) for _, share, *_ in rows)],
        "phantoms": [none, *(f"{phantoms:,}" for _, _, phantoms, *_ in rows)],
        "for each true trip": [none, *(f"{phantoms / max(trips, 1):.2f}" for _, _, phantoms, *_ in rows)],
        "ε, replace one": [none, *(_epsilon(row[3]) for row in rows)],
        "ε, add or remove": [none, *(_epsilon(row[4]) for row in rows)],
    }


def _epsilon(value: Fraction | None) -> str:
    return "not private" if value is None else decimal_text(value)


def cells_words(cells: int, occupied: int, trips: int) -> str:
    """How empty the table of stations, dates and hours is."""
    empty = cells - occupied
    return (
        f"{cells:,} counts of stations \N{MULTIPLICATION SIGN} dates \N{MULTIPLICATION SIGN} hours for {trips:,} trips: {empty:,} of them "
        f"({100 * empty / max(cells, 1):.0f} %) are empty."
    )
