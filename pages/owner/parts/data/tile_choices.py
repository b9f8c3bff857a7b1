"""What a tiles file leaves open, asked where it is refused: its coordinate system, its layer, and who keeps a shared place.

Each control stands below the refusal that it mends, and stays as long as something is chosen in it.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from types import MappingProxyType
from typing import Final

import streamlit as st

from dpcore.api.mending import without_notebook
from dpcore.errors import AtlasError
from pages.owner.parts.state import words
from pages.owner.parts.state.session import session

CRS, LAYER, OVERLAPS = "tiles_crs", "layer", "overlaps"
_OPTIONS: Final = MappingProxyType({CRS: "--tiles-crs", LAYER: "--layer", OVERLAPS: "--overlaps"})
"""Argument of ``read_tessellation`` -> the option that refusals name."""
_CONTROLS: Final = MappingProxyType(
    {
        "--tiles-crs": "Coordinate system of the file",
        "--layer": "Layer of the file",
        "--overlaps": "Who keeps a place that tiles share?",
        "--tile-id": "Property that names a tile",
        "--merge-ids": "Tiles with the same id are one tile",
    }
)
"""Option of a command -> what stands on the control that does the same here."""
_OPTION: Final = re.compile(
    rf"({'|'.join(_CONTROLS)})(?: EPSG:\.\.\.| first| smaller)?(?: or \1(?: first| smaller))?"
)
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


def on_page(text: str) -> str:
    """The text of a refusal with names of controls in place of the options of commands."""
    return _OPTION.sub(lambda found: f"'{_CONTROLS[found[1]]}'", without_notebook(text))


def ask(wanted: Collection[str]) -> None:
    """The controls of these arguments, and of those that were chosen before."""
    shown = {*wanted, *chosen_options()}
    form = session().form
    if CRS in shown:
        st.text_input(
            _CONTROLS["--tiles-crs"],
            placeholder="EPSG:25833",
            help=words.CRS_HELP,
            **form.value(f"tiles {CRS}", str | None),
        )
    if LAYER in shown:
        st.text_input(_CONTROLS["--layer"], **form.value(f"tiles {LAYER}", str | None))
    if OVERLAPS in shown:
        st.segmented_control(
            _CONTROLS["--overlaps"],
            list(_KEEPERS),
            format_func=_KEEPERS.__getitem__,
            help=words.OVERLAPS_HELP,
            **form.segment(f"tiles {OVERLAPS}", [None, *_KEEPERS], None),
        )
