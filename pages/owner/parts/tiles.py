"""The tiles step of the Data page: a file, or a grid over a box that the owner draws or types."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import streamlit as st

from dpcore.api import owner
from dpcore.api.code import TilesLoading
from dpcore.errors import InputError, TessellationError
from dpcore.places import TILES_ENDINGS, listed, opened
from dpcore.tiles import (
    STATION_RADIUS_M,
    Tessellation,
    own_districts,
)
from dpcore.views.plain import plain
from pages.owner.parts import grid_tiles, words
from pages.owner.parts.trips_source import ChosenTrips, SparkSource
from pages.parts.messages import refusals, refused

_GRIDS: Final = {"Square grid": grid_tiles.SQUARES, "Hexagons (H3)": grid_tiles.HEXAGONS}
_KINDS: Final = ("Upload", "Data folder", *_GRIDS)


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
        if trips and not trips.has_points:
            raise InputError("a grid needs coordinates", trips.name, words.ZONES_NOTE)
        laid = grid_tiles.laid(_GRIDS[kind], trips if isinstance(trips, ChosenTrips) else None)
        return ChosenTiles(*laid) if laid else None
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
        source, name, id_column=column, merge_duplicates=merge, station_radius=float(radius)
    )
    with_districts = _fit_districts(found)
    if with_districts is None:
        return None
    found = with_districts
    options = {
        "id_column": None if column == proposed else column,
        "merge_duplicates": merge or None,
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
