"""The game of lesson 6: a coin puts your trip in or leaves it out; guess it from the noisy answer, against the best attacker."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import numpy as np
import streamlit as st

from dpcore.lessons.attacks.membership import best_accuracy
from dpcore.lessons.city import city
from dpcore.lessons.membership import Game, game
from pages.learn.parts import classroom
from pages.learn.parts.choices import one_of
from pages.learn.parts.percent import at_most

ROUNDS, ALONE = 20, 1_000


def play(epsilon: Fraction, delta: float) -> None:
    """Rounds for the learner, then more for the bot alone; all drawn when a game begins."""
    shape = one_of(st.container(), "Noise", ("geometric", "Gaussian"), "geometric", key="6-noise")
    without = int(city().starts[0]) - 1
    given = (shape, epsilon, delta)
    make = partial(game, shape, epsilon, delta, without=without, rounds=ROUNDS + ALONE)
    made = classroom.drawn("6-game", make, *given)
    said: list[bool] = classroom.drawn("6-said", lambda _: [], *given, classroom.turn("6-game"))
    st.markdown(
        f"**{without:,} trips** start at {city().tessellation.tile_ids[0]} without yours. A coin puts yours in or leaves "
        "it out, noise is added, and you see the answer. One trip changes this number by 1."
    )
    _round(made, said)
    _score(made, said, best_accuracy(float(epsilon), delta if shape == "Gaussian" else 0))


def _round(made: Game, said: list[bool]) -> None:
    """The answer of this round with its two buttons, and how the last round ended."""
    now = len(said)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if now < ROUNDS:
            places = 0 if made.answers[now].is_integer() else 1
            st.metric(f"Answer {now + 1} of {ROUNDS}", f"{made.answers[now]:,.{places}f}", border=True)
            st.button("My trip is in", on_click=said.append, args=(True,), icon=":material/login:")
            st.button("My trip is out", on_click=said.append, args=(False,), icon=":material/logout:")
        st.button("New game", on_click=classroom.next_turn, args=("6-game",), icon=":material/casino:")
    if said:
        inside = made.inside[now - 1]
        verdict = "right" if said[-1] == inside else "wrong"
        st.markdown(f"Answer {now}: your trip was **{'in' if inside else 'out'}**. You were {verdict}.")


def _score(made: Game, said: list[bool], bound: float) -> None:
    """Learner, bot, and what nobody can beat."""
    now = len(said)
    yours, same, alone, nobody = st.columns(4)
    yours.metric("You", f"{made.right(np.array(said, bool))} of {now}", border=True)
    same.metric("The bot, same answers", f"{made.right(made.bot[:now])} of {now}", border=True)
    alone.metric(
        "The bot, 1,000 answers",
        f"{100 * (made.right(made.bot[ROUNDS:], ROUNDS) / ALONE):.1f} %",
        border=True,
    )
    nobody.metric("The bound", at_most(bound), border=True)
    st.caption(
        "The bound holds in the long run: luck moves 1,000 answers by up to 3 points, and 20 answers by 20."
    )
