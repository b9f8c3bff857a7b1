"""After the noise.

May one tidy up noisy numbers, and what does it do to them?

7 minutes, :material/cleaning_services:

Tidying noisy numbers costs no privacy. Making totals agree and looking at neighbours reduces the error. An estimate can lie where its
assumption fails, while the released counts keep their guarantee.
"""

from functools import partial

import streamlit as st

from dpcore.demo import town
from dpcore.estimates.words import share_words
from dpcore.lessons import estimating, tidying
from dpcore.lessons.city import city
from dpcore.privacy import RUNGS, decimal_text
from dpcore.views.ground.plain import number, percent, signed
from pages.learn.parts import classroom, frame
from pages.learn.parts.frame import one_of, picture

NOTES = r"""
**Free.** If $A$ is $\varepsilon$-private, so is $f(A)$ for every $f$ that sees nothing of the data but $A$'s answer: whatever
$f$ does, it cannot tell two worlds apart better than its input can.

**The lift.** With $q = e^{-\varepsilon}$ and noise $V$ of the law $\frac{1-q}{1+q}q^{|v|}$, cutting a count $c$ at zero adds
$\mathrm{E}\max(-(c+V), 0) = q^{c+1}/(1-q^2)$ on average: 0.43 trips for an empty flow at $\varepsilon = 1$, 4.99 at 0.1. A single
count comes nearer to the truth, because no true count is negative. A sum of $n$ empty ones is off by $n$ times the lift, while without
cutting its error grows with $\sqrt n$ only.

**Rounding** is free as well and moves a count by at most half a step. Where most counts are small, more are rounded down than
up, and sums fall.

**Agreement.** Of tables with noise variances $V$ and true sums that are equal, $Ax = 0$, the best linear unbiased estimate is
$x = y - VA'(AVA')^{-1}Ay$. A table of few counts has the sharpest total, and passes it on to
the others.

**Estimates.** Each tile has a model value $m$ from its neighbours (a Gaussian process on the logarithm of visits) and a law of how far tiles
stray from it. Bayes weighs both against the noise. With noise variance $V$ and spread $s^2$ the drawn value keeps about the weight
$s^2/(s^2 + V)$. The mean error falls, and the error of one odd tile rises: the paradox of James and Stein.

**Scaling.** With the share $c$ of trips that count, visits of all trips are estimated as $x/c$. That is unbiased where the trips left out go
to the same places. If they do not, the error is their difference times $1 - c$, and no epsilon makes it smaller.

*Ask the class:* a map shows no negative numbers. Should the file behind it? Who could know that the works are missing?
"""
SOURCES = (
    "Dwork, Roth: The algorithmic foundations of differential privacy, 2014, section 2.1 (post-processing)",
    "Hay, Rastogi, Miklau, Suciu: Boosting the accuracy of differentially private histograms through consistency, VLDB 2010",
    "Zhu, Van Hentenryck, Fioretto: Bias and variance of post-processing in differential privacy, AAAI 2021",
    "Efron, Morris: Stein's paradox in statistics, Scientific American 236, 1977",
    "Armstrong, Kolesár, Plagborg-Møller: Robust empirical Bayes confidence intervals, Econometrica 90, 2022",
)


def cut_and_round() -> None:
    """Flows from district to district, tidied at will."""
    rate, how, step_at = st.columns(3)
    epsilon = frame.stop(rate, "ε for one trip", RUNGS[:9], RUNGS[5], key="11-epsilon")
    cut = how.toggle("Set negative counts to 0", value=True, key="11-cut", bind="query-params")
    step = one_of(step_at, "Round to", tidying.STEPS, 1, key="11-round")
    noisy = classroom.kept_draw("11-flows", partial(tidying.noised, epsilon), epsilon)
    before = tidying.effect(noisy)
    after = tidying.effect(tidying.tidied(noisy, step, cut=cut))
    empty = int((city().flows == 0).sum())
    frame.metrics(
        ("A single flow is off by", f"{after.single:.2f}", f"as drawn: {before.single:.2f}"),
        ("All flows together are off by", signed(after.total), f"as drawn: {signed(before.total)}"),
        (
            f"Trips on the {empty:,} empty flows",
            number(after.empty),
            f"formula of cutting: {empty * tidying.lift_of_empty(epsilon):,.0f}",
        ),
    )
    if step > 1:
        truth = city().flows[city().flows > 0]
        st.caption(
            f"Rounding to {step} pushes sums **down**: {100 * float((truth < step / 2).mean()):.0f} % of the flows that have trips have fewer than "
            f"{step / 2:g}, and these become 0 unless noise lifts them. The formula is that of cutting alone."
        )
    picture(
        tidying.running_chart(before.running, after.running, tidying.lifts(epsilon).cumsum()), "sums-of-flows"
    )
    frame.again("New noise", "11-flows", key="11-again-flows")


def agree() -> None:
    """Four tables that tell the number of trips."""
    epsilon = frame.stop(st, "ε of the four tables together", RUNGS[:9], RUNGS[5], key="11-four")
    tables = classroom.kept_draw("11-tables", partial(tidying.noisy_tables, epsilon), epsilon)
    told = tidying.totals(tables)
    spread = max(row.drawn for row in told) - min(row.drawn for row in told)
    frame.metrics(
        ("The tables differ by up to", f"{spread:,.0f} trips"),
        ("They agree on", number(told[0].agreed, 1), f"± {told[0].half_width_agreed:,.1f}"),
        ("Truth", f"{len(city().person):,}"),
    )
    picture(tidying.totals_chart(told, len(city().person)), "totals-agree")
    st.caption(
        "Dots: the total of each table as drawn, with what noise may do to it in 95 of 100 cases. Blue line: the total on which all agree. "
        "Brown, dashed: the truth. Squared error of a single count that agreement saves: "
        + ", ".join(f"{row.title.lower()} {100 * row.saved:.1f} %" for row in told)
        + "."
    )
    frame.again("New noise", "11-tables", key="11-again-tables")


def ask_neighbours() -> None:
    """Visits of a valley, estimated from what a tile and its neighbours show."""
    st.markdown(
        "A quiet valley of 96 tiles. Tiles near the middle have more visits, so **neighbours tell about a tile**. One tile is a plaza: make "
        "it unlike its neighbours."
    )
    rate, how = st.columns(2)
    epsilon = frame.stop(rate, "ε for one trip", RUNGS[:7], RUNGS[0], key="11-valley-epsilon")
    times = how.select_slider(
        "Visits of the plaza, times those around it",
        estimating.TIMES,
        5,
        key="11-plaza",
        bind="query-params",
    )
    shown = classroom.kept_draw(
        "11-valley", partial(estimating.seen_in_valley, times, epsilon), times, epsilon
    )
    place = town.PLAZA
    frame.metrics(
        (
            "A tile is off by",
            f"{shown.off(shown.estimate.values):.1f}",
            f"as drawn: {shown.off(shown.released):.1f}",
        ),
        (
            "Plaza, estimate",
            number(shown.estimate.values[place]),
            f"as drawn: {number(shown.released[place])}",
        ),
        ("Plaza, truth", number(shown.truth[place])),
    )
    picture(estimating.against_truth(shown), "valley")
    frame.again("New noise", "11-valley", key="11-again-valley")


def ask_for_all() -> None:
    """Visits of a town, of whose frequent travellers only few trips count."""
    st.markdown(
        f"In this town {percent(estimating.frequent_share())} of all trips are made by people with {town.OFTEN} trips each. Of each person {estimating.MOST} trips "
        "count, so that one person is hidden. The estimate multiplies the rest: it assumes that **people who travel a lot go where others "
        "go**. Make that wrong."
    )
    unlike = st.select_slider(
        "Of 100 trips of frequent travellers, so many lead to the works or from there",
        estimating.UNLIKE,
        0,
        key="11-unlike",
        bind="query-params",
    )
    shown = classroom.kept_draw("11-town", partial(estimating.seen_in_town, unlike), unlike)
    works = [*town.WORKS]
    if shown.share is not None:
        st.caption(f"{share_words(shown.share)} ε = {decimal_text(estimating.EPSILON)} for one person.")
    frame.metrics(
        (
            "The works, estimate",
            number(shown.estimate.values[works].sum()),
            f"truth: {number(shown.truth[works].sum())}",
        ),
        ("Likely ranges that hold the truth", f"{shown.ranges_hold} of {len(shown.truth)}"),
        (
            "Released ranges that hold what was counted",
            f"{shown.noise_holds} of {len(shown.truth)}",
        ),
    )
    picture(estimating.against_truth(shown), "town")
    frame.again("New noise", "11-town", key="11-again-town")


mine = frame.opening(__file__)
frame.tabs(
    {
        "Cut and round": cut_and_round,
        "Totals agree": agree,
        "Neighbours": ask_neighbours,
        "All trips": ask_for_all,
    },
    key="11-part",
)
frame.what_happened(
    "A count of \N{MINUS SIGN}3 trips looks wrong, so tools set it to 0. **That takes no single flow further from the truth, but it does so "
    "with sums of many flows**: noise below zero is gone, noise above zero stays, and it adds up. Rounding "
    "adds up too: where most counts are small, more are rounded down than up. Making totals agree does the opposite: it knows "
    "that all tables tell the same number. So the sharpest table helps the others, and no sum is pushed to one side.\n\n"
    "**Estimates go further.** Neighbours are mostly alike, so a tile that noise hides is drawn towards those around it: on "
    "average it comes much nearer to the truth than what was paid for. A plaza that is unlike its neighbours is then drawn the wrong way. "
    "Scaling to all trips repairs what M leaves out, as long as frequent travellers go where others go. Where they do "
    "not, the works are far too low, and most likely ranges miss. The released counts know nothing of all this: the "
    "range of their noise holds what was counted, as often as promised."
)
frame.why(
    "All of this looks at noisy numbers alone. **What the noisy numbers do not tell, nothing made of them can tell.** So tidying "
    "costs no privacy, whether it is done well or badly. It can cost accuracy. This app keeps the released tables as they were drawn, negative "
    "counts included.\n\n"
    "An estimate adds what the numbers do not tell: an **assumption**. So this app always shows the released count with its guarantee, the share "
    "of trips that counts, and the assumption beside the estimate. Nothing that was released can say whether the assumption holds. "
    "People who know the city can."
)
frame.verify(
    "At ε = 1, q = 0.368 and an empty flow gains 0.368 / (1 - 0.135) = 0.43 trips. Times the number of empty flows: the formula above."
)
frame.check(
    "An office adds noise, then sets to zero all counts whose true value is below 3. Is that free?",
    ["Yes, it happens after the noise", "No, it looks at true counts"],
    1,
    "Only what uses noisy numbers and public facts alone is free. Here each zero tells something about a true count.",
    key="11",
)
frame.closing(mine, NOTES, SOURCES)
