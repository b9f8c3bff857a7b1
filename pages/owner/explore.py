"""Explore: drag epsilon, toggle whom to hide, and see noise beside the truth."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from dpcore.api.code import preview_code
from dpcore.privacy import RUNGS, decimal_text
from dpcore.views import beside_truth, charts, reading, sentences, series
from pages.owner.parts import words
from pages.owner.parts.session import DataSet, loaded, loading, session
from pages.owner.parts.whom import whom_to_hide
from pages.parts.chart import show_chart
from pages.parts.code import show_code
from pages.parts.figures import strongest_flows, why_missing
from pages.parts.ladder_map import ladder_map
from pages.parts.messages import progress, refusals

Draw = Callable[..., charts.Chart]


def controls(data: DataSet) -> None:
    """Whom to hide, and how many of their trips count."""
    whom, bound, terms = st.columns([3, 3, 2], vertical_alignment="bottom")
    whom_to_hide(data, session().choice, "explore", (whom, bound))
    with terms.popover("Words", icon=":material/help:"):
        st.markdown(f"{words.GLOSSARY}\n\n[All words](glossary)")


def numbers(rung: int) -> None:
    """Three numbers that tell how good the picture is; in their places three dots until all is counted and estimated."""
    places = [(st.empty(), st.empty()) for _ in beside_truth.CARDS]
    if not session().estimated(rung):
        for label, (number, note) in zip(beside_truth.CARDS, places, strict=True):
            number.metric(label, "…", border=True)
            note.caption(words.COUNTING)
    with progress(words.ESTIMATING, after=1.0) as tell:
        estimates = session().estimates(rung, tell)
    found = beside_truth.cards(session().tile_errors(rung), estimates, session().preview().counted_share)
    for card, (number, note) in zip(found, places, strict=True):
        number.metric(card.label, card.value, help=card.help, border=True)
        note.caption(card.note)


def error_section(data: DataSet, rung: int) -> None:
    """The errors of drawn values and estimates at every epsilon."""
    st.subheader("How far off", help=words.ERRORS_HELP)
    preview = session().preview()
    visits, truth = preview.measurements["visits_per_tile"], preview.truth["visits_per_tile"]
    drawn = [beside_truth.typical_error(values[:-1], truth[:-1]) for values in visits.values]
    show_chart(
        beside_truth.error_chart(
            RUNGS, drawn, {at: one.estimate for at, one in session().known_errors().items()}, rung, data.mark
        )
    )


def clicked(data: DataSet, rung: int, tile: int) -> None:
    """The tile that was clicked: estimate, truth and drawn value."""
    preview = session().preview()
    st.markdown(
        beside_truth.tile_words(
            preview.measurements["visits_per_tile"],
            session().estimates(rung).tables["visits_per_tile"],
            preview.truth["visits_per_tile"],
            data.geometry.names,
            rung,
            tile,
        )
    )


def flow_section(data: DataSet, rung: int) -> None:
    """The strongest flows as lines and as a table."""
    preview = session().preview()
    od, truth = preview.measurements["od_flows"], preview.truth["od_flows"]
    figures = reading.map_figures(preview.measurements["visits_per_tile"], od, rung)
    st.subheader("Flows", help=words.FLOWS_HELP)
    st.markdown(sentences.flows(od, rung, figures))
    lines, table = st.columns(2)
    with lines:
        ladder_map(session().flows_picture(), key="flows", height=400)
    wrong = ""
    if figures.trusted_flows:
        wrong = sentences.flow_error(reading.series_error(od, rung, truth, reading.trusted_flows(od, rung)))
    strongest_flows(table, od, rung, data.geometry.names, height=430, truth=truth, said=wrong, mark=data.mark)
    why_missing(od)


def rhythm_section(data: DataSet, rung: int) -> None:
    """Trips over time, by weekday and by hour."""
    st.subheader("Rhythm", help=words.RHYTHM_HELP)
    st.caption(words.SERIES_LEGEND)
    if data.period_observed:
        st.caption(words.PERIOD_OBSERVED)
    if data.period is None:
        st.info(words.NO_PERIOD, icon=":material/calendar_month:")
    else:
        drawn(data, rung, "trips_over_time", series.over_time)
    left, right = st.columns([1, 2])
    with left:
        drawn(data, rung, "trips_per_weekday", series.per_weekday)
    for kind, tab in zip(("start", "end"), right.tabs(["Starts by hour", "Ends by hour"]), strict=True):
        for day_type, column in zip(("weekday", "weekend"), tab.columns(2), strict=True):
            with column:
                drawn(
                    data,
                    rung,
                    "trips_per_hour",
                    partial(series.per_hour, kind=kind, day_type=day_type),
                    words=False,
                )
        with tab:
            st.caption(error(rung, "trips_per_hour"))


def error(rung: int, measure: str) -> str:
    """How wrong a series is, in numbers."""
    preview = session().preview()
    measurement = preview.measurements[measure]
    return sentences.error(reading.series_error(measurement, rung, preview.truth[measure]), measurement)


def drawn(data: DataSet, rung: int, measure: str, draw: Draw, *, words: bool = True) -> None:
    """One chart, with its error in numbers below."""
    preview = session().preview()
    measurement, truth = preview.measurements[measure], preview.truth[measure]
    show_chart(draw(measurement, rung, truth, data.mark))
    if words:
        st.caption(error(rung, measure))


@st.fragment
def explore() -> None:
    """Everything that follows epsilon; reruns alone. A refusal is said in words."""
    session()  # the gate: no router stands before it
    with refusals():
        picture()


def picture() -> None:
    """The page from the promise to the rhythm.

    The map comes first: of a large city all the rest takes seconds to count, and is shown where it belongs as soon as it
    is there. It is counted together, because measures share the choice of each person's trips. Whoever moves epsilon
    meanwhile begins this run anew, and what was counted by then is not counted again.
    """
    data, choice = loaded(), session().choice
    controls(data)
    sentence = st.empty()
    with st.spinner("Counting and drawing noise"):
        visits = session().visits_picture()
    left, right = st.columns([3, 1])
    with left:
        seen = ladder_map(visits, key="visits", tiles=data.geometry.packed, height=430)
    if seen.rung is not None:
        choice.rung = seen.rung
    epsilon = RUNGS[choice.rung]
    sentence.markdown(sentences.protection(choice.bound, epsilon))
    with right:
        numbers(choice.rung)
    if seen.tile is not None:
        clicked(data, choice.rung, seen.tile)
    error_section(data, choice.rung)
    flow_section(data, choice.rung)
    rhythm_section(data, choice.rung)
    with st.expander(f"How ε = {decimal_text(epsilon)} is shared"):
        st.markdown(words.SHARES)
        st.table(sentences.shares(session().preview().plan, choice.rung, session().preview().measurements))
    plan = session().preview().plan
    code = preview_code(loading(data), plan, epsilon, [*plan.weights], observed=data.observed)
    show_code(code, "explore")


st.title("Explore")
explore()
