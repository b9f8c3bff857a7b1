"""Tiny bits.

Can the last digits of a number tell a secret?

4 minutes, :material/memory:

The last digits of floating-point noise give the secret away. Whole numbers have no such digits.
"""

from functools import partial
from inspect import getsource

import streamlit as st

from dpcore.lessons import attacks, broken, tiny_bits
from pages.learn.parts import classroom, frame
from pages.learn.parts.frame import one_of, picture

EPSILON, ASKED, TEETH = 1.0, 2_000, 20
LOW = (0, 1, 10, 100, 1_000)
NOTES = r"""
**The comb.** A program draws a fraction $u$ of $53$ binary digits and returns $c - \mathrm{sgn}(u - \tfrac12)\,
\ln(1 - 2|u - \tfrac12|)/\varepsilon$. There are finitely many fractions, so the outputs for one count form a comb. Adding
another count and rounding gives another comb. An output that stands in one comb only has a likelihood ratio without limit:
no $\varepsilon$ holds, whatever the formula on paper says.

**The attack.** Turn the formula round, and try the few fractions near the result, for both counts. The search always finds
the true count, so the attacker is never wrong: an answer tells the secret or nothing.

**The mending.** Integer noise is drawn by comparing random integers, without logarithms. Every integer is possible for every
count, and its chances differ by a factor of at most $e^{\varepsilon}$. Rounding floats afterwards helps only if the grid is coarse
and the proof covers it.

*Ask the class:* why do large counts suffer less? Would it help to print only two digits?
"""
SOURCES = (
    "Mironov: On significance of the least significant bits for differential privacy, CCS 2012",
    "Haney, Desfontaines, Hartman, Shrestha, Hay: Precision-based attacks and interval refining, arXiv 2207.13793 (2022)",
    "Canonne, Kamath, Steinke: The discrete Gaussian for differential privacy, 2020 (exact integer samplers)",
)


def few_digits() -> None:
    """All outputs from few fractions, to look at and to choose from."""
    left, right = st.columns(2)
    bits = left.slider(
        "Binary digits of the random fraction", 6, 12, 10, key="10-digits", bind="query-params"
    )
    number = right.slider(
        "Choose an output, counted from 0.5 on", 1, TEETH, 7, key="10-output", bind="query-params"
    )
    everything = tiny_bits.reachable(bits, EPSILON)
    near = everything.onwards(0.5, TEETH)
    picture(tiny_bits.combs_chart(near, number - 1), "two-combs")
    chosen, count = near.values[number - 1], near.of[number - 1]
    said = (
        "Both counts reach it."
        if count == tiny_bits.BOTH
        else f"Only count {count} reaches it: **the secret is {count}**."
    )
    st.markdown(f"Output `{float(chosen)!r}`. {said}")
    frame.metrics(
        ("Outputs in all, for 0 or 1", f"{len(everything.values):,}"),
        ("Of them, possible for one count only", f"{100 * everything.telling:.0f} %"),
    )


def all_digits() -> None:
    """An attack on answers with fifty-three binary digits, as every computer has them."""
    low = one_of(
        st.container(),
        "The secret is one of",
        LOW,
        0,
        format_func=lambda low: f"{low:,} or {low + 1:,}",
        key="10-low",
    )
    made = classroom.kept_draw("10-answer", partial(tiny_bits.attacked_answers, low, EPSILON, ASKED), low)
    first = made.first
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(f"The machine answers `{first.value!r}`.")
        st.button("Ask again", icon=":material/casino:", on_click=classroom.next_turn, args=("10-answer",))
    if first.told == tiny_bits.BOTH:
        st.markdown("Its digits fit both counts: this answer tells nothing more than it should.")
    else:
        st.markdown(f"Its digits fit to **{first.told:,}** alone. The secret is **{first.secret:,}**.")
    frame.metrics(
        (f"Of {ASKED:,} answers, those that tell the secret", f"{100 * (made.betrayed / made.asked):.1f} %"),
        ("Of them, told wrongly", f"{made.wrong}"),
    )


def whole_numbers() -> None:
    """The same picture of integer noise."""
    picture(tiny_bits.combs_chart(tiny_bits.whole_numbers(6)), "whole-numbers")
    st.caption("Noise in whole numbers: each output is possible for both counts, so none proves anything.")


mine = frame.opening(__file__)
frame.tabs(
    {"Few digits": few_digits, "All digits": all_digits, "Whole numbers": whole_numbers}, key="10-part"
)
frame.what_happened(
    "The noise was Laplace noise at ε = 1, made as most programs make it. On paper each answer is possible for both counts. In a "
    "computer many answers are possible for one count only, and a short search finds out which. This works best on small counts: "
    "a large number leaves fewer digits after the point."
)
frame.attack_code(getsource(attacks.fits), getsource(broken.from_fraction))
frame.why(
    "A computer knows no real numbers. It draws one of finitely many fractions and rounds at every step, so the possible "
    "answers for 0 and for 1 are two combs whose teeth rarely meet. **The formula was right, the program was not.** This app "
    "draws the noise of counts in whole numbers from random bits, by comparisons alone, without the logarithm of a random number. "
    "OpenDP draws what is chosen from a grid (summaries of five numbers, ranges). The scale of that noise is a floating-point "
    "number that is rounded up, so the noise is never too small."
)
frame.verify(
    "6 digits make 63 fractions, so 63 outputs for each count: 126 in all, if no tooth of one comb meets one of the other."
)
frame.check(
    "An answer is possible for count 1 and impossible for count 0. Which ε does the mechanism have?",
    ["1, as its formula says", "0", "none: no ε is large enough"],
    2,
    "ε bounds how many times likelier an answer may be. Compared with impossible, nothing bounds it.",
    key="10",
)
frame.closing(mine, NOTES, SOURCES)
