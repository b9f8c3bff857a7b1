"""Large counts of keys on the Synthesize page: plan, thresholds, promise, and a throw-away draw both ways."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Final

import streamlit as st

from dpcore import owner
from dpcore.measures.keys import Period
from dpcore.privacy import PrivacyUnit
from dpcore.release.kinds.stability import VARIANTS, column_words
from dpcore.synthesis.stability.choices import COMBINATIONS, StabilityChoices
from dpcore.synthesis.stability.opal import DELTA
from dpcore.synthesis.stability.plan import Variant
from dpcore.views import stability
from pages.owner.parts import synthesize_opal_words as texts
from pages.owner.parts.session import DataSet, beginning, session
from pages.owner.parts.synthesize_choices import drawn, kept_slider, looked_at
from pages.owner.parts.synthesize_opal_promise import promise, published
from pages.owner.parts.synthesize_publish import publish_section
from pages.owner.parts.whom import whom_to_hide

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
_SHOWN: Final = 200  # rows of a table on the page


def opal_tab(data: DataSet, period: Period | None) -> None:
    """The tab from the choices to the draw."""
    st.markdown(texts.INTRO)
    with st.popover("What do these words mean?", icon=":material/help:"):
        st.markdown(texts.TERMS)
    choices = _choices(data, period)
    if choices is None:
        return
    promise(choices)
    published()
    _draw(data, choices)
    publish_section(data, choices, "Large counts of the built-in city")


def _choices(data: DataSet, period: Period | None) -> StabilityChoices | None:
    whom_to_hide(data, session().choice, "synthesize opal")
    bound = session().choice.bound
    columns = st.columns(3, vertical_alignment="bottom")
    with columns[0]:
        epsilon = kept_slider(
            "ε in total",
            _EPSILONS,
            key="synthesize opal epsilon",
            start=Fraction(8),
            explained=texts.EPSILON_HELP,
        )
    with columns[1]:
        delta = kept_slider(
            "δ in total",
            _DELTAS,
            key="synthesize opal delta",
            start=6 * DELTA,
            explained=texts.DELTA_HELP,
            shown=stability.delta_text,
        )
    variant = Variant.USER
    if bound.unit is PrivacyUnit.TRIP:
        variant = columns[2].selectbox(
            "Promise and noise",
            _OF_TRIPS,
            format_func=VARIANTS.__getitem__,
            help=texts.VARIANT_HELP,
            key=beginning("synthesize variant", Variant.ADD_REMOVE),
        )
    chosen, bins = st.columns([2, 1], vertical_alignment="bottom")
    combinations = chosen.multiselect(
        "Counted together",
        COMBINATIONS,
        format_func=lambda one: column_words("+".join(one)),
        wrap=True,
        key=beginning("synthesize combinations", list(COMBINATIONS)),
    )
    minutes = bins.segmented_control(
        "Minutes in a bin", _MINUTES, required=True, key=beginning("synthesize minutes", 15)
    )
    by_day = st.toggle(
        "Count each date apart" if period else "Count each date apart (needs public dates)",
        disabled=period is None,
        key=beginning("synthesize by day", period is not None),
    )
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
    )


def _draw(data: DataSet, choices: StabilityChoices) -> None:
    st.subheader("A throw-away draw")
    found = looked_at(
        data,
        "opal",
        choices,
        owner.StabilityPreview,
        make=partial(owner.stability_preview, data.trips, data.tessellation, choices),
        waiting="Counting what occurs",
    )
    st.button(
        "Draw again",
        icon=":material/casino:",
        on_click=drawn(data).forget,
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
    st.dataframe(stability.kept_table(rows), hide_index=True, alt="What is shown with delta and without")
    st.caption(f"{texts.KEPT} {texts.REPEATED}")
    st.info(texts.BETTER, icon=":material/lightbulb:")
    _rows(found, choices)
    with st.expander("Other bins: what would be left out", icon=":material/density_small:"):
        st.caption(texts.DENSITY)
        st.table(stability.density_table(found.density.shares))


def _rows(found: owner.StabilityPreview, choices: StabilityChoices) -> None:
    """The rows of one combination as they would be published."""
    pick, way = st.columns(2, vertical_alignment="bottom")
    names = [one.name for one in found.combinations]
    name = pick.selectbox(
        "Rows of",
        names,
        format_func=column_words,
        key=f"synthesize rows {len(choices.combinations)}",
    )
    with_delta = (
        way.segmented_control(
            "Way", ["With δ", "Without δ"], default="With δ", required=True, key="synthesize way"
        )
        == "With δ"
    )
    histogram = found.histogram if with_delta else found.listed
    table = histogram.columns(name)
    rows = len(table["count"])
    if not rows:
        st.info(texts.EMPTY, icon=":material/filter_alt_off:")
        return
    st.dataframe(
        {column: cells[:_SHOWN] for column, cells in table.items()},
        hide_index=True,
        height=260,
        alt=f"Noisy counts of {column_words(name)}",
    )
    if rows > _SHOWN:
        st.caption(f"The first {_SHOWN} of {rows:,} rows, in the order of their keys.")
