"""The pictures of the Compare page: both sides over one another, and the difference of their maps."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from dpcore.comparison import Pair, Side, laid_alike, step_of_both
from dpcore.comparison.layout import Kind
from dpcore.errors import InputError
from dpcore.tessellation import Tessellation
from dpcore.views import comparison, comparison_charts, comparison_map
from pages.owner.parts import compare_words as words


def series_section(one: Side, other: Side, mark: str) -> None:
    """One measure that has an order, both sides in one picture."""
    ordered = [
        measure for measure in one.tables if measure in other.tables and _drawable(one, other, measure)
    ]
    if not ordered:
        return
    st.subheader("Over one another")
    pick, unit = st.columns(2, vertical_alignment="bottom")
    measure = pick.selectbox("Table", ordered, format_func=comparison.title, key="compare series")
    as_shares = (
        unit.segmented_control(
            "Show", ["Shares", "Counts"], default="Shares", required=True, key="compare unit"
        )
        == "Shares"
    )
    dates = one.tables[measure].layout.kind is Kind.DATES
    st.caption(f"{words.SERIES} {words.OWN_DATES}" if dates else words.SERIES)
    drawn = comparison_charts.overlays(
        one.tables[measure], other.tables[measure], (one.name, other.name), mark, as_shares=as_shares
    )
    for column, (title, chart) in zip(st.columns(min(2, len(drawn))) * 2, drawn, strict=False):
        with column:
            if title:
                st.caption(title)
            st.vega_lite_chart(chart.table, chart.spec, alt=chart.alt)


def _drawable(one: Side, other: Side, measure: str) -> bool:
    """Whether both sides can stand in one picture; two periods can, even without a common date."""
    tables = (one.tables[measure], other.tables[measure])
    if not tables[0].layout.ordered or not all(len(table.values) for table in tables):
        return False
    try:
        step_of_both(*tables) if tables[0].layout.kind is Kind.DATES else laid_alike(*tables)
    except InputError:
        return False
    return True


def map_section(pairs: Mapping[str, Pair], tiles: Tessellation, names: tuple[str, str], mark: str) -> None:
    """The difference of the two maps of visits."""
    st.subheader("Difference of the maps")
    pair = pairs.get("visits_per_tile")
    found = None if pair is None else comparison_map.differences(pair, tiles)
    if found is None:
        st.info(words.NO_MAP, icon=":material/map:")
        return
    dark = st.context.theme.type == "dark"
    picture, said = st.columns([2, 1], gap="large")
    with picture:
        st.image(comparison_map.difference_svg(tiles, found, names, mark, dark=dark), width="stretch")
        legend = comparison_map.legend_svg(dark=dark, noisy=found.noisy)
        st.image(legend, width=comparison_map.LEGEND_WIDTH)
    said.caption(words.MAP)
    if found.noisy:
        said.caption(words.WITHIN_NOISE.format(int(found.within_noise.sum()), len(found.within_noise)))
