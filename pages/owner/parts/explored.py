"""The estimates of the preview on Explore, as its maps take them, and the true counts beside them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dpcore.api import owner
from dpcore.estimates import Estimated, Estimates
from dpcore.privacy import RUNGS, decimal_text
from dpcore.views import beside_truth, estimated, estimated_flows
from dpcore.views.estimate_message import MapEstimates, pack_estimates
from dpcore.views.flows import DRAWN_FLOWS
from dpcore.views.tile_map import EstimatedFlows, estimated_flows_map
from pages.owner.parts import words
from pages.owner.parts.session import START_RUNG, DataSet, session
from pages.parts.ladder_map import map_estimates
from pages.parts.messages import progress

FLOWS = "od_flows"
_KEPT = 6  # bounds, as many as previews

Counts = NDArray[np.int64]


def estimates_at(rung: int) -> Estimates:
    """The estimates of the chosen preview at a rung, with a bar where they take longer than a second."""
    with progress(words.ESTIMATING, after=1.0) as tell:
        return session().estimates(rung, tell)


def send_tiles(data: DataSet, rung: int, estimates: Estimates) -> None:
    """Give the map of visits the estimates of a stop: one message."""
    table = estimates.tables["visits_per_tile"]
    shown = estimated.first_cells(estimated.ranged(table), len(data.tessellation.tile_ids))
    visits = session().preview().measurements["visits_per_tile"]
    note = beside_truth.note_of_map(visits, shown, rung)
    breaks = session().colour_breaks()
    _send("tiles", rung, MapEstimates(estimates, estimated.spoken_of(table), note, breaks, tiles=shown))


def send_flows(rung: int, estimates: Estimates) -> None:
    """Give the map of flows the estimates of a stop."""
    table = estimates.tables[FLOWS]
    flows = estimated_flows.ranged_at(table, _cells_to_draw())
    _send("flows", rung, MapEstimates(estimates, estimated.spoken_of(table), "", flows=flows))


def _send(what: str, rung: int, found: MapEstimates) -> None:
    link = session().estimates_link()
    message = pack_estimates(link, decimal_text(RUNGS[rung]), found, released=False, merged=0)
    map_estimates(message, key=f"explore estimates of {what}")


def flows_picture(data: DataSet) -> bytes:
    """The map of the strongest estimated flows, packed once for each preview."""
    mine = session()
    number = mine.drawn().number

    def packed() -> bytes:
        table = mine.estimates(-1 % len(RUNGS)).tables[FLOWS]
        cells = _cells_to_draw()
        origins, destinations = np.unravel_index(cells, table.keys.shape)
        largest = estimated_flows.ranged_at(table, cells).values.max(initial=1)
        drawn = EstimatedFlows(origins, destinations, int(np.ceil(largest)))
        return estimated_flows_map(
            data.geometry,
            drawn,
            mine.plan(),
            mark=data.mark,
            start_rung=START_RUNG,
            estimates=mine.estimates_link(),
        )

    return mine.kept.last("flows picture", number, packed, most=_KEPT)


def _cells_to_draw() -> Counts:
    """The flows that are drawn as lines: the strongest estimates of the finest stop, one choice for all stops."""
    mine = session()

    def chosen() -> Counts:
        table = estimates_at(-1 % len(RUNGS)).tables[FLOWS]
        top = estimated_flows.strongest(table, DRAWN_FLOWS, estimated_flows.between_tiles(table))
        return np.asarray(np.sort(table.cell_numbers[top]))

    return mine.kept.last("flows to draw", mine.drawn().number, chosen, most=_KEPT)


def true_flows(data: DataSet, table: Estimated, top: Counts) -> Counts:
    """The true counts, over all trips, of some rows of a table of flows."""
    return owner.exact_at(data.trips, table.measure, table.cell_numbers[top], session().plan().choices)
