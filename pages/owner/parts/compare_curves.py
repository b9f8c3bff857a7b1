"""Utility curves on the Compare page: from true counts for the owner, or from a release for anyone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from dpcore import owner
from dpcore.privacy import ContributionBound
from dpcore.release import Release
from dpcore.similarity import METRICS
from dpcore.utility_curves import Curve, curves_of_release
from dpcore.views import comparison, comparison_charts
from pages.owner.parts import compare_words as words
from pages.owner.parts.looks import Look
from pages.owner.parts.session import DataSet, session


@dataclass(frozen=True, repr=False, eq=False)
class _Kept:
    """The curves that this visitor had worked out."""

    trips: owner.PrivateTrips
    bound: ContributionBound
    study: owner.UtilityStudy


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
    bound = session().choice.bound
    kept = st.session_state.get("compare curves")
    if isinstance(kept, _Kept) and kept.trips is data.trips and kept.bound == bound:
        return kept.study
    if not st.button(words.CURVES_BUTTON, on_click=session().looked, args=(Look.COMPARED,)):
        return None
    bar = st.progress(0.0, "Drawing throw-away previews")
    try:
        study = owner.utility_curves(
            data.trips,
            session().preview().plan,
            data.tessellation,
            progress=lambda share: bar.progress(share, "Drawing throw-away previews"),
        )
    finally:
        bar.empty()
    st.session_state["compare curves"] = _Kept(data.trips, bound, study)
    return study


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
