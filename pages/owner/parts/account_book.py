"""What was published about a data set before, and its account as a bank would print it."""

from __future__ import annotations

import streamlit as st

from dpcore import curator
from dpcore.errors import AtlasError
from dpcore.ledger import Ledger, Reservation, Statement
from dpcore.privacy import RUNGS, decimal_text
from dpcore.release import Release
from dpcore.views.plain import minute, plain
from pages.owner.parts import release_words
from pages.owner.parts.draft import Draft
from pages.owner.parts.publishing import difference, pending_finish, pending_top_up, viewer_link
from pages.owner.parts.session import DataSet
from pages.parts.messages import refused


def unfinished(data: DataSet, draft: Draft, ledger: Ledger, statement: Statement) -> None:
    """Releases that were paid for and not handed over, with a way to finish them or to give them back."""
    for reservation in statement.open_reservations:
        with st.container(border=True):
            st.markdown(
                f"**Not finished**: entry {reservation.number}, ε {decimal_text(reservation.charged)} charged."
            )
            st.caption(release_words.FINISH)
            with st.container(horizontal=True):
                if st.button("Finish it", key=f"finish {reservation.number}"):
                    draft.pending = pending_finish(data, reservation)
                with st.popover("Give it back"):
                    _give_back(ledger, reservation)


def _give_back(ledger: Ledger, reservation: Reservation) -> None:
    """Give a reservation back with a reason; refused in words where noise was drawn."""
    st.markdown(release_words.GIVE_BACK)
    number = reservation.number
    reason = st.text_input("How is it known that nothing was drawn?", max_chars=1000, key=f"reason {number}")
    if st.button(f"Give back ε {decimal_text(ledger.refund_of(number))}", key=f"give back {number}"):
        try:
            curator.void(ledger, number, reason or "")
        except AtlasError as error:
            refused(error)
        else:
            st.rerun()


def earlier(draft: Draft, ledger: Ledger, statement: Statement) -> None:
    """Releases of this data set, newest first, each with a way to raise it."""
    st.subheader("Earlier releases")
    found = draft.releases(ledger, statement.account.dataset)
    if not found:
        st.caption(release_words.NOTHING_YET)
        return
    raised = {release.raised_from for release in found}
    for release in reversed(found):
        with st.container(border=True):
            st.markdown(
                f"**{plain(release.title)}** · `{release.id}` · {minute(release.created)} · up to ε "
                f"{decimal_text(release.plan.epsilon)} for each {plain(str(release.plan.bound))} · charged ε "
                f"{decimal_text(release.anchor.charged)}"
            )
            viewer_link(release.id)
            if release.id in raised:
                st.caption("Raised since: the newer one holds all of its values.")
            else:
                _raise(draft, ledger, statement, release)


def _raise(draft: Draft, ledger: Ledger, statement: Statement, release: Release) -> None:
    """Choose a higher epsilon and see its price: the difference alone."""
    higher = [rung for rung in RUNGS if rung > release.plan.epsilon]
    if not higher:
        return
    with st.expander("Raise it to a higher ε"):
        st.caption(
            "The finer values continue the same noise, so only the difference is charged. Its plan, M and data stay."
        )
        if any(one.cells is not None for one in release.measurements.values()):
            st.caption(release_words.RAISED_FLOWS)
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
            draft.pending = pending_top_up(ledger, release, epsilon)


def ledger_section(ledger: Ledger, statement: Statement) -> None:
    """The account line by line, how much is used, and a check of the whole ledger."""
    st.subheader("Ledger", help=release_words.LEDGER_HELP)
    total, spent = statement.account.total, statement.spent
    st.progress(
        min(1.0, float(spent / total)),
        f"ε {decimal_text(spent)} of {decimal_text(total)} spent, {decimal_text(statement.left)} left",
    )
    with st.expander(f"Every line of {plain(statement.account.dataset)}"):
        st.markdown("\n".join(f"1. {plain(line)}" for line in statement.lines))
    if st.button("Check the whole ledger", icon=":material/fact_check:"):
        ledger.verify()
        number, line = ledger.head()
        st.success(f"All {number} lines are as they were written; the last hash is {line[:16]}…")
