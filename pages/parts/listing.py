"""Why small flows are missing, one click away wherever flows are shown."""

from __future__ import annotations

from fractions import Fraction

import streamlit as st

from dpcore.measures.measurement import Measurement
from dpcore.views import listing


def why_missing(flows: Measurement) -> None:
    """What the threshold of a table means; nothing where every pair is listed."""
    if flows.threshold is None or flows.listed_at is None:
        return
    rho = flows.share * flows.listed_at / flows.sensitivity
    thresholds(rho, flows.keys.size, flows.expected_false, "Why small flows are missing, and some are false")


def thresholds(rho: Fraction, cells: int, chosen: Fraction, title: str) -> None:
    """Words and tables about the threshold that a rate, a number of pairs and of false flows give."""
    with st.expander(title, icon=":material/filter_alt:"):
        st.markdown(listing.WHAT_IT_IS)
        st.table(
            listing.of_plan(rho, cells, chosen), border="horizontal", alt="Thresholds and what is listed"
        )
        st.markdown(listing.WHAT_IT_CHANGES)
        st.caption(listing.BY_SIZE)
        st.table(listing.by_size(), border="horizontal", alt="Thresholds by number of tiles")
