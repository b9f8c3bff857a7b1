"""The form of a plan. Every choice is public or declared; none is read off the data."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from typing import Final

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dpcore import limits
from dpcore.errors import AtlasError
from dpcore.ledger import Account
from dpcore.measures import MEASURES, measure_named
from dpcore.measures.choices import GRIDS, names_of_sums
from dpcore.measures.plan import FIVE_NUMBERS_WEIGHT, NOTHING, USUAL_FALSE_FLOWS
from dpcore.noise.expected_estimates import TOTAL
from dpcore.noise.forecast import forecast
from dpcore.noise.weights import WEIGHTS_RULE, proposal
from dpcore.planning.default_plan import DISTRICTS
from dpcore.privacy import RUNGS, PrivacyUnit, decimal_text
from dpcore.tiles.districts import own_districts
from dpcore.views.numbers.flows import NUMBERS_OF_FALSE_FLOWS, false_flows_text
from pages.owner.parts.release.account import account_form
from pages.owner.parts.release.split_form import split_form
from pages.owner.parts.release.sums_form import show_weights, sums_form
from pages.owner.parts.state.data_sets import DataSet
from pages.owner.parts.state.draft import Draft, answerable
from pages.owner.parts.state.session import index_of, key_of, session
from pages.owner.parts.state.whom import whom_to_hide
from pages.parts.figures import thresholds

BY_EPSILON, BY_ACCURACY = "Highest ε", "Accuracy"
_USUAL_PERCENT: Final = 10
_WEIGHT: Final = 168  # pixels of the field of a weight
EPSILON_HELP = (
    "What the release costs in total. Viewers can slide over this ε and all smaller listed ones: the noise of a "
    "smaller ε is that of the larger one made coarser."
)
WEIGHTS_HELP = "The pictures share ε by weight. Finer pictures need more, because their counts are smaller."
FIVE_NUMBERS_HELP = (
    "For every histogram: the values below which 5, 25, 50, 75 and 95 % lie. **For free**, they are read off the "
    "released bins, no finer than a bin. With many trips that is enough. If they are bought with a share of ε, "
    "they come from a finer public grid, and the more accurate of the two is shown. They are drawn once: a later "
    "top-up pays for them too but leaves them as they are. The smallest and the largest value are never "
    "published: each belongs to one trip or one person."
)
FALSE_FLOWS_HELP = (
    "There are too many pairs of tiles to list all, so only pairs whose noisy count reaches a threshold are "
    "listed. About this many empty pairs reach it by chance. A larger number gives a lower threshold, and more "
    "small true flows are listed. It costs no ε. It is public, so choose it without looking at the trips. Raising "
    "the release later keeps the list as it is."
)
RANGED_HELP = (
    "A histogram that you take out keeps its usual bins. The share of ε is divided between those that stay. Bins "
    "that you changed on the **Data** page are never bought."
)
RANGES_HELP = (
    "Bins are public: those of the **Data** page, or the usual ones. If you know too little of the city to choose "
    "them, a share of ε can buy a noisy range (up to the value that 95 % stay below). It is cut into ten or more "
    "equal bins. With few trips, or a small share, the range may come out far too wide."
)
WHERE = "It is under **Change what is published**."
NO_PERIOD = "Trips over time need a public period: choose its first and last day on the **Data** page."


DISTRICTS_HELP = (
    "A district is a group of neighbouring tiles. Flows between districts are large enough to be read, and estimates of "
    "smaller flows rest on them. Without a number the districts of the tiles file are taken (its property `district`). If it "
    "has none, the map is halved, and each half again, into as many districts as the declared trips bear. Districts are public."
)
CAP_HELP = (
    "The total says which share of all trips counts. It counts at most C trips of each person, so 'all trips' means those. A "
    "larger C misses fewer trips of busy people and needs more noise. C is public: take a number that you know without looking "
    "at the trips."
)


def whom_form(data: DataSet, draft: Draft, accounts: tuple[Account, ...]) -> Account | None:
    """Fill in whom to hide and which account pays; returns the registered account, or None where it will be opened."""
    whom, pays = st.columns([2, 3], gap="large")
    with pays, st.container():
        account = account_form(data, draft, accounts)
    with whom:
        whom_to_hide(data, "release", (st.container(), st.container()))
    return account


def published_form(data: DataSet, draft: Draft, slider: DeltaGenerator) -> None:
    """Fill in what is published. ``slider``: the place of epsilon, or of the accuracy by which it is decided."""
    if not draft.by_accuracy:
        draft.epsilon = st.session_state.get(
            key_of("epsilon"), draft.epsilon
        )  # the default weights follow it too
    by, tables, split, sums, ranges, flows = (st.container() for _ in range(6))
    with by:
        _decided_by(draft)
    with split:
        fault = split_form(draft)
    with sums:
        fault = fault or sums_form(draft)  # asked before the tables too
    if not fault:
        with tables:
            _measures(data, draft)
        with ranges:
            quantile_form(draft)
    with slider:
        _epsilon(draft)
        if fault:
            st.error(f"{fault} {WHERE}", icon=":material/block:")
    if not fault:
        with flows:
            flow_form(data, draft)


def _measures(data: DataSet, draft: Draft) -> None:
    """What to publish, with its weights."""
    possible = answerable(data.trips.form, data.period)
    possible += names_of_sums(draft.keys)
    if draft.splits:  # a table that counts the trips of all categories together stands beside no split one
        keyed = [measure_named(name, draft.keys) for name in possible]
        possible = tuple(one.name for one in keyed if one.splits or one.counts == "people")
    if not draft.edited:
        show_weights(draft)
    names = st.multiselect(
        "Publish",
        possible,
        format_func=lambda name: measure_named(name, draft.keys).title,
        default=[name for name in draft.weights if name in possible],
        key=key_of(f"measures {draft.unit.value}", "weights_of"),
        on_change=_edit,
    )
    with st.container():
        if data.period is None and any(measure.needs_period for measure in MEASURES.values()):
            st.caption(NO_PERIOD)
    weights = {
        name: draft.weights.get(name) or measure_named(name, draft.keys).weight_at(draft.unit)
        for name in names
    }
    with st.expander("Weights", icon=":material/balance:"):
        st.caption(WEIGHTS_HELP)
        if names:
            st.button(
                "Propose even weights",
                help=WEIGHTS_RULE,
                icon=":material/balance:",
                on_click=_propose_weights,
                args=(tuple(names),),
            )
        with st.container(horizontal=True, vertical_alignment="bottom"):  # all in one row, which wraps
            for name in names:
                weights[name] = st.number_input(
                    measure_named(name, draft.keys).title,
                    1,
                    limits.MAX_BUNDLE_WEIGHT,
                    value=weights[name],
                    key=key_of(f"weight {draft.unit.value} {name}", "weights_of"),
                    on_change=_edit,
                    width=_WEIGHT,
                )
    if draft.edited:
        draft.weights = weights
    _public_keys(data, draft)


def _edit() -> None:
    """Keep the weights that are shown: from now on they are chosen, and no declared number changes them."""
    draft = session().draft()
    draft.weights = dict(draft.weights)


def _public_keys(data: DataSet, draft: Draft) -> None:
    """Districts and the cap of the total: public choices, with a proposal that is taken where nothing is typed."""
    total = TOTAL in draft.weights and draft.unit is PrivacyUnit.USER
    if not total and DISTRICTS not in draft.weights:
        return
    try:
        choices = draft.plan().choices
    except AtlasError:
        return  # what is wrong with the plan stands beside its price
    places, cap = st.columns(2, vertical_alignment="bottom")
    if DISTRICTS in draft.weights and choices.districts is not None:
        draft.districts = places.number_input(
            "Districts, by halving the map",
            2,
            min(len(data.tessellation.tile_ids), limits.MAX_DISTRICTS),
            value=draft.districts,
            placeholder=_proposed_districts(data, len(choices.districts.names)),
            help=DISTRICTS_HELP,
            key=key_of("districts"),
        )
    if total:
        draft.most_trips = cap.number_input(
            "Most trips of one person in the total (C)",
            1,
            limits.MAX_TRIPS_PER_USER,
            value=draft.most_trips,
            placeholder=f"{choices.most_trips:,}, proposed",
            help=CAP_HELP,
            key=key_of("most trips"),
        )


def _proposed_districts(data: DataSet, proposed: int) -> str:
    """What is taken where nothing is typed."""
    if own_districts(data.tessellation) is not None:
        return f"{proposed:,}, of the tiles file"
    return f"{proposed:,}, proposed"


def _propose_weights(names: tuple[str, ...]) -> None:
    """Fill in the weights that make all pictures about equally sharp, from what was declared alone."""
    draft = session().draft()
    proposed = proposal(names, draft.bound, draft.epsilon, draft.facts, draft.plan().choices).weights
    draft.weights = dict(proposed)
    show_weights(draft)


def _decided_by(draft: Draft) -> None:
    """Whether epsilon is chosen, or the accuracy that it must give."""
    by = st.segmented_control(
        "Decide by",
        [BY_EPSILON, BY_ACCURACY],
        required=True,
        default=BY_ACCURACY if draft.by_accuracy else BY_EPSILON,
        key=key_of("by", "by_accuracy"),
    )
    if by == BY_ACCURACY and not draft.by_accuracy:
        _begin_with_accuracy(draft)
    draft.by_accuracy = by == BY_ACCURACY


def _begin_with_accuracy(draft: Draft) -> None:
    """Begin with the accuracy that the chosen epsilon gives, so that deciding otherwise changes nothing yet."""
    with suppress(AtlasError):  # a plan with a fault has none; the form tells the fault
        widths = {one.measure: one.half_width for one in forecast(draft.plan(), draft.facts)}
        draft.wanted = max(1, widths.get(draft.wanted_measure) or next(iter(widths.values())))


def _epsilon(draft: Draft) -> None:
    """Epsilon by itself, or by the accuracy it must give."""
    if not draft.by_accuracy:
        start = draft.epsilon if draft.epsilon in RUNGS else RUNGS[0]
        draft.epsilon = st.select_slider(
            "Highest ε of the release",
            RUNGS,
            format_func=decimal_text,
            help=EPSILON_HELP,
            value=start,
            key=key_of("epsilon"),
        )
        return
    if not draft.weights:
        return
    wide, of = st.columns(2)
    draft.wanted = wide.number_input(
        "A count may be off by, ± (95 of 100 times)",
        1,
        1_000_000,
        value=draft.wanted,
        key=key_of("wanted"),
    )
    names = [name for name in draft.weights if name in MEASURES]
    if not names:
        return
    first = draft.wanted_measure if draft.wanted_measure in names else names[0]
    draft.wanted_measure = of.selectbox(
        "A count of",
        names,
        format_func=lambda name: measure_named(name).title,
        index=index_of(names, first) or 0,
        key=key_of("wanted measure"),
    )


def quantile_form(draft: Draft) -> None:
    """Fill in the weight of summaries and the share of ranges; nothing is offered where there is no histogram."""
    histograms = [name for name in draft.weights if name in GRIDS]
    open_ended = [name for name in histograms if GRIDS[name].ranged and name not in draft.choices.edges]
    draft.five_numbers = _summaries(draft.five_numbers) if histograms and not draft.splits else 0
    draft.ranges = _ranges(draft.ranges) if open_ended else NOTHING
    draft.ranged = _bought_ranges(open_ended) if draft.ranges else None


def _summaries(weight: int) -> int:
    """The weight of five-number summaries; 0 where they are not wanted."""
    box, field = st.columns([2, 1])
    wanted = box.checkbox(
        "Five-number summaries",
        help=FIVE_NUMBERS_HELP,
        value=weight > 0,
        key=key_of("five numbers"),
    )
    if not wanted:
        return 0
    chosen = field.number_input(
        "Weight of the summaries",
        1,
        1_000,
        value=weight or FIVE_NUMBERS_WEIGHT,
        key=key_of("five numbers weight", "five_numbers"),
    )
    return int(chosen)


def _bought_ranges(open_ended: list[str]) -> tuple[str, ...] | None:
    """The histograms whose ranges are bought; None for all whose bins are the usual ones."""
    chosen = st.multiselect(
        "Histograms whose ranges are bought",
        open_ended,
        format_func=lambda name: measure_named(name).title,
        help=RANGED_HELP,
        default=open_ended,
        key=f"release ranged {' '.join(open_ended)}",
    )
    return None if len(chosen) == len(open_ended) else tuple(chosen)


def _ranges(share: Fraction) -> Fraction:
    """The share of epsilon that buys ranges; 0 where the usual bins will do."""
    box, field = st.columns([2, 1])
    wanted = box.checkbox("Buy ranges of the bins", help=RANGES_HELP, value=share > 0, key=key_of("ranges"))
    if not wanted:
        return NOTHING
    percent = field.number_input(
        "Share of ε for the ranges (%)",
        1,
        90,
        value=int(share * 100) or _USUAL_PERCENT,
        key=key_of("ranges share", "ranges"),
    )
    return Fraction(int(percent), 100)


_FLOWS: Final = "od_flows"


def flow_form(data: DataSet, draft: Draft) -> None:
    """Fill in the number of false flows; nothing is asked where every pair is listed, or where flows are not published."""
    cells = measure_named(_FLOWS, draft.keys).keys(data.tessellation.tile_ids).size
    if _FLOWS not in draft.weights or cells <= limits.MAX_DENSE_CELLS:
        draft.false_flows = USUAL_FALSE_FLOWS
        return
    start = draft.false_flows if draft.false_flows in NUMBERS_OF_FALSE_FLOWS else USUAL_FALSE_FLOWS
    draft.false_flows = st.select_slider(
        "False flows in the list, about",
        NUMBERS_OF_FALSE_FLOWS,
        format_func=false_flows_text,
        help=FALSE_FLOWS_HELP,
        value=start,
        key=key_of("false flows"),
    )
    try:
        plan = draft.plan()
    except AtlasError:
        return  # what is wrong with the plan stands beside its price
    rho = plan.rho(_FLOWS, plan.epsilon)
    thresholds(rho, cells, draft.false_flows, "Which flows will be listed")
