"""What is chosen on the Synthesize page, and what was drawn there for looking. Private objects stay in this session."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from contextlib import suppress
from datetime import date
from fractions import Fraction
from typing import TypeVar

import streamlit as st

from dpcore.errors import InputError, PrivacyError
from dpcore.kinds.roy.choices import RoyChoices, one_month, zips_of
from dpcore.kinds.roy.workload import SynthesisPlan
from dpcore.measures.keys import Period
from dpcore.measures.riders import PEOPLE, ZIP
from dpcore.privacy import ContributionBound
from pages.owner.parts.state import words
from pages.owner.parts.state.data_sets import DataSet
from pages.owner.parts.state.draft import Look
from pages.owner.parts.state.session import session
from pages.owner.parts.synthesize import words as texts
from pages.owner.parts.synthesize.groups import declared_among, own_groups
from pages.parts.messages import progress

Made = TypeVar("Made")

_KEPT = 4  # draws of one kind
_DAY = "synthesize {} day"


def looked_at(
    kind: str,
    key: Hashable,
    make: Callable[..., Made],
    *,
    waiting: str,
    at: Callable[[float], str] | None = None,
) -> Made:
    """A draw for looking: made once for each key, with a progress bar, and remembered as a look at the trips.

    ``make`` is called with ``progress``; ``at`` words a share that is done.
    """
    mine = session()

    def made() -> Made:
        mine.looked(Look.COMPARED)
        with progress(waiting, at) as tell:
            return make(progress=tell)

    return mine.kept.last(kind, key, made, most=_KEPT)


def draw_again(kind: str, key: Hashable) -> None:
    """Let go of a draw, as a callback: the run that follows draws afresh."""
    session().kept.forget(kind, key)


def period_of(data: DataSet) -> Period | None:
    """The public dates of the data set, or those that were chosen on this page; None while there are none."""
    with suppress(PrivacyError):
        return data.period or _chosen_period()
    return None


def choose_period(data: DataSet) -> None:
    """Ask for the public dates, where the data set was loaded without; AtlasError for dates that are no period."""
    if data.period is not None:
        return
    st.info(texts.NO_PERIOD, icon=":material/calendar_month:")
    for column, which in zip(st.columns(2), ("First", "Last"), strict=True):
        day = session().form.value(_DAY.format(which.lower()), date | None)
        column.date_input(f"{which} day", format=words.DATE_FORM, **day)
    _chosen_period()


def _chosen_period() -> Period | None:
    days = [session().form.read(_DAY.format(which), date | None) for which in ("first", "last")]
    return Period(*days) if all(days) else None


def known_beforehand(
    data: DataSet, bound: ContributionBound, epsilon: Fraction, period: Period
) -> RoyChoices:
    """The whole choice with what everybody may know: holidays, months, attributes. AtlasError for lists that are none."""
    form = session().form
    with st.expander("What everybody may know: dates, holidays, attributes", icon=":material/public:"):
        st.caption(texts.DOMAIN_HELP)
        st.markdown(f"**{len(data.tessellation.tile_ids):,} tiles**, {period.first} to {period.last}")
        typed = (
            st.text_input("Holidays", help=texts.HOLIDAYS_HELP, **form.value("synthesize holidays", str, ""))
            or ""
        )
        alone = one_month(period)
        by_month = st.toggle(
            "Tell months apart (all dates lie in one)" if alone else "Tell months apart",
            disabled=alone,
            help=texts.MONTHS_HELP,
            **form.value("synthesize months", bool, False),
        )
        extras = _attributes(data)
        zips = _zips() if ZIP in extras else ()
        own = own_groups(extras)
    if ZIP in extras and not zips:
        extras = [name for name in extras if name != ZIP]
        st.info(texts.ZIPS_MISSING, icon=":material/pin_drop:")
    return RoyChoices(
        bound,
        epsilon,
        period,
        _dates(typed),
        tuple(name for name in extras if name in data.trips.extras),
        zips,
        by_month and not alone,
        declared_among(data, extras),
        own.together,
        own.measured,
        own.bands,
    )


def plan_of(data: DataSet, choices: RoyChoices) -> SynthesisPlan:
    """The plan on the loaded tiles, worked out once."""
    return session().kept.last("plan", choices, lambda: choices.plan(data.tessellation), most=_KEPT)


def _attributes(data: DataSet) -> list[str]:
    named = [name for name in (ZIP, *PEOPLE) if name in data.trips.extras]
    named += [one.name for one in data.trips.attributes if one.name not in named]
    if not named:
        st.caption(texts.NO_ATTRIBUTES)
        return []
    start = [name for name in PEOPLE if name in named]
    return st.multiselect(
        "Attributes",
        named,
        format_func=lambda name: name.replace("_", " "),
        **session().form.several("synthesize attributes", named, start),
    )


def _zips() -> tuple[str, ...]:
    zips = session().form.value("synthesize zips", str, "")
    typed = st.text_area("Zips", help=texts.ZIPS_HELP, placeholder="02116, 02139", **zips) or ""
    return zips_of(typed.replace("\n", ",").split(","), "zips", "entry")


def _dates(typed: str) -> frozenset[date]:
    try:
        return frozenset(date.fromisoformat(one.strip()) for one in typed.split(",") if one.strip())
    except ValueError:
        raise InputError(
            "a holiday is no date", "holidays", "Write dates such as 2024-05-01, separated by commas."
        ) from None
