"""Release: decide what to publish, see its price and what it will give, publish, and see what was spent."""

import streamlit as st

from dpcore import curator
from dpcore.curator.price import price_of_plan
from dpcore.errors import AtlasError
from dpcore.ledger import Account, Ledger
from dpcore.measures.plan import Plan
from dpcore.noise.forecast import Facts
from dpcore.privacy import PrivacyUnit
from pages.owner.parts import release_words
from pages.owner.parts.account_book import earlier, ledger_section, unfinished
from pages.owner.parts.bound_choice import bound_choice
from pages.owner.parts.draft import Draft
from pages.owner.parts.expectation import comparison, expectation, little_to_read, price_panel, readable
from pages.owner.parts.plan_form import plan_form
from pages.owner.parts.publishing import charged, confirmation, pending_release, receipt
from pages.owner.parts.session import DataSet, loaded, session
from pages.parts.messages import refused


def to_pay(
    data: DataSet, draft: Draft, registered: Account | None, ledger: Ledger
) -> tuple[Plan, Facts] | None:
    """Price of the plan and the way to its confirmation; the plan with the declared facts, if they can be."""
    st.subheader("2 Price")
    try:
        plan = draft.plan()
        facts = draft.facts(len(data.tessellation.tile_ids))
    except AtlasError as error:
        refused(error)
        return None
    if registered is None and draft.lacking_terms:
        st.caption(f"Still needed: {' and '.join(draft.lacking_terms)}.")
        st.button("Review and publish …", type="primary", disabled=True)
        return plan, facts
    try:
        account = registered or draft.account()
        cost = price_of_plan(plan, account.unit)
        statement = ledger.statement(account.dataset) if registered else None
        charge = charged(ledger, account, cost, draft.part)
        price_panel(plan, cost, charge, account, statement)
        readable(plan, facts)
        left = account.total if statement is None else statement.left
        missing = draft.missing(left, cost.epsilon, charge)
        if missing:
            st.caption(missing)
        little = little_to_read(plan, facts)
        if (
            st.button(
                "Review and publish …", type="secondary" if little else "primary", disabled=bool(missing)
            )
            and not missing
        ):
            draft.pending = pending_release(data, draft, plan, account, ledger, little=little)
    except AtlasError as error:
        refused(error)
    return plan, facts


def looking_at_bound(data: DataSet, draft: Draft) -> None:
    """Owner only: bias against noise, counted when asked for, and the paid way beside it."""
    if draft.unit is PrivacyUnit.USER and data.trips.has_users:
        with st.expander("How M changes the picture (owner only)", icon=":material/visibility_lock:"):
            bound_choice(data)


def page() -> None:
    """The page from the plan to the ledger."""
    data, draft = loaded(), session().draft()
    ledger = curator.default_ledger()
    receipt(draft)
    left, right = st.columns([3, 2], gap="large")
    with left:
        st.subheader("1 Plan")
        registered = plan_form(data, draft, ledger.accounts())
    with right:
        found = to_pay(data, draft, registered, ledger)
    if found is not None:
        plan, facts = found
        expectation(plan, facts)
        with st.expander("Beside known releases", icon=":material/compare_arrows:"):
            comparison(plan)
    looking_at_bound(data, draft)
    if registered is not None:
        statement = ledger.statement(registered.dataset)
        unfinished(data, draft, ledger, statement)
        earlier(draft, ledger, statement)
        ledger_section(ledger, statement)
    confirmation(draft)


st.title("Release")
st.caption(release_words.INTRO)
try:
    page()
except AtlasError as error:
    refused(error)
