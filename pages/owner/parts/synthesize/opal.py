"""Large counts of keys on the Synthesize page: plan, thresholds, promise, the real Opal release, and a throw-away draw both ways."""

from __future__ import annotations

from datetime import date
from fractions import Fraction
from functools import partial
from typing import Final

import streamlit as st

from dpcore.kinds.stability import owner as stability_owner
from dpcore.kinds.stability import views as stability
from dpcore.kinds.stability.choices import COLUMNS, COMBINATIONS, MAX_SHARE, StabilityChoices
from dpcore.kinds.stability.kind import VARIANTS, column_words
from dpcore.kinds.stability.plan import Variant
from dpcore.kinds.stability.published import PUBLISHED_WEEK
from dpcore.kinds.stability.totals import DELTA, parts_words, published_totals, totals
from dpcore.kinds.stability.zones import Zones, read_zones
from dpcore.measures.attribute import Categories
from dpcore.measures.keys import Period
from dpcore.privacy import ContributionBound, Loss, PrivacyUnit, decimal_text
from dpcore.release import kind_of
from dpcore.views.ground.plain import delta_text
from pages.owner.parts.explore.looking import may_look
from pages.owner.parts.release.publishing import publish_section
from pages.owner.parts.release.spending import Offer
from pages.owner.parts.state import words
from pages.owner.parts.state.data_sets import DataSet
from pages.owner.parts.state.form import between
from pages.owner.parts.state.session import session
from pages.owner.parts.state.whom import whom_to_hide
from pages.owner.parts.synthesize.choices import draw_again, looked_at
from pages.parts.chart import show_table
from pages.parts.messages import spinner

INTRO: Final = (
    "In 2017 Sydney published taps of its Opal cards in this way: count every combination of time and place that "
    "occurs, add noise, and show only large counts. Here a tap **on** is where and when a trip starts, and a tap "
    "**off** where and when it ends. Both are counted apart, so that no published row links them."
)
TERMS: Final = """
**A combination** is what is counted together, such as time and place of taps on. Each pair that occurs is a *key* with a
count. **A part** is one date, one mode, or one mode on one date; each is counted by itself.

**ε (epsilon)** says how far a count may give away one trip. **δ (delta)** is slack on top: the probability of any set of
results may differ by δ more. It is needed because a shown key can give away the only trip (or person) that has it, such as a
stop that nobody else used at that hour. δ should be far smaller than one over the number of people.

**The threshold** follows from ε and δ alone: a noisy count below it is not shown. So a missing row says "few", not "none".

**Replace one** compares data sets of equal size that differ in one trip. **Add or remove** compares data sets of which one has
one trip more. The same noise has twice the ε under *replace one*. Opal states *replace one*; accounts here count *add or remove*.

**A part costs nothing extra**, because a trip is in one part only. Combinations add up, because a trip is in all of them. A
person is in many parts: if *a person* is hidden, at most M trips count over all parts together.

**Without δ**: places and times of a city are public. Where all possible keys are listed beforehand, the empty ones get noise
as well, and δ is 0.

[All words](glossary)
"""
VARIANT_HELP: Final = (
    "**Add or remove one trip**: half the noise of Opal for the same ε, and half the threshold.\n\n"
    "**Replace one trip, lowest threshold**: Opal's noise with the lowest threshold that keeps its δ.\n\n"
    "**As published for Opal**: its noise in whole numbers, and its threshold as the files show it."
)
EPSILON_HELP: Final = (
    "The combinations share it, with one share for each of their columns unless you choose other shares: of 8, the four single columns get 1 "
    "each and the two pairs get 2 each, as in the Opal release."
)
SHARES_HELP: Final = "A combination gets the shares of its columns. A column with a larger share has less noise, and fewer of its counts are left out."
PARTS_HELP: Final = (
    "Each category of an attribute, such as a mode, is a part; with dates, each mode on each date. Parts cost nothing more. Trips of "
    "other categories, or of none, are left out."
)
SKIPPED: Final = {"Left out from": "first", "Left out to": "last"}
SKIP_HELP: Final = (
    "Days within the dates that are not counted, such as those between two weeks. They are public, like the dates. With one of the two fields, "
    "that day alone is left out."
)
ZONES_HELP: Final = (
    "Paste a CSV with the columns tile_id and zone. Places are then zones, and the tiles of the release are merged so. The table is "
    "public: it goes into the ledger and the release."
)
ZONES_EXAMPLE: Final = "tile_id,zone\nstop 17,2000\nstop 18,2000"
DELTA_HELP: Final = "The combinations share it evenly: of 7.5e-07, six combinations get 1/8,000,000 each, as in the Opal release."
THRESHOLDS: Final = (
    "Opal's thresholds are 2 ln(2/δ)/ε + 1 = **34.18** for ε 1 and **17.59** for ε 2. Ours are computed exactly "
    "for noise in whole numbers, so rounding hides nothing. None needs more than its δ. The last "
    "column shows the δ that a threshold really has, at most."
)
EXHIBIT: Final = (
    "**Look at the real release.** In the file of places for 8 to 14 August 2016 the smallest of 8,605 counts is "
    "**34**, which is 34.18 rounded. The file of times and places for 25 to 31 July begins with counts of **18**, "
    "which is 17.59 rounded. So the files follow their document. Source: Transport for NSW, Opal Tap On and Tap "
    "Off (CC BY 4.0), with Asghar, Tyler, Kaafar 2017, arXiv:1705.05957. The files are not part of this app."
)
WEEK: Final = (
    "**Our release of an invented week** beside the real one of 8 to 14 August 2016: four modes on seven days are 28 parts, with the noise and "
    "thresholds of the preset. Days, numbers of places and of trips are those of the real release. How unequally places are used is "
    "invented, so medians differ. The shape is the same: nearly all places have a row every day, and no count is below 34."
)
WEEK_TOGGLE: Final = "Draw an invented week beside it"
CRITICS: Final = (
    "Culnane, Rubinstein and Teague (arXiv:1704.08547) tried to find people in it. They say that most of its "
    "protection comes from two things: on and off are counted apart, and small counts are left out. Where the "
    "place of the tap on determines that of the tap off, as on a ferry, rows can still be paired."
)
PUBLISHED_COST: Final = (
    "What the Opal release costs: its document says ε 8 and δ 7.5e-07 under *replace one*. Its noise really has a "
    "quarter of that δ, and it has ε 4 under *add or remove*."
)
ONE_TRIP: Final = (
    "**This protects one trip, not a person.** Somebody with k trips has k times the ε, and soon no useful δ:"
)
KEPT: Final = (
    "**Left out** is the expected share of all trips whose row is too small to be shown. **Without δ**, every "
    "possible key gets noise, empty ones too. The threshold is such that about one empty key is shown by chance. "
    "The ε is the same, and δ is 0."
)
BETTER: Final = (
    "Tiles and times are public lists here. So the way **without δ** has the same ε without any δ, and often "
    "shows more. The Release page publishes flows and arrivals by time of day in this way. This page publishes "
    "with δ, as Opal did: for keys that nobody can list, and to compare."
)
DENSITY: Final = (
    "What would be left out with other bins, at the same price. This looks at your trips. If you choose bins by "
    "it, you choose after looking, and ε does not cover that."
)
EMPTY: Final = (
    "Nothing is large enough to be shown. Raise ε, choose wider bins or fewer combinations, or count all days "
    "together."
)
REPEATED: Final = (
    "The bundle's `trips.parquet` repeats the rows of one combination that has both ends of a trip. If there is "
    "none, it repeats the best combination of starts and the best one of ends: then each row has one end, and "
    "there are about twice as many rows as trips."
)


_EPSILONS: Final = tuple(
    Fraction(one) for one in ("0.5", "1", "2", "3", "4", "6", "8", "10", "12", "16", "20")
)
_DELTAS: Final = (
    *(Fraction(1, 10**power) for power in (10, 9, 8, 7)),
    6 * DELTA,
    Fraction(1, 10**6),
    Fraction(1, 10**5),
)
_MINUTES: Final = (5, 15, 30, 60)
_OF_TRIPS: Final = (Variant.ADD_REMOVE, Variant.TIGHT, Variant.OPAL)
_SHARE: Final = 200  # pixels of the field of a share
_SHOWN: Final = 200  # rows of a table on the page


def opal_tab(data: DataSet, period: Period | None) -> None:
    """The tab from the choices to the draw."""
    st.markdown(INTRO)
    with st.popover("Words", icon=":material/help:"):
        st.markdown(TERMS)
    with st.container():
        choices = _choices(data, period)
    if choices is None:
        return
    promise(choices)
    published()
    with st.container():
        if may_look(data):
            _draw(data, choices)
    publish_section(data, Offer(choices, "Large counts of the built-in city"))


def _choices(data: DataSet, period: Period | None) -> StabilityChoices | None:
    whom_to_hide(data, "synthesize opal")
    bound = session().draft().bound
    epsilon, delta, variant = _whole_promise(bound)
    form = session().form
    chosen, bins = st.columns([2, 1], vertical_alignment="bottom")
    combinations = chosen.multiselect(
        "Counted together",
        COMBINATIONS,
        format_func=lambda one: column_words("+".join(one)),
        wrap=True,
        **form.several("synthesize combinations", COMBINATIONS, COMBINATIONS),
    )
    counted = {name for one in combinations for name in one}
    with st.container():
        shares = _shares([name for name in COLUMNS if name in counted])
    minutes = bins.segmented_control(
        "Minutes in a bin", _MINUTES, required=True, **form.segment("synthesize minutes", _MINUTES, 15)
    )
    by_day = st.toggle(
        "Count each date apart" if period else "Count each date apart (needs public dates)",
        disabled=period is None,
        **form.value("synthesize by day", bool, period is not None),
    )
    with st.container():
        skipped = _skipped(period) if period and by_day else None
    divisible = [one for one in data.trips.attributes if isinstance(one, Categories)]
    divisions: list[str] = []
    if divisible:
        names = [one.name for one in divisible]
        divisions = st.multiselect(
            "Count each category apart",
            names,
            help=PARTS_HELP,
            **form.several("synthesize parts", names),
        )
    zones = _zones(data)
    if not combinations:
        st.info("Choose what is counted together.", icon=":material/playlist_add:")
        return None
    return StabilityChoices(
        bound,
        epsilon,
        delta,
        variant,
        tuple(combinations),
        period if by_day else None,
        minutes or _MINUTES[0],
        tuple(one for one in divisible if one.name in divisions),
        skipped,
        zones=zones,
        shares=shares,
    )


def _shares(counted: list[str]) -> tuple[tuple[str, int], ...]:
    """The shares of epsilon that are not 1, of the columns that are counted."""
    if not counted:
        return ()
    form, found = session().form, []
    with st.expander("Shares of ε", icon=":material/pie_chart:"):
        st.caption(SHARES_HELP)
        with st.container(horizontal=True, vertical_alignment="bottom"):
            for name in counted:
                share = st.number_input(
                    column_words(name),
                    min_value=1,
                    max_value=MAX_SHARE,
                    width=_SHARE,
                    **form.value(f"synthesize share {name}", int, 1, between(1, MAX_SHARE)),
                )
                found.append((name, int(share)))
    return tuple(sorted(pair for pair in found if pair[1] != 1))


def _skipped(period: Period) -> Period | None:
    """The days within the dates that are left out; None if none are. PrivacyError for days that end before they begin."""
    inner = period.days[1:-1]
    if not inner:
        return None
    form = session().form
    first, last = (
        column.date_input(
            label,
            min_value=inner[0],
            max_value=inner[-1],
            format=words.DATE_FORM,
            help=SKIP_HELP,
            **form.value(f"synthesize skip {end}", date | None, None, between(inner[0], inner[-1])),
        )
        for column, (label, end) in zip(st.columns(2), SKIPPED.items(), strict=True)
    )
    days = [day for day in (first, last) if isinstance(day, date)]
    return Period(days[0], days[-1]) if days else None


def _zones(data: DataSet) -> Zones:
    """The public zones of tiles, typed or pasted as a table; none if there is no text. InputError for a table that is none."""
    form = session().form
    with st.expander("Merge tiles by a public table, such as stops into postcodes", icon=":material/merge:"):
        text = st.text_area(
            "Table of zones",
            help=ZONES_HELP,
            placeholder=ZONES_EXAMPLE,
            **form.value("synthesize zones", str, ""),
        )
        outside = st.toggle(
            "Count as outside what only the table or only the tiles name",
            **form.value("synthesize unzoned", bool, False),
        )
    if not (text or "").strip():
        return ()
    return read_zones(text.encode(), data.tessellation, name="table of zones", outside=outside)


def _whole_promise(bound: ContributionBound) -> tuple[Fraction, Fraction, Variant]:
    """Epsilon and delta of the whole, and the promise with its noise."""
    columns = st.columns(3, vertical_alignment="bottom")
    with columns[0]:
        start = session().form.stop("synthesize opal epsilon", _EPSILONS, Fraction(8))
        epsilon = st.select_slider(
            "ε in total", _EPSILONS, format_func=decimal_text, help=EPSILON_HELP, **start
        )
    with columns[1]:
        start = session().form.stop("synthesize opal delta", _DELTAS, 6 * DELTA)
        delta = st.select_slider("δ in total", _DELTAS, format_func=delta_text, help=DELTA_HELP, **start)
    variant = Variant.USER
    if bound.unit is PrivacyUnit.TRIP:
        variant = columns[2].selectbox(
            "Promise and noise",
            _OF_TRIPS,
            format_func=VARIANTS.__getitem__,
            help=VARIANT_HELP,
            **session().form.option("synthesize variant", _OF_TRIPS, Variant.ADD_REMOVE),
        )
    return epsilon, delta, variant


def _draw(data: DataSet, choices: StabilityChoices) -> None:
    st.subheader("A throw-away draw")
    found = looked_at(
        "opal",
        choices,
        partial(stability_owner.stability_preview, data.trips, data.tessellation, choices),
        waiting="Counting what occurs",
    )
    st.button(
        "Draw again",
        icon=":material/casino:",
        on_click=draw_again,
        args=("opal", choices),
        key="opal again",
    )
    st.caption(f"{data.mark.rstrip('.')}. {found.trips:,} trips count.")
    rows = [
        (
            one.name,
            one.keys,
            one.occupied,
            (one.stability.threshold, one.stability.rows, one.stability.share),
            (one.listed.threshold, one.listed.rows, one.listed.share),
        )
        for one in found.combinations
    ]
    show_table(stability.kept_table(rows), "What is shown with delta and without", mark=data.mark)
    st.caption(f"{KEPT} {REPEATED}")
    st.info(BETTER, icon=":material/lightbulb:")
    with st.container():
        _rows(found, data.mark)
    with st.expander("Other bins: what would be left out", icon=":material/density_small:"):
        st.caption(DENSITY)
        st.table(stability.density_table(found.density.shares))


def _rows(found: stability_owner.StabilityPreview, mark: str) -> None:
    """The rows of one combination as they would be published."""
    pick, way = st.columns(2, vertical_alignment="bottom")
    names = [one.name for one in found.combinations]
    name = pick.selectbox(
        "Rows of",
        names,
        format_func=column_words,
        key="synthesize rows",
    )
    with_delta = (
        way.segmented_control(
            "Way",
            ["With δ", "Without δ"],
            default="With δ",
            required=True,
            key="synthesize way",
            persist_state="session",
        )
        == "With δ"
    )
    histogram = found.histogram if with_delta else found.listed
    table = histogram.columns(name)
    rows = len(table["count"])
    if not rows:
        st.info(EMPTY, icon=":material/filter_alt_off:")
        return
    show_table(
        {column: cells[:_SHOWN] for column, cells in table.items()},
        f"Noisy counts of {column_words(name)}",
        mark=mark,
        height=260,
    )
    if rows > _SHOWN:
        st.caption(f"The first {_SHOWN} of {rows:,} rows, in the order of their keys.")


def promise(choices: StabilityChoices) -> None:
    """Prices, thresholds and what they mean for one trip and for a person."""
    plan = choices.plan()
    left, right = st.columns(2, gap="large")
    with left:
        st.markdown("**Price and threshold of each combination**")
        st.table(stability.prices_table(plan))
    with right:
        st.markdown("**The promise of the whole**")
        if len(plan.partitions) > 1:
            st.caption(parts_words(plan))
        promised = totals(plan)
        st.table(stability.totals_table(promised))
        st.caption(stability.chance_words(promised[0].delta))
        whole = kind_of(choices).promised(choices)
        st.markdown(whole.in_full)
        if whole.by_trip:
            st.warning(ONE_TRIP, icon=":material/person_alert:")
            st.table(stability.persons_table(whole.presence))
        else:
            st.caption(
                f"Everything a person did is hidden; at most M = {choices.bound.trips} trips of each count."
            )


def _week() -> None:
    """The real week beside a draw of an invented one. No private trip is in it, so it is no look at the data."""
    if not st.toggle(WEEK_TOGGLE, **session().form.value("synthesize opal week", bool, False)):
        return
    with spinner("Drawing 28 parts of 13 million invented trips"):
        ours = session().kept.last("opal week", "published", stability_owner.invented_opal_week)
    st.markdown(WEEK)
    show_table(stability.weeks_table(PUBLISHED_WEEK, ours), "The real week and an invented one, by mode")


def published() -> None:
    """The published thresholds beside ours, and what the files show."""
    with st.expander("Beside the real Opal release: 34.18 and 17.59", icon=":material/directions_transit:"):
        st.markdown(THRESHOLDS)
        st.dataframe(
            stability.thresholds_table(DELTA, (Fraction(1), Fraction(2))),
            hide_index=True,
            alt="Thresholds of the published mechanism and of ours",
        )
        st.markdown(EXHIBIT)
        _week()
        st.markdown(PUBLISHED_COST)
        real = published_totals()
        st.table(
            {
                "": ["as it says", "as its noise is", "as accounts here count"],
                **stability.totals_table(real),
            }
        )
        st.markdown(ONE_TRIP)
        st.table(stability.persons_table(Loss(real[0].epsilon, real[0].delta)))
        st.caption(CRITICS)
