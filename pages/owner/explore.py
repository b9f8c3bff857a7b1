"""Explore: drag epsilon, toggle whom to hide, and see noise beside the truth."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from dpcore.errors import AtlasError
from dpcore.privacy import RUNGS, PrivacyUnit, decimal_text
from dpcore.views import flows, reading, scale, sentences, series
from pages.owner.parts import words
from pages.owner.parts.session import DataSet, loaded, session
from pages.parts.ladder_map import ladder_map
from pages.parts.listing import why_missing
from pages.parts.messages import refused

Draw = Callable[..., series.Chart]


def controls(data: DataSet) -> None:
    """Whom to hide, and how many of their trips count."""
    choice = session().choice
    whom, bound, terms = st.columns([3, 3, 2], vertical_alignment="bottom")
    units = list(PrivacyUnit) if data.trips.has_users else [PrivacyUnit.TRIP]
    choice.unit = whom.segmented_control(
        "Hide",
        units,
        format_func=words.UNITS.get,
        help=words.UNIT_HELP,
        required=True,
        default=choice.unit,
        key="hide",
    )
    if choice.unit is PrivacyUnit.USER:
        choice.max_trips = bound.number_input(
            "Trips counted per person, at most (1 to 500)",
            1,
            500,
            help=words.BOUND_HELP,
            value=choice.max_trips,
            key="max trips",
        )
    elif not data.trips.has_users:
        bound.caption(words.NO_USERS)
    with terms.popover("What do these words mean?", icon=":material/help:"):
        st.markdown(f"{words.GLOSSARY}\n\n[All words](glossary)")


def numbers(rung: int) -> None:
    """Three numbers that tell how good the picture is; in their places three dots until all is counted."""
    places = [(st, st)] * len(sentences.MAP_CARDS)
    if not session().shows():
        places = [(st.empty(), st.empty()) for _ in sentences.MAP_CARDS]
        for label, (number, note) in zip(sentences.MAP_CARDS, places, strict=True):
            number.metric(label, "…", border=True)
            note.caption(words.COUNTING)
    preview = session().preview()
    visits, od = preview.measurements["visits_per_tile"], preview.measurements["od_flows"]
    few = scale.few_below(session().colour_breaks())
    figures = reading.map_figures(visits, od, rung, preview.truth["visits_per_tile"], few)
    for card, (number, note) in zip(sentences.map_cards(figures, preview.counted_share), places, strict=True):
        number.metric(card.label, card.value, help=card.help, border=True)
        note.caption(card.note)


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
    table.dataframe(
        flows.strongest_flows(od, rung, data.geometry.names, truth),
        hide_index=True,
        height=430,
        alt=words.FLOW_TABLE,
        column_config={
            "trips": st.column_config.NumberColumn(format="localized"),
            "true": st.column_config.NumberColumn(format="localized"),
            "from": st.column_config.TextColumn(width=112),
            "to": st.column_config.TextColumn(width=112),
        },
    )
    wrong = sentences.flow_error(reading.series_error(od, rung, truth, reading.trusted_flows(od, rung)))
    left_out = "" if od.bound.unit is PrivacyUnit.TRIP else words.LEFT_OUT
    table.caption(f"{words.WINNERS} {left_out} {wrong if figures.trusted_flows else ''}")
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
    return sentences.error(
        reading.series_error(measurement, rung, preview.truth[measure]),
        measurement.counts,
        measurement.bound,
    )


def drawn(data: DataSet, rung: int, measure: str, draw: Draw, *, words: bool = True) -> None:
    """One chart, with its error in numbers below."""
    preview = session().preview()
    measurement, truth = preview.measurements[measure], preview.truth[measure]
    chart = draw(measurement, rung, truth, data.mark)
    st.vega_lite_chart(chart.table, chart.spec, alt=chart.alt)
    if words:
        st.caption(error(rung, measure))


@st.fragment
def explore() -> None:
    """Everything that follows epsilon; reruns alone. A refusal is said in words."""
    try:
        picture()
    except AtlasError as error:
        refused(error)


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
        st.markdown(
            sentences.tile(session().preview().measurements, data.geometry.names, choice.rung, seen.tile)
        )
    flow_section(data, choice.rung)
    rhythm_section(data, choice.rung)
    with st.expander(f"How ε = {decimal_text(epsilon)} is shared between the pictures"):
        st.markdown(words.SHARES)
        st.table(sentences.shares(session().preview().plan, choice.rung, session().preview().measurements))


st.title("Explore")
explore()
