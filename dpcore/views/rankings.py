"""The rankings of a release: its first ten tiles and flows with names, and a picture of their intervals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from dpcore.measurement import Measurement
from dpcore.release.release import Release
from dpcore.views.charts import NOISY, Chart
from dpcore.views.ranking import Place, ranked
from dpcore.views.scale import axis_range

_LONGEST = 26  # characters of a name in a picture; the table has all of it


@dataclass(frozen=True)
class Ranking:
    """The first of a measurement, largest first. Names are untrusted text."""

    names: tuple[str, ...]
    places: tuple[Place, ...]
    half_width: int
    counts: str
    limits: tuple[int, int]
    """Range of the axis: it holds every interval, and is as wide as that of the highest rung at least."""


def tile_ranking(release: Release, rung: int) -> Ranking:
    """Tiles by visits; what lies outside all tiles takes no part."""
    visits = release.measurements["visits_per_tile"]
    tiles = np.arange(visits.keys.size - 1, dtype=np.int64)
    places = ranked(visits, rung, tiles)
    names = tuple(release.tessellation.tile_names[place.cell] for place in places)
    return _ranking(visits, rung, names, places, tiles)


def flow_ranking(release: Release, rung: int) -> Ranking:
    """Listed flows between two different tiles by trips."""
    flows = release.measurements["od_flows"]
    origin, destination = np.unravel_index(flows.cell_numbers, flows.keys.shape)
    outside = flows.keys.shape[0] - 1
    between = (origin != destination) & (origin < outside) & (destination < outside)
    pairs = np.flatnonzero(between).astype(np.int64)
    places = ranked(flows, rung, pairs)
    named = release.tessellation.tile_names
    names = tuple(f"{named[origin[place.cell]]} → {named[destination[place.cell]]}" for place in places)
    return _ranking(flows, rung, names, places, pairs)


def _ranking(
    measurement: Measurement,
    rung: int,
    names: tuple[str, ...],
    places: tuple[Place, ...],
    cells: NDArray[np.int64],
) -> Ranking:
    top = axis_range(measurement, rung, cells=cells)[1]  # what takes no part must not widen the axis
    return Ranking(names, places, measurement.half_widths[rung], measurement.counts, (0, top))


def ranking_chart(ranking: Ranking) -> Chart:
    """A dot with its 95 % interval for each; overlapping intervals leave the order open."""
    rows = [
        (
            f"{i}. {name if len(name) <= _LONGEST else name[: _LONGEST - 1] + '…'}",
            place.value,
            place.value - ranking.half_width,
            place.value + ranking.half_width,
        )
        for i, (name, place) in enumerate(zip(ranking.names, ranking.places, strict=True), 1)
    ]
    table = pd.DataFrame(rows, columns=["at", "noisy", "low", "high"])
    table = table.assign(
        drawn=table["noisy"].clip(lower=0), bottom=table["low"].clip(lower=0), top=table["high"].clip(lower=0)
    )
    y: dict[str, Any] = {
        "field": "at",
        "type": "nominal",
        "title": None,
        "sort": None,
        "axis": {"labelLimit": 240, "labelOverlap": False},
    }

    def x(field: str) -> dict[str, Any]:
        return {
            "field": field,
            "type": "quantitative",
            "title": ranking.counts,
            "scale": {"domain": list(ranking.limits)},
        }

    tooltip = [
        {"field": field, "type": "quantitative", "title": title, "format": ","}
        for field, title in (("noisy", "about"), ("low", "from"), ("high", "to"))
    ]
    spec: dict[str, Any] = {
        "height": 350,
        "encoding": {"y": y, "tooltip": tooltip},
        "layer": [
            {
                "mark": {"type": "rule", "color": NOISY, "strokeWidth": 3, "opacity": 0.45, "clip": True},
                "encoding": {"x": x("bottom"), "x2": {"field": "top"}},
            },
            {
                "mark": {
                    "type": "point",
                    "color": NOISY,
                    "filled": True,
                    "size": 70,
                    "opacity": 1,
                    "clip": True,
                },
                "encoding": {"x": x("drawn")},
            },
        ],
    }
    return Chart(table, spec, f"The first {len(rows)} by {ranking.counts} with their 95 % intervals")
