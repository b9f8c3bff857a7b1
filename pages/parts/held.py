"""What somebody chooses in the browser is held there until Python has read it. No move is lost, and none is read twice.

The browser numbers its wishes and tells each one until it hears that its number was read (``pages/assets/held.js``). Python is
the owner of what is chosen: with every answer it says what it holds, and the browser shows that.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import streamlit as st

from dpcore.privacy import decimal_text
from dpcore.views.ground.selection import Selection, selection_sent
from pages.parts.map_data import map_data

_READ = "wishes that were read"
_LEVEL = "level of the flows of {link}"


@dataclass(frozen=True)
class Ear:
    """One thing that can be chosen in the browser, and what the page does with a wish."""

    name: str
    """``epsilon``, ``chosen``, ``level``, ``window``, ``step`` or ``kept``."""
    link: str
    """Of the maps and sliders that choose together."""
    take: Callable[[object], None]
    """Keeps a wish that was not read before. Nothing in it is trusted: what the page does not know it leaves."""
    holds: Callable[[], object]
    """What the page holds, after that; as the browser would wish it."""
    order: int = 0
    """Another number than before: Python chose since. Wishes that were made before the browser knew of it are left."""


def epsilon_ear(
    link: str, rungs: Sequence[Fraction], now: Callable[[], int], go: Callable[[int], None], order: int = 0
) -> Ear:
    """The ear for a slider over rungs; ``now``: the rung where the page stands, ``go``: keeps another one."""
    names = [decimal_text(rung) for rung in rungs]

    def take(wish: object) -> None:
        if wish in names:
            go(names.index(str(wish)))

    return Ear("epsilon", link, take, lambda: names[now()], order)


def chosen_ear(
    link: str,
    room: tuple[int, int],
    now: Callable[[], Selection],
    keep: Callable[[Selection], None],
    order: int = 0,
) -> Ear:
    """The ear for places on a map; ``room``: how many tiles and districts there are."""

    def take(wish: object) -> None:
        chosen = selection_sent(wish, *room)
        if chosen is not None:
            keep(chosen)

    return Ear("chosen", link, take, lambda: now().sent(), order)


def between_districts(link: str) -> bool:
    """Whether the map of flows of a link draws them between districts, as it told last; from afar it does."""
    return bool(st.session_state.get(_LEVEL.format(link=link), True))


def level_ear(link: str, order: int = 0) -> Ear:
    """The ear for the level of a map of flows, which the list beside it follows."""

    def take(wish: object) -> None:
        if isinstance(wish, str) and wish in {"districts", "tiles"}:
            st.session_state[_LEVEL.format(link=link)] = wish == "districts"

    return Ear("level", link, take, lambda: "districts" if between_districts(link) else "tiles", order)


def hear(key: str, *ears: Ear) -> None:
    """Take the wishes that the component of this key told since the last run, in a callback or after it was drawn."""
    told = st.session_state.get(key) or {}
    read: dict[tuple[str, str], int] = st.session_state.setdefault(_READ, {})
    for ear in ears:
        wish = told.get(ear.name)
        if not isinstance(wish, Mapping):
            continue
        number, order = wish.get("number"), wish.get("order")
        if not isinstance(number, int) or number <= read.get((ear.link, ear.name), 0):
            continue
        # No call of Streamlit stands between the two, so no new run comes between them.
        if order is None or order == ear.order:
            ear.take(wish.get("value"))
        read[ear.link, ear.name] = number


def answer(*ears: Ear) -> None:
    """Tell the browser which wishes were read and what is held; nothing is shown."""
    read: dict[tuple[str, str], int] = st.session_state.setdefault(_READ, {})
    for link in dict.fromkeys(ear.link for ear in ears):
        answers = {
            ear.name: {"number": read.get((link, ear.name), 0), "order": ear.order, "value": ear.holds()}
            for ear in ears
            if ear.link == link
        }
        map_data("answers", link, answers, which=" and ".join(answers))
