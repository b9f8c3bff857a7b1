"""Flows between tiles: which to draw, and the strongest as a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpcore.measurement import Measurement
from dpcore.views.plain import number
from dpcore.views.reading import of_the_map, trusted_flows

DRAWN_FLOWS: Final = 150
"""Lines on the map; more are a hairball at any speed."""
BY_NOISE: Final = "Expected: at most one of them is false, that is an empty pair which noise made so large."
"""What stands beside a number of flows to trust, wherever it is told (``accuracy.stands_out_from``)."""


def drawn_flows(flows: Measurement) -> NDArray[np.int64]:
    """Positions (among the listed cells) of the flows to draw: one fixed choice for all rungs.

    The strongest of the highest rung between two different tiles, so that lines fade in and out as
    epsilon moves but never jump to others.
    """
    tiles = flows.keys.shape[0] - 1  # the last position is outside
    origin, destination = np.unravel_index(flows.cell_numbers, flows.keys.shape)
    finest = flows.values[-1]
    between = (origin < tiles) & (destination < tiles) & (origin != destination)
    candidates = np.flatnonzero(between & (finest > 0))
    strongest = np.argsort(-finest[candidates], kind="stable")[:DRAWN_FLOWS]
    return np.sort(candidates[strongest])


def strongest_flows(
    flows: Measurement,
    rung: int,
    names: Mapping[str, str],
    truth: NDArray[np.int64] | None = None,
    rows: int = 50,
) -> pd.DataFrame:
    """The largest noisy flows at a rung with their intervals, largest first; from outside to outside is none.

    The order is by noisy count, so its top is biased upwards: what noise lifted stands higher. Columns:
    from, to, trips, 95 % (interval), true if given (owner pages only), stands out.
    """
    values, wide = flows.values[rung], flows.half_widths[rung]
    order = np.argsort(-values, kind="stable")
    top = order[of_the_map(flows)[order]][:rows]
    labels = flows.keys.labels(flows.cell_numbers[top])
    table = pd.DataFrame(
        {
            "from": [names.get(tile, tile) for tile in labels["origin"]],
            "to": [names.get(tile, tile) for tile in labels["destination"]],
            "trips": values[top],
            "95 %": [f"{number(value - wide)} to {number(value + wide)}" for value in values[top]],
        }
    )
    if truth is not None:
        table.insert(3, "true", truth[top])
    table["stands out"] = trusted_flows(flows, rung)[top]
    return table


def flows_of(
    flows: Measurement, rung: int, tile_id: str, other_end: str, rows: int = 5
) -> list[tuple[str, int]]:
    """The strongest flows of one tile that stand out at a rung: the tile at the other end and the noisy count.

    ``other_end`` is ``destination`` for flows out of the tile, ``origin`` for flows into it.
    """
    origin, destination = np.unravel_index(flows.cell_numbers, flows.keys.shape)
    labels = flows.keys.axes[0].labels
    here, there = (origin, destination) if other_end == "destination" else (destination, origin)
    mine = np.flatnonzero((here == labels.index(tile_id)) & trusted_flows(flows, rung))
    top = mine[np.argsort(-flows.values[rung][mine], kind="stable")[:rows]]
    return [(labels[there[i]], int(flows.values[rung][i])) for i in top]
