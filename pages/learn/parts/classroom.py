"""Classroom mode: one seed, so that all screens of a class show the same noise. On the demo city only, and said."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from typing import TypeVar, cast

import streamlit as st

from dpcore.lessons.dice import Dice

Made = TypeVar("Made")

_SEED = "class"
"""Name of the seed in the address of a page, so that a teacher's link brings it along."""
_KEPT = "learn classroom"
MAX_SEED = 9_999


def seed() -> int | None:
    """The seed of the class, from the link or chosen here; None outside a classroom."""
    given = st.query_params.get(_SEED, "")
    if len(given) <= len(str(MAX_SEED)) and given.isdecimal() and 1 <= int(given) <= MAX_SEED:
        st.session_state[_KEPT] = int(given)
    found = st.session_state.get(_KEPT)
    return found if isinstance(found, int) else None


def carry_on() -> None:
    """Write the class into the address of the page that opens, so that links copied there bring it along."""
    number = seed()
    if number is not None and st.query_params.get(_SEED) != str(number):
        st.query_params[_SEED] = str(number)


def begin(number: int | None) -> None:
    """Join the class of a seed, or leave with None; everything asked before is forgotten."""
    if number is None:
        st.session_state.pop(_KEPT, None)
        st.query_params.pop(_SEED, None)
    else:
        st.session_state[_KEPT] = number
        st.query_params[_SEED] = str(number)
    for key in [key for key in st.session_state if str(key).startswith(("learn turn ", "learn drawn "))]:
        del st.session_state[key]


def controls() -> None:
    """The small menu behind which a teacher finds the mode."""
    with st.popover("For a class", icon=":material/school:"):
        st.markdown(
            "Give everybody the same number: all screens then show the same noise, and links made here carry it. Whoever "
            "asks for new noise moves on by one draw: all do so together, or all join again and begin at the first. "
            "**Noise that others know protects nobody**: this exists for the demo city alone."
        )
        number = st.number_input(
            "Number of the class (1 to 9,999)", 1, MAX_SEED, seed() or 7, key="learn class number"
        )
        join, leave = st.columns(2)
        if join.button("Join", width="stretch"):
            begin(number)
            st.rerun()
        if leave.button("Leave", width="stretch", disabled=seed() is None):
            begin(None)
            st.rerun()


def turn(action: str) -> int:
    """How often an action of a lesson was asked for anew, 0 at first."""
    found = st.session_state.get(f"learn turn {action}", 0)
    return found if isinstance(found, int) else 0


def next_turn(action: str) -> None:
    """Ask anew: what was drawn for an action is drawn again at the next run."""
    st.session_state[f"learn turn {action}"] = turn(action) + 1


def draws(lesson: int) -> str:
    """Which draw a lesson shows, so that a class sees when it has drifted apart; its actions begin with its number."""
    begins = f"learn turn {lesson}-"
    turns = {
        str(key).removeprefix(begins): 1 + turn(str(key).removeprefix("learn turn "))
        for key in st.session_state
        if str(key).startswith(begins)
    }
    if len({*turns.values()}) <= 1:
        return f"draw {max(turns.values(), default=1)}"
    return ", ".join(f"{action.replace('-', ' ')}: draw {number}" for action, number in sorted(turns.items()))


def kept_draw(action: str, make: Callable[[Dice], Made], *given: object) -> Made:
    """What an action drew: kept until it is asked for anew or what it was given changes.

    In a class the draws follow from its number, the action and the turn; else they are fresh.
    """
    key = (seed(), turn(action), given)
    kept = st.session_state.get(f"learn drawn {action}")
    if isinstance(kept, tuple) and kept[0] == key:
        return cast("Made", kept[1])  # an action always draws the same kind of thing
    if seed() is None:
        dice = Dice()
    else:
        told = sha256(f"{seed()} {action} {turn(action)} {given}".encode()).digest()
        dice = Dice(int.from_bytes(told[:8]))
    made = make(dice)
    st.session_state[f"learn drawn {action}"] = (key, made)
    return made
