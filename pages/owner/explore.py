"""Explore: drag epsilon, toggle whom to hide, and see noise beside the truth."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpcore.api.code import preview_code
from dpcore.estimates import Estimates
from dpcore.planning.default_plan import unbought_flows
from dpcore.privacy import RUNGS, decimal_text
from dpcore.views.charts import charts, plots, series
from dpcore.views.ground.shown import shown
from dpcore.views.numbers import sentences
from dpcore.views.numbers.area import FLOWS
from dpcore.views.planning import beside_truth
from pages.owner.parts.data.map_context import context_beside_map
from pages.owner.parts.explore import sides as explored_sides
from pages.owner.parts.explore.chosen import (
    choose_places,
    chosen_now,
    districts_of,
    draw_chosen,
    link_of_choice,
    list_chosen_flows,
    map_ear,
)
from pages.owner.parts.explore.clamping import clamping
from pages.owner.parts.explore.curves import count_all, count_stop, curve
from pages.owner.parts.explore.explored import (
    districts_drawn,
    estimates_at,
    flows_picture,
    list_flows,
    send_flows,
    send_tiles,
)
from pages.owner.parts.explore.looking import may_look
from pages.owner.parts.explore.segments import segments
from pages.owner.parts.state import projects, words
from pages.owner.parts.state.data_sets import DataSet, loading
from pages.owner.parts.state.session import MERGED, loaded, session
from pages.owner.parts.state.whom import whom_to_hide
from pages.parts.chart import show_chart
from pages.parts.code import show_code
from pages.parts.figures import why_missing
from pages.parts.first_screen import outline
from pages.parts.held import level_ear
from pages.parts.ladder_map import ladder_map, merging
from pages.parts.messages import bars_in, refusals
from pages.parts.time_and_sides import bar_and_words
from pages.parts.time_and_sides import controls as map_controls
from pages.parts.when_open import tabs

Draw = Callable[..., charts.Chart]
ASSETS = Path(__file__).parents[1] / "assets"
STYLE = ASSETS / "explore.css"  # the maps and the curve fill the screen


def controls(data: DataSet) -> tuple[DeltaGenerator, DeltaGenerator, DeltaGenerator]:
    """Whom to hide; the rest behind one button. Returns the places of time and comparison, of regions, and of lists of places.

    Streets and names that lie under the map can be changed there; where there are none, they are offered below the map.
    """
    whom = st.container()
    with st.expander(words.MORE, icon=":material/tune:"):
        bound, beside, regions, places, terms = (st.container() for _ in range(5))
    whom_to_hide(data, "explore", (whom, bound), about=None)
    if data.context is not None:
        with terms:
            context_beside_map(data)
    with terms.popover("Words", icon=":material/help:"):
        st.markdown(f"{words.UNIT_HELP}\n\n{words.GLOSSARY}\n\n[All words](glossary)")
    return beside, regions, places


def merge(percent: int) -> None:
    """Merge tiles on the map of estimates until their noise is at most so many percent."""
    session().form.values[MERGED] = percent


def numbers(rung: int) -> Estimates:
    """Three numbers that tell how good the picture is; in their places three dots until all is counted and estimated."""
    places: Sequence[tuple[DeltaGenerator, DeltaGenerator]] = [
        (column, column) for column in st.columns(len(beside_truth.CARDS))
    ]
    if not session().estimated(rung):
        places = [  # what is written there takes the place of these, without a moment of nothing between
            (
                column.metric(label, "…", help=words.COUNTING, border=True),  # its help stays where it is
                column.caption(words.COUNTING),
            )
            for label, (column, _) in zip(beside_truth.CARDS, places, strict=True)
        ]
    estimates = estimates_at(rung)
    preview = session().preview()
    visits = preview.measurements["visits_per_tile"]
    found = beside_truth.cards(session().tiles_right(rung), visits, estimates, preview.counted_share)
    for card, (number, note) in zip(found, places, strict=True):
        number.metric(card.label, card.value, help=card.help, border=True)
        note.caption(card.note)
    return estimates


def to_release() -> None:
    """Go to the Release page, which has this unit, bound and epsilon: chosen after a preview, as the draft remembers."""
    if st.button(words.TO_RELEASE, icon=":material/publish:", help=words.TO_RELEASE_HELP, width="stretch"):
        st.switch_page("pages/owner/release.py")


def flow_section(data: DataSet, rung: int, estimates: Estimates) -> None:
    """The strongest estimated flows as lines and as a table, beside the truth."""
    st.subheader("Flows", help=words.FLOWS_HELP)
    preview, districts = session().preview(), "od_districts"
    if districts in preview.measurements:
        drawn, truth = preview.measurements[districts], preview.truth[districts]
        st.markdown(beside_truth.district_words(drawn, estimates.tables[districts], truth))
    if FLOWS not in estimates.tables:
        return
    lines, table = st.columns(2)
    with lines.container(key="flows_map"):
        ladder_map(
            flows_picture(data),
            key="flows",
            height=400,
            ears=[level_ear(link_of_choice(data), session().loads)],
        )
        send_flows(data, estimates, preview.measurements.get(FLOWS))
    with table:
        listed = list_chosen_flows(data, chosen_now(data), estimates)
    if not listed:
        level = districts_drawn(data)
        list_flows(table, data, preview.plan, estimates, preview.measurements, districts=level)
    if unbought := unbought_flows(preview.plan, session().draft().facts, RUNGS[rung]):
        table.caption(unbought)
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
        show_estimates(data, rung, estimates, "trips_over_time", series.over_time)
    if "trips_per_weekday" in estimates.tables:
        show_estimates(data, rung, estimates, "trips_per_weekday", plots.whole)

    def by_hour(kind: str) -> None:
        for day_type, column in zip(("weekday", "weekend"), st.columns(2), strict=True):
            hours = partial(series.per_hour, kind=kind, day_type=day_type)
            with column:
                show_estimates(data, rung, estimates, "trips_per_hour", hours, words=False)
        st.caption(error(rung, estimates, "trips_per_hour"))

    kinds = {"Starts by hour": "start", "Ends by hour": "end"}
    tabs({title: partial(by_hour, kind) for title, kind in kinds.items()}, key="hours")


def error(rung: int, estimates: Estimates, measure: str) -> str:
    """How wrong a series is, in numbers."""
    preview = session().preview()
    measurement, truth = preview.measurements[measure], preview.truth[measure]
    return beside_truth.error_words_of(measurement, estimates.tables[measure], truth, rung)


def show_estimates(
    data: DataSet, rung: int, estimates: Estimates, measure: str, draw: Draw, *, words: bool = True
) -> None:
    """One chart of estimates, with its error in numbers below."""
    preview = session().preview()
    truth = preview.truth[measure]
    show_chart(draw(shown(preview.measurements, measure, rung, estimates), truth, data.mark, clipped=True))
    if words:
        st.caption(error(rung, estimates, measure))


def shares_and_code(data: DataSet, rung: int) -> None:
    """How epsilon is shared among the tables, and the code of this preview."""
    preview, epsilon = session().preview(), RUNGS[rung]
    with st.expander(f"How ε = {decimal_text(epsilon)} is shared"):
        st.markdown(words.SHARES)
        st.table(sentences.shares(preview.plan, rung, preview.measurements))
    code = preview_code(loading(data), preview.plan, epsilon, [*preview.plan.weights], observed=data.observed)
    show_code(code, "explore")


@st.fragment
def explore() -> None:
    """Everything that follows epsilon; reruns alone. A refusal is said in words."""
    session()  # the gate: no router stands before it
    with projects.saved_changes(), refusals():
        waiting = st.empty()
        if session().data is None:
            waiting.html(outline())
        data = loaded()
        waiting.empty()
        if not may_look(data):
            return
        with st.container(key="first_screen"):
            left, right = st.columns([5, 3], gap="medium")
        with bars_in(st.empty()):
            picture(data, left, right)


def picture(data: DataSet, left: DeltaGenerator, right: DeltaGenerator) -> None:
    """The page from the promise to the rhythm; both columns of its first screen are there.

    The map comes first: of a large city all the rest takes seconds to count, and is shown where it belongs as soon as it
    is there. It is counted together, because measures share the choice of each person's trips. Whoever moves epsilon
    meanwhile begins this run anew, and what was counted by then is not counted again.
    """
    draft = session().draft()
    with right:
        beside, regions, places = controls(data)
    with left, st.spinner("Counting and drawing noise"):
        visits = session().visits_picture(districts_of(data))
    with left:
        on_top, below = st.container(), st.container()
        with below:
            bar_and_words(explored_sides.on_map)
            if data.context is None:
                context_beside_map(data)
        with beside:  # after the bar of time, which may have been let go at another window
            map_controls(explored_sides.on_map())
        with on_top:
            ladder_map(
                visits,
                key=session().map_key("visits"),
                tiles=data.geometry.packed,
                context=data.under,
                height=430,
                ears=[session().epsilon_ear(), map_ear(data)],
            )
    with right:
        curve(data)
        known, about_chosen = st.empty(), st.container()  # what comes and goes there moves nothing that stays
    promise, onward = st.columns([5, 2], vertical_alignment="center", gap="medium")
    promise.markdown(sentences.protection(draft.bound, RUNGS[draft.rung]))
    with onward:
        to_release()
    estimates = numbers(draft.rung)
    count_stop(data, known, draft.rung)
    on_map = explored_sides.on_map()  # at the stop where the slider was let go
    if on_map.shown.window is None:
        with regions:
            merging(session().merged, merge)
    with left:
        drawn_visits = session().preview().measurements["visits_per_tile"]
        send_tiles(data, drawn_visits, estimates, session().estimates_link())
        explored_sides.send(data, on_map)
    with places:
        choose_places(data)
    with about_chosen:
        draw_chosen(data, chosen_now(data), estimates, on_map.shown.window)
    flow_section(data, draft.rung, estimates)
    rhythm_section(data, draft.rung, estimates)
    segments(data, draft.rung)
    with refusals():
        clamping(data)
    shares_and_code(data, draft.rung)
    count_all(data, known)


with st.container(horizontal=True, vertical_alignment="bottom", key="heading"):
    st.title("Explore", anchor=False)
    st.markdown(words.PURPOSE)
st.html(STYLE)
explore()
