"""Report: every measure of the loaded trips, noisy beside true. Private; what may be shared is made of a release."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import streamlit as st

from dpcore.api.code import preview_code
from dpcore.api.studies import Preview
from dpcore.estimates import Estimates
from dpcore.privacy import RUNGS, decimal_text
from dpcore.views.ground.plain import plain
from dpcore.views.ground.reading import breaks_of
from dpcore.views.ground.selection import NOTHING
from dpcore.views.ground.shown import estimated_numbers, released_numbers
from dpcore.views.maps.small_maps import small_maps
from dpcore.views.maps.tile_map import counted_flows, flows_map, visits_map
from dpcore.views.numbers import sentences
from dpcore.views.numbers.estimated import about_estimates
from dpcore.views.numbers.tile_facts import window_charts
from dpcore.views.report import report_beside_truth
from pages.owner.parts.explore.explored import list_flows, send_tiles
from pages.owner.parts.explore.looking import may_look
from pages.owner.parts.report.report_parts import (
    TRUE_MAPS,
    PreviewReported,
    choose_parts,
    draw_beside,
    report_drawn,
    report_estimates,
    shown_of,
    splits_now,
)
from pages.owner.parts.state import projects, words
from pages.owner.parts.state.data_sets import OWNER_MARK, DataSet, loading
from pages.owner.parts.state.session import loaded, session
from pages.parts.code import show_code
from pages.parts.figures import chart_grid, share_curve, show_sections, small_map_rows
from pages.parts.held import chosen_ear
from pages.parts.ladder_map import Rungs, ladder_map, rung_slider
from pages.parts.messages import bars_over_the_page, progress, refusals, spinner
from pages.parts.when_open import expander

INTRO = "Every measure, estimated beside true. More measures share ε here than on Explore, so each has more noise."

NO_DOWNLOAD = (
    "This report is for you alone, because it shows the truth. To share a report, publish a **release** and "
    "download its report from the Viewer."
)

LEGEND = "**Teal**: the estimate with its likely range. **Brown**: the truth, all trips. Below, all errors are beside this truth."

SMALL_MAPS = "All small maps share one colour scale. Grey: half of the likely range is as wide as the number."

TRUE_LEGEND = "The same, true: grey is where nobody arrived."

TILE = "Click a tile to see its arrivals by time of day."

MAP_HEIGHT = 400  # pixels


@dataclass(frozen=True, repr=False, eq=False)
class Seen:
    """The preview of all measures, or a part of it, with its estimates at the rung that is looked at."""

    shown: PreviewReported
    estimates: Estimates
    link: str
    """The name by which the maps of this draw find its estimates."""

    @property
    def preview(self) -> Preview:
        """What is looked at."""
        return self.shown.preview


def seen_at(data: DataSet, shown: PreviewReported, rung: int) -> Seen:
    """What is looked at, with its estimates at a rung. They are computed at the first look at that rung, and then kept."""
    with progress(words.ESTIMATING, after=1.0) as tell:
        found = report_estimates(data, shown, rung, tell)
    return Seen(shown, found, f"{data.geometry.link} preview {' part '.join(map(str, shown.key))}")


def place_pictures(data: DataSet, seen: Seen, measure: str) -> None:
    """What a measure over tiles shows; nothing for the others."""
    if measure == "visits_per_tile":
        _visits(data, seen)
    elif measure == "visits_per_time_tile":
        _windows(data, seen.preview, seen.estimates)
    elif measure == "od_flows":
        _flows(data, seen)


def _visits(data: DataSet, seen: Seen) -> None:
    preview, rung = seen.preview, seen.estimates.rung
    visits, truth = preview.measurements["visits_per_tile"], preview.truth["visits_per_tile"]
    message = visits_map(
        data.geometry,
        visits,
        start_rung=session().start,
        mark=data.mark,
        truth=truth,
        steered=True,
        scale=session().colour_breaks(),
        estimates=seen.link,
    )
    key, chosen = f"chosen on report {data.geometry.link}", st.session_state
    ear = chosen_ear(
        data.geometry.link,
        (len(data.tessellation.tile_ids), 0),
        lambda: chosen.get(key, NOTHING),
        partial(chosen.__setitem__, key),
    )
    tiles = data.geometry.packed
    ladder_map(message, key="report visits", tiles=tiles, context=data.under, height=MAP_HEIGHT, ears=[ear])
    send_tiles(data, visits, seen.estimates, seen.link)
    arrivals = preview.measurements.get("visits_per_time_tile")
    tile = chosen.get(key, NOTHING).tile
    if tile is None or arrivals is None:
        st.caption(TILE)
    else:
        truths = preview.truth["visits_per_time_tile"]
        chart_grid(window_charts(released_numbers(arrivals, rung), tile, truths, data.mark))
    share_curve(visits, rung, "Share of visits in the busiest tiles", truth, data.mark)


def _flows(data: DataSet, seen: Seen) -> None:
    preview, rung = seen.preview, seen.estimates.rung
    od, truth = preview.measurements["od_flows"], preview.truth["od_flows"]
    message = flows_map(
        data.geometry,
        counted_flows(od, truth),
        preview.plan,
        start_rung=session().start,
        mark=data.mark,
        steered=True,
    )
    lines, table = st.columns(2)
    with lines:
        tiles = data.geometry.packed  # the map of visits stands in a tab that nobody may have opened
        ladder_map(message, key="report flows", tiles=tiles, context=data.under, height=MAP_HEIGHT)
    list_flows(
        table, data, seen.shown.whole.plan, seen.estimates, {"od_flows": od}, part=seen.shown.number or 0
    )
    share_curve(od, rung, "Share of trips in the busiest flows", truth, data.mark)


def _windows(data: DataSet, preview: Preview, estimates: Estimates) -> None:
    arrivals, truth = preview.measurements["visits_per_time_tile"], preview.truth["visits_per_time_tile"]
    shown = estimated_numbers(estimates.tables["visits_per_time_tile"])
    st.caption(SMALL_MAPS)
    small_map_rows(small_maps(data.tessellation, shown, breaks_of(arrivals), mark=data.mark))

    def true_maps() -> None:
        st.caption(TRUE_LEGEND)
        small_map_rows(small_maps(data.tessellation, shown, breaks_of(arrivals), truth, mark=data.mark))

    expander(TRUE_MAPS, true_maps, key="true maps")


def head(data: DataSet) -> None:
    """The title, whose data this is, and the way to the choices of Explore, which the report follows."""
    st.title("Report")
    if not data.is_demo:
        st.warning(OWNER_MARK, icon=":material/visibility_lock:")
    st.markdown(INTRO)
    st.page_link("pages/owner/explore.py", label="Unit and bound: as on Explore", icon=":material/tune:")


def slider(data: DataSet) -> int:
    """The slider over epsilon, which moves the maps of this page and of Explore; the rung where it stands."""
    draft = session().draft()
    shown = Rungs(
        link=data.geometry.link,
        rungs=[decimal_text(rung) for rung in RUNGS],
        beyond=[],
        unit=f"per {draft.bound}",
        sentences=[sentences.protection_text(draft.bound, rung) for rung in RUNGS],
        start=session().start,
        ends=("more privacy", "more accuracy"),  # nothing is released here: epsilon is still to be chosen
    )
    rung_slider(shown, session().epsilon_ear(), key=session().map_key("report rung"))
    return draft.rung


@st.fragment
def sections() -> None:
    """Everything that follows epsilon; reruns alone. A refusal is said in words."""
    session()  # it admits owners only: a rerun of this part does not pass the router
    with projects.saved_changes(), refusals(), bars_over_the_page():
        data = loaded()
        if may_look(data):
            shown_sections(data)


def shown_sections(data: DataSet) -> None:
    """The sections at the rung of the slider."""
    splits = splits_now()
    with spinner("Counting every measure and drawing noise"):
        drawn = report_drawn(data, session().draft().bound, splits)
    rung = slider(data)
    chosen = choose_parts(splits)
    shown_part = shown_of(drawn, splits, chosen)
    if shown_part is None:
        st.markdown(sentences.protection(drawn.preview.plan.bound, RUNGS[rung]))
        draw_beside(data, drawn, splits, chosen, rung)
        return
    seen = seen_at(data, shown_part, rung)
    preview = seen.preview
    st.markdown(sentences.protection(preview.plan.bound, RUNGS[rung]))
    st.markdown(plain(about_estimates(preview.plan, seen.estimates)))
    st.caption(LEGEND)
    beside = partial(
        report_beside_truth,
        preview.plan,
        preview.measurements,
        preview.truth,
        seen.estimates,
        data.mark,
        tiles=data.tessellation,
    )
    # Kept, because a click on a tab runs this again and changes nothing of it.
    found = session().kept.last("report beside truth", (*seen.shown.key, rung), beside)
    titles = [one.title for one in found.sections]
    segment = session().form.segment("report section", titles, next(iter(titles), None))
    show_sections(found, partial(place_pictures, data, seen), data.mark, **segment)
    measures, whole_plan = [*preview.measurements], seen.shown.whole.plan
    code = preview_code(loading(data), whole_plan, RUNGS[rung], measures, observed=data.observed)
    show_code(code, "report")


with projects.saved_changes():
    head(loaded())
sections()
st.info(NO_DOWNLOAD, icon=":material/lock:")
