"""Review, pay and publish, for every kind of release; the offer of a kind says what differs."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

import streamlit as st

from dpcore import curator
from dpcore.api.code import OBSERVED, Paying, publish_code, without_days
from dpcore.ledger import Account, Ledger, Price, Reservation, Statement
from dpcore.measures.trip_rule import with_rule
from dpcore.privacy import RUNGS, decimal_text
from dpcore.release import AnyKind, Release, kind_of
from dpcore.release.release import IsAsked
from dpcore.views.ground.plain import delta_text, minute, plain
from pages.owner.parts.release.account import account_form, ask_how_chosen, texts_form
from pages.owner.parts.release.spending import (
    PARALLEL,
    Offer,
    amount,
    charged,
    confirmation,
    difference,
    pending_finish,
    pending_release,
    pending_top_up,
    receipt,
    release_link,
    way_of_choosing,
)
from pages.owner.parts.state import projects
from pages.owner.parts.state.data_sets import DataSet, loading
from pages.owner.parts.state.draft import Draft, Publishing
from pages.owner.parts.state.session import session
from pages.parts.code import show_code
from pages.parts.messages import refusals

GIVE_BACK = (
    "Takes the charge back. Do this only if no noise was drawn: otherwise somebody may have seen a number, and "
    "the charge must stay. The ledger keeps your reason for good."
)
RAISED_FLOWS = (
    "Flows: the listed pairs stay the same and get less noise. No pair is added, however many trips it has, and "
    "no false flow is removed. For a new list, publish a new release at its full price."
)
FINISH = "Charged but not finished: it was cut short, or it still runs elsewhere. Finishing costs nothing."
NOTHING_YET = "Nothing was published about this data set yet."


HELP: Final = (
    "A release draws new noise and new trips after the ledger was charged. No draw of this page is ever "
    "published. The bundle holds the synthetic trips, the noisy tables they were drawn from, the tiles and a "
    "manifest."
)
SCRIPT: Final = (
    "The same choices give a release of its own, at its own price. Names in capitals stand for your files, for a "
    "new folder of the command and for the data set that pays."
)
REVIEW: Final = "Review and publish …"
AGAIN: Final = "Review and publish … once more"
EARLIER: Final = "Published before: **{title}**, release `{release}`, entry {entry} of the ledger, {charge} charged. It lies in the Library."


def publish_section(data: DataSet, offer: Offer, *, heading: str = "Publish", explained: str = HELP) -> None:
    """The section from the receipt of the last spend to the price of the next."""
    st.subheader(heading, help=explained)
    draft, kind = session().draft(), offer.kind
    mine = draft.publishing(kind.name, offer.title)
    with refusals():
        with st.container():
            receipt(mine)
        ledger = curator.default_ledger()
        left, right = st.columns([3, 2], gap="large")
        with left:
            with st.container():
                registered = account_form(data, draft, ledger.accounts())
            texts_form(data, mine, kind.name)
            ask_how_chosen(draft)
        with right:
            review(data, draft, offer, mine, registered, ledger)
        with st.container():
            if registered is not None:
                statement = ledger.statement(registered.dataset)
                unfinished(data, mine, ledger, statement, kind)
                _published_before(mine, statement, kind)
        publishing_code(data, draft, offer.plan, mine, registered)
        confirmation(mine)


def publishing_code(
    data: DataSet, draft: Draft, plan: IsAsked, mine: Publishing, registered: Account | None
) -> None:
    """The code and the command that publish the same."""
    kind, dataset = kind_of(plan), draft.dataset or "NAME"
    paying = (
        Paying(dataset, draft.currency, draft.total, draft.population.strip())
        if registered is None
        else Paying(dataset, registered.unit, decimal_text(registered.total), registered=True)
    )
    code = publish_code(
        loading(data),
        plan,
        paying,
        title=mine.title or kind.page,
        note=mine.note,
        publisher=mine.publisher,
        parameters_chosen=None if draft.chosen is None else way_of_choosing(data, draft),
        part=draft.part,
        observed=data.observed,
    )
    command = with_rule(kind.command(plan, dataset, data.trips.timezone), data.trips.rule)
    command = without_days(command, data.observed)
    said = SCRIPT if data.observed is None else f"{SCRIPT} {OBSERVED}"
    show_code(code, kind.name, command=command, said=said)


def review(  # noqa: PLR0917 - all that a price depends on
    data: DataSet, draft: Draft, offer: Offer, mine: Publishing, registered: Account | None, ledger: Ledger
) -> None:
    """Price of an offer, what is left after it, and the button to the confirmation; a refusal is said in words."""
    with refusals():
        with st.container():  # as long as it may be, the button below stays
            ready = _price(draft, offer, mine, registered, ledger)
            if offer.again:
                st.caption(offer.again)
        pressed = st.button(
            AGAIN if offer.again else REVIEW,
            type="secondary" if offer.little or offer.again else "primary",
            disabled=not ready,
            key=f"review {offer.kind.name}",
        )
        if pressed and ready:
            projects.see_elsewhere(session())
            account = registered or draft.account()
            mine.pending = pending_release(data, draft, offer, mine, account, ledger)


def _price(draft: Draft, offer: Offer, mine: Publishing, registered: Account | None, ledger: Ledger) -> bool:
    """The price with its steps, and what is still missing; returns whether the offer can be confirmed."""
    said = {"a title": mine.title, offer.how: draft.chosen}
    lacking = [name for name, value in said.items() if not value]
    if registered is None and draft.lacking_terms:
        st.metric("Price", f"ε {decimal_text(curator.price(offer.plan, draft.currency).epsilon)}")
        _still_needed([*draft.lacking_terms, *lacking])
        return False
    account = registered or draft.account()
    cost = curator.price(offer.plan, account.unit)
    charge = charged(ledger, account, cost, draft.part)
    left = account.total if registered is None else ledger.statement(account.dataset).left
    _price_panel(account, cost, charge, left)
    _still_needed(lacking)
    if charge > left:
        st.caption(_too_much(offer, cost, charge, left))
        return False
    if not lacking:
        ledger.must_take(account, cost, part=draft.part)  # delta, too, can be used up
    return not lacking


def _price_panel(account: Account, cost: Price, charge: Fraction, left: Fraction) -> None:
    """Price, what is left after its charge, what it means, and its steps."""
    unit = account.unit.value.replace("user", "person")
    price, after = st.columns(2)
    price.metric(
        "Price", f"ε {decimal_text(cost.epsilon)}", help=f"Counted for each {unit}, as this account does."
    )
    after.metric(
        "Left after it",
        f"ε {decimal_text(left - charge)}" if charge <= left else "not enough",
        help=f"Of ε {decimal_text(account.total)} in the account of {plain(account.dataset)}. It never grows again.",
    )
    with st.container():
        if cost.delta:
            st.caption(f"And δ {delta_text(cost.delta)}.")
        if charge != cost.epsilon:
            st.caption(PARALLEL.format(charge=decimal_text(charge)))
    with st.expander("How the price comes about", icon=":material/receipt_long:"):
        st.markdown("\n".join(f"- {plain(step)}" for step in cost.steps))
        st.caption(f"Before: ε {decimal_text(left)} left of ε {decimal_text(account.total)}.")


def _still_needed(missing: list[str]) -> None:
    if missing:
        st.caption(f"Still needed: {', '.join(missing[:-1])}{' and ' if missing[1:] else ''}{missing[-1]}.")


def _too_much(offer: Offer, cost: Price, charge: Fraction, left: Fraction) -> str:
    """A refusal with what would fit. The price is proportional to epsilon, so the largest epsilon that fits is exact.

    If the account pays less than the price, a dearer part of the data set covers the rest, and it covers as much at any price.
    """
    way = "Lower ε."
    if offer.rungs:
        free = cost.epsilon - charge
        fits = [rung for rung in offer.rungs if rung * cost.epsilon <= (left + free) * offer.plan.epsilon]
        way = f"ε = {decimal_text(fits[-1])} would fit." if fits else "No listed ε fits any more."
    return (
        f"The budget does not hold it: ε {decimal_text(charge)} is asked, ε {decimal_text(left)} is left. {way} "
        "Nothing was spent."
    )


def unfinished(
    data: DataSet, mine: Publishing, ledger: Ledger, statement: Statement, kind: AnyKind | None = None
) -> None:
    """Releases (of ``kind``, if it is given) that were charged and are not finished: finish them, or give them back."""
    for reservation in statement.open_reservations:
        if kind is not None and not kind.wrote_terms(reservation.terms):
            continue
        with st.container(border=True):
            st.markdown(
                f"**Not finished**: entry {reservation.number}, ε {decimal_text(reservation.charged)} charged."
            )
            st.caption(FINISH)
            with st.container(horizontal=True):
                if st.button("Finish it", key=f"finish {reservation.number}"):
                    mine.pending = pending_finish(data, mine, reservation)
                with st.popover("Give it back"):
                    _give_back(ledger, reservation)


def _give_back(ledger: Ledger, reservation: Reservation) -> None:
    """Give a reservation back with a reason; refused in words where noise was drawn."""
    st.markdown(GIVE_BACK)
    number = reservation.number
    reason = st.text_input("How is it known that nothing was drawn?", max_chars=1000, key=f"reason {number}")
    if st.button(f"Give back ε {decimal_text(ledger.refund_of(number))}", key=f"give back {number}"):
        with refusals():
            curator.void(ledger, number, reason or "")
            st.rerun()


def _published_before(mine: Publishing, statement: Statement, kind: AnyKind) -> None:
    """Show the newest release of a kind, if this session did not show its receipt, so that nobody pays twice after a reload."""
    shown = 0 if mine.receipt is None else mine.receipt.release.anchor.number
    of_kind = [one for one in statement.committed if kind.wrote_terms(one.terms)]
    if not of_kind or of_kind[-1].number <= shown:
        return
    newest = of_kind[-1]
    st.info(
        EARLIER.format(
            title=plain(str(newest.terms["title"])),
            release=curator.release_id(newest),
            entry=newest.number,
            charge=amount(newest.charged, newest.charged_delta),
        ),
        icon=":material/book_2:",
    )
    st.page_link("pages/released/library.py", label="See it in the Library", icon=":material/book_2:")


def earlier(draft: Draft, mine: Publishing, ledger: Ledger, statement: Statement) -> None:
    """Releases of tables of this data set, newest first, each with a way to raise it."""
    st.subheader("Earlier releases")
    found = draft.releases(ledger, statement.account.dataset)
    if not found:
        st.caption(NOTHING_YET)
        return
    raised = {release.raised_from for release in found}
    for release in reversed(found):
        with st.container(border=True):
            st.markdown(
                f"**{plain(release.title)}** · `{release.id}` · {minute(release.created)} · up to ε "
                f"{decimal_text(release.plan.epsilon)} for each {plain(str(release.plan.bound))} · charged ε "
                f"{decimal_text(release.anchor.charged)}"
            )
            release_link(release.id, kind_of(release.plan))
            if release.id in raised:
                st.caption("Raised since: the newer one holds all of its values.")
            else:
                _raise(mine, ledger, statement, release)


def _raise(mine: Publishing, ledger: Ledger, statement: Statement, release: Release) -> None:
    """Choose a higher epsilon and see its price, which is the difference."""
    higher = [rung for rung in RUNGS if rung > release.plan.epsilon]
    if not higher:
        return
    with st.expander("Raise it to a higher ε"):
        st.caption(
            "The finer values continue the same noise, so only the difference is charged. Its plan, M and data stay."
        )
        if any(one.cells is not None for one in release.measurements.values()):
            st.caption(RAISED_FLOWS)
        epsilon = st.selectbox("Raise to ε", higher, format_func=decimal_text, key=f"raise {release.id}")
        more = difference(ledger, release, epsilon)
        enough = more <= statement.left
        st.markdown(
            f"Costs ε {decimal_text(more)} more; ε {decimal_text(statement.left)} are left."
            + ("" if enough else " That is not enough.")
        )
        if st.button(
            f"Raise to ε {decimal_text(epsilon)} …", key=f"raise button {release.id}", disabled=not enough
        ):
            mine.pending = pending_top_up(ledger, release, epsilon)
