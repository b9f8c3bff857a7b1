"""The tables of estimates in a report file, each beside what was released."""

from __future__ import annotations

from html import escape
from typing import Final

import numpy as np

from dpcore.estimates.words import NOT_COMPUTED, likely
from dpcore.views.ground.plain import interval
from dpcore.views.ground.shown import ranged, spoken_of
from dpcore.views.numbers.estimated import about_estimates, doubtful
from dpcore.views.numbers.estimated_flows import released_of_cells, strongest, top_flows
from dpcore.views.numbers.tile_facts import tile_label
from dpcore.views.report.numbers import end_label, row, table
from dpcore.views.report.stop import Stop

_MOST_PAIRS: Final = 100  # rows of districts


def tile_table(stop: Stop, rows: int) -> str:
    """The busiest tiles by their estimates, each with its released count."""
    release, visits = stop.release, stop.release.measurements["visits_per_tile"]
    found = stop.estimates.tables["visits_per_tile"]
    shown = ranged(found)
    busiest = np.argsort(-shown.values[: len(release.tessellation.tile_ids)], kind="stable")[:rows]
    written = [
        row(
            tile_label(release, int(tile)),
            likely(*shown.cell(int(tile))),
            interval(int(visits.values[stop.rung][tile]), visits.half_widths[stop.rung]),
        )
        for tile in busiest
    ]
    head = ("tile", f"estimate, {spoken_of(found)}", "released count (95 % of the noise)")
    return table(head, written, "Tiles by estimated visits", 'data-rows="guessed"')


def flow_table(stop: Stop, rows: int) -> str:
    """The strongest estimated flows between tiles."""
    found = stop.estimates.tables["od_flows"]
    shown, top = ranged(found), top_flows(found, rows)
    ends = np.unravel_index(found.cell_numbers[top], found.keys.shape)
    written = [
        row(
            end_label(stop.release, int(start)),
            end_label(stop.release, int(end)),
            likely(*shown.cell(int(at))),
        )
        for at, start, end in zip(top, *ends, strict=True)
    ]
    head = ("from", "to", f"estimate, {spoken_of(found)}")
    return table(head, written, "Flows by estimated trips", 'data-rows="guessedflows"')


def districts_table(stop: Stop) -> str:
    """Flows between districts: estimate and released count, the largest first."""
    drawn = stop.release.measurements["od_districts"]
    found, keys = stop.estimates.tables[drawn.measure], drawn.keys.labels(drawn.cell_numbers)
    shown = ranged(found)
    released = released_of_cells(stop.release, drawn.measure, drawn.cell_numbers, stop.rung)
    rows = [
        row(f"{keys['origin'][at]} to {keys['destination'][at]}", likely(*shown.cell(at)), released[at])
        for at in strongest(found, drawn.keys.size)[:_MOST_PAIRS]
    ]
    head = ("districts", f"estimate, {spoken_of(found)}", "released count (95 % of the noise)")
    return table(head, rows, "Flows between districts")


def share_and_assumption(stop: Stop) -> str:
    """Which share of the trips counts and what the estimates suppose, for the head of the file."""
    if not stop.computed:
        return f'<p class="warned">{escape(NOT_COMPUTED)}</p>'
    warned = ' class="warned"' if doubtful(stop.estimates) else ""
    return f"<p{warned}>{escape(about_estimates(stop.release.plan, stop.estimates))}</p>"
