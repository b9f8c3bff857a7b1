"""Report: every measure of the loaded trips, noisy beside true. Private; what may be shared is made of a release."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dpcore.api import owner
from dpcore.api.code import preview_code
from dpcore.api.owner import Preview
from dpcore.measures import MEASURES
from dpcore.measures.plan import Plan
from dpcore.noise.default_plan import with_public_keys
from dpcore.noise.forecast import Facts
from dpcore.privacy import RUNGS, ContributionBound, decimal_text
from dpcore.views import sentences
from dpcore.views.report import report_beside_truth
from dpcore.views.report.maps import small_maps
from dpcore.views.tile_facts import window_charts
from dpcore.views.tile_map import flows_map, visits_map
from pages.owner.parts.session import OWNER_MARK, START_RUNG, DataSet, loaded, loading, session
from pages.parts.code import show_code
from pages.parts.figures import chart_grid, share_curve, show_sections, small_map_rows, strongest_flows
from pages.parts.ladder_map import Rungs, ladder_map, rung_slider
from pages.parts.messages import refusals

INTRO = (
    "Every measure, noisy beside true. More measures share ε here than on Explore, so each has more noise."
)

NO_DOWNLOAD = (
    "This report is for you alone, because it shows the truth. To share a report, publish a **release** and "
    "download its report from the Viewer."
)

LEGEND = "**Teal**: noisy, with 95 % of the noise. **Brown**: the truth, all trips."

SMALL_MAPS = "All small maps share one colour scale. Grey: noise alone could have made the count."

TRUE_MAPS = "The same, true: grey is where nobody arrived."

TILE = "Click a tile to see its arrivals by time of day."


_KEPT = 2  # bounds; a preview of all measures is large


def report_preview(data: DataSet, bound: ContributionBound) -> owner.Preview:
    """The preview of all measures under a bound; counted and drawn at its first use."""
    weights = {name: MEASURES[name].weight_at(bound.unit) for name in named(data)}
    facts = Facts(None, None, len(data.tessellation.tile_ids))
    plan = with_public_keys(Plan(bound, weights, RUNGS, data.choices), data.tessellation, facts)
    return session().kept.last("report", bound, lambda: session().draw(plan).preview, most=_KEPT)


def named(data: DataSet) -> list[str]:
    """All measures that the form of the data and its public choices can answer."""
    trips = data.trips
    return [
        name
        for name, measure in MEASURES.items()
        if measure.answerable(has_users=trips.has_users, has_points=trips.has_points)
        and (data.period or not measure.needs_period)
    ]


TALL = 400


def place_pictures(data: DataSet, preview: Preview, rung: int, measure: str) -> None:
    """What a measure over tiles shows; nothing for the others."""
    if measure == "visits_per_tile":
        _visits(data, preview, rung)
    elif measure == "visits_per_time_tile":
        _windows(data, preview, rung)
    elif measure == "od_flows":
        _flows(data, preview, rung)


def _visits(data: DataSet, preview: Preview, rung: int) -> None:
    visits, truth = preview.measurements["visits_per_tile"], preview.truth["visits_per_tile"]
    message = visits_map(
        data.geometry, visits, start_rung=START_RUNG, mark=data.mark, truth=truth, steered=True
    )
    seen = ladder_map(message, key="report visits", tiles=data.geometry.packed, height=TALL)
    arrivals = preview.measurements.get("visits_per_time_tile")
    if seen.tile is None or arrivals is None:
        st.caption(TILE)
    else:
        charts = window_charts(arrivals, rung, seen.tile, preview.truth["visits_per_time_tile"], data.mark)
        chart_grid(charts)
    share_curve(visits, rung, "Share of visits in the busiest tiles", truth, data.mark)


def _flows(data: DataSet, preview: Preview, rung: int) -> None:
    od, truth = preview.measurements["od_flows"], preview.truth["od_flows"]
    message = flows_map(data.geometry, od, start_rung=START_RUNG, mark=data.mark, truth=truth, steered=True)
    lines, table = st.columns(2)
    with lines:
        brought = "visits_per_tile" in preview.measurements  # by the map of visits, in the tab before
        ladder_map(message, key="report flows", tiles=None if brought else data.geometry.packed, height=TALL)
    strongest_flows(table, od, rung, data.geometry.names, height=TALL + 30, truth=truth, mark=data.mark)
    share_curve(od, rung, "Share of trips in the busiest flows", truth, data.mark)


def _windows(data: DataSet, preview: Preview, rung: int) -> None:
    arrivals, truth = preview.measurements["visits_per_time_tile"], preview.truth["visits_per_time_tile"]
    st.caption(SMALL_MAPS)
    small_map_rows(small_maps(data.tessellation, arrivals, rung, mark=data.mark))
    with st.expander("The true maps beside them"):
        st.caption(TRUE_MAPS)
        small_map_rows(small_maps(data.tessellation, arrivals, rung, truth, mark=data.mark))


def head(data: DataSet) -> None:
    """Whose data, under which choices of Explore."""
    st.title("Report")
    if not data.is_demo:
        st.warning(OWNER_MARK, icon=":material/visibility_lock:")
    st.markdown(INTRO)
    st.page_link("pages/owner/explore.py", label="Unit and bound: as on Explore", icon=":material/tune:")


def slider(data: DataSet) -> int:
    """The slider over epsilon, which moves the maps of this page and of Explore; the rung where it stands."""
    choice = session().choice
    shown = Rungs(
        link=data.geometry.link,
        rungs=[decimal_text(rung) for rung in RUNGS],
        beyond=[],
        unit=f"per {choice.bound}",
        sentences=[sentences.protection_text(choice.bound, rung) for rung in RUNGS],
        start=START_RUNG,
        ends=("more privacy", "more accuracy"),  # nothing is released here: epsilon is still to be chosen
    )
    seen = rung_slider(shown, key="report rung", tile=None, order=0)
    if seen.rung is not None and 0 <= seen.rung < len(RUNGS):
        choice.rung = seen.rung
    return choice.rung


@st.fragment
def sections() -> None:
    """Everything that follows epsilon; reruns alone. A refusal is said in words."""
    data = loaded()
    with refusals():
        with st.spinner("Counting every measure and drawing noise"):
            preview = report_preview(data, session().choice.bound)
        rung = slider(data)
        st.markdown(sentences.protection(preview.plan.bound, RUNGS[rung]))
        st.caption(LEGEND)
        found = report_beside_truth(preview.plan, preview.measurements, preview.truth, rung, data.mark)
        show_sections(found, partial(place_pictures, data, preview, rung), data.mark)
        shown = [*preview.measurements]
        code = preview_code(loading(data), preview.plan, RUNGS[rung], shown, observed=data.observed)
        show_code(code, "report")


head(loaded())
sections()
st.info(NO_DOWNLOAD, icon=":material/lock:")
