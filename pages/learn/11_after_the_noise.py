"""Lesson 11: tidying noisy numbers costs no privacy; cutting at zero lifts every sum, agreement takes error away."""

import streamlit as st

from pages.learn.parts import frame
from pages.learn.parts.two_ways_to_tidy import agree, cut_and_round

NOTES = r"""
**Free.** If $A$ is $\varepsilon$-private, so is $f(A)$ for every $f$ that sees nothing of the data but $A$'s answer: whatever
$f$ does, it cannot tell two worlds apart better than its input can.

**The lift.** With $q = e^{-\varepsilon}$ and noise $V$ of the law $\frac{1-q}{1+q}q^{|v|}$, cutting a count $c$ at zero adds
$\mathrm{E}\max(-(c+V), 0) = q^{c+1}/(1-q^2)$ on average: 0.43 trips for an empty flow at $\varepsilon = 1$, 4.99 at 0.1. A single
count comes nearer to the truth, as no truth is negative. A sum of $n$ empty ones is off by $n$ times the lift, while without
cutting its error grows with $\sqrt n$ only.

**Rounding** is free as well and moves a count by at most half a step. Where most counts are small, more are rounded down than
up, and sums fall.

**Agreement.** Of tables with noise variances $V$ and true sums that are equal, $Ax = 0$, the best linear unbiased estimate is
$x = y - VA'(AVA')^{-1}Ay$. A table of few counts knows the total best, and teaches it to the others.

*Ask the class:* a map shows no negative numbers. Should the file behind it?
"""
SOURCES = (
    "Dwork, Roth: The algorithmic foundations of differential privacy, 2014, section 2.1 (post-processing)",
    "Hay, Rastogi, Miklau, Suciu: Boosting the accuracy of differentially private histograms through consistency, VLDB 2010",
    "Zhu, Van Hentenryck, Fioretto: Bias and variance of post-processing in differential privacy, AAAI 2021",
)

mine = frame.opening("11_after_the_noise")
frame.try_it()
for tab, show in zip(
    st.tabs(["Cut and round", "Make totals agree"], key="11-part", bind="query-params"),
    (cut_and_round, agree),
    strict=True,
):
    if tab.open:
        with tab:
            show()
frame.what_happened()
st.markdown(
    "A count of -3 trips looks silly, so tools set it to 0. **No single flow gets further from the truth by that, but sums of many flows "
    "do**: noise below zero is gone, noise above zero stays, and what remains adds up. Rounding "
    "adds up too: where most counts are small, more are rounded down than up. Making totals agree does the opposite: it "
    "uses that all tables tell the same number, so the sharpest table helps the others, and no sum is pushed to one side."
)
frame.why()
st.markdown(
    "All of this looks at noisy numbers alone. **Who cannot tell from the noisy numbers cannot tell from anything made of them**, so tidying "
    "costs no privacy, neither well done nor badly. What it can cost is truth. This app keeps files as they were drawn, negative counts "
    "included, and cuts in pictures only."
)
frame.verify(
    "At ε = 1, q = 0.368 and an empty flow gains 0.368 / (1 - 0.135) = 0.43 trips. Times the number of empty flows: the formula above."
)
frame.check(
    "An office adds noise, then sets to zero all counts whose true value is below 3. Is that free?",
    ["Yes, it happens after the noise", "No, it looks at true counts"],
    1,
    "Free is what uses noisy numbers and public facts alone. Here each zero tells something about a true count.",
    key="11",
)
frame.closing(mine, NOTES, SOURCES)
