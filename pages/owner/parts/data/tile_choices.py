"""What a tiles file leaves open, asked where it is refused: its coordinate system, its layer, and who keeps a shared place.

Each control stands below the refusal that it mends, and stays as long as something is chosen in it.
"""

from __future__ import annotations

from collections.abc import Collection
from types import MappingProxyType
from typing import Final

import streamlit as st

from dpcore.errors import AtlasError
from pages.owner.parts.state import words
from pages.owner.parts.state.session import session

CRS, LAYER, OVERLAPS = "tiles_crs", "layer", "overlaps"
_OPTIONS: Final = MappingProxyType({CRS: "--tiles-crs", LAYER: "--layer", OVERLAPS: "--overlaps"})
"""Argument of ``read_tessellation`` -> the option that refusals name."""
_KEEPERS: Final = MappingProxyType({"smaller": "The smaller tile", "first": "The tile that comes first"})


def chosen_options() -> dict[str, str]:
    """What was chosen for the file, as arguments of ``read_tessellation``."""
    found = {argument: session().form.read(f"tiles {argument}", str | None) for argument in _OPTIONS}
    return {argument: str(value).strip() for argument, value in found.items() if value}


def forget_choices() -> None:
    """Another file is chosen: what was said of the one before is not said of it."""
    for argument in _OPTIONS:
        session().form.forget(f"tiles {argument}")


def named_in(error: AtlasError) -> frozenset[str]:
    """The arguments that a refusal asks for."""
    return frozenset(argument for argument, option in _OPTIONS.items() if option in error.options)


def ask(wanted: Collection[str]) -> None:
    """The controls of these arguments, and of those that were chosen before."""
    shown = {*wanted, *chosen_options()}
    form = session().form
    if CRS in shown:
        st.text_input(
            "Coordinate system of the file",
            placeholder="EPSG:25833",
            help=words.CRS_HELP,
            **form.value(f"tiles {CRS}", str | None),
        )
    if LAYER in shown:
        st.text_input("Layer of the file", **form.value(f"tiles {LAYER}", str | None))
    if OVERLAPS in shown:
        st.segmented_control(
            "Who keeps a place that tiles share?",
            list(_KEEPERS),
            format_func=_KEEPERS.__getitem__,
            help=words.OVERLAPS_HELP,
            **form.segment(f"tiles {OVERLAPS}", [None, *_KEEPERS], None),
        )
