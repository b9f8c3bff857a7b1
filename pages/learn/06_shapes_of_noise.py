"""Laplace, geometric, Gaussian.

What does the noise look like, and what can be told through it?

5 minutes, :material/show_chart:

Three shapes of noise at one epsilon, and how well somebody guesses through them.
"""

from fractions import Fraction
from functools import partial
from inspect import getsource

import numpy as np
import streamlit as st

from dpcore.lessons import attacks, shapes
from dpcore.lessons.city import city
from dpcore.privacy import RUNGS
from dpcore.views.ground.plain import number
from pages.learn.parts import classroom, frame
from pages.learn.parts.frame import at_most, one_of, picture

ROUNDS, ALONE = 20, 1_000
DELTAS = {"1 in 100": 1e-2, "1 in 10,000": 1e-4, "1 in a million": 1e-6, "1 in a billion": 1e-9}
NOTES = r"""
**One count.** Laplace noise has the density $\tfrac{\varepsilon}{2} e^{-\varepsilon |x|}$, geometric noise the chances
$\tfrac{1-q}{1+q}\, q^{|x|}$ with $q = e^{-\varepsilon}$. Both keep $\left|\ln \tfrac{P(y \mid \text{in})}{P(y \mid \text{out})}\right|
\le \varepsilon$. For Gaussian noise the logarithm is $(2x - 1)/(2\sigma^2)$, which no number bounds: it passes
$\varepsilon$ beyond $x = \varepsilon\sigma^2 + \tfrac12$. There, as everywhere, $P(\cdot \mid \text{in}) \le e^{\varepsilon}
P(\cdot \mid \text{out}) + \delta$. So $\delta$ is not the chance of passing $\varepsilon$. That chance is $\Phi(\tfrac{1}{2\sigma} -
\varepsilon\sigma)$, 18 % at $\varepsilon = 0.1$ and $\delta = 0.01$.

**Many counts.** If one person changes $k$ counts by 1, geometric noise needs the rate $\varepsilon/k$ and grows like $k$;
Gaussian noise grows like $\sqrt{k}$. The smallest $\sigma$ solves $\Phi(\tfrac{1}{2\sigma} - \varepsilon\sigma) -
e^{\varepsilon}\,\Phi(-\tfrac{1}{2\sigma} - \varepsilon\sigma) = \delta$ for one count; for $k$ it is $\sqrt{k}$ times that.
This $\sigma$ is exact, so at $\varepsilon = 1$, $\delta = 10^{-6}$ Gaussian noise is narrower from 9 counts on; lesson 9
goes by concentrated privacy, whose bound is a little wide, and says 11.

**The game.** Right alarms are at most $\min(e^{\varepsilon} a + \delta,\ 1 - e^{-\varepsilon}(1 - \delta - a))$ for wrong
alarms $a$. A fair coin is guessed with probability at most $(e^{\varepsilon} + \delta)/(1 + e^{\varepsilon})$. Geometric
noise on one count reaches this bound, so it is tight.

*Ask the class:* who beat the bot, and would they do so in 1,000 rounds? Why does nobody reach the wedge with many counts?
"""
SOURCES = (
    "Ghosh, Roughgarden, Sundararajan: Universally utility-maximizing privacy mechanisms, STOC 2009 (geometric noise)",
    "Balle, Wang: Improving the Gaussian mechanism for differential privacy, ICML 2018",
    "Wasserman, Zhou: A statistical framework for differential privacy, 2010 (right and wrong alarms)",
)


def play(epsilon: Fraction, delta: float) -> None:
    """Rounds for the learner, then more for the bot alone; all drawn when a game begins."""
    shape = one_of(st.container(), "Noise", ("geometric", "Gaussian"), "geometric", key="6-noise")
    without = int(city().starts[0]) - 1
    given = (shape, epsilon, delta)
    make = partial(shapes.game, shape, epsilon, delta, without=without, rounds=ROUNDS + ALONE)
    made = classroom.kept_draw("6-game", make, *given)
    said: list[bool] = classroom.kept_draw("6-said", lambda _: [], *given, classroom.turn("6-game"))
    st.markdown(
        f"**{without:,} trips** start at {city().tile_name(0)} without yours. A coin puts yours in or leaves "
        "it out, noise is added, and you see the answer. One trip changes this number by 1."
    )
    _round(made, said)
    _score(made, said, attacks.best_accuracy(float(epsilon), delta if shape == "Gaussian" else 0))


def _round(made: shapes.Game, said: list[bool]) -> None:
    """The answer of this round with two buttons, and how the last round ended."""
    now = len(said)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        if now < ROUNDS:
            places = 0 if made.answers[now].is_integer() else 1
            st.metric(f"Answer {now + 1} of {ROUNDS}", number(made.answers[now], places), border=True)
            st.button("My trip is in", on_click=said.append, args=(True,), icon=":material/login:")
            st.button("My trip is out", on_click=said.append, args=(False,), icon=":material/logout:")
        st.button("New game", on_click=classroom.next_turn, args=("6-game",), icon=":material/casino:")
    if said:
        inside = made.inside[now - 1]
        verdict = "right" if said[-1] == inside else "wrong"
        st.markdown(f"Answer {now}: your trip was **{'in' if inside else 'out'}**. You were {verdict}.")


def _score(made: shapes.Game, said: list[bool], bound: float) -> None:
    """The scores of the learner and of the bot, and the bound for both."""
    now = len(said)
    frame.metrics(
        ("You", f"{made.right(np.array(said, bool))} of {now}"),
        ("The bot, same answers", f"{made.right(made.bot[:now])} of {now}"),
        ("The bot, 1,000 answers", f"{100 * (made.right(made.bot[ROUNDS:], ROUNDS) / ALONE):.1f} %"),
        ("The bound", at_most(bound)),
    )
    st.caption(
        "The bound holds in the long run: luck moves 1,000 answers by up to 3 points, and 20 answers by 20."
    )


def often(chance: float) -> str:
    """A chance in words: in per cent, or where it is small as one in so many."""
    return f"{100 * chance:.2g} %" if chance > 0.001 else f"1 in {1 / chance:,.0f}"


def show_densities(epsilon: Fraction, delta: float) -> None:
    """Densities, and what each answer tells."""
    narrow, wide = shapes.reaches(float(epsilon), delta)
    made, far = (shapes.shapes(float(epsilon), delta, reach) for reach in (narrow, wide))
    left, right = st.columns(2)
    with left:
        picture(shapes.densities_chart(made), "shapes-of-noise")
    with right:
        picture(shapes.log_ratios_chart(far, float(epsilon)), "what-an-answer-tells")
    st.caption(
        "First picture: how likely each answer is. Second picture, over a wider range: how strongly it speaks for the trip. The "
        f"dashed lines are ε and \N{MINUS SIGN}ε. Only Gaussian noise passes them. With the trip in the data, {often(shapes.passes(float(epsilon), delta))} of its answers "
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
        ("geometric", *attacks.through_geometric(float(epsilon), counts)),
        ("Gaussian", *attacks.through_gaussian(gaussian, counts)),
        (shapes.BOUND, at := np.linspace(0, 1, 201), attacks.wedge(at, float(epsilon), delta)),
    )
    frame.metrics(
        ("Geometric noise", f"{geometric:,.1f}", "standard deviation"),
        ("Gaussian noise", f"{gaussian:,.1f}", "standard deviation"),
        ("Gaussian is narrower from", "nowhere" if cross is None else f"{cross} counts"),
    )
    left, right = st.columns(2)
    with left:
        picture(shapes.spreads_chart(range(1, 41), rows[:, 1], rows[:, 2], counts), "crossover")
    with right:
        picture(shapes.alarms_chart(curves), "alarms")


mine = frame.opening(__file__)
left, right = st.columns(2)
epsilon = frame.stop(left, "ε", RUNGS, RUNGS[5], key="6-epsilon")
delta = DELTAS[right.select_slider("δ, for Gaussian noise alone", list(DELTAS), "1 in a million", key="6-delta", bind="query-params")]  # fmt: skip
frame.tabs(
    {
        "Three shapes": partial(show_densities, epsilon, delta),
        "Many counts": partial(many, epsilon, delta),
        "Guess against the bot": partial(play, epsilon, delta),
    },
    key="6-part",
)
frame.what_happened(
    "Laplace and geometric noise tell at most ε, whatever the answer is. Some answers of Gaussian noise tell "
    "more than ε, and more of them than δ says. δ is what is **added**: choose any set of answers, and with your trip its chance is at most "
    "$e^{\\varepsilon}$ times its chance without your trip, plus δ. In return Gaussian noise stays narrow when one person changes many counts. "
    "The bot looks on which side of the middle the answer lies. In the long run nobody can do better."
)
frame.attack_code(getsource(attacks.says_in), getsource(attacks.wedge))
frame.why(
    "ε is a promise about **every** answer: it is at most $e^{\\varepsilon}$ times as likely with your trip as without it. So if "
    "a fair coin decides whether your trip is there, a guess is right at most $e^{\\varepsilon}$ times as often as it is wrong. "
    "This app uses geometric noise: "
    "whole numbers, no δ, and no digits after the point that could tell something (lesson 10)."
)
frame.verify(
    "At ε = 1 the bound is e / (1 + e) = 2.718 / 3.718, that is 73.2 % rounded up. At ε = 0.1 it is 52.5 %: hardly better than a "
    "coin. With ε = 0.1 and δ = 1 in 100, "
    "18 % of the Gaussian answers pass ε. Without the trip 15.7 % lie there too, and 18.4 % - e^0.1 x 15.7 % is 1 %: that is δ."
)
frame.check(
    "One person changes 30 counts by 1 each, ε = 1, δ = 1 in a million. Which noise is narrower?",
    ["geometric", "Gaussian", "both are the same"],
    1,
    "Geometric noise grows with the number of counts, to a deviation of 42. Gaussian noise grows with its square root, to 23.",
    key="06",
)
frame.closing(mine, NOTES, SOURCES)
