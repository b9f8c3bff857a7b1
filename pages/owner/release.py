"""Release: decide what to publish, see its price and what it will give, publish, and see what was spent."""

from collections.abc import Sequence

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

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
from dpcore.release import Release
from dpcore.release.estimates import estimates_to_show
from dpcore.release.kinds.tables import TABLES
from dpcore.views.ground.plain import days_words, plain
from dpcore.views.maps.address import Address
from dpcore.views.maps.still import still_map
from dpcore.views.numbers import sentences
from dpcore.views.numbers.flows import false_flows_text
from dpcore.views.pictures.maps import map_of_visits
from dpcore.views.planning import advice, forecasts
from dpcore.views.planning.known_strip import strip_svg, strip_words
from pages.owner.parts.release.account import ask_forecast, ask_how_chosen, ledger_section, texts_form
from pages.owner.parts.release.bound_choice import bound_choice
from pages.owner.parts.release.plan_form import published_form, whom_form
from pages.owner.parts.release.publishing import earlier, publishing_code, review, unfinished
from pages.owner.parts.release.spending import Offer, confirmation, receipt
from pages.owner.parts.release.sums_form import show_weights
from pages.owner.parts.state import projects
from pages.owner.parts.state.data_sets import DataSet
from pages.owner.parts.state.draft import Draft
from pages.owner.parts.state.session import key_of, loaded, session
from pages.parts.chart import is_dark, show_chart
from pages.parts.messages import bars_over_the_page, refusals, show_refusal
from pages.parts.when_open import expander

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


BEFORE = "It is public already. The next one has new noise, and other trips where the data are others."
TITLE = "Trips in the built-in city"


def offer(plan: Plan, facts: Facts, draft: Draft, registered: Account | None, ledger: Ledger) -> Offer:
    """The plan with what is said of it: what it is expected to give, and whether it was published before."""
    found, expected = advice.worth(plan, facts), visits_forecast(plan, facts)
    said = {"Highest ε": decimal_text(plan.epsilon), **advice.last_words(plan, facts)}
    if plan.false_flows != USUAL_FALSE_FLOWS:
        said["False flows"] = f"about {false_flows_text(plan.false_flows)} in the list"
    if found.little:
        said["What it gives"] = found.little
    period = plan.choices.period
    if period is not None:
        said["Days"] = days_words(period.first, period.last)
    published = () if registered is None else draft.releases(ledger, registered.dataset)
    return Offer(
        plan,
        TITLE,
        said,
        little=found.little,
        how="how ε, M, tiles and dates were chosen",
        again=AGAIN if any(requested_plan(release.plan) == plan for release in published) else "",
        rungs=RUNGS,
        expected="" if expected is None or expected.of_part else expected.words,
    )


def page() -> None:
    """The page in three steps, then the ledger. Each has a place of its own, so that none moves another when it comes or goes."""
    data, draft = loaded(), session().draft()
    mine, ledger = draft.publishing(TABLES.name, TITLE), curator.default_ledger()
    with st.container():
        receipt(mine)
    whom, much, last, code, known, bound, account = (st.container() for _ in range(7))
    with whom:
        st.subheader("1 Whom to protect, and which account pays")
        registered = whom_form(data, draft, ledger.accounts())
    with much:
        st.subheader("2 How much ε, and what it will give")
        slider, gives, before, declared = (st.container() for _ in range(4))
        with declared:  # asked first: the default weights follow what is declared
            ask_forecast(data, draft)
        with st.expander("Change what is published", icon=":material/tune:"):
            published_form(data, draft, slider)
        plan = _seen_plan(draft, gives)
    with last:
        st.subheader("3 Publish")
        left, right = st.columns([3, 2], gap="large")
        with left:
            mine.title = mine.title or _proposed_title(data, registered)
            texts_form(data, mine, TABLES.name)
            ask_how_chosen(draft)
        with right:
            if plan is not None:
                review(
                    data, draft, offer(plan, draft.facts, draft, registered, ledger), mine, registered, ledger
                )
    if registered is not None:
        with before:
            _map_before(data, draft.releases(ledger, registered.dataset))
    if plan is not None:
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


def _proposed_title(data: DataSet, registered: Account | None) -> str:
    """The account and the days of a further release, which are public both; empty where one of them is not decided."""
    if registered is None or data.period is None or data.period_observed:
        return ""
    return f"{registered.dataset}, {days_words(data.period.first, data.period.last)}"


def _seen_plan(draft: Draft, gives: DeltaGenerator) -> Plan | None:
    """The plan, with its promise and what it will give; None, with a refusal in words, where it cannot be."""
    with gives:
        try:
            plan, facts = draft.plan(), draft.facts
        except AtlasError as error:
            show_refusal(error)
            return None
        protects, tells = st.columns(2, gap="large")
        with protects:
            st.markdown(sentences.protection(plan.bound, plan.epsilon))
        with tells:
            _strip(plan, facts)
        with st.container():
            _readable(plan, facts, flows="" if draft.edited else unbought_flows(plan, facts))
        _helps(advice.worth(plan, facts))
    _expectation(plan, facts)
    return plan


def _strip(plan: Plan, facts: Facts) -> None:
    """A mark for each tile: known, known roughly or hidden."""
    found = visits_forecast(plan, facts)
    if found is not None:
        said = plain(strip_words(found))
        st.image(strip_svg(found, dark=is_dark()), alt=said)
        st.caption(said)


def _map_before(data: DataSet, releases: Sequence[Release]) -> None:
    """The map of the newest release of the same tiles, if there is one: it is public already."""
    of_tiles = [
        one
        for one in releases
        if one.tessellation.digest == data.tessellation.digest
        and VISITS in one.measurements
        and not one.plan.choices.splits
    ]
    if not of_tiles:
        return
    release = of_tiles[-1]

    def show() -> None:
        found = estimates_to_show(release, of=(VISITS,))
        at = Address("map", len(release.plan.rungs) - 1, released=VISITS not in found.tables)
        said = f"{release.title}, up to ε = {decimal_text(release.plan.epsilon)}: visits per tile."
        st.image(still_map(map_of_visits(release, at, found), said, dark=is_dark()), alt=said)
        st.caption(plain(f"{said} {BEFORE}"))

    expander("The last release of these tiles", show, key=f"map before {release.id}", icon=":material/map:")


def _readable(plan: Plan, facts: Facts, *, flows: str) -> None:
    """How much will be known by the estimates. ``flows``: what is said of flows that are not bought."""
    found = advice.cards(plan, facts)
    for card, place in zip(found, st.columns(len(found)) if found else (), strict=True):
        place.metric(card.label, card.value, help=card.help)
        place.caption(card.note)
    if found:
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
