"""The sound model on the Synthesize page: its price, a throw-away draw beside the truth, and many of them."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import streamlit as st

from dpcore import owner
from dpcore.measures.keys import Period
from dpcore.privacy import RUNGS, PrivacyUnit
from dpcore.synthesis.roy_choices import RoyChoices
from dpcore.synthesis.workload import SynthesisPlan
from dpcore.views import sentences, synthesis
from dpcore.views.plain import percent
from pages.owner.parts import synthesize_words as texts
from pages.owner.parts.session import DataSet, session
from pages.owner.parts.synthesize_choices import (
    drawn,
    kept_slider,
    known_beforehand,
    looked_at,
    plan_of,
)
from pages.owner.parts.synthesize_pictures import numbers, pictures
from pages.owner.parts.synthesize_publish import publish_section
from pages.owner.parts.whom import whom_to_hide

_ESTIMATED = (
    "How many there are was estimated from the noisy tables: the true number is secret. {within:.1f} % of all trips of "
    "the file lie within tiles, dates and durations."
)
_EPSILON_HELP = (
    "The total for one synthetic data set. Small: strong protection, much noise. Any number of trips may be drawn from "
    "the same noisy tables without more cost."
)


def sound_model(data: DataSet, period: Period) -> None:
    """Controls, promise, pictures, numbers and the spread of many draws."""
    left, right = st.columns(2, vertical_alignment="bottom")
    with left:
        whom_to_hide(data, session().choice, "synthesize")
    with right:
        epsilon = kept_slider(
            "ε in total", RUNGS, key="synthesize epsilon", start=Fraction(1), explained=_EPSILON_HELP
        )
    bound = session().choice.bound
    key = known_beforehand(data, bound, epsilon, period)
    plan = plan_of(data, key)
    st.markdown(sentences.protection(bound, epsilon))
    with st.expander("How ε is shared between the tables"):
        st.markdown(texts.SHARES)
        st.table(synthesis.shares_table(plan))
    found = looked_at(
        data,
        "sound",
        key,
        owner.SynthesisPreview,
        make=partial(owner.synthesis_preview, data.trips, data.tessellation, plan),
        waiting="Counting, drawing noise, drawing trips",
    )
    _cards(found)
    st.button(
        "Draw again",
        icon=":material/casino:",
        on_click=drawn(data).forget,
        args=("sound", key),
        help="Fresh noise and fresh trips, again only for looking.",
    )
    pictures(data, found.beside)
    numbers(data, found.beside)
    _runs(data, plan, key)
    publish_section(data, key, "Synthetic trips of the built-in city")


def _cards(found: owner.SynthesisPreview) -> None:
    beside, bound = found.beside, found.plan.bound
    near = {one.table: one for one in beside.closeness}
    stations, routes = near["Stations, in"], near["Routes"]
    counted = "all of them count"
    if bound.unit is PrivacyUnit.USER:
        counted = f"{percent(found.counted)} of them count under M = {bound.trips}"
    cards = (
        (
            "Synthetic trips",
            f"{len(found.trips):,}",
            f"Original: {beside.original.trips:,} within tiles and dates; {counted}.",
            _ESTIMATED.format(within=100 * found.within),
        ),
        (
            "Ends of trips moved by",
            "\N{EM DASH}" if stations.shift is None else f"{1000 * stations.shift:,.0f} m",
            "On average, to turn one map of arrivals into the other.",
            "Earth mover's distance between the tiles where trips end. With more than 600 tiles it is left out.",
        ),
        (
            f"Top {routes.top} routes kept",
            f"{routes.top_kept:.0f} %",
            f"Their counts are off by {routes.utility_loss:.1f} % together.",
            "How many of the truly busiest routes are among the synthetic busiest (TP), and by how much they are off (UL).",
        ),
        (
            "Mean duration",
            synthesis.minutes(beside.synthetic.durations[1]),
            f"Original: {synthesis.minutes(beside.original.durations[1])}.",
            "Shortest and longest are not kept: durations are drawn within public bins.",
        ),
    )
    for column, (label, value, note, explained) in zip(st.columns(4), cards, strict=True):
        column.metric(label, value, help=explained, border=True)
        column.caption(note)


def _runs(data: DataSet, plan: SynthesisPlan, key: RoyChoices) -> None:
    """Many draws, on demand."""
    st.subheader("Draw after draw")
    st.caption(texts.RUNS)
    kept = drawn(data).have("runs", key, owner.SynthesisRuns)
    if kept is None:
        place = st.empty()
        if not place.button(texts.RUNS_BUTTON.format(runs=owner.RUNS), icon=":material/repeat:"):
            return
        place.empty()
        kept = looked_at(
            data,
            "runs",
            key,
            owner.SynthesisRuns,
            make=partial(owner.synthesis_runs, data.trips, data.tessellation, plan),
            waiting="Drawing again and again",
            at=_which_draw,
        )
    shares, distances = st.tabs(["Shares, in per cent", "How near"])
    for tab, rows in ((shares, kept.rows), (distances, kept.distances)):
        tables = synthesis.spread_tables(
            [(one.table, one.label, one.original, one.mean, one.sigma) for one in rows], data.geometry.names
        )
        for column, (title, table) in zip(tab.columns(2) * len(tables), tables.items(), strict=False):
            column.markdown(f"**{title}**")
            column.table(table)


def _which_draw(share: float) -> str:
    """Which of the draws is under way."""
    return f"draw {min(owner.RUNS, round(share * owner.RUNS) + 1)} of {owner.RUNS}"
