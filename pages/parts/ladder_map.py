"""The map: all rungs are sent once, and the browser recolours them while epsilon is dragged.

deck.gl, which draws it, comes out of the installed pydeck package: nothing is loaded from elsewhere.
"""

from __future__ import annotations

import html
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import streamlit as st
from streamlit.components.v1 import declare_component

_ASSETS = Path(__file__).parents[1] / "assets"

# One module in the browser: inline components cannot import one another's files, so the parts are joined.
_PARTS = (
    "ladder_deck.js",
    "ladder_message.js",
    "ladder_colours.js",
    "ladder_words.js",
    "ladder_overlay.js",
    "ladder_legend.js",
    "ladder_controls.js",
    "ladder_stage.js",
    "ladder_map.js",
)


def _serve_deck() -> str:
    """Address of the deck.gl bundle, which Streamlit serves straight out of the installed pydeck.

    Empty without pydeck: the component then says that there is no map. The version is in the address because
    the browser keeps the file for good.
    """
    found = find_spec("pydeck")
    if found is None or found.origin is None:
        return ""
    try:
        installed = version("pydeck")
    except PackageNotFoundError:
        return ""
    declare_component("deckgl", path=str(Path(found.origin).parent / "nbextension" / "static"))
    base = (st.get_option("server.baseUrlPath") or "").strip("/")
    return f"{'/' + base if base else ''}/component/{__name__}.deckgl/index.js?v={installed}"


# The only thing written into the markup is our own address; all data travels in the message.
MARKUP: Final = f'<div class="ladder" data-deck="{html.escape(_serve_deck())}"></div>'
"""Where a map is drawn, with the address of deck.gl."""


def joined(*names: str) -> str:
    """Files of the assets as one text."""
    return "\n".join((_ASSETS / name).read_text(encoding="utf-8") for name in names)


_mount = st.components.v2.component(
    "ladder_map", html=MARKUP, css=joined("ladder_map.css"), js=joined(*_PARTS)
)


def _nothing() -> None:
    """Changes are read from the result."""


def ladder_map(
    message: bytes,
    *,
    key: str,
    height: int = 560,
    on_rung_change: Callable[[], None] = _nothing,
    on_tile_change: Callable[[], None] = _nothing,
) -> Any:  # noqa: ANN401 - Streamlit's result object has no public type
    """Draw a map packed by ``dpcore.views.map_message.pack_map``.

    Args:
        message: the packed map. As long as its bytes stay the same it is not sent again.
        key: name of this map on its page.
        height: height of the picture in pixels, without controls and legend; narrow windows get less.
        on_rung_change: called when epsilon was let go at another rung.
        on_tile_change: called when another tile, or none, was clicked.

    Returns:
        An object with ``rung`` (the rung at which the slider was let go, None before) and ``tile`` (number of
        the clicked tile or None). Streamlit forgets both when the page is left; the browser remembers epsilon
        and tells it again, and the page keeps its own copy.
    """
    return _mount(
        key=key,
        data=height.to_bytes(4, "little") + message,
        default={"rung": None, "tile": None},
        on_rung_change=on_rung_change,
        on_tile_change=on_tile_change,
    )
