"""Data: load trips and tiles, see what was read and what was refused."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any, Final

import streamlit as st

from dpcore import limits
from dpcore.api import owner
from dpcore.api.code import load_only_code
from dpcore.errors import AtlasError, InputError
from dpcore.measures import BINS, measure_named
from dpcore.measures.choices import WINDOWS, KeyChoices
from dpcore.measures.keys import Period, Step
from dpcore.views.ground.plain import day, percent, plain
from pages.owner.parts.data import load_again, tiles
from pages.owner.parts.data.map_context import context_section
from pages.owner.parts.data.projects_panel import projects_panel
from pages.owner.parts.data.trip_attributes import kept_words
from pages.owner.parts.data.trip_columns import Lacking
from pages.owner.parts.data.trips_source import TripsSource, chosen_trips
from pages.owner.parts.explore.looking import decide_before_looking
from pages.owner.parts.state import projects, words
from pages.owner.parts.state.data_sets import DataSet, data_set, loading
from pages.owner.parts.state.draft import Look
from pages.owner.parts.state.form import between
from pages.owner.parts.state.session import loaded, session
from pages.parts.chart import show_table
from pages.parts.code import show_code
from pages.parts.messages import refusals, show_refusal

_STEPS: Final = {Step.DAY: "Day", Step.WEEK: "Week", Step.MONTH: "Month"}
_FIRST, _LAST = date(1970, 1, 1), date(2100, 12, 31)
_LISTED = 20
"""Reasons for leaving records out that are listed one by one."""


def clock() -> str | None:
    """The city's time zone."""
    zone: str | None = st.selectbox(
        "Time zone of the city",
        zones := owner.time_zones(),
        placeholder="Choose a zone",
        format_func=lambda name: name.replace("_", " "),  # who types New York finds it
        help=words.ZONE_HELP,
        **session().form.option("data zone", zones),
    )
    return zone


def key_form() -> KeyChoices | None:
    """Dates first, the rest folded away; None while the last day lies before the first, PrivacyError or InputError for what cannot be."""
    (begin, end), form = _days(), session().form
    with st.expander("Steps, time windows and bins", icon=":material/view_week:"):
        st.caption(words.KEYS_HELP)
        step, starts = st.columns(2)
        each = step.segmented_control(
            "One count of the series covers a",
            list(Step),
            format_func=_STEPS.__getitem__,
            required=True,
            **form.segment("data step", list(Step), Step.DAY),
        )
        windows = starts.text_input(
            "Time windows begin at",
            help=words.WINDOWS_HELP,
            **form.value("data windows", str, _comma_list(WINDOWS)),
        )
        most = limits.MAX_POINTS_PER_TRIP
        cap = st.number_input(
            "Visits counted of one trip, at most",
            2,
            most,
            help=words.VISITS_HELP,
            **form.value("data visits", int, 2, between(2, most)),
        )
        edges = _edges()
    if begin and end and end < begin:  # such as that of the month before: nothing is wrong yet
        return None
    period = Period(begin, end) if begin and end else None
    return KeyChoices(period, each, _hours(windows), edges, cap if cap > 2 else None)


def _days() -> tuple[date | None, date | None]:
    """The first and the last day of the public period, as far as they were given."""
    form, (first, last) = session().form, st.columns(2)
    days: dict[str, Any] = {"min_value": _FIRST, "max_value": _LAST, "format": words.DATE_FORM}
    inside = between(_FIRST, _LAST)
    begin = first.date_input(
        "First day (public)",
        help=words.PERIOD_HELP,
        **days,
        **form.value("data first day", date | None, None, inside),
    )
    end = last.date_input(
        "Last day (public)", **days, **form.value("data last day", date | None, None, inside)
    )
    return begin, end


def _edges() -> dict[str, tuple[str, ...]]:
    """Edges of every histogram, as listed; the usual ones where nothing was changed."""
    found = {}
    names = list(BINS)
    for start in range(0, len(names), 2):
        for name, cell in zip(names[start : start + 2], st.columns(2), strict=False):
            usual = session().form.value(f"data edges {name}", str, _comma_list(BINS[name].edges))
            text = cell.text_input(measure_named(name).title, **usual)
            found[name] = tuple(part.strip() for part in text.split(","))
    return found


def _hours(text: str) -> tuple[int, ...]:
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() for part in parts):
        raise InputError("these are no hours", "time windows", f"List hours such as {_comma_list(WINDOWS)}.")
    return tuple(int(part) for part in parts)


def _comma_list(values: tuple[object, ...]) -> str:
    return ", ".join(str(value) for value in values)


def load(
    trips: TripsSource,
    on: tiles.ChosenTiles,
    zone: str,
    choices: KeyChoices,
    *,
    drop: bool,
    leave_out: str,
) -> None:
    """Read, check and prepare the trips; on success they replace what was loaded before.

    Any click ends the run of this page at the next step of the bar, and so the loading: the button is there to be found.
    ``leave_out``: key of the widget that says ``drop``.
    """
    place = st.empty()
    with place.container():
        bar = st.progress(0.0, "Reading")
        st.button("Cancel", icon=":material/close:", help=words.CANCEL_HELP)

    def tell(share: float) -> None:
        bar.progress(min(share, 1.0), "Reading" if share < 1 else "Storing")

    session().loading = trips.name
    bad_records = owner.BadRecords.DROP if drop else owner.BadRecords.REFUSE
    try:
        loaded_trips = trips.load(on.tessellation, zone, bad_records, tell)
        how = trips.loading(on.loading, drop=drop)
        projects.see_elsewhere(session())
        session().load(data_set(loaded_trips, on.tessellation, choices, loading=how))
        projects.put_context_under(session())
        session().loading = None
        st.rerun()  # the project is saved and named, and shown so from the top
    except AtlasError as error:
        if owner.counts_bad_records(error):  # exact counts of each file up to the bad one
            with refusals():
                session().looked_ahead(trips.fingerprints(), Look.REPORT)
        load_again.show(error)
        load_again.mend(error, leave_out, trips.order_key)
    session().loading = None
    place.empty()


def stopped() -> None:
    """Say that a loading was ended before its end, once."""
    name, session().loading = session().loading, None
    if name is not None:
        st.info(words.CANCELLED.format(name=plain(name)), icon=":material/cancel:")


def files(trips: owner.PrivateTrips, mark: str) -> None:
    """What was read of each file, behind one click."""
    with st.expander(f"The {len(trips.files):,} files"):
        rows = [
            {"File": name, "Trips": of.trips, "One end only": of.incomplete, "Left out": of.dropped_records}
            for name, of in trips.files
        ]
        show_table(rows, "What was read of each file", mark=mark, width="stretch")


def observed_days(data: DataSet) -> None:
    """First see the days, which is a look at the trips; then use them, which makes them public."""
    mine = session()
    if not data.trips.has_times:
        return
    if not mine.kept.holds("observed days", "all"):
        if not st.button("Use the first and last day of the trips …", help=words.OBSERVED_PERIOD):
            return
        mine.looked(Look.PERIOD)
    found = mine.kept.last("observed days", "all", lambda: owner.observed_period(data.trips))
    if found is None:
        st.caption("There is no trip, and so no first and last day.")
        return
    days = f"{day(found.first)} to {day(found.last)}"
    st.warning(words.OBSERVED_DAYS.format(days=days), icon=":material/calendar_month:")
    if st.button(f"Use {days}"):
        choices = replace(data.choices, period=found)
        mine.load(
            data_set(data.trips, data.tessellation, choices, period_observed=True, loading=data.loading)
        )
        st.rerun()


def report(data: DataSet) -> None:
    """What is loaded; by rule what was read and refused, once the owner looks."""
    st.subheader("Loaded")
    st.caption(f"{data.mark} {plain(data.trips.name)}, {len(data.tessellation.tile_ids):,} tiles.")
    if data.trips.attributes:
        st.caption(kept_words(data.trips.attributes))
    if decide_before_looking(data):
        show_counts(data)
        st.page_link("pages/owner/explore.py", label="Explore these trips", icon=":material/travel_explore:")
    show_code(load_only_code(loading(data)), "data")


def show_counts(data: DataSet) -> None:
    """Exact counts of what was read and what was refused. Whoever sees them has looked."""
    session().looked(Look.REPORT)
    read = data.trips.report
    cards = st.columns(4)
    cards[0].metric("Trips", f"{read.trips:,}", border=True)
    cards[1].metric("Trips with one end only", f"{read.incomplete:,}", border=True)
    cards[2].metric("Records left out", f"{read.dropped_records:,}", border=True)
    outside = owner.share_outside(data.trips)
    cards[3].metric("Ends outside every tile", percent(outside), border=True)
    warned = owner.outside_warning(data.trips, data.tessellation) or owner.unknown_ids(data.trips)
    if warned is not None:
        st.warning(warned, icon=":material/wrong_location:")
    if len(data.trips.files) > 1:
        empty = [name for name, of in data.trips.files if not of.records]
        if empty:
            st.warning(words.EMPTY_FILES.format(names=plain(", ".join(empty))), icon=":material/draft:")
        files(data.trips, data.mark)
    for rule in read.dropped[:_LISTED]:
        where = ", ".join(f"{place:,}" for place in rule.places)
        lines = "line" if len(rule.places) == 1 else "lines"
        of = f" of {plain(rule.file)}" if rule.file else ""
        st.markdown(
            f"- {rule.count:,} left out: {plain(rule.rule)}, column {plain(rule.column)}; {lines} {where}{of}"
        )
    if len(read.dropped) > _LISTED:
        st.markdown(f"- and {len(read.dropped) - _LISTED:,} more reasons, see the files")
    for note in (*read.unlisted_words, *read.notes, *data.tessellation.notes):
        st.markdown(f"- {plain(note)}")
    if data.period is None:
        observed_days(data)


def choose() -> None:
    """The form of this page, top to bottom. What grows has a container of its own, so that it moves nothing that is typed into below."""
    st.subheader("1 Trips")
    with st.container():
        source = chosen_trips()
    trips = None if isinstance(source, Lacking) else source
    st.subheader("2 Tiles")
    with st.container():
        on = tiles.chosen_tiles(trips)
        trips = tiles.matched(trips, on)
    st.subheader("3 Clock, dates and bins")
    zone = clock()
    choices, lacks = None, "a last day that is not before the first"
    with st.container():
        try:
            choices = key_form()
        except AtlasError as error:
            show_refusal(error)
            lacks = "days, windows and bins that fit"
    start = session().form.value(load_again.LEAVE_OUT, bool, False)
    drop = st.checkbox("Leave out bad records instead of refusing the file", help=words.DROP_HELP, **start)
    needed = {"tiles": on, "the time zone": zone}
    missing = [name for name, value in needed.items() if value is None]
    if choices is None:
        missing.append(lacks)
    if isinstance(source, Lacking):
        missing[:0] = source.what
    lacking = st.container()
    if missing:
        lacking.caption(f"Still needed: {', '.join(missing)}.")
    elif trips is not None and choices is not None and _are_days_of_others(trips, choices):
        lacking.caption(words.DAYS_OF_OTHERS)
    pressed = st.button("Load", type="primary", disabled=bool(missing)) or load_again.asked_again()
    if pressed and trips is not None and on is not None and zone is not None and choices is not None:
        load(trips, on, zone, choices, drop=drop, leave_out=start["key"])


def _are_days_of_others(trips: TripsSource, choices: KeyChoices) -> bool:
    """Whether other own files were chosen, and the days are still those of the trips that are loaded: this asks names alone."""
    data = loaded()
    return (
        not data.is_demo
        and choices.period is not None
        and choices.period == data.period
        and trips.name != data.trips.name
    )


def leave() -> None:
    """Ways back: to the built-in city, and to a computer that holds nothing."""
    back, forget = st.columns(2)
    if back.button("Back to the built-in city"):
        session().forget()
        st.rerun()
    with forget.popover("Forget all loaded trips", icon=":material/delete:"):
        st.markdown(words.FORGET)
        if st.button("Delete them"):
            session().forget()
            owner.forget()
            st.rerun()


@st.fragment
def files_and_choices() -> None:
    """The page below its title; reruns alone.

    A browser asks for an address before it sends a file. When a run of the whole page begins, Streamlit 1.67 throws the answer
    away if it was not sent yet, and with it the file; when a fragment runs alone it keeps it.
    """
    session()  # the gate: no router stands before it, and no name of a file is shown to anyone but the owner
    with projects.saved_changes():
        with st.container():
            projects_panel()
        with st.container():
            choose()
        with st.container():
            stopped()  # where the bar was
            with refusals():
                report(loaded())
                context_section(loaded())
        with refusals():
            leave()


session()
st.title("Data")
st.caption(words.DATA_INTRO)
files_and_choices()
