"""The map of visits, and the tile that was clicked or chosen."""

from __future__ import annotations

import streamlit as st

from dpcore.measures.measurement import Measurement
from dpcore.release import Release
from dpcore.views import reading, tile_facts
from dpcore.views.plain import plain
from dpcore.views.ranking import counted_trips
from dpcore.views.sentences import release_cards
from pages.parts.chart import show_chart
from pages.parts.ladder_map import ladder_map
from pages.released.parts import words
from pages.released.parts.pictures import pictures
from pages.released.parts.viewing import Viewing, viewing


def draw_map(mine: Viewing, release: Release) -> None:
    """The whole view."""
    visits = release.measurements.get("visits_per_tile")
    if visits is None:
        st.info(words.NO_VISITS, icon=":material/info:")
        return
    if mine.at.present:
        _map(mine, release, 620)
        _sentence(mine, release)
        return
    left, right = st.columns([5, 2], gap="medium")
    with left:
        _map(mine, release, 440)
    with right:
        _choice(release)
        if mine.at.tile is None:
            for card in release_cards(release, mine.at.rung):
                with st.container(border=True, gap=None):
                    st.metric(card.label, card.value, help=card.help)
                    st.caption(card.note)
        else:
            _tile(mine, release, visits, mine.at.tile)
    if st.toggle("Show the numbers as a table", key="visits as table"):
        st.dataframe(
            reading.visits_table(release, mine.at.rung),
            hide_index=True,
            height=420,
            alt="Noisy visits of every tile with their 95 % intervals",
        )


def _map(mine: Viewing, release: Release, height: int) -> None:
    told = st.session_state.setdefault("tile told", [])
    found = pictures(release)
    seen = ladder_map(
        found.visits or b"",
        key=f"visits {found.link}",
        tiles=found.geometry.packed,
        height=height,
        on_tile_change=lambda: told.append(1),
    )
    if told:
        told.clear()
        if seen.tile is None or seen.tile < len(release.tessellation.tile_ids):
            mine.clicked(seen.tile)


def _sentence(mine: Viewing, release: Release) -> None:
    """In a presentation: the chosen tile's number, or how many tiles can be read."""
    if mine.at.tile is not None:
        facts = tile_facts.tile_facts(release, mine.at.rung, mine.at.tile)
        st.markdown(f"**{plain(tile_facts.tile_label(release, mine.at.tile))}**: {facts.visits} visits")
        return
    first = release_cards(release, mine.at.rung)[0]
    st.markdown(f"**{first.value}** tiles can be read. {first.note}")


def _choice(release: Release) -> None:
    """The keyboard's way to a tile; the map follows."""
    mine = viewing()
    st.session_state["tile chosen"] = mine.at.tile
    st.selectbox(
        words.CLICK,
        range(len(release.tessellation.tile_ids)),
        index=None,
        format_func=lambda tile: tile_facts.tile_label(release, tile),
        placeholder="No tile",
        key="tile chosen",
        on_change=_chosen,
    )


def _chosen() -> None:
    viewing().choose(st.session_state["tile chosen"])


def _tile(mine: Viewing, release: Release, visits: Measurement, tile: int) -> None:
    """Its visits with dots, its rank, its arrivals by time of day, its strongest flows."""
    facts = tile_facts.tile_facts(release, mine.at.rung, tile)
    st.markdown(f"#### {plain(tile_facts.tile_label(release, tile))}")
    grey = " Drowned by noise: noise alone could have made this number." if facts.drowned else ""
    if facts.few is not None:
        grey = f" Few or none: its range ends below {facts.few:,}, which is little on this map."
    st.markdown(f"{facts.visits} visits.{grey}")
    value = int(visits.values[mine.at.rung][tile])
    _dots(visits, mine.at.rung, tile, value)
    st.markdown(facts.rank)
    if value < 0:
        st.caption(tile_facts.negative(value))
    _windows(release, mine.at.rung, tile)
    for title, flows in facts.flows:
        if flows:
            st.markdown(f"**{title}**  \n" + "  \n".join(flows))
    if facts.flows and not any(flows for _, flows in facts.flows):
        st.caption("No flow of this tile stands out of the noise.")


def _windows(release: Release, rung: int, tile: int) -> None:
    arrivals = release.measurements.get("visits_per_time_tile")
    if arrivals is None:
        return
    st.markdown("**Arrivals by time of day**")
    for chart in tile_facts.window_charts(arrivals, rung, tile):
        st.caption(chart.alt)
        show_chart(chart)


def _dots(visits: Measurement, rung: int, tile: int, value: int) -> None:
    rho = visits.rho(rung)
    near = tile_facts.near_line(value, visits.half_widths[rung])
    line = st.number_input("Is it over", 0, 10**12, near, key=f"line {tile}", help=words.DOTS)
    show_chart(tile_facts.dotplot(value, rho, int(line), visits.counts))
    about = f"Of {counted_trips(visits.bound)}."
    st.caption(f"{tile_facts.answer(value, rho, int(line), visits.counts)} {about}")
