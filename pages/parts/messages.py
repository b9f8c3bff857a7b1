"""What every page shows in the same way: refusals, the progress of work, and downloads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from mimetypes import guess_type
from time import monotonic
from typing import Final

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpcore.errors import AtlasError
from dpcore.views.ground.plain import plain, sentence

WALK: Final = "walk"
"""The view of a release that the Library shows itself."""
_IN_SIGHT: Final = 10  # faults that a refusal lists at once


def show_refusal(error: AtlasError) -> None:
    """Show what was refused, where, and how to mend it, with the other faults below; what was loaded before stays."""
    said = f"**{plain(sentence(error.what))}**: {plain(error.where)}. {plain(error.mend)}"
    listed = [f"- {plain(note)}" for note in getattr(error, "__notes__", ())]
    others = listed[1 : _IN_SIGHT + 1]  # the first one says what stands above
    st.error("\n".join((said, "", *others)) if others else said, icon=":material/block:")
    if len(listed) > _IN_SIGHT + 1:
        with st.expander("All that was found"):
            st.markdown("\n".join(listed))


def noted(notes: Sequence[str]) -> None:
    """Show in one box what a link names and a release does not have; nothing where there is no note."""
    if notes:
        st.info(
            "\n".join(f"- {note}" for note in notes) if notes[1:] else notes[0], icon=":material/link_off:"
        )


@contextmanager
def refusals() -> Iterator[None]:
    """Show the refusals of a block in words, and go on after it."""
    try:
        yield
    except AtlasError as error:
        show_refusal(error)


_BARS: ContextVar[DeltaGenerator | None] = ContextVar("where bars stand", default=None)


@contextmanager
def bars_in(place: DeltaGenerator) -> Iterator[None]:
    """Let every bar of a block stand in one empty place that is always there.

    Streamlit tells elements apart by their number in their column. A bar that takes a number of its own where it is needed, and none
    where it is not, would move all that follows: a map would be mounted anew, and the focus of its slider lost.
    """
    before = _BARS.set(place)
    try:
        yield
    finally:
        _BARS.reset(before)


@contextmanager
def bars_over_the_page() -> Iterator[None]:
    """Let every bar of a block lie over the foot of the window, where it moves nothing that is read or clicked."""
    with bars_in(st.container(key="bars").empty()):
        yield


@contextmanager
def spinner(waiting: str) -> Iterator[None]:
    """A turning circle with its words as long as the work lasts, in the place of bars."""
    place = _BARS.get() or st.empty()
    try:
        with place, st.spinner(waiting):
            yield
    finally:
        place.empty()


@contextmanager
def progress(
    waiting: str, at: Callable[[float], str] | None = None, *, after: float = 0.0
) -> Iterator[Callable[[float], None]]:
    """A bar with its words as long as the work lasts; the work tells the share that is done, which ``at`` can word.

    It stands where ``bars_in`` says, or else here. ``after``: the bar shows only if the work lasts longer than so many seconds, because one that comes and goes disturbs.
    """
    place, begun = _BARS.get() or st.empty(), monotonic()

    def tell(share: float) -> None:
        if monotonic() - begun >= after:
            place.progress(min(max(share, 0.0), 1.0), waiting if at is None else f"{waiting}: {at(share)}")

    if not after:
        place.progress(0.0, waiting)
    try:
        yield tell
    finally:
        place.empty()


def take_away(
    label: str,
    content: Callable[[], bytes | str],
    name: str,
    *,
    icon: str,
    explained: str | None = None,
    key: str | None = None,
) -> None:
    """A button that downloads a file; its content is made when it is asked for, and the page does not run again."""
    st.download_button(
        label,
        content,
        name,
        guess_type(name)[0],
        icon=f":material/{icon}:",
        on_click="ignore",
        help=explained,
        key=key,
    )
