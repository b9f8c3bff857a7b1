"""Measures of the release: flows and rankings, counts over time and by hour, and every measure in four sections."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dpcore.measures import measure_named
from dpcore.release import Release
from dpcore.views import series
from dpcore.views.charts import Chart, larger
from dpcore.views.flows import by_chance
from dpcore.views.plain import cell
from dpcore.views.ranking import assumption, counted_trips, ranking_chart, ranking_table
from dpcore.views.report import report, report_html
from dpcore.views.report.maps import small_maps
from dpcore.views.sentences import absent_pairs, flow_sentence
from dpcore.views.series import chart_table
from pages.parts.chart import show_chart
from pages.parts.figures import (
    share_curve,
    show_sections,
    small_map_rows,
    strongest_flows,
    why_missing,
)
from pages.parts.ladder_map import ladder_map
from pages.parts.messages import take_away
from pages.released.parts import words
from pages.released.parts.pictures import pictures, ranking
from pages.released.parts.viewing import Viewing


def draw_flows(mine: Viewing, release: Release) -> None:
    """The whole view."""
    od = release.measurements.get("od_flows")
    if od is None:
        st.info(words.NO_FLOWS, icon=":material/info:")
        return
    found, rung = pictures(release), mine.at.rung
    sentence = flow_sentence(od, rung)
    if mine.at.present:
        ladder_map(found.flows or b"", key=f"flows {found.link}", tiles=found.geometry.packed, height=620)
        st.markdown(sentence)
        return
    st.markdown(sentence)
    left, right = st.columns([5, 4], gap="medium")
    with left:
        ladder_map(found.flows or b"", key=f"flows {found.link}", tiles=found.geometry.packed, height=470)
        st.caption(words.LINES)
    names = {tile: cell(name) for tile, name in found.geometry.names.items()}
    strongest_flows(right, od, rung, names, height=520)
    st.markdown(absent_pairs(od))
    why_missing(od)


def draw_rankings(mine: Viewing, release: Release) -> None:
    """The whole view."""
    held, rung = release.measurements, mine.at.rung
    lists = []
    if "visits_per_tile" in held:
        lists.append(("Tiles by visits", ranking(release, "visits_per_tile", rung)))
    if "od_flows" in held:
        lists.append(("Flows by trips", ranking(release, "od_flows", rung)))
    if not lists:
        st.info(words.NO_RANKING, icon=":material/info:")
        return
    if mine.at.present:
        title, found = lists[0]
        st.markdown(f"**{title}**")
        show_chart(larger(ranking_chart(found), 520, 17))
        return
    st.markdown(words.RANKINGS.format(counted=counted_trips(release.plan.bound)))
    for column, (title, found) in zip(st.columns(len(lists), gap="large"), lists, strict=True):
        with column:
            st.markdown(f"#### {title}")
            chart = ranking_chart(found)
            show_chart(chart)
            st.table(
                ranking_table(found.names, found.places, found.half_width),
                border="horizontal",
                alt=chart.alt,
            )
    st.caption(assumption(release.plan.bound))
    if "od_flows" in held and held["od_flows"].threshold is not None:
        st.caption(words.ABSENT_RANK.format(false=by_chance(held["od_flows"])))


RHYTHM = ("trips_over_time", "trips_per_weekday", "trips_per_hour")


def draw_rhythm(mine: Viewing, release: Release) -> None:
    """The whole view."""
    held, rung = release.measurements, mine.at.rung
    bins = [name for name, measurement in held.items() if "bin_start" in measurement.keys.columns]
    if not bins and not any(name in held for name in RHYTHM):
        st.info(words.NO_RHYTHM, icon=":material/info:")
        return
    below = any(int(held[name].values[rung].min()) < 0 for name in (*RHYTHM, *bins) if name in held)
    if not mine.at.present:
        st.caption(f"{words.BAND} {series.CLIPPED if below else ''}")
    charts = []
    if "trips_over_time" in held:
        charts.append(
            _shown(mine, series.over_time(held["trips_over_time"], rung, clipped=True), "Trips a day")
        )
    elif any(name in held for name in RHYTHM) and not mine.at.present:
        st.caption(words.NO_PERIOD)
    charts += _week_and_hours(mine, release)
    for name in bins:
        title = measure_named(name).title
        charts.append(_shown(mine, series.histogram(held[name], rung, title, clipped=True), title))
    if not mine.at.present and st.toggle("Show the numbers as tables", key="charts as tables"):
        for chart in charts:
            st.markdown(f"**{chart.alt}**")
            st.dataframe(chart_table(chart), hide_index=True, height=240, alt=chart.alt)


def _week_and_hours(mine: Viewing, release: Release) -> list[Chart]:
    held, rung = release.measurements, mine.at.rung
    charts: list[Chart] = []
    if not {"trips_per_weekday", "trips_per_hour"} & set(held):
        return charts
    left, right = st.columns([1, 2])
    if "trips_per_weekday" in held:
        with left:
            weekday = series.per_weekday(held["trips_per_weekday"], rung, clipped=True)
            charts.append(_shown(mine, weekday, weekday.alt))
    if "trips_per_hour" not in held:
        return charts
    draw_hours = partial(series.per_hour, held["trips_per_hour"], rung, clipped=True)
    if mine.at.present:  # one picture at a time
        with right:
            _shown(mine, draw_hours(kind="start", day_type="weekday"), "Starts by hour")
        return charts
    for kind, tab in zip(("start", "end"), right.tabs(["Starts by hour", "Ends by hour"]), strict=True):
        for day_type, column in zip(("weekday", "weekend"), tab.columns(2), strict=True):
            with column:
                charts.append(_shown(mine, draw_hours(kind=kind, day_type=day_type), ""))
    return charts


def _shown(mine: Viewing, chart: Chart, title: str) -> Chart:
    """One chart; large in a presentation. The numbers of all stand below, a click away."""
    if title:
        st.markdown(f"**{title}**")
    show_chart(larger(chart, 220, 15) if mine.at.present else chart)
    return chart


def draw_measures(mine: Viewing, release: Release) -> None:
    """The whole view."""
    if not mine.at.present:
        _download(mine, release)
    show_sections(report(release, mine.at.rung), partial(_pictures, mine, release))


def _download(mine: Viewing, release: Release) -> None:
    name = "".join(sign if sign.isalnum() or sign in "-_" else "-" for sign in release.id)
    words_, buttons = st.columns([3, 2], vertical_alignment="center")
    words_.caption(words.REPORT)
    page = partial(report_html, release, mine.at.rung)
    with buttons.container(horizontal=True):
        take_away("Report (HTML)", page, f"{name}-report.html", icon="summarize")
        small = partial(page, static=True)
        take_away("Without charts", small, f"{name}-report-static.html", icon="table", explained=words.STATIC)


def _pictures(mine: Viewing, release: Release, measure: str) -> None:
    """What a measure over tiles shows besides its charts."""
    if measure == "visits_per_time_tile":
        st.caption(words.SHARED_SCALE)
        small_map_rows(small_maps(release.tessellation, release.measurements[measure], mine.at.rung))
    elif measure in words.ELSEWHERE:
        st.caption(words.ELSEWHERE[measure])
        share_curve(release.measurements[measure], mine.at.rung, words.CURVES[measure])
