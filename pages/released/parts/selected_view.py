"""What is chosen on the maps of a release: lists to choose in, an area with its sum, flows in and out, and a pair both ways."""

from __future__ import annotations

from typing import Final

import streamlit as st

from dpcore.measures.keys import Districts
from dpcore.privacy import decimal_text
from dpcore.release import Release
from dpcore.views.ground.plain import names_told, plain, sentence
from dpcore.views.ground.selection import selection_label
from dpcore.views.numbers import area_facts, selected_flows
from dpcore.views.numbers.area import ARRIVALS, VISITS, Numbers, numbers_of
from dpcore.views.numbers.selected_flows import SelectedFlows
from pages.parts.chart import show_chart
from pages.parts.held import chosen_ear, level_ear
from pages.parts.ladder_map import ladder_map
from pages.parts.map_data import map_data
from pages.parts.selected import list_places, list_selected
from pages.released.parts import words
from pages.released.parts.numbers_shown import at_stop, estimates_here
from pages.released.parts.pictures import pictures
from pages.released.parts.viewing import Viewing, viewing

STAGE: Final = "stage"
"""Key of the container that is as large as the screen in a presentation."""


def _districts(release: Release) -> Districts | None:
    return pictures(release).districts


def _numbers(mine: Viewing, release: Release, *wanted: str) -> Numbers:
    """The numbers of some tables at the stop that is looked at."""
    found = estimates_here(mine, release, wanted)
    return numbers_of(release, found, released=mine.at.released)


def _of_visits(mine: Viewing, release: Release) -> Numbers:
    """What tells the visits of an area. Flows between many tiles take longer, and nobody waits for them here."""
    return _numbers(mine, release, *({VISITS, ARRIVALS} & {*release.measurements}))


def _of_flows(mine: Viewing, release: Release) -> Numbers:
    """What tells the flows of what is chosen."""
    return _numbers(mine, release, selected_flows.flow_measure(mine.at.chosen, release.measurements))


def map_of_choice(mine: Viewing, release: Release, packed: bytes, what: str, height: int) -> None:
    """A map of the release on which places are chosen; ``what``: its name on the page."""
    found = pictures(release)
    room = len(release.tessellation.tile_ids), 0 if found.districts is None else len(found.districts.names)
    ears = [chosen_ear(found.link, room, lambda: mine.at.chosen, mine.clicked, mine.order)]
    ears += [level_ear(found.link)] if what == "flows" else []
    with st.container(key=STAGE if mine.at.present else None):
        ladder_map(
            packed,
            key=f"{what} {found.link}",
            tiles=found.geometry.packed,
            context=found.context,
            height=height,
            ears=ears,
        )


def choose_places(mine: Viewing, release: Release) -> None:
    """The keyboard's way to tiles and districts; the map follows."""
    list_places(
        mine.at.chosen, release.tessellation, _districts(release), lambda chosen: viewing().choose(chosen)
    )
    if not mine.at.chosen.places and (told := names_told(release.tessellation, _districts(release))):
        st.caption(plain(told))


def draw_area(mine: Viewing, release: Release) -> None:
    """The sum of an area with its range, what it counts, its rank and its arrivals by time of day."""
    chosen, districts = mine.at.chosen, _districts(release)
    numbers = _of_visits(mine, release)
    facts = area_facts.area_facts(chosen, numbers, districts)
    st.markdown(f"#### {plain(selection_label(chosen, release.tessellation, districts))}")
    st.caption(at_stop(mine, release))
    if facts is None:
        return
    first, second = (facts.drawn, facts.estimate) if mine.at.released else (facts.estimate, facts.drawn)
    st.markdown(f"**{plain(sentence(first))}**")
    for more in (second, facts.rank):
        if more:
            st.markdown(plain(sentence(more)))
    st.caption(plain(facts.counted))
    charts = area_facts.area_windows(chosen, numbers, districts)
    if charts:
        st.markdown("**Arrivals by time of day**")
    for chart in charts:
        st.caption(chart.alt)
        show_chart(chart)


def area_sentence(mine: Viewing, release: Release) -> str:
    """The sum of an area for a presentation, as Markdown."""
    chosen, districts = mine.at.chosen, _districts(release)
    facts = area_facts.area_facts(chosen, _of_visits(mine, release), districts)
    name = plain(selection_label(chosen, release.tessellation, districts))
    if facts is None:
        return f"**{name}**"
    return f"**{name}**: {plain(facts.drawn if mine.at.released else facts.estimate)}"


def send_selected(mine: Viewing, release: Release) -> tuple[SelectedFlows, SelectedFlows] | None:
    """Give the maps the flows of what is chosen; None where nothing is chosen or nothing tells them."""
    chosen, link = mine.at.chosen, pictures(release).link
    if not chosen.places:
        return None
    numbers, districts = _of_flows(mine, release), _districts(release)
    found = selected_flows.selected_flows(chosen, numbers, districts)
    epsilon = decimal_text(release.plan.rungs[mine.at.rung])
    map_data("selected", link, {**selected_flows.sent_flows(chosen, found, numbers), "epsilon": epsilon})
    return found


def draw_selected(mine: Viewing, release: Release, *, wide: bool = True) -> None:
    """Send the flows of what is chosen to the map and list them: a pair both ways, then to and from every other place.

    ``wide``: whether there is room for both directions side by side.
    """
    found = send_selected(mine, release)
    chosen, districts = mine.at.chosen, _districts(release)
    if not chosen.places:
        return
    if found is None:
        st.caption(words.NO_SELECTED_FLOWS)
        return
    list_selected(chosen, found, _of_flows(mine, release), release.tessellation, districts, wide=wide)
