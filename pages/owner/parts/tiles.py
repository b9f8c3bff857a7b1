"""The tiles step of the Data page: a file, or a grid over a box that the owner draws or types."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import streamlit as st

from dpcore.api import owner
from dpcore.api.code import TilesLoading
from dpcore.errors import AtlasError, InputError, TessellationError
from dpcore.places import TILES_ENDINGS, listed, opened
from dpcore.tiles import (
    STATION_RADIUS_M,
    Box,
    Tessellation,
    hexagon_grid,
    own_districts,
    square_grid,
)
from dpcore.views.charts import styled
from dpcore.views.plain import plain
from dpcore.views.tile_map import box_sheet
from pages.owner.parts import words
from pages.owner.parts.session import loaded, session
from pages.owner.parts.trips_source import ChosenTrips, SparkSource
from pages.parts.chart import is_dark
from pages.parts.messages import refusals, refused

_KINDS = ("Upload", "Data folder", "Square grid", "Hexagons (H3)")


@dataclass(frozen=True)
class ChosenTiles:
    """Tiles, and how they were made."""

    tessellation: Tessellation
    loading: TilesLoading


def chosen(trips: ChosenTrips | SparkSource | None) -> ChosenTiles | None:
    """The tiles that the owner chose, or None."""
    kind = st.segmented_control(
        "Tiles from", _KINDS, default=_KINDS[0], help=words.TILES_HELP, key="tiles place", required=True
    )
    with refusals():
        if kind == "Upload":
            upload = st.file_uploader(
                "Tiles file: GeoJSON, GeoPackage or a table of stations (CSV)",
                type=["geojson", "json", "gpkg", "csv"],
            )
            return _from_file(upload.getvalue(), upload.name) if upload else None
        if kind == "Data folder":
            name = st.selectbox("Tiles file", listed(TILES_ENDINGS), index=None, placeholder="Choose a file")
            return _from_file(opened(name), name) if name else None
        box = _box(trips)
        if kind == "Square grid":
            metres = st.number_input("Width of a square, metres", 50, 50_000, 500, step=50)
            grid = square_grid(box, float(metres))
            return ChosenTiles(grid, TilesLoading(grid=("square_grid", metres)))
        resolution = st.slider("H3 resolution (larger numbers, smaller hexagons)", 4, 11, 8)
        grid = hexagon_grid(box, resolution)
        return ChosenTiles(grid, TilesLoading(grid=("hexagon_grid", resolution)))
    return None


def _from_file(source: Path | bytes, name: str) -> ChosenTiles | None:
    """A tessellation from a file; asks what names a tile, whether repeated ids are one tile, how far stations reach."""
    properties = owner.describe_properties(source, name)
    usable = [p.column for p in properties if p.possible_id]
    proposed = next((p.column for p in properties if p.proposed), None)
    left, right = st.columns(2, vertical_alignment="bottom")
    column = left.selectbox(
        "Property that names a tile",
        usable,
        index=usable.index(proposed) if proposed in usable else None,
        help=words.TILE_ID_HELP,
    )
    if not usable:
        return ChosenTiles(owner.read_tessellation(source, name), TilesLoading())  # refuses, and says why
    if column is None:
        return None
    if proposed in usable and column != proposed:
        st.warning(words.OTHER_ID.format(plain(column), plain(proposed)), icon=":material/wrong_location:")
    repeats = next(p.repeats for p in properties if p.column == column)
    merge = right.checkbox("Tiles with the same id are one tile", help=words.MERGE_HELP) if repeats else False
    radius = STATION_RADIUS_M
    if name.lower().endswith(".csv"):
        radius = st.number_input(
            "Reach of a station, metres", 10, 50_000, 500, step=50, help=words.REACH_HELP
        )
    found = owner.read_tessellation(
        source, name, tile_id=column, merge_ids=merge, station_radius=float(radius)
    )
    with_districts = _fit_districts(found)
    if with_districts is None:
        return None
    found = with_districts
    options = {
        "tile_id": None if column == proposed else column,
        "merge_ids": merge or None,
        "station_radius": None if radius == STATION_RADIUS_M else radius,
    }
    return ChosenTiles(found, TilesLoading(options))


def _fit_districts(found: Tessellation) -> Tessellation | None:
    """The tiles with districts that can be used, those of the file or none; None until the owner decides.

    A property ``district`` that is missing for some tiles, or gives one district, is refused, and says what to do.
    """
    try:
        districts = own_districts(found)
    except TessellationError as error:
        said = st.container()
        if st.checkbox("Lay districts by halving the map instead", help=words.HALVE_HELP):
            return replace(found, districts=())
        with said:
            refused(error)
        return None
    if districts is not None:
        st.caption(f"{len(districts.names):,} districts, from the property district of the file.")
    return found


def _box(trips: ChosenTrips | SparkSource | None) -> Box:
    """A box that the owner types or draws; the trips' own extent only on request, and said."""
    if trips and not trips.has_points:
        raise InputError("a grid needs coordinates", trips.name, words.ZONES_NOTE)
    st.caption(words.BOX_HELP)
    now = loaded().tessellation
    read_off = st.session_state.pop("box read off", None)
    if read_off is not None:
        _take(read_off)
    sides = ("west", "south", "east", "north")
    start, limits = session().box or now.bounds, (180.0, 90.0, 180.0, 90.0)
    typed = [
        field.number_input(
            side, -limit, limit, value=float(value), step=0.01, format="%.5f", key=f"box {side}"
        )
        for field, side, value, limit in zip(st.columns(4), sides, start, limits, strict=True)
    ]
    problem = st.session_state.pop("box refused", None)
    if problem is not None:
        refused(problem)
    box = session().box = Box(*typed)
    sheet = box_sheet(box, now)
    drawn = st.plotly_chart(
        styled(sheet, dark=is_dark()),
        theme=None,
        on_select="rerun",
        selection_mode="box",
        key="sheet",
        alt=sheet.alt,
        config={"scrollZoom": True},
    )
    if drawn.selection.box:
        (west, east), (south, north) = (sorted(drawn.selection.box[0][side]) for side in "xy")
        taken = Box(west, south, east, north)
        st.button("Take the drawn box", icon=":material/crop_free:", on_click=_take, args=(taken,))
    if isinstance(trips, ChosenTrips):
        with st.expander("Use the extent of the trips"):
            st.warning(words.EXTENT_WARNING, icon=":material/visibility:")
            # No callback: Streamlit keeps what it gets for one as long as the session, and this file holds trips.
            if st.button("I understand: read it off the trips"):
                _read_extent(trips)
                st.rerun()
    return box


def _take(box: Box) -> None:
    """Put a box into the four fields, before they are shown again."""
    session().box = box
    for side, value in zip(("west", "south", "east", "north"), box, strict=True):
        st.session_state[f"box {side}"] = float(value)


def _read_extent(trips: ChosenTrips) -> None:
    """Read the box off the trips; the next run shows it, or why there is none."""
    mine = session()  # the gate: before anything is looked at
    for file in trips.files:
        mine.extent_read(file.name)
    try:
        st.session_state["box read off"] = owner.extent(trips.files, trips.seen, timezone="UTC")
    except AtlasError as error:
        st.session_state["box refused"] = error
