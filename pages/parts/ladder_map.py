"""The map, its tiles and its slider. All rungs are sent once, and the browser recolours the map while epsilon is dragged.

deck.gl, which draws it, comes out of the installed pydeck package: nothing is loaded from elsewhere, unless the operator names a
tile server.
"""

from __future__ import annotations

import html
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import streamlit as st
from streamlit.components.v1 import declare_component

from dpcore.errors import InputError
from dpcore.views.address import MERGED
from dpcore.views.selection import NOTHING, Selection, selection_sent
from pages.parts.guard import need_soon
from pages.parts.tile_server import tile_server

_MERGE: Final = "Merge tiles until their noise is at most"
_MERGE_HELP: Final = (
    "Neighbouring tiles become one region until the noise of its sum is at most so large a part of it. With a smaller ε the "
    "map gets coarser instead of noisier. This costs no privacy."
)
_ASSETS: Final = Path(__file__).parents[1] / "assets"
_PARTS = (
    "ladder_deck.js",
    "ladder_message.js",
    "ladder_tiles.js",
    "ladder_colours.js",
    "ladder_words.js",
    "ladder_estimates.js",
    "ladder_looks.js",
    "ladder_select.js",
    "ladder_flows.js",
    "ladder_time.js",
    "ladder_swipe.js",
    "ladder_context.js",
    "ladder_background.js",
    "ladder_search.js",
    "ladder_overlay.js",
    "ladder_legend.js",
    "ladder_controls.js",
    "ladder_stage.js",
    "ladder_map.js",
)


def joined(*names: str) -> str:
    """Scripts or styles of a component as one text: inline components cannot import one another's files."""
    return "\n".join((_ASSETS / name).read_text(encoding="utf-8") for name in names)


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
    address = f"{'/' + base if base else ''}/component/{__name__}.deckgl/index.js?v={installed}"
    need_soon(address)
    return address


def _background() -> str:
    """The tile server that the operator named, as attributes of the markup. One that cannot be used closes the app elsewhere."""
    try:
        found = tile_server(os.environ)
    except InputError:
        return ""
    said = (
        {}
        if found is None
        else {"background": found.template, "host": found.host, "credit": found.attribution}
    )
    return "".join(f' data-{name}="{html.escape(text)}"' for name, text in said.items())


# Written into the markup are our own address and what the operator named, nothing else; all data travels in the message.
_MARKUP: Final = '<div class="ladder" data-deck="{deck}"{more}></div>'
MARKUP: Final = _MARKUP.format(deck=html.escape(_serve_deck()), more="")
"""Where a map is drawn, with the address of deck.gl."""


_mount_tiles = st.components.v2.component(
    "map_tiles",
    html='<div class="tiles"></div>',
    js=joined("ladder_message.js", "ladder_tiles.js", "map_tiles.js"),
)
_mount_estimates = st.components.v2.component(
    "map_estimates",
    html='<div class="estimates"></div>',
    js=joined("ladder_message.js", "ladder_estimates.js", "map_estimates.js"),
)
_mount_selected = st.components.v2.component(
    "map_selected",
    html='<div class="selected"></div>',
    js=joined("ladder_message.js", "ladder_flows.js", "map_selected.js"),
)
_mount_chosen = st.components.v2.component(
    "map_chosen", html='<div class="chosen"></div>', js=joined("ladder_select.js", "map_chosen.js")
)
_mount_context = st.components.v2.component(
    "map_context",
    html='<div class="context"></div>',
    js=joined("ladder_message.js", "ladder_context.js", "map_context.js"),
)
_mount_map = st.components.v2.component(
    "ladder_map",
    html=_MARKUP.format(deck=html.escape(_serve_deck()), more=_background()),
    css=joined("ladder_map.css", "ladder_swipe.css"),
    js=joined(*_PARTS),
)
_mount_slider = st.components.v2.component(
    "rung_slider",
    html='<div class="ladder"></div>',
    css=joined("ladder_map.css"),
    js=joined("ladder_select.js", "rung_slider.js"),
)


def _nothing() -> None:
    """Changes are read from the result."""


def map_tiles(geometry: bytes, *, key: str) -> None:
    """Send tiles packed by ``dpcore.views.map_geometry.pack_geometry``; nothing is shown.

    Their bytes depend on the tiles alone: Streamlit sends them a first time, and after that two lines that name them. The
    browser keeps the last few tessellations for other pages. One call is enough for all maps of a page.
    """
    _mount_tiles(key=key, data=geometry)


def map_estimates(message: bytes, *, key: str) -> None:
    """Send the estimates of a stop, packed by ``dpcore.views.estimate_message.pack_estimates``; nothing is shown.

    Every map with the link of the message shows them at their stop, on this page and on later ones.
    """
    _mount_estimates(key=key, data=message)


def map_selected(flows: Mapping[str, object], *, key: str, link: str, epsilon: str) -> None:
    """Send the flows of what is chosen, from ``dpcore.views.selected_flows.sent_flows``; nothing is shown.

    ``link``: of the maps that draw them; ``epsilon``: the stop that they are of.
    """
    _mount_selected(key=key, data={**flows, "link": link, "epsilon": epsilon})


def map_chosen(link: str, chosen: Selection, order: int) -> None:
    """Choose on the maps of a preview; nothing is shown.

    ``link``: of its geometry; ``chosen`` is chosen when ``order``, which rises with every choice that Python made, is new.
    """
    data = {"link": f"{link} preview", "chosen": chosen.sent(), "order": order}
    _mount_chosen(key=f"chosen {link}", data=data)


def chosen_of(seen: Any, tiles: int, districts: int = 0) -> Selection:  # noqa: ANN401 - Streamlit's result object has no public type
    """What is chosen on a map of so many tiles, out of the result of ``ladder_map``; nothing if that is not whole."""
    return selection_sent(seen.chosen, tiles, districts) or NOTHING


def map_context(message: bytes, *, key: str) -> None:
    """Send what lies under the tiles, packed by ``dpcore.views.context_message.pack_context``; nothing is shown.

    Every map of these tiles draws it, on this page and on later ones; its attribution then stands on the map.
    """
    _mount_context(key=key, data=message)


def ladder_map(
    message: bytes,
    *,
    key: str,
    tiles: bytes | None = None,
    context: bytes | None = None,
    height: int = 560,
    on_chosen_change: Callable[[], None] = _nothing,
) -> Any:  # noqa: ANN401 - Streamlit's result object has no public type
    """Draw a map packed by ``dpcore.views.tile_map.pack_map``.

    Args:
        message: the packed map. As long as its bytes stay the same it is not sent again.
        key: name of this map on its page.
        tiles: the geometry it was packed for, packed by ``pack_geometry``; None where another map or ``map_tiles``
            of this page brings it. Until it is there the map waits.
        context: what lies under these tiles, packed by ``pack_context``; None where there is none.
        height: height of the picture in pixels, without controls and legend; narrow windows get less.
        on_chosen_change: called when other places were chosen on it.

    Returns:
        An object with ``rung`` (the rung at which the slider was let go, None before) and ``chosen``, which
        ``chosen_of`` reads. Streamlit forgets both when the page is left; the browser remembers epsilon
        and tells it again, and the page keeps its own copy.
    """
    with st.container(gap=None):
        if tiles is not None:
            map_tiles(tiles, key=f"{key} tiles")
        if context is not None:
            map_context(context, key=f"{key} context")
        return _mount_map(
            key=key,
            data=height.to_bytes(4, "little") + message,
            default={"rung": None, "chosen": None},
            on_rung_change=_nothing,
            on_chosen_change=on_chosen_change,
        )


def merging(percent: int, choose: Callable[[int], None]) -> None:
    """The choice how far tiles are merged on the map. ``percent``: what is chosen now, 0 for none."""
    key = "merge chosen"
    st.segmented_control(
        _MERGE,
        (0, *MERGED),
        default=percent,
        format_func=lambda each: f"± {each} %" if each else "off",
        required=True,
        key=key,
        help=_MERGE_HELP,
        on_change=lambda: choose(st.session_state[key]),
    )


@dataclass(frozen=True)
class Rungs:
    """What the slider shows; public, and the same at every rung."""

    link: str
    """Maps with the same link follow."""
    rungs: Sequence[str]
    """Revealed epsilons, coarsest first."""
    beyond: Sequence[str]
    """Epsilons of the public list that were not revealed: the rest of the track."""
    unit: str
    """Unit and bound, beside epsilon."""
    sentences: Sequence[str]
    """What each rung means, spoken as the value of the slider."""
    start: int
    """Rung at the first look of a page; the rung that a visitor chose since must not come in here."""
    steered: int = 0
    """Another number than before moves the slider to ``start``, wherever it stood; 0 leaves it."""
    ends: tuple[str, str] = ("coarser", "finer")
    """What stands at its ends. Of a release every stop is public, so the left one has no more privacy."""


def rung_slider(shown: Rungs, *, key: str, chosen: Mapping[str, object], order: int) -> Any:  # noqa: ANN401 - Streamlit's result object has no public type
    """Draw the slider; the result has ``rung``, where it was let go (None before).

    ``chosen`` (``Selection.sent``) is chosen on the maps when ``order``, which rises with every choice that Python made, is new.
    """
    return _mount_slider(
        key=key,
        data={**vars(shown), "chosen": chosen, "order": order},
        default={"rung": None},
        on_rung_change=_nothing,
    )
