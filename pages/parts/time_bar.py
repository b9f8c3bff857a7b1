"""Time on the map: the windows of a stop are sent once, and the bar plays them in the browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import streamlit as st

from dpcore.measures.plan import Plan
from dpcore.views.maps.window_message import window_names
from pages.parts.held import Ear, answer, hear
from pages.parts.scripts import module, styles
from pages.parts.widget_keys import key_showing, when_other

TIME: Final = "Time"
_HELP: Final = (
    "Arrivals by time of day on the map, weekdays and weekends apart. Play them, or step with the arrow keys. Colours are the "
    "same in all windows."
)
_ADDED_UP: Final = "arrivals of the whole period added up"

_mount_bar = st.components.v2.component(
    "time_bar",
    html='<div class="ladder"></div>',
    css=styles("ladder_map.css", "ladder_swipe.css"),
    js=module("time_bar.js"),
)


def time_switch(plan: Plan, window: int | None, choose: Callable[[int | None], None]) -> None:
    """The choice whether the map shows time windows, if the plan has them.

    ``window``: the one that is shown now; ``choose``: called with the first one, or with None for the whole period.
    """
    if not window_names(plan):
        return
    on = window is not None
    key = key_showing("time chosen", on)
    st.toggle(
        TIME,
        value=on,
        key=key,
        help=_HELP,
        on_change=when_other(key, on, lambda wanted: choose(0 if wanted else None)),
    )


def time_bar(
    link: str, plan: Plan, now: Callable[[], int | None], *, order: int, stopped: Callable[[int], None]
) -> None:
    """Draw the bar.

    Args:
        link: the maps that follow it. While it is on the page, they show a window in place of the whole period.
        plan: the plan whose windows it plays.
        now: the window that the page shows.
        order: rises with every window that Python chose while the bar is there.
        stopped: called with the window where it was stopped or let go.

    """
    names, key = window_names(plan), f"time {link}"

    def take(wish: object) -> None:
        if isinstance(wish, int) and 0 <= wish < len(names):
            stopped(wish)

    ear = Ear("window", link, take, now, order)
    with st.container(gap=None):
        _mount_bar(
            key=key,
            data={"link": link, "names": [*names], "of": _ADDED_UP, "start": now() or 0},
            default={"window": None},
            on_window_change=_nothing,
        )
        hear(key, ear)
        answer(ear)


def _nothing() -> None:
    """The wish is heard after the bar was drawn."""
