"""Measurements of visits and flows become maps: the counts of a map are one message, with every rung of its tiles and flows.

The browser gets all rungs at once and recolours by itself while epsilon is dragged, so no movement of the
slider reaches the server. Equal input gives equal bytes: neither the chosen rung nor a time nor a counter
is inside, and an unchanged map is not sent a second time. The tiles travel apart (``map_geometry``): a new draw sends
its counts alone.

A message holds what it is given and nothing else. True counts are an optional part of their own, which only
an owner's page has; a map of a release is packed without it.

Counts are exact whole numbers. From rung to rung they differ by noise alone, so each rung but the finest is sent as its
difference to the next finer one, in the bytes of ``varints``. Layout::

    u32 length of the header, little-endian, the header as JSON
    noisy counts, the finest rung first           rungs x tiles   (if the header has "tiles")
    true counts less those of the finest rung     tiles           (if "tiles" has "truth")
    origins, then destinations of the flows       flows each      (if the header has "flows")
    noisy flows, as the counts of tiles           rungs x flows   (unless "flows" is "estimated": estimates come apart)
    true flows, as the true counts of tiles       flows           (if "flows" has "truth")
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from dpcore.measures.measurement import Measurement
from dpcore.measures.plan import Plan
from dpcore.privacy import decimal_text
from dpcore.tiles import Tessellation
from dpcore.views.flows import drawn_flows
from dpcore.views.map_geometry import digest_of, pack_geometry, packed_json, tile_count, varints
from dpcore.views.reading import colour_breaks, difference_breaks, trusted_from
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
    estimates: str = "",
) -> bytes:
    """The map of visits per tile at every rung, with its slider.

    The cell ``outside`` is not drawn. ``mark``: written on the picture, such as ``Demo data``; ``scale``: colour breaks to
    share with another map; ``truth``: true counts of the same cells (owner pages only); ``steered``: leave the slider to
    the page; ``sentences``: what is protected at each rung, where more is shown than counts; ``estimates``: link of the
    estimates that come for single stops, which are the first picture then.
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
        options=MapOptions(
            start_rung=start_rung,
            slider=not steered,
            link=geometry.link,
            steered=steered,
            modes=("estimate", *_COUNTS) if estimates else _COUNTS,
            mode="estimate" if estimates else "noisy",
            estimates=estimates,
        ),
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


def estimated_flows_map(
    geometry: MapGeometry,
    flows: EstimatedFlows,
    plan: Plan,
    *,
    sentences: Sequence[str] = (),
    mark: str = "",
    start_rung: int = -1,
    estimates: str = "",
) -> bytes:
    """Lines between tiles whose widths come with the estimates of each stop; follows the slider of the page.

    Of a preview: ``mark`` is written on the picture, ``estimates`` is the link of its estimates, and the map follows the
    slider of the map of visits, which begins at ``start_rung``.
    """
    return pack_map(
        geometry.packed,
        rungs=plan.rungs,
        texts=MapTexts(
            alt="Lines of estimated flows between tiles. A table with the same numbers stands below.",
            privacy=f"per {plan.bound}",
            banner=mark,
            sentences=sentences,
        ),
        flows=flows,
        options=MapOptions(
            start_rung=start_rung % len(plan.rungs),
            slider=False,
            link=geometry.link,
            flows_toggle=False,
            flows_shown=True,
            steered=not estimates,
            estimates=estimates,
        ),
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


VERSION: Final = 2
"""Raised when the layout changes; the browser refuses another one."""

Mode = Literal["estimate", "noisy", "true", "difference"]
_COUNTS: Final[tuple[Mode, ...]] = ("noisy", "true", "difference")


@dataclass(frozen=True)
class TileCounts:
    """Noisy counts of all tiles at every rung, with what is needed to colour them."""

    values: Counts
    """Noisy counts, shape (rungs, tiles); may be negative."""
    half_widths: Sequence[int]
    """95 % half width of the noise of one tile, for each rung."""
    grey_below: Sequence[int]
    """For each rung the smallest noisy count that stands out of the noise; tiles below it are grey."""
    breaks: Sequence[int]
    """Rising colour breaks, seven for eight classes; the same at every rung."""
    truth: Counts | None = None
    """True counts, shape (tiles,). Owner pages and lessons only: whoever sees the message sees them."""
    difference_breaks: Sequence[int] = ()
    """Rising sizes that part differences into classes, the same above and below 0; needed with ``truth``."""


@dataclass(frozen=True)
class FlowCounts:
    """Noisy counts of a fixed choice of flows at every rung; the choice does not follow the rung."""

    origins: Sequence[int] | Counts
    """Tile number of each flow's origin."""
    destinations: Sequence[int] | Counts
    """Tile number of each flow's destination; a flow within one tile is not drawn."""
    values: Counts
    """Noisy counts, shape (rungs, flows); may be negative."""
    half_widths: Sequence[int]
    """95 % half width of the noise of one flow, for each rung."""
    grey_below: Sequence[int]
    """For each rung the smallest noisy count that stands out; flows below it are dashed and grey."""
    truth: Counts | None = None
    """True counts, shape (flows,). Owner pages and lessons only."""


@dataclass(frozen=True)
class EstimatedFlows:
    """A fixed choice of flows whose estimates come by stops (``estimate_message``)."""

    origins: Sequence[int] | Counts
    """Tile number of each flow's origin."""
    destinations: Sequence[int] | Counts
    """Tile number of each flow's destination; a flow within one tile is not drawn."""
    largest: int
    """The largest estimate at the finest stop: it fixes the width of the arrows."""


@dataclass(frozen=True)
class MapTexts:
    """The words of a map; shown as plain text."""

    alt: str
    """What the picture shows and where the same numbers stand as a table, for those who cannot see it."""
    counts: str = "visits"
    """What a tile's number counts."""
    flow_counts: str = "trips"
    """What a flow's number counts."""
    privacy: str = ""
    """Unit and bound, shown under epsilon: ``per person, at most 8 trips``."""
    banner: str = ""
    """Mark on the picture itself, so that every screenshot carries it: ``Demo data``."""
    sentences: Sequence[str] = ()
    """For each rung what its epsilon means in one sentence; spoken as the value of the slider."""


@dataclass(frozen=True)
class MapOptions:
    """Which controls a map has and how it starts."""

    start_rung: int = 0
    """Rung at the first look. Fixed for a page: the rung that a visitor chose must not come in here."""
    slider: bool = True
    """Whether this map owns a slider; without one it follows the map it is linked to."""
    link: str = ""
    """Maps with the same link move together and remember their epsilon while other pages are looked at."""
    modes: Sequence[Mode] = _COUNTS
    """Pictures to choose from; those that need true counts are left out where there are none."""
    mode: Mode = "noisy"
    """Picture at the first look."""
    estimates: str = ""
    """Link of the estimates of a preview (``estimate_message``), which this map shows in the mode ``estimate``."""
    flows_toggle: bool = True
    """Whether a button shows and hides the flows, if there are any."""
    flows_shown: bool = False
    """Whether the flows are drawn at the first look."""
    steered: bool = False
    """Whether a slider and a list of tiles elsewhere on the page steer this map; it then says epsilon no second time."""


def pack_map(
    geometry: bytes,
    *,
    rungs: Sequence[Fraction],
    texts: MapTexts,
    tiles: TileCounts | None = None,
    flows: FlowCounts | EstimatedFlows | None = None,
    options: MapOptions | None = None,
) -> bytes:
    """The message of one map; the same input gives the same bytes.

    ``geometry``: what ``pack_geometry`` gave; ``rungs``: rising; without ``tiles`` the tiles are plain.
    """
    count = tile_count(geometry)
    options = options or MapOptions()
    if not 0 <= options.start_rung < len(rungs):
        raise ValueError("the start rung of a map is not one of its rungs")
    if texts.sentences and len(texts.sentences) != len(rungs):
        raise ValueError("a map needs a sentence for each rung")
    parts: list[bytes] = []
    header: dict[str, object] = {
        "version": VERSION,
        "rungs": [decimal_text(rung) for rung in rungs],
        "digest": digest_of(geometry),
        "texts": _fields(texts),
        "options": _fields(options) | {"modes": _modes(options, tiles, flows)},
    }
    if tiles is not None:
        _check_shapes("tiles", tiles, len(rungs), count)
        if tiles.truth is not None and not tiles.difference_breaks:
            raise ValueError("a map with true counts needs breaks of differences")
        header["tiles"] = {
            "count": count,
            "half_widths": _whole(tiles.half_widths),
            "grey_below": _whole(tiles.grey_below),
            "breaks": _whole(tiles.breaks),
            "difference_breaks": _whole(tiles.difference_breaks),
            "truth": tiles.truth is not None,
        }
        parts.append(_counts(tiles.values, tiles.truth))
    if flows is not None:
        ends = np.array([flows.origins, flows.destinations], dtype=np.int64).reshape(2, -1)
        if ends.size and not (ends.min() >= 0 and ends.max() < count):
            raise ValueError("a flow of a map leaves its tiles")
        parts.append(varints(ends))
    if isinstance(flows, EstimatedFlows):
        header["flows"] = {
            "count": len(flows.origins),
            "estimated": True,
            "largest": flows.largest,
            "truth": False,
        }
    elif flows is not None:
        _check_shapes("flows", flows, len(rungs), len(flows.origins))
        header["flows"] = {
            "count": len(flows.origins),
            "half_widths": _whole(flows.half_widths),
            "grey_below": _whole(flows.grey_below),
            "truth": flows.truth is not None,
        }
        parts.append(_counts(flows.values, flows.truth))
    return b"".join([packed_json(header), *parts])


def _modes(
    options: MapOptions, tiles: TileCounts | None, flows: FlowCounts | EstimatedFlows | None
) -> list[str]:
    """The pictures that there are counts for; those with the truth only where the truth was given."""
    counted = [part for part in (tiles, flows) if isinstance(part, TileCounts | FlowCounts)]
    truth = any(part.truth is not None for part in counted)
    found: list[str] = [mode for mode in options.modes if truth or mode in {"estimate", "noisy"}]
    if options.mode not in found:
        raise ValueError("the first picture of a map is not among its modes")
    return found


def _check_shapes(name: str, counts: TileCounts | FlowCounts, rungs: int, cells: int) -> None:
    shapes = {len(counts.half_widths), len(counts.grey_below), rungs}
    truth = (cells,) if counts.truth is None else counts.truth.shape
    if counts.values.shape != (rungs, cells) or shapes != {rungs} or truth != (cells,):
        raise ValueError(f"shapes of the {name} of a map disagree")


def _counts(values: Counts, truth: Counts | None) -> bytes:
    """Exact counts: the finest rung, each coarser one less the next finer one, then the truth less the finest."""
    limit = np.iinfo(np.int32)
    for part in (values, truth):
        if part is not None and part.size and not (part.min() >= limit.min and part.max() <= limit.max):
            raise ValueError("a count of a map does not fit into 32 bits")
    finest = np.asarray(values[-1], dtype=np.int64)
    parts = [varints(finest), varints(-np.diff(values, axis=0)[::-1])]
    return b"".join(parts if truth is None else [*parts, varints(truth - finest)])


def _whole(numbers: Sequence[int]) -> list[int]:
    return [int(number) for number in numbers]


def _fields(words: MapTexts | MapOptions) -> dict[str, object]:
    return {
        name: value if isinstance(value, str | int) else list(value) for name, value in vars(words).items()
    }
