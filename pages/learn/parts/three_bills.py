"""The three parts of lesson 9: sums of answers, days that only look disjoint, and a budget to be split."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Final

import streamlit as st

from dpcore.lessons import bill, hiding
from dpcore.privacy import RUNGS, best_guess, decimal_text
from dpcore.views.lessons import bill as views
from pages.learn.parts import classroom
from pages.learn.parts.percent import at_most
from pages.learn.parts.pictures import picture

DELTA: Final = 1e-6
MOST, TRIES, TOTAL = 60, 2_000, Fraction(1)
DAYS: Final = (1, 2, 5, 10, 20, 28)


def sums() -> None:
    """Many answers under one bill, and tiles that cost once."""
    one, other = st.columns(2)
    answers = one.slider("Answers", 1, MOST, 10, key="9-answers", bind="query-params")
    total = other.select_slider(
        "ε of the whole bill", RUNGS[:9], RUNGS[5], decimal_text, key="9-bill", bind="query-params"
    )
    geometric, gaussian = bill.spreads(total, DELTA, answers)
    first, second, third, fourth = st.columns(4)
    first.metric("ε of each, if they add up", f"{float(total / answers):.3g}", border=True)
    second.metric("Geometric noise of each", f"± {geometric:,.1f}", border=True)
    third.metric("Gaussian noise of each", f"± {gaussian:,.1f}", border=True)
    cross = bill.crossover(total, DELTA)
    fourth.metric("Gaussian is narrower from", f"{cross} answers" if cross else "never", border=True)
    both = [bill.spreads(total, DELTA, number) for number in range(1, MOST + 1)]
    picture(views.spreads([pair[0] for pair in both], [pair[1] for pair in both], answers), "one-bill")
    st.caption(
        "Each answer is a number that one trip changes by 1. Gaussian noise needs δ, here 1 in a million. Not on this bill: starts in 150 "
        "tiles, all noised with the same ε, cost that ε **once**, since a trip starts in one tile only. That is parallel composition."
    )


def days() -> None:
    """Parallel composition claimed for days, and the people who travel on several."""
    one, other = st.columns(2)
    active = one.select_slider(
        "A person who travels on so many days", DAYS, 20, key="9-days", bind="query-params"
    )
    epsilon = other.select_slider(
        "ε of each day", RUNGS[:6], RUNGS[3], decimal_text, key="9-day", bind="query-params"
    )
    right = classroom.drawn(
        "9-days", partial(hiding.recognised, (1,) * active, epsilon, TRIES), active, epsilon
    )
    by_days = bill.people_by_days()
    first, second, third = st.columns(3)
    first.metric("Claimed bill of the month", f"ε {decimal_text(epsilon)}", border=True)
    second.metric("What this person pays", f"ε {decimal_text(bill.group_loss(epsilon, active))}", border=True)
    third.metric(
        "An attacker is right about them",
        f"{100 * right:.1f} %",
        f"claimed: at most {at_most(best_guess(epsilon))}",
        delta_color="off",
        delta_arrow="off",
        border=True,
    )
    picture(views.people(by_days.tolist(), active), "days-of-people")
    st.caption(
        f"Each table: how many people travel on that day. {100 * (by_days[2:].sum() / by_days.sum()):.0f} % of the people are in two tables or "
        f"more. {TRIES:,} times a coin puts the person into all tables of their days or into none; the attacker knows everybody else. "
        f"From {int(bill.days_until(epsilon)) + 1} days on the bill no longer keeps anybody from being 99 % sure."
    )


def split() -> None:
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
    first, second, third = st.columns(3)
    over = mine.total / least.total - 1
    first.metric("Total squared error, above the least", f"{100 * over:.1f} %", border=True)
    worst = mine.relative.index(mine.worst)
    second.metric(f"Worst relative error: {bill.VIEWS[worst].name}", f"{100 * mine.worst:.1f} %", border=True)
    third.metric("Least worst error that is possible", f"{100 * even.worst:.1f} %", border=True)
    if over < 0.01:
        st.success("Within 1 % of the best split for the total error.", icon=":material/trophy:")
    splits = {"yours": mine, "least total error": least, "least worst error": even}
    names = [view.name for view in bill.VIEWS]
    picture(
        views.budgets(names, {name: [float(part) for part in one.parts] for name, one in splits.items()}),
        "split-budget",
    )
    st.table(
        {
            "table": names,
            "counts": [f"{view.cells:,}" for view in bill.VIEWS],
            "a trip changes it by": [str(view.sensitivity) for view in bill.VIEWS],
            "typical count": [f"{view.typical:,.0f}" for view in bill.VIEWS],
            "your ε": [f"{float(part):.3f}" for part in mine.parts],
            "your noise": [f"± {wide:,.1f}" for wide in mine.deviations],
            "relative": [f"{100 * part:.2f} %" for part in mine.relative],
        }
    )
    st.caption(
        "ε 1 for one trip in all. Typical: the median of the counts that are not empty, here by looking at the truth."
    )
