"""The bill.

What do many answers cost together?

6 minutes, :material/receipt_long:

What many answers cost together, why days are not disjoint for people, and how to split a budget.
"""

from fractions import Fraction
from functools import partial
from inspect import getsource
from typing import Final

import streamlit as st

from dpcore.lessons import attacks, bill, hiding
from dpcore.privacy import RUNGS, best_guess, decimal_text
from pages.learn.parts import classroom, frame
from pages.learn.parts.frame import at_most, picture

DELTA: Final = 1e-6
MOST, TRIES, TOTAL = 60, 2_000, Fraction(1)
DAYS: Final = (1, 2, 5, 10, 20, 28)
NOTES = r"""
**Adding up.** Answers of $\varepsilon_1, \varepsilon_2, \ldots$ together are $\sum\varepsilon_i$-private, whatever they are and
however later questions depend on earlier answers.

**Disjoint parts.** If each unit that is hidden can be in one part only, all parts together cost $\max\varepsilon_i$. A trip starts
in one tile. A person travels on many days: by group privacy $d$ days cost $d\,\varepsilon$. The promise that holds for everybody is
the number of all days times $\varepsilon$. For people one should publish one table of days with at most $M$ trips of each person;
its noise has the scale $M/\varepsilon$.

**Concentrated privacy.** Gaussian noise of deviation $\sigma$ on an answer of sensitivity 1 costs $\rho = 1/(2\sigma^2)$, and these
add up: $k$ answers under $\rho$ have $\sigma = \sqrt{k/(2\rho)}$, growing with $\sqrt k$ instead of $k$. At $\delta = 10^{-6}$
an $\varepsilon$ of 1 is worth $\rho = 0.0244$, so $k = 20$ answers get a deviation of 20.3 instead of 28.3.
This conversion is a little wide, so Gaussian noise is narrower from 11 answers on; lesson 6 takes the exact $\sigma$ and says 9.

**Cube roots.** A table of $n$ counts with sensitivity $s$ and a part $e$ has a total squared error of about $2ns^2/e^2$.
Least $\sum_i 2 n_i s_i^2/e_i^2$ with $\sum e_i = \varepsilon$: by Lagrange $e_i \propto (n_i s_i^2)^{1/3}$. The worst
relative error is least if all are equal: $e_i \propto s_i/c_i$ with the typical count $c_i$. This app aims at the second,
and gives each table between half and twice an equal share, because otherwise the finest table would leave too little for all
others.

*Ask the class:* typical counts are secret in real life. Where could they come from?
"""
SOURCES = (
    "Dwork, McSherry, Nissim, Smith: Calibrating noise to sensitivity in private data analysis, TCC 2006",
    "McSherry: Privacy integrated queries, SIGMOD 2009 (parallel composition)",
    "Bun, Steinke: Concentrated differential privacy, TCC 2016",
    "Canonne, Kamath, Steinke: The discrete Gaussian for differential privacy, NeurIPS 2020 (from rho to epsilon and delta)",
)


def sums() -> None:
    """Many answers under one bill, and tiles that cost once."""
    one, other = st.columns(2)
    answers = one.slider("Answers", 1, MOST, 10, key="9-answers", bind="query-params")
    total = frame.stop(other, "ε of the whole bill", RUNGS[:9], RUNGS[5], key="9-bill")
    geometric, gaussian = bill.spreads(total, DELTA, answers)
    cross = bill.crossover(total, DELTA)
    frame.metrics(
        ("ε of each, if they add up", f"{float(total / answers):.3g}"),
        ("Geometric noise of each", f"{geometric:,.1f}", "standard deviation"),
        ("Gaussian noise of each", f"{gaussian:,.1f}", "standard deviation"),
        ("Gaussian is narrower from", f"{cross} answers" if cross else "never"),
    )
    picture(bill.spreads_chart(total, DELTA, MOST, answers), "one-bill")
    st.caption(
        "Each answer is a number that one trip changes by 1. Gaussian noise needs δ, here 1 in a million. Not on this bill: starts in 150 "
        "tiles, all noised with the same ε, cost that ε **once**, since a trip starts in one tile only. That is parallel composition."
    )


def days() -> None:
    """Parallel composition, wrongly claimed for days, and the people who travel on several of them."""
    one, other = st.columns(2)
    active = one.select_slider(
        "A person who travels on so many days", DAYS, 20, key="9-days", bind="query-params"
    )
    epsilon = frame.stop(other, "ε of each day", RUNGS[:6], RUNGS[3], key="9-day")
    right = classroom.kept_draw(
        "9-days", partial(hiding.recognised, (1,) * active, epsilon, TRIES), active, epsilon
    )
    by_days = bill.people_by_days()
    frame.metrics(
        ("Claimed bill of the month", f"ε {decimal_text(epsilon)}"),
        ("What this person pays", f"ε {decimal_text(bill.group_loss(epsilon, active))}"),
        (
            "An attacker is right about them",
            f"{100 * right:.1f} %",
            f"claimed: at most {at_most(best_guess(epsilon))}",
        ),
    )
    picture(bill.people_chart(by_days.tolist(), active), "days-of-people")
    st.caption(
        f"Each table: how many people travel on that day. {100 * (by_days[2:].sum() / by_days.sum()):.0f} % of the people are in two tables or "
        f"more. {TRIES:,} times a coin puts the person into all tables of their days or into none; the attacker knows everybody else. "
        f"From {int(bill.days_until(epsilon)) + 1} days on the bill no longer rules out that somebody is 99 % sure."
    )


def play_split() -> None:
    """A game: give a budget to three views."""
    weights = [
        column.slider(
            f"Parts for the {view.name.lower()}",
            1,
            100,
            10,
            key=f"9-{view.name.lower()}",
            bind="query-params",
        )
        for column, view in zip(st.columns(3), bill.VIEWS, strict=True)
    ]
    mine, least, even = bill.split(TOTAL, weights), bill.least_total(TOTAL), bill.least_worst(TOTAL)
    over = mine.total / least.total - 1
    worst = mine.relative.index(mine.worst)
    frame.metrics(
        ("Total squared error, above the least", f"{100 * over:.1f} %"),
        (f"Worst relative error: {bill.VIEWS[worst].name}", f"{100 * mine.worst:.1f} %"),
        ("Least worst error that is possible", f"{100 * even.worst:.1f} %"),
    )
    if over < 0.01:
        st.success("Within 1 % of the best split for the total error.", icon=":material/trophy:")
    splits = {"yours": mine, "least total error": least, "least worst error": even}
    names = [view.name for view in bill.VIEWS]
    picture(
        bill.budgets_chart(
            names, {name: [float(part) for part in one.parts] for name, one in splits.items()}
        ),
        "split-budget",
    )
    st.table(
        {
            "table": names,
            "counts": [f"{view.cells:,}" for view in bill.VIEWS],
            "a trip changes it by": [str(view.sensitivity) for view in bill.VIEWS],
            "typical count": [f"{view.typical:,.0f}" for view in bill.VIEWS],
            "your ε": [f"{float(part):.3f}" for part in mine.parts],
            "your noise (standard deviation)": [f"{wide:,.1f}" for wide in mine.deviations],
            "relative": [f"{100 * part:.2f} %" for part in mine.relative],
        }
    )
    st.caption(
        "ε 1 for one trip in all. Typical: the median of the counts that are not empty, taken here from the truth."
    )


mine = frame.opening(__file__)
frame.tabs(
    {"Answers add up": sums, "Days are not disjoint": days, "Split a budget": play_split}, key="9-part"
)
frame.what_happened(
    "Two answers tell more than one, so their costs **add up**. Answers about parts that share no trip cost only once. That rule "
    "is tempting for days, and wrong for people: a person who travels on twenty days is in twenty tables, and the attacker adds "
    "up twenty hints. A budget can be split well or badly: a fine table with many counts needs more of it."
)
frame.attack_code(getsource(attacks.log_odds))
frame.why(
    "Each answer of ε multiplies the odds of *there* against *away* by at most e to the ε. Two answers multiply twice: the "
    "exponents add. For *this trip* against *that trip* of somebody who is there, each answer counts for twice its ε. If a person "
    "can be in one part only, only one factor differs from 1. So before you call parts disjoint, ask: **disjoint for whom?**"
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
    "Hours are disjoint, people are not. A person who rides in 30 hours is in 30 tables of 0.1 each. Anybody may ride in every "
    "hour, so the promise to everybody is 720 x 0.1 = 72. A smaller one needs a bound on the hours of a person that count.",
    key="09",
)
frame.closing(mine, NOTES, SOURCES)
