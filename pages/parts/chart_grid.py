"""Charts side by side, two in a row; one alone stands beside its words, and the five numbers of a histogram there too."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import streamlit as st

from dpcore.views.charts import Chart
from dpcore.views.report import FIVE_NUMBERS, Entry


def told_and_drawn(entry: Entry, words: Callable[[], None]) -> None:
    """A measure with its words: one chart stands to their right, several stand below them."""
    if len(entry.charts) != 1:
        words()
        chart_grid(entry.charts)
        return
    told, drawn = st.columns(2, gap="large")
    with told:
        words()
        five_table(entry)
    with drawn:
        _chart(entry.charts[0])


def chart_grid(charts: Sequence[Chart]) -> None:
    """Draw them with their titles; one alone gets half of the width, where a bar is not as broad as a wall."""
    for first in range(0, len(charts), 2):
        for column, chart in zip(st.columns(2, gap="large"), charts[first : first + 2], strict=False):
            with column:
                if len(charts) > 1:
                    st.caption(chart.alt)
                _chart(chart)


def _chart(chart: Chart) -> None:
    st.vega_lite_chart(chart.table, chart.spec, alt=chart.alt)


def five_table(entry: Entry) -> None:
    """The five numbers of a histogram, if the measure is one."""
    if entry.five:
        st.markdown("**Five numbers**", help=FIVE_NUMBERS)
        st.table(
            {title: [row[at] for row in entry.five] for at, title in enumerate(("", "value (95 %)", "how"))},
            border="horizontal",
            alt=f"Five numbers of {entry.title}",
        )
