"""The map of visits, and what was clicked or chosen on it."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dpcore.comparison.findings import findings
from dpcore.errors import InternalError
from dpcore.estimates import Estimates
from dpcore.measures.measurement import Measurement
from dpcore.measures.sums import sum_named
from dpcore.privacy import decimal_text
from dpcore.release import Release
from dpcore.release.estimates import are_computed
from dpcore.release.sums import sums_on_tiles
from dpcore.views.ground.plain import plain, sentence
from dpcore.views.ground.shown import estimated_numbers as estimated_of
from dpcore.views.ground.shown import released_numbers as drawn_of
from dpcore.views.numbers import estimated, tile_facts
from dpcore.views.numbers.area_facts import visit_words
from dpcore.views.numbers.findings import FINDINGS, HOW_SURE, said_of
from dpcore.views.numbers.ranking import counted_trips
from dpcore.views.numbers.sentences import Card
from dpcore.views.numbers.told_tiles import RELEASED_SUMS, sum_on_map
from pages.parts.chart import show_chart
from pages.parts.ladder_map import merging
from pages.parts.time_and_sides import bar_and_words, controls
from pages.released.parts import time_and_sides as sides
from pages.released.parts import words
from pages.released.parts.change_view import since_button, since_earlier
from pages.released.parts.measures_view import draw_sum
from pages.released.parts.numbers_shown import at_stop, send_tiles, shown_here
from pages.released.parts.pictures import pictures
from pages.released.parts.selected_view import (
    area_sentence,
    choose_places,
    draw_area,
    draw_selected,
    map_of_choice,
    send_selected,
)
from pages.released.parts.viewing import Viewing

KEYS = (
    ".key{display:inline-block;margin-right:1em;white-space:nowrap}"
    ".key i{display:inline-block;width:1em;height:1em;margin-right:.3em;vertical-align:-.1em}"
)
"""The squares of a legend."""


def draw_map(mine: Viewing, release: Release) -> None:
    """The whole view."""
    visits, told = release.measurements.get("visits_per_tile"), sums_on_tiles(release)
    if told and not mine.at.present:
        _choose_colours(mine, release, visits is not None)
    if coloured := sum_on_map(release, mine.at.colours):
        _told_map(mine, release, coloured)
    elif visits is None:
        st.info(words.NO_VISITS, icon=":material/info:")
    else:
        _visits_map(mine, release, visits)


def _visits_map(mine: Viewing, release: Release, visits: Measurement) -> None:
    on_map = partial(sides.on_map, mine, release)
    if mine.at.present:
        sure = st.empty()
        bar_and_words(on_map)
        _map(mine, release, 620)
        found = send_tiles(mine, release, sure)
        sides.send(mine, release, on_map())
        _sentence(mine, release, found)
        send_selected(mine, release)
        return
    left, right = st.columns([5, 2], gap="medium")
    with left:
        row, on_top, below = (
            st.container(horizontal=True, vertical_alignment="bottom"),
            st.container(),
            st.container(),
        )
        with below:
            bar_and_words(on_map)
        with row:  # after the bar of time, which may have been let go at another window
            controls(on_map())
            if (since := since_earlier(mine, release)) is not None:  # another month of the same tiles
                since_button(since)
        with on_top:
            _map(mine, release, 440)
        with st.container():
            if not mine.at.released and mine.at.window is None:
                merging(mine.at.merged, lambda percent: mine.go(merged=percent))
        estimates = send_tiles(mine, release, st.empty())
        sides.send(mine, release, on_map())
    with right:
        choose_places(mine, release)
        if not mine.at.chosen.places:
            _findings(release)
            st.caption(_about(mine, release))
            for card in _cards(mine, release, estimates):
                with st.container(border=True, gap=None):
                    st.metric(card.label, card.value, help=card.help)
                    if card.note:
                        st.caption(card.note)
        elif mine.at.chosen.tile is not None:
            _tile(mine, release, visits, mine.at.chosen.tile, estimates)
        else:
            draw_area(mine, release)
    with left:
        draw_selected(mine, release)
    if st.toggle("Show the numbers as a table", key="visits as table"):
        found, measure, cells, counts = sides.table(mine, release, estimates)
        st.caption(f"{at_stop(mine, release)}: {counts}")
        drawn = "the released counts with the ranges of their noise"
        guess = f"Estimated {counts} of every tile with their likely ranges, and "
        st.dataframe(
            estimated.visits_table(release, found, measure, cells),
            hide_index=True,
            height=420,
            alt=f"{guess}{drawn}" if are_computed(found) else sentence(drawn),
        )


def _choose_colours(mine: Viewing, release: Release, visits: bool) -> None:
    """What the tiles are coloured by."""
    names = [*([""] if visits else []), *sums_on_tiles(release)]
    st.session_state["map colours"] = mine.at.colours if mine.at.colours in names else names[0]
    st.segmented_control(
        words.COLOURS,
        names,
        format_func=lambda name: plain(release.plan.measure(name or "visits_per_tile").title),
        required=True,
        key="map colours",
        on_change=lambda: mine.go(colours=st.session_state["map colours"]),
    )


def _told_map(mine: Viewing, release: Release, name: str) -> None:
    """The tiles in the colours of a sum or a mean, with its range under the pointer; below it its table."""
    from dpcore.views.maps.deck import told_deck  # noqa: PLC0415 - imports pydeck, which no other view needs

    one = sum_named(name, release.plan.choices.sums)
    if one is None:
        raise InternalError.at("a map of a sum that was not declared")
    deck = told_deck(release.measurements[name], one, mine.at.rung, release.tessellation)
    st.html(f"<style>{KEYS}</style><p>{deck.description}</p>")
    st.pydeck_chart(deck, height=620 if mine.at.present else 440, key=f"told {name}")
    if not mine.at.present:
        st.caption(RELEASED_SUMS)
        with st.expander(words.AS_TABLE):
            draw_sum(release, name, {"": release.measurements[name]}, mine.at.rung)


def _about(mine: Viewing, release: Release) -> str:
    """Of which stop and time the numbers beside the map are, and what a visit is."""
    return f"{at_stop(mine, release)}{sides.period_words(mine)}. {visit_words(release.plan)}"


def _findings(release: Release) -> None:
    """What is sure, before all other numbers; nothing where noise hides it."""
    found = findings(release)
    if found:
        st.markdown(f"**{FINDINGS}**, at ε = {decimal_text(release.plan.epsilon)}", help=HOW_SURE)
        st.markdown("\n".join(f"- {plain(said_of(release, one))}" for one in found))


def _map(mine: Viewing, release: Release, height: int) -> None:
    map_of_choice(mine, release, pictures(release).visits or b"", "visits", height)


def _cards(mine: Viewing, release: Release, estimates: Estimates) -> tuple[Card, ...]:
    if not mine.at.released:
        return estimated.estimate_cards(release, estimates)
    return estimated.released_cards(release, estimates)


def _sentence(mine: Viewing, release: Release, estimates: Estimates) -> None:
    """In a presentation: the chosen tile's numbers, or how many tiles are known well."""
    tile = mine.at.chosen.tile
    if tile is not None:
        told = " ".join(plain(text) for text in _of_tile(mine, release, estimates, tile))
        st.markdown(f"**{plain(tile_facts.tile_label(release, tile))}**: {told}")
        return
    if mine.at.chosen.places:
        st.markdown(area_sentence(mine, release))
        return
    first = _cards(mine, release, estimates)[1 if are_computed(estimates) else 0]
    st.markdown(f"{first.label}: **{first.value}**. {plain(first.note)}")


def _of_tile(mine: Viewing, release: Release, estimates: Estimates, tile: int) -> tuple[str, ...]:
    """Estimate and released count of a tile, the one that is chosen first; the released count alone without estimates."""
    drawn = drawn_of(release.measurements["visits_per_tile"], mine.at.rung).told(tile)
    if not are_computed(estimates):
        return (f"{sentence(drawn)}.",)
    guess = estimated_of(estimates.tables["visits_per_tile"]).told(tile)
    if mine.at.released:
        return f"Released count: {drawn}.", f"{words.ESTIMATE_BESIDE}: {guess}."
    return f"{sentence(guess)}.", f"Released count: {drawn}."


def _tile(mine: Viewing, release: Release, visits: Measurement, tile: int, estimates: Estimates) -> None:
    """Its visits, its rank, its arrivals by time of day; of the released counts with dots."""
    st.markdown(f"#### {plain(tile_facts.tile_label(release, tile))}")
    st.caption(_about(mine, release))
    first, *others = _of_tile(mine, release, estimates, tile)
    st.markdown(f"**{plain(first)}**")
    for second in others:
        st.markdown(f"{plain(second)} {plain(estimated.share_text(estimates))}")
    if not mine.at.released:
        st.markdown(estimated.rank_words(release, estimates, tile))
        _windows(mine, release, tile)
        return
    facts = tile_facts.tile_facts(release, mine.at.rung, tile)
    grey = " Drowned by noise: noise alone could have made this number." if facts.drowned else ""
    if facts.few is not None:
        grey = f" Few or none: its range ends below {facts.few:,}, which is little on this map."
    if grey:
        st.markdown(grey)
    value = int(visits.values[mine.at.rung][tile])
    _dots(visits, mine.at.rung, tile, value)
    st.markdown(facts.rank)
    if value < 0:
        st.caption(tile_facts.negative(value))
    _windows(mine, release, tile)


def _windows(mine: Viewing, release: Release, tile: int) -> None:
    """The arrivals of a tile by time of day: estimates or released counts, as the switch says."""
    name = "visits_per_time_tile"
    if name not in release.measurements:
        return
    st.markdown("**Arrivals by time of day**")
    for chart in tile_facts.window_charts(shown_here(mine, release, name), tile):
        st.caption(chart.alt)
        show_chart(chart)


def _dots(visits: Measurement, rung: int, tile: int, value: int) -> None:
    rho = visits.rho(rung)
    near = tile_facts.near_line(value, visits.half_widths[rung])
    line = st.number_input("Is it over", 0, 10**12, near, key=f"line {tile}", help=words.DOTS)
    show_chart(tile_facts.dotplot(value, rho, int(line), visits.counts))
    about = f"Of {counted_trips(visits.bound)}."
    st.caption(f"{tile_facts.answer(value, rho, int(line), visits.counts)} {about}")
