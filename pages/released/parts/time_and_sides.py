"""Time and comparison on the Viewer's map of visits: what its controls start with, and what they send."""

from __future__ import annotations

import streamlit as st

from dpcore.estimates import Estimates
from dpcore.release import Release
from dpcore.release.estimates import are_computed
from dpcore.views.maps.two_sides import Look, SideShown
from dpcore.views.maps.window_message import COUNTS, pack_windows, window_names
from dpcore.views.numbers.area import ARRIVALS
from dpcore.views.numbers.estimated import about_of
from pages.parts.time_and_sides import OnMap
from pages.parts.time_and_sides import send as send_sides
from pages.released.parts import words
from pages.released.parts.numbers_shown import estimates_here, send_tiles
from pages.released.parts.pictures import breaks_of_estimates, pictures
from pages.released.parts.viewing import Viewing, viewing


def on_map(mine: Viewing, release: Release) -> OnMap:
    """What the map shows. The address keeps it."""
    at, found = mine.at, estimates_here(mine, release, ())
    shown = SideShown(
        release.plan, at.rung, about_of(found), at.window, at.released, estimated=are_computed(found)
    )
    link = pictures(release).link
    return OnMap(link, shown, at.beside, at.look, mine.timed, _show_sides, viewing().time, viewing().stopped)


def _show_sides(beside: str, look: Look) -> None:
    viewing().go(beside=beside, look=look)


def send(mine: Viewing, release: Release, on: OnMap) -> None:
    """Give the map the windows of the stop and its two sides."""

    def windows(rung: int) -> bytes:
        found = estimates_here(mine, release, (ARRIVALS,), rung)
        edges = breaks_of_estimates(release, ARRIVALS)
        return pack_windows(on.link, release.plan, release.measurements[ARRIVALS], found, breaks=edges)

    send_sides(on, windows, lambda rung: _send_other(mine, release, rung))


def _send_other(mine: Viewing, release: Release, rung: int) -> None:
    send_tiles(mine, release, st.empty(), rung)


def table(mine: Viewing, release: Release, estimates: Estimates) -> tuple[Estimates, str, slice, str]:
    """What the table beside the map holds: estimates, their measure, its cells and what they count.

    The cells are those of the window that the map shows, or all of the whole period.
    """
    if mine.at.window is None:
        return estimates, "visits_per_tile", slice(None), "visits"
    found, each = estimates_here(mine, release, (ARRIVALS,)), len(release.tessellation.tile_ids) + 1
    of_window = slice(each * mine.at.window, each * (mine.at.window + 1))
    return found, ARRIVALS, of_window, f"{COUNTS} ({window_names(release.plan)[mine.at.window]})"


def period_words(mine: Viewing) -> str:
    """Of which time the numbers beside the map are, where it shows a window; empty elsewhere."""
    return "" if mine.at.window is None else words.WHOLE_PERIOD
