"""What a plan buys beside its tables: five-number summaries, and the ranges of bins."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

import streamlit as st

from dpcore.measures import measure_named
from dpcore.plan import FIVE_NUMBERS_WEIGHT, NOTHING
from dpcore.quantiles.grids import GRIDS
from pages.owner.parts import release_words
from pages.owner.parts.draft import Draft

_USUAL_PERCENT: Final = 10


def quantile_form(draft: Draft) -> None:
    """Fill in the weight of summaries and the share of ranges; nothing is offered where there is no histogram."""
    histograms = [name for name in draft.weights if name in GRIDS]
    open_ended = [name for name in histograms if GRIDS[name].ranged and name not in draft.choices.edges]
    draft.five_numbers = _summaries(draft.five_numbers) if histograms else 0
    draft.ranges = _ranges(draft.ranges) if open_ended else NOTHING
    draft.ranged = _ranged(open_ended) if draft.ranges else None


def _summaries(weight: int) -> int:
    """The weight of five-number summaries; 0 where they are not wanted."""
    box, field = st.columns([2, 1])
    wanted = box.checkbox(
        "Five-number summaries",
        help=release_words.FIVE_NUMBERS_HELP,
        value=weight > 0,
        key="release five numbers",
    )
    if not wanted:
        return 0
    chosen = field.number_input(
        "Weight of the summaries",
        1,
        1_000,
        value=weight or FIVE_NUMBERS_WEIGHT,
        key="release five numbers weight",
    )
    return int(chosen)


def _ranged(open_ended: list[str]) -> tuple[str, ...] | None:
    """The histograms whose ranges are bought; None for all whose bins are the usual ones."""
    chosen = st.multiselect(
        "Histograms whose ranges are bought",
        open_ended,
        format_func=lambda name: measure_named(name).title,
        help=release_words.RANGED_HELP,
        default=open_ended,
        key=f"release ranged {' '.join(open_ended)}",
    )
    return None if len(chosen) == len(open_ended) else tuple(chosen)


def _ranges(share: Fraction) -> Fraction:
    """The share of epsilon that buys ranges; 0 where the usual bins will do."""
    box, field = st.columns([2, 1])
    wanted = box.checkbox(
        "Buy ranges of the bins", help=release_words.RANGES_HELP, value=share > 0, key="release ranges"
    )
    if not wanted:
        return NOTHING
    percent = field.number_input(
        "Share of ε for the ranges (%)",
        1,
        90,
        value=int(share * 100) or _USUAL_PERCENT,
        key="release ranges share",
    )
    return Fraction(int(percent), 100)
