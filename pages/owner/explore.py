"""Explore: drag epsilon, toggle whom to hide, and see noise beside the truth."""

from collections.abc import Callable
from functools import partial

import streamlit as st

from dpcore.api.code import preview_code
from dpcore.estimates import Estimates
from dpcore.privacy import RUNGS, decimal_text
from dpcore.views import beside_truth, charts, estimated_flows, plots, sentences, series
from dpcore.views.estimated import ranged
from dpcore.views.plain import plain
from pages.owner.parts import projects, words
from pages.owner.parts.explored import FLOWS, estimates_at, flows_picture, list_flows, send_flows, send_tiles
from pages.owner.parts.looking import may_look
from pages.owner.parts.session import DataSet, loaded, loading, session
from pages.owner.parts.whom import whom_to_hide
from pages.parts.chart import show_chart
from pages.parts.code import show_code
from pages.parts.figures import why_missing
from pages.parts.ladder_map import ladder_map, merging
from pages.parts.messages import refusals

Draw = Callable[..., charts.Chart]
_OF_A_TILE = 3


def controls(data: DataSet) -> None:
    """Whom to hide, and how many of their trips count."""
    whom, bound, terms = st.columns([3, 3, 2], vertical_alignment="bottom")
    whom_to_hide(data, session().choice, "explore", (whom, bound))
    with terms.popover("Words", icon=":material/help:"):
        st.markdown(f"{words.GLOSSARY}\n\n[All words](glossary)")


def merge(percent: int) -> None:
    """Merge tiles on the map of estimates until their noise is at most so many percent."""
    session().choice.merged = session().form.values["explore merged"] = percent


def numbers(rung: int) -> Estimates:
    """Three numbers that tell how good the picture is; in their places three dots until all is counted and estimated."""
    places = [(st.empty(), st.empty()) for _ in beside_truth.CARDS]
    if not session().estimated(rung):
        for label, (number, note) in zip(beside_truth.CARDS, places, strict=True):
            number.metric(label, "…", border=True)
            note.caption(words.COUNTING)
    estimates = estimates_at(rung)
    found = beside_truth.cards(session().tile_errors(rung), estimates, session().preview().counted_share)
    for card, (number, note) in zip(found, places, strict=True):
        number.metric(card.label, card.value, help=card.help, border=True)
        note.caption(card.note)
    return estimates


def errors(data: DataSet, rung: int) -> None:
    """The errors of drawn values and estimates at every epsilon."""
    preview = session().preview()
    visits, truth = preview.measurements["visits_per_tile"], preview.truth["visits_per_tile"]
    drawn = [beside_truth.typical_error(values[:-1], truth[:-1]) for values in visits.values]
    known = {at: one.estimate for at, one in session().known_errors().items()}
    show_chart(beside_truth.error_chart(RUNGS, drawn, known, rung, data.mark))


def to_release() -> None:
    """Go to the Release page, which has this unit, bound and epsilon: chosen after a preview, as the draft remembers."""
    if st.button(words.TO_RELEASE, icon=":material/publish:", help=words.TO_RELEASE_HELP, width="stretch"):
        st.switch_page("pages/owner/release.py")


def clicked(data: DataSet, rung: int, tile: int, estimates: Estimates) -> None:
    """The tile that was clicked: estimate, truth and drawn value, and its strongest flows."""
    preview, visits, names = session().preview(), "visits_per_tile", data.geometry.names
    drawn, truth = preview.measurements[visits], preview.truth[visits]
    tile_id = drawn.keys.axes[0].inside[tile]
    told = beside_truth.tile_words(drawn, estimates.tables[visits], truth, rung, tile)
    st.markdown(f"**{plain(names.get(tile_id, tile_id))}**: {plain(told)}")
    if FLOWS in estimates.tables:
        found = estimated_flows.flows_of_tile(estimates.tables[FLOWS], tile, names, _OF_A_TILE)
        st.caption("  \n".join(f"{way}: {plain('; '.join(texts))}" for way, texts in found if texts))


def flow_section(data: DataSet, rung: int, estimates: Estimates) -> None:
    """The strongest estimated flows as lines and as a table, beside the truth."""
    st.subheader("Flows", help=words.FLOWS_HELP)
    preview, districts = session().preview(), "od_districts"
    if districts in preview.measurements:
        drawn, truth = preview.measurements[districts], preview.truth[districts]
        st.markdown(beside_truth.district_words(drawn, estimates.tables[districts], truth, rung))
    if FLOWS not in estimates.tables:
        return
    lines, table = st.columns(2)
    with lines:
        ladder_map(flows_picture(data), key="flows", height=400)
        send_flows(estimates, preview.measurements.get(FLOWS))
    list_flows(table, data, preview.plan, estimates, preview.measurements.get(FLOWS))
    if FLOWS in preview.measurements:
        why_missing(preview.measurements[FLOWS])


def rhythm_section(data: DataSet, rung: int, estimates: Estimates) -> None:
    """Trips over time, by weekday and by hour."""
    st.subheader("Rhythm", help=words.RHYTHM_HELP)
    st.caption(words.SERIES_LEGEND)
    if data.period_observed:
        st.caption(words.PERIOD_OBSERVED)
    if data.period is None:
        st.info(words.NO_PERIOD, icon=":material/calendar_month:")
    else:
        drawn(data, rung, estimates, "trips_over_time", series.over_time)
    if "trips_per_weekday" in estimates.tables:
        drawn(data, rung, estimates, "trips_per_weekday", plots.whole)
    for kind, tab in zip(("start", "end"), st.tabs(["Starts by hour", "Ends by hour"]), strict=True):
        for day_type, column in zip(("weekday", "weekend"), tab.columns(2), strict=True):
            hours = partial(series.per_hour, kind=kind, day_type=day_type)
            with column:
                drawn(data, rung, estimates, "trips_per_hour", hours, words=False)
        with tab:
            st.caption(error(rung, estimates, "trips_per_hour"))


def error(rung: int, estimates: Estimates, measure: str) -> str:
    """How wrong a series is, in numbers."""
    preview = session().preview()
    measurement, truth = preview.measurements[measure], preview.truth[measure]
    return beside_truth.error_words_of(measurement, estimates.tables[measure], truth, rung)


def drawn(
    data: DataSet, rung: int, estimates: Estimates, measure: str, draw: Draw, *, words: bool = True
) -> None:
    """One chart of estimates, with its error in numbers below."""
    preview = session().preview()
    measurement, truth = preview.measurements[measure], preview.truth[measure]
    show_chart(
        draw(measurement, rung, truth, data.mark, clipped=True, shown=ranged(estimates.tables[measure]))
    )
    if words:
        st.caption(error(rung, estimates, measure))


@st.fragment
def explore() -> None:
    """Everything that follows epsilon; reruns alone. A refusal is said in words."""
    session()  # the gate: no router stands before it
    with projects.kept(), refusals():
        picture()


def picture() -> None:
    """The page from the promise to the rhythm.

    The map comes first: of a large city all the rest takes seconds to count, and is shown where it belongs as soon as it
    is there. It is counted together, because measures share the choice of each person's trips. Whoever moves epsilon
    meanwhile begins this run anew, and what was counted by then is not counted again.
    """
    data, choice = loaded(), session().choice
    if not may_look(data):
        return
    controls(data)
    sentence = st.empty()
    with st.spinner("Counting and drawing noise"):
        visits = session().visits_picture()
    left, right = st.columns([3, 1])
    with left:
        merging(choice.merged, merge)
        seen = ladder_map(visits, key=session().map_key("visits"), tiles=data.geometry.packed, height=430)
    if seen.rung is not None:
        choice.rung = seen.rung
    session().agree()
    epsilon = RUNGS[choice.rung]
    sentence.markdown(sentences.protection(choice.bound, epsilon))
    with right:
        estimates = numbers(choice.rung)
        to_release()
    with left:
        drawn_visits = session().preview().measurements["visits_per_tile"]
        send_tiles(data, drawn_visits, estimates, session().estimates_link())
    if seen.tile is not None:
        clicked(data, choice.rung, seen.tile, estimates)
    with left.expander(words.ERRORS_TITLE, icon=":material/show_chart:", expanded=True):
        over_epsilon = st.container()
    flow_section(data, choice.rung, estimates)
    rhythm_section(data, choice.rung, estimates)
    with over_epsilon:
        errors(data, choice.rung)
    with st.expander(f"How ε = {decimal_text(epsilon)} is shared"):
        st.markdown(words.SHARES)
        st.table(sentences.shares(session().preview().plan, choice.rung, session().preview().measurements))
    plan = session().preview().plan
    code = preview_code(loading(data), plan, epsilon, [*plan.weights], observed=data.observed)
    show_code(code, "explore")


st.title("Explore")
explore()
