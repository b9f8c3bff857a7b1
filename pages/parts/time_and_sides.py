"""Time and comparison on a map of visits: the controls, and what the browser is told. No move of a divider is sent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import streamlit as st

from dpcore.privacy import decimal_text
from dpcore.views.maps.two_sides import LOOKS, Look, SideShown, TwoSides
from pages.parts.map_data import map_data
from pages.parts.time_bar import time_bar, time_switch
from pages.parts.widget_keys import key_showing, when_other

COMPARE: Final = "Compare with"


@dataclass(frozen=True, repr=False, eq=False)
class OnMap:
    """What the maps of a link show beside their one picture, and who keeps the choice."""

    link: str
    shown: SideShown
    beside: str
    """What it is compared with, as ``SideShown.choices`` names it; empty for nothing."""
    look: Look
    order: int
    """Rises with every window that Python chose while the bar of time is there."""
    compare: Callable[[str, Look], None]
    """Keeps another comparison, with an empty text for none."""
    at: Callable[[int | None], None]
    """Keeps a time window, or with None the whole period."""
    stopped: Callable[[int], None]
    """Keeps the window at which the bar of time was let go."""

    @property
    def sides(self) -> TwoSides | None:
        """Both sides, or None where there is only one."""
        return self.shown.beside(self.beside)


def map_sides(link: str, sides: TwoSides | None, look: Look) -> None:
    """Tell the maps of a link which two sides they show, or with None that there is only one; nothing is shown here."""
    told: dict[str, object] = {}
    if sides is not None:
        told = {"look": sides.look(look), "left": sides.left.told, "right": sides.right.told}
    map_data("sides", link, told)


def controls(on: OnMap) -> None:
    """Whether the map shows time windows, what it is compared with, and how."""
    time_switch(on.shown.plan, on.shown.window, on.at)
    there, sides = on.shown.choices(), on.sides
    names, chosen = [*there], on.beside if on.beside in there else None
    key = key_showing("beside chosen", chosen)
    st.selectbox(
        COMPARE,
        names,
        index=None if chosen is None else names.index(chosen),
        format_func=there.__getitem__,
        placeholder=COMPARE,
        label_visibility="collapsed",
        key=key,
        on_change=when_other(key, chosen, lambda beside: on.compare(beside or "", on.look)),
        width=210,
    )
    if sides is None:
        return
    look = sides.look(on.look)
    shows = key_showing("look chosen", look)
    st.segmented_control(
        "Comparison",
        sides.looks,
        default=look,
        format_func=LOOKS.__getitem__,
        required=True,
        key=shows,
        label_visibility="collapsed",
        on_change=when_other(shows, look, lambda wanted: on.compare(on.beside, wanted)),
    )


def bar_and_words(now: Callable[[], OnMap]) -> None:
    """The bar of time while the map shows windows, and what must be read beside two sides, or why there is one.

    On a page they stand below the map: above it they would move it when they come and go.

    ``now`` says what the map shows. It is asked again after the bar, which may have been let go at another window.
    """
    bar, words, on = st.container(), st.container(), now()  # places that stay
    if on.shown.window is not None:
        with bar:
            time_bar(on.link, on.shown.plan, lambda: now().shown.window, order=on.order, stopped=on.stopped)
        on = now()
    if on.sides is not None:
        words.caption(on.sides.words(on.sides.look(on.look)))
    elif alone := on.shown.alone(on.beside):
        words.caption(alone)


def send(on: OnMap, windows: Callable[[int], bytes], tiles: Callable[[int], None]) -> None:
    """Tell the maps their two sides, and send the windows of the stop; where one side is another stop, that one's numbers too.

    Args:
        on: what the maps show.
        windows: packs the time windows of a stop; called only while the map shows windows.
        tiles: sends the visits of the other stop.

    """
    sides = on.sides
    with st.container():  # what comes and goes moves nothing that stays
        _send_windows(on, on.shown.rung, "", windows)
        if sides is not None and sides.right.epsilon is not None:
            there = [decimal_text(rung) for rung in on.shown.plan.rungs].index(sides.right.epsilon)
            tiles(there)
            _send_windows(on, there, "other", windows)
    map_sides(on.link, sides, on.look)


def _send_windows(on: OnMap, rung: int, which: str, windows: Callable[[int], bytes]) -> None:
    if on.shown.window is not None:
        map_data("windows", on.link, windows(rung), which=which)
