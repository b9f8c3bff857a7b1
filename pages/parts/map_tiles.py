"""The tiles of maps, sent to the browser once; maps and their counts name them by a digest and carry none."""

from __future__ import annotations

import streamlit as st

from pages.parts.joined_assets import joined

_mount = st.components.v2.component(
    "map_tiles",
    html='<div class="tiles"></div>',
    js=joined("ladder_message.js", "ladder_tiles.js", "map_tiles.js"),
)


def map_tiles(geometry: bytes, *, key: str) -> None:
    """Send tiles packed by ``dpcore.views.map_geometry.pack_geometry``; nothing is shown.

    Their bytes depend on the tiles alone: Streamlit sends them a first time, and after that two lines that name them. The
    browser keeps the last few tessellations for other pages. One call is enough for all maps of a page.
    """
    _mount(key=key, data=geometry)
