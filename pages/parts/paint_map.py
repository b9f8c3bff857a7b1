"""The map that levels are painted on: strokes are shown at once in the browser and told when the hand lifts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeGuard

import streamlit as st

from dpcore.views.map_geometry import digest_of, packed_json
from pages.parts.ladder_map import MARKUP
from pages.parts.map_data import map_data
from pages.parts.scripts import module, styles

_mount = st.components.v2.component(
    "paint_map", html=MARKUP, css=styles("ladder_map.css", "paint_map.css"), js=module("paint_map.js")
)


@dataclass(frozen=True)
class Paint:
    """One level that tiles can have; its button is the legend as well."""

    name: str
    epsilon: str
    """Its budget, as people read it."""
    light: str
    """Colour on a light page, ``#rrggbb``."""
    dark: str
    """Colour on a dark page."""


@dataclass(frozen=True)
class Stroke:
    """What one movement of the hand painted."""

    number: int
    """Rises with every stroke of a session."""
    level: int
    """Level painted with, from 1."""
    tiles: tuple[int, ...]
    """Numbers of the tiles."""


def pack_painting(
    geometry: bytes,
    paints: Sequence[Paint],
    level: Sequence[int],
    *,
    applied: int,
    alt: str,
    banner: str = "",
) -> bytes:
    """The message of the map; equal input gives equal bytes, which are not sent again.

    Layout, little-endian: u32 length of the header, the header as JSON, then one byte for each tile: its level, from 1.

    Args:
        geometry: what ``pack_geometry`` gave; it travels by itself and is only named here.
        paints: the levels, level 1 first.
        level: level of each tile.
        applied: number of the last stroke that is part of ``level``; the browser lays later ones over it.
        alt: what the picture shows, for those who cannot see it.
        banner: mark on the picture itself.

    """
    header = {
        "height": 460,
        "digest": digest_of(geometry),
        "tiles": len(level),
        "levels": [vars(paint) for paint in paints],
        "applied": applied,
        "alt": alt,
        "banner": banner,
    }
    return packed_json(header) + bytes(level)


def strokes_of(told: object, *, tiles: int, levels: int) -> list[Stroke]:
    """What the browser told, in order; whatever is no stroke on these tiles is left out."""
    found = []
    for one in told if isinstance(told, list) else ():
        if not isinstance(one, dict):
            continue
        number, level, painted = one.get("number"), one.get("level"), one.get("tiles")
        if not (_whole(number, 1, 2**53) and _whole(level, 1, levels) and isinstance(painted, list)):
            continue
        if all(_whole(tile, 0, tiles - 1) for tile in painted):
            found.append(Stroke(number, level, tuple(painted)))
    return sorted(found, key=lambda stroke: stroke.number)


def _whole(value: object, least: int, most: int) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


def paint_map(message: bytes, geometry: bytes, *, key: str, on_strokes_change: Callable[[], None]) -> Any:  # noqa: ANN401 - Streamlit's result object has no public type
    """Draw the map on its tiles; ``on_strokes_change`` is called when the hand lifted.

    The result has ``strokes``: those that no message named as applied yet; read them with ``strokes_of``.
    """
    with st.container(gap=None):
        map_data("tiles", "", geometry, which=key)
        return _mount(key=key, data=message, default={"strokes": []}, on_strokes_change=on_strokes_change)
