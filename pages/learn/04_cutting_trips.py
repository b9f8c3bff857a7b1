"""Cutting trips.

How many trips of each person should count?

4 minutes, :material/content_cut:

A bound on trips leaves some out and makes the noise narrower. The best bound depends on the table and on epsilon.
"""

from functools import partial

import streamlit as st

from dpcore.lessons import cutting
from dpcore.lessons.city import city
from dpcore.privacy import RUNGS, decimal_text
from pages.learn.parts import classroom, frame
from pages.learn.parts.frame import one_of, picture

TABLES = dict(zip(("Map", "Flows", "Hours"), cutting.TABLES, strict=True))
NOTES = r"""
**Two errors.** Of a count $c$ a bound of $M$ trips a person leaves $k$. The noise $V$ has the rate
$\rho = \varepsilon/(sM)$ with $s = 2$ for the map and the hours, which count both ends of a trip, and $s = 1$ for flows. So

$$\mathrm{E}(k + V - c)^2 = (k - c)^2 + \frac{2q}{(1-q)^2}, \qquad q = e^{-\rho}, \qquad
\frac{2q}{(1-q)^2} \approx 2\left(\frac{sM}{\varepsilon}\right)^2 .$$

The first term falls with $M$, the second grows. Shown are roots of means over all counts of the table. This is the best $M$
for squared errors. If shares of the whole matter more than counts, a smaller $M$ may be better, because the trips that are left
out lie in much the same places as the others.

**Which trips stay** is a random choice within each person. Here a public shuffle makes the choice, in a release a secret
hash. It must not depend on the trips of anybody else.

**Choosing M for real data** must not look at these curves, because they come from exact counts. This app can release the
histogram of trips per person first, with noise, and read the curves off that.

*Ask the class:* the best M lets a courier with 490 trips lose most of them. Whose city does the map then show?
"""
SOURCES = (
    "Wilson, Zhang, Lam, Desfontaines and others: Differentially private SQL with bounded user contribution, PETS 2020",
    "Amin, Kulesza, Munoz Medina, Vassilvitskii: Bounding user contributions: a bias-variance trade-off, ICML 2019",
)


mine = frame.opening(__file__)
st.markdown(
    "The noise hides **a person**, with everything they do. At most M trips of each person count. Find the M with the least error: "
    "for the map, then for the flows."
)
which, bound, budget = st.columns(3)
shown = one_of(which, "Table", [*TABLES], "Map", key="4-table")
most = int(bound.select_slider("M", cutting.BOUNDS, 5, key="4-most", bind="query-params"))
epsilon = frame.stop(budget, "ε of the table", RUNGS, RUNGS[5], key="4-epsilon")
table = TABLES[shown]
here, best = cutting.error(table, most, epsilon), cutting.best(table, epsilon)
off = classroom.kept_draw("4-once", partial(cutting.draw_once, table, most, epsilon), table, most, epsilon)
frame.metrics(
    ("Trips kept", f"{100 * cutting.share_kept(most):.1f} %", f"M = {most}"),
    (
        "Noise scale",
        f"{float(1 / cutting.rate(table, most, epsilon)):,.0f}",
        f"{cutting.sensitivity(table, most)} / {decimal_text(epsilon)}",
    ),
    ("A count is off by", f"{here.both:,.1f}", f"one draw: {off:,.1f}"),
    (
        "Least of the bounds offered",
        f"{best.both:,.1f}",
        "at another M" if best.max_trips != most else "you found it",
    ),
)
left, right = st.columns(2)
with left:
    picture(cutting.errors_chart(cutting.errors(table, epsilon), most), "cut-and-noise")
with right:
    optima = {name: [cutting.best(one, rung).max_trips for rung in RUNGS] for name, one in TABLES.items()}
    picture(cutting.optima_chart([float(rung) for rung in RUNGS], optima, float(epsilon)), "best-bound")
frame.again("Draw once more", "4-once")
frame.what_happened(
    "A small M leaves most trips out, and all counts are too low: that is **bias**, and repeating the release does not remove it. A large M "
    "keeps the trips of busy people and asks everybody for more noise: that is **variance**. Their sum is least in between. "
    "Counts of the map are large and bear much noise, so M may be large. Flows are small, and a smaller M is better. A larger ε "
    "means less noise, so more trips should count."
)
frame.why(
    "The noise has to hide the busiest person who is allowed to count in full. Half of the people here make at most "
    f"{sorted(city().trips_per_person.tolist())[len(city().people) // 2]} trips, and a single one makes 490. Without a bound no "
    "noise is wide enough: 490 was read off the data, and somebody else may make more. These curves come from true counts too, "
    "which only the demo city may show. **For real data choose M beforehand**, or from a noisy histogram of trips per person that "
    "was paid for."
)
people, trips = len(city().people), len(city().person)
frame.verify(
    f"At M = 1 each of the {people:,} people keeps one of {trips:,} trips together: {100 * (people / trips):.1f} %. "
    "The noise scale is M/ε for flows and 2M/ε for the map and the hours: a trip has two ends."
)
frame.check(
    "You double M from 10 to 20 and leave ε as it is. What happens to the noise of every count?",
    ["It is half as wide", "It stays", "It is twice as wide"],
    2,
    "One person can now change the table by twice as much, so the noise must be twice as wide.",
    key="04",
)
frame.closing(mine, NOTES, SOURCES)
