"""What is chosen on the Synthesize page, and what was drawn there for looking. Private objects stay in this session."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction
from typing import TypeVar

import streamlit as st

from dpcore.errors import InputError
from dpcore.keys import Period
from dpcore.privacy import ContributionBound, PrivacyUnit, decimal_text
from dpcore.synthesis.domain_of_tiles import PEOPLE, ZIP
from dpcore.synthesis.roy_choices import RoyChoices, one_month
from dpcore.synthesis.workload import SynthesisPlan
from dpcore.synthesis.zips import zips_of
from pages.owner.parts import synthesize_words as texts
from pages.owner.parts import words
from pages.owner.parts.key_form import DATE_FORM
from pages.owner.parts.looks import Look
from pages.owner.parts.session import DataSet, session

Made = TypeVar("Made")

_KEPT = 4  # draws of one kind


@dataclass(repr=False)
class Drawn:
    """Everything that was drawn of one data set, by what was asked; goes with the data set."""

    data: DataSet
    kept: dict[str, dict[object, object]] = field(default_factory=dict)

    def have(self, kind: str, key: object, kinds: type[Made]) -> Made | None:
        """What was drawn for a key, if anything was."""
        found = self.kept.get(kind, {}).get(key)
        return found if isinstance(found, kinds) else None

    def keep(self, kind: str, key: object, made: Made) -> Made:
        """Remember a draw; the oldest of its kind goes."""
        draws = self.kept.setdefault(kind, {})
        draws[key] = made
        while len(draws) > _KEPT:
            draws.pop(next(iter(draws)))
        return made

    def forget(self, kind: str, key: object) -> None:
        """Let go of a draw, so that the next one is fresh."""
        self.kept.get(kind, {}).pop(key, None)


def drawn(data: DataSet) -> Drawn:
    """What this visitor drew of the loaded data set."""
    found = st.session_state.get("synthesize drawn")
    if not isinstance(found, Drawn) or found.data is not data:
        if isinstance(found, Drawn):  # what the widgets showed belongs to the data set before
            for key in [key for key in st.session_state if str(key).startswith("synthesize ")]:
                del st.session_state[key]
        found = st.session_state["synthesize drawn"] = Drawn(data)
    return found


def looked_at(
    data: DataSet,
    kind: str,
    key: object,
    kinds: type[Made],
    *,
    make: Callable[..., Made],
    waiting: str,
    at: Callable[[float], str] | None = None,
) -> Made:
    """A draw for looking: made once for each key, with a progress bar, and remembered as a look at the trips.

    ``make`` is called with ``progress``; ``at`` words a share that is done.
    """
    found = drawn(data).have(kind, key, kinds)
    if found is not None:
        return found
    session().looked(Look.COMPARED)
    bar = st.progress(0.0, waiting)
    try:
        made = make(
            progress=lambda share: bar.progress(
                min(max(share, 0.0), 1.0), waiting if at is None else f"{waiting}: {at(share)}"
            )
        )
    finally:
        bar.empty()
    return drawn(data).keep(kind, key, made)


def bound_controls(data: DataSet, key: str) -> ContributionBound:
    """Whom to hide and how many of their trips count, as on Explore."""
    choice = session().choice
    whom, bound = st.columns([3, 3], vertical_alignment="bottom")
    choice.unit = whom.segmented_control(
        "Hide",
        list(PrivacyUnit) if data.trips.has_users else [PrivacyUnit.TRIP],
        format_func=words.UNITS.get,
        help=words.UNIT_HELP,
        required=True,
        default=choice.unit,
        key=f"{key} hide",
    )
    if choice.unit is PrivacyUnit.USER:
        choice.max_trips = bound.number_input(
            "Trips counted per person, at most (1 to 500)",
            1,
            500,
            help=words.BOUND_HELP,
            value=choice.max_trips,
            key=f"{key} max trips",
        )
    elif not data.trips.has_users:
        bound.caption(words.NO_USERS)
    return choice.bound


def kept_slider(
    label: str,
    options: Sequence[Fraction],
    *,
    key: str,
    start: Fraction,
    explained: str,
    shown: Callable[[Fraction], str] = decimal_text,
) -> Fraction:
    """A slider over exact numbers that stands where it was left, also after other pages were open."""
    kept = st.session_state.setdefault(f"{key} kept", start)
    chosen = st.select_slider(label, options, format_func=shown, help=explained, value=kept, key=key)
    st.session_state[f"{key} kept"] = chosen
    return chosen


def period_of(data: DataSet) -> Period | None:
    """The public dates of the data set, or those that were chosen on this page; None while there are none."""
    return data.period or drawn(data).have("period", "chosen", Period)


def choose_period(data: DataSet) -> None:
    """Ask for the public dates, where the data set was loaded without; AtlasError for dates that are no period."""
    if data.period is not None:
        return
    kept = drawn(data).have("period", "chosen", Period)
    st.info(texts.NO_PERIOD, icon=":material/calendar_month:")
    first, last = st.columns(2)
    begins = first.date_input(
        "First day",
        value=kept.first if kept else None,
        key="synthesize first day",
        format=DATE_FORM,
    )
    ends = last.date_input(
        "Last day",
        value=kept.last if kept else None,
        key="synthesize last day",
        format=DATE_FORM,
    )
    if isinstance(begins, date) and isinstance(ends, date):
        drawn(data).keep("period", "chosen", Period(begins, ends))


def known_beforehand(
    data: DataSet, bound: ContributionBound, epsilon: Fraction, period: Period
) -> RoyChoices:
    """The whole choice with what everybody may know: holidays, months, attributes. AtlasError for lists that are none."""
    with st.expander("What everybody may know: dates, holidays, attributes", icon=":material/public:"):
        st.caption(texts.DOMAIN_HELP)
        st.markdown(f"**{len(data.tessellation.tile_ids):,} tiles**, {period.first} to {period.last}")
        typed = st.text_input("Holidays", help=texts.HOLIDAYS_HELP, key="synthesize holidays") or ""
        alone = one_month(period)
        by_month = st.toggle(
            "Tell months apart (all dates lie in one)" if alone else "Tell months apart",
            disabled=alone,
            help=texts.MONTHS_HELP,
            key="synthesize months",
        )
        extras = _attributes(data)
        zips = _zips() if ZIP in extras else ()
    if ZIP in extras and not zips:
        extras = [name for name in extras if name != ZIP]
        st.info(texts.ZIPS_MISSING, icon=":material/pin_drop:")
    return RoyChoices(bound, epsilon, period, _dates(typed), tuple(extras), zips, by_month and not alone)


def plan_of(data: DataSet, choices: RoyChoices) -> SynthesisPlan:
    """The plan on the loaded tiles, worked out once."""
    found = drawn(data).have("plan", choices, SynthesisPlan)
    return found or drawn(data).keep("plan", choices, choices.plan(data.tessellation))


def _attributes(data: DataSet) -> list[str]:
    named = [name for name in (ZIP, *PEOPLE) if name in data.trips.extras]
    if not named:
        st.caption("This form has no attributes beyond times and places.")
        return []
    start = [name for name in named if name != ZIP]
    return st.multiselect(
        "Attributes",
        named,
        format_func=lambda name: name.replace("_", " "),
        default=start,
        key="synthesize attributes",
    )


def _zips() -> tuple[str, ...]:
    typed = (
        st.text_area("Zips", help=texts.ZIPS_HELP, placeholder="02116, 02139", key="synthesize zips") or ""
    )
    return zips_of(typed.replace("\n", ",").split(","), "zips", "entry")


def _dates(typed: str) -> frozenset[date]:
    try:
        return frozenset(date.fromisoformat(one.strip()) for one in typed.split(",") if one.strip())
    except ValueError:
        raise InputError(
            "a holiday is no date", "holidays", "Write dates such as 2024-05-01, separated by commas."
        ) from None
