"""Ghost flows.

Most pairs of places have no trip at all. What does noise make of them?

5 minutes, :material/blur_on:

Noise on empty flows makes ghosts. A threshold removes them and loses true flows. Without a public list of flows delta is needed.
"""

from fractions import Fraction
from functools import partial
from inspect import getsource

import streamlit as st

from dpcore.lessons import ghosts
from dpcore.lessons.city import flows_between
from dpcore.noise.accuracy import false_positive_threshold
from dpcore.privacy import RUNGS
from pages.learn.parts import classroom, frame
from pages.learn.parts.frame import one_of, picture

TILES = {"150 districts": 150, "500 districts": ghosts.FINE}
MOST, WIDE = 40, 40
NOTES = r"""
**Ghosts.** With $q = e^{-\varepsilon}$ an empty flow shows $t$ or more with the chance $q^t/(1+q)$. Of $n$ empty flows
$n\,q^t/(1+q)$ are ghosts. If negative counts are set to 0 and all others kept, each empty flow adds
$\mathrm{E}\max(V, 0) = q/(1-q^2)$ trips: 0.43 at $\varepsilon = 1$.

**Threshold.** Every flow of the public list gets noise, then small ones are left out. Leaving out looks at noisy counts
alone, so it costs nothing: pure $\varepsilon$, $\delta = 0$.

**Stability.** Without a public list only flows that occur get noise. The flow of a lone trip is shown with the chance
$\delta = q^{T-1}/(1+q)$, and without this trip never; so here, and not in general, $\delta$ is the chance of one event. No
$\varepsilon$ covers an answer that is possible in one world only. In $1/\delta$ releases it happens once on average, and at
least once in 63 of 100 such series.

*Ask the class:* which threshold would you choose, and for whom? Who loses when rare flows are lost?
"""
SOURCES = (
    "Cormode, Procopiuc, Srivastava, Tran: Differentially private publication of sparse data, ICDT 2012",
    "Korolova, Kenthapadi, Mishra, Ntoulas: Releasing search queries and clicks privately, WWW 2009 (stability)",
)


def empty_flows() -> None:
    """Noise on all flows, and the threshold."""
    cut, rate = st.columns(2)
    tiles = TILES[one_of(cut, "City cut into", list(TILES), "500 districts", key="7-cut")]
    epsilon = frame.stop(rate, "ε for one trip", RUNGS[2:8], RUNGS[5], key="7-epsilon")
    threshold = st.slider(
        "Threshold: leave out noisy counts below", 1, MOST, 1, key="7-threshold", bind="query-params"
    )
    truth = flows_between(tiles)
    flows = ghosts.by_trips(tiles)
    made = classroom.kept_draw("7-flows", partial(ghosts.noised, truth, epsilon), tiles, epsilon)
    counted = made.reckoned(MOST)
    formula = [ghosts.expected(flows, epsilon, at) for at in range(1, MOST + 1)]
    here, by_formula = counted[threshold - 1], formula[threshold - 1]
    frame.metrics(
        *(
            (name, f"{live:,}", f"formula: {told:,.1f}")
            for name, live, told in (
                ("Ghost flows", here.ghosts, by_formula.ghosts),
                ("Phantom trips", here.ghost_trips, by_formula.ghost_trips),
                ("True flows lost", here.lost, by_formula.lost),
            )
        )
    )
    empty = int(flows[0])
    st.caption(
        f"{tiles**2:,} flows, {empty:,} of them empty, {int(truth.sum()):,} true trips (of 300,000: the others begin or end outside). "
        "A trip changes one flow by 1. "
        f"About one ghost is left from a threshold of {false_positive_threshold(epsilon, empty)} on."
    )
    left, right = st.columns(2)
    with left:
        picture(ghosts.tradeoff_chart(formula, counted, threshold), "ghosts-and-losses")
    with right:
        picture(ghosts.corner_chart(truth, made.shown(threshold), tiles, WIDE), "corner-of-the-table")
    frame.again("New noise", "7-flows")


def unknown_list() -> None:
    """Noise on the flows of the data alone, released as often as delta says for one disaster."""
    epsilon = Fraction(1)
    threshold = st.slider(
        "Show flows from a noisy count of, at ε 1", 4, 13, 9, key="7-stable", bind="query-params"
    )
    made = classroom.kept_draw("7-stability", partial(ghosts.disasters, epsilon, threshold), threshold)
    frame.metrics(
        ("δ: chance of a disaster", f"1 in {made.releases:,}"),
        ("Releases made just now", f"{made.releases:,}"),
        ("Disasters: the lone trip is listed", f"{made.shown}"),
    )
    frame.again(f"Release {made.releases:,} times again", "7-stability", icon=":material/replay:")
    st.caption(
        "One person made the only trip from one place to another. If this flow is listed, the trip is in the data, for sure. Here δ is the chance of "
        "this one event; for Gaussian noise it is not (lesson 6)."
    )


mine = frame.opening(__file__)
frame.tabs({"Noise on every flow": empty_flows, "No list of flows": unknown_list}, key="7-part")
frame.what_happened(
    "At threshold 1 all noisy counts above zero stay and all others become 0, as careless tools do. The empty flows, where the "
    "truth is 0, then claim trips that nobody made: about 74,000 with 500 districts and ε = 1, a quarter of the true ones. A "
    "higher threshold removes the ghosts, and small true flows with them. "
    "Without a public list of flows there are no ghosts, but a lone trip can be listed: that is what δ allows."
)
frame.attack_code(getsource(ghosts.disasters))
frame.why(
    "Noise is as often above zero as below. Cutting off the lower half leaves the upper half, and many pairs of places have no "
    "trip. **Ghosts are no mistake: they hide who was there.** If a listed flow may be a ghost, it "
    "proves nothing. So the flow table of this app noises every flow of a public list, needs no δ, and says from which count on a flow stands out."
)
frame.verify(
    "At ε = 1 an empty flow passes threshold 1 with 0.368 / 1.368 = 27 %. Multiply by the number of empty flows above."
)
frame.check(
    "The list of all flows is public, and every flow gets noise. Which δ does a threshold of 10 need?",
    ["0", "1 in 10", "it depends on the data"],
    0,
    "Leaving out small noisy counts looks at noisy counts alone, so it costs nothing.",
    key="07",
)
frame.closing(mine, NOTES, SOURCES)
