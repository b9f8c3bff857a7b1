"""Several parts of a release whose tables are split: their sums with ranges, and each beside the others with one scale."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import streamlit as st

from dpcore.measures.sums import sum_named
from dpcore.privacy import decimal_text
from dpcore.release import Release, one_part
from dpcore.views.ground import part_choice, reading
from dpcore.views.ground.shown import Shown
from dpcore.views.maps import several_parts
from pages.parts.chart import show_chart, show_table
from pages.parts.figures import small_charts, small_maps_of_parts
from pages.released.parts import words
from pages.released.parts.measures_view import BY_WINDOW, download_report, draw_sum
from pages.released.parts.numbers_shown import at_stop, breaks_here, shown_here
from pages.released.parts.viewing import Viewing

_FIRST = 10  # rows of a ranking
_MOST_FLOWS = 1_000
OF_EACH_PART = ("map", "rhythm")
"""Views that show each part beside the others: estimates or released counts, as the switch says."""
Parts = Mapping[int, str]


def draw_together(mine: Viewing, release: Release) -> None:
    """The view that is looked at, of all parts that are chosen."""
    chosen = part_choice.numbers_of(mine.at.part, release.plan.choices.splits)
    st.markdown(several_parts.several_words(release, len(chosen)))
    if len(chosen) > part_choice.MOST_BESIDE and mine.at.view in OF_EACH_PART:
        st.caption(words.FEWER_BESIDE.format(most=part_choice.MOST_BESIDE))
    _VIEWS.get(mine.at.view, _of_one_part)(mine, release, chosen)


def _of_one_part(_mine: Viewing, _release: Release, _chosen: Parts) -> None:
    st.info(words.ONE_PART, icon=":material/info:")


def _map(mine: Viewing, release: Release, chosen: Parts) -> None:
    if not _has(release, _VISITS):
        st.info(words.NO_VISITS, icon=":material/info:")
        return
    left, right = st.columns([4, 5], gap="medium")
    with left:
        st.markdown(f"#### {several_parts.SUMS}")
        whole = several_parts.map_of_sums(release, _VISITS, [*chosen], mine.at.rung)
        st.image(whole.pictures[several_parts.SUMS], width="stretch")
        st.html(whole.legend)
    with right:
        _sums(mine, release, _VISITS, chosen, "Visits")
    if mine.at.present:
        return
    st.markdown("#### Each part, in the same colours")
    parts, breaks = part_choice.largest(release, chosen), breaks_here(mine, release, _VISITS)
    shown = shown_here(mine, release, _VISITS)
    st.caption(f"{at_stop(mine, release)}: {_whose(shown)}. {words.ONE_SCALE}")
    small_maps_of_parts(several_parts.maps_beside(release.tessellation, shown, parts, breaks))


def _flows(mine: Viewing, release: Release, chosen: Parts) -> None:
    there = [name for name in (_FLOWS, "od_districts", BY_WINDOW) if _has(release, name)]
    for name in there:
        _sums(mine, release, name, chosen, release.plan.measure(name).title, most=_MOST_FLOWS)
    if not there:
        st.info(words.NO_FLOWS, icon=":material/info:")


def _rhythm(mine: Viewing, release: Release, chosen: Parts) -> None:
    there = [name for name in _LINES if _has(release, name) and release.measurements[name].cells is None]
    for name in there:
        title, small = release.plan.measure(name).title, _LINES[name]
        st.markdown(f"#### {title}: sums of released counts")
        show_chart(several_parts.chart_of_sums(release, name, [*chosen], mine.at.rung), key=f"sums {name}")
        if mine.at.present:
            continue
        shown = shown_here(mine, release, name)
        st.markdown(f"**{small} of each part, with one scale**: {_whose(shown)}")
        parts, keys = part_choice.largest(release, chosen), one_part.part_keys(release, name)
        charts = several_parts.charts_beside(shown, keys, parts)
        small_charts(charts, f"part {name}")
    if not there:
        st.info(words.NO_RHYTHM, icon=":material/info:")
    elif not mine.at.present:
        st.caption(words.BAND)
        if not mine.at.released:
            st.caption(words.LIKELY_BAND)
        if st.toggle("Show the numbers as tables", key="sums as tables"):
            for name in there:
                _sums(mine, release, name, chosen, release.plan.measure(name).title, ordered=False)


def _rankings(mine: Viewing, release: Release, chosen: Parts) -> None:
    for name, title in ((_VISITS, "Tiles by visits"), (_FLOWS, "Flows by trips")):
        if _has(release, name):
            _sums(mine, release, name, chosen, title, most=_FIRST)
    st.caption(words.ORDER_OF_SUMS)


def _measures(mine: Viewing, release: Release, chosen: Parts) -> None:
    if not mine.at.present:
        download_report(mine, release)
    st.caption(words.TOTALS_OF_PARTS)
    for name in one_part.split_tables(release):
        measure = release.plan.measure(name)
        if (
            measure.adds_up and release.measurements[name].cells is None
        ):  # of a list, the rest is not known to be 0
            st.markdown(f"#### {measure.title}")
            totals = several_parts.totals_table(release, name, chosen, mine.at.rung)
            show_table(totals, f"{measure.title}: {measure.counts} of each part, with the range of the noise")
    for name in one_part.split_tables(release):
        if sum_named(name, release.plan.choices.sums) is not None:
            found = one_part.tables_of(release, name, chosen)
            draw_sum(release, name, {chosen[at]: table for at, table in found.items()}, mine.at.rung)


def _accuracy(mine: Viewing, release: Release, chosen: Parts) -> None:
    del chosen  # the noise of one count is the same in every part
    st.markdown(f"#### One released count, at ε = {decimal_text(release.plan.rungs[mine.at.rung])}")
    found = reading.accuracy_table(release, mine.at.rung)
    st.table(found, border="horizontal", alt="Noise of each measure")
    st.caption(words.ACCURACY)
    st.table(reading.ladder_table(release), border="horizontal", alt="Noise of each measure at every stop")
    st.caption(words.SENSITIVITY)


def _sums(
    mine: Viewing,
    release: Release,
    name: str,
    chosen: Parts,
    title: str,
    *,
    most: int | None = None,
    ordered: bool = True,
) -> None:
    sums = several_parts.summed_parts(release, name, [*chosen], mine.at.rung)
    st.markdown(f"#### {title}")
    st.caption(
        f"At ε = {decimal_text(release.plan.rungs[mine.at.rung])}: {release.plan.measure(name).counts} of {len(chosen):,} parts, released counts added up."
    )
    for apart, some in sums.lists().items():
        if apart:
            st.markdown(f"**{apart}**")
        show_table(
            several_parts.sums_table(release, some, len(chosen), _FIRST if apart else most, ordered=ordered),
            f"{apart or title}: sums of {len(chosen):,} parts with the ranges of their noise",
            height=400 if most != _FIRST < len(some.cells) and not apart else "auto",
        )
    if most == _MOST_FLOWS < len(sums.cells):
        st.caption(words.FIRST_OF_SUMS.format(most=most, cells=len(sums.cells)))
    if (sums.draws < len(chosen)).any():
        st.caption(words.LISTED_SUMS)


def _whose(shown: Shown) -> str:
    """What the numbers of each part are."""
    return f"released {shown.unit}" if shown.is_drawn else f"estimated {shown.unit}, {shown.about}"


def _has(release: Release, name: str) -> bool:
    return name in one_part.split_tables(release)


_LINES = MappingProxyType(
    {"trips_per_hour": "Starts by hour on weekdays", "trips_over_time": "Trips over time"}
)
_VISITS, _FLOWS = "visits_per_tile", "od_flows"
_VIEWS: Mapping[str, Callable[[Viewing, Release, Parts], None]] = MappingProxyType(
    {
        "map": _map,
        "flows": _flows,
        "rhythm": _rhythm,
        "rankings": _rankings,
        "measures": _measures,
        "accuracy": _accuracy,
    }
)
