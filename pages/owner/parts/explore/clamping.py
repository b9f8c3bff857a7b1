"""Explore: what public bounds of a number cut off its mean, counted exactly. For the owner only, and only when asked."""

from __future__ import annotations

from typing import Final

import streamlit as st

from dpcore.api import owner
from dpcore.measures.attribute import Amount
from dpcore.measures.sums import Sum
from dpcore.views.planning.beside_truth import clamping_words
from pages.owner.parts.release.sums_form import BOUNDS_HELP, bounds_label, number_name, proposed_bounds
from pages.owner.parts.state.data_sets import DataSet
from pages.owner.parts.state.draft import Look
from pages.owner.parts.state.session import session

TITLE: Final = "Bounds of a sum"
ABOUT: Final = (
    "Values beyond the bounds of a sum are set to the bound. Narrow bounds make the sum and the mean too small or too large, wide bounds "
    "make the noise wider. What follows is exact and **for the owner only**: bounds that you choose by it are chosen after looking, and the "
    "release says so."
)
BOUGHT: Final = "Bounds that everybody knows, such as a tariff, need no look. Others can be paid for: publish travel times or distances with bought ranges first."
COUNT: Final = "Count what these bounds cut off"
DECLARED: Final = "When the trips were loaded, values were set to {bounds}. What lies beyond is not known here: to see it, load them again with wider bounds."
_ASKED: Final = "clamping asked"
_KEPT: Final = 8


def clamping(data: DataSet) -> None:
    """The number and its bounds, and what these cut off once that was asked for; AtlasError for bounds that are none."""
    mine = session()
    proposed = proposed_bounds(mine.draft())
    names = list(proposed)
    asked = mine.kept.holds(_ASKED, None)
    with st.expander(TITLE, icon=":material/straighten:", expanded=asked):
        st.caption(ABOUT)
        left, right = st.columns(2)
        name = left.selectbox(
            "Number", names, format_func=number_name, **mine.form.option("explore number", names, names[0])
        )
        name = name or names[0]
        text = right.text_input(
            bounds_label(name),
            help=BOUNDS_HELP,
            **mine.form.value(f"explore bounds {name}", str, proposed[name]),
        )
        one = mine.draft().sum(name, text or "")
        if asked:
            _show(data, one)
        else:
            st.button(COUNT, on_click=_ask, help=BOUGHT)


def _ask() -> None:
    """The owner looks at the trips: noted before anything is counted, so that no release says that nobody had."""
    session().looked(Look.CLAMPED)
    session().kept.last(_ASKED, None, lambda: True)


def _show(data: DataSet, one: Sum) -> None:
    bound = session().draft().bound

    def counted() -> owner.Clamping:
        with st.spinner("Counting"):
            return owner.clamping(data.trips, one, bound)

    found = session().kept.last("clamping", (bound, one), counted, most=_KEPT)
    st.markdown(clamping_words(one, found.mean, found.mean_within, found.count, found.missing))
    kept = next((amount for amount in data.trips.attributes if amount.name == one.name), None)
    if isinstance(kept, Amount):
        st.caption(
            DECLARED.format(bounds=kept.declared.replace(":", " to ", 1).replace(":", " in units of "))
        )
    st.caption(f"{data.mark.rstrip('.')}. Over the trips that count ({bound}).")
