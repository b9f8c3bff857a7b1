"""The page to read: whose numbers they are, what they say in three findings, and what they mean for somebody who is in them."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import streamlit as st

from dpcore.noise.expected_estimates import TOTAL
from dpcore.release import Release
from dpcore.release.estimates import are_computed
from dpcore.views.charts import series
from dpcore.views.ground.plain import interval, names_told, number, plain
from dpcore.views.ground.selection import districts_shown
from dpcore.views.ground.shown import shown as shown_of
from dpcore.views.maps.address import Address, first_view
from dpcore.views.maps.drawn_map import DrawnMap
from dpcore.views.maps.still import still_map
from dpcore.views.numbers.estimated import about_released, share_text
from dpcore.views.numbers.guarantee import promise_of, whose_numbers, you_in_this_data
from dpcore.views.pictures import Slide, can_be_drawn
from pages.parts.chart import is_dark, show_chart
from pages.released.parts.numbers_shown import estimates_here
from pages.released.parts.slide_view import slide_at
from pages.released.parts.viewing import Viewing

FINDINGS: Final = ("map", "flows", "rhythm")
"""The views of which each tells one."""
HOURS: Final = "trips_per_hour"
YOU: Final = "You in this data"
EXPLORE: Final = "Explore the map"
NUMBERS: Final = "See all numbers"
_LETTERS: Final = 28  # of a map that is a third as wide as a page


def draw_reading(mine: Viewing, release: Release) -> None:
    """The whole view, of the finest stop."""
    finest = len(release.plan.rungs) - 1
    st.markdown("  \n".join((plain(whose_numbers(release)), *_trips(release))))
    looked = [Address(view, finest, released=mine.at.released) for view in FINDINGS]
    told = [
        one
        for one in looked
        if can_be_drawn(release, one) and (one.view != "rhythm" or HOURS in release.measurements)
    ]
    for at, place in zip(told, st.columns(len(told), gap="large") if told else (), strict=True):
        with place:
            _finding(mine, release, at)
    found = estimates_here(mine, release, (), finest)
    st.caption(plain(about_released(release, found) if mine.at.released else share_text(found)))
    if names := names_told(release.tessellation, districts_shown(release.plan, release.tessellation)):
        st.caption(plain(names))
    with st.container(border=True):
        said = you_in_this_data(promise_of(release), estimated=are_computed(found))
        st.markdown("  \n".join((f"**{YOU}**", *map(plain, said))))
    view = first_view(release)
    label, icon = (EXPLORE, ":material/map:") if view == "map" else (NUMBERS, ":material/arrow_forward:")
    st.button(label, type="primary", icon=icon, on_click=mine.go, kwargs={"view": view})


def _trips(release: Release) -> tuple[str, ...]:
    """How many trips there are, with the range of the noise, where a table tells it."""
    total = release.measurements.get(TOTAL)
    if total is None:
        return ()
    said = interval(int(total.values[-1].sum()), total.half_widths[-1])
    cap = number(total.sensitivity)
    return (plain(f"Trips of all people, of each at most {cap}: {said}, 95 % of the noise."),)


def _finding(mine: Viewing, release: Release, at: Address) -> None:
    """What is said of a view, and its picture."""
    shown = slide_at(release, at)
    st.markdown(f"**{plain(shown.sentence or _title(shown))}**")
    if isinstance(shown.drawn, DrawnMap):
        drawn = replace(shown.drawn, names=())  # the list that they number stands in the views
        st.image(
            still_map(drawn, shown.alt, dark=is_dark(), letters=_LETTERS), alt=shown.alt, width="stretch"
        )
    else:
        guess = None if at.released else estimates_here(mine, release, (HOURS,), at.rung)
        numbers = shown_of(release.measurements, HOURS, at.rung, guess)
        show_chart(series.per_hour(numbers, clipped=True, kind="start", day_type="weekday"))


def _title(shown: Slide) -> str:
    return shown.title.partition(" \N{MIDDLE DOT} ")[0]
