"""Refusals as plain text: nothing of a file's names is read as Markdown."""

from __future__ import annotations

import streamlit as st

from dpcore.errors import AtlasError
from dpcore.views.plain import plain


def refused(error: AtlasError) -> None:
    """What was refused, where, and how to mend it; what was loaded before stays."""
    lines = [f"**{plain(error.what)}**: {plain(error.where)}. {plain(error.mend)}"]
    lines += [f"- {plain(note)}" for note in getattr(error, "__notes__", ())]
    st.error("\n".join(lines), icon=":material/block:")
