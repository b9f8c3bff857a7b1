"""Publishing from the Synthesize page: who pays, under which title, for which price."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType

import streamlit as st

from dpcore import curator, owner
from dpcore.errors import AtlasError
from dpcore.ledger import Account, Ledger, Price, Reservation
from dpcore.privacy import PrivacyUnit, decimal_text
from dpcore.release import kind_of
from dpcore.synthesis.choices import SynthesisChoices
from dpcore.views import stability
from dpcore.views.plain import plain
from pages.owner.parts import release_words
from pages.owner.parts import synthesize_publish_words as texts
from pages.owner.parts.background import Tell, Work
from pages.owner.parts.declarations import chosen
from pages.owner.parts.draft import Draft
from pages.owner.parts.plan_form import account_form
from pages.owner.parts.publishing import LIBRARY, charged
from pages.owner.parts.session import DataSet, beginning, session
from pages.owner.parts.synthesize_choices import drawn
from pages.owner.parts.synthesize_spend import Pending, Publishing, confirmation, receipt
from pages.parts.messages import refused


def publish_section(
    data: DataSet,
    choices: SynthesisChoices,
    title: str,
    *,
    heading: str = "Publish",
    explained: str = texts.HELP,
    repeated: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """The section from the receipt of the last spend to the price of the next.

    Args:
        data: the loaded trips.
        choices: what would be published.
        title: a proposal.
        heading: above the section.
        explained: what is published, for those who ask.
        repeated: what the last word says besides, or in other words.

    """
    st.subheader(heading, help=explained)
    known = drawn(data)
    mine = known.have("publishing", choices.kind, Publishing)
    if mine is None:
        mine = known.keep("publishing", choices.kind, Publishing(title if data.is_demo else ""))
    try:
        receipt(mine)
        ledger, draft = curator.default_ledger(), session().draft()
        left, right = st.columns([3, 2], gap="large")
        with left:
            registered = account_form(data, draft, ledger.accounts())
            _texts(mine, choices.kind)
            chosen(draft)
        with right:
            try:
                _price(data, choices, mine, draft, registered, ledger, repeated)
            except AtlasError as error:
                refused(error)
        if registered is not None:
            _unfinished(data, mine, choices.kind, ledger, registered)
            earlier(mine, choices.kind, ledger, registered)
        script(data, choices, draft)
        confirmation(mine)
    except AtlasError as error:
        refused(error)


def script(data: DataSet, choices: SynthesisChoices, draft: Draft) -> None:
    """The command that makes a release with the same choices."""
    st.caption(texts.SCRIPT)
    command = kind_of(choices).command(choices, draft.dataset or "NAME", data.trips.timezone)
    st.code(command, language="sh", wrap_lines=True)


def earlier(mine: Publishing, kind: str, ledger: Ledger, account: Account) -> None:
    """The newest release of this kind, where this session did not show its receipt: after a reload nobody pays twice."""
    shown = 0 if mine.receipt is None else mine.receipt.release.anchor.number
    for reservation in reversed(ledger.statement(account.dataset).committed):
        asked = reservation.terms.get("choices")
        if not isinstance(asked, dict) or asked.get("kind") != kind:
            continue
        if reservation.number > shown:
            delta = (
                f" and δ {stability.delta_text(reservation.charged_delta)}"
                if reservation.charged_delta
                else ""
            )
            st.info(
                texts.EARLIER.format(
                    title=plain(str(reservation.terms["title"])),
                    release=curator.release_id(reservation),
                    entry=reservation.number,
                    charge=f"ε {decimal_text(reservation.charged)}{delta}",
                ),
                icon=":material/book_2:",
            )
            st.page_link(LIBRARY, label="See it in the Library", icon=":material/book_2:")
        return


def _texts(mine: Publishing, kind: str) -> None:
    mine.title = (
        st.text_input("Title", max_chars=120, key=beginning(f"synthesize {kind} title", mine.title)) or ""
    ).strip()
    mine.note = (
        st.text_input(
            "Note for readers (optional)", max_chars=4000, key=beginning(f"synthesize {kind} note", mine.note)
        )
        or ""
    ).strip()


def _price(  # noqa: PLR0917 - all that a price depends on
    data: DataSet,
    choices: SynthesisChoices,
    mine: Publishing,
    draft: Draft,
    registered: Account | None,
    ledger: Ledger,
    repeated: Mapping[str, str],
) -> None:
    """Price, what is left after it, and the way to the last word."""
    missing = [] if registered else list(draft.lacking_terms)
    if missing:
        price, _ = st.columns(2)
        cost = curator.price(choices, draft.currency)
        price.metric("Price", f"ε {decimal_text(cost.epsilon)}")
        _still_needed([*missing, *_lacking(mine, draft)])
        _review(choices, ready=False)
        return
    account = registered or draft.account()
    cost = curator.price(choices, account.unit)
    charge = charged(ledger, account, cost, draft.part)
    left = account.total if registered is None else ledger.statement(account.dataset).left
    price, after = st.columns(2)
    price.metric("Price", f"ε {decimal_text(cost.epsilon)}", help=f"Counted for {_counted(account)}.")
    after.metric("Left after it", f"ε {decimal_text(left - charge)}" if charge <= left else "not enough")
    if cost.delta:
        st.caption(f"And δ {stability.delta_text(cost.delta)}.")
    with st.expander("How the price comes about", icon=":material/receipt_long:"):
        st.markdown("\n".join(f"- {plain(step)}" for step in cost.steps))
    missing = _lacking(mine, draft)
    _still_needed(missing)
    if charge > left:
        st.caption(texts.TOO_MUCH.format(charge=decimal_text(charge), left=decimal_text(left)))
    if not missing and charge <= left:
        ledger.must_take(account, cost, part=draft.part)  # delta, too, can be used up
    if _review(choices, ready=not missing and charge <= left):
        mine.pending = _pending(data, choices, mine, draft, account, ledger, (cost, charge, left), repeated)


def _lacking(mine: Publishing, draft: Draft) -> list[str]:
    """What the owner has not said of the release yet."""
    said = (("a title", mine.title), ("how ε and M were chosen", draft.chosen))
    return [name for name, value in said if not value]


def _still_needed(missing: list[str]) -> None:
    if missing:
        st.caption(f"Still needed: {', '.join(missing[:-1])}{' and ' if missing[1:] else ''}{missing[-1]}.")


def _review(choices: SynthesisChoices, *, ready: bool) -> bool:
    return st.button(
        "Review and publish …", type="primary", disabled=not ready, key=f"synthesize publish {choices.kind}"
    )


def _counted(account: Account) -> str:
    return "people" if account.unit is PrivacyUnit.USER else "trips"


def _pending(  # noqa: PLR0917 - all that the last word repeats
    data: DataSet,
    choices: SynthesisChoices,
    mine: Publishing,
    draft: Draft,
    account: Account,
    ledger: Ledger,
    sums: tuple[Price, Fraction, Fraction],
    repeated: Mapping[str, str],
) -> Pending:
    """A synthetic release that waits for its owner's word."""
    cost, charge, left = sums
    way = "after_preview" if draft.way == "before_data" and data.period_observed else draft.way
    facts = (account.dataset, choices.terms(), mine.title, mine.note, way, draft.part)
    request = curator.Request(
        dataset=account.dataset,
        plan=choices,
        title=mine.title,
        note=mine.note,
        nonce=curator.fresh_nonce(ledger, "synthesis", *facts, data.tessellation.digest, data.trips.timezone),
        parameters_chosen=way,
        part=draft.part,
    )
    is_new = account.dataset not in {known.dataset for known in ledger.accounts()}

    def spend(tell: Tell) -> curator.Receipt:
        books = curator.default_ledger()
        if is_new:  # its terms stand for good: only once nothing can be refused any more
            curator.must_be_publishable(data.trips, data.tessellation, request, account, books)
            curator.register(books, account)
        return curator.publish(data.trips, data.tessellation, request, books, progress=tell)

    bound = choices.bound
    lines = {
        "Data set": account.dataset,
        "Hides": "everything a person did" if bound.unit is PrivacyUnit.USER else "one trip, not a person",
        "Trips counted": "all"
        if bound.max_trips is None
        else f"at most {bound.max_trips} of each person (M)",
        **repeated,
        "Price": f"ε {decimal_text(cost.epsilon)}, counted for {_counted(account)}",
        **({"And δ": stability.delta_text(cost.delta)} if cost.delta else {}),
        **(
            {"Charged": release_words.PARALLEL.format(charge=decimal_text(charge))}
            if charge != cost.epsilon
            else {}
        ),
        "Left after it": f"ε {decimal_text(left - charge)} of {decimal_text(account.total)}",
        **(
            {"New account": f"ε {decimal_text(account.total)} in total, for good; {account.population}"}
            if is_new
            else {}
        ),
        "Noise": "drawn afresh: what is published is no draw that you saw",
    }
    return Pending(
        request.nonce,
        lines,
        f"Publish and charge ε {decimal_text(charge)}",
        Work(spend),
        owner.outside_warning(data.trips, data.tessellation),
    )


def _unfinished(data: DataSet, mine: Publishing, kind: str, ledger: Ledger, account: Account) -> None:
    """Synthetic releases of this kind that were paid for and not handed over: the same nonce, no second charge."""
    for reservation in ledger.statement(account.dataset).open_reservations:
        asked = reservation.terms.get("choices")
        if not isinstance(asked, dict) or asked.get("kind") != kind:
            continue
        st.markdown(
            f"**Not finished**: entry {reservation.number}, ε {decimal_text(reservation.charged)} charged."
        )
        st.caption(release_words.FINISH)
        if st.button("Finish it", key=f"synthesize finish {reservation.number}"):
            mine.pending = _finishing(data, reservation)


def _finishing(data: DataSet, reservation: Reservation) -> Pending:
    """Something paid for that was cut short and waits for its owner's word."""

    def finish(tell: Tell) -> curator.Receipt:
        books = curator.default_ledger()
        return curator.finish(data.trips, data.tessellation, reservation, books, progress=tell)

    lines = {"Charged already": f"ε {decimal_text(reservation.charged)}"}
    return Pending(reservation.nonce, lines, "Finish, without a charge", Work(finish))
