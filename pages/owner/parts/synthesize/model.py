"""The sound model on the Synthesize page: its price, a throw-away draw beside the truth, its pictures and numbers, and many of them."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import streamlit as st

from dpcore.comparison.matching import matched
from dpcore.kinds.roy import owner as roy_owner
from dpcore.kinds.roy import views as synthesis
from dpcore.kinds.roy.article import SOUND
from dpcore.kinds.roy.choices import RoyChoices
from dpcore.kinds.roy.workload import SynthesisPlan
from dpcore.measures.keys import Period
from dpcore.privacy import RUNGS, PrivacyUnit, decimal_text
from dpcore.views.comparison import difference_map, likeness
from dpcore.views.ground.plain import percent
from dpcore.views.numbers import sentences
from pages.owner.parts.compare.pictures import overlay
from pages.owner.parts.explore.looking import may_look
from pages.owner.parts.release.publishing import publish_section
from pages.owner.parts.release.spending import Offer
from pages.owner.parts.state.data_sets import DataSet
from pages.owner.parts.state.session import session
from pages.owner.parts.state.whom import whom_to_hide
from pages.owner.parts.synthesize import words as texts
from pages.owner.parts.synthesize.choices import (
    draw_again,
    known_beforehand,
    looked_at,
    plan_of,
)
from pages.owner.parts.synthesize.sweep import sweep_section
from pages.parts.chart import show_table
from pages.parts.when_open import expander

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
        whom_to_hide(data, "synthesize")
    with right:
        start = session().form.stop("synthesize epsilon", RUNGS, Fraction(1))
        epsilon = st.select_slider("ε in total", RUNGS, format_func=decimal_text, help=_EPSILON_HELP, **start)
    bound = session().draft().bound
    with st.container():
        key = known_beforehand(data, bound, epsilon, period)
    plan = plan_of(data, key)
    st.markdown(sentences.protection(bound, epsilon))
    with st.expander("How ε is shared between the tables"):
        st.markdown(texts.SHARES)
        st.table(synthesis.shares_table(plan))
    with st.expander("Which trips are left out"):
        st.markdown(f"{texts.CLEANING}\n\n{SOUND}")
    with st.container():
        if may_look(data):
            _looked_at(data, plan, key)
    publish_section(data, Offer(key, "Synthetic trips of the built-in city"))


def _looked_at(data: DataSet, plan: SynthesisPlan, key: RoyChoices) -> None:
    """Pictures and numbers of one throw-away draw beside the truth."""
    found = looked_at(
        "sound",
        key,
        partial(roy_owner.synthesis_preview, data.trips, data.tessellation, plan),
        waiting="Counting, drawing noise, drawing trips",
    )
    _cards(found)
    st.button(
        "Draw again",
        icon=":material/casino:",
        on_click=draw_again,
        args=("sound", key),
        help="Fresh noise and fresh trips, again only for looking.",
    )
    pictures(data, found.beside)
    numbers(data, found.beside)
    with st.container():
        _runs(data, plan, key)
    with st.container():
        sweep_section(data, plan, key)


def _cards(found: roy_owner.SynthesisPreview) -> None:
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
    st.subheader("Draw after draw", help=texts.RUNS)
    if not session().kept.holds("runs", key):
        place = st.empty()
        if not place.button(texts.RUNS_BUTTON.format(runs=roy_owner.RUNS), icon=":material/repeat:"):
            return
        place.empty()
    kept = looked_at(
        "runs",
        key,
        partial(roy_owner.synthesis_runs, data.trips, data.tessellation, plan),
        waiting="Drawing again and again",
        at=_which_draw,
    )
    shares, distances = st.tabs(["Shares, in percent", "How near"])
    for tab, rows in ((shares, kept.rows), (distances, kept.distances)):
        tables = synthesis.spread_tables(
            [(one.table, one.label, one.original, one.mean, one.sigma) for one in rows], data.geometry.names
        )
        for column, (title, table) in zip(tab.columns(2) * len(tables), tables.items(), strict=False):
            column.markdown(f"**{title}**")
            column.table(table)


def _which_draw(share: float) -> str:
    """Which of the draws is under way."""
    return f"draw {min(roy_owner.RUNS, round(share * roy_owner.RUNS) + 1)} of {roy_owner.RUNS}"


NAMES = ("Original", "Synthetic")


def pictures(data: DataSet, found: roy_owner.Beside) -> None:
    """Maps, routes and series, one kind at a time."""
    kind = st.segmented_control(
        "Pictures",
        ["Visits", "Routes", "Difference", "Over time"],
        default="Visits",
        required=True,
        key="synthesize picture",
        persist_state="session",
        label_visibility="collapsed",
    )
    with st.container():
        if kind == "Over time":
            _series(data, found)
        elif kind == "Difference":
            _difference(data, found)
        else:
            _maps(data, found, routes=kind == "Routes")


def _maps(data: DataSet, found: roy_owner.Beside, *, routes: bool) -> None:
    figures, dark = (found.original, found.synthetic), st.context.theme.type == "dark"
    for column, name, figure in zip(st.columns(2), NAMES, figures, strict=True):
        if routes:
            drawn = synthesis.routes_svg(data.tessellation, figure.routes / 100, name, data.mark, dark=dark)
        else:
            visits = (figure.outgoing + figure.incoming) / 200
            drawn = synthesis.visits_svg(data.tessellation, visits, name, data.mark, dark=dark)
        column.image(drawn, width="stretch", alt=f"{name}: map of {'routes' if routes else 'visits'}")
    if not routes:
        st.caption(texts.MAPS)


def _difference(data: DataSet, found: roy_owner.Beside) -> None:
    one, other = (side.tables["visits_per_tile"] for side in found.sides)
    dark = st.context.theme.type == "dark"
    gaps = difference_map.differences(matched(one, other), data.tessellation)
    if gaps is None:
        st.info("One side has no trips, so there is no difference to draw.", icon=":material/map:")
        return
    st.image(
        difference_map.difference_svg(data.tessellation, gaps, NAMES, data.mark, dark=dark),
        width="stretch",
        alt="Difference of both maps",
    )
    st.caption("Blue: the synthetic trips have a smaller share of the visits; orange: a larger one.")


def _series(data: DataSet, found: roy_owner.Beside) -> None:
    one, other = found.sides
    ordered = [name for name, table in one.tables.items() if table.layout.ordered]
    overlay(one, other, NAMES, ordered, data.mark, page="synthesize", said=lambda _: texts.SERIES)


def numbers(data: DataSet, found: roy_owner.Beside) -> None:
    """The tables of the paper's Figure 1 and every metric."""
    st.subheader("In numbers")
    one, other = found.original, found.synthetic
    tables = synthesis.popular_tables(one, other, found.domain, data.geometry.names)
    tables |= {"Times of day": synthesis.times_table(one, other)}
    tables |= {"Duration": synthesis.durations_table(one, other)}
    for tab, table in zip(st.tabs([*tables]), tables.values(), strict=True):
        tab.table(table, width="content")
    _people(data, found)
    st.markdown("**How near**")
    with st.popover("What do these numbers mean?", icon=":material/help:", width="content"):
        st.markdown(synthesis.CLOSENESS)
    show_table(synthesis.closeness_table(found.closeness), "Four numbers for each table", mark=data.mark)
    expander("Every metric of the Compare page", partial(_every_metric, data, found), key="every metric")


def _every_metric(data: DataSet, found: roy_owner.Beside) -> None:
    show_table(likeness.score_table(found.scores), "Every metric", mark=data.mark, height=320)
    st.markdown(likeness.explanations())
    st.caption(texts.NOT_ASKED)


def _people(data: DataSet, found: roy_owner.Beside) -> None:
    """Who rides from one station."""
    if not found.domain.person:
        return
    ids = found.domain.stations.ids
    station = st.selectbox(
        "Who starts at",
        ids,
        index=int(found.original.outgoing.argmax()),
        format_func=lambda one: data.geometry.names.get(one, one),
        key="synthesize station",
    )
    tables = synthesis.people_tables(found.original, found.synthetic, found.domain, ids.index(station))
    for column, (title, table) in zip(st.columns(len(tables)), tables.items(), strict=True):
        column.markdown(f"**{title}**")
        column.table(table)
