"""Utility curves on the Compare page: from true counts for the owner, or from a release for anyone."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from dpcore import owner
from dpcore.release import Release
from dpcore.similarity import METRICS
from dpcore.utility_curves import Curve, curves_of_release
from dpcore.views import comparison, comparison_charts
from pages.owner.parts import compare_words as words
from pages.owner.parts.looks import Look
from pages.owner.parts.session import DataSet, session
from pages.parts.messages import progress


def utility_section(data: DataSet, release: Release | None) -> None:
    """The curves of the loaded trips on demand; beside them those of a release that was chosen."""
    st.subheader("Likeness at every ε")
    own, estimated = st.columns(2, gap="large")
    with own:
        st.caption(words.CURVES)
        study = _study(data)
        if study is not None:
            _picked(study.curves, data.mark, "own")
    if release is not None:
        with estimated:
            st.caption(words.CURVES_RELEASED)
            curves = [curve for one in release.measurements.values() for curve in curves_of_release(one)]
            _picked(curves, f"Estimated from {release.id}", "released")


def _study(data: DataSet) -> owner.UtilityStudy | None:
    mine, key = session(), (session().choice.bound, data.choices)
    if not mine.kept.holds("curves", key) and not st.button(
        words.CURVES_BUTTON, on_click=mine.looked, args=(Look.COMPARED,)
    ):
        return None
    return mine.kept.last("curves", key, lambda: _worked_out(data))


def _worked_out(data: DataSet) -> owner.UtilityStudy:
    """The study of the chosen bound; how far it got is shown."""
    with progress(words.DRAWING) as tell:
        return owner.utility_curves(data.trips, session().preview().plan, data.tessellation, progress=tell)


def _picked(curves: Sequence[Curve], mark: str, key: str) -> None:
    """One curve after another: first the table, then the metric."""
    by_measure: dict[str, dict[str, Curve]] = {}
    for curve in curves:
        if curve.bands:
            by_measure.setdefault(curve.measure, {})[curve.metric] = curve
    if not by_measure:
        return
    table, metric = st.columns(2)
    measure = table.selectbox(
        "Table", list(by_measure), format_func=comparison.title, key=f"compare {key} table"
    )
    held = by_measure[measure]
    name = metric.selectbox(
        "Metric",
        [one for one in METRICS if one in held],
        format_func=lambda one: METRICS[one].title,
        key=f"compare {key} metric {measure}",
    )
    chart = comparison_charts.curve_chart(held[name], mark)
    st.vega_lite_chart(chart.table, chart.spec, alt=chart.alt)
    st.caption(comparison_charts.curve_words(held[name]))
