"""What lies under the map: one uploader on the Data page and beside the map of Explore, and what the open project keeps of it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import streamlit as st

from dpcore.context.context import MAX_ATTRIBUTION_CHARACTERS, Context
from dpcore.context.reading import ENDINGS, OF_OSM, read_context
from dpcore.places import data_path, data_paths
from dpcore.views.ground.plain import plain
from pages.owner.parts.state.data_sets import DataSet
from pages.owner.parts.state.projects import CONTEXT
from pages.owner.parts.state.session import session
from pages.parts.messages import refusals

HELP: Final = (
    "Water, parks, main streets, railways and names, from GeoJSON, a GeoPackage or an OpenStreetMap extract (.osm.pbf). They are "
    "cut to the tiles and simplified. Tiles and districts without a name are called after these names. Give public files only: "
    "whoever sees the map sees them."
)
WHOSE: Final = "It stands on every map. An OpenStreetMap extract needs nothing here."
TITLE: Final = "Streets and names under the map"
OF_THE_CITY: Final = "The built-in city has its own streets, river, parks and names."


def context_section(data: DataSet) -> None:
    """On the Data page: put a file under the map of the loaded data set, or take it away."""
    with refusals(), st.expander(TITLE, icon=":material/map:"):
        _choose(data)


def context_beside_map(data: DataSet) -> None:
    """The same beside a map, behind one button; nothing for the built-in city, which has its own."""
    if data.is_demo:
        return
    with st.popover(TITLE, icon=":material/map:"), refusals():
        _choose(data)


def _choose(data: DataSet) -> None:
    st.caption(HELP)
    if data.is_demo:
        st.caption(OF_THE_CITY)
        return
    if data.context is not None:
        _show_context(data.context.context)
    source = _source()
    who = st.text_input(
        "Attribution",
        max_chars=MAX_ATTRIBUTION_CHARACTERS,
        placeholder=f"such as: {OF_OSM}",
        help=WHOSE,
        key="context whose",
    )
    if st.button("Put it under the map", disabled=source is None) and source is not None:
        with st.spinner("Reading streets, water and names"):
            content, name = source
            found = read_context(content, name, (*data.tessellation.bounds,), who)
        mine = session()
        mine.form.values.pop(CONTEXT, None)  # the project keeps the new one
        mine.put_under(found)
        st.rerun()


def _source() -> tuple[Path | bytes, str] | None:
    """The chosen file with its name."""
    endings = sorted({ending.rpartition(".")[2] for ending in ENDINGS})
    upload = st.file_uploader("File", type=endings, key=f"context upload {session().uploads}")
    if upload is not None:
        return upload.getvalue(), upload.name
    names = data_paths(ENDINGS)
    name = st.selectbox("Or from the data folder", names, index=None, key="context file") if names else None
    return (data_path(name), name) if name else None


def _show_context(context: Context) -> None:
    """What lies under the map now."""
    said, remove = st.columns([4, 1], vertical_alignment="center")
    said.markdown(f"Under the map: {context.counted}. {plain(context.attribution)}")
    for note in context.notes:
        st.caption(plain(note))
    if remove.button("Remove", width="stretch"):
        mine = session()
        mine.form.values.pop(CONTEXT, None)
        mine.put_under(None)
        st.rerun()
