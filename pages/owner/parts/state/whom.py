"""Whom to hide, and at most how many trips of each person count: one control for every page that asks it."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpcore.privacy import PrivacyUnit
from pages.owner.parts.state import words
from pages.owner.parts.state.data_sets import DataSet
from pages.owner.parts.state.draft import MOST_TRIPS
from pages.owner.parts.state.session import session


def whom_to_hide(
    data: DataSet,
    page: str,
    places: tuple[DeltaGenerator, DeltaGenerator] | None = None,
    *,
    most: int = MOST_TRIPS,
    without_people: str = words.NO_USERS,
    about: str | None = words.UNIT_HELP,
) -> None:
    """Ask for the unit and, where a person is hidden, for the bound.

    Args:
        data: the loaded trips; without user ids only single trips can be hidden.
        page: begins the keys of both widgets.
        places: where both stand; side by side, if they are not named.
        most: the largest bound.
        about: what is said of the units behind a question mark; None on a page that says it elsewhere.
        without_people: what stands in place of the bound where the trips have no user ids.

    """
    chosen = session().draft()
    whom, bound = places or st.columns(2, vertical_alignment="bottom")
    unit = whom.segmented_control(
        "Hide",
        list(PrivacyUnit) if data.trips.has_users else [PrivacyUnit.TRIP],
        format_func=words.UNITS.__getitem__,
        help=about,
        required=True,
        default=chosen.unit,
        key=session().form.key(f"{page} hide", "release unit"),
    )
    chosen.unit = unit or chosen.unit
    if chosen.unit is PrivacyUnit.USER:
        # With whole numbers Streamlit would take "1e2" for 1, because it stops at the first letter.
        typed = bound.number_input(
            f"Trips counted per person, at most (1 to {most:,})",
            1.0,
            float(most),
            step=1.0,
            format="%.0f",
            help=words.BOUND_HELP,
            value=float(min(chosen.max_trips, most)),
            key=session().form.key(f"{page} max trips", "release max_trips"),
        )
        chosen.max_trips = int(typed + 0.5)  # as the field shows it
    elif not data.trips.has_users:
        bound.caption(without_people)
