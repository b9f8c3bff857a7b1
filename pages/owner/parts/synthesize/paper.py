"""The published mechanism on the Synthesize page: what it really costs, what it gives, and which noise can have made it."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import streamlit as st

from dpcore.kinds.roy import hubway
from dpcore.kinds.roy import owner as roy_owner
from dpcore.kinds.roy import views as synthesis
from dpcore.kinds.roy.article import PAPER, Outliers
from dpcore.kinds.roy.choices import RoyChoices
from dpcore.kinds.roy.domain import TripDomain
from dpcore.measures.keys import Period
from dpcore.privacy import ContributionBound, decimal_text
from pages.owner.parts.explore.looking import may_look
from pages.owner.parts.state.data_sets import DataSet
from pages.owner.parts.state.session import session
from pages.owner.parts.synthesize import words as texts
from pages.owner.parts.synthesize.choices import known_beforehand, looked_at, plan_of
from pages.owner.parts.synthesize.model import numbers, pictures

_EPSILONS = tuple(Fraction(tenths, 10) for tenths in range(1, 11))
_FIVE = 5  # groups of the paper
_SIZES = (100_000, 300_000, hubway.TRIPS)
_MINE, _INVENTED = "The loaded trips", "Invented trips like the paper's"
_NOISES = tuple(roy_owner.PaperNoise)
_OUTLIERS = tuple(Outliers)


def paper_model(data: DataSet, period: Period) -> None:
    """Its price, its pictures, and the four ways to noise its tables."""
    st.warning(texts.PAPER_WARNING, icon=":material/science:")
    left, right, rule = st.columns(3, vertical_alignment="bottom")
    with left:
        epsilon = st.select_slider(
            "ε of each group",
            _EPSILONS,
            format_func=decimal_text,
            help="The paper's figure uses 0.9.",
            **session().form.stop("synthesize paper epsilon", _EPSILONS, Fraction("0.9")),
        )
    with right:
        noise = st.selectbox(
            "Noise on",
            _NOISES,
            format_func=lambda one: one.value,
            **session().form.option("synthesize noise", _NOISES, roy_owner.PaperNoise.FULL),
            help=f"Laplace noise. {texts.OCCUPIED}",
        )
    with rule:
        outliers = st.selectbox(
            "Outliers lie",
            _OUTLIERS,
            format_func=lambda one: one.words,
            **session().form.option("synthesize outliers", _OUTLIERS, Outliers.ATTRIBUTE),
            help=texts.OUTLIERS,
        )
    st.caption(PAPER)
    with st.container():
        choices = known_beforehand(data, ContributionBound.per_trip(), epsilon, period)
    domain = plan_of(data, choices).domain
    if not may_look(data):
        return
    found = looked_at(
        "paper",
        (choices, noise, outliers),
        partial(
            roy_owner.paper_study, data.trips, data.tessellation, domain, epsilon, noise, outliers=outliers
        ),
        waiting="Drawing as the paper does",
    )
    with st.container():
        _cost(found, epsilon, noise, outliers)
    pictures(data, found.beside)
    with st.container():
        _variants(data, domain, choices, outliers)
    numbers(data, found.beside)


def _cost(
    found: roy_owner.PaperPreview, epsilon: Fraction, noise: roy_owner.PaperNoise, outliers: Outliers
) -> None:
    """What it names and what it costs."""
    st.subheader("What it really costs")
    study = found.study
    cost = study.cost
    named, replace, add, phantoms = st.columns(4)
    named.metric("ε it names", decimal_text(epsilon), border=True)
    replace.metric(
        "Replace one", _epsilon(cost.replace_one), border=True, help="Two data sets of equal size."
    )
    add.metric("Add or remove", _epsilon(cost.add_remove), border=True, help="One of them has one trip more.")
    phantoms.metric(
        "Phantoms",
        f"{study.phantoms:,}",
        border=True,
        help="Trips that noise made in empty counts of stations, dates and hours; what is below 0 was cut off.",
    )
    if noise.occupied_only:
        st.error(texts.OCCUPIED, icon=":material/block:")
    st.markdown(
        texts.PAPER_COST.format(
            epsilon=decimal_text(epsilon),
            groups=cost.groups,
            replace=decimal_text(cost.groups * epsilon),
            add=decimal_text(cost.groups * epsilon / 2),
        )
    )
    st.markdown(texts.CLEANING_PAPER.format(rule=outliers.words))
    st.caption(texts.CLEANED.format(left=f"{study.cleaned:,}", of=f"{found.beside.original.trips:,}"))
    if cost.groups != _FIVE:
        st.caption(texts.PAPER_FIVE.format(groups=cost.groups))


def _epsilon(value: Fraction | None) -> str:
    return "none holds" if value is None else f"ε {decimal_text(value)}"


def _variants(data: DataSet, domain: TripDomain, choices: RoyChoices, outliers: Outliers) -> None:
    """Why the printed days cannot come from noise on the whole table, on demand."""
    st.subheader("Why Figure 1 (c) cannot come from noise on the whole table")
    st.markdown(texts.FIGURE_1C)
    pick, size = st.columns(2, vertical_alignment="bottom")
    of = pick.segmented_control(
        "On",
        [_INVENTED, _MINE],
        default=_INVENTED,
        required=True,
        key="synthesize variants of",
        persist_state="session",
    )
    trips = 0
    if of == _INVENTED:
        trips = size.select_slider(
            "Invented trips",
            _SIZES,
            hubway.TRIPS,
            format_func=lambda one: f"{one:,}",
            key="synthesize size",
            persist_state="session",
        )
        st.caption(texts.SURROGATE)
    epsilon = choices.epsilon
    key = (epsilon, trips, outliers) if trips else (choices, outliers)
    if not session().kept.holds("variants", key) and not st.button(
        "Work out all four", icon=":material/science:"
    ):
        return
    make = (
        partial(roy_owner.paper_variants_of_invented, epsilon, trips, outliers=outliers)
        if trips
        else partial(
            roy_owner.paper_variants, data.trips, data.tessellation, domain, epsilon, outliers=outliers
        )
    )
    found = looked_at("variants", key, make, waiting="Noising four times")
    st.markdown(synthesis.cells_words(found.cells, found.occupied, found.trips))
    rows = [
        (one.noise.value, one.top_days, one.phantoms, one.cost.replace_one, one.cost.add_remove)
        for one in found.rows
    ]
    st.table(synthesis.variants_table(found.top_days, found.trips, rows))
    st.caption(f"Printed in the paper for the synthetic trips at ε 0.9: {synthesis.PRINTED}. {texts.SIGMAS}")
