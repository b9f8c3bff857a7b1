"""The confirmation of a spend, the spend, and its receipt, for every kind of release."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final

import streamlit as st

from dpcore import curator, places
from dpcore.api import owner
from dpcore.errors import AtlasError, PrivacyError
from dpcore.ledger import Account, Ledger, Price, Reservation
from dpcore.privacy import PrivacyUnit, decimal_text
from dpcore.release import AnyKind, Chosen, Release, kind_of, zipped
from dpcore.views.ground.plain import delta_text, plain, sentence
from pages.owner.parts.state.data_sets import DataSet
from pages.owner.parts.state.draft import Draft, Pending, Publishing, Tell, Work
from pages.owner.parts.state.session import session
from pages.parts.map_data import map_data
from pages.parts.messages import show_refusal, take_away
from pages.parts.roles import Role, require

LIBRARY, VIEWER = "pages/released/library.py", "pages/released/viewer.py"
PARALLEL: Final = (
    "No person or trip is in two parts, so the account pays for the dearest part only. This release adds ε "
    "{charge} to what is spent."
)
_WITH: Final = "published too, if this release is still to be drawn"
_WITHOUT: Final = (
    "left out, if this release is still to be drawn: the charge does not keep that it was ticked. To publish it too, close this "
    "and tick it on the page."
)
_UNDER_WAY: Final = "A release that was begun before is being made. Its receipt will appear here."
_ELSEWHERE: Final = "Viewer and Library show the folder {} (EPSILON_ATLAS_BUNDLES). This release is not in it: copy its bundle there."
_ROWS_HELP: Final = MappingProxyType(
    {
        "trips.parquet": (
            "The synthetic trips alone. Load them on the Data page like any trips file, with the tiles of the bundle."
        ),
        "trajectories.parquet": "The synthetic trajectories alone: one row for each tile that one of them visits.",
    }
)


@dataclass(frozen=True, repr=False)
class Offer:
    """What a page offers to publish: everything in which its kind of release differs from others."""

    plan: Any
    """The plan, of any kind."""
    title: str
    """Proposed for the built-in city."""
    said: Mapping[str, str] = field(default_factory=dict)
    """Further lines of the confirmation, or lines in other words."""
    little: str = ""
    """A warning that little of it could be read; with one, its button is not the main one."""
    how: str = "how ε and M were chosen"
    """What its owner has to say besides the title."""
    again: str = ""
    """Why another release with this plan is another price, if it was published before: its button is not the main one then."""
    rungs: tuple[Fraction, ...] = ()
    """Values of epsilon that could be asked instead; its price is proportional to them."""
    expected: str = ""
    """What it is expected to tell, in words: the receipt repeats it beside what came."""

    @property
    def kind(self) -> AnyKind:
        """The kind of release that is asked for."""
        return kind_of(self.plan)


def amount(epsilon: Fraction, delta: Fraction = Fraction(0)) -> str:
    """Epsilon, and delta where there is any, as people read them."""
    return f"ε {decimal_text(epsilon)}" + (f" and δ {delta_text(delta)}" if delta else "")


def charged(ledger: Ledger, account: Account, cost: Price, part: str | None) -> Fraction:
    """What a new release adds to its account: the price, less what a dearer part of the data set covers."""
    if not _registered(ledger, account.dataset):
        return cost.epsilon
    return ledger.charge_of(account.dataset, cost, part=part)


def difference(ledger: Ledger, release: Release, epsilon: Fraction) -> Fraction:
    """What raising a release adds to its account: what its chain then costs beyond what was charged for it."""
    higher = curator.raised_plan(release.plan, epsilon)
    return ledger.charge_of(
        release.dataset,
        curator.price(higher, ledger.account(release.dataset).unit),
        group=ledger.reservation_numbered(release.anchor.number).group,
        part=release.anchor.part,
    )


def way_of_choosing(data: DataSet, draft: Draft) -> Chosen:
    """How the parameters were chosen, as the release will say it."""
    return "after_preview" if draft.way == "before_data" and data.period_observed else draft.way


def pending_release(  # noqa: PLR0917 - all that the last word repeats
    data: DataSet, draft: Draft, offer: Offer, mine: Publishing, account: Account, ledger: Ledger
) -> Pending:
    """A release that waits for confirmation."""
    plan, kind = offer.plan, offer.kind
    cost = curator.price(plan, account.unit)
    charge = charged(ledger, account, cost, draft.part)
    is_new = not _registered(ledger, account.dataset)
    left = account.total if is_new else ledger.statement(account.dataset).left
    way = way_of_choosing(data, draft)
    # It is an exact count of the trips: to show it before the spend would be a look, where nobody looked yet.
    warned = data.is_demo or draft.seen
    facts = (account.dataset, kind.terms(plan), mine.title, mine.note, way, draft.part)
    named = [f"publisher {mine.publisher}"] if mine.publisher else []
    under = data.context if mine.with_context else None
    more = [] if under is None else [under.digest]
    request = curator.Request(
        dataset=account.dataset,
        plan=plan,
        title=mine.title,
        note=mine.note,
        publisher=mine.publisher,
        nonce=curator.fresh_nonce(
            ledger, *facts, data.tessellation.digest, data.trips.timezone, *data.trips.made_by, *named, *more
        ),
        parameters_chosen=way,
        part=draft.part,
        context=None if under is None else under.context,
    )

    files = (*draft.files, *draft.earlier)

    def spend(tell: Tell) -> curator.Receipt:
        books = curator.default_ledger()
        if way == "before_data" and not _reserved(books, request):
            _must_be_unseen(files)  # a command or another tab may have looked since the page was drawn
        if is_new:  # its terms stand for good: it is opened once nothing that it shall pay for can be refused any more
            curator.must_be_publishable(data.trips, data.tessellation, request, account, books)
            curator.register(books, account)
        done = curator.publish(data.trips, data.tessellation, request, books, progress=tell)
        return replace(done, expected=offer.expected)

    lines = {"Title": mine.title, **_terms(account, offer, cost, charge, left)}
    if data.context is not None:
        lines["Map context"] = "not published" if under is None else "published too"
    if offer.again:
        lines["Again?"] = offer.again
    if mine.publisher:
        lines["Who publishes"] = mine.publisher
    if account.population and not is_new:
        lines["Whose trips"] = account.population
    if is_new:
        lines["New account"] = f"ε {decimal_text(account.total)} in total, for good; {account.population}"
    lines["Noise"] = "drawn afresh: what is published is no draw that you saw"
    return Pending(
        nonce=request.nonce,
        title="Publish?",
        lines=lines,
        button=f"Publish and charge ε {decimal_text(charge)}",
        work=Work(spend),
        warning=(owner.outside_warning(data.trips, data.tessellation) or owner.unknown_ids(data.trips))
        if warned
        else None,
    )


def _reserved(ledger: Ledger, request: curator.Request) -> bool:
    """Whether the request was charged already; then it may be finished whatever was seen since."""
    return (
        _registered(ledger, request.dataset)
        and ledger.reservation(request.dataset, request.nonce) is not None
    )


def _must_be_unseen(files: tuple[str, ...]) -> None:
    if owner.was_seen(files):
        raise PrivacyError(
            "these trips were looked at on this computer meanwhile, so nobody can say that all was chosen before",
            "how ε, M, tiles and dates were chosen",
            "Close this and choose another answer. Nothing was charged.",
        )


def pending_top_up(ledger: Ledger, release: Release, epsilon: Fraction) -> Pending:
    """A top-up that waits for confirmation."""
    account = ledger.account(release.dataset)
    plan = curator.raised_plan(release.plan, epsilon)
    more = difference(ledger, release, epsilon)
    nonce = curator.fresh_nonce(ledger, "raise", release.id, epsilon)
    cost = Price(
        curator.price(plan, account.unit).epsilon - curator.price(release.plan, account.unit).epsilon
    )
    offer = Offer(plan, "", {"Highest ε": decimal_text(epsilon)})
    return Pending(
        nonce=nonce,
        title="Raise?",
        lines={
            "Release": release.id,
            **_terms(account, offer, cost, more, ledger.statement(release.dataset).left),
        },
        button=f"Raise and charge ε {decimal_text(more)}",
        work=Work(
            lambda tell: curator.top_up(
                curator.default_ledger(), release.id, epsilon, nonce=nonce, progress=tell
            )
        ),
    )


def pending_finish(data: DataSet, mine: Publishing, reservation: Reservation) -> Pending:
    """A release that was charged and cut short: the same nonce and terms, and no second charge."""
    under = None if data.context is None or not mine.with_context else data.context.context
    first = data.context is not None and "raises" not in reservation.terms
    said = {} if not first else {"Map context": _WITHOUT if under is None else _WITH}

    def finish(tell: Tell) -> curator.Receipt:
        books = curator.default_ledger()
        return curator.finish(data.trips, data.tessellation, reservation, books, context=under, progress=tell)

    return Pending(
        nonce=reservation.nonce,
        title="Finish?",
        lines={
            "Entry of the ledger": str(reservation.number),
            "Charged already": amount(reservation.charged, reservation.charged_delta),
            **said,
        },
        button="Finish, without a charge",
        work=Work(finish),
    )


def _registered(ledger: Ledger, dataset: str) -> bool:
    return dataset in {known.dataset for known in ledger.accounts()}


def _terms(account: Account, offer: Offer, cost: Price, charge: Fraction, left: Fraction) -> dict[str, str]:
    """What the dialog repeats of the plan and of its price."""
    counted = "people" if account.unit is PrivacyUnit.USER else "trips"
    bound = offer.plan.bound
    lines = {
        "Data set": account.dataset,
        "Hides": "everything a person did" if bound.unit is PrivacyUnit.USER else "one trip, not a person",
        "Trips counted": "all"
        if bound.max_trips is None
        else f"at most {bound.max_trips} of each person (M)",
        **offer.said,
        "Price": f"ε {decimal_text(cost.epsilon)}, counted for {counted}",
    }
    if cost.delta:
        lines["And δ"] = delta_text(cost.delta)
    if charge != cost.epsilon:
        lines["Charged"] = PARALLEL.format(charge=decimal_text(charge))
    lines["Left after it"] = f"ε {decimal_text(left - charge)} of {decimal_text(account.total)}"
    return lines


def confirmation(mine: Publishing) -> None:
    """The dialog of what waits, if something does."""
    pending = mine.pending
    if pending is None or pending.work.told:
        return

    def forget() -> None:
        mine.pending = None

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
                _carry_out(mine, pending)

    ask()


def _carry_out(mine: Publishing, pending: Pending) -> None:
    """Begin the spend, or watch the one that was begun, until it ends.

    The session keeps it until its result was shown. An owner who closes the dialog or loads other trips meanwhile finds the
    receipt later (``_late``).
    """
    require(Role.OWNER)
    work, spends, words = pending.work, session().spends, "Counting, charging, drawing noise"
    if work not in spends:
        spends.append(work)
    work.begin()
    bar = st.progress(0.0, words)
    while not work.over(0.1):
        bar.progress(work.share, words)
    bar.empty()
    work.told = True
    spends.remove(work)
    try:
        mine.receipt = work.result()
    except AtlasError as error:
        show_refusal(error)
        return
    mine.pending = None
    st.rerun()


def receipt(mine: Publishing) -> None:
    """The receipt of the last release, and of everything else that this session paid for and did not show yet."""
    _late(None if mine.pending is None else mine.pending.work)
    if mine.receipt is not None:
        _show_receipt(mine.receipt)
    # The receipt of the dialog that was open is seen at once, however far down its button stands.
    map_data("top", "receipt", {"shown": "" if mine.receipt is None else mine.receipt.release.id})


def _late(watched: Work[curator.Receipt] | None) -> None:
    """Receipts of spends that nobody waited for, whatever was loaded since.

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
            show_refusal(done)
        else:
            _show_receipt(done)
    if any(work is not watched for work in mine.spends):
        _under_way()


@st.fragment(run_every=1.0)
def _under_way() -> None:
    """Say what is still being made; its receipt comes by itself."""
    require(Role.OWNER)  # it reruns alone, without the page and its gate
    spends = session().spends
    if not spends or any(work.over(0) for work in spends):
        st.rerun()
    st.progress(min(work.share for work in spends), _UNDER_WAY)


def _show_receipt(done: curator.Receipt) -> None:
    """One receipt: where the release is, what it cost, and links to see it and to download it."""
    release, kind = done.release, kind_of(done.release.plan)
    price = amount(done.charged, done.charged_delta)
    with st.container(border=True):
        st.subheader("Published")
        cost = f"Charged {price}"
        if done.repeated:
            cost = f"It had been published before, for {price}; nothing was charged again"
        st.markdown(
            f"**{plain(release.title)}**, release `{release.id}`. {cost}. "
            f"Left: ε {decimal_text(done.left)} in the account of {plain(release.dataset)}."
        )
        st.caption(f"The bundle lies in {plain(str(done.folder))}")
        st.caption(f"Digest of its manifest, as in the ledger: {done.digest}")
        if done.expected:
            st.caption(f"Expected: {plain(done.expected)}.")
        for said in kind.told(release):
            st.caption(f"{sentence(said)}.")
        if release.trip_rule is not None:
            st.caption(plain(release.trip_rule.words))
        for note in done.notes:
            st.warning(plain(note), icon=":material/info:")
        with st.container(horizontal=True, vertical_alignment="center"):
            take_away("Download .zip", lambda: zipped(done.folder), f"{release.id}.zip", icon="download")
            rows = kind.taken(release.plan)
            if rows is not None:
                content = (done.folder / rows).read_bytes
                take_away(
                    f"Download {rows}", content, rows, icon="table_rows", explained=_ROWS_HELP.get(rows)
                )
            release_link(release.id, kind)


def release_link(release_id: str, kind: AnyKind) -> None:
    """A way to the page for viewers that shows a release of this kind, or why they show it not yet."""
    shown = places.releases()
    if not (shown / release_id).exists() and shown.resolve() != places.published().resolve():
        st.caption(_ELSEWHERE.format(plain(str(shown))))
    elif kind.in_viewer:
        st.page_link(
            VIEWER, label="Open in the Viewer", icon=":material/map:", query_params={"release": release_id}
        )
    else:
        st.page_link(LIBRARY, label="See it in the Library", icon=":material/book_2:")
