"""Refusals as plain text: nothing of a file's names is read as Markdown."""

from __future__ import annotations

import streamlit as st

from dpcore.errors import AtlasError
from dpcore.views.plain import plain, sentence


def refused(error: AtlasError) -> None:
    """What was refused, where, and how to mend it; what was loaded before stays."""
    st.error(
        f"**{plain(sentence(error.what))}**: {plain(error.where)}. {plain(error.mend)}",
        icon=":material/block:",
    )
    notes = getattr(error, "__notes__", ())
    if len(notes) > 1:  # the first one says what stands above
        with st.expander("All that was found"):
            st.markdown("\n".join(f"- {plain(note)}" for note in notes))
