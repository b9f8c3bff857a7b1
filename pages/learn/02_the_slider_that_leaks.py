"""The slider that leaks.

What happens if somebody asks the same question again and again?

5 minutes, :material/tune:

A mean removes fresh noise, two equations remove rescaled noise. The ladder withstands both attacks.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from inspect import getsource
from typing import Final

import streamlit as st

from dpcore.lessons import asking, attacks
from dpcore.lessons.city import city
from dpcore.privacy import RUNGS, decimal_text
from dpcore.views.ground.plain import number
from pages.learn.parts import classroom, frame
from pages.learn.parts.frame import one_listed, picture

EPSILON: Final = Fraction(1, 2)
"""Of each fresh answer."""
MOST: Final = 200
"""Questions that may be asked."""
_ONE: Final = RUNGS.index(Fraction(1))
NOTES = r"""
**The unit.** One trip is hidden. It starts in one tile, so it changes the table by 1 in all, and noise of scale
$1/\varepsilon$ fits. Visits count both ends, so they would need twice as much.

**Averaging.** Noise of $\varepsilon$ and sensitivity 1 has variance $2q/(1-q)^2$ with $q = e^{-\varepsilon}$. The mean of
$n$ fresh answers has an $n$-th of it. At $\varepsilon = 0.5$ its rounded value is right for 58 % of the tiles after 20
answers and for 99 % after 200. The bill is $n\varepsilon$. No promise is
broken, but nobody said what the answers cost.

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


def fresh(made: asking.Slider, place: int, name: str) -> None:
    """Fresh noise for every question."""
    asked = st.slider("Questions asked", 1, MOST, 20, key="2-asked", bind="query-params")
    answers, means = made.fresh[:asked], attacks.mean_so_far(made.fresh[:asked])
    shares = attacks.hits_so_far(answers, made.truth)
    law = asking.expected_hits(EPSILON, asked)
    expected = f"expected: {100 * law[-1]:.0f} %"
    frame.metrics(
        (f"Estimate for {name}", number(means[-1, place], 1), f"truth: {made.truth[place]:,}"),
        ("Tiles hit exactly", f"{100 * shares[-1]:.0f} %", expected),
        ("What it really cost", f"ε {decimal_text(asked * EPSILON)}"),
    )
    left, right = st.columns(2)
    with left:
        picture(
            asking.estimates_chart(answers[:, place], means[:, place], int(made.truth[place]), "starts"),
            "asking-again",
        )
    with right:
        picture(asking.hits_chart(shares, law), "tiles-hit")
    st.caption(
        "First picture: the answers as dots, their mean so far in green, the truth dashed. Second picture: the tiles that the mean "
        "hits exactly, in green, and how many are expected, dashed."
    )


def two_of(key: str, stops: Sequence[Fraction]) -> tuple[Fraction, Fraction]:
    """Two different stops that somebody looks at."""
    low, high = st.select_slider(
        "Two stops of the slider (ε)", stops, (stops[3], stops[5]), decimal_text, key=key, bind="query-params"
    )
    return (low, high) if low < high else (low, stops[-1]) if low < stops[-1] else (stops[0], high)


def show_leak(made: asking.Slider) -> None:
    """One draw, made larger and smaller: two stops are enough."""
    first, second = two_of("2-stops", RUNGS)
    shown, other = made.rescaled(first), made.rescaled(second)
    solved = attacks.truth_from(shown, first, other, second)
    st.metric(
        "Tiles hit exactly after two stops", f"{100 * (solved == made.truth).mean():.0f} %", border=True
    )
    picture(
        asking.against_chart(
            shown - made.truth, other - made.truth, decimal_text(first), decimal_text(second)
        ),
        "smooth",
    )
    st.caption(
        "Each dot is a tile. All dots lie on one line, because there is only one draw of noise: two stops are two equations."
    )


def show_ladder(made: asking.Slider) -> None:
    """The ladder of this app under both attacks."""
    paid = frame.stop(st, "Finest stop that was paid for (ε)", RUNGS[_ONE:], RUNGS[_ONE], key="2-paid")
    stops = RUNGS[: RUNGS.index(paid) + 1]
    shown, (first, second) = made.ladder[: len(stops)], two_of("2-rungs", RUNGS[: _ONE + 1])
    low, high = RUNGS.index(first), RUNGS.index(second)
    combined, finest = attacks.weighted_mean(shown, stops), attacks.finest_alone(shown)
    solved = attacks.truth_from(shown[low], first, shown[high], second)
    frame.metrics(
        ("All stops, weighted mean: off by", f"{abs(combined - made.truth).mean():.2f} on average"),
        ("The finest stop alone: off by", f"{abs(finest - made.truth).mean():.2f} on average"),
        ("Two stops, solved", f"{100 * (solved == made.truth).mean():.0f} % exact"),
    )
    picture(
        asking.against_chart(
            shown[low] - made.truth, shown[high] - made.truth, decimal_text(first), decimal_text(second)
        ),
        "ladder",
    )
    st.caption(
        f"The dots form no line: the finer noise does not follow from the coarser. All {len(stops)} stops up to it together "
        f"cost ε {decimal_text(paid)}, as the finest alone does, and tell no more. At ε 10 the counts are nearly exact: that is what 10 means."
    )


mine = frame.opening(__file__)
made = classroom.kept_draw("2-slider", partial(asking.slider, city().starts, EPSILON, MOST))
ids = city().tessellation.tile_ids
st.markdown(
    "How many trips start in each tile? **One trip** is hidden: it changes one number by 1, and the noise fits that."
)
place = ids.index(
    one_listed(
        st.container(),
        "Tile",
        ids,
        ids[0],
        format_func=lambda one: city().tile_name(ids.index(one)),
        key="2-place",
    )
)
frame.tabs(
    {
        "Ask again": partial(fresh, made, place, city().tile_name(place)),
        "The smooth slider": partial(show_leak, made),
        "The ladder": partial(show_ladder, made),
    },
    key="2-slider",
)
frame.again("New noise", "2-slider")
frame.what_happened(
    "On average every fresh answer at ε 0.5 brings the mean nearer to the truth, while the bill grows and nobody shows it. The "
    "smooth slider is worse: it makes one draw of noise larger and smaller, and two stops are two equations. The ladder of this "
    "app survives both: "
    "its coarser stops are made of the finest one that was paid for."
)
frame.attack_code(
    getsource(attacks.mean_so_far), getsource(attacks.truth_from), getsource(attacks.weighted_mean)
)
frame.why(
    "What several answers tell can add up. So a tool must either **charge for every answer**, or **make new answers out of old "
    "ones**. New answers of the second kind tell nothing more. This app does both: a new release is charged, moving its slider is "
    "free."
)
frame.verify("20 questions at ε 0.5 cost 10, as much as all thirteen stops of the ladder together.")
frame.check(
    "A dashboard draws new noise at ε = 0.1 every time the page loads. You reload it 100 times. What has been spent?",
    ["0.1", "1", "10"],
    2,
    "100 answers of 0.1 each cost ε = 10 together. It does not matter who looked at them.",
    key="02",
)
frame.closing(mine, NOTES, SOURCES)
