"""Compare: what changed between two releases; how alike two sets of tables are, in numbers, in pictures, and at every epsilon."""

from dataclasses import replace
from functools import partial

import streamlit as st

from dpcore import wings
from dpcore.api.code import change_code, compare_code
from dpcore.comparison.matching import Pair, matched
from dpcore.comparison.on_the_map import Geography
from dpcore.comparison.scoring import Score, compared, left_out
from dpcore.context import Context
from dpcore.noise.expected_estimates import VISITS
from dpcore.release.kinds.tables import TABLES
from dpcore.tiles import Tessellation
from dpcore.views.comparison import likeness
from dpcore.views.ground.plain import plain
from dpcore.views.maps.context_message import pack_context
from dpcore.views.maps.tile_map import MapGeometry
from dpcore.views.report.two_reports import comparison_html
from pages.owner.parts.compare import pictures as words
from pages.owner.parts.compare.change import ALIKE, CHANGE, EVERY, change_section, chosen_look
from pages.owner.parts.compare.pictures import map_section, series_section, utility_section
from pages.owner.parts.compare.sources import RELEASED, Chosen, Source, first_sources, side_picked
from pages.owner.parts.explore.looking import banner, may_look, nothing_to_decide
from pages.owner.parts.state import projects
from pages.owner.parts.state.data_sets import DataSet
from pages.owner.parts.state.session import loaded, session
from pages.parts.chart import show_table
from pages.parts.code import show_code
from pages.parts.messages import bars_over_the_page, refusals, spinner, take_away


def who_may_see(data: DataSet, *, private: bool) -> str:
    """Say who may see what follows; returns the mark that every picture and table carries."""
    if not private:
        st.caption(words.PUBLIC)
        return ""
    banner(data, words.PRIVATE)
    return data.mark


def places_of(one: Chosen) -> Geography:
    """The tiles as distances need them: made once for many comparisons, which takes long where tiles are many."""
    return session().kept.last("places", one.tiles.digest, lambda: Geography(one.tiles))


def scored(one: Chosen, other: Chosen) -> tuple[Score, ...]:
    """The scores of two sides, kept until another one is chosen."""
    mine = session().kept

    def worked_out() -> tuple[Score, ...]:
        with spinner("Comparing"):
            return compared(one.side, other.side, places_of(one))

    return mine.last("scores", (one.key, other.key), worked_out)


def numbers(scores: tuple[Score, ...], mark: str) -> tuple[str, ...]:
    """Every metric of the measures that were chosen, of those that both sides have; returns the chosen ones."""
    for column, (label, value, note) in zip(st.columns(4), likeness.headline(scores), strict=False):
        column.metric(label, value, border=True)
        column.caption(note)
    with st.popover(words.METRICS_HELP, icon=":material/help:", width="content"):
        st.markdown(likeness.explanations())
        st.caption(words.NEGATIVE)
    names = tuple(dict.fromkeys(score.measure for score in scores))
    picked = st.multiselect(
        "Measures",
        names,
        format_func=likeness.title,
        placeholder="All measures",
        key="compared measures",
        persist_state="session",
    )
    wanted = tuple(name for name in names if name in picked) or names
    shown = [score for score in scores if score.measure in wanted]
    show_table(
        likeness.score_table(shown), "Every metric of these measures on both sides", mark=mark, height=320
    )
    return wanted


def page_of_both(one: Chosen, other: Chosen, measures: tuple[str, ...], *, public: bool) -> None:
    """Both sides over each other, as a page to take along."""
    page = partial(comparison_html, one.side, other.side, measures=measures, geography=places_of(one))
    name = "comparison.html" if public else "owner-only-comparison.html"
    take_away(
        "Both in one page (HTML)", lambda: page().encode(), name, icon="summarize", key="comparison page"
    )


def tables_of_both(one: Chosen, other: Chosen) -> dict[str, Pair]:
    """The tables that both sides have, cell by cell."""
    apart = left_out(one.side, other.side)
    for said in likeness.said_beside(one.side, other.side):
        st.caption(plain(said))
    found = {
        name: matched(table, other.side.tables[name])
        for name, table in one.side.tables.items()
        if name in other.side.tables and name not in apart
    }
    for name, pair in found.items():
        if one.side.tables[name].threshold is not None and pair.notes:
            st.caption(plain(f"{likeness.title(name)}: {'; '.join(pair.notes)}."))
    return found


def under(data: DataSet, sides: tuple[Chosen, Chosen]) -> bytes | None:
    """What the maps of both sides draw under their tiles: what a release holds, or what lies under the loaded ones."""
    for release in (side.release for side in sides):
        if release is not None and release.context is not None:
            packed = partial(_context_bytes, release.context, release.tessellation)
            return session().kept.last("compared context", release.anchor.hash, packed)
    return data.under if sides[0].tiles.digest == data.tessellation.digest else None


def _context_bytes(context: Context, tiles: Tessellation) -> bytes:
    return pack_context(context, MapGeometry.of(tiles).packed, (*tiles.bounds,))


def show_change(one: Chosen, other: Chosen) -> None:
    """What changed between two releases, and both over one another."""
    if one.release is not None and other.release is not None:
        with st.container():
            measure = change_section(one.release, other.release, one.tiles)
        with st.container():
            if measure is not None and one.listed and other.listed and "stories" in wings.there():
                if TABLES.card(one.release).begins > TABLES.card(other.release).begins:
                    st.caption(words.ADD_FORWARD)
                # Ids of releases alone go there. The page opens them as from a link of anybody.
                st.page_link(
                    "pages/released/story.py",
                    label="Add this view",
                    icon=":material/playlist_add:",
                    help=words.ADD_HELP,
                    query_params={"release": other.release.id, "before": one.release.id},
                )
        with st.container():
            series_section(one.side, other.side, "")
        st.container()  # where the other half of the page has its maps
        if measure is not None:
            show_code(change_code(measure, one.release.part, other.release.part), "change")


def alike(data: DataSet, one: Chosen, other: Chosen, mark: str) -> None:
    """How alike both sides are, in numbers and in pictures."""
    names = (one.side.name, other.side.name)
    with st.container():
        measures = numbers(scored(one, other), mark)
        page_of_both(one, other, measures, public=not (one.private or other.private))
    with st.container():
        pairs = tables_of_both(one, other)
    with st.container():
        series_section(one.side, other.side, mark)
    with st.container():
        if (
            VISITS in one.side.tables or VISITS in other.side.tables
        ):  # large counts and trees have no map of visits
            map_section(pairs, one.tiles, names, mark, under(data, (one, other)))
    if not (one.private or other.private):
        show_code(compare_code(), "compare")


@st.fragment
def page() -> None:
    """The page from the choice of sides to the curves, each section in a place of its own.

    It reruns alone, so that of two files that are given at once both arrive.
    """
    session()  # the gate: no router stands before it
    with projects.saved_changes(), refusals(), bars_over_the_page():
        _show_sides(loaded())


def _show_sides(data: DataSet) -> None:
    may = nothing_to_decide(data)
    sources = tuple(Source) if may else RELEASED  # two releases may be compared without a look
    firsts = first_sources(sources)
    left, right = st.columns(2, gap="large")
    with left:
        one = side_picked(data, "A", sources, firsts[0])
    with right:
        other = side_picked(data, "B", sources, firsts[1])
    with st.container():
        compared_sides(data, one, other, may=may)
    if not may:
        with st.expander(
            words.LOADED, icon=":material/visibility_off:", expanded=one is None or other is None
        ):
            may_look(data)


def compared_sides(data: DataSet, one: Chosen | None, other: Chosen | None, *, may: bool) -> None:
    """What follows from the choice of two sides, in tabs; ``may``: whether the loaded trips may be looked at."""
    if one is None or other is None:
        return
    if one.tiles.digest == other.tiles.digest:  # one side may have names that the other lacks
        one = replace(one, tiles=one.tiles.among(one.tiles.places or other.tiles.places))
    releases = [side.release for side in (one, other) if side.release is not None]
    looks = [*[CHANGE] * (len(releases) == 2), ALIKE, *[EVERY] * (may or bool(releases))]
    look = chosen_look(looks)
    with refusals():
        if look == EVERY:
            utility_section(data, releases[-1] if releases else None, own=may)
            return
        mark = who_may_see(data, private=one.private or other.private)
        if look == CHANGE:
            show_change(one, other)
        else:
            alike(data, one, other, mark)


st.title("Compare")
st.caption(words.INTRO)
page()
