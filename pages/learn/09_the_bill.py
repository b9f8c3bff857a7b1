"""Lesson 9: what answers cost together, why days are not disjoint for people, and how to split a budget."""

from inspect import getsource

import streamlit as st

from dpcore.lessons.attacks import presence
from pages.learn.parts import frame, three_bills

NOTES = r"""
**Adding up.** Answers of $\varepsilon_1, \varepsilon_2, \ldots$ together are $\sum\varepsilon_i$-private, whatever they are and
however later questions depend on earlier answers.

**Disjoint parts.** If each unit that is hidden can be in one part only, all parts together cost $\max\varepsilon_i$. A trip starts
in one tile. A person travels on many days: by group privacy $d$ days cost $d\,\varepsilon$, and what can be
promised to everybody is the number of all days times $\varepsilon$. Right for people is one table of
days with at most $M$ trips of each, whose noise has the scale $M/\varepsilon$.

**Concentrated privacy.** Gaussian noise of deviation $\sigma$ on an answer of sensitivity 1 costs $\rho = 1/(2\sigma^2)$, and these
add up: $k$ answers under $\rho$ have $\sigma = \sqrt{k/(2\rho)}$, growing with $\sqrt k$ instead of $k$. At $\delta = 10^{-6}$
an $\varepsilon$ of 1 is worth $\rho = 0.0244$, so $k = 20$ answers get a deviation of 20.3 instead of 28.3.
This conversion is a little wide, so Gaussian noise is narrower from 11 answers on; lesson 6 takes the exact $\sigma$ and says 9.

**Cube roots.** A table of $n$ counts with sensitivity $s$ and a part $e$ has a total squared error of about $2ns^2/e^2$. Least
$\sum_i 2 n_i s_i^2/e_i^2$ with $\sum e_i = \varepsilon$: by Lagrange $e_i \propto (n_i s_i^2)^{1/3}$. The worst relative error is
least if all are equal: $e_i \propto s_i/c_i$ with the typical count $c_i$. This app aims at the second, and gives no table less
than half or more than twice an equal share, or the finest table would drown all others.

*Ask the class:* typical counts are secret in real life. Where could they come from?
"""
SOURCES = (
    "Dwork, McSherry, Nissim, Smith: Calibrating noise to sensitivity in private data analysis, TCC 2006",
    "McSherry: Privacy integrated queries, SIGMOD 2009 (parallel composition)",
    "Bun, Steinke: Concentrated differential privacy, TCC 2016",
    "Canonne, Kamath, Steinke: The discrete Gaussian for differential privacy, NeurIPS 2020 (from rho to epsilon and delta)",
)

mine = frame.opening("09_the_bill")
frame.try_it()
tabs = st.tabs(
    ["Answers add up", "Days are not disjoint", "Split a budget"], key="9-part", bind="query-params"
)
for tab, show in zip(tabs, (three_bills.sums, three_bills.days, three_bills.split), strict=True):
    if tab.open:  # the others wait until they are looked at
        with tab:
            show()
frame.what_happened()
st.markdown(
    "Two answers tell more than one, so their costs **add up**. Answers about parts that no trip shares cost only once. That rule is "
    "tempting for days, and wrong for people: who travels on twenty days is in twenty tables, and the attacker adds up twenty hints. "
    "What there is to spend can be split well or badly: a fine table with many counts needs more of it."
)
frame.attack_code(getsource(presence.log_odds))
frame.why()
st.markdown(
    "Each answer of ε multiplies the odds of *there* against *away* by at most e to the ε. Two answers multiply twice: the exponents add. For "
    "*this way* against *that way*, of somebody who is there, each answer counts for twice its ε. "
    "Where a person can only be in one part, just one factor is not 1. So before you call parts disjoint, ask: **disjoint for whom?**"
)
frame.verify(
    "20 days at ε 0.5 are 20 x 0.5 = 10. In the third part the cube roots of 151 x 2 x 2, 22,801 x 1 and 48 x 2 x 2 are 8.5, 28.4 and 5.8: "
    "set the parts to 9, 28 and 6."
)
frame.check(
    "Every hour of a month a city publishes how many people are on its buses, each of the 720 hours with ε = 0.1. Two questions: what ε has "
    "somebody who rides in 30 hours, and what ε can the city promise to everybody beforehand?",
    ["0.1 and 0.1, as hours do not overlap", "3 and 72", "3 and 3"],
    1,
    "Hours are disjoint, people are not. Who rides in 30 hours is in 30 tables of 0.1 each. Nobody is kept from riding in every hour, so the promise to "
    "everybody is 720 x 0.1 = 72. A smaller one needs a bound on the hours of a person that count.",
    key="09",
)
frame.closing(mine, NOTES, SOURCES)
