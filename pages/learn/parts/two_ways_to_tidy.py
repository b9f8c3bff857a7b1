"""The two parts of lesson 11: noisy flows cut and rounded, and four tables that agree on their total."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dpcore.lessons import tidying
from dpcore.lessons.city import city
from dpcore.privacy import RUNGS, decimal_text
from dpcore.views.lessons import tidying as views
from pages.learn.parts import classroom
from pages.learn.parts.choices import one_of
from pages.learn.parts.pictures import picture


def cut_and_round() -> None:
    """Flows from district to district, tidied at will."""
    rate, how, step_at = st.columns(3)
    epsilon = rate.select_slider(
        "ε for one trip", RUNGS[:9], RUNGS[5], decimal_text, key="11-epsilon", bind="query-params"
    )
    cut = how.toggle("Set negative counts to 0", value=True, key="11-cut", bind="query-params")
    step = one_of(step_at, "Round to", tidying.STEPS, 1, key="11-round")
    noisy = classroom.drawn("11-flows", partial(tidying.noised, epsilon), epsilon)
    before = tidying.effect(noisy)
    after = tidying.effect(tidying.tidied(noisy, step, cut=cut))
    empty = int((city().flows == 0).sum())
    for place, name, value, was in zip(
        st.columns(3),
        ("A single flow is off by", "All flows together are off by", f"Trips on the {empty:,} empty flows"),
        (f"{after.single:.2f}", f"{after.total:+,}", f"{after.empty:,}"),
        (
            f"as drawn: {before.single:.2f}",
            f"as drawn: {before.total:+,}",
            f"formula of cutting: {empty * tidying.lift_of_empty(epsilon):,.0f}",
        ),
        strict=True,
    ):
        place.metric(name, value, was, delta_color="off", delta_arrow="off", border=True)
    if step > 1:
        truth = city().flows[city().flows > 0]
        st.caption(
            f"Rounding to {step} pushes sums **down**: {100 * float((truth < step / 2).mean()):.0f} % of the flows that have trips have fewer than "
            f"{step / 2:g}, and these become 0 unless noise lifts them. The formula is that of cutting alone."
        )
    picture(views.running(before.running, after.running, tidying.lifts(epsilon).cumsum()), "sums-of-flows")
    if st.button("New noise", icon=":material/casino:", key="11-again-flows"):
        classroom.next_turn("11-flows")
        st.rerun()


def agree() -> None:
    """Four tables that tell the number of trips."""
    epsilon = st.select_slider(
        "ε of the four tables together", RUNGS[:9], RUNGS[5], decimal_text, key="11-four", bind="query-params"
    )
    tables = classroom.drawn("11-tables", partial(tidying.measured, epsilon), epsilon)
    told = tidying.totals(tables, tidying.make_agree(tables))
    one, two, three = st.columns(3)
    spread = max(row.drawn for row in told) - min(row.drawn for row in told)
    one.metric("The tables differ by up to", f"{spread:,.0f} trips", border=True)
    two.metric("They agree on", f"{told[0].agreed:,.1f}", f"± {told[0].half_width_agreed:,.1f}", delta_color="off", delta_arrow="off", border=True)  # fmt: skip
    three.metric("Truth", f"{len(city().person):,}", border=True)
    drawn, wide = [row.drawn for row in told], [float(row.half_width) for row in told]
    picture(
        views.totals([row.title for row in told], drawn, wide, told[0].agreed, len(city().person)),
        "totals-agree",
    )
    st.caption(
        "Dots: the total of each table as drawn, with what noise may do to it in 95 of 100 cases. Blue line: the total on which all agree. "
        "Brown, dashed: the truth. Squared error of a single count that agreement saves: "
        + ", ".join(f"{row.title.lower()} {100 * row.saved:.1f} %" for row in told)
        + "."
    )
    if st.button("New noise", icon=":material/casino:", key="11-again-tables"):
        classroom.next_turn("11-tables")
        st.rerun()
