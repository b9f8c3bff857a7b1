"""The tiles step of the Data page: a file, or a grid over a box that the owner draws or types."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, TypeVar

import streamlit as st

from dpcore import limits
from dpcore.api import owner
from dpcore.api.code import TilesLoading
from dpcore.errors import InputError, TessellationError
from dpcore.places import TILES_ENDINGS, data_path, data_paths
from dpcore.tiles import (
    STATION_RADIUS_M,
    PropertySummary,
    Tessellation,
    own_districts,
)
from dpcore.tiles.id_rules import RULES, rules_of
from dpcore.tiles.reading import load
from dpcore.tiles.stations import NEAREST
from dpcore.views.ground.plain import plain
from pages.owner.parts.data import grid_tiles, tile_choices
from pages.owner.parts.data.trips_source import ChosenTrips, TripsSource
from pages.owner.parts.state import words
from pages.owner.parts.state.form import between
from pages.owner.parts.state.session import session
from pages.parts.messages import refusals, show_refusal

Made = TypeVar("Made")

_GRIDS: Final = {"Square grid": grid_tiles.SQUARES, "Hexagons (H3)": grid_tiles.HEXAGONS}
_UPLOADED: Final = "tiles uploaded"
_KINDS: Final = ("Upload", "Data folder", *_GRIDS)
AS_LOADED: Final = "As loaded"
"""The tiles on which trips were loaded before, such as those of the month before."""


@dataclass(frozen=True)
class ChosenTiles:
    """Tiles, and how they were made."""

    tessellation: Tessellation
    loading: TilesLoading


def chosen_tiles(trips: TripsSource | None) -> ChosenTiles | None:
    """The tiles that the owner chose, or None."""
    form, before = session().form, session().data
    again = before is not None and not before.is_demo
    kinds = (*_KINDS, AS_LOADED) if again else _KINDS
    kind = st.segmented_control(
        "Tiles from",
        kinds,
        help=words.TILES_HELP,
        required=True,
        **form.segment("tiles place", kinds, kinds[0]),
    )
    if kind == AS_LOADED and before is not None:
        st.caption(words.AS_LOADED.format(tiles=len(before.tessellation.tile_ids)))
        return ChosenTiles(before.tessellation, before.loading.tiles)
    with refusals():
        if kind == "Upload":
            upload = st.file_uploader(
                "Tiles file: GeoJSON, GeoPackage, Shapefile (.zip), FlatGeobuf, GeoParquet, KML, GML, TopoJSON, CSV, GTFS stops or a GBFS feed",
                type=[ending.removeprefix(".") for ending in TILES_ENDINGS if ending != ".shp"],
                help=words.TILES_FILES,
                key=f"tiles upload {session().uploads}",
                on_change=_other_file,
            )
            if upload:
                session().held_tiles = (upload.name, upload.getvalue())
                form.values[_UPLOADED] = upload.name
            held = session().held_tiles
            if held and not upload:
                st.caption(words.STILL_CHOSEN.format(names=plain(held[0])))
            elif not held and form.values.get(_UPLOADED):
                st.caption(words.UPLOAD_AGAIN.format(names=plain(str(form.values[_UPLOADED]))))
            return _from_file(held[1], held[0]) if held else None
        if kind == "Data folder":
            names = data_paths(TILES_ENDINGS)
            name = st.selectbox(
                "Tiles file", names, placeholder="Choose a file", **form.option("tiles file", names)
            )
            return _from_file(data_path(name), name) if name else None
        if trips and not trips.has_points:
            raise InputError("a grid needs coordinates", trips.name, words.ZONES_NOTE)
        laid = grid_tiles.laid(_GRIDS[kind], trips if isinstance(trips, ChosenTrips) else None)
        return ChosenTiles(*laid) if laid else None
    return None


def matched(trips: TripsSource | None, on: ChosenTiles | None) -> TripsSource | None:
    """The trips; by id, with the rules that the owner chose for ids that are written differently. Rules follow from the tiles alone."""
    if on is None or not isinstance(trips, ChosenTrips) or trips.has_points:
        return trips
    rules = rules_of(on.tessellation.tile_ids)
    chosen = st.multiselect(
        "Ids that are written differently",
        rules,
        format_func=lambda name: RULES[name].about,
        placeholder="Only ids that are equal",
        help=words.MATCH_HELP,
        **session().form.several("tiles match", rules),
    )
    return trips.matching([name for name in rules if name in chosen])


def _other_file() -> None:
    """Another file was uploaded, or none: what was held is not chosen any more."""
    session().held_tiles = session().refused_tiles = None
    session().form.values.pop(_UPLOADED, None)
    tile_choices.forget_choices()


def _from_file(source: Path | bytes, name: str) -> ChosenTiles | None:
    """A tessellation from a file. What the file leaves open is asked below the refusal that names it."""
    said, wanted, found = tile_choices.chosen_options(), frozenset[str](), None
    try:
        found = _tiles_of_file(load(source, name), name, said)
    except TessellationError as error:
        error.reword(tile_choices.on_page)
        show_refusal(error)
        wanted = tile_choices.named_in(error)
    tile_choices.ask(wanted)
    return found


def _unless_refused(read: Callable[..., Made], data: bytes, name: str, **options: Any) -> Made:  # noqa: ANN401 - of each reader
    """What a reader makes of a file. What it refused last is refused again at once: reading may take minutes."""
    key = (blake2b(data, digest_size=16).hexdigest(), name, read.__name__, repr(sorted(options.items())))
    last = session().refused_tiles
    if last is not None and last[0] == key:
        what, where, mend, mended_by = last[1]
        raise TessellationError(what, where, mend, options=mended_by)
    try:
        return read(data, name, **options)
    except TessellationError as error:
        session().refused_tiles = key, (error.what, error.where, error.mend, error.options)
        raise


def _tiles_of_file(data: bytes, name: str, said: Mapping[str, Any]) -> ChosenTiles | None:
    """Asks what names a tile, whether repeated ids are one tile, how far stations reach. Raises TessellationError."""
    file = {one: said[one] for one in (tile_choices.CRS, tile_choices.LAYER) if one in said}
    properties = _unless_refused(owner.describe_properties, data, name, **file)
    usable = {one.column: one for one in properties if one.possible_id}
    proposed = next((one.column for one in properties if one.proposed), None)
    left, right = st.columns(2, vertical_alignment="bottom")
    column = left.selectbox(
        "Property that names a tile",
        list(usable),
        format_func=lambda one: _with_examples(usable[one]),
        placeholder="Choose a property",
        help=words.TILE_ID_HELP,
        **session().form.option("tiles id", list(usable), proposed if proposed in usable else None),
    )
    if not usable:
        return ChosenTiles(
            _unless_refused(owner.read_tessellation, data, name, **said), TilesLoading()
        )  # refuses, and says why
    if column is None:
        return None
    if proposed in usable and column != proposed:
        st.warning(words.OTHER_ID.format(plain(column), plain(proposed)), icon=":material/wrong_location:")
    joined = session().form.value("tiles merge", bool, False)
    merge = (
        right.checkbox("Tiles with the same id are one tile", help=words.MERGE_HELP, **joined)
        if usable[column].repeats
        else False
    )
    reach = limits.MIN_STATION_RADIUS_M, limits.MAX_STATION_RADIUS_M
    usual = "tiles reach", int, int(STATION_RADIUS_M), between(*reach)
    radius = session().form.read(*usual)
    how = {"tile_id": column, "merge_ids": merge, "station_radius": float(radius), **said}
    found = _unless_refused(owner.read_tessellation, data, name, **how)
    if any(note.startswith(NEAREST) for note in found.notes):
        st.number_input(
            "Reach of a station, metres",
            *reach,
            step=50,
            help=words.REACH_HELP,
            **session().form.value(*usual),
        )
    else:
        radius = STATION_RADIUS_M
    with_districts = _fit_districts(found)
    if with_districts is None:
        return None
    options = {
        "tile_id": None if column == proposed else column,
        "merge_ids": merge or None,
        "station_radius": None if radius == STATION_RADIUS_M else radius,
        **said,
    }
    return ChosenTiles(with_districts, TilesLoading(options))


def _with_examples(one: PropertySummary) -> str:
    """A property, with a few of its values."""
    more = ", …" if one.distinct > len(one.examples) else ""
    return f"{one.column} ({', '.join(one.examples)}{more})"


def _fit_districts(found: Tessellation) -> Tessellation | None:
    """The tiles with districts that can be used, those of the file or none; None until the owner decides.

    A property ``district`` that is missing for some tiles, or gives one district, is refused, and says what to do.
    """
    try:
        districts = own_districts(found)
    except TessellationError as error:
        said = st.container()
        start = session().form.value("tiles halve", bool, False)
        if st.checkbox("Lay districts by halving the map instead", help=words.HALVE_HELP, **start):
            return replace(found, districts=())
        with said:
            show_refusal(error)
        return None
    if districts is not None:
        st.caption(f"{len(districts.names):,} districts, from the property district of the file.")
    return found
