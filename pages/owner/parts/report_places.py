"""The pictures of tables over tiles in the owner's report: maps, flows, time windows, curves; noisy beside true."""

from __future__ import annotations

import streamlit as st

from dpcore.owner import Preview
from dpcore.views import flows, shares
from dpcore.views.curves import curve_chart
from dpcore.views.report.small_maps import SmallMap, small_maps
from dpcore.views.tile_facts import window_charts
from dpcore.views.tile_map import flows_map, visits_map
from pages.owner.parts import report_words as words
from pages.owner.parts.session import START_RUNG, DataSet
from pages.parts.chart_grid import chart_grid
from pages.parts.ladder_map import ladder_map

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
        st.caption(words.TILE)
    else:
        charts = window_charts(arrivals, rung, seen.tile, preview.truth["visits_per_time_tile"], data.mark)
        chart_grid(charts)
    _curve(data, preview, rung, "visits_per_tile", "Share of visits in the busiest tiles")


def _flows(data: DataSet, preview: Preview, rung: int) -> None:
    od, truth = preview.measurements["od_flows"], preview.truth["od_flows"]
    message = flows_map(data.geometry, od, start_rung=START_RUNG, mark=data.mark, truth=truth, steered=True)
    lines, table = st.columns(2)
    with lines:
        brought = "visits_per_tile" in preview.measurements  # by the map of visits, in the tab before
        ladder_map(message, key="report flows", tiles=None if brought else data.geometry.packed, height=TALL)
    table.dataframe(
        flows.strongest_flows(od, rung, data.geometry.names, truth),
        hide_index=True,
        height=TALL + 30,
        alt="The strongest noisy flows with their 95 % intervals and true counts",
    )
    _curve(data, preview, rung, "od_flows", "Share of trips in the busiest flows")


def _windows(data: DataSet, preview: Preview, rung: int) -> None:
    arrivals, truth = preview.measurements["visits_per_time_tile"], preview.truth["visits_per_time_tile"]
    st.caption(words.SMALL_MAPS)
    _rows(small_maps(data.tessellation, arrivals, rung, mark=data.mark))
    with st.expander("The true maps beside them"):
        st.caption(words.TRUE_MAPS)
        _rows(small_maps(data.tessellation, arrivals, rung, truth, mark=data.mark))


def _rows(maps: tuple[SmallMap, ...]) -> None:
    for title in dict.fromkeys(found.row for found in maps):
        st.markdown(f"**{title}**")
        row = [found for found in maps if found.row == title]
        for column, found in zip(st.columns(len(row)), row, strict=True):
            column.image(found.picture, caption=found.column, width="stretch")


def _curve(data: DataSet, preview: Preview, rung: int, measure: str, title: str) -> None:
    noisy = shares.curve(preview.measurements[measure], rung)
    if noisy is None:
        st.caption(f"{title}: the total itself is drowned by noise.")
        return
    true = shares.true_curve(preview.truth[measure])
    st.markdown(f"**{title}**")
    chart = curve_chart(noisy, title, true, data.mark)
    left, right = st.columns(2, gap="large")
    left.vega_lite_chart(chart.table, chart.spec, alt=chart.alt)
    right.caption(shares.CURVE_WORDS)
