"""What mends a refused loading, below the refusal: one press changes the choice that it asks for and loads again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import streamlit as st

from dpcore.api import owner
from dpcore.errors import AtlasError
from pages.owner.parts.data import column_words as words
from pages.parts.messages import show_refusal

LEAVE_OUT: Final = "data leave out"
"""Field of the form: whether bad records are left out."""
_AGAIN: Final = "data load again"


def asked_again() -> bool:
    """Whether the files are to be loaded again, after a choice was changed; said once."""
    return bool(st.session_state.pop(_AGAIN, False))


def show(error: AtlasError) -> None:
    """Show a refusal of trips in the words of the controls of this page."""
    error.reword(words.on_page)
    show_refusal(error)


@contextmanager
def refusals_of_trips() -> Iterator[None]:
    """Show the refusals of a block so, and go on after it."""
    try:
        yield
    except AtlasError as error:
        show(error)


def mend(error: AtlasError, leave_out: str, order: str | None) -> None:
    """The buttons for a refusal; nothing where no choice of this page mends it.

    ``leave_out`` and ``order``: keys of the widgets for bad records and for the order of times, None where there is none.
    """
    chosen = st.session_state.get(order) if order else None
    general = words.ORDERED if "--times" in error.options else ()
    ways: list[tuple[str, str | None, object]] = [
        (f"Read as: {words.ORDERS[one]}", order, one)
        for one in words.ORDERS
        if chosen not in {None, one} and (one in general or f"--times {one}" in error.options)
    ]
    if owner.counts_bad_records(error):
        ways.append(("Leave out the bad records", leave_out, True))
    if not ways:
        return
    for (label, key, value), place in zip(ways, st.columns(len(ways)), strict=True):
        place.button(label, on_click=_change, args=(key, value), icon=":material/build:", width="stretch")


def _change(key: str, value: object) -> None:
    st.session_state[key] = value
    st.session_state[_AGAIN] = True
