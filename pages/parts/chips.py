"""Chips for the categories of an attribute by which tables are split: one row, or a list where there are many."""

from __future__ import annotations

from typing import Any, Final

import streamlit as st

from dpcore.measures.attribute import Categories
from dpcore.views.ground.plain import plain, sentence

ALL_PARTS: Final = "All parts"
PART_HELP: Final = "Choose one category to see its trips alone, or none for all parts."
_MOST_CHIPS: Final = 12  # of one attribute; with more there is a list to choose from


def chips(one: Categories, more: str, **start: Any) -> list[str]:  # noqa: ANN401 - the start of a widget, as a form or a page gives it
    """The chosen categories of an attribute; ``more``: what else its help says; ``start``: key, default or callback."""
    title, told = sentence(one.title), f"{PART_HELP} {more}".strip()
    if len(one.labels) > _MOST_CHIPS:
        return st.multiselect(title, one.labels, placeholder=ALL_PARTS, help=told, **start)
    return st.pills(title, one.labels, selection_mode="multi", format_func=plain, help=told, **start)
