"""The public keys that an owner may choose: dates, time windows, bins. None of them is ever read off the trips."""

from __future__ import annotations

from datetime import date
from typing import Final

import streamlit as st

from dpcore import limits
from dpcore.errors import InputError
from dpcore.measures import BINS, measure_named
from dpcore.measures.choices import WINDOWS, KeyChoices
from dpcore.measures.keys import Period, Step
from pages.owner.parts import words

_STEPS: Final = {Step.DAY: "Day", Step.WEEK: "Week", Step.MONTH: "Month"}


DATE_FORM = "YYYY-MM-DD"
"""How every field for a date shows it, as all pages do."""


def key_form() -> KeyChoices:
    """Dates first, the rest folded away; PrivacyError or InputError for what cannot be."""
    period = _period()
    with st.expander("Steps, time windows and bins", icon=":material/view_week:"):
        st.caption(words.KEYS_HELP)
        step, starts = st.columns(2)
        each = step.segmented_control(
            "One count of the series covers a",
            list(Step),
            format_func=_STEPS.__getitem__,
            default=Step.DAY,
            required=True,
        )
        windows = starts.text_input("Time windows begin at", _listed(WINDOWS), help=words.WINDOWS_HELP)
        cap = st.number_input(
            "Visits counted of one trip, at most",
            2,
            limits.MAX_POINTS_PER_TRIP,
            2,
            help=words.VISITS_HELP,
        )
        edges = _edges()
    return KeyChoices(period, each, _hours(windows), edges, cap if cap > 2 else None)


def _period() -> Period | None:
    """The public period, if both days were given."""
    first, last = st.columns(2)
    begin = first.date_input(
        "First day (public)",
        None,
        date(1970, 1, 1),
        date(2100, 12, 31),
        help=words.PERIOD_HELP,
        format=DATE_FORM,
    )
    end = last.date_input("Last day (public)", None, date(1970, 1, 1), date(2100, 12, 31), format=DATE_FORM)
    return Period(begin, end) if begin and end else None


def _edges() -> dict[str, tuple[str, ...]]:
    """Edges of every histogram, as listed; the usual ones where nothing was changed."""
    found = {}
    names = list(BINS)
    for start in range(0, len(names), 2):
        for name, cell in zip(names[start : start + 2], st.columns(2), strict=False):
            text = cell.text_input(measure_named(name).title, _listed(BINS[name].edges))
            found[name] = tuple(part.strip() for part in text.split(","))
    return found


def _hours(text: str) -> tuple[int, ...]:
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() for part in parts):
        raise InputError("these are no hours", "time windows", f"List hours such as {_listed(WINDOWS)}.")
    return tuple(int(part) for part in parts)


def _listed(values: tuple[object, ...]) -> str:
    return ", ".join(str(value) for value in values)
