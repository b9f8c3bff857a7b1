"""How much of a measurement can be read: which cells stand out of the noise, and by how much it errs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpcore.measures.measurement import Measurement
from dpcore.noise.accuracy import stands_out_from
from dpcore.views.scale import colour_breaks, few_below

Counts = NDArray[np.int64]


def trusted_from(measurement: Measurement, rung: int) -> int:
    """Smallest noisy count that stands out of the noise at a rung.

    Chosen so that among all cells of the table about one empty one reaches it by chance. A sparse
    measurement never trusts less than its publishing threshold.
    """
    return stands_out_from(measurement.rho(rung), measurement.keys.size, measurement.threshold)


def trusted(measurement: Measurement, rung: int) -> NDArray[np.bool_]:
    """Which listed cells stand out of the noise at a rung."""
    return np.asarray(measurement.values[rung] >= trusted_from(measurement, rung))


def few_or_none(visits: Measurement, rung: int, few: int) -> NDArray[np.bool_]:
    """Which listed cells are known to be empty or nearly so: they do not stand out, and their 95 % range ends below ``few``.

    Noise wider than ``few`` tells no such thing, however far below zero it drew a count.
    ``few``: what is few on the map (``scale.few_below``). What neither stands out nor is few is drowned by noise.
    """
    half = visits.half_widths[rung]
    return np.asarray(~trusted(visits, rung) & (visits.values[rung] + half < few) & (half < few))


def of_the_map(flows: Measurement) -> NDArray[np.bool_]:
    """Which listed flows touch a tile: from outside to outside is no flow of the map."""
    return np.asarray(flows.cell_numbers != flows.keys.size - 1)


def trusted_flows(flows: Measurement, rung: int) -> NDArray[np.bool_]:
    """Which listed flows stand out of the noise and touch a tile."""
    return np.asarray(trusted(flows, rung) & of_the_map(flows))


@dataclass(frozen=True)
class MapFigures:
    """The three numbers beside the map."""

    readable_tiles: int
    """Tiles whose count stands out of the noise."""
    few_or_none: int
    """Tiles whose count is known to be small."""
    tiles: int
    """Tiles of the tessellation."""
    noise: int
    """95 % half width of a tile's noise, in visits."""
    typical_error: float
    """Median error of a tile as a share of its count; NaN where there is none to tell it of."""
    trusted_flows: int
    """Flows that stand out of the noise, from outside to outside not among them."""
    trusted_share: float
    """Share of all trips that the trusted flows carry; may exceed 1 by noise."""


def map_figures(
    visits: Measurement,
    flows: Measurement,
    rung: int,
    truth: Counts | None = None,
    few: int | None = None,
) -> MapFigures:
    """The numbers beside the map at a rung.

    Without ``truth`` the typical error is that of the noise alone: its half width over the count. With it
    (owner pages only) it is the true error over the true count, cutting trips included, of tiles that have visits: what
    noise makes of nothing is no share of anything. ``few``: what is few on the map, if its colours are
    not those of these visits.
    """
    tiles = visits.keys.size - 1  # the last cell is what lies outside
    readable = trusted(visits, rung)[:tiles]
    noisy = visits.values[rung][:tiles].astype(float)
    if truth is None:
        errors = visits.half_widths[rung] / np.maximum(noisy, 1)
    else:
        visited = truth[:tiles] > 0
        true = truth[:tiles][visited]
        errors = np.abs(noisy[visited] - true) / true
    stands_out = trusted_flows(flows, rung)
    total = int(visits.values[rung].sum()) / 2  # each trip visits twice
    return MapFigures(
        readable_tiles=int(readable.sum()),
        few_or_none=int(few_or_none(visits, rung, few or few_below(colour_breaks(visits)))[:tiles].sum()),
        tiles=tiles,
        noise=visits.half_widths[rung],
        typical_error=float(np.median(errors)) if errors.size else float("nan"),
        trusted_flows=int(stands_out.sum()),
        trusted_share=float(flows.values[rung][stands_out].sum() / total) if total > 0 else float("nan"),
    )


@dataclass(frozen=True)
class SeriesError:
    """How wrong a whole view is at a rung, beside the truth (owner pages only)."""

    noise: int
    """95 % half width of one cell's noise."""
    typical: float
    """Median absolute error of a cell."""
    worst: int
    """Largest absolute error of a cell."""
    relative: float
    """Sum of absolute errors over the sum of true counts; NaN without any."""


def series_error(
    measurement: Measurement, rung: int, truth: Counts, of: NDArray[np.bool_] | None = None
) -> SeriesError:
    """Errors of the listed cells (or of some of them) at a rung, noise and bounding together."""
    cells = slice(None) if of is None else of
    wrong = np.abs(measurement.values[rung] - truth)[cells]
    total = int(truth[cells].sum())
    return SeriesError(
        noise=measurement.half_widths[rung],
        typical=float(np.median(wrong)) if wrong.size else 0.0,
        worst=int(wrong.max(initial=0)),
        relative=float(wrong.sum() / total) if total else float("nan"),
    )
