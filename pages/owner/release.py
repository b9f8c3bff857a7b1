"""Release: decide what to publish, see its price and what it will give, publish, and see what was spent."""

import streamlit as st

from dpcore import curator
from dpcore.comparison.known_releases import ATTRIBUTION, compared
from dpcore.errors import AtlasError
from dpcore.ledger import Account, Ledger
from dpcore.measures.bought import requested_plan
from dpcore.measures.plan import USUAL_FALSE_FLOWS, Plan
from dpcore.noise.expected_estimates import VISITS, visits_forecast
from dpcore.noise.forecast import TRIPS_IN_FOUR_WEEKS, Facts, five_numbers_warning, forecast
from dpcore.planning.default_plan import unbought_flows
from dpcore.privacy import RUNGS, PrivacyUnit, decimal_text
from dpcore.release.kinds.tables import TABLES
from dpcore.views.ground.plain import plain
from dpcore.views.numbers import sentences
from dpcore.views.numbers.flows import false_flows_text
from dpcore.views.planning import advice, forecasts
from pages.owner.parts.release.account import ledger_section
from pages.owner.parts.release.bound_choice import bound_choice
from pages.owner.parts.release.plan_form import plan_form
from pages.owner.parts.release.publishing import earlier, publishing_code, review, unfinished
from pages.owner.parts.release.spending import Offer, confirmation, receipt
from pages.owner.parts.release.sums_form import show_weights
from pages.owner.parts.state import projects
from pages.owner.parts.state.draft import Draft
from pages.owner.parts.state.session import key_of, loaded, session
from pages.parts.chart import show_chart
from pages.parts.messages import bars_over_the_page, refusals, show_refusal

INTRO = "Nothing is counted, drawn or charged before you confirm."
KNOWN_INTRO = (
    "The same ε can protect very different things. So every number is converted to one unit, **one person over "
    "four weeks**, in the worst case. The chart says what was done, not what is right: there is no usual range to "
    "aim at."
)
AGAIN = (
    "A release with the same plan was published before. Publishing again draws new noise and is charged again. "
    "Both together tell more than one."
)


TITLE = "Trips in the built-in city"


def offer(plan: Plan, facts: Facts, draft: Draft, registered: Account | None, ledger: Ledger) -> Offer:
    """The plan with what is said of it: its promise, what it will give, and whether it was published before."""
    found, expected = advice.worth(plan, facts), visits_forecast(plan, facts)
    said = {"Highest ε": decimal_text(plan.epsilon), **advice.last_words(plan, facts)}
    if plan.false_flows != USUAL_FALSE_FLOWS:
        said["False flows"] = f"about {false_flows_text(plan.false_flows)} in the list"
    if found.little:
        said["What it gives"] = found.little
    if registered is not None and any(
        requested_plan(release.plan) == plan for release in draft.releases(ledger, registered.dataset)
    ):
        said["Again?"] = AGAIN

    def show() -> None:
        with st.container():
            _readable(plan, facts, flows="" if draft.edited else unbought_flows(plan, facts))
        _helps(found)

    return Offer(
        plan,
        TITLE,
        said,
        promise=sentences.protection(plan.bound, plan.epsilon),
        little=found.little,
        how="how ε, M, tiles and dates were chosen",
        rungs=RUNGS,
        show=show,
        expected="" if expected is None or expected.of_part else expected.words,
    )


def page() -> None:
    """The page from the plan to the ledger. Each section has a place of its own, so that none moves another when it comes or goes."""
    data, draft = loaded(), session().draft()
    mine, ledger = draft.publishing(TABLES.name, TITLE), curator.default_ledger()
    with st.container():
        receipt(mine)
    left, right = st.columns([3, 2], gap="large")
    worth, code, known, bound, account = (st.container() for _ in range(5))
    with left:
        st.subheader("1 Plan")
        registered = plan_form(data, draft, mine, ledger.accounts())
    plan, facts = None, None
    with right:
        st.subheader("2 Price")
        try:
            plan = draft.plan()
            facts = draft.facts
        except AtlasError as error:
            show_refusal(error)
        else:
            review(data, draft, offer(plan, facts, draft, registered, ledger), mine, registered, ledger)
    if plan is not None and facts is not None:
        with worth:
            _expectation(plan, facts)
        with code:
            publishing_code(data, draft, plan, mine, registered)
        with known.expander("Beside known releases", icon=":material/compare_arrows:"):
            _beside_known(plan)
    if draft.unit is PrivacyUnit.USER and data.trips.has_users:
        with bound.expander("How M changes the picture (owner only)", icon=":material/visibility_lock:"):
            bound_choice(data, mine)
    if registered is not None:
        statement = ledger.statement(registered.dataset)
        with account:
            with st.container():
                unfinished(data, mine, ledger, statement)
            with st.container():
                earlier(draft, mine, ledger, statement)
            ledger_section(ledger, statement)
    confirmation(mine)


def _readable(plan: Plan, facts: Facts, *, flows: str) -> None:
    """How much will be known by the estimates. ``flows``: what is said of flows that are not bought."""
    first, *others = advice.cards(plan, facts) or (None,)
    top, row = st.container(), st.container()
    places = [top, *(row.columns(len(others)) if others else ())]
    for card, place in zip((first, *others), places, strict=True):
        if card is not None:
            place.metric(card.label, card.value, help=card.help)
            place.caption(card.note)
    if first is not None:
        hope = advice.HOPE if VISITS in plan.weights else advice.FLOWS_HOPE
        st.caption(plain(f"{flows} {hope}" if flows else hope))


def _helps(found: advice.Worth) -> None:
    """Warn where little could be read, and say what would help most, each with a click to take it."""
    with st.container():
        if found.little:
            st.warning(plain(found.little), icon=":material/blur_on:")
    if not found.helps:
        return
    st.markdown("**What would help most**, each by itself:")
    for number, one in enumerate(found.helps):
        words, take = st.columns([4, 1], vertical_alignment="center")
        words.markdown(plain(one.words))
        if one.plan is not None:
            take.button("Take", key=f"take advice {number}", on_click=_take, args=(one.plan,))


def _take(plan: Plan) -> None:
    """Take a piece of advice. It is computed from declared facts alone, so taking it is no look at the trips."""
    draft = session().draft()
    draft.take(plan)
    show_weights(draft)
    for name in ("max trips", "epsilon", "most trips", "districts"):
        if key_of(name) in st.session_state:
            st.session_state[key_of(name)] = vars(draft)[name.replace(" ", "_")]


def _expectation(plan: Plan, facts: Facts) -> None:
    """The noise of every picture, and what the forecast rests on."""
    st.subheader("3 What it will give", help=forecasts.ASSUMPTION)
    with st.expander("The noise of every table", icon=":material/table_rows:"):
        st.table(forecasts.table(forecast(plan, facts), plan.choices.sums))
        if plan.choices.sums:
            st.caption(forecasts.MEANS)
        st.caption(forecasts.ASSUMPTION)
    not_worth_it = five_numbers_warning(plan, facts)
    if not_worth_it:
        st.warning(plain(not_worth_it), icon=":material/info:")


def _beside_known(plan: Plan) -> None:
    """The plan beside releases of others, in one unit."""
    st.markdown(KNOWN_INTRO)
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
    show_chart(forecasts.known_chart(rows))
    st.caption(forecasts.known_caption(rows))
    with st.expander("The same as a table, with conversions and sources"):
        st.dataframe(
            forecasts.known_columns(rows),
            hide_index=True,
            column_config={"source": st.column_config.LinkColumn(display_text="open")},
            alt="Known releases with their epsilon as reported and in one unit",
        )
    st.caption(ATTRIBUTION)


st.title("Release")
st.caption(INTRO)
with projects.saved_changes(), refusals(), bars_over_the_page():
    page()
