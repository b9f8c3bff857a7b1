"""By which declared attributes the tables of a release are split, with what each split costs in accuracy before it is chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import streamlit as st

from dpcore.errors import AtlasError
from dpcore.measures.attribute import Categories
from dpcore.measures.split import MOST_SPLITS, checked_splits
from dpcore.views.ground.plain import plain, sentence
from dpcore.views.planning.forecasts import split_words
from pages.owner.parts.state.draft import Draft
from pages.owner.parts.state.session import key_of

SPLIT_HELP: Final = (
    "Every table of trips is released for each category apart, such as visits by bus and visits by rail. A trip lies in one part, "
    "so a split costs no ε. Tables of people are not split, because a person makes trips of many categories. The lists of categories "
    "are public: they were declared on the **Data** page."
)
NO_LISTS: Final = "Tables can be split by an attribute of the trips, such as the mode. Declare its list of categories on the **Data** page."
TOO_MANY: Final = "Take one attribute out, or load the trips again with shorter lists on the **Data** page."
_PREVIEWED: Final = 4
"""Splits whose cost is said before they are chosen."""


def split_form(draft: Draft) -> str:
    """Fill in the splits; returns why the tables cannot be split so (Markdown), or nothing."""
    if not draft.categories:
        st.caption(NO_LISTS)
        return ""
    known = {one.name: one for one in draft.categories}
    draft.splits = tuple(
        st.multiselect(
            "Split by",
            list(known),
            default=[name for name in draft.splits if name in known],
            format_func=lambda name: f"{name} ({len(known[name].labels):,} parts)",
            placeholder="Nothing: all trips together",
            max_selections=MOST_SPLITS,
            help=SPLIT_HELP,
            key=key_of("splits"),
        )
    )
    chosen = [one for one in draft.categories if one.name in draft.splits]
    try:
        checked_splits(chosen)
    except AtlasError as error:
        return f"{plain(sentence(error.what))}. {plain(error.mend)} {TOO_MANY}"
    _costs(draft, chosen)
    return ""


def _costs(draft: Draft, chosen: Sequence[Categories]) -> None:
    """What is chosen and what could be, a sentence or two each."""
    further = [one for one in draft.categories if one not in chosen] if len(chosen) < MOST_SPLITS else []
    splits = [[*chosen], *([*chosen, one] for one in further[:_PREVIEWED])]
    with st.container(gap="small"):
        for by in splits:
            try:
                said = split_words(draft.plan(), by, draft.facts) if by else ""
            except AtlasError as error:  # of a plan that stands beside its price, or of too many parts
                said = f"{' and '.join(one.name for one in by)}: {error.what}."
            if said:
                st.caption(plain(said))
