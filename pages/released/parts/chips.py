"""Which part of a release whose tables are split is looked at: chips for its categories, and the part itself."""

from __future__ import annotations

from functools import partial
from threading import Lock
from weakref import WeakKeyDictionary

import streamlit as st

from dpcore.measures.attribute import Categories
from dpcore.release import Release
from dpcore.release.one_part import part_of
from dpcore.views.ground.part_choice import one_part
from dpcore.views.ground.plain import plain
from pages.parts.chips import chips
from pages.released.parts import words
from pages.released.parts.viewing import Viewing, viewing

_MOST_KEPT = 8  # parts of one release whose maps stay in memory
_LOCK = Lock()
_PARTS: WeakKeyDictionary[Release, dict[tuple[str, ...], Release]] = WeakKeyDictionary()


def seen_part(mine: Viewing, release: Release) -> Release | None:
    """What the views show: the release, or the part of it that is chosen; None where several parts are chosen.

    It is the same object for all visitors, so its maps are packed once.
    """
    splits = release.plan.choices.splits
    if not splits:
        return release
    part = one_part(mine.at.part, splits)
    if part is None:
        return None
    key = tuple(part.values())
    with _LOCK:
        kept = _PARTS.setdefault(release, {})
        found = kept[key] = kept.pop(key) if key in kept else part_of(release, part)
        while len(kept) > _MOST_KEPT:
            del kept[next(iter(kept))]
        return found


def draw_chips(mine: Viewing, release: Release) -> None:
    """The categories to choose from, a row for each attribute; nothing where no table is split."""
    for one in release.plan.choices.splits:
        key = f"part {one.name}"
        st.session_state[key] = [label for name, label in mine.at.part if name == one.name]
        chips(one, words.PART_HELP, key=key, on_change=partial(_another, release.plan.choices.splits))


def _another(splits: tuple[Categories, ...]) -> None:
    """Other categories were chosen."""
    viewing().choose_part(
        tuple(
            (one.name, label)
            for one in splits
            for label in one.labels
            if label in st.session_state[f"part {one.name}"]
        )
    )


def part_words(mine: Viewing) -> str:
    """The chosen categories for a presentation, which has no chips; empty where none is chosen."""
    return plain(", ".join(label for _, label in mine.at.part))
