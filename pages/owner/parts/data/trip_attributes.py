"""The attributes of trips that are kept: a field for each column, in which the owner writes a public list or public bounds.

A column is recognised by its name. Nothing is listed from its values.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

import streamlit as st

from dpcore.api import owner
from dpcore.measures.attribute import Attribute, Categories
from dpcore.views.ground.plain import plain
from pages.owner.parts.data import column_words as words
from pages.owner.parts.state.session import session

_EXAMPLE = "bus,rail,bike or 0:100:0.01"
_SHOWN = 12
"""Categories of one attribute that a caption names."""


def written_attributes(
    header: Sequence[str], taken: Collection[str], said: Mapping[str, str], key: Callable[[str], str]
) -> dict[str, str]:
    """Column -> what the owner wrote of it, for the columns that are kept.

    ``taken``: columns that have a role. ``said``: the same of a file with these columns before. ``key``: the field of the form of
    what is asked, for files with these columns.
    """
    known, names = owner.recognised_attributes(header, taken), owner.attribute_names(header)
    free = [one for one in header if one not in {*taken, *known.values()}]
    with st.expander(
        f"Attributes of the trips: {len(known):,} recognised", expanded=bool(said), icon=":material/category:"
    ):
        st.caption(words.KEPT_HELP)
        start = session().form.several(key("attributes besides"), free, [one for one in free if one in said])
        others = st.multiselect("Other columns to keep", free, placeholder="Choose columns", **start)
        written = {}
        for column in (*known.values(), *others):
            start = session().form.value(key(f"attribute {column}"), str, said.get(column, ""))
            label = f"{names[column]}: column {plain(column)}"
            text = st.text_input(label, placeholder=_EXAMPLE, help=words.KEPT_FORM, **start)
            if text.strip():
                written[column] = text.strip()
    return written


def kept_words(attributes: Sequence[Attribute]) -> str:
    """What is kept of each trip, in a sentence. Public."""
    return f"Kept of each trip: {'; '.join(map(_in_words, attributes))}."


def _in_words(one: Attribute) -> str:
    if not isinstance(one, Categories):
        low, high, unit = one.declared.split(":")
        return f"{one.name}, {low} to {high} in units of {unit}"
    shown = " · ".join(
        one.labels if len(one.words) <= _SHOWN else (*one.words[:_SHOWN], "…", *one.labels[-2:])
    )
    return f"{one.name} ({plain(shown)})"
