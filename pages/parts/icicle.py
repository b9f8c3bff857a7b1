"""Beginnings of trajectories as boxes, as the pages of trees show them."""

from __future__ import annotations

import streamlit as st

from dpcore.kinds.tree import views as tree
from dpcore.kinds.tree.levels import Levels
from dpcore.kinds.tree.views.boxes import Icicle
from pages.parts.chart import is_dark, show_figure, show_table


def show_icicle(
    shown: Icicle, levels: Levels, said: str, *, key: str, mark: str = "", begin: str = ""
) -> None:
    """Beginnings of trajectories as boxes, from the box ``begin`` on, with their legend and the same as a table."""
    figure = tree.icicle_figure(shown, levels, dark=is_dark(), mark=mark, begin=begin)
    show_figure(figure, "Beginnings of trajectories as boxes", "beginnings-of-trajectories", key=key)
    st.caption(f"{said} {shown.rest}")
    with st.expander("The same as a table", icon=":material/table_rows:"):
        show_table(
            tree.icicle_table(shown, [one.name for one in levels.descriptors]),
            "Beginnings of trajectories with their levels, counts and intervals",
            mark=mark,
            height=320,
        )
