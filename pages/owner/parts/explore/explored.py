"""The estimates of the preview on Explore, as its maps take them, and the true counts beside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import streamlit as st
from numpy.typing import NDArray
from streamlit.delta_generator import DeltaGenerator

from dpcore.api import studies
from dpcore.estimates import Estimates
from dpcore.measures.keys import Districts
from dpcore.measures.measurement import Measurement
from dpcore.measures.plan import Plan
from dpcore.privacy import RUNGS, decimal_text
from dpcore.views.ground.plain import district_labels
from dpcore.views.ground.shown import estimated_numbers as estimated_of
from dpcore.views.ground.shown import released_numbers as drawn_of
from dpcore.views.maps.estimate_message import MapEstimates, pack_estimates
from dpcore.views.maps.flow_levels import estimated_lines, flow_estimates, flows_between_districts
from dpcore.views.maps.tile_map import MapDistricts, flows_map
from dpcore.views.numbers import estimated
from dpcore.views.numbers.area import FLOWS
from dpcore.views.numbers.flows import SENT_FLOWS, first_flows, flows_words, listed_flows
from dpcore.views.numbers.ranking import strongest_between
from pages.owner.parts.explore.chosen import districts_of, link_of_choice, numbers_at
from pages.owner.parts.state import words
from pages.owner.parts.state.data_sets import DataSet
from pages.owner.parts.state.session import session
from pages.parts.chart import row_height, show_table
from pages.parts.figures import both_lists
from pages.parts.held import between_districts
from pages.parts.map_data import map_data
from pages.parts.messages import progress

_FINEST = len(RUNGS) - 1
_STRONGEST = 50
_DRAWN_COLUMN = "drawn (95 % of the noise)"
_NAME = 130  # pixels of a column of names, which wrap
_KEPT = 6  # bounds, as many as previews

Counts = NDArray[np.int64]


def estimates_at(rung: int) -> Estimates:
    """The estimates of the chosen preview at a rung, with a bar where they take longer than a second."""
    with progress(words.ESTIMATING, after=1.0) as tell:
        return session().estimates(rung, tell)


def send_tiles(
    data: DataSet, visits: Measurement, estimates: Estimates, link: str, which: str = "tiles"
) -> None:
    """Give the map of visits with this link the estimates of a stop: one message. ``which``: one name for each such stop."""
    shown = estimated_of(estimates.tables["visits_per_tile"])
    tiles = shown.numbers.at(slice(len(data.tessellation.tile_ids)))
    note, breaks = estimated.note_of_map(visits, estimates, "drawn values"), session().colour_breaks()
    regions = estimated.regions_at(data.tessellation, visits, estimates.rung, session().merged)
    _send(link, which, MapEstimates(estimates, shown.about, note, breaks, tiles=tiles, regions=regions))


def send_flows(data: DataSet, estimates: Estimates, drawn: Measurement | None) -> None:
    """Give the map of flows on Explore the estimates of a stop at every level, and the drawn values where flows were drawn."""
    cells = _cells_to_draw()
    values = () if drawn is None else drawn_of(drawn, estimates.rung).exact(cells)
    told = flow_estimates(numbers_at(estimates), cells, values, _levels(data))
    _send(session().estimates_link(), "flows", told)


def _send(link: str, what: str, found: MapEstimates) -> None:
    epsilon = decimal_text(RUNGS[found.estimates.rung])
    message = pack_estimates(link, epsilon, found, released=False, merged=session().merged)
    map_data("estimates", link, message, which=what)


def flows_picture(data: DataSet) -> bytes:
    """The map of the strongest estimated flows, packed once for each preview."""
    mine = session()
    number = mine.drawn().number

    def packed() -> bytes:
        return flows_map(
            data.geometry,
            estimated_lines(numbers_at(mine.estimates(_FINEST))),
            mine.plan(),
            mark=data.mark,
            start_rung=mine.start,
            estimates=mine.estimates_link(),
            districts=_levels(data),
        )

    return mine.kept.last("flows picture", number, packed, most=_KEPT)


def _levels(data: DataSet) -> MapDistricts | None:
    """The districts with the flows between them that the map draws from afar; None where tiles are few."""
    mine, districts = session(), districts_of(data)
    if districts is None:
        return None
    finest = estimates_at(_FINEST)
    return mine.kept.last(
        "flows of districts",
        mine.drawn().number,
        lambda: data.geometry.grouped(districts, estimated_lines(numbers_at(finest), districts)),
        most=_KEPT,
    )


def _cells_to_draw() -> Counts:
    """The flows that are drawn as lines: the strongest estimates of the finest stop, one choice for all stops."""
    mine = session()

    def chosen() -> Counts:
        shown = estimated_of(estimates_at(_FINEST).tables[FLOWS])
        return shown.cells[strongest_between(shown, SENT_FLOWS)]

    return mine.kept.last("flows to draw", mine.drawn().number, chosen, most=_KEPT)


def districts_drawn(data: DataSet) -> Districts | None:
    """The districts between which the map of flows draws them now; None where it draws flows between tiles."""
    return districts_of(data) if between_districts(link_of_choice(data)) else None


def list_flows(
    place: DeltaGenerator,
    data: DataSet,
    plan: Plan,
    estimates: Estimates,
    measurements: Mapping[str, Measurement],
    *,
    part: int = 0,
    districts: Districts | None = None,
) -> None:
    """The first estimated flows, and those within a place apart, beside the truth and the drawn values, if any.

    ``part``: number of the part that is shown, where ``plan`` splits its tables; ``districts``: of the preview, to list the flows
    between these instead of tiles, where something tells them.
    """
    between = None if districts is None else flows_between_districts(numbers_at(estimates), districts)
    if districts is None or between is None:
        shown, called, choices = estimated_of(estimates.tables[FLOWS]), data.geometry.names, plan.choices
    else:
        shown, called = between, district_labels(data.tessellation, districts)
        choices = replace(plan.choices, districts=districts)
    drawn = measurements.get(shown.measure)

    def listed(top: Counts, title: str, high: int, *, apart: bool) -> None:
        cells, table = shown.cells[top], listed_flows(shown, called, top, apart=apart)
        names = ("where",) if apart else ("from", "to")
        truth = studies.exact_at(data.trips, shown.measure, cells + part * shown.keys.size, choices)
        # Behind the range: a phone shows no more of a row, and no number stands without its range.
        table.insert(len(names) + 2, "true", truth)
        if drawn is not None:
            table[_DRAWN_COLUMN] = [*drawn_of(drawn, estimates.rung).exact(cells)]
        show_table(
            table,
            f"{title} with their likely ranges and true counts",
            mark=data.mark,
            place=place,
            height=high,
            row_height=row_height([text for name in names for text in table[name]], _NAME),
            column_config={name: st.column_config.TextColumn(width=_NAME) for name in names},
        )

    both_lists(place, first_flows(shown, _STRONGEST), listed, "The first estimated flows", 430)
    place.caption(flows_words(estimates))
