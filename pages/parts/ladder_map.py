"""The map, its tiles and its slider. All rungs are sent once, and the browser recolours the map while epsilon is dragged.

deck.gl, which draws it, comes out of the installed pydeck package: nothing is loaded from elsewhere, unless the operator names a
tile server.
"""

from __future__ import annotations

import html
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import streamlit as st

from dpcore.errors import InputError
from dpcore.views.maps.address import MERGED
from pages.parts.held import Ear, answer, hear
from pages.parts.map_data import map_data
from pages.parts.scripts import deck_address, module, styles
from pages.parts.tile_server import tile_server

_MERGE: Final = "Merge tiles until their noise is at most"
_MERGE_HELP: Final = (
    "Neighbouring tiles become one region until the noise of its sum is at most so large a part of it. With a smaller ε the "
    "map gets coarser instead of noisier. This costs no privacy."
)


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


_mount_map = st.components.v2.component(
    "ladder_map",
    # Written into the markup are our own address and what the operator named, nothing else; all data travels in the message.
    html=f'<div class="ladder" data-deck="{html.escape(deck_address())}"{_background()}></div>',
    css=styles("ladder_map.css", "ladder_swipe.css"),
    js=module("ladder_map.js"),
)
_mount_slider = st.components.v2.component(
    "rung_slider",
    html='<div class="ladder"></div>',
    css=styles("ladder_map.css"),
    js=module("rung_slider.js"),
)


def _nothing() -> None:
    """Wishes are heard after the component was drawn."""


def ladder_map(
    message: bytes,
    *,
    key: str,
    tiles: bytes | None = None,
    context: bytes | None = None,
    height: int = 560,
    ears: Sequence[Ear] = (),
) -> None:
    """Draw a map packed by ``dpcore.views.maps.tile_map.pack_map``.

    Args:
        message: the packed map. As long as its bytes stay the same it is not sent again.
        key: name of this map on its page.
        tiles: the geometry it was packed for, packed by ``pack_geometry``; None where another map of this page brings it.
            Until it is there the map waits.
        context: what lies under these tiles, packed by ``pack_context``; None where there is none.
        height: height of the picture in pixels, without controls and legend; narrow windows get less.
        ears: who hears what is chosen on it: ``epsilon``, of a map with a slider, ``chosen`` and ``level`` (``held``).

    """
    with st.container(gap=None):
        if tiles is not None:
            map_data("tiles", "", tiles, which=key)
        if context is not None:
            map_data("context", "", context, which=key)
        _mount_map(
            key=key,
            data=height.to_bytes(4, "little") + message,
            default={"epsilon": None, "chosen": None, "level": None},
            on_epsilon_change=_nothing,
            on_chosen_change=_nothing,
            on_level_change=_nothing,
        )
        hear(key, *ears)
        answer(*ears)


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
    ends: tuple[str, str] = ("coarser", "finer")
    """What stands at its ends. Of a release every stop is public, so the left one has no more privacy."""


def rung_slider(shown: Rungs, ear: Ear, *, key: str) -> None:
    """Draw the slider; ``ear`` hears the stop at which it was let go."""
    with st.container(gap=None):
        _mount_slider(key=key, data=vars(shown), default={"epsilon": None}, on_epsilon_change=_nothing)
        hear(key, ear)
        answer(ear)
