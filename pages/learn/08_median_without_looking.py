"""A median without touching values.

How can one publish the middle of a list of secrets?

4 minutes, :material/vertical_align_center:

A median is drawn by rank among the points of a public grid. Drawn among the data values, it would be the secret of one person.
"""

from functools import partial
from inspect import getsource

import streamlit as st

from dpcore.lessons import attacks, broken, median
from dpcore.lessons.city import city
from dpcore.measures.bins import PARTS
from dpcore.privacy import RUNGS, decimal_text
from pages.learn.parts import classroom, frame
from pages.learn.parts.frame import one_listed, one_of, picture

NUMBERS = (25, 250, 2_500)
GRID, DATA = "points of a public grid", "the values themselves"
ASKED, REACH = 200, 5.0
NOTES = r"""
**Score.** Of $n$ trips $B$ are shorter than the point $v$ and $A$ are longer. It misses the middle by
$\max(0, B - n/2, n/2 - (n - A))$ ranks. One trip more or less changes that by at most $\Delta = 1/2$, however long the trip
is: **ranks forget values**, so no bound on durations is needed.

**From score to chance.** The exponential mechanism answers $v$ with a chance proportional to
$\exp(-\varepsilon\,\mathrm{miss}(v)/(2\Delta))$. This app adds exponential noise of mean $2\Delta/\varepsilon$ to each score
and takes the largest, which is the permute-and-flip form: with $p_v = \exp(-\varepsilon\,\mathrm{miss}(v)/(2\Delta))$,
counted from the best point, the chance of $v$ is $p_v\int_0^1\prod_{w \ne v}(1 - p_w t)\,dt$. Its mean miss is never
larger, and can be half as large.

**The flaw.** If only values of the data can come out, the set of possible answers is the data. Without a trip, one answer
becomes impossible: the ratio of chances is infinite and no $\varepsilon$ covers it, however small the weights.

**Local and global.** The median of these trips may hardly move if one trip is added: its *local* sensitivity is small. Its
*global* sensitivity, over all possible trips, is half a day, and noise of that width would drown it. Noise of the local width is
no way out: it would itself be read off the trips. A score by ranks has a small global sensitivity, so the question does not arise.

*Ask the class:* how would you publish the longest trip? (Not at all: any useful answer is about one person.)
"""
SOURCES = (
    "McSherry, Talwar: Mechanism design via differential privacy, FOCS 2007",
    "Nissim, Raskhodnikova, Smith: Smooth sensitivity and sampling in private data analysis, STOC 2007 (local sensitivity)",
    "Smith: Privacy-preserving statistical estimation with optimal convergence rates, STOC 2011 (quantiles)",
    "McKenna, Sheldon: Permute-and-flip: a new mechanism for differentially private selection, NeurIPS 2020",
)


mine = frame.opening(__file__)
st.markdown(
    "What is the median duration of a trip? The noise hides **one trip**. Ask, then look whose number the answer is."
)
many, rate, way = st.columns(3)
number = one_of(many, "Trips", NUMBERS, 25, format_func="{:,}".format, key="8-trips")
epsilon = frame.stop(rate, "ε of one answer", RUNGS[:9], RUNGS[5], key="8-epsilon")
among = one_listed(way, "Choose among", (GRID, DATA), GRID, key="8-among")
trips = median.some_trips(number)
law = median.law(number, epsilon)
by_data = broken.data_chances(trips.minutes, float(epsilon))
if among == GRID:
    make = partial(median.draws, number, epsilon, ASKED)
else:
    make = partial(broken.data_medians, trips.minutes, float(epsilon), ASKED)
answers = classroom.kept_draw("8-median", make, number, epsilon, among)
found = attacks.whose(answers[0], trips.minutes)
exact = sum(len(attacks.whose(one, trips.minutes)) > 0 for one in answers)
told = f"{median.most_told(number, epsilon):.2f}" if among == GRID else "\N{INFINITY}"
frame.metrics(("Answer", f"{answers[0]:.4g} min", f"truth: {trips.median:.4g}"), (f"Of {ASKED} answers, a value of the data", f"{exact}"), ("Most that an answer tells on the middle trip", told, f"promised: {decimal_text(epsilon)}"))  # fmt: skip
if among == DATA:
    owners = sorted({city().people[person] for person in city().person[trips.rows[found]].tolist()})
    alone = f"that is the trip of **{owners[0]}**, and without it nobody could have got this answer"
    shared = f"only the trips of **{' and '.join(owners)}** took as long"
    st.error(f"Exactly {answers[0]:.6g} minutes: {alone if len(found) == 1 else shared}.", icon=":material/person_search:")  # fmt: skip
else:
    st.info(f"All {len(median.POINTS)} points of the grid can come out, whoever travels. If one is also somebody's duration, that is chance.", icon=":material/grid_on:")  # fmt: skip
left, right = st.columns(2)
with left:
    picture(median.missed_chart(-law.score / PARTS, trips.median, 60), "ranks-missed")
with right:
    window = (trips.median - REACH, trips.median + REACH)
    if among == GRID:
        drawn = median.chances_chart(law, trips.median, window)
    else:
        drawn = median.among_chart(trips.minutes, by_data, trips.median, window)
    picture(drawn, "chances")
st.caption("First picture: how many trips a point is away from the middle of the list. Second picture: how likely it comes out. Brown: the true median.")  # fmt: skip
frame.again("Ask again", "8-median")
frame.what_happened(
    "No noise was added to a duration. Every point of a public list got a **score**: how many trips it is away from the middle. A "
    f"point with a better score is likelier. On the grid {100 * (law.within(trips.median, 1)):.0f} % of the answers are "
    "within a minute of the true median. Choosing among the values by the same scores looks much the same, but every answer is "
    "the exact duration of somebody's trip."
)
frame.attack_code(getsource(attacks.whose), getsource(broken.data_chances))
frame.why(
    "A trip of ten hours moves a mean by much and a median hardly at all: it is one trip on one side of the middle, like any "
    "other. So one trip changes the scores little, and the chances too. But this holds only if **the same answers are possible "
    "with and without "
    "the trip**. A public grid is always the same. A list of data values is not."
)
frame.verify(
    "One trip changes a score by half a rank, so at ε = 1 each rank that a point misses by divides the weight of the exponential "
    "mechanism by e = 2.72: ε / (2 x 1/2) = 1 a rank."
)
frame.check(
    "A tool draws a median among the data values, with ε = 0.01. How well is the middle trip protected?",
    ["Very well", "By no ε at all", "As well as with ε = 0.01 on a grid"],
    1,
    "The answer is somebody's exact value at any ε. Without that trip it could not have come out.",
    key="08",
)
frame.closing(mine, NOTES, SOURCES)
