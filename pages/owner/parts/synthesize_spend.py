"""The last word before a synthetic release is paid for, the spend itself, and its receipt."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from dpcore import curator
from dpcore.errors import AtlasError
from dpcore.privacy import decimal_text
from dpcore.release import kind_of, zipped
from dpcore.release.layout import TRAJECTORIES, TRIPS
from dpcore.views import stability
from dpcore.views.plain import plain, sentence
from pages.owner.parts import synthesize_publish_words as texts
from pages.owner.parts.background import Work
from pages.owner.parts.publishing import carried_out, late
from pages.parts.messages import refused
from pages.parts.roles import Role, require


@dataclass(frozen=True, repr=False, eq=False)
class Pending:
    """One spend that waits for its owner's word. Its nonce is fixed here, so it can be charged only once."""

    nonce: str
    lines: dict[str, str]
    button: str
    work: Work[curator.Receipt]
    warning: str | None = None
    """What its owner should look at first."""


@dataclass(repr=False)
class Publishing:
    """What is about to be published of one kind, and what was published last."""

    title: str = ""
    note: str = ""
    pending: Pending | None = None
    receipt: curator.Receipt | None = None


def confirmation(mine: Publishing) -> None:
    """The dialog of what waits, if something does."""
    pending = mine.pending
    if pending is None or pending.work.told:
        return

    def forget() -> None:
        mine.pending = None

    @st.dialog("Publish?", on_dismiss=forget)
    def ask() -> None:
        require(Role.OWNER)  # the dialog reruns alone, without the page and its gate
        for label, value in pending.lines.items():
            name, text = st.columns([2, 3])
            name.markdown(f"**{plain(label)}**")
            text.markdown(plain(value))
        if pending.warning is not None:
            st.warning(pending.warning, icon=":material/wrong_location:")
        room = st.empty()
        if pending.work.begun or room.button(pending.button, type="primary", key=f"confirm {pending.nonce}"):
            with room.container():
                _carry_out(mine, pending)

    ask()


def _carry_out(mine: Publishing, pending: Pending) -> None:
    """Begin the spend, or watch the one that was begun, to its end."""
    try:
        mine.receipt = carried_out(pending.work, texts.WORKING)
    except AtlasError as error:
        refused(error)
        return
    mine.pending = None
    st.rerun()


def receipt(mine: Publishing) -> None:
    """What was published last: where it lies, what it cost, and ways to take it."""
    late(None if mine.pending is None else mine.pending.work)
    done = mine.receipt
    if done is None:
        return
    with st.container(border=True):
        st.markdown("**Published**")
        again = " It had been published before; nothing was charged again." if done.repeated else ""
        delta = f" and δ {stability.delta_text(done.charged_delta)}" if done.charged_delta else ""
        st.markdown(
            f"**{plain(done.release.title)}**, release `{done.release.id}`. Charged ε {decimal_text(done.charged)}"
            f"{delta}.{again} Left: ε {decimal_text(done.left)}."
        )
        st.caption(f"The bundle lies in {plain(str(done.folder))}")
        st.caption(f"Digest of its manifest, as in the ledger: {done.digest}")
        for said in kind_of(done.release.plan).told(done.release):
            st.caption(f"{sentence(said)}.")
        for note in done.notes:
            st.warning(plain(note), icon=":material/info:")
        save, trips = st.columns(2)
        save.download_button(
            "Download .zip",
            lambda: zipped(done.folder),
            f"{done.release.id}.zip",
            "application/zip",
            icon=":material/download:",
            on_click="ignore",
        )
        is_trips = (done.folder / TRIPS).exists()  # a person's days are no trips
        rows = TRIPS if is_trips else TRAJECTORIES
        trips.download_button(
            f"Download {rows}",
            (done.folder / rows).read_bytes,
            rows,
            icon=":material/table_rows:",
            on_click="ignore",
            help=texts.TRIPS_HELP if is_trips else texts.TRAJECTORIES_HELP,
        )
