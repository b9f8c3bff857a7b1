"""The choices of a draft that a project keeps, by field; and how they are put back into a draft and its widgets."""

from __future__ import annotations

import re
import typing
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

import streamlit as st

from dpcore import limits
from dpcore.api import owner
from dpcore.measures import MEASURES
from dpcore.privacy import RUNGS, PrivacyUnit
from dpcore.views.flows import NUMBERS_OF_FALSE_FLOWS
from pages.owner.parts.draft import MOST_TRIPS, Draft, Publishing
from pages.owner.parts.form import anything, between

_SHORT: Final = 200


def _short(text: str | None) -> bool:
    return text is None or len(text) <= _SHORT


FIELDS: Final[Mapping[str, tuple[Callable[[Any], bool], tuple[str, ...]]]] = MappingProxyType(
    {
        "dataset": (_short, ("release dataset",)),
        "population": (_short, ("release population",)),
        "total": (_short, ("release total",)),
        "currency": (anything, ("release currency",)),
        "part": (_short, ("release part",)),
        "unit": (anything, ("release hide", "explore hide")),
        "max_trips": (between(1, MOST_TRIPS), ("release max trips", "explore max trips")),
        "districts": (between(2, limits.MAX_DISTRICTS), ("release districts",)),
        "most_trips": (between(1, limits.MAX_TRIPS_PER_USER), ("release most trips",)),
        "weights_of": (lambda of: all(map(_weights, of.values())), ()),
        "five_numbers": (between(0, 1_000), ()),
        "ranges": (between(0, 0.9), ()),
        "false_flows": (NUMBERS_OF_FALSE_FLOWS.__contains__, ("release false flows",)),
        "by_accuracy": (anything, ()),
        "epsilon": (RUNGS.__contains__, ("release epsilon",)),
        "wanted": (between(1, 1_000_000), ("release wanted",)),
        "wanted_measure": (MEASURES.__contains__, ("release wanted measure",)),
        "chosen": (anything, ("release chosen",)),
        "trips": (between(0, 10**12), ("release trips",)),
        "users": (between(1, 10**12), ("release users",)),
    }
)
"""Attribute of ``Draft`` -> what fits, and the widgets that show it. The field of the project is the attribute after ``release ``."""

_ITS_OWN: Final = frozenset({"dataset", "population"})
"""The account of the built-in city is always its own."""
_TEXTS: Final = re.compile(r"release text (title|note) ([a-z-]{1,40})")


def _weights(weights: Mapping[str, int]) -> bool:
    return all(name in MEASURES and 1 <= one <= limits.MAX_BUNDLE_WEIGHT for name, one in weights.items())


def fields_of(draft: Draft) -> dict[str, Any]:
    """All kept choices of a draft, as JSON by field."""
    found = {f"release {name}": owner.written(getattr(draft, name)) for name in FIELDS}
    for kind, texts in draft.of_kinds.items():
        found |= {f"release text title {kind}": texts.title, f"release text note {kind}": texts.note}
    return found


def put_back(draft: Draft, values: Mapping[str, Any], names: Iterable[str] | None = None) -> None:
    """Put saved fields into a draft, all or some. What does not fit is left as it is.

    Widgets that are shown now take the value too: another tab changed it.
    """
    hints = typing.get_type_hints(Draft)
    for field in [*values] if names is None else names:
        name = field.removeprefix("release ")
        if text := _TEXTS.fullmatch(field):
            if isinstance(values.get(field), str) and len(values[field]) <= limits.MAX_NOTE_CHARACTERS:
                setattr(draft.of_kinds.setdefault(text[2], Publishing()), text[1], values[field])
                _show(f"release {text[2]} {text[1]}", values[field])
        elif (
            name in FIELDS and field != name and field in values and not (draft.is_demo and name in _ITS_OWN)
        ):
            fits, keys = FIELDS[name]
            try:
                value = owner.read_as(hints[name], values[field])
            except ValueError:
                continue
            if fits(value):
                setattr(draft, name, value)
                for key in keys:
                    _show(key, value)
    if not draft.has_users:
        draft.unit = draft.currency = PrivacyUnit.TRIP


def _show(key: str, value: object) -> None:
    if st.session_state.get(key, value) != value:
        st.session_state[key] = value
