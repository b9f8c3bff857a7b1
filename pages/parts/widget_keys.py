"""Keys of widgets that show a choice which is kept elsewhere, such as in the address of the page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import streamlit as st

TOLD_OF: Final = "releases of the story"
"""Where the session keeps which releases of the shelf the story tells of, by their sides on Compare: the earlier one is A."""


def key_showing(name: str, value: object, kept: Callable[[Any], object] = lambda shown: shown) -> str:
    """The key of a widget that starts with ``value``: a new one whenever the value became another without the widget.

    ``kept`` says what is kept of what the widget shows. A field is not taken from somebody who just typed a blank at its end.

    A widget takes its starting value once. So a link or another control could not move it. A value that is put into the
    state of the session instead is sent once, and lost where somebody types while the page is still being sent.
    """
    turns: dict[str, int] = st.session_state.setdefault("turns of widgets", {})
    key = f"{name} {turns.get(name, 0)}"
    if key in st.session_state and kept(st.session_state[key]) != value:
        turns[name] = turns.get(name, 0) + 1
        key = f"{name} {turns[name]}"
    return key


def when_other(key: str, value: object, choose: Callable[[Any], None]) -> Callable[[], None]:
    """What to call on a change of a widget with ``key_showing``: ``choose``, with what it shows, if that is not ``value``.

    A widget that a new key replaced may speak once more: a click that follows at once still brings its starting value, and
    Streamlit takes that for news. So what a widget was drawn with is never a choice.
    """

    def changed() -> None:
        shown = st.session_state[key]
        if shown != value:
            choose(shown)

    return changed
