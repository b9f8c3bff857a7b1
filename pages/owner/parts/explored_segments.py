"""Explore: hours of the start for each category of a declared attribute, beside the truth and with one scale."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import streamlit as st

from dpcore.api import owner
from dpcore.measures.attribute import Categories
from dpcore.measures.split import parts_of
from dpcore.views.part_choice import MOST_BESIDE
from dpcore.views.several_parts import charts_beside
from pages.owner.parts.session import DataSet, session
from pages.parts.figures import small_charts

HOURS: Final = "trips_per_hour"
HELP: Final = (
    "Starts on weekdays for each category of an attribute. The table is drawn with the share of ε that trips by hour have here, so "
    "the noise of a count is the same and the counts are smaller. A split is released on the Release page."
)
MORE: Final = "The first {most} categories are drawn."


def segments(data: DataSet, rung: int) -> None:
    """The choice of an attribute, and its small charts; nothing where none is declared or hours are not shown."""
    plan = session().plan()
    known = {one.name: one for one in data.trips.attributes if isinstance(one, Categories)}
    if not known or HOURS not in plan.weights:
        return
    chosen = st.selectbox(
        "Segments: hours by",
        list(known),
        placeholder="an attribute of the trips",
        help=HELP,
        **session().form.option("explore segments", list(known)),
    )
    if chosen is None:
        return
    split = replace(plan, choices=replace(plan.choices, splits=(known[chosen],)))

    def counted() -> owner.Preview:
        with st.spinner("Counting and drawing noise"):
            return owner.preview(data.trips, split, [HOURS])

    key = (session().number_of_draw(plan.bound), chosen)
    found = session().kept.last("segments", key, counted)
    names = [", ".join(part.values()) for part in parts_of(split.choices.splits)]
    if len(names) > MOST_BESIDE:
        st.caption(MORE.format(most=MOST_BESIDE))
    keys = plan.measure(HOURS).keys(data.tessellation.tile_ids)
    shown = dict(enumerate(names[:MOST_BESIDE]))
    truth = found.truth[HOURS]
    charts = charts_beside(found.measurements[HOURS], keys, shown, rung, truth=truth, mark=data.mark)
    small_charts(charts, "explore segment")
