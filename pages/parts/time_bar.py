"""Time on the map: the windows of a stop are sent once, and the bar plays them in the browser."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import streamlit as st

from dpcore.measures.plan import Plan
from dpcore.views.window_message import window_names
from pages.parts.ladder_map import joined
from pages.parts.widget_keys import key_showing, when_other

TIME: Final = "Time"
_HELP: Final = (
    "Arrivals by time of day on the map, weekdays and weekends apart. Play them, or step with the arrow keys. Colours are the "
    "same in all windows."
)
_ADDED_UP: Final = "arrivals of the whole period added up"

_mount_windows = st.components.v2.component(
    "map_windows",
    html='<div class="windows"></div>',
    js=joined("ladder_message.js", "ladder_time.js", "map_windows.js"),
)
_mount_bar = st.components.v2.component(
    "time_bar",
    html='<div class="ladder"></div>',
    css=joined("ladder_map.css", "ladder_swipe.css"),
    js=joined("ladder_message.js", "ladder_time.js", "time_bar.js"),
)


def map_windows(message: bytes, *, key: str) -> None:
    """Send the windows of a stop, packed by ``dpcore.views.window_message.pack_windows``; nothing is shown.

    Every map with the link of the message shows the window that the bar of this link is at.
    """
    _mount_windows(key=key, data=message)


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


def time_bar(link: str, plan: Plan, window: int, *, order: int, stopped: Callable[[int], None]) -> None:
    """Draw the bar.

    Args:
        link: the maps that follow it. While it is on the page, they show a window in place of the whole period.
        plan: the plan whose windows it plays.
        window: the one at the first look, and again when ``order`` is another one.
        order: rises with every window that Python chose while the bar is there.
        stopped: called with the window where it was stopped or let go.

    """
    names, moved = window_names(plan), st.session_state.setdefault("window moved", [])
    seen = _mount_bar(
        key=f"time {link}",
        data={"link": link, "names": [*names], "of": _ADDED_UP, "start": window, "order": order},
        default={"window": None},
        on_window_change=lambda: moved.append(1),
    )
    if moved:
        moved.clear()
        if seen.window is not None and 0 <= seen.window < len(names):
            stopped(seen.window)
