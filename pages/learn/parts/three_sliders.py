"""The three sliders of lesson 2 as they are shown: fresh noise, one draw rescaled, and the ladder."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

import streamlit as st

from dpcore.lessons.asking import Slider, expected_hits
from dpcore.lessons.attacks import all_rungs, averaging, two_stops
from dpcore.privacy import RUNGS, decimal_text
from dpcore.views.lessons.stops import against
from dpcore.views.lessons.walks import estimates, hits
from pages.learn.parts.pictures import picture

EPSILON: Final = Fraction(1, 2)
"""Of each fresh answer."""
MOST: Final = 200
"""Questions that may be asked."""
_ONE: Final = RUNGS.index(Fraction(1))


def fresh(made: Slider, place: int, name: str) -> None:
    """Fresh noise for every question."""
    asked = st.slider("Questions asked", 1, MOST, 20, key="2-asked", bind="query-params")
    answers, means = made.fresh[:asked], averaging.mean_so_far(made.fresh[:asked])
    shares = averaging.hits_so_far(answers, made.truth)
    one, two, three = st.columns(3)
    one.metric(
        f"Estimate for {name}",
        f"{means[-1, place]:,.1f}",
        f"truth: {made.truth[place]:,}",
        delta_color="off",
        delta_arrow="off",
        border=True,
    )
    law = expected_hits(EPSILON, asked)
    expected = f"expected: {100 * law[-1]:.0f} %"
    two.metric(
        "Tiles hit exactly",
        f"{100 * shares[-1]:.0f} %",
        expected,
        delta_color="off",
        delta_arrow="off",
        border=True,
    )
    three.metric("What it really cost", f"ε {decimal_text(asked * EPSILON)}", border=True)
    left, right = st.columns(2)
    with left:
        picture(
            estimates(answers[:, place], means[:, place], int(made.truth[place]), "starts"), "asking-again"
        )
    with right:
        picture(hits(shares, law), "tiles-hit")
    st.caption(
        "Dots: answers. Green: the mean of all answers so far (left), tiles it hits exactly (right). Dashed: truth and expectation."
    )


def two_of(key: str, stops: Sequence[Fraction]) -> tuple[Fraction, Fraction]:
    """Two different stops that somebody looks at."""
    low, high = st.select_slider(
        "Two stops of the slider (ε)", stops, (stops[3], stops[5]), decimal_text, key=key, bind="query-params"
    )
    return (low, high) if low < high else (low, stops[-1]) if low < stops[-1] else (stops[0], high)


def rescaled(made: Slider) -> None:
    """One draw, made larger and smaller: two stops are enough."""
    first, second = two_of("2-stops", RUNGS)
    shown, other = made.rescaled(first), made.rescaled(second)
    solved = two_stops.truth_from(shown, first, other, second)
    st.metric(
        "Tiles hit exactly after two stops", f"{100 * (solved == made.truth).mean():.0f} %", border=True
    )
    picture(
        against(shown - made.truth, other - made.truth, decimal_text(first), decimal_text(second)), "smooth"
    )
    st.caption(
        "Each dot is a tile. All lie on one line, because there is one draw: two stops are two equations."
    )


def held(made: Slider) -> None:
    """The ladder of this app under both attacks."""
    paid = st.select_slider(
        "Finest stop that was paid for (ε)",
        RUNGS[_ONE:],
        RUNGS[_ONE],
        decimal_text,
        key="2-paid",
        bind="query-params",
    )
    stops = RUNGS[: RUNGS.index(paid) + 1]
    shown, (first, second) = made.ladder[: len(stops)], two_of("2-rungs", RUNGS[: _ONE + 1])
    low, high = RUNGS.index(first), RUNGS.index(second)
    combined, finest = all_rungs.weighted_mean(shown, stops), all_rungs.finest_alone(shown)
    one, two, three = st.columns(3)
    one.metric(
        "All stops, weighted mean: off by", f"{abs(combined - made.truth).mean():.2f} on average", border=True
    )
    two.metric(
        "The finest stop alone: off by", f"{abs(finest - made.truth).mean():.2f} on average", border=True
    )
    solved = two_stops.truth_from(shown[low], first, shown[high], second)
    three.metric("Two stops, solved", f"{100 * (solved == made.truth).mean():.0f} % exact", border=True)
    picture(
        against(shown[low] - made.truth, shown[high] - made.truth, decimal_text(first), decimal_text(second)),
        "ladder",
    )
    st.caption(
        f"No line: the finer noise cannot be told from the coarser. All {len(stops)} stops up to it together "
        f"cost ε {decimal_text(paid)}, as the finest alone does, and tell no more. Who pays for ε 10 gets nearly exact counts: that is what 10 means."
    )
