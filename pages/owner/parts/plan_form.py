"""The plan as its owner fills it in: every choice is public or declared, none is read off the data silently."""

from __future__ import annotations

import streamlit as st

from dpcore.default_weights import DEFAULT_WEIGHTS
from dpcore.forecast import Facts
from dpcore.ledger import Account
from dpcore.measures import MEASURES, measure_named
from dpcore.privacy import RUNGS, PrivacyUnit, decimal_text
from dpcore.weights import WEIGHTS_RULE, proposed_weights
from pages.owner.parts import release_words, words
from pages.owner.parts.declarations import chosen, declared
from pages.owner.parts.draft import DEMO_DATASET, Draft, answerable
from pages.owner.parts.flow_form import flow_form
from pages.owner.parts.quantile_form import quantile_form
from pages.owner.parts.session import DataSet, loaded, place, session

_NEW = "A new data set"
_BY_EPSILON, _BY_ACCURACY = "Highest ε", "Accuracy"
_CURRENCIES = {PrivacyUnit.USER: "People", PrivacyUnit.TRIP: "Trips"}


def plan_form(data: DataSet, draft: Draft, accounts: tuple[Account, ...]) -> Account | None:
    """Fill in the draft; returns the registered account that pays, or None where it will be opened."""
    account = account_form(data, draft, accounts)
    _whom(data, draft)
    _measures(data, draft)
    quantile_form(draft)
    _epsilon(draft)
    flow_form(data, draft)
    _texts(draft)
    declared(data, draft)
    chosen(draft)
    return account


def account_form(data: DataSet, draft: Draft, accounts: tuple[Account, ...]) -> Account | None:
    """The data set, and the terms of its account where it has none."""
    known = {account.dataset: account for account in accounts}
    if data.is_demo:
        st.caption(f"Data set **{DEMO_DATASET}**: the built-in city, so that you can try everything.")
    else:
        mine = [name for name in known if name != DEMO_DATASET]
        start = draft.dataset if draft.dataset in mine else _NEW
        name = _NEW
        if mine:
            name = st.selectbox(
                "Data set",
                [*mine, _NEW],
                index=place([*mine, _NEW], start),
                key="release account",
                help=release_words.DATASET_HELP,
            )
        draft.dataset = name if name != _NEW else _new_name(draft)
    foreign = draft.dataset.casefold() == DEMO_DATASET and not data.is_demo
    account = None if foreign else known.get(draft.dataset)
    if account is None:
        _terms(data, draft)
    elif account.parts:
        parts = [None, *account.parts]
        draft.part = st.selectbox(
            "Part",
            parts,
            format_func=lambda part: part or "All of it",
            index=place(parts, draft.part if draft.part in parts else None),
            key="release part",
        )
    if account is None or not account.parts:
        draft.part = None
    return account


def _new_name(draft: Draft) -> str:
    name = st.text_input(
        "Name of the data set",
        placeholder="such as: city trams 2024",
        help=release_words.DATASET_HELP,
        value=draft.dataset,
        key="release dataset",
    )
    return (name or "").strip()


def _terms(data: DataSet, draft: Draft) -> None:
    """Terms of a new account; they stand for good."""
    draft.population = (
        st.text_input(
            "Who is in the data",
            placeholder="such as: riders of the tram in 2024",
            value=draft.population,
            key="release population",
        )
        or ""
    )
    total, currency = st.columns(2)
    draft.total = total.text_input(
        "Budget for all releases together (ε)",
        help=release_words.TOTAL_HELP,
        value=draft.total,
        key="release total",
    ).strip()
    draft.currency = currency.segmented_control(
        "Budget counts",
        list(_CURRENCIES) if data.trips.has_users else [PrivacyUnit.TRIP],
        format_func=_CURRENCIES.get,
        help=release_words.CURRENCY_HELP,
        required=True,
        default=draft.currency,
        key="release currency",
    )


def _whom(data: DataSet, draft: Draft) -> None:
    """Unit of privacy and its bound."""
    whom, bound = st.columns(2)
    draft.unit = whom.segmented_control(
        "Hide",
        list(PrivacyUnit) if data.trips.has_users else [PrivacyUnit.TRIP],
        format_func=words.UNITS.get,
        help=words.UNIT_HELP,
        required=True,
        default=draft.unit,
        key="release unit",
    )
    if draft.unit is PrivacyUnit.USER:
        draft.max_trips = bound.number_input(
            "Trips counted per person, at most (1 to 500)",
            1,
            500,
            help=words.BOUND_HELP,
            value=draft.max_trips,
            key="release max trips",
        )
    elif not data.trips.has_users:
        bound.caption(words.NO_USERS)


def _measures(data: DataSet, draft: Draft) -> None:
    """What to publish, with its weights."""
    possible = answerable(
        has_users=data.trips.has_users, has_points=data.trips.has_points, period=data.period
    )
    names = st.multiselect(
        "Publish",
        possible,
        format_func=lambda name: measure_named(name).title,
        default=[name for name in draft.weights if name in possible],
        key="release measures",
    )
    if data.period is None and any(measure.needs_period for measure in MEASURES.values()):
        st.caption(release_words.NO_PERIOD)
    weights = {name: draft.weights.get(name) or DEFAULT_WEIGHTS[name] for name in names}
    with st.expander("Weights", icon=":material/balance:"):
        st.caption(release_words.WEIGHTS_HELP)
        if names:
            st.button(
                "Propose even weights",
                help=WEIGHTS_RULE,
                icon=":material/balance:",
                on_click=_propose_weights,
                args=(tuple(names),),
            )
        for start in range(0, len(names), 3):
            for name, cell in zip(names[start : start + 3], st.columns(3), strict=False):
                weights[name] = cell.number_input(
                    measure_named(name).title, 1, 100, value=weights[name], key=f"release weight {name}"
                )
    draft.weights = weights


def _propose_weights(names: tuple[str, ...]) -> None:
    """Fill in the weights that make all pictures about equally sharp, from what was declared alone."""
    data, draft = loaded(), session().draft()
    facts = Facts(draft.trips, draft.users, len(data.tessellation.tile_ids))
    proposed = proposed_weights(names, draft.bound, draft.epsilon, facts, draft.choices)
    for name, weight in proposed.items():
        st.session_state[f"release weight {name}"] = weight
    draft.weights = dict(proposed)


def _epsilon(draft: Draft) -> None:
    """Epsilon by itself, or by the accuracy it must give."""
    by = st.segmented_control(
        "Decide by",
        [_BY_EPSILON, _BY_ACCURACY],
        required=True,
        default=_BY_ACCURACY if draft.by_accuracy else _BY_EPSILON,
        key="release by",
    )
    draft.by_accuracy = by == _BY_ACCURACY
    if not draft.by_accuracy:
        start = draft.epsilon if draft.epsilon in RUNGS else RUNGS[0]
        draft.epsilon = st.select_slider(
            "Highest ε of the release",
            RUNGS,
            format_func=decimal_text,
            help=release_words.EPSILON_HELP,
            value=start,
            key="release epsilon",
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
        key="release wanted",
    )
    names = list(draft.weights)
    start = draft.wanted_measure if draft.wanted_measure in names else names[0]
    draft.wanted_measure = of.selectbox(
        "A count of",
        names,
        format_func=lambda name: measure_named(name).title,
        index=place(names, start),
        key="release wanted measure",
    )


def _texts(draft: Draft) -> None:
    """Title and note, as readers will see them."""
    draft.title = (
        st.text_input("Title", max_chars=120, value=draft.title, key="release title") or ""
    ).strip()
    draft.note = (
        st.text_area(
            "Note for readers (optional)",
            height=80,
            max_chars=4000,
            value=draft.note,
            key="release note",
        )
        or ""
    ).strip()
