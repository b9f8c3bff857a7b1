"""What changed between two releases: a sentence first, then a map, the list and the chart of the announced changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import streamlit as st

from dpcore.comparison.change import CellChanges, Changes, changes, why_apart
from dpcore.errors import InputError
from dpcore.noise.expected_estimates import VISITS
from dpcore.release import Release
from dpcore.tiles import Tessellation
from dpcore.views.comparison import likeness
from dpcore.views.comparison.changes import (
    MAP_SAID,
    change_chart,
    change_map,
    change_table,
    map_ends,
    said_beside,
    sentence,
)
from dpcore.views.ground.plain import plain
from pages.owner.parts.compare.pictures import difference_picture
from pages.owner.parts.state.session import session
from pages.parts.chart import show_chart, show_table

CHANGE, ALIKE, EVERY = "What changed", "How alike", "Likeness at every ε"
"""The tabs of the page."""
HIGHEST: Final = "Told at the highest ε of each release."
_LOOK: Final = "compare half"
_ROWS, _ROW = 10, 35  # rows that are seen at once, and pixels of one


def chosen_look(looks: Sequence[str]) -> str:
    """The tab that is looked at, of those that the sides allow. Where these are others, nobody chose among them yet: it is the first."""
    if len(looks) == 1:
        return looks[0]
    return str(
        st.segmented_control(
            "Compare",
            looks,
            default=looks[0],
            required=True,
            key=_LOOK if CHANGE in looks else f"{_LOOK} without change",
            persist_state="session",
            label_visibility="collapsed",
        )
    )


def change_section(one: Release, other: Release, tiles: Tessellation) -> str | None:
    """All of it for one measure, which is returned, empty if only all trips are compared; else the reason why not, and None.

    ``tiles``: with the names that they have on this page.
    """
    tables = [name for name in one.measurements if name in other.measurements]
    reasons = {name: why_apart(one, other, name) for name in tables}
    fit = [name for name in tables if not reasons[name]]
    measure = VISITS
    try:
        if fit:
            first = fit.index(VISITS) if VISITS in fit else 0
            measure = st.selectbox(
                "Cells",
                fit,
                index=first,
                format_func=likeness.title,
                key="compare change measure",
                width=360,
            )
        found = _worked_out(one, other, measure)
    except InputError as refused:
        st.info(plain(str(refused)), icon=":material/block:")
        return None
    st.markdown(f"### {plain(sentence(found))}")
    st.caption(f"{said_beside(found, one, other)} {HIGHEST}")
    if found.cells is not None:
        _cells(found, found.cells, tiles)
    for name, reason in reasons.items():
        if reason and fit:
            st.caption(plain(f"Not compared: {likeness.title(name)}. {reason}"))
    return "" if found.cells is None else measure


def _worked_out(one: Release, other: Release, measure: str) -> Changes:
    key = (
        one.id,
        one.anchor.hash,
        *one.part.items(),
        other.id,
        other.anchor.hash,
        *other.part.items(),
        measure,
    )
    return session().kept.last("change", key, lambda: changes(one, other, measure))


def _cells(found: Changes, cells: CellChanges, tiles: Tessellation) -> None:
    drawn, chart, table = change_map(cells, tiles), change_chart(cells, tiles), change_table(cells, tiles)
    if drawn is not None:
        difference_picture(tiles, drawn, ("A", "B"), "", words=MAP_SAID, ends=map_ends(found))
    if chart is None:
        return
    left, right = st.columns(2, gap="large")
    with left:
        rows = min(len(table), _ROWS)
        show_table(table, "Announced changes, the surest size first", height=_ROW * (rows + 1) + 3)
    with right:
        show_chart(chart)
