"""Presentation: the picture, its sentence and its number, large and alone."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from dpcore.views.plain import plain

_STYLE = Path(__file__).parents[1] / "assets" / "present.css"


def present(title: str) -> None:
    """Make the page a wall picture from here on; ``title`` is shown as plain text."""
    st.html(_STYLE)
    st.markdown(f"## {plain(title)}")
