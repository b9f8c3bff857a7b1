"""Tiles from nothing: a grid over a box that the owner draws or types, seen on the sheet before anything is counted.

How many tiles there are, how large they are and which of them could be read follows from public facts alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Final

import streamlit as st

from dpcore.api import owner
from dpcore.api.code import TilesLoading
from dpcore.errors import AtlasError
from dpcore.noise.forecast import Facts
from dpcore.planning.tile_size import Proposal, expected_readable, finest_readable
from dpcore.privacy import RUNGS, decimal_text
from dpcore.tiles import (
    Box,
    Tessellation,
    about_so_many_hexagons,
    hexagon_grid,
    hexagon_metres,
    number_of_squares,
    square_grid,
)
from dpcore.views.charts.charts import styled
from dpcore.views.planning import grid as views
from pages.owner.parts.data.trips_source import ChosenTrips
from pages.owner.parts.state import words
from pages.owner.parts.state.draft import START_RUNG, Look
from pages.owner.parts.state.form import between
from pages.owner.parts.state.session import ABOUT_TRIPS, ABOUT_USERS, MOST_DECLARED, loaded, session
from pages.parts.chart import is_dark
from pages.parts.messages import refusals, show_refusal

_SIDES: Final = ("west", "south", "east", "north")


@dataclass(frozen=True)
class Grid:
    """One kind of grid; a size is a width in metres, or a resolution of H3."""

    lay: Callable[[Box, int], Tessellation]
    """A function of ``dpcore.tiles``, by whose name the code that pages show calls it."""
    ask: Callable[..., int]
    """The control of the size."""
    field: str
    """Its name in the form."""
    usual: int
    range: tuple[int, int]
    """Smallest and largest size that is offered."""
    sizes: Sequence[int]
    """Sizes to propose, the smallest tiles first."""
    tiles_of: Callable[[Box, int], int]
    """How many tiles of a size there would be, about."""
    across: Callable[[int], float]
    """From one tile to the next, metres."""
    words: str
    """A size, such as ``squares of 500 m``."""


SQUARES: Final = Grid(
    lay=square_grid,
    ask=partial(st.number_input, "Width of a square, metres", step=50, help=words.WIDTH_HELP),
    field="tiles width",
    usual=500,
    range=(50, 50_000),
    sizes=views.SQUARES,
    tiles_of=number_of_squares,
    across=float,
    words="squares of {:,} m",
)
HEXAGONS: Final = Grid(
    lay=hexagon_grid,
    ask=partial(st.slider, "H3 resolution (larger numbers, smaller hexagons)", help=words.H3_HELP),
    field="tiles resolution",
    usual=8,
    range=(4, 11),
    sizes=views.RESOLUTIONS,
    tiles_of=about_so_many_hexagons,
    across=hexagon_metres,
    words="hexagons of resolution {}",
)


def laid(kind: Grid, trips: ChosenTrips | None) -> tuple[Tessellation, TilesLoading] | None:
    """The grid that the owner sees, with the call that lays it; None where it cannot be laid."""
    st.caption(words.BOX_HELP)
    box = _box()
    size_place, told = st.columns([2, 3], vertical_alignment="bottom")
    low, high = kind.range
    start = session().form.value(kind.field, int, kind.usual, between(low, high))
    with size_place:
        size = kind.ask(min_value=low, max_value=high, **start)
    grid = None
    with told, refusals():
        grid = kind.lay(box, size)
        across = kind.across(size)
        st.markdown(f"**{len(grid.tile_ids):,} tiles**, each about {across:,.0f} m across")
    _sheet(box, grid)
    if trips is not None:
        _offer_extent(trips)
    with refusals():
        _readable(kind, box, size, start["key"], len(grid.tile_ids) if grid else kind.tiles_of(box, size))
    return (grid, TilesLoading(grid=(kind.lay.__name__, size))) if grid else None


def _box() -> Box:
    """The box as typed or taken; the extent of the loaded tiles at first."""
    read_off = st.session_state.pop("box read off", None)
    if read_off is not None:
        _take(read_off)
    start, most = session().box or loaded().tessellation.bounds, (180.0, 90.0, 180.0, 90.0)
    typed = [
        field.number_input(
            side, -limit, limit, value=float(value), step=0.01, format="%.5f", key=f"box {side}"
        )
        for field, side, value, limit in zip(st.columns(4), _SIDES, start, most, strict=True)
    ]
    problem = st.session_state.pop("box refused", None)
    if problem is not None:
        show_refusal(problem)
    box = session().box = Box(*typed)
    return box


def _sheet(box: Box, grid: Tessellation | None) -> None:
    """The sheet with the grid, on which a box can be drawn."""
    sheet = views.grid_sheet(box, loaded().tessellation, grid)
    drawn = st.plotly_chart(
        styled(sheet, dark=is_dark()),
        theme=None,
        on_select="rerun",
        selection_mode="box",
        key="sheet",
        alt=sheet.alt,
        config={"scrollZoom": True},
    )
    if grid and (left_out := views.drawn_words(len(grid.tile_ids))):
        st.caption(left_out)
    if drawn.selection.box:
        (west, east), (south, north) = (sorted(drawn.selection.box[0][side]) for side in "xy")
        taken = Box(west, south, east, north)
        st.button("Take the drawn box", icon=":material/crop_free:", on_click=_take, args=(taken,))


def _take(box: Box) -> None:
    """Put a box into the four fields, before they are shown again."""
    session().box = box
    for side, value in zip(_SIDES, box, strict=True):
        st.session_state[f"box {side}"] = float(value)


def _offer_extent(trips: ChosenTrips) -> None:
    with st.expander("Use the extent of the trips"):
        st.warning(words.EXTENT_WARNING, icon=":material/visibility:")
        # No callback: Streamlit keeps what it gets for one as long as the session, and this file holds trips.
        if st.button("I understand: read it off the trips"):
            _read_extent(trips)
            st.rerun()


def _read_extent(trips: ChosenTrips) -> None:
    """Read the box off the trips; the next run shows it, or why there is none."""
    mine = session()  # the gate: before anything is looked at
    try:
        mine.looked_ahead(trips.fingerprints(), Look.EXTENT)
        st.session_state["box read off"] = owner.extent(trips.files, trips.seen, timezone="UTC")
    except AtlasError as error:
        st.session_state["box refused"] = error


def _readable(kind: Grid, box: Box, size: int, key: str, tiles: int) -> None:
    """Which tiles could be read, from declared numbers, and the smallest size of which most could."""
    with st.expander("Which size can be read?", icon=":material/straighten:"):
        st.caption(words.SIZE_HELP)
        facts, epsilon = _ask_facts(tiles)
        expected = expected_readable(facts, epsilon)
        if expected is None:
            st.caption("Still needed: about how many trips.")
            return
        at = decimal_text(epsilon)
        st.markdown(views.readable_words(expected, kind.words.format(size), at))
        found = finest_readable(kind.sizes, lambda one: kind.tiles_of(box, one), facts, epsilon)
        if found is None:
            st.info(words.NO_SIZE.format(epsilon=at), icon=":material/straighten:")
        elif found.size != size:
            _propose(kind, found, at, key)
        st.caption(views.HOPE)


def _propose(kind: Grid, found: Proposal[int], epsilon: str, key: str) -> None:
    size = kind.words.format(found.size)
    st.markdown(views.readable_words(found.expected, size, epsilon))
    st.button(f"Take {size}", icon=":material/check:", on_click=_take_size, args=(key, found.size))


def _take_size(key: str, size: int) -> None:
    st.session_state[key] = size


def _ask_facts(tiles: int) -> tuple[Facts, Fraction]:
    """What the owner declares of trips that nobody counted, and the epsilon that is wanted."""
    form, fits = session().form, between(1, MOST_DECLARED)
    trips, people, epsilon = st.columns(3, vertical_alignment="bottom")
    many = trips.number_input(
        "Trips, about",
        1,
        MOST_DECLARED,
        placeholder="not declared",
        **form.value(ABOUT_TRIPS, int | None, None, fits),
    )
    users = people.number_input(
        "People, about",
        1,
        MOST_DECLARED,
        placeholder="not declared",
        help=words.PEOPLE_HELP,
        **form.value(ABOUT_USERS, int | None, None, fits),
    )
    wanted = epsilon.selectbox(
        "Wanted ε", RUNGS, format_func=decimal_text, **form.option("tiles epsilon", RUNGS, RUNGS[START_RUNG])
    )
    return Facts(many, users, tiles), wanted
