"""Prices and thresholds of large counts, what they mean for one trip and for a person, and the real Opal release beside them."""

from __future__ import annotations

from fractions import Fraction

import streamlit as st

from dpcore.release import kind_of
from dpcore.synthesis.stability.choices import StabilityChoices
from dpcore.synthesis.stability.opal import DELTA, published_totals
from dpcore.synthesis.stability.totals import person_table, totals
from dpcore.views import stability
from pages.owner.parts import synthesize_opal_words as texts


def promise(choices: StabilityChoices) -> None:
    """Prices, thresholds and what they mean for one trip and for a person."""
    plan = choices.plan()
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("**Price and threshold of each combination**")
        st.table(stability.prices_table(plan))
    with right:
        st.markdown("**The promise of the whole**")
        promised = totals(plan)
        st.table(stability.totals_table(promised))
        st.caption(stability.chance_words(promised[0].delta))
        st.markdown(kind_of(choices).promised(choices).words)
        persons = person_table(promised[0])
        if persons:
            st.warning(texts.ONE_TRIP, icon=":material/person_alert:")
            st.table(stability.persons_table(persons))
        else:
            st.caption(
                f"Everything a person did is hidden; at most M = {choices.bound.trips} trips of each count."
            )


def published() -> None:
    """The published thresholds beside ours, and what the files show."""
    with st.expander("Beside the real Opal release: 34.18 and 17.59", icon=":material/directions_transit:"):
        st.markdown(texts.THRESHOLDS)
        st.dataframe(
            stability.thresholds_table(DELTA, (Fraction(1), Fraction(2))),
            hide_index=True,
            alt="Thresholds of the published mechanism and of ours",
        )
        st.markdown(texts.EXHIBIT)
        st.markdown(texts.PUBLISHED_COST)
        real = published_totals()
        st.table(
            {
                "": ["as it says", "as its noise is", "as accounts here count"],
                **stability.totals_table(real),
            }
        )
        st.markdown(texts.ONE_TRIP)
        st.table(stability.persons_table(person_table(real[0])))
        st.caption(texts.CRITICS)
