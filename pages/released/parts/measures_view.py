"""Every measure of the release in four sections, as pictures, words and tables."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dpcore.release import Release
from dpcore.views import shares, tables
from dpcore.views.curves import curve_chart
from dpcore.views.plain import plain
from dpcore.views.report import Entry, report, report_html
from dpcore.views.report.small_maps import SmallMap, small_maps
from pages.parts.chart_grid import told_and_drawn
from pages.released.parts import words
from pages.released.parts.viewing import Viewing


def draw(mine: Viewing, release: Release) -> None:
    """The whole view."""
    if not mine.at.present:
        _download(mine, release)
    found = report(release, mine.at.rung)
    tabs = st.tabs([section.title for section in found.sections])
    for tab, section in zip(tabs, found.sections, strict=True):
        with tab:
            st.caption(section.about)
            for entry in section.entries:
                _entry(mine, release, entry)


def _download(mine: Viewing, release: Release) -> None:
    name = "".join(sign if sign.isalnum() or sign in "-_" else "-" for sign in release.id)
    words_, button = st.columns([4, 1], vertical_alignment="center")
    words_.caption(words.REPORT)
    button.download_button(
        "Report (HTML)",
        partial(report_html, release, mine.at.rung),  # made when it is asked for
        f"{name}-report.html",
        "text/html",
        icon=":material/summarize:",
        on_click="ignore",
    )


def _entry(mine: Viewing, release: Release, entry: Entry) -> None:
    st.markdown(f"#### {plain(entry.title)}")
    told_and_drawn(entry, partial(_words, entry))
    if entry.measure == "visits_per_time_tile":
        _small_maps(small_maps(release.tessellation, release.measurements[entry.measure], mine.at.rung))
    elif entry.measure in words.ELSEWHERE:
        st.caption(words.ELSEWHERE[entry.measure])
        _curve(release, mine.at.rung, entry.measure)
    if entry.charts:
        with st.expander("The numbers"):
            for chart in entry.charts:
                st.dataframe(tables.chart_table(chart), hide_index=True, alt=chart.alt)


def _words(entry: Entry) -> None:
    st.markdown(plain(entry.explanation))
    if entry.drowned:
        st.warning(entry.readable, icon=":material/grain:")
    else:
        st.markdown(plain(entry.readable))
    st.caption(plain(f"{entry.noise} {entry.price}"))


def _curve(release: Release, rung: int, measure: str) -> None:
    found = shares.curve(release.measurements[measure], rung)
    if found is None:
        st.caption(words.NO_SHARES)
        return
    chart = curve_chart(found, words.CURVES[measure])
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown(f"**{chart.alt}**")
        st.vega_lite_chart(chart.table, chart.spec, alt=chart.alt)
    right.caption(shares.CURVE_WORDS)


def _small_maps(maps: tuple[SmallMap, ...]) -> None:
    st.caption(words.SHARED_SCALE)
    for title in dict.fromkeys(found.row for found in maps):
        st.markdown(f"**{title}**")
        row = [found for found in maps if found.row == title]
        for column, found in zip(st.columns(len(row)), row, strict=True):
            column.image(found.picture, caption=found.column, width="stretch")
