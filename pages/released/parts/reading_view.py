"""The page to read: how many trips there are, what they say in three findings, and what they mean for somebody who is in them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

import streamlit as st

from dpcore.comparison.findings import findings
from dpcore.estimates.words import LIKELY
from dpcore.release import Release
from dpcore.release.estimates import are_computed
from dpcore.views.charts import series
from dpcore.views.charts.charts import small
from dpcore.views.comparison.changes import beside
from dpcore.views.ground.part_choice import MOST_BESIDE
from dpcore.views.ground.plain import days_words, interval, names_told, plain
from dpcore.views.ground.selection import districts_shown
from dpcore.views.ground.shown import shown as shown_of
from dpcore.views.maps.address import Address, first_view
from dpcore.views.maps.drawn_map import DrawnMap, Key
from dpcore.views.maps.still import still_map
from dpcore.views.numbers.estimated import about_released, share_text
from dpcore.views.numbers.findings import FINDINGS, HOW_SURE, said_of
from dpcore.views.numbers.guarantee import (
    HOW_TO_READ,
    HOW_TO_READ_AN_ESTIMATE,
    can_you_be_found,
    epsilon_words,
    promise_of,
    trips_in_all,
    trips_unit,
    whose_numbers,
    you_in_this_data,
)
from dpcore.views.numbers.part_totals import (
    PartTotals,
    largest_difference,
    part_totals,
    total_words,
    totals_chart,
)
from dpcore.views.numbers.told_tiles import sums_in_all
from dpcore.views.pictures import can_be_drawn
from dpcore.views.pictures.sentences import MAY_HIDE
from dpcore.views.tables.rhythm import busiest_time
from pages.parts import when_open
from pages.parts.chart import is_dark, show_chart
from pages.released.parts import words
from pages.released.parts.change_view import Since, since_button, since_earlier
from pages.released.parts.numbers_shown import estimates_here
from pages.released.parts.slide_view import slide_at
from pages.released.parts.viewing import Viewing

VIEWS: Final = ("map", "flows", "rhythm")
"""The views of which each tells one finding."""
HOURS: Final = "trips_per_hour"
YOU: Final = "You in this data"
EXPLORE: Final = "Explore the map"
NUMBERS: Final = "See all numbers"
SURE: Final = "How sure is this"
_LETTERS: Final = 28  # of a map that is a third as wide as a page
_HIGH: Final = 250  # pixels of a chart
_BESIDE: Final = 3
_NUMBER: Final = re.compile(r"(under )?[\N{MINUS SIGN}-]?\d")  # how the words of a colour of the scale begin
_PARTS, _TOLD = 2, 4  # that have a map of their own, and a line


def draw_reading(mine: Viewing, release: Release) -> None:
    """The whole view, of the finest stop."""
    since, parts = since_earlier(mine, release), part_totals(release) if release.plan.choices.splits else None
    st.markdown("  \n".join(map(plain, (_trips(release, parts), *_growth(since)))))
    told = _findings_of(mine, release, parts)
    for draw, place in zip(told, st.columns(_BESIDE, gap="large") if told else (), strict=False):
        with place:
            draw()
    for said in sums_in_all(release):
        st.markdown(f"**{plain(said)}**")
    promise = promise_of(release)
    draw_you(can_you_be_found(promise))
    view = first_view(release)
    label, icon = (EXPLORE, ":material/map:") if view == "map" else (NUMBERS, ":material/arrow_forward:")
    with st.container(horizontal=True):
        st.button(label, type="primary", icon=icon, on_click=mine.go, kwargs={"view": view})
        if since is not None:
            since_button(since)
    found = estimates_here(mine, release, (), len(release.plan.rungs) - 1)
    st.caption(plain(about_released(release, found) if mine.at.released else share_text(found)))
    if names := names_told(release.tessellation, districts_shown(release.plan, release.tessellation)):
        st.caption(plain(names))
    st.markdown(f"{words.EPSILON_LINK} {plain(epsilon_words(promise))}")
    when_open.expander(
        SURE, partial(_how_sure, mine, release, since, estimated=are_computed(found)), key="how sure"
    )


def draw_you(said: Sequence[str]) -> None:
    """The box that says whether a reader can be found."""
    with st.container(border=True):
        st.markdown("  \n".join((f"**{YOU}**", *map(plain, said))))


def _trips(release: Release, parts: PartTotals | None) -> str:
    """How many trips there are, with the range of the noise where a table tells it, whom that hides, and of which days."""
    period = release.plan.choices.period
    days = "" if period is None else days_words(period.first, period.last)
    if days in release.title:
        days = ""
    total, unit = (parts.all, parts.unit) if parts else (None, "")
    if not release.plan.choices.splits:
        total, unit = trips_in_all(release), trips_unit(release)
    many = "" if total is None else interval(*total, unit, least=0).capitalize()
    if not many:
        return f"{days}." if days else whose_numbers(release)
    hidden = "single trips" if promise_of(release).by_trip else "people"
    return f"{', '.join(filter(None, (many, days)))}. Noise hides {hidden}."


def _growth(since: Since | None) -> tuple[str, ...]:
    return (since.words,) if since is not None and since.words else ()


def _findings_of(mine: Viewing, release: Release, parts: PartTotals | None) -> list[Callable[[], None]]:
    """What draws each finding; of tables that are split the trips of all parts, then the maps of the largest."""
    finest = len(release.plan.rungs) - 1
    if parts is None:
        looked = [Address(view, finest, released=mine.at.released) for view in VIEWS]
        return [
            partial(_finding, mine, release, at)
            for at in looked
            if can_be_drawn(release, at) and (at.view != "rhythm" or HOURS in release.measurements)
        ]
    maps = [
        Address("map", finest, released=mine.at.released, part=tuple(part.items()))
        for part in parts.parts[:_PARTS]
    ]
    drawn = [at for at in maps if can_be_drawn(release, at)]
    return [
        partial(_totals, parts),
        *(partial(_map, release, at, ", ".join(label for _, label in at.part)) for at in drawn),
    ]


def _finding(mine: Viewing, release: Release, at: Address) -> None:
    """What is said of a view, and its picture."""
    if at.view == "rhythm":
        st.markdown(f"**{plain(_briefly(busiest_time(release, findings(release), at)))}**")
        guess = None if at.released else estimates_here(mine, release, (HOURS,), at.rung)
        numbers = shown_of(release.measurements, HOURS, at.rung, guess)
        chart = series.per_hour(numbers, clipped=True, kind="start", day_type="weekday")
        show_chart(small(chart, _HIGH))
        return
    _map(release, at, _briefly(slide_at(release, at).sentence))


def _briefly(said: str) -> str:
    """A finding without what stands once below: that noise may hide a busier one, and what ranges are."""
    return said.removesuffix(f" {MAY_HIDE}").replace(f"({LIKELY} ", "(")


def _map(release: Release, at: Address, said: str) -> None:
    """A map with what is said of it, and the strip of its colours."""
    shown = slide_at(release, at)
    st.markdown(f"**{plain(said or shown.title.partition(' · ')[0])}**")
    if isinstance(shown.drawn, DrawnMap):
        # The list that its names number stands in the views, and so do the words of each colour.
        drawn = replace(shown.drawn, names=(), key=_strip(shown.drawn.key))
        svg = still_map(drawn, shown.alt, dark=is_dark(), letters=_LETTERS)
        st.image(svg, alt=shown.alt, width="stretch")


def _strip(key: Key | None) -> Key | None:
    """A key as a strip of its scale with both ends, from few to many."""
    scale = [] if key is None else [one for one in reversed(key.colours) if _NUMBER.match(one[1])]
    if key is None or len(scale) < 2:
        return key
    unit = key.unit.partition(",")[0].removesuffix(" per tile")  # whose trips these are stands below
    return Key(unit, tuple(scale), ("",) * (len(scale) - 1), (scale[0][1], scale[-1][1]))


def _totals(parts: PartTotals) -> None:
    """The trips of each part, and which two differ most."""
    st.markdown(f"**{plain(largest_difference(parts))}**")
    show_chart(totals_chart(parts))
    if len(parts.parts) > MOST_BESIDE:
        st.caption(words.FEWER_BESIDE.format(most=MOST_BESIDE))
    st.markdown(
        "  \n".join(plain(f"{name}: {total_words(parts, at)}") for at, name in enumerate(parts.names[:_TOLD]))
    )


def _how_sure(mine: Viewing, release: Release, since: Since | None, *, estimated: bool) -> None:
    """Whose numbers these are, what is sure of them, what ranges and greys mean, and how anybody is hidden."""
    if said := findings(release):
        st.markdown(f"**{FINDINGS}**")
        st.markdown("\n".join(f"- {plain(said_of(release, one))}" for one in said))
        st.markdown(HOW_SURE)
    promise = promise_of(release)
    hidden = you_in_this_data(promise, estimated=estimated)[len(can_you_be_found(promise)) :]
    texts = (
        whose_numbers(release),
        HOW_TO_READ if mine.at.released else HOW_TO_READ_AN_ESTIMATE,
        words.GREY,
        words.LINES_OF_FLOWS,
        words.BY_NUMBER,
        *hidden,
        *(() if since is None else beside(since.found, since.earlier, release)),
    )
    for text in texts:
        st.markdown(plain(text))
