"""Measures of the release: flows and rankings, counts over time and by hour, and every measure in four sections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpcore.measures import measure_named
from dpcore.measures.measurement import Measurement
from dpcore.measures.sums import sum_named
from dpcore.privacy import PrivacyUnit, decimal_text
from dpcore.release import Release
from dpcore.release.estimates import are_computed
from dpcore.release.sums import told_table
from dpcore.views.charts import plots, series
from dpcore.views.charts.charts import Chart, larger
from dpcore.views.charts.series import chart_table
from dpcore.views.ground.derived import shown_with_weekdays, weekdays
from dpcore.views.ground.plain import cell, district_labels, plain
from dpcore.views.ground.shown import Shown
from dpcore.views.maps.flow_levels import flows_between_districts
from dpcore.views.maps.small_maps import small_maps
from dpcore.views.numbers.area import DISTRICT_FLOWS, FLOWS, numbers_of
from dpcore.views.numbers.flows import by_chance, flows_words
from dpcore.views.numbers.ranking import (
    NONE_RANKED,
    assumption,
    counted_trips,
    ranking_chart,
    ranking_of,
    ranking_table,
)
from dpcore.views.numbers.sentences import absent_pairs, flow_sentence
from dpcore.views.report import report, report_html
from pages.parts.chart import show_chart, show_table
from pages.parts.figures import (
    list_flows,
    share_curve,
    show_sections,
    small_map_rows,
    why_missing,
)
from pages.parts.held import between_districts
from pages.parts.messages import take_away
from pages.parts.when_open import tabs
from pages.parts.widget_keys import key_showing, when_other
from pages.released.parts import words
from pages.released.parts.numbers_shown import breaks_here, estimates_here, send_flows, shown_here
from pages.released.parts.pictures import estimated_flows, pictures, ranking
from pages.released.parts.selected_view import choose_places, draw_selected, map_of_choice, send_selected
from pages.released.parts.viewing import Viewing, saved_name, viewing

BY_WINDOW = "od_flows_per_window"


def draw_flows(mine: Viewing, release: Release) -> None:
    """The whole view: flows as lines, with the list of those that the map draws, then flows by window."""
    held, present, by_tiles = release.measurements, mine.at.present, _by_tiles(mine, release)
    level = None
    if by_tiles or (mine.at.released and DISTRICT_FLOWS in held):
        level = _map_and_list(mine, release)
    if not by_tiles:
        estimable = (
            mine.at.released and _flows_known(release) and are_computed(estimates_here(mine, release, ()))
        )
        st.info(words.NO_DRAWN_FLOWS if estimable else words.NO_FLOWS, icon=":material/info:")
    if present:
        return
    if mine.at.released and FLOWS in held and level == FLOWS:
        st.markdown(absent_pairs(held[FLOWS]))
        why_missing(held[FLOWS])
    if level is None and DISTRICT_FLOWS in held:
        st.markdown("#### Flows between districts")
        _list(st.container(), mine, release, shown_here(mine, release, DISTRICT_FLOWS), height=420)
    if BY_WINDOW in held:
        st.markdown(f"#### {release.plan.measure(BY_WINDOW).title}")
        _list(st.container(), mine, release, shown_here(mine, release, BY_WINDOW), height=430)
        if mine.at.released:
            why_missing(held[BY_WINDOW])


def _map_and_list(mine: Viewing, release: Release) -> str:
    """Draw the map of flows and the list of those that it draws; the table of its level."""
    held, present = release.measurements, mine.at.present
    left, right = (st.container(),) * 2 if present else st.columns([5, 4], gap="medium")
    with left:
        _lines(mine, release)
        shown = _on_the_map(mine, release)  # after the map, which tells its level
        if mine.at.released and shown.measure in held:
            st.markdown(flow_sentence(held[shown.measure], mine.at.rung))
        if mine.at.released and not present:
            st.caption(words.LINES)
    if present:
        send_selected(mine, release)
    elif not _list_beside(mine, release, right):
        _list(right, mine, release, shown, height=430)
    return shown.measure


def _by_tiles(mine: Viewing, release: Release) -> bool:
    """Whether flows between tiles are shown."""
    return FLOWS in release.measurements if mine.at.released else _flows_known(release)


def _on_the_map(mine: Viewing, release: Release) -> Shown:
    """The flows of the level that the map draws: between districts from afar, where something tells these, else between tiles."""
    found, by_tiles = pictures(release), _by_tiles(mine, release)
    if found.districts is not None and (between_districts(found.link) or not by_tiles):
        if DISTRICT_FLOWS in release.measurements:
            return shown_here(mine, release, DISTRICT_FLOWS)
        if not mine.at.released:
            numbers = numbers_of(release, estimates_here(mine, release, (FLOWS,)), released=False)
            if (between := flows_between_districts(numbers, found.districts)) is not None:
                return between
    return shown_here(mine, release, FLOWS)


def _lines(mine: Viewing, release: Release) -> None:
    """The map of flows; of estimates with what is said of it."""
    high = 620 if mine.at.present else 470
    if mine.at.released:
        map_of_choice(mine, release, pictures(release).flows or b"", "flows", high)
        return
    map_of_choice(mine, release, estimated_flows(release), "flows", high)
    st.caption(f"{words.ESTIMATED_LINES} {flows_words(send_flows(mine, release))}")


def _list_beside(mine: Viewing, release: Release, place: DeltaGenerator) -> bool:
    """Beside a map of flows: the lists to choose in, and the flows of what is chosen. Whether something is."""
    with place:
        choose_places(mine, release)
        if mine.at.chosen.places:
            draw_selected(mine, release, wide=False)
    return bool(mine.at.chosen.places)


def _flows_known(release: Release) -> bool:
    """Whether flows between tiles are estimated: wherever visits were released."""
    return "visits_per_tile" in release.measurements or "od_flows" in release.measurements


def _names(release: Release) -> dict[str, str]:
    return {tile: cell(name) for tile, name in pictures(release).geometry.names.items()}


def _list(place: DeltaGenerator, mine: Viewing, release: Release, shown: Shown, *, height: int) -> None:
    """The strongest flows of a table: its estimates, or what was drawn."""
    of_districts = shown.measure == DISTRICT_FLOWS
    labels = district_labels(release.tessellation, shown.keys.axes[0]) if of_districts else {}
    names = {one: cell(name) for one, name in labels.items()} or _names(release)
    if shown.is_drawn:
        left_out = "" if release.plan.bound.unit is PrivacyUnit.TRIP else words.LEFT_OUT
        note = f"{words.WINNERS} {left_out}"
    else:
        note = f"Estimated trips of {shown.about}, at ε = {decimal_text(release.plan.rungs[mine.at.rung])}."
    list_flows(place, shown, names, note, height=height)


def draw_rankings(mine: Viewing, release: Release) -> None:
    """The first tiles and flows, by their estimates or as released."""
    held, lists = release.measurements, _ranked(mine, release)
    if not lists:
        st.info(words.NO_RANKING, icon=":material/info:")
        return
    if mine.at.released and not mine.at.present:
        st.markdown(words.RANKINGS.format(counted=counted_trips(release.plan.bound)))
    columns = [st.container()] if mine.at.present else st.columns(min(2, len(lists)), gap="large")
    for at, (title, measure) in enumerate(lists[:1] if mine.at.present else lists):
        with columns[at % len(columns)]:
            st.markdown(f"#### {title}")
            _draw_ranking(mine, release, measure)
    if not mine.at.released:
        st.caption(words.ESTIMATED_ORDER)
    elif not mine.at.present:
        st.caption(assumption(release.plan.bound))
        if "od_flows" in held and held["od_flows"].threshold is not None:
            st.caption(words.ABSENT_RANK.format(false=by_chance(held["od_flows"])))


def _draw_ranking(mine: Viewing, release: Release, measure: str) -> None:
    """The chart of a ranking, and its table where there is room."""
    if mine.at.released:
        found = ranking(release, measure, mine.at.rung)
    else:
        found = ranking_of(shown_here(mine, release, measure, _ranked_with(measure)), release.tessellation)
    if not found.names:
        st.caption(NONE_RANKED)
        return
    chart = ranking_chart(found)
    show_chart(larger(chart, 520, 17) if mine.at.present else chart)
    if not mine.at.present:
        st.table(ranking_table(found), border="horizontal", alt=chart.alt)
    if found.said:
        st.caption(found.said)


def _ranked(mine: Viewing, release: Release) -> list[tuple[str, str]]:
    """The rankings that there are: title and measure."""
    if mine.at.released:
        return [(title, one) for one, title in RANKED.items() if one in release.measurements]
    lists = []
    if _flows_known(release):
        found = estimates_here(mine, release, _ranked_with(""))
        lists = [(title, one) for one, title in RANKED.items() if one in found.tables]
    if "od_districts" in release.measurements:
        lists.append(("Flows between districts", "od_districts"))
    return lists


def _ranked_with(measure: str) -> tuple[str, ...]:
    """Which tables are estimated together for a ranking."""
    return ("od_districts",) if measure == "od_districts" else tuple(RANKED)


RANKED = MappingProxyType({"visits_per_tile": "Tiles by visits", "od_flows": "Flows by trips"})
DATES = "trips_over_time"
RHYTHM = (DATES, "trips_per_weekday", "trips_per_hour")


def draw_rhythm(mine: Viewing, release: Release) -> None:
    """The whole view."""
    held, rung = release.measurements, mine.at.rung
    bins = [name for name, measurement in held.items() if "bin_start" in measurement.keys.columns]
    if not bins and not any(name in held for name in RHYTHM):
        st.info(words.NO_RHYTHM, icon=":material/info:")
        return
    below = any(int(held[name].values[rung].min()) < 0 for name in (*RHYTHM, *bins) if name in held)
    if not mine.at.present and mine.at.released:
        st.caption(f"{words.BAND} {series.CLIPPED if below else ''}")
    elif not mine.at.present:
        st.caption(words.LIKELY_BAND)
    charts = []
    if DATES in held:
        charts.append(
            _sized_chart(
                mine,
                series.over_time(_numbers(mine, release, held[DATES]), clipped=True),
                "Trips a day",
            )
        )
    elif any(name in held for name in RHYTHM) and not mine.at.present:
        st.caption(words.NO_PERIOD)
    charts += _week_and_hours(mine, release)
    for name in bins:
        chart = plots.whole(_numbers(mine, release, held[name]), clipped=True)
        charts.append(_sized_chart(mine, chart, measure_named(name).title))
    if not mine.at.present and st.toggle("Show the numbers as tables", key="charts as tables"):
        for chart in charts:
            st.markdown(f"**{chart.alt}**")
            st.dataframe(chart_table(chart), hide_index=True, height=240, alt=chart.alt)


def _week_and_hours(mine: Viewing, release: Release) -> list[Chart]:
    week = weekdays(release)
    charts: list[Chart] = []
    if week is None and "trips_per_hour" not in release.measurements:
        return charts
    left, right = st.columns([1, 2]) if week is not None else (st.container(), st.container())
    if week is not None:
        with left:
            chart = plots.whole(_numbers(mine, release, week), clipped=True)
            charts.append(_sized_chart(mine, chart, chart.alt))
            if "trips_per_weekday" not in release.measurements:
                st.caption(words.DERIVED_WEEK)
    if "trips_per_hour" not in release.measurements:
        return charts
    hours = _numbers(mine, release, release.measurements["trips_per_hour"])
    draw_hours = partial(series.per_hour, hours, clipped=True)
    if mine.at.present:  # one picture at a time
        with right:
            _sized_chart(mine, draw_hours(kind="start", day_type="weekday"), "Starts by hour")
        return charts
    sides = {
        title: [draw_hours(kind=kind, day_type=day_type) for day_type in ("weekday", "weekend")]
        for title, kind in (("Starts by hour", "start"), ("Ends by hour", "end"))
    }
    with right:
        tabs({title: partial(_side_by_side, both) for title, both in sides.items()}, key="hours")
    return [*charts, *(chart for both in sides.values() for chart in both)]


def _side_by_side(charts: Sequence[Chart]) -> None:
    for column, chart in zip(st.columns(len(charts)), charts, strict=True):
        with column:
            show_chart(chart)


def _small(release: Release) -> tuple[str, ...]:
    """The measures that are no tables over tiles: quick to estimate, and drawn together."""
    return tuple(name for name in release.measurements if plots.is_plotted(name))


def _numbers(mine: Viewing, release: Release, drawn: Measurement) -> Shown:
    """What is shown of a table, as the switch says: of weekdays that are derived the estimates are so, too."""
    estimates = None if mine.at.released else estimates_here(mine, release, _small(release))
    return shown_with_weekdays(release, drawn, mine.at.rung, estimates)


def _sized_chart(mine: Viewing, chart: Chart, title: str) -> Chart:
    """One chart; large in a presentation. The numbers of all stand below, a click away."""
    if title:
        st.markdown(f"**{title}**")
    show_chart(larger(chart, 220, 15) if mine.at.present else chart)
    return chart


def draw_measures(mine: Viewing, release: Release) -> None:
    """The whole view."""
    if not mine.at.present:
        download_report(mine, release)
    estimates = None if mine.at.released else estimates_here(mine, release)
    found = report(release, mine.at.rung, estimates)
    keys = {one.title: one.key for one in found.sections}
    chosen = next((title for title, key in keys.items() if key == mine.at.section), next(iter(keys), None))
    key = key_showing("section of the report", chosen)
    opened = when_other(key, chosen, lambda title: viewing().go(section=keys[title]))
    show_sections(found, partial(_pictures, mine, release), key=key, default=chosen, opened=opened)
    for name in release.measurements:
        if sum_named(name, release.plan.choices.sums) is not None:
            draw_sum(release, name, {"": release.measurements[name]}, mine.at.rung)


def draw_sum(release: Release, name: str, tables: Mapping[str, Measurement], rung: int) -> None:
    """A sum or a mean with its ranges; ``tables``: of each part by its name, or the only one without a name."""
    measure, one = release.plan.measure(name), sum_named(name, release.plan.choices.sums)
    if one is None:
        return
    st.markdown(f"#### {plain(measure.title)}")
    st.caption(plain(measure.explanation))
    columns: dict[str, list[object]] = {}
    for part, table in tables.items():
        told = told_table(table, one, rung)
        named = {"part": [cell(part)] * len(told["value"])} if part else {}
        for key, values in {**named, **{key: column.to_pylist() for key, column in told.items()}}.items():
            columns.setdefault(key, []).extend(values)
    show_table(columns, f"{measure.title} with its ranges")


def download_report(mine: Viewing, release: Release) -> None:
    """The report as a file to take away; of split tables it lays all parts side by side."""
    name = saved_name(release)
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
        shown, breaks = shown_here(mine, release, measure), breaks_here(mine, release, measure)
        small_map_rows(small_maps(release.tessellation, shown, breaks))
    elif measure in words.ELSEWHERE:
        st.caption(words.ELSEWHERE[measure])
        if measure in words.CURVES:
            share_curve(
                release.measurements[measure], mine.at.rung, f"{words.CURVES[measure]} (released counts)"
            )
