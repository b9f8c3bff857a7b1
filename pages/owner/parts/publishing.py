"""The last word before a spend, the spend itself, and its receipt."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import streamlit as st

from dpcore import curator, owner
from dpcore.curator.price import price_of_plan
from dpcore.errors import AtlasError
from dpcore.ledger import Account, Ledger, Price, Reservation
from dpcore.measures.bought import asked
from dpcore.measures.plan import USUAL_FALSE_FLOWS, Plan
from dpcore.privacy import PrivacyUnit, decimal_text
from dpcore.release import Release, kind_of, zipped
from dpcore.views.flows import false_flows_text
from dpcore.views.plain import plain
from dpcore.views.stability import delta_text
from pages.owner.parts import release_words
from pages.owner.parts.background import Tell, Work
from pages.owner.parts.draft import Draft, Pending, register_first
from pages.owner.parts.session import DataSet, session
from pages.parts.messages import refused
from pages.parts.roles import Role, require

LIBRARY, VIEWER = "pages/released/library.py", "pages/released/viewer.py"


def pending_release(
    data: DataSet, draft: Draft, plan: Plan, account: Account, ledger: Ledger, *, little: str = ""
) -> Pending:
    """A release that waits for its owner's word; ``little`` says that little of it could be read, if so."""
    cost = price_of_plan(plan, account.unit)
    charge = charged(ledger, account, cost, draft.part)
    is_new = not _registered(ledger, account)
    left = account.total if is_new else ledger.statement(account.dataset).left
    way = "after_preview" if draft.way == "before_data" and data.period_observed else draft.way
    facts = (account.dataset, plan, draft.title, draft.note, way, draft.part)
    request = curator.Request(
        dataset=account.dataset,
        plan=plan,
        title=draft.title,
        note=draft.note,
        nonce=curator.fresh_nonce(ledger, *facts, data.tessellation.digest, data.trips.timezone),
        parameters_chosen=way,
        part=draft.part,
    )

    def spend(books: Ledger, tell: Tell) -> curator.Receipt:
        return curator.publish(data.trips, data.tessellation, request, books, progress=tell)

    def check(books: Ledger, new: Account) -> None:
        curator.must_be_publishable(data.trips, data.tessellation, request, new, books)

    lines = _terms(account, plan, cost, charge, left)
    if little:
        lines["What it gives"] = little
    if is_new:
        lines["New account"] = f"ε {decimal_text(account.total)} in total, for good; {account.population}"
    if not is_new and any(asked(release.plan) == plan for release in draft.releases(ledger, account.dataset)):
        lines["Again?"] = release_words.AGAIN
    return Pending(
        nonce=request.nonce,
        title="Publish?",
        lines=lines,
        button=f"Publish and charge ε {decimal_text(charge)}",
        work=register_first(account if is_new else None, spend, check),
        warning=owner.outside_warning(data.trips, data.tessellation),
    )


def pending_top_up(ledger: Ledger, release: Release, epsilon: Fraction) -> Pending:
    """A top-up that waits for its owner's word."""
    account = ledger.account(release.dataset)
    plan = curator.raised_plan(release.plan, epsilon)
    more = difference(ledger, release, epsilon)
    nonce = curator.fresh_nonce(ledger, "raise", release.id, epsilon)
    cost = Price(
        price_of_plan(plan, account.unit).epsilon - price_of_plan(release.plan, account.unit).epsilon
    )
    lines = _terms(account, plan, cost, more, ledger.statement(release.dataset).left)
    return Pending(
        nonce=nonce,
        title="Raise?",
        lines={"Release": release.id, **lines},
        button=f"Raise and charge ε {decimal_text(more)}",
        work=register_first(None, lambda books, _: curator.top_up(books, release.id, epsilon, nonce=nonce)),
    )


def pending_finish(data: DataSet, reservation: Reservation) -> Pending:
    """Something paid for that was cut short: the same nonce, the same terms, no second charge."""

    def spend(books: Ledger, tell: Tell) -> curator.Receipt:
        return curator.finish(data.trips, data.tessellation, reservation, books, progress=tell)

    delta = f" and δ {delta_text(reservation.charged_delta)}" if reservation.charged_delta else ""
    return Pending(
        nonce=reservation.nonce,
        title="Finish?",
        lines={
            "Entry of the ledger": str(reservation.number),
            "Charged already": f"ε {decimal_text(reservation.charged)}{delta}",
        },
        button="Finish, without a charge",
        work=register_first(None, spend),
    )


def charged(ledger: Ledger, account: Account, cost: Price, part: str | None) -> Fraction:
    """What a new release adds to its account: the price, less what a dearer part that runs beside it covers."""
    if not _registered(ledger, account):
        return cost.epsilon
    return ledger.charge_of(account.dataset, cost, part=part)


def difference(ledger: Ledger, release: Release, epsilon: Fraction) -> Fraction:
    """What raising a release adds to its account: what its chain then costs beyond what was charged for it."""
    higher = curator.raised_plan(release.plan, epsilon)
    return ledger.charge_of(
        release.dataset,
        price_of_plan(higher, ledger.account(release.dataset).unit),
        group=ledger.reservation_numbered(release.anchor.number).group,
        part=release.anchor.part,
    )


def confirmation(draft: Draft) -> None:
    """The dialog of what waits, if something does."""
    pending = draft.pending
    if pending is None or pending.work.told:
        return

    def forget() -> None:
        draft.pending = None

    @st.dialog(pending.title, on_dismiss=forget)
    def ask() -> None:
        require(Role.OWNER)  # the dialog reruns alone, without the page and its gate
        for label, value in pending.lines.items():
            name, text = st.columns([2, 3])
            name.markdown(f"**{plain(label)}**")
            text.markdown(plain(value))
        if pending.warning is not None:
            st.warning(pending.warning, icon=":material/wrong_location:")
        room = st.empty()
        if pending.work.begun or room.button(pending.button, type="primary", key=f"confirm {pending.nonce}"):
            with room.container():
                _carry_out(draft, pending)

    ask()


def _carry_out(draft: Draft, pending: Pending) -> None:
    """Begin the spend, or watch the one that was begun, to its end."""
    try:
        draft.receipt = carried_out(pending.work, "Counting, charging, drawing noise")
    except AtlasError as error:
        refused(error)
        return
    draft.pending = None
    st.rerun()


def receipt(draft: Draft) -> None:
    """What was published last, and whatever else this session paid for and did not show yet."""
    late(None if draft.pending is None else draft.pending.work)
    if draft.receipt is not None:
        told(draft.receipt)


def told(done: curator.Receipt) -> None:
    """One receipt: where the release lies, what it cost, and ways to look at it."""
    with st.container(border=True):
        st.subheader("Published")
        amount = f"ε {decimal_text(done.charged)}"
        if done.charged_delta:
            amount += f" and δ {delta_text(done.charged_delta)}"
        cost = f"Charged {amount}"
        if done.repeated:
            cost = f"It had been published before, for {amount}; nothing was charged again"
        st.markdown(
            f"**{plain(done.release.title)}**, release `{done.release.id}`. {cost}. "
            f"Left: ε {decimal_text(done.left)} in the account of {plain(done.release.dataset)}."
        )
        st.caption(f"The bundle lies in {plain(str(done.folder))}")
        st.caption(f"Digest of its manifest, as in the ledger: {done.digest}")
        for note in done.notes:
            st.warning(plain(note), icon=":material/info:")
        save, view = st.columns(2)
        in_viewer = kind_of(done.release.plan).in_viewer
        save.download_button(
            "Download .zip",
            lambda: zipped(done.folder),
            f"{done.release.id}.zip",
            "application/zip",
            icon=":material/download:",
            on_click="ignore",
        )
        with view:
            if in_viewer:
                viewer_link(done.release.id)
            else:
                st.page_link(LIBRARY, label="See it in the Library", icon=":material/book_2:")


def carried_out(work: Work[Any], words: str) -> Any:  # noqa: ANN401 - a receipt of one kind or the other
    """What came of a spend, begun now or before; the session knows of it until it was shown.

    Whoever closes the dialog or loads other trips meanwhile finds the receipt later (``late``).
    """
    require(Role.OWNER)
    spends = session().spends
    if work not in spends:
        spends.append(work)
    work.begin()
    bar = st.progress(0.0, words)
    while not work.over(0.1):
        bar.progress(work.share, words)
    bar.empty()
    work.told = True
    spends.remove(work)
    return work.result()


def late(watched: Work[Any] | None) -> None:
    """Receipts of spends that were begun and not waited for, whatever was loaded since.

    ``watched``: the spend whose dialog this page is about to open; it tells its end by itself.
    """
    mine = session()
    for work in [work for work in mine.spends if work.over(0)]:
        mine.spends.remove(work)
        work.told = True
        try:
            mine.late.append(work.result())
        except AtlasError as error:
            mine.late.append(error)
    for done in mine.late:
        if isinstance(done, AtlasError):
            refused(done)
        else:
            told(done)
    if any(work is not watched for work in mine.spends):
        _under_way()


@st.fragment(run_every=1.0)
def _under_way() -> None:
    """What is still being made; its receipt comes by itself."""
    require(Role.OWNER)  # it reruns alone, without the page and its gate
    spends = session().spends
    if not spends or any(work.over(0) for work in spends):
        st.rerun()
    st.progress(min(work.share for work in spends), release_words.UNDER_WAY)


def viewer_link(release_id: str) -> None:
    """A way to the page for viewers that shows the release."""
    st.page_link(
        VIEWER, label="Open in the Viewer", icon=":material/map:", query_params={"release": release_id}
    )


def _registered(ledger: Ledger, account: Account) -> bool:
    return account.dataset in {known.dataset for known in ledger.accounts()}


def _terms(account: Account, plan: Plan, cost: Price, charge: Fraction, left: Fraction) -> dict[str, str]:
    """What the dialog repeats of the plan."""
    counted = "people" if account.unit is PrivacyUnit.USER else "trips"
    bound = plan.bound
    chosen = plan.false_flows != USUAL_FALSE_FLOWS
    side_by_side = {"Charged": release_words.PARALLEL.format(charge=decimal_text(charge))}
    return {
        "Data set": account.dataset,
        "Hides": "everything a person did" if bound.unit is PrivacyUnit.USER else "one trip, not a person",
        "Trips counted": "all"
        if bound.max_trips is None
        else f"at most {bound.max_trips} of each person (M)",
        "Highest ε": decimal_text(plan.epsilon),
        "Price": f"ε {decimal_text(cost.epsilon)}, counted for {counted}",
        **(side_by_side if charge != cost.epsilon else {}),
        **({"False flows": f"about {false_flows_text(plan.false_flows)} in the list"} if chosen else {}),
        "Left after it": f"ε {decimal_text(left - charge)} of {decimal_text(account.total)}",
    }
