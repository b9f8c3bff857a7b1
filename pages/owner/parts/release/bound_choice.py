"""Choosing M: count exactly what each bound leaves out, or pay for a noisy histogram."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Final

import streamlit as st

from dpcore import curator, limits
from dpcore.api import studies
from dpcore.ledger import Account, Ledger
from dpcore.measures import measure_named
from dpcore.measures.measurement import Measurement
from dpcore.measures.plan import Plan
from dpcore.noise.bound_choice import BoundAdvice, suggested_bound
from dpcore.noise.expected_estimates import TOTAL, VISITS
from dpcore.privacy import ContributionBound, decimal_text
from dpcore.views.charts import plots
from dpcore.views.ground.plain import plus_minus
from dpcore.views.ground.shown import released_numbers
from dpcore.views.planning import bound_study as views
from pages.owner.parts.release.spending import Offer, charged, pending_release
from pages.owner.parts.state import words
from pages.owner.parts.state.data_sets import DataSet
from pages.owner.parts.state.draft import Draft, Look, Publishing
from pages.owner.parts.state.session import index_of, session
from pages.parts.chart import show_chart
from pages.parts.messages import progress, refusals

HISTOGRAM: Final = "trips_per_user"
EPSILON: Final = Fraction(1, 10)
PAY: Final = "Pay ε {charge} for the histogram of trips per user"
LOOK: Final = "Count what each M leaves out"
ESTIMATE: Final = "Estimated from a paid histogram"
TITLE: Final = "Trips per user"
NOTE: Final = "Paid for to choose the contribution bound of later releases."

INTRO: Final = (
    "At most M trips of each person count. A small M leaves out trips of busy people (*left out by the bound*). A large M "
    "needs more noise (*privacy noise*). Both are errors. The best M makes their sum smallest, for the ε and the pictures that "
    "you plan above."
)
LOOKING: Final = (
    "Exact counts of the trips: **for the owner only, not accounted**. An M that you choose here is chosen after looking, and the "
    "release says so."
)
PAYING: Final = (
    "How many trips people make is private. A histogram of people by their number of trips, with noise, is published and paid "
    "like any release. If you choose M by it alone, M is paid for, and the release may say so."
)
NOTHING: Final = "No picture of this plan has a bound."


@dataclass(repr=False)
class _State:
    """What this visitor found out about the bound of one data set."""

    asked: bool = False
    """Whether the owner asked for the exact study."""
    study: studies.BoundStudy | None = None
    studied: tuple[Fraction, tuple[str, ...]] | None = None
    """Epsilon of each measure and the measures for which the study was made."""
    histograms: dict[tuple[str, str | None], Measurement] = field(default_factory=dict)
    """The paid histogram of each account and part."""


def bound_choice(data: DataSet, mine: Publishing) -> None:
    """What stands in the expander about M on the Release page; a refusal is said in words."""
    if not data.trips.has_users:
        st.caption(words.NO_USERS)
        return
    st.markdown(INTRO)
    look, pay = st.columns(2, gap="medium")
    draft = session().draft()
    with look, refusals():
        _look(data, draft)
    with pay, refusals():
        _pay(data, draft, mine)


def _look(data: DataSet, draft: Draft) -> None:
    """The exact study, on demand: it counts the trips once under each bound."""
    state = _state()
    st.markdown("**Look at the trips**")
    st.caption(LOOKING)
    if not state.asked:
        # Noted before the page runs: the same run already asks anew how the parameters were chosen.
        st.button(LOOK, on_click=_ask_to_look)
        return
    study = _studied(data, draft.plan())
    measure = st.selectbox(
        "Picture",
        list(study.errors),
        index=index_of(study.errors, VISITS) or 0,
        format_func=_title,
        key="release bound picture",
    )
    show_chart(views.error_chart(measure, study.errors[measure], data.mark))
    st.markdown(views.differing(study.errors))
    st.table(views.best_bounds(study.errors))
    st.caption(
        f"{data.mark.rstrip('.')}. Errors are averages over the cells of a picture, in its own counts."
    )


def _ask_to_look() -> None:
    """The owner looks at the trips, so parameters can no longer be chosen before looking."""
    session().looked(Look.BOUND)
    _state().asked = True


def _studied(data: DataSet, plan: Plan) -> studies.BoundStudy:
    """The study for a plan; kept until another epsilon or other pictures are planned."""
    state, terms = _state(), (plan.epsilon, tuple(f"{name} {w}" for name, w in plan.weights.items()))
    if state.study is None or state.studied != terms:
        with progress("Counting under each M") as tell:
            state.study = studies.bound_study(
                data.trips, plan.choices, plan.epsilon, plan.weights, progress=tell
            )
        state.studied = terms
    return state.study


def _pay(data: DataSet, draft: Draft, mine: Publishing) -> None:
    """The private way: a histogram that is paid for, and what follows from it."""
    st.markdown("**Pay, and choose without looking**")
    st.caption(PAYING)
    ledger = curator.default_ledger()
    known = {account.dataset: account for account in ledger.accounts()}
    account = known.get(draft.dataset)
    found = _paid(ledger, draft.dataset) if account else None
    if found is not None:
        _show(found, data, draft.plan())
    else:
        _offer(data, draft, mine, account, ledger)


def _offer(data: DataSet, draft: Draft, mine: Publishing, account: Account | None, ledger: Ledger) -> None:
    """Offer the histogram at the price that it adds to the account, in the account's currency."""
    plan = _plan()
    cost = curator.price(plan, account.unit if account else draft.currency)
    charge = charged(ledger, account, cost, draft.part) if account else cost.epsilon
    left = ledger.statement(account.dataset).left if account else None
    if left is not None and charge > left:
        st.caption(f"It would cost ε {decimal_text(charge)}, and ε {decimal_text(left)} is left.")
    elif st.button(PAY.format(charge=decimal_text(charge)), key="pay for the histogram"):
        # This plan is the same for all data, so no look at the trips can have changed it, and it needs no period.
        # The tiles are part of every release: if their box was read off the trips, the release says so.
        fixed = replace(draft, chosen="before_data", looked=draft.looked & {Look.EXTENT}, files=())
        timeless = replace(data, period_observed=False)
        pending = pending_release(
            timeless,
            fixed,
            Offer(plan, TITLE, {"Trips counted": "all, one bin for each person"}),
            Publishing(TITLE, NOTE),
            account or draft.account(),
            ledger,
        )
        mine.pending = replace(pending, title="Publish the histogram?")


def _show(found: Measurement, data: DataSet, plan: Plan) -> None:
    """The released histogram, and the bound that it suggests for each picture of a plan."""
    rung = len(found.rungs) - 1
    show_chart(plots.whole(released_numbers(found, rung), clipped=True))
    st.caption(
        f"People by their number of trips, released at ε {decimal_text(found.epsilon(rung))}: each bar is within "
        f"{plus_minus(found.half_widths[rung])} of the truth in 95 of 100 cases."
    )
    advice = _advice(found, rung, data, plan)
    if not advice:
        st.caption(NOTHING)
        return
    pictures = sorted(advice, key=lambda name: name != VISITS)  # the map first
    measure = st.selectbox("Picture", pictures, format_func=_title, key="release advice picture")
    st.markdown(views.advice(measure, advice[measure]))
    errors = {name: suggested.errors for name, suggested in advice.items()}
    show_chart(views.error_chart(measure, errors[measure], ESTIMATE, scaled=advice[measure].scaled))
    st.markdown(views.differing(errors))


def _advice(found: Measurement, rung: int, data: DataSet, plan: Plan) -> Mapping[str, BoundAdvice]:
    """What the histogram suggests for each measure of a plan that a bound touches."""
    return {
        name: suggested_bound(
            found,
            rung,
            epsilon=plan.share(name) * plan.epsilon,
            cells_per_trip=measure.cells_per_trip,
            cells=measure.keys(data.tessellation.tile_ids).size,
            unevenness=measure_named(name).unevenness,
            scaled=TOTAL in plan.weights,
        )
        for name in plan.weights
        if not (measure := plan.measure(name)).counts_users and measure.adds_up
    }


def _plan() -> Plan:
    """The plan of the histogram alone. All trips of a person count, so its bound is the largest possible."""
    bound = ContributionBound.per_user(limits.MAX_TRIPS_PER_USER)
    return Plan.up_to(bound, {HISTOGRAM: 1}, EPSILON)


def _paid(ledger: Ledger, account: str) -> Measurement | None:
    """The newest histogram that this account paid for, of the chosen part, or None."""
    kept, part = _state().histograms, session().draft().part
    if (account, part) not in kept:
        for release in curator.releases(ledger, account):  # oldest first
            if HISTOGRAM in release.measurements and release.anchor.part == part:
                kept[account, part] = release.measurements[HISTOGRAM]
    return kept.get((account, part))


def _title(measure: str) -> str:
    return measure_named(measure).title


def _state() -> _State:
    """The state of the loaded data set; the session drops it with the data."""
    return session().kept.last("bound choice", None, _State)
