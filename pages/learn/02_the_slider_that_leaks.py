"""Lesson 2: fresh noise for every question is averaged away, rescaled noise is solved for, the ladder holds."""

from fractions import Fraction
from functools import partial
from inspect import getsource

import streamlit as st

from dpcore.lessons.asking import Slider, slider
from dpcore.lessons.attacks import all_rungs, averaging, two_stops
from dpcore.lessons.city import city
from dpcore.privacy import RUNGS, decimal_text
from dpcore.views.lessons.walks import estimates
from pages.learn.parts import classroom, frame
from pages.learn.parts.pictures import picture

EPSILON = Fraction(1, 2)
MOST = 200
NOTES = r"""
**Averaging.** Noise of $\varepsilon$ and sensitivity 1 has variance $2q/(1-q)^2$ with $q = e^{-\varepsilon}$. The mean of
$n$ fresh answers has an $n$-th of it, so its rounded value is right as soon as $n \gg 8q/(1-q)^2$. The bill is
$n\varepsilon$: nothing is broken, it was paid for without anybody saying so.

**Rescaling.** A stop shows $c + u/\varepsilon$ with one and the same $u$. Two stops are two equations:
$c = (\varepsilon_2 y_2 - \varepsilon_1 y_1)/(\varepsilon_2 - \varepsilon_1)$. No $\varepsilon$ describes this.

**The ladder.** Each half of the noise at a finer stop is the smaller of the coarser half and a fresh draw. Coarser noise
is then finer noise with something added that knows nothing of the count. All stops together tell what the finest tells.

*Ask the class:* how many questions until half of the tiles are known? What would a fair price for the slider be?
"""
SOURCES = (
    "Dwork, McSherry, Nissim, Smith: Calibrating noise to sensitivity in private data analysis, TCC 2006 (composition)",
    "Koufogiannis, Han, Pappas: Gradual release of sensitive data under differential privacy, 2015 (the idea of the ladder)",
)


def fresh(made: Slider, place: int, name: str) -> None:
    """Fresh noise for every question."""
    asked = st.slider("Questions asked", 1, MOST, 10, key="asked", bind="query-params")
    answers, means = made.fresh[:asked], averaging.mean_so_far(made.fresh[:asked])
    picture(estimates(answers[:, place], means[:, place], int(made.truth[place])), "asking-again")
    one, two, three = st.columns(3)
    one.metric(
        f"Estimate: {name}",
        f"{means[-1, place]:,.1f}",
        f"true: {made.truth[place]:,}",
        delta_color="off",
        border=True,
    )
    two.metric("Tiles hit exactly", f"{averaging.exactly_right(answers, made.truth):.0%}", border=True)
    three.metric("What it really cost", f"ε {decimal_text(asked * EPSILON)}", border=True)


def rescaled(made: Slider) -> None:
    """One draw, made larger and smaller: two stops are enough."""
    first, second = st.select_slider(
        "Two stops of a smooth slider", RUNGS, (RUNGS[3], RUNGS[5]), format_func=decimal_text, key="stops"
    )
    if first == second:
        st.info("Choose two different stops.", icon=":material/tune:")
        return
    solved = two_stops.truth_from(made.rescaled(first), first, made.rescaled(second), second)
    st.metric("Tiles hit exactly after two stops", f"{(solved == made.truth).mean():.0%}", border=True)


def held(made: Slider) -> None:
    """The ladder of this app under both attacks."""
    shown = made.ladder
    combined, finest = all_rungs.weighted_mean(shown, RUNGS), all_rungs.finest_alone(shown)
    one, two, three = st.columns(3)
    one.metric("All stops, weighted mean", f"{abs(combined - made.truth).mean():.2f} off", border=True)
    two.metric("The finest stop alone", f"{abs(finest - made.truth).mean():.2f} off", border=True)
    solved = two_stops.truth_from(shown[3], RUNGS[3], shown[5], RUNGS[5])
    three.metric("Two stops, solved", f"{(solved == made.truth).mean():.0%} exact", border=True)
    st.caption(f"All {len(RUNGS)} stops together cost ε {decimal_text(RUNGS[-1])}, as the finest alone does.")


mine = frame.opening("02_the_slider_that_leaks")
made = classroom.drawn("slider", partial(slider, city().visits, EPSILON, MOST))
names = city().tessellation.tile_ids
frame.try_it()
place = names.index(st.selectbox("Place", names, key="place", bind="query-params"))
asking, sliding, ladder = st.tabs(["Ask again", "The smooth slider", "The ladder"])
with asking:
    fresh(made, place, names[place])
with sliding:
    rescaled(made)
with ladder:
    held(made)
if st.button("New noise", icon=":material/casino:"):
    classroom.next_turn("slider")
    st.rerun()
frame.what_happened()
st.markdown(
    "Every fresh answer pulls the mean towards the truth, while the bill grows without being shown. The smooth slider is "
    "worse: it moves one draw of noise in and out, and two stops are two equations. The ladder of this app survives both: "
    "its coarser stops are made of its finest one."
)
frame.attack_code(
    getsource(averaging.mean_so_far), getsource(two_stops.truth_from), getsource(all_rungs.weighted_mean)
)
frame.why()
st.markdown(
    "What several answers tell adds up. So a tool must either **charge for every answer**, or **make new answers out of "
    "old ones**, which tells nothing more. This app does both: a new release is charged, moving its slider is free."
)
frame.verify("20 questions at ε 0.5 cost 10, as much as all thirteen stops of the ladder together.")
frame.check(
    "A dashboard draws new noise at ε = 0.1 every time the page loads. You reload it 100 times. What has been spent?",
    ["0.1", "1", "10"],
    2,
    "100 answers of 0.1 each: ε = 10, whoever looked at them.",
    key="02",
)
frame.closing(mine, NOTES, SOURCES)
