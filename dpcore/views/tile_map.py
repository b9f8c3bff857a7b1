"""Measurements of visits and flows become maps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dpcore.measures.measurement import Measurement
from dpcore.tessellation import Tessellation
from dpcore.views.flows import drawn_flows
from dpcore.views.map_geometry import pack_geometry
from dpcore.views.map_message import FlowCounts, MapOptions, MapTexts, TileCounts, pack_map
from dpcore.views.reading import trusted_from
from dpcore.views.scale import colour_breaks, difference_breaks
from dpcore.views.sentences import protection_text

Counts = NDArray[np.int64]


@dataclass(frozen=True, repr=False)
class MapGeometry:
    """The public tiles of a data set, packed once for all its maps."""

    packed: bytes
    names: Mapping[str, str]
    """Id of each tile to what people call it."""
    link: str
    """Maps of one tessellation move together."""

    @classmethod
    def of(cls, tessellation: Tessellation, packed: bytes | None = None) -> MapGeometry:
        """The geometry of a tessellation; ``packed``: what ``packed_tiles`` made of it before, if somebody kept it."""
        names = dict(zip(tessellation.tile_ids, tessellation.tile_names, strict=True))
        return cls(packed or packed_tiles(tessellation), names, tessellation.digest[:16])


def packed_tiles(tessellation: Tessellation) -> bytes:
    """The tiles as maps draw them."""
    return pack_geometry(tessellation.tile_ids, tessellation.tile_names, tessellation.polygons)


def visits_map(
    geometry: MapGeometry,
    visits: Measurement,
    *,
    start_rung: int,
    mark: str = "",
    scale: tuple[int, ...] | None = None,
    truth: Counts | None = None,
    steered: bool = False,
    sentences: Sequence[str] = (),
) -> bytes:
    """The map of visits per tile at every rung, with its slider.

    Args:
        geometry: the tiles.
        visits: noisy counts; the cell ``outside`` is not drawn.
        start_rung: rung at the first look.
        mark: written on the picture, such as ``Demo data``.
        scale: colour breaks to share with another map; by default those of this measurement.
        truth: true counts of the same cells (owner pages only).
        steered: leave the slider to the page.
        sentences: what is protected at each rung, where more is shown than counts.

    """
    breaks = scale or colour_breaks(visits)
    tiles = visits.keys.size - 1
    counts = TileCounts(
        values=visits.values[:, :tiles],
        half_widths=visits.half_widths,
        grey_below=_stands_out(visits),
        breaks=breaks,
        truth=None if truth is None else truth[:tiles],
        difference_breaks=() if truth is None else difference_breaks(breaks),
    )
    return pack_map(
        geometry.packed,
        rungs=visits.rungs,
        texts=_texts(visits, mark, "Map of noisy visits per tile.", sentences),
        tiles=counts,
        options=MapOptions(start_rung=start_rung, slider=not steered, link=geometry.link, steered=steered),
    )


def flows_map(
    geometry: MapGeometry,
    flows: Measurement,
    *,
    start_rung: int,
    mark: str = "",
    truth: Counts | None = None,
    steered: bool = False,
    sentences: Sequence[str] = (),
) -> bytes:
    """The strongest flows as lines at every rung; follows the slider of the map of visits, or of the page."""
    drawn = drawn_flows(flows)
    origins, destinations = np.unravel_index(flows.cell_numbers[drawn], flows.keys.shape)
    counts = FlowCounts(
        origins=origins,
        destinations=destinations,
        values=flows.values[:, drawn],
        half_widths=flows.half_widths,
        grey_below=_stands_out(flows),
        truth=None if truth is None else truth[drawn],
    )
    options = MapOptions(
        start_rung=start_rung,
        slider=False,
        link=geometry.link,
        flows_toggle=False,
        flows_shown=True,
        steered=steered,
    )
    return pack_map(
        geometry.packed,
        rungs=flows.rungs,
        texts=_texts(flows, mark, "Lines of noisy flows between tiles.", sentences),
        flows=counts,
        options=options,
    )


def _stands_out(measurement: Measurement) -> list[int]:
    return [trusted_from(measurement, rung) for rung in range(len(measurement.rungs))]


def _texts(measurement: Measurement, mark: str, alt: str, sentences: Sequence[str]) -> MapTexts:
    bound = measurement.bound
    return MapTexts(
        alt=f"{alt} A table with the same numbers stands below.",
        privacy=f"per {bound}",
        banner=mark,
        sentences=sentences or [protection_text(bound, rung) for rung in measurement.rungs],
    )
