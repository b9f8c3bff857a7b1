"""The two tables of lesson 1 as they are shown: exact with small counts hidden, and with noise."""

from __future__ import annotations

from functools import partial
from typing import Final

import streamlit as st

from dpcore import demo
from dpcore.lessons import differencing
from dpcore.lessons.city import city
from dpcore.privacy import RUNGS, best_guess, decimal_text
from dpcore.views.lessons import differencing as views
from pages.learn.parts import classroom
from pages.learn.parts.choices import one_listed, one_of
from pages.learn.parts.percent import at_most
from pages.learn.parts.pictures import picture

TRIES: Final = 1_000
_SHOW: Final = ("First table", "One more day", "Second minus first")


def names(tile: int) -> str:
    """A tile as people call it."""
    return f"{city().tessellation.tile_names[tile]} ({city().tessellation.tile_ids[tile]})"


def day_name(day: int) -> str:
    """A day such as Tue 12 March."""
    return f"{demo.DEMO_PERIOD.days[day]:%a} {demo.DEMO_PERIOD.days[day].day} March"


def exact(tables: differencing.TwoTables) -> None:
    """The rule that hides small counts, and what subtracting makes of it."""
    (first, second), dark = tables.printed, st.context.theme.type == "dark"
    shown = one_of(st.container(), "Map", _SHOW, _SHOW[0], key="1-map")
    if shown == _SHOW[2]:
        drawn = views.difference_map(
            city().tessellation, second - first, tables.told, "Trips of that one day", dark=dark
        )
    else:
        title = f"Until {day_name(tables.day - (shown == _SHOW[0]))}"
        drawn = views.count_map(city().tessellation, first if shown == _SHOW[0] else second, title, dark=dark)
    picked, told = st.columns([3, 2])
    picked.image(drawn, width="stretch", alt=f"Map: {shown}")
    told.metric(
        "Small counts of that day that come out exactly", f"{tables.small_but_told.sum()}", border=True
    )
    told.metric("Tiles with exactly one trip", f"{len(tables.singled_out)}", border=True)
    if len(tables.singled_out):
        ones = tables.singled_out.tolist()
        tile = one_listed(told, "One trip came from", ones, ones[0], format_func=names, key="1-from")
        one = differencing.found(tables, tile)
        told.markdown(f"First table: **{first[tile]:,}**. One more day: **{second[tile]:,}**.")
        told.warning(
            f"On {day_name(tables.day)} at {one.hour} h, **{one.person}** went from {names(tile)} to {names(tables.place)}. "
            "Who knows that only this neighbour goes there knows the day now.",
            icon=":material/person_alert:",
        )


def with_noise(tables: differencing.TwoTables) -> None:
    """The same two tables with noise, and how often attackers are right about one trip."""
    epsilon = st.select_slider(
        "ε of both tables together", RUNGS, RUNGS[5], decimal_text, key="1-epsilon", bind="query-params"
    )
    both = classroom.drawn(
        "1-noisy-tables", partial(differencing.noisy, tables, RUNGS), tables.place, tables.day
    )[RUNGS.index(epsilon)]
    game = classroom.drawn("1-guesses", partial(differencing.game, RUNGS, TRIES))
    at, dark = RUNGS.index(epsilon), st.context.theme.type == "dark"
    left, right = st.columns(2)
    drawn = views.difference_map(
        city().tessellation, both[1] - both[0], tables.first >= 0, "Noisy: second minus first", dark=dark
    )
    left.image(drawn, width="stretch", alt="Map of the difference of two noisy tables")
    with right:
        picture(views.guesses(RUNGS, game.subtracting, game.informed, epsilon, TRIES), "guesses")
    one, two, three = st.columns(3)
    one.metric(f"Subtracting, right in {TRIES:,} tries", f"{100 * game.subtracting[at]:.1f} %", border=True)
    two.metric("Knowing all other trips", f"{100 * game.informed[at]:.1f} %", border=True)
    three.metric("Nobody gets above", at_most(best_guess(epsilon)), border=True)
    if st.button("New noise", icon=":material/casino:"):
        classroom.next_turn("1-noisy-tables")
        classroom.next_turn("1-guesses")
        st.rerun()
    st.caption(
        f"Each time a fair coin decides whether the trip is in the data. {TRIES:,} tries waver by about 3 points, so a mark may stand on the "
        "line. What is hidden here is whether one trip is there, not a person: lesson 3."
    )
