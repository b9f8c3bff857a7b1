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
    number of the district of each tile           tiles           (if the header has "districts")
    flows between districts, as those of tiles                    (if "districts" has "flows")
    number of the level of each tile              tiles           (if the header has "levels")

Flows with "totals" are followed by what goes out of every place of their level, then what comes into it: rungs x twice the places.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from dpcore.measures.keys import Districts
from dpcore.measures.measurement import Measurement
from dpcore.measures.plan import Plan
from dpcore.noise.accuracy import half_width_of_sum
from dpcore.privacy import ContributionBound, decimal_text
from dpcore.tiles import Tessellation
from dpcore.views.ground.reading import colour_breaks, difference_breaks, drawn_is_nearer, trusted_from
from dpcore.views.ground.shown import released_numbers as drawn_of
from dpcore.views.maps.map_geometry import digest_of, pack_geometry, packed_json, tile_count, varints
from dpcore.views.numbers.area import sums_stand_out_from
from dpcore.views.numbers.flows import SENT_FLOWS
from dpcore.views.numbers.ranking import strongest_between
from dpcore.views.numbers.sentences import protection_text

Counts = NDArray[np.int64]


@dataclass(frozen=True, repr=False)
class MapGeometry:
    """The public tiles of a data set, packed once for all its maps."""

    packed: bytes
    tiles: Tessellation
    link: str
    """Maps of one tessellation move together."""

    @cached_property
    def names(self) -> Mapping[str, str]:
        """Id of each tile to what people call it."""
        return dict(zip(self.tiles.tile_ids, self.tiles.called, strict=True))

    def grouped(
        self, districts: Districts | None, flows: FlowCounts | EstimatedFlows | None = None
    ) -> MapDistricts | None:
        """Districts as its maps name them, with the flows between them; None where there are none."""
        return (
            None
            if districts is None
            else MapDistricts(districts, flows, self.tiles.called_districts(districts))
        )

    @classmethod
    def of(cls, tessellation: Tessellation, packed: bytes | None = None) -> MapGeometry:
        """The geometry of a tessellation; ``packed``: what ``packed_tiles`` made of it before, if somebody kept it."""
        return cls(packed or packed_tiles(tessellation), tessellation, tessellation.digest[:16])


def packed_tiles(tessellation: Tessellation) -> bytes:
    """The tiles as maps draw them."""
    return pack_geometry(tessellation.tile_ids, tessellation.called, tessellation.polygons)


def visits_map(
    geometry: MapGeometry,
    visits: Measurement,
    *,
    start_rung: int,
    mark: str = "",
    scale: tuple[int, ...] | None = None,
    truth: Counts | None = None,
    slider: bool = True,
    steered: bool = False,
    sentences: Sequence[str] = (),
    estimates: str = "",
    districts: Districts | None = None,
) -> bytes:
    """The map of visits per tile at every rung, with its slider; without one it follows that of another map of its tiles.

    The cell ``outside`` is not drawn. ``mark``: written on the picture, such as ``Demo data``; ``scale``: colour breaks to
    share with another map; ``truth``: true counts of the same cells (owner pages only); ``steered``: leave the slider to
    the page; ``sentences``: what is protected at each rung, where more is shown than counts; ``estimates``: link of the
    estimates that come for single stops, which are the first picture then; ``districts``: what can be chosen besides tiles.
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
        texts=_texts(visits.bound, visits.rungs, mark, "Map of noisy visits per tile.", sentences),
        tiles=counts,
        districts=geometry.grouped(districts),
        options=MapOptions(
            start_rung=start_rung,
            slider=slider and not steered,
            link=geometry.link,
            steered=steered,
            modes=("estimate", *_COUNTS) if estimates else _COUNTS,
            mode="estimate" if estimates and not drawn_is_nearer(visits, start_rung) else "noisy",
            estimates=estimates,
        ),
    )


def flows_map(
    geometry: MapGeometry,
    flows: FlowCounts | EstimatedFlows | None,
    plan: Plan,
    *,
    start_rung: int,
    mark: str = "",
    steered: bool = False,
    sentences: Sequence[str] = (),
    estimates: str = "",
    districts: MapDistricts | None = None,
) -> bytes:
    """Lines between tiles: counts at every rung, or estimates that come by stops. It follows the slider of the map of visits, or of the page.

    ``estimates``: the link of the estimates of a preview; ``districts``: with the flows between them, which are drawn from
    afar; without ``flows`` they are all that is drawn.
    """
    alt = "Lines of noisy flows."
    if isinstance(flows, EstimatedFlows):
        alt = "Lines of estimated flows between tiles."
    return pack_map(
        geometry.packed,
        rungs=plan.rungs,
        texts=_texts(plan.bound, plan.rungs, mark, alt, sentences),
        flows=flows,
        districts=districts,
        options=MapOptions(
            start_rung=start_rung,
            slider=False,
            link=geometry.link,
            flows_toggle=False,
            flows_shown=True,
            steered=steered,
            estimates=estimates,
        ),
    )


def counted_flows(flows: Measurement, truth: Counts | None = None) -> FlowCounts:
    """The strongest flows of a table as lines; ``truth``: true counts of its listed cells (owner pages only)."""
    drawn = strongest_between(drawn_of(flows, -1), SENT_FLOWS)
    origins, destinations = np.unravel_index(flows.cell_numbers[drawn], flows.keys.shape)
    return FlowCounts(
        origins,
        destinations,
        values=flows.values[:, drawn],
        half_widths=flows.half_widths,
        grey_below=_stands_out(flows),
        truth=None if truth is None else truth[drawn],
        totals=released_totals(flows),
    )


def released_totals(flows: Measurement) -> TotalCounts | None:
    """What goes out of and into every tile or district of a table of flows; None where not every flow is listed."""
    if flows.cells is not None:
        return None
    places = flows.keys.shape[0]  # the last one is outside
    tables = flows.values.reshape(len(flows.rungs), places, places)
    within = np.diagonal(tables, axis1=1, axis2=2)
    sides = [(tables.sum(axis=axis) - within)[:, :-1] for axis in (2, 1)]
    rates = [flows.rho(rung) for rung in range(len(flows.rungs))]
    wide = [half_width_of_sum(rho, places - 1) for rho in rates]
    sizes = np.full(2 * (places - 1), places - 1)
    least = [int(sums_stand_out_from(rho, sizes)[0]) for rho in rates]
    return TotalCounts(np.concatenate(sides, axis=1), wide, least)


def _stands_out(measurement: Measurement) -> list[int]:
    return [trusted_from(measurement, rung) for rung in range(len(measurement.rungs))]


def _texts(
    bound: ContributionBound, rungs: Sequence[Fraction], mark: str, alt: str, sentences: Sequence[str]
) -> MapTexts:
    return MapTexts(
        alt=f"{alt} A table with the same numbers stands below.",
        privacy=f"per {bound}",
        banner=mark,
        sentences=sentences or [protection_text(bound, rung) for rung in rungs],
    )


VERSION: Final = 3
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
class TotalCounts:
    """What goes out of every place, then what comes into every place, at every rung; without what stays within."""

    values: Counts
    """Noisy sums, shape (rungs, twice the places); may be negative."""
    half_widths: Sequence[int]
    """95 % half width of the noise of one such sum, for each rung."""
    grey_below: Sequence[int]
    """For each rung the smallest sum that stands out of the noise; smaller ones have no circle."""


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
    totals: TotalCounts | None = None
    """None where they are not known: a list of the largest flows says nothing about the others."""


@dataclass(frozen=True)
class EstimatedFlows:
    """A fixed choice of flows whose estimates come by stops (``estimate_message``)."""

    origins: Sequence[int] | Counts
    """Tile number of each flow's origin."""
    destinations: Sequence[int] | Counts
    """Tile number of each flow's destination; a flow within one tile is not drawn."""
    largest: int
    """The largest estimate at the finest stop: it fixes the width of the arrows."""
    largest_total: int = 1
    """Of all that goes out of a place or comes into it the largest at the finest stop: it fixes the size of the circles."""


@dataclass(frozen=True)
class MapDistricts:
    """Districts that can be chosen on a map, and the flows between them."""

    districts: Districts
    flows: FlowCounts | EstimatedFlows | None = None
    """Origins and destinations are numbers of districts."""
    called: tuple[str, ...] = ()
    """What people call them, without that word; nothing: by their names."""


@dataclass(frozen=True)
class MapLevel:
    """One level that tiles can have."""

    name: str
    epsilon: str
    """Its budget, as people read it."""
    light: str
    """Colour on a light page, ``#rrggbb``."""
    dark: str
    """Colour on a dark page."""


@dataclass(frozen=True)
class TileLevels:
    """Public levels in place of counts: every tile has the colour of its level, and each click adds to what is chosen."""

    levels: Sequence[MapLevel]
    of_tiles: Sequence[int]
    """Place of the level of each tile in ``levels``."""


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
    districts: MapDistricts | None = None,
    levels: TileLevels | None = None,
) -> bytes:
    """The message of one map; the same input gives the same bytes.

    ``geometry``: what ``pack_geometry`` gave; ``rungs``: rising; without ``tiles`` and ``levels`` the tiles are plain.
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
        header["flows"], counted = _lines(flows, len(rungs), count)
        parts += counted
    if districts is not None:
        header["districts"], counted = _districts(districts, len(rungs), count)
        parts += counted
    if levels is not None:
        of_tiles = np.array(levels.of_tiles, np.int64)
        if of_tiles.shape != (count,) or not (of_tiles.min() >= 0 and of_tiles.max() < len(levels.levels)):
            raise ValueError("the levels of a map are not those of its tiles")
        header |= {"levels": [vars(level) for level in levels.levels], "levels_of": count}
        parts.append(varints(of_tiles))
    return b"".join([packed_json(header), *parts])


def _lines(
    flows: FlowCounts | EstimatedFlows, rungs: int, places: int
) -> tuple[dict[str, object], list[bytes]]:
    """What the header says of flows between so many places, and their ends and counts."""
    ends = np.array([flows.origins, flows.destinations], dtype=np.int64).reshape(2, -1)
    if ends.size and not (ends.min() >= 0 and ends.max() < places):
        raise ValueError("a flow of a map leaves its tiles")
    told: dict[str, object] = {"count": len(flows.origins)}
    if isinstance(flows, EstimatedFlows):
        fixed = {"largest": flows.largest, "largest_total": flows.largest_total}
        return told | fixed | {"estimated": True, "truth": False}, [varints(ends)]
    _check_shapes("flows", flows, rungs, len(flows.origins))
    noise = {"half_widths": _whole(flows.half_widths), "grey_below": _whole(flows.grey_below)}
    counted = [varints(ends), _counts(flows.values, flows.truth)]
    if flows.totals is not None:
        totals = flows.totals
        if totals.values.shape != (rungs, 2 * places) or len(totals.half_widths) != rungs:
            raise ValueError("shapes of the totals of a map disagree")
        noise_of_sums = {"half_widths": _whole(totals.half_widths), "grey_below": _whole(totals.grey_below)}
        told["totals"] = {"count": 2 * places, **noise_of_sums}
        counted.append(_counts(totals.values, None))
    return told | noise | {"truth": flows.truth is not None}, counted


def _districts(found: MapDistricts, rungs: int, tiles: int) -> tuple[dict[str, object], list[bytes]]:
    """What the header says of districts, and the district of each tile with the flows between them."""
    if len(found.districts.of_tiles) != tiles:
        raise ValueError("the districts of a map are those of other tiles")
    names = found.districts.names
    told: dict[str, object] = {"names": list(found.called or names), "count": tiles}
    parts = [varints(np.array(found.districts.of_tiles, np.int64))]
    if found.flows is not None:
        told["flows"], counted = _lines(found.flows, rungs, len(names))
        parts += counted
    return told, parts


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
