"""Which numbers of the trips a release adds up and averages, within which public bounds, and in the cells of which table."""

from __future__ import annotations

from typing import Final

import streamlit as st

from dpcore.errors import AtlasError
from dpcore.measures import measure_named
from dpcore.measures.sums import BY, DISTANCE, DURATION
from dpcore.views.ground.plain import plain, sentence
from pages.owner.parts.state.draft import Draft, names_of
from pages.owner.parts.state.session import key_of

SUMS_HELP: Final = (
    "A sum and a mean of a number of each trip, such as its minutes. A value beyond the bounds is set to the bound. Bounds and unit are "
    "public: choose them without looking at the trips. The farther the bounds, the wider the noise."
)
BOUNDS_HELP: Final = "Lowest value, highest value and unit, such as 0:120:1."
BY_HELP: Final = "One number over all trips has the least noise. In the cells of a table each cell has a sum and a mean of its own."
WEIGHT: Final = 100
_USUAL: Final = {DURATION: "0:120:1", DISTANCE: "0:50:0.1"}
_UNITS: Final = {DURATION: "duration (minutes)", DISTANCE: "distance (km)"}


def proposed_bounds(draft: Draft) -> dict[str, str]:
    """Each number that can be added up, with bounds and unit: those of the draft, or else usual or declared ones."""
    usual = {**_USUAL, **{one.name: one.declared for one in draft.amounts}}
    return {name: draft.sums.get(name, text) for name, text in usual.items()}


def number_name(name: str) -> str:
    """A number with its unit."""
    return _UNITS.get(name, name)


def bounds_label(name: str) -> str:
    """What stands above its bounds."""
    return f"Bounds of {plain(name)}: lowest, highest and unit"


def sums_form(draft: Draft) -> str:
    """Fill in the sums; returns why nothing can be added up so (Markdown), or nothing."""
    proposed = proposed_bounds(draft)
    names = st.multiselect(
        "Sums and means",
        list(proposed),
        default=[name for name in draft.sums if name in proposed],
        format_func=number_name,
        placeholder="None",
        help=SUMS_HELP,
        key=key_of("sums"),
    )
    texts = {
        name: st.text_input(
            bounds_label(name),
            value=proposed[name],
            help=BOUNDS_HELP,
            key=key_of(f"sum {name}", "sums"),
        )
        for name in names
    }
    _publish(draft, names)
    draft.sums = {name: text.strip() for name, text in texts.items()}
    if names:
        by = [None, *(name for name in BY if draft.choices.period is not None or name != "trips_over_time")]
        draft.by = st.selectbox(
            "Told for",
            by,
            index=by.index(draft.by) if draft.by in by else 0,
            format_func=lambda name: "all trips, one number" if name is None else measure_named(name).title,
            help=BY_HELP,
            key=key_of("by table", "by"),
        )
    else:
        draft.by = None
    try:
        for name, text in draft.sums.items():
            draft.sum(name, text)
        _ = draft.keys
    except AtlasError as error:
        return f"{plain(sentence(error.what))}. {plain(error.mend)}"
    return ""


def _publish(draft: Draft, names: list[str]) -> None:
    """Where the measures were edited: publish what is added up from now on, and what is not no longer."""
    if not draft.edited:
        return
    before, now = names_of(draft.sums), names_of(names)
    kept = {name: one for name, one in draft.weights.items() if name not in before or name in now}
    weights = kept | {name: WEIGHT for name in now if name not in before}
    if weights != draft.weights:
        draft.weights = weights
        show_weights(draft)


def show_weights(draft: Draft) -> None:
    """Let the widgets show the weights of a draft, which were not chosen in them. They would keep what they showed first."""
    unit, weights = draft.unit.value, draft.weights
    shown = {key_of(f"weight {unit} {name}", "weights_of"): weight for name, weight in weights.items()}
    for key, value in {key_of(f"measures {unit}", "weights_of"): [*weights], **shown}.items():
        if st.session_state.get(key, value) != value:
            st.session_state[key] = value
