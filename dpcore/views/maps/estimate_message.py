"""The estimates of one stop as one message to the maps of a page; they hold the released counts of all stops already.

Equal input gives equal bytes. The browser keeps the messages of a release by their stop, and never shows one at another
stop. Layout, in whole numbers as ``map_geometry.varints`` writes them::

    u32 length of the header, little-endian, the header as JSON
    estimates, low ends, high ends of the tiles      tiles each     (if the header has "tiles"; no ends without "ranged")
    estimates, low ends, high ends of the flows      flows each     (if the header has "flows"; no ends without "ranged")
    the same of flows between districts              flows each     (if the header has "districts"; no ends without "ranged")
    the same out of, then into every district        each           (if the header has "totals"; no ends without "ranged")
    region of each tile                              tiles          (if the header has "regions")
    noise of each region in percent of its sum       regions        (-1 where it is not readable)
    sums, low ends, high ends of the regions         regions each
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.estimates import Estimates, Ranged, Regions
from dpcore.estimates.regions import KEEPS
from dpcore.estimates.words import ASSUMPTION
from dpcore.views.ground.plain import percent
from dpcore.views.maps.map_geometry import packed_json, varints
from dpcore.views.numbers.estimated import doubtful, share_text

VERSION: Final = 1
"""Raised when the layout changes; the browser refuses another one."""


@dataclass(frozen=True, eq=False)
class MapEstimates:
    """What maps show of the estimates of a stop."""

    estimates: Estimates
    about: str
    """Which trips the estimates are about, such as ``all trips``."""
    note: str
    """How sure the numbers of the map are, in one line."""
    breaks: Sequence[int] = ()
    """Rising colour breaks, the same at every stop."""
    tiles: Ranged | None = None
    """Of each tile."""
    flows: Ranged | None = None
    """Of each flow of the map of estimated flows."""
    released: Sequence[str] = ()
    """The released count of each flow with the range of its noise, in words; empty where they were not released."""
    districts: Ranged | None = None
    """Of each flow between districts on the map of estimated flows."""
    totals: Ranged | None = None
    """Out of every district, then into every district."""
    tile_totals: Ranged | None = None
    """Out of every tile, then into every tile."""
    regions: Regions | None = None
    """The regions that tiles are merged to, with the released sums of the trips that count."""


def pack_estimates(link: str, epsilon: str, found: MapEstimates, *, released: bool, merged: int) -> bytes:
    """The message of one stop.

    ``link``: the maps that listen to it; ``released``: the maps shall show released counts, and name the estimate beside
    them; ``merged``: percent to each side up to which tiles are merged, 0 for none.
    """
    header: dict[str, object] = {
        "version": VERSION,
        "link": link,
        "epsilon": epsilon,
        "shown": "released" if released else "estimate",
        "merged": merged,
        "about": found.about,
        "share": share_text(found.estimates),
        "first": ASSUMPTION if doubtful(found.estimates) else "",
    }
    parts: list[bytes] = []
    if found.tiles is not None:
        colours = {"note": found.note, "breaks": [int(edge) for edge in found.breaks]}
        header["tiles"] = _described(found.tiles) | colours
        parts += _ranges(found.tiles)
    if found.flows is not None:
        header["flows"] = _described(found.flows) | {"released": list(found.released)}
        parts += _ranges(found.flows)
    for name, more in (
        ("districts", found.districts),
        ("totals", found.totals),
        ("tile_totals", found.tile_totals),
    ):
        if more is not None:
            header[name] = _described(more)
            parts += _ranges(more)
    if found.regions is not None:
        sums = _sums_of_regions(found.regions, found.estimates)
        header["regions"] = _described(sums) | {"promise": promise_of_regions(merged)}
        parts += [
            varints(found.regions.of_tiles),
            varints(_noise_of_regions(found.regions)),
            *_ranges(sums),
        ]
    return b"".join([packed_json(header), *parts])


def promise_of_regions(merged: int) -> str:
    """What is known of the ranges of regions, measured on the built-in city."""
    return (
        f"Tiles are merged until the noise of a region is at most ± {merged} %. At least {percent(KEEPS)} of such regions kept "
        "this where it was measured. Colours follow this noise. Likely ranges of all trips are wider."
    )


def _sums_of_regions(found: Regions, estimates: Estimates) -> Ranged:
    """Visits of each region, of those trips that the estimates are about."""
    return found.counted if estimates.share is None else found.of_all(estimates.share)


def _noise_of_regions(found: Regions) -> NDArray[np.int64]:
    """How wide the noise of each region is, in percent of its sum; -1 where it is not readable.

    The colours follow it. What scaling to all trips adds is not in it, because merging makes only the noise smaller.
    """
    half = (found.counted.high - found.counted.low) / 2
    noise = np.ceil(100 * half / np.maximum(found.counted.values, 1)).astype(np.int64)
    return np.where(found.readable, noise, -1)


def _described(shown: Ranged) -> dict[str, object]:
    return {"count": len(shown.values), "ranged": shown.is_ranged}


def _ranges(shown: Ranged) -> list[bytes]:
    rows = shown.columns if shown.is_ranged else (shown.values,)
    return [varints(np.rint(row).astype(np.int64)) for row in rows]
