"""What the release promises, what not, and how to check it."""

from __future__ import annotations

import streamlit as st

from dpcore.privacy import beliefs_table
from dpcore.release import Release
from dpcore.views.guarantee import Guarantee, guarantee, promise_of
from dpcore.views.plain import plain
from pages.released.parts import words
from pages.released.parts.viewing import Viewing, verdict


def draw(mine: Viewing, release: Release) -> None:
    """The whole view."""
    said = guarantee(release)
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.markdown("#### What is promised")
        for sentence in said.promise:
            st.markdown(plain(sentence))
        _beliefs(release)
        st.markdown("#### What is not protected")
        st.markdown("\n".join(f"- {plain(sentence)}" for sentence in said.not_protected))
        _checking(mine, said)
    with right:
        st.markdown("#### Facts")
        if release.note:
            st.markdown("  \n".join(plain(line) for line in release.note.splitlines()))
        _pairs(said.facts)
        st.markdown("#### Where it was charged")
        _pairs(said.ledger)


def _beliefs(release: Release) -> None:
    """What a belief can become, for the whole release."""
    st.caption("What anyone can come to believe at most, by what they believed before:")
    st.table(beliefs_table(promise_of(release)), border="horizontal", alt="Belief before, and at most after")


def _checking(mine: Viewing, said: Guarantee) -> None:
    st.markdown("#### How to check it")
    st.markdown(words.VERIFY)
    st.code(said.verify, language=None, wrap_lines=True)
    for title, digest in (("Digest of this bundle", verdict(mine.name).digest), *said.digests):
        st.caption(title)
        st.code(digest, language=None, wrap_lines=True)
    if said.command:
        st.caption("The command that repeats the computation, with fresh noise and at its price")
        st.code(said.command, language=None, wrap_lines=True)


def _pairs(facts: tuple[tuple[str, str], ...]) -> None:
    st.table(
        {"fact": [plain(name) for name, _ in facts], "value": [plain(value) for _, value in facts]},
        border="horizontal",
        hide_header=True,
        alt="Facts of the release",
    )
