"""Tabs and expanders whose contents are made and sent when they are opened: what is closed costs neither server nor browser."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

import streamlit as st


def tabs(
    shown: Mapping[str, Callable[[], None]],
    *,
    key: str,
    default: str | None = None,
    opened: Callable[[], None] | None = None,
    linked: bool = False,
) -> None:
    """Parts beside each other by their titles.

    ``default``: the one that is open at first, or None for the first. ``opened`` is called when another one is. ``linked``: the
    address of the page holds which one is open.
    """
    begun = f"{key} began with"  # another default would be other tabs to Streamlit, which mounts them anew
    if key not in st.session_state or st.session_state.get(begun) not in shown:
        st.session_state[begun] = default
    bind: Literal["query-params"] | None = "query-params" if linked else None
    for tab, show in zip(
        st.tabs([*shown], key=key, default=st.session_state[begun], on_change=opened or "rerun", bind=bind),
        shown.values(),
        strict=True,
    ):
        if tab.open:
            with tab:
                show()


def expander(label: str, show: Callable[[], None], *, key: str, icon: str | None = None) -> None:
    """A part below a line of words, closed at first, and again when the tab around it was closed."""
    box = st.expander(label, icon=icon, key=key, on_change="rerun")
    if box.open:
        with box:
            show()
