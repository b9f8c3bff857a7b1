"""Decide before looking: the first choice after own trips are loaded, before any page shows an exact count of them."""

from __future__ import annotations

from typing import Final

import streamlit as st

from dpcore.errors import AtlasError
from dpcore.views.ground.plain import plain
from dpcore.views.numbers import sentences
from dpcore.views.planning import advice
from pages.owner.parts.release.account import ask_forecast
from pages.owner.parts.state.data_sets import DataSet
from pages.owner.parts.state.draft import in_words
from pages.owner.parts.state.session import session
from pages.parts.messages import show_refusal

DECIDE: Final = "Decide before looking"
INTRO: Final = (
    "Nothing was counted for you yet. Decide the plan now, from what is known anyway: about how many trips and people, the "
    "dates and the tiles."
)
PLAN: Final = "Go on with this plan"
PLAN_MEANS: Final = (
    "You see no count yet, and each release can say that it was planned **before anyone looked at the data**."
)
PLAN_AFTER_A_LOOK: Final = "So each release says that it was planned **after looking at the data**."
PLAN_NEEDS: Final = "Still needed: about how many trips there are."
LOOK: Final = "Look first"
LOOK_MEANS: Final = (
    "You see exact counts at once, but every later release of these trips, or of another month with their plan, says that it was "
    "planned **after looking**, and ε does not cover what your choices tell."
)
NOT_YET: Final = "You have not looked at these trips yet, so nothing of them is shown here."
NO_DATES: Final = "Without a first and a last day (step 3) there are no trips over time."


def banner(data: DataSet, private: str) -> None:
    """Say who may see what follows."""
    if data.is_demo:
        st.caption(f"{data.mark}. Its truth is public, so that everything can be tried.")
    else:
        st.warning(f"{data.mark} {private}", icon=":material/visibility_lock:")


def may_look(data: DataSet) -> bool:
    """Whether a page may show what it counts of these trips. If not, it shows both ways to go on, and why."""
    if nothing_to_decide(data):
        return True
    st.info(f"{NOT_YET} {INTRO}", icon=":material/visibility_off:")
    _ways_on(DECIDE, "edit_note", "data")
    return False


def decide_before_looking(data: DataSet) -> bool:
    """The panel of the Data page: the plan from declared numbers. Returns whether the owner looks instead."""
    if nothing_to_decide(data):
        return True
    st.subheader("4 Decide before looking")
    st.caption(INTRO)
    draft = session().draft()
    ask_forecast(data, draft, offer_true=False)
    if data.period is None:
        st.caption(NO_DATES)
    try:
        plan = draft.plan()
    except AtlasError as error:
        show_refusal(error)
    else:
        st.markdown(sentences.protection(plan.bound, plan.epsilon))
        st.markdown(
            "\n".join(f"- {card.label}: **{plain(card.value)}**" for card in advice.cards(plan, draft.facts))
        )
        st.caption(advice.HOPE)
    _ways_on(PLAN, "publish", "release", needs=None if draft.trips else PLAN_NEEDS)
    return False


def nothing_to_decide(data: DataSet) -> bool:
    """Whether there is nothing to decide: the trips are public, or somebody looked, or agreed to look."""
    return data.is_demo or bool(session().seen) or session().agreed


def _ways_on(decide_label: str, icon: str, page: str, needs: str | None = None) -> None:
    """Two buttons: decide first, on another page, or look. ``needs``: what lacks before the first way is open."""
    decide, look = st.columns(2)
    if decide.button(
        decide_label, type="primary", icon=f":material/{icon}:", width="stretch", disabled=needs is not None
    ):
        st.switch_page(f"pages/owner/{page}.py")
    seen = session().draft().seen
    decide.caption(needs or (f"{in_words(seen)} {PLAN_AFTER_A_LOOK}" if seen else PLAN_MEANS))
    if look.button(LOOK, icon=":material/visibility:", width="stretch"):
        session().agreed = True
        st.rerun()
    look.caption(LOOK_MEANS)
