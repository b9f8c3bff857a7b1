"""Lesson 6: three shapes of noise at one epsilon, and how well somebody guesses through them."""

from fractions import Fraction
from inspect import getsource

import numpy as np
import streamlit as st

from dpcore.lessons import shapes
from dpcore.lessons.attacks import membership
from dpcore.privacy import RUNGS, decimal_text
from dpcore.views.lessons import shapes as pictures
from pages.learn.parts import frame
from pages.learn.parts.membership_game import play
from pages.learn.parts.notes_on_noise import SHAPES, SHAPES_SOURCES
from pages.learn.parts.pictures import picture

DELTAS = {"1 in 100": 1e-2, "1 in 10,000": 1e-4, "1 in a million": 1e-6, "1 in a billion": 1e-9}


def often(chance: float) -> str:
    """A chance in words: in per cent, or where it is small as one in so many."""
    return f"{100 * chance:.2g} %" if chance > 0.001 else f"1 in {1 / chance:,.0f}"


def seen(epsilon: Fraction, delta: float) -> None:
    """Densities, and what each answer tells."""
    narrow, wide = shapes.reaches(float(epsilon), delta)
    made, far = (shapes.shapes(float(epsilon), delta, reach) for reach in (narrow, wide))
    left, right = st.columns(2)
    with left:
        picture(pictures.densities([(one.name, one.answer, one.density) for one in made]), "shapes-of-noise")
    with right:
        told = [(one.name, one.answer, one.log_ratio) for one in far]
        picture(pictures.log_ratios(told, float(epsilon)), "what-an-answer-tells")
    st.caption(
        "Left: how likely each answer is. Right, over a wider range: how strongly it speaks for the trip. The dashed lines "
        f"are ε and -ε. Only Gaussian noise passes them. With the trip in the data, {often(shapes.passes(float(epsilon), delta))} of its answers "
        f"speak for the trip more strongly than ε, while δ is {often(delta)}: **δ is not the chance of passing ε.**"
    )


def many(epsilon: Fraction, delta: float) -> None:
    """The crossover, and the attacker's alarms under the wedge."""
    counts = st.slider(
        "Counts that one person changes, each by 1", 1, 40, 9, key="6-counts", bind="query-params"
    )
    rows = np.array([shapes.spreads(epsilon, delta, at) for at in range(1, 41)])
    _, geometric, gaussian = rows[counts - 1]
    cross = shapes.crossover(epsilon, delta)
    curves = (
        ("geometric", *membership.through_geometric(float(epsilon), counts)),
        ("Gaussian", *membership.through_gaussian(gaussian, counts)),
        (pictures.BOUND, at := np.linspace(0, 1, 201), membership.wedge(at, float(epsilon), delta)),
    )
    one, two, three = st.columns(3)
    one.metric("Geometric noise", f"± {geometric:.1f}", border=True)
    two.metric("Gaussian noise", f"± {gaussian:.1f}", border=True)
    three.metric("Gaussian is narrower from", "nowhere" if cross is None else f"{cross} counts", border=True)
    left, right = st.columns(2)
    with left:
        picture(pictures.spreads(range(1, 41), rows[:, 1], rows[:, 2], counts), "crossover")
    with right:
        picture(pictures.alarms(curves), "alarms")


mine = frame.opening("06_shapes_of_noise")
frame.try_it()
left, right = st.columns(2)
epsilon = left.select_slider(
    "ε", RUNGS, RUNGS[5], format_func=decimal_text, key="6-epsilon", bind="query-params"
)
delta = DELTAS[right.select_slider("δ, for Gaussian noise alone", list(DELTAS), "1 in a million", key="6-delta", bind="query-params")]  # fmt: skip
shown, counted, guessed = st.tabs(
    ["Three shapes", "Many counts", "Guess against the bot"], key="6-part", bind="query-params"
)
with shown:
    seen(epsilon, delta)
with counted:
    many(epsilon, delta)
with guessed:
    play(epsilon, delta)
frame.what_happened()
st.markdown(
    "Laplace and geometric noise tell at most ε, whatever the answer is. Some answers of Gaussian noise tell "
    "more than ε, and more of them than δ says. δ is what is **added**: whatever answers you single out, with your trip their chance is at most "
    "$e^{\\varepsilon}$ times the one without, plus δ. In return Gaussian noise stays narrow when one person changes many counts. "
    "The bot looks on which side of the middle the answer lies. In the long run nobody can do better."
)
frame.attack_code(getsource(membership.says_in), getsource(membership.wedge))
frame.why()
st.markdown(
    "ε is a promise about **every** answer: with your trip it is at most $e^{\\varepsilon}$ times as likely as without. So if "
    "a fair coin decides whether your trip is there, a guess is right at most $e^{\\varepsilon}$ times as often as it is wrong. This app uses geometric noise: "
    "whole numbers, no δ, and no digits after the point that could tell something (lesson 10)."
)
frame.verify(
    "At ε = 1 the bound is e / (1 + e) = 2.718 / 3.718, that is 73.2 % rounded up. At ε = 0.1 it is 52.5 %: hardly better than a coin. With ε = 0.1 and δ = 1 in 100, "
    "18 % of the Gaussian answers pass ε. Without the trip 15.7 % lie there too, and 18.4 % - e^0.1 x 15.7 % is 1 %: that is δ."
)
frame.check(
    "One person changes 30 counts by 1 each, ε = 1, δ = 1 in a million. Which noise is narrower?",
    ["geometric", "Gaussian", "both are the same"],
    1,
    "Geometric noise grows with the number of counts, to a deviation of 42. Gaussian noise grows with its square root, to 23.",
    key="06",
)
frame.closing(mine, SHAPES, SHAPES_SOURCES)
