"""A chart of a lesson with the way to take it along."""

from __future__ import annotations

import streamlit as st

from dpcore.views.lessons import export
from dpcore.views.series import Chart
from pages.learn.parts import classroom


def picture(chart: Chart, name: str) -> None:
    """Draw a chart; its picture and its numbers can be taken along. ``name``: of the files, without an ending."""
    st.vega_lite_chart(chart.table, chart.spec, alt=chart.alt, key=f"learn chart {name}")
    known = "" if classroom.seed() is None else f"-class-{classroom.seed()}"
    with st.popover("Take along", icon=":material/download:", width="content"):
        st.download_button(
            "Picture (.svg)",
            lambda: export.svg(chart),
            f"{name}{known}.svg",
            "image/svg+xml",
            on_click="ignore",
            key=f"learn svg {name}",
        )
        st.download_button(
            "Numbers (.csv)",
            lambda: export.csv(chart),
            f"{name}{known}.csv",
            "text/csv",
            on_click="ignore",
            key=f"learn csv {name}",
        )
