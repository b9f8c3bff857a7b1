"""What every page tells in the same way: refusals, as plain text, and how far a piece of work got."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

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


@contextmanager
def progress(waiting: str) -> Iterator[Callable[[float], None]]:
    """A bar with its words as long as the work lasts; the work tells the share that is done, 0 to 1."""
    bar = st.progress(0.0, waiting)

    def tell(share: float) -> None:
        bar.progress(min(max(share, 0.0), 1.0), waiting)

    try:
        yield tell
    finally:
        bar.empty()
