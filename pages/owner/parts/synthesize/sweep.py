"""The sweep on the Synthesize page: how near the trips come to the truth at each epsilon, in both modes."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dpcore.kinds.roy import owner as roy_owner
from dpcore.kinds.roy import views as synthesis
from dpcore.kinds.roy.article import PRINTED_MEANS, printed
from dpcore.kinds.roy.choices import RoyChoices
from dpcore.kinds.roy.workload import SynthesisPlan
from pages.owner.parts.state.data_sets import DataSet
from pages.owner.parts.state.session import session
from pages.owner.parts.synthesize import words as texts
from pages.owner.parts.synthesize.choices import looked_at
from pages.parts.chart import show_table

_RUNS = (5, 20)


def sweep_section(data: DataSet, plan: SynthesisPlan, choices: RoyChoices) -> None:
    """Every metric of every table at each epsilon, on demand."""
    st.subheader("Over ε", help=texts.SWEEP)
    runs = st.segmented_control(
        "Draws of each",
        _RUNS,
        required=True,
        **session().form.segment("synthesize sweep runs", _RUNS, _RUNS[-1]),
    )
    key = (choices, runs)
    if not session().kept.holds("sweep", key):
        place = st.empty()
        words = texts.SWEEP_BUTTON.format(runs=runs, epsilons=len(roy_owner.EPSILONS))
        if not place.button(words, icon=":material/show_chart:"):
            return
        place.empty()
    found = looked_at(
        "sweep",
        key,
        partial(roy_owner.sweep, data.trips, data.tessellation, plan.domain, (plan.bound,), runs=runs),
        waiting="Drawing at each ε in both modes",
    )
    tables = synthesis.sweep_tables(
        [(one.metric, one.mode, one.table, one.unit, one.epsilon, one.mean, one.sigma) for one in found.rows]
    )
    for tab, (metric, table) in zip(st.tabs([*tables]), tables.items(), strict=True):
        with tab:
            show_table(table, f"{metric} at each ε", mark=data.mark)
            st.caption(f"{PRINTED_MEANS} {printed(metric)}.")
    st.caption(texts.SWEEP_READ)
