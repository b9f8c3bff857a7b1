"""The Report where the release is split: one part as a report of its own, or all chosen parts beside each other and the truth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import Final

import streamlit as st

from dpcore.api import studies
from dpcore.errors import AtlasError
from dpcore.estimates import Estimates, estimate
from dpcore.estimates.words import NO_SHARE_OF_PARTS
from dpcore.measures import MEASURES, measure_named
from dpcore.measures.attribute import Categories
from dpcore.measures.measure import Measure
from dpcore.measures.plan import Plan
from dpcore.measures.split import drawable_keys, part_number
from dpcore.planning.default_plan import with_public_keys
from dpcore.privacy import RUNGS, ContributionBound, PrivacyUnit
from dpcore.tiles import Tessellation
from dpcore.views.ground.part_choice import MOST_BESIDE, PartChoice, numbers_of, one_part
from dpcore.views.ground.reading import breaks_of
from dpcore.views.ground.shown import shown as table_shown
from dpcore.views.maps.several_parts import MapsBeside, charts_beside, maps_beside
from pages.owner.parts.state import words
from pages.owner.parts.state.data_sets import DataSet, draw_shared
from pages.owner.parts.state.results import Kept, NumberedPreview
from pages.owner.parts.state.session import session
from pages.parts.chips import chips
from pages.parts.figures import small_charts, small_maps_of_parts
from pages.parts.messages import progress
from pages.parts.when_open import expander

SPLIT: Final = "The tables are split by {by}, as on the Release page. Choose one category of each to see every measure of that part."
FEWER: Final = "The first {most} parts are drawn."
TRUE_MAPS: Final = "The true maps beside them"
_KEPT: Final = 2  # bounds; a preview of all measures is large
_FIRST: Final = Kept()
"""What all visitors share: the first previews of the built-in city, whose truth is public. Apart from what Explore shares, so that
Explore does not wait while they are drawn."""
_VISITS: Final = "visits_per_tile"
_BESIDE: Final = MappingProxyType(
    {
        "trips_per_hour": "Starts by hour on weekdays",
        "trips_over_time": "Trips over time",
        _VISITS: "Visits per tile",
    }
)


@dataclass(frozen=True, repr=False, eq=False)
class PreviewReported:
    """What the report is of: a preview, or one part of a preview whose tables are split."""

    preview: studies.Preview
    whole: studies.Preview
    """The preview that was drawn; the same where nothing is split."""
    number: int | None
    """Of the part in it."""
    key: tuple[int, ...]
    """Names the draw and the part."""

    def estimates(
        self, tiles: Tessellation, rung: int, tell: Callable[[float], None] | None = None
    ) -> Estimates:
        """The estimates of a rung. Under a bound nothing tells which share of the trips of a category counts."""
        preview = self.preview
        found = estimate(preview.plan, preview.measurements, tiles, rung, progress=tell)
        by_user = preview.plan.bound.unit is PrivacyUnit.USER
        return found if self.number is None or not by_user else replace(found, why_not_all=NO_SHARE_OF_PARTS)


def report_drawn(
    data: DataSet, bound: ContributionBound, splits: tuple[Categories, ...] = ()
) -> NumberedPreview:
    """The preview of all measures under a bound, split as the release is; counted and drawn at its first use."""
    choices = replace(data.choices, splits=splits)
    weights = {
        name: MEASURES[name].weight_at(bound.unit)
        for name in countable_measures(data)
        if not splits or stands_beside(measure_named(name, choices), data.tessellation)
    }
    plan = Plan(bound, weights, RUNGS, choices)
    fewest = (
        2 if len(data.tessellation.tile_ids) > 1 else 0
    )  # every measure is shown, also where few districts pay
    plan = with_public_keys(plan, data.tessellation, data.facts, least_districts=fewest)
    if data.is_demo and bound in data.first_bounds and not splits:
        key = (data.trips.fingerprint, data.tessellation.digest, bound)
        return _FIRST.last("report", key, lambda: draw_shared(data, plan), most=_KEPT)
    return session().kept.last("report", (bound, splits), lambda: session().draw(plan), most=_KEPT)


def countable_measures(data: DataSet) -> list[str]:
    """All measures that the form of the data and its public choices can answer."""
    trips = data.trips
    return [
        name
        for name, measure in MEASURES.items()
        if not measure.lacks(trips.form) and (data.period or not measure.needs_period)
    ]


def report_estimates(
    data: DataSet, shown: PreviewReported, rung: int, tell: Callable[[float], None] | None = None
) -> Estimates:
    """The estimates of what the report is of at a rung, made at the first look at that stop."""
    kept = _FIRST if shown.key[0] < 0 else session().kept  # the numbers of shared draws are below 0
    return kept.last(
        "report estimates",
        (*shown.key, rung),
        lambda: shown.estimates(data.tessellation, rung, tell),
        most=_KEPT * len(RUNGS),
    )


def splits_now() -> tuple[Categories, ...]:
    """The attributes by which the release is to be split."""
    draft = session().draft()
    return tuple(one for one in draft.categories if one.name in draft.splits)


def stands_beside(measure: Measure, tiles: Tessellation) -> bool:
    """Whether a split report has a measure: it is split and can be drawn, or it is of people."""
    try:
        drawable_keys(measure, tiles.tile_ids)
    except AtlasError:
        return False
    return bool(measure.splits) or measure.counts == "people"


def choose_parts(splits: tuple[Categories, ...]) -> PartChoice:
    """The chips, and what is chosen on them."""
    if not splits:
        return ()
    st.caption(SPLIT.format(by=" and ".join(one.title for one in splits)))
    form = session().form
    return tuple(
        (one.name, label)
        for one in splits
        for label in chips(one, "", **form.several(f"report part {one.name}", one.labels))
    )


def shown_of(
    drawn: NumberedPreview, splits: tuple[Categories, ...], chosen: PartChoice
) -> PreviewReported | None:
    """What the report is of; None where several parts are chosen."""
    if not splits:
        return PreviewReported(drawn.preview, drawn.preview, None, (drawn.number,))
    part = one_part(chosen, splits)
    if part is None:
        return None
    at = part_number(splits, part)
    return PreviewReported(drawn.preview.part(at), drawn.preview, at, (drawn.number, at))


def draw_beside(
    data: DataSet, drawn: NumberedPreview, splits: tuple[Categories, ...], chosen: PartChoice, rung: int
) -> None:
    """Hours, dates and maps of each chosen part in one scale, estimated and true."""
    preview, tiles = drawn.preview, data.tessellation
    named = numbers_of(chosen, splits)
    shown = dict([*named.items()][:MOST_BESIDE])
    if len(named) > MOST_BESIDE:
        st.caption(FEWER.format(most=MOST_BESIDE))
    there = [name for name in _BESIDE if name in preview.measurements]
    of = {name: preview.measurements[name] for name in there}

    def made() -> Estimates:
        with progress(words.ESTIMATING, after=1.0) as tell:
            return estimate(preview.plan, preview.measurements, tiles, rung, of=there, progress=tell)

    found = session().kept.last("parts beside", (drawn.number, rung), made)
    for name in there:
        st.markdown(f"#### {_BESIDE[name]} of each part, with one scale")
        truth, guess = preview.truth[name], table_shown(of, name, rung, found)
        if name != _VISITS:
            keys = preview.plan.unsplit.measure(name).keys(tiles.tile_ids)
            charts = charts_beside(guess, keys, shown, truth=truth, mark=data.mark)
            small_charts(charts, f"report part {name}")
            continue
        beside = partial(maps_beside, tiles, guess, shown, breaks_of(of[name]), mark=data.mark)
        small_maps_of_parts(beside())
        expander(TRUE_MAPS, partial(_maps, partial(beside, truth=truth)), key="true maps of parts")


def _maps(make: Callable[[], MapsBeside]) -> None:
    small_maps_of_parts(make())
