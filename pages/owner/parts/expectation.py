"""What the plan costs and what it will give, live, from public facts and declarations only."""

from __future__ import annotations

from fractions import Fraction

import streamlit as st

from dpcore.forecast import Facts, forecast
from dpcore.known_releases import ATTRIBUTION, compared
from dpcore.ledger import Account, Price, Statement
from dpcore.plan import Plan
from dpcore.privacy import decimal_text
from dpcore.quantiles.expected import warning
from dpcore.typical_city import TRIPS_IN_FOUR_WEEKS
from dpcore.views import forecasts, known, sentences
from dpcore.views.plain import plain
from dpcore.views.worth import worth
from pages.owner.parts import release_words


def price_panel(
    plan: Plan, price: Price, charge: Fraction, account: Account, statement: Statement | None
) -> None:
    """Price, its steps, what is left after its charge, and the odds."""
    before = account.total if statement is None else statement.left
    unit = account.unit.value.replace("user", "person")
    cost, left = st.columns(2)
    cost.metric(
        "Price", f"ε {decimal_text(price.epsilon)}", help=f"Counted for each {unit}, as this account does."
    )
    left.metric(
        "Left after it",
        f"ε {decimal_text(before - charge)}" if charge <= before else "not enough",
        help=f"Of ε {decimal_text(account.total)} in the account of {plain(account.dataset)}. It never grows again.",
    )
    if charge != price.epsilon:
        st.caption(release_words.PARALLEL.format(charge=decimal_text(charge)))
    st.markdown(sentences.protection(plan.bound, plan.epsilon))
    with st.expander("How the price comes about", icon=":material/receipt_long:"):
        st.markdown("\n".join(f"- {plain(step)}" for step in price.steps))
        st.caption(f"Before: ε {decimal_text(before)} left of ε {decimal_text(account.total)}.")


def readable(plan: Plan, facts: Facts) -> None:
    """How much of the map and of the flows will stand out of the noise."""
    cards = forecasts.cards(forecast(plan, facts), facts)
    for card, cell in zip(cards, st.columns(max(1, len(cards))), strict=False):
        cell.metric(card.label, card.value, help=card.help)
        cell.caption(card.note)
    st.caption(forecasts.counted(plan.bound, facts))


def little_to_read(plan: Plan, facts: Facts) -> str:
    """Warn where little could be read, and say what would help; the first sentence of it, or nothing."""
    found = worth(plan, facts)
    if found.little:
        better = "".join(f"\n- {plain(change)}." for change in found.helps)
        helps = f"\n\nWhat would help, each by itself:\n{better}" if better else ""
        st.warning(f"{plain(found.little)}{helps}", icon=":material/blur_on:")
    return found.little


def expectation(plan: Plan, facts: Facts) -> None:
    """The noise of every picture, and what the forecast rests on."""
    st.subheader("3 What it will give", help=forecasts.ASSUMPTION)
    st.table(forecasts.table(forecast(plan, facts)))
    not_worth_it = warning(plan, facts)
    if not_worth_it:
        st.warning(plain(not_worth_it), icon=":material/info:")
    st.caption(forecasts.ASSUMPTION)


def comparison(plan: Plan) -> None:
    """The plan beside releases of others, in one unit."""
    st.markdown(release_words.KNOWN_INTRO)
    trips, others, local = st.columns(3, vertical_alignment="bottom")
    assumed = trips.number_input(
        "Trips of one person in four weeks (assumed)",
        1,
        1000,
        value=TRIPS_IN_FOUR_WEEKS,
        key="known trips",
    )
    period = plan.choices.period
    rows = compared(
        plan.bound,
        plan.epsilon,
        None if period is None else len(period.days),
        trips_in_four_weeks=assumed,
        only_mobility=not others.toggle("Also without mobility", value=False, key="known others"),
        with_local=local.toggle(
            "Also noise on the device",
            value=False,
            key="known local",
            help="Apps that add noise before anything leaves the phone: the same letter ε, another kind of trust.",
        ),
    )
    chart = known.chart(rows)
    st.vega_lite_chart(chart.table, chart.spec, alt=chart.alt)
    st.caption(known.caption(rows))
    with st.expander("The same as a table, with conversions and sources"):
        st.dataframe(
            known.columns(rows),
            hide_index=True,
            column_config={"source": st.column_config.LinkColumn(display_text="open")},
            alt="Known releases with their epsilon as reported and in one unit",
        )
    st.caption(ATTRIBUTION)
