"""Forms for every kind of release: the account that pays, what is known anyway, and how parameters were chosen."""

from __future__ import annotations

from types import MappingProxyType

import streamlit as st

from dpcore import limits
from dpcore.api import owner
from dpcore.ledger import Account, Ledger, Statement
from dpcore.privacy import PrivacyUnit, decimal_text
from dpcore.views.ground.plain import plain
from pages.owner.parts.state.data_sets import DataSet
from pages.owner.parts.state.draft import DEMO_DATASET, Draft, Look, Publishing, in_words
from pages.owner.parts.state.session import index_of, key_of, session
from pages.parts.messages import refusals

CHOSEN = MappingProxyType(
    {
        "before_data": "Before anyone looked at the data",
        "after_preview": "After looking at the data or a preview",
        "paid": "By a noisy answer paid from this budget",
    }
)
CHOSEN_HELP = (
    "If you choose ε, M, the tiles or the dates because the result looks good, the choice itself tells something about the "
    "data, and ε does not cover that. **The clean way**: decide with the forecast, from what is known anyway. Learn with "
    "previews of another city, such as the built-in one. The release says which way was taken."
)
LOOKED = (
    "So you can no longer choose 'before anyone looked at the data'. The release says which way was taken."
)
FACTS_HELP = (
    "About how many, from what is known anyway, such as a yearly report. The number is used for the forecast only. It is not "
    "published, and never read off the data unless you ask for it."
)
TRUE_NUMBERS = (
    "Reads the exact numbers off the data. This is good for learning. But then the plan depends on the data, and ε does not "
    "cover that. They are not saved: after a reload there is what you declared."
)
DATASET_HELP = (
    "The account that pays. All releases about the same people must be charged to one account, whatever the files are called. "
    "No program can notice that two accounts are about the same people."
)
POPULATION_HELP = "Whose trips these are. Every page of a story and the README of each release say it, and it is fixed at the first release."
PUBLISHER_HELP = "Such as an office or a firm. Every page of a story says it, so that readers know whose numbers they look at."
TOTAL_HELP = (
    "The most that all releases about these people may cost together. It is written into the ledger at the first release, "
    "and nobody can raise it later."
)
CURRENCY_HELP = (
    "**People**: the budget counts what can be learnt about one person. Only releases that hide a person are possible. "
    "**Trips**: it counts what can be learnt about one trip. Both kinds of release are possible, and a person with many trips "
    "is protected less. This is fixed at the first release."
)
CONTEXT_HELP = (
    "Water, parks, streets, railways and names around the tiles, with their attribution. They are public, nothing is counted on "
    "them, and they cost nothing."
)
LEDGER_HELP = "Every line holds the hash of the line before it, so a change is noticed."


NEW_ACCOUNT = "A new data set"
_CURRENCIES = {PrivacyUnit.USER: "People", PrivacyUnit.TRIP: "Trips"}


def account_form(data: DataSet, draft: Draft, accounts: tuple[Account, ...]) -> Account | None:
    """Ask for the data set, and for the terms of its account if it has none; the account, or None."""
    known = {account.dataset: account for account in accounts}
    if data.is_demo:
        st.caption(f"Data set **{DEMO_DATASET}** (built in).")
    else:
        mine = [name for name in known if name != DEMO_DATASET]
        start = draft.dataset if draft.dataset in mine else NEW_ACCOUNT
        name = NEW_ACCOUNT
        if mine:
            name = st.selectbox(
                "Data set",
                [*mine, NEW_ACCOUNT],
                index=index_of([*mine, NEW_ACCOUNT], start) or 0,
                key=key_of("account", "dataset"),
                help=DATASET_HELP,
            )
        draft.dataset = name if name != NEW_ACCOUNT else _new_name(draft)
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
            index=index_of(parts, draft.part if draft.part in parts else None),
            key=key_of("part"),
        )
    if account is None or not account.parts:
        draft.part = None
    return account


def _new_name(draft: Draft) -> str:
    name = st.text_input(
        "Name of the data set",
        placeholder="such as: city trams 2024",
        help=DATASET_HELP,
        value=draft.dataset,
        key=key_of("dataset"),
    )
    return name.strip()


def _terms(data: DataSet, draft: Draft) -> None:
    """Ask for the terms of a new account, which cannot be changed later."""
    draft.population = st.text_input(
        "Who is in the data",
        placeholder="such as: riders of the tram in 2024",
        help=POPULATION_HELP,
        value=draft.population,
        key=key_of("population"),
    )
    total, currency = st.columns(2)
    draft.total = total.text_input(
        "Budget for all releases together (ε)",
        help=TOTAL_HELP,
        value=draft.total,
        key=key_of("total"),
    ).strip()
    counted = currency.segmented_control(
        "Budget counts",
        list(_CURRENCIES) if data.trips.has_users else [PrivacyUnit.TRIP],
        format_func=_CURRENCIES.__getitem__,
        help=CURRENCY_HELP,
        required=True,
        default=draft.currency,
        key=key_of("currency"),
    )
    draft.currency = counted or draft.currency


def texts_form(data: DataSet, mine: Publishing, kind: str) -> None:
    """Title, publisher and note, as readers will see them, and whether the context of the map is published too."""
    title = st.text_input(
        "Title", max_chars=120, value=mine.title, key=key_of(f"{kind} title", f"text title {kind}")
    )
    with st.expander("More for readers", icon=":material/menu_book:"):
        publisher = st.text_input(
            "Who publishes (optional)",
            max_chars=limits.MAX_TITLE_CHARACTERS,
            placeholder="such as: City of Ulm, transport office",
            help=PUBLISHER_HELP,
            value=mine.publisher,
            key=key_of(f"{kind} publisher", f"text publisher {kind}"),
        )
        note = st.text_area(
            "Note for readers (optional)",
            height=80,
            max_chars=4000,
            value=mine.note,
            key=key_of(f"{kind} note", f"text note {kind}"),
        )
    if data.context is not None:
        start = session().form.value("release with context", bool, data.is_demo)
        mine.with_context = st.checkbox("Put the map context into the release", help=CONTEXT_HELP, **start)
    mine.title, mine.publisher, mine.note = title.strip(), publisher.strip(), note.strip()


def ask_forecast(data: DataSet, draft: Draft, *, offer_true: bool = True) -> None:
    """What is known anyway, for the forecast. ``offer_true``: offer the true numbers as well."""
    if draft.look:
        _look(data, draft)
    trips, people = st.columns(2)
    draft.trips = trips.number_input(
        "Trips, about",
        0,
        None,
        placeholder="not declared",
        help=FACTS_HELP,
        value=draft.trips,
        key=key_of("trips"),
    )
    if data.trips.has_users:
        draft.users = people.number_input(
            "People, about",
            1,
            None,
            placeholder="not declared",
            help=FACTS_HELP,
            value=draft.users,
            key=key_of("users"),
        )
    if offer_true and not data.is_demo:
        st.button(
            "Use the true numbers",
            help=TRUE_NUMBERS,
            icon=":material/visibility:",
            type="tertiary",
            on_click=_ask_to_look,
        )


def _ask_to_look() -> None:
    session().draft().ask_to_look()


def _look(data: DataSet, draft: Draft) -> None:
    """Read the true numbers off the data, as its owner asked."""
    draft.look = False
    with refusals():
        draft.trips = data.trips.report.trips
        if data.trips.has_users:
            people = owner.exact_table(data.trips, "trips_per_user", None)["value"]
            draft.users = sum(int(count) for count in people) or None
        draft.counted = {"trips": draft.trips, "users": draft.users}
        session().looked(Look.NUMBERS)
        st.session_state[key_of("trips")] = draft.trips
        st.session_state[key_of("users")] = draft.users


def ask_how_chosen(draft: Draft) -> None:
    """Ask how the parameters were chosen. After a look at the data the question is asked again."""
    ways, key = draft.ways, key_of("chosen")
    if st.session_state.get(key) not in {None, *ways}:
        st.session_state[key] = None
    draft.chosen = st.radio(
        "How were ε, M, tiles and dates chosen?",
        ways,
        index=index_of(ways, draft.chosen),
        format_func=CHOSEN.__getitem__,
        help=CHOSEN_HELP,
        key=key,
    )
    if draft.seen:
        st.caption(f"{in_words(draft.seen)} {LOOKED}")


def ledger_section(ledger: Ledger, statement: Statement) -> None:
    """How much of the account is spent, its lines, and a check of the whole ledger."""
    st.subheader("Ledger", help=LEDGER_HELP)
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
        st.success(f"All {number} lines are as they were written. The last hash is {line[:16]}…")
