"""What is chosen on Explore's map: a tile or an area beside the truth, and its estimated flows on the map and as lists."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import streamlit as st

from dpcore.api import studies
from dpcore.estimates import Estimates
from dpcore.measures.keys import Districts
from dpcore.privacy import RUNGS, decimal_text
from dpcore.views.ground.plain import names_told, number, plain, sentence
from dpcore.views.ground.selection import (
    NOTHING,
    Selection,
    districts_shown,
    query_of,
    selection_label,
    selection_named,
    tiles_of,
)
from dpcore.views.maps.window_message import COUNTS, window_names
from dpcore.views.numbers import selected_flows
from dpcore.views.numbers.area import ARRIVALS, VISITS, Numbers
from dpcore.views.numbers.area_facts import area_facts
from dpcore.views.planning import beside_truth
from pages.owner.parts.state.data_sets import DataSet
from pages.owner.parts.state.session import CHOSEN, loaded, session
from pages.parts.held import Ear, chosen_ear
from pages.parts.map_data import map_data
from pages.parts.selected import list_places, list_selected

HOW_TO_CHOOSE = "Click a tile for its numbers. **More choices** lists all."


def districts_of(data: DataSet) -> Districts | None:
    """The districts that can be chosen: those of its choices or of its tile file, else halves of the map."""
    mine = session()
    return mine.kept.last("districts", 0, lambda: districts_shown(mine.plan(), data.tessellation))


def link_of_choice(data: DataSet) -> str:
    """The link by which the maps of the previews of some trips tell what is chosen on them."""
    return f"{data.geometry.link} preview"


def map_ear(data: DataSet) -> Ear:
    """Keeps with the project what is chosen on the maps, and tells them what the project chose."""
    mine, districts = session(), districts_of(data)
    room = len(data.tessellation.tile_ids), len(districts.names) if districts else 0
    order = mine.loads + mine.form.turn(CHOSEN) + mine.listed
    return chosen_ear(
        link_of_choice(data), room, lambda: chosen_now(data), lambda chosen: _keep(data, chosen), order
    )


def chosen_now(data: DataSet) -> Selection:
    """What is chosen. A project that was written elsewhere may name places that there are not."""
    try:
        query = studies.read_as(Mapping[str, str], session().form.values.get(CHOSEN, {}))
    except ValueError:
        return NOTHING
    found = selection_named(query, data.tessellation, districts_of(data))[0]
    return found if found.places else replace(found, districts=query.get("level") == "districts")


def _keep(data: DataSet, chosen: Selection) -> None:
    level = {"level": "districts"} if chosen.districts else {}
    session().form.values[CHOSEN] = level | query_of(chosen, data.tessellation, districts_of(data))


def _choose(chosen: Selection) -> None:
    """Keep what a list chose. Streamlit keeps this function after the data set was let go of, so it holds none."""
    session().listed += 1
    _keep(loaded(), chosen)


def choose_places(data: DataSet) -> None:
    """The keyboard's way to tiles and districts; the map follows. Below it stands how names were made."""
    districts = districts_of(data)
    list_places(chosen_now(data), data.tessellation, districts, _choose)
    if told := names_told(data.tessellation, districts):
        st.caption(plain(told))


def draw_chosen(data: DataSet, chosen: Selection, estimates: Estimates, window: int | None) -> None:
    """The numbers of what is chosen, or how to choose. ``window``: the one that the map shows; then a tile is told of it first."""
    if not chosen.places:
        st.caption(HOW_TO_CHOOSE)
        return
    districts, numbers = districts_of(data), numbers_at(estimates)
    own, said = (
        selection_label(chosen, data.tessellation, districts),
        _tile_sentence(chosen, numbers, districts),
    )
    if window is None:
        st.markdown(f"**{plain(own)}**: {plain(said)}")
        return
    lines = [f"**{plain(own)}**", f"**Whole period**: {plain(said)}"]
    if chosen.tile is not None:
        arrivals, truth = numbers.measurements[ARRIVALS], session().preview().truth[ARRIVALS]
        cell = window * len(arrivals.keys.axes[-1].labels) + chosen.tile
        table = estimates.tables[ARRIVALS]
        told = beside_truth.tile_words(arrivals, table, truth, numbers.rung, cell, counts=COUNTS)
        lines.insert(1, f"**{window_names(numbers.plan)[window]}**: {plain(told)}")
    st.markdown("  \n".join(lines))


def list_chosen_flows(data: DataSet, chosen: Selection, estimates: Estimates) -> bool:
    """Give the maps the flows of what is chosen, and list them. Whether there were some to list."""
    numbers, districts = numbers_at(estimates), districts_of(data)
    if selected_flows.flow_measure(chosen, numbers.measurements) not in estimates.tables:
        return False
    found = selected_flows.selected_flows(chosen, numbers, districts)
    flows = selected_flows.sent_flows(chosen, found, numbers)
    told = {**flows, "epsilon": decimal_text(RUNGS[estimates.rung])}
    map_data("selected", session().estimates_link(), told)
    if found is None:
        return False
    list_selected(chosen, found, numbers, data.tessellation, districts, wide=False, mark=data.mark)
    return True


def numbers_at(estimates: Estimates) -> Numbers:
    """What the preview shows at the stop of some estimates."""
    preview = session().preview()
    return Numbers(preview.plan, preview.measurements, estimates, released=False)


def _tile_sentence(chosen: Selection, numbers: Numbers, districts: Districts | None) -> str:
    """A tile's estimate, truth and drawn value; of an area the same as sums, each with a range of its own."""
    truth, drawn = session().preview().truth[VISITS], numbers.measurements[VISITS]
    if chosen.tile is not None:
        table = numbers.estimates.tables[VISITS]
        return beside_truth.tile_words(drawn, table, truth, numbers.rung, chosen.tile)
    facts = area_facts(chosen, numbers, districts, "drawn value")
    if facts is None:
        return ""
    true = int(np.asarray(truth)[tiles_of(chosen, districts)].sum())
    said = f"{sentence(facts.estimate)} True, all trips: {number(true)} {drawn.counts}."
    return " ".join(part for part in (said, facts.drawn, facts.rank, facts.counted) if part)
