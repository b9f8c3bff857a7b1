"""After the noise.

May one tidy up noisy numbers, and what does it do to them?

4 minutes, :material/cleaning_services:

Tidying noisy numbers costs no privacy. Cutting at zero raises every sum, and making totals agree reduces the error.
"""

from functools import partial

import streamlit as st

from dpcore.lessons import tidying
from dpcore.lessons.city import city
from dpcore.privacy import RUNGS
from dpcore.views.plain import number, signed
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

*Ask the class:* a map shows no negative numbers. Should the file behind it?
"""
SOURCES = (
    "Dwork, Roth: The algorithmic foundations of differential privacy, 2014, section 2.1 (post-processing)",
    "Hay, Rastogi, Miklau, Suciu: Boosting the accuracy of differentially private histograms through consistency, VLDB 2010",
    "Zhu, Van Hentenryck, Fioretto: Bias and variance of post-processing in differential privacy, AAAI 2021",
)


def cut_and_round() -> None:
    """Flows from district to district, tidied at will."""
    rate, how, step_at = st.columns(3)
    epsilon = frame.stop(rate, "ε for one trip", RUNGS[:9], RUNGS[5], key="11-epsilon")
    cut = how.toggle("Set negative counts to 0", value=True, key="11-cut", bind="query-params")
    step = one_of(step_at, "Round to", tidying.STEPS, 1, key="11-round")
    noisy = classroom.drawn("11-flows", partial(tidying.noised, epsilon), epsilon)
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
    tables = classroom.drawn("11-tables", partial(tidying.measured, epsilon), epsilon)
    told = tidying.totals(tables, tidying.make_agree(tables))
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


mine = frame.opening(__file__)
frame.tabs({"Cut and round": cut_and_round, "Make totals agree": agree}, key="11-part")
frame.what_happened(
    "A count of \N{MINUS SIGN}3 trips looks wrong, so tools set it to 0. **That takes no single flow further from the truth, but it does so "
    "with sums of many flows**: noise below zero is gone, noise above zero stays, and it adds up. Rounding "
    "adds up too: where most counts are small, more are rounded down than up. Making totals agree does the opposite: it knows "
    "that all tables tell the same number. So the sharpest table helps the others, and no sum is pushed to one side."
)
frame.why(
    "All of this looks at noisy numbers alone. **What the noisy numbers do not tell, nothing made of them can tell.** So tidying "
    "costs no privacy, whether it is done well or badly. It can cost accuracy. This app keeps files as they were drawn, negative "
    "counts "
    "included, and cuts in pictures only."
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
