"""What a tiles file leaves open, asked where it is refused: its coordinate system, its layer, and who keeps a shared place.

Each control stands below the refusal that it mends, and stays as long as something is chosen in it.
"""

from __future__ import annotations

from collections.abc import Collection
from types import MappingProxyType
from typing import Final

import streamlit as st

from dpcore.errors import AtlasError
from dpcore.views.mending import options_named
from pages.owner.parts import words

CRS, LAYER, OVERLAPS = "tiles_crs", "layer", "overlaps"
_OPTIONS: Final = MappingProxyType({CRS: "--tiles-crs", LAYER: "--layer", OVERLAPS: "--overlaps"})
"""Argument of ``read_tessellation`` -> the option that refusals name."""
_KEEPERS: Final = MappingProxyType({"smaller": "The smaller tile", "first": "The tile that comes first"})


def _key(argument: str, name: str) -> str:
    return f"tiles {argument} {name}"


def chosen_options(name: str) -> dict[str, str]:
    """What was chosen for the file of this name, as arguments of ``read_tessellation``."""
    found = {argument: st.session_state.get(_key(argument, name)) for argument in _OPTIONS}
    return {argument: str(value).strip() for argument, value in found.items() if value}


def named_in(error: AtlasError) -> frozenset[str]:
    """The arguments that a refusal asks for."""
    options = options_named(error)
    several = {LAYER} if "layers" in error.what else set()
    return frozenset(argument for argument, option in _OPTIONS.items() if option in options) | several


def ask(name: str, wanted: Collection[str]) -> None:
    """The controls of these arguments, and of those that were chosen before."""
    shown = {*wanted, *chosen_options(name)}
    if CRS in shown:
        st.text_input(
            "Coordinate system of the file", key=_key(CRS, name), placeholder="EPSG:25833", help=words.CRS_HELP
        )
    if LAYER in shown:
        st.text_input("Layer of the file", key=_key(LAYER, name))
    if OVERLAPS in shown:
        st.segmented_control(
            "Who keeps a place that tiles share?",
            list(_KEEPERS),
            format_func=_KEEPERS.__getitem__,
            key=_key(OVERLAPS, name),
            help=words.OVERLAPS_HELP,
        )
