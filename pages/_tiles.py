"""The tiles step of the Data page: a file, or a grid over a box that the owner draws or types."""

from __future__ import annotations

from pathlib import Path

import plotly.graph_objects as go
import streamlit as st

from dpcore import owner
from dpcore.data_folder import TILES_ENDINGS, listed, opened
from dpcore.errors import AtlasError, InputError
from dpcore.tessellation import (
    Box,
    Tessellation,
    describe_properties,
    hexagon_grid,
    read_tessellation,
    square_grid,
)
from pages import _words
from pages._messages import refused

_KINDS = ("Upload", "Data folder", "Square grid", "Hexagons (H3)")


def tessellation(file: owner.TripsFile, seen: owner.Inspection) -> Tessellation | None:
    """The tiles that the owner chose, or None."""
    kind = st.segmented_control(
        "Tiles from", _KINDS, default=_KINDS[0], help=_words.TILES_HELP, key="tiles place"
    )
    try:
        if kind == "Upload":
            upload = st.file_uploader("Tiles file: GeoJSON or GeoPackage", type=["geojson", "json", "gpkg"])
            return _from_file(upload.getvalue(), upload.name) if upload else None
        if kind == "Data folder":
            name = st.selectbox("Tiles file", listed(TILES_ENDINGS), index=None, placeholder="Choose a file")
            return _from_file(opened(name), name) if name else None
        box = _box(file, seen)
        if box is None:
            return None
        if kind == "Square grid":
            metres = st.number_input("Width of a square, metres", 50, 50_000, 500, step=50)
            return square_grid(box, float(metres))
        return hexagon_grid(box, st.slider("H3 resolution (larger numbers, smaller hexagons)", 4, 11, 8))
    except AtlasError as error:
        refused(error)
        return None


def _from_file(source: Path | bytes, name: str) -> Tessellation | None:
    """A tessellation from a file; asks which property names a tile and whether repeated ids are one tile."""
    properties = describe_properties(source, name)
    usable = [p.column for p in properties if p.possible_id]
    proposed = next((p.column for p in properties if p.proposed), None)
    left, right = st.columns(2, vertical_alignment="bottom")
    column = left.selectbox(
        "Property that names a tile",
        usable,
        index=usable.index(proposed) if proposed in usable else None,
        help=_words.TILE_ID_HELP,
    )
    if column is None:
        return None
    repeats = next(p.repeats for p in properties if p.column == column)
    merge = (
        right.checkbox("Tiles with the same id are one tile", help=_words.MERGE_HELP) if repeats else False
    )
    return read_tessellation(source, name, id_column=column, merge_duplicates=merge)


def _box(file: owner.TripsFile, seen: owner.Inspection) -> Box | None:
    """A box that the owner types or draws; the trips' own extent only on request, and said."""
    if not seen.has_points:
        raise InputError("a grid needs coordinates", file.name, _words.ZONES_NOTE)
    st.caption(_words.BOX_HELP)
    edges = st.session_state.setdefault("box", {"west": -180.0, "south": -85.0, "east": 180.0, "north": 85.0})
    fields = st.columns(4)
    for field, (edge, limit) in zip(
        fields, {"west": 180.0, "south": 90.0, "east": 180.0, "north": 90.0}.items(), strict=True
    ):
        edges[edge] = field.number_input(edge, -limit, limit, edges[edge], step=0.01, format="%.5f")
    drawn = st.plotly_chart(
        _canvas(edges), on_select="rerun", selection_mode="box", key="box canvas", theme=None
    )
    boxes = drawn.selection.box if drawn else []
    if boxes and st.button("Take the drawn box", icon=":material/crop_free:"):
        (west, east), (south, north) = sorted(boxes[0]["x"]), sorted(boxes[0]["y"])
        edges.update(west=west, south=south, east=east, north=north)
        st.rerun()
    with st.popover("Use the extent of the trips"):
        st.warning(_words.EXTENT_WARNING, icon=":material/visibility:")
        if st.button("I understand: read it off the trips"):
            found = owner.extent(file, seen, timezone="UTC")
            if found is not None:
                edges.update(west=found.west, south=found.south, east=found.east, north=found.north)
                st.rerun()
    return Box(edges["west"], edges["south"], edges["east"], edges["north"])


def _canvas(edges: dict[str, float]) -> go.Figure:
    """A plain sheet of degrees to draw a box on: no map, because a map would come from somebody's server."""
    figure = go.Figure(go.Scatter(x=[None], y=[None]))
    pad_x, pad_y = (edges["east"] - edges["west"]) * 0.1, (edges["north"] - edges["south"]) * 0.1
    figure.update_xaxes(range=[edges["west"] - pad_x, edges["east"] + pad_x], title="longitude")
    figure.update_yaxes(range=[edges["south"] - pad_y, edges["north"] + pad_y], title="latitude")
    figure.add_shape(type="rect", x0=edges["west"], x1=edges["east"], y0=edges["south"], y1=edges["north"])
    figure.update_layout(
        height=320, dragmode="select", margin={"l": 10, "r": 10, "t": 10, "b": 10}, selectdirection="any"
    )
    return figure
