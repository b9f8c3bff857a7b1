"""What the browser is told and nobody sees, for the maps, curves and sliders of a link: one channel for all of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

import streamlit as st

from dpcore.views.maps.map_geometry import packed_json
from pages.parts.scripts import module

_mount: Final = st.components.v2.component(
    "map_data", html='<div class="data"></div>', js=module("map_data.js")
)

Kind = Literal["tiles", "context", "estimates", "windows", "selected", "sides", "points", "answers", "top"]


def map_data(kind: Kind, link: str, message: bytes | Mapping[str, object], *, which: str = "") -> None:
    """Tell the browser something about what has this link; nothing is shown.

    As long as the message stays the same it is not sent again: Streamlit sends two lines that name it.

    Args:
        kind: what the message is. ``tiles``: packed by ``dpcore.views.maps.map_geometry.pack_geometry``; the browser keeps the last
            few tessellations for other pages, and one call is enough for all maps of a page. ``context``: what lies under
            them, packed by ``dpcore.views.maps.context_message.pack_context``; its attribution then stands on the map.
            ``estimates`` and ``windows`` of a stop, packed by ``dpcore.views.maps.estimate_message.pack_estimates`` and
            ``dpcore.views.maps.window_message.pack_windows``. ``selected``: the flows of what is chosen, from
            ``dpcore.views.numbers.selected_flows.sent_flows``, with the stop that they are of. ``sides``: two sides of a map, empty for
            one. ``points`` of curves that were counted from the truth; a later message holds the earlier ones. ``answers``:
            see ``pages.parts.held``. ``top``: what the page shows now; where that is something else than before, the page is seen from
            its top.
        link: of what it is about. Packed messages name it themselves.
        message: packed bytes, or what becomes JSON.
        which: tells two messages of one kind and link apart.

    """
    head: dict[str, object] = {"kind": kind, "link": link}
    packed = message if isinstance(message, bytes) else b""
    if not isinstance(message, bytes):
        head["message"] = dict(message)
    _mount(key=f"{kind} {which} of {link}", data=packed_json(head) + packed)
