"""Maps as pictures: visits of the whole period or of a time window, flows, and what changed. Numbers are those of the Viewer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import shapely
from numpy.typing import NDArray

from dpcore.comparison.change import CellChanges
from dpcore.estimates import Estimates, Ranged
from dpcore.estimates.known import are_known
from dpcore.estimates.words import likely
from dpcore.measures.keys import Districts
from dpcore.release import Release
from dpcore.release.estimates import estimates_of
from dpcore.tiles import Tessellation
from dpcore.views.comparison import changes
from dpcore.views.comparison.difference_map import difference_key
from dpcore.views.ground.plain import district_labels, district_name, interval, sentence
from dpcore.views.ground.reading import (
    BY_NOISE,
    class_words,
    colour_breaks,
    few_below,
)
from dpcore.views.ground.selection import districts_shown, selection_label, tiles_of
from dpcore.views.ground.shown import estimated_numbers, ranged, spoken_of
from dpcore.views.ground.shown import released_numbers as drawn_of
from dpcore.views.ground.shown import shown as shown_of
from dpcore.views.ground.style import DROWNED, UNDER_FLOWS, class_colours
from dpcore.views.maps.address import Address
from dpcore.views.maps.drawn_map import Arrows, Cells, DrawnMap, Key, Listed, Named
from dpcore.views.maps.flow_levels import district_estimates, estimated_lines
from dpcore.views.maps.map_classes import (
    FIRST,
    classes_of_shown,
    colours_of,
    few_words,
)
from dpcore.views.maps.projection import inside
from dpcore.views.maps.tile_map import MapDistricts
from dpcore.views.maps.window_message import COUNTS, in_windows, window_names
from dpcore.views.numbers.area import ARRIVALS, DISTRICT_FLOWS, FLOWS, VISITS, numbers_of
from dpcore.views.numbers.estimated import estimate_breaks, regions_at
from dpcore.views.numbers.flows import SENT_FLOWS, known_first
from dpcore.views.numbers.ranking import counted_trips, first_of, strongest_between
from dpcore.views.numbers.selected_flows import flow_words, selected_flows
from dpcore.views.numbers.told_tiles import tile_words, told_of

MOST_ARROWS: Final = 20
"""Flows on a picture; more tangle on paper."""
MOST_NAMES: Final = 40
"""Districts whose names are written on a map; those of more would hide it."""
LISTED: Final = 8
"""Flows or changes in the list beside a map."""
WIDE_AS: Final = "unsure: wide range"
NO_FLOW: Final = "Noise hides all flows: none is surely more than zero."
"""Said where no flow can be drawn."""
_LEAST: Final = 0.5  # trips of a flow that is drawn
_ARROW: Final = " \N{RIGHTWARDS ARROW} "


def map_of_visits(release: Release, at: Address, estimates: Estimates) -> DrawnMap:
    """Visits of each tile at the stop of an address: estimates or released counts, of the period or of a time window."""
    tiles = release.tessellation
    measure = VISITS if at.window is None else ARRIVALS
    drawn = release.measurements[measure]
    counts = "visits" if at.window is None else f"{COUNTS} ({window_names(release.plan)[at.window]})"
    if at.released:
        breaks, grey = colour_breaks(drawn), BY_NOISE
        shown = drawn_of(drawn, at.rung)
        unit = f"{counts} per tile, {counted_trips(release.plan.bound)}"
    else:
        breaks, grey = estimate_breaks(release, measure), WIDE_AS
        shown = replace(
            estimated_numbers(estimates.tables[measure]), numbers=_tile_estimates(release, at, estimates)
        )
        unit = f"{counts} per tile, {spoken_of(estimates.tables[measure])}"
    classes = classes_of_shown(shown, breaks)
    if at.window is not None:
        classes = in_windows(classes, drawn)[at.window]
    few = few_words(few_below(breaks), estimated=not at.released)
    key = tuple(zip(colours_of(breaks), (grey, few, *class_words(breaks)), strict=True))
    greys, coloured = key[:FIRST], key[FIRST:]
    listed, ranks = (None, ()) if at.merged and not at.released else _busiest(release, at, estimates)
    return DrawnMap(
        tiles,
        classes[: len(tiles.tile_ids)],
        tuple(colour for colour, _ in key),
        Key(sentence(unit), (*reversed(coloured), *greys)),
        outlined=_outlines(release, at),
        listed=listed,
        names=ranks,
    )


def map_of_sums(release: Release, at: Address, name: str) -> DrawnMap:
    """A sum or a mean of each tile at the stop of an address, as the Viewer colours it."""
    found = told_of(release, name, at.rung)
    shades = class_colours(len(found.classes))
    coloured, grey = tuple(zip(shades, found.classes, strict=True)), (DROWNED, found.grey)
    largest = found.largest(LISTED)
    rows = [(tile_words(release, tile), found.words(tile)) for tile in largest]
    listed, ranks = ranked_tiles(release.tessellation, "The largest", rows, largest)
    return DrawnMap(
        release.tessellation,
        found.which,
        (DROWNED, *shades),
        Key(found.unit, (*reversed(coloured), grey)),
        outlined=_outlines(release, at),
        listed=listed,
        names=ranks,
    )


def ranked_tiles(
    tiles: Tessellation, title: str, rows: Sequence[tuple[str, str]], cells: Sequence[int] | Cells
) -> tuple[Listed, Named]:
    """A list of tiles with their ranks, and the same ranks where the tiles lie on the map; ``cells``: the tile of each row."""
    listed = Listed(title, tuple((f"{rank}. {name}", said) for rank, (name, said) in enumerate(rows, 1)))
    within = [(rank, int(tile)) for rank, tile in enumerate(cells, 1) if tile < len(tiles.tile_ids)]
    points = inside([tiles.polygons[tile] for _, tile in within])
    return listed, tuple((str(rank), point) for (rank, _), point in zip(within, points, strict=True))


def _busiest(release: Release, at: Address, estimates: Estimates) -> tuple[Listed | None, Named]:
    """The largest counts of the period with their ranges and ranks; beside a window none, which has no ranking."""
    if at.window is not None:
        return None, ()
    first = first_of(release, VISITS, at.rung, None if at.released else estimates)
    rows = [(name, first.shown.words(one)) for one, name in enumerate(first.names[:LISTED])]
    return ranked_tiles(release.tessellation, "The first tiles", rows, first.shown.cells[:LISTED])


def _tile_estimates(release: Release, at: Address, estimates: Estimates) -> Ranged:
    """The estimate of each tile; of tiles that are merged the mean of their region."""
    if at.window is not None:
        return ranged(estimates.tables[ARRIVALS])
    shown = ranged(estimates.tables[VISITS])
    found = regions_at(release.tessellation, release.measurements[VISITS], at.rung, at.merged)
    if found is None:
        return shown
    sums = found.counted if estimates.share is None else found.of_all(estimates.share)
    size = np.bincount(found.of_tiles)
    means = Ranged(*(np.where(found.readable, part / size, np.nan) for part in sums.columns))
    return means.at(found.of_tiles)


def _outlines(release: Release, at: Address) -> tuple[shapely.Geometry, ...]:
    """The border of what is chosen."""
    if not at.chosen.places:
        return ()
    districts = districts_shown(release.plan, release.tessellation) if at.chosen.districts else None
    chosen = np.asarray(release.tessellation.polygons, dtype=object)[tiles_of(at.chosen, districts)]
    return (shapely.union_all(chosen),)


@dataclass(frozen=True, eq=False)
class Places:
    """Between which places flows go, by number."""

    names: tuple[str, ...]
    points: NDArray[np.float64]
    """Longitude and latitude of each."""
    of: str
    """What they are, in words after "flows"."""
    borders: tuple[shapely.Geometry, ...] = ()
    """Of districts."""

    @property
    def districts(self) -> bool:
        """Whether they are districts."""
        return bool(self.borders)

    @property
    def on_map(self) -> Named:
        """What is written on the map, and where: the names of districts without that word, where they are few enough."""
        many = len(self.borders)
        if many > MOST_NAMES:
            return ()
        short = (name.removeprefix(district_name("")) for name in self.names[:many])
        return tuple(zip(short, self.points[:many], strict=True))


@dataclass(frozen=True, eq=False)
class Flows:
    """The flows of a picture, those that are known first, and how many others there are."""

    places: Places
    origins: Cells
    destinations: Cells
    shown: Ranged
    known: NDArray[np.bool_]
    """Which are known: of estimates by their likely range; released counts that stand out of the noise are."""
    words: tuple[str, ...]
    """The first few with their ranges."""
    hidden: int
    """How many of those that are looked at cannot be told from none."""
    said: str
    """How many of the first few are known; empty of released counts, which all stand out of the noise."""


def map_of_flows(release: Release, at: Address, estimates: Estimates) -> tuple[DrawnMap, Flows] | None:
    """The strongest flows of a release, or of what is chosen; None where it holds none."""
    found = _of_choice(release, at, estimates) if at.chosen.places else _all_flows(release, at, estimates)
    if found is None:
        return None
    first = slice(MOST_ARROWS)
    places, shown = found.places, found.shown.at(first)
    arrows = Arrows(
        places.points[found.origins[first]],
        places.points[found.destinations[first]],
        shown.values,
        found.known[first],
    )
    rows = tuple(
        (f"{places.names[origin]}{_ARROW}{places.names[destination]}", words)
        for origin, destination, words in list(
            zip(found.origins, found.destinations, found.words, strict=False)
        )[:LISTED]
    )
    tiles = release.tessellation
    drawn = DrawnMap(
        tiles,
        np.zeros(len(tiles.tile_ids), np.int64),
        (UNDER_FLOWS,),
        None,
        arrows,
        (*places.borders, *_outlines(release, at)),
        Listed(f"The strongest flows {places.of}, trips", rows),
        names=places.on_map,
    )
    return drawn, found


def flow_tables(release: Release) -> tuple[str, ...]:
    """The tables whose estimates a map of flows needs."""
    return tuple({VISITS, FLOWS, DISTRICT_FLOWS} & {*release.measurements, FLOWS})


_Between = tuple[Cells, Cells, Ranged, NDArray[np.bool_]]
"""Origins and destinations of flows, their numbers, and which can be told from none."""


def _all_flows(release: Release, at: Address, estimates: Estimates) -> Flows | None:
    """Between districts where there are such flows, as the map shows from afar; else between tiles."""
    tiles, tables = release.tessellation, {*(release.measurements if at.released else estimates.tables)}
    districts = districts_shown(release.plan, tiles)
    if districts is not None:
        far = None
        if DISTRICT_FLOWS in tables:
            far = _strongest(release, at, estimates, DISTRICT_FLOWS)
        elif FLOWS in tables and not at.released:
            far = _district_estimates(release, estimates, districts)
        if far is not None:
            return _largest(_districts(tiles, districts), *far, released=at.released)
    if FLOWS not in tables:
        return None
    return _largest(places_of_tiles(tiles), *_strongest(release, at, estimates, FLOWS), released=at.released)


def _strongest(release: Release, at: Address, estimates: Estimates, measure: str) -> _Between:
    """The flows of a table that the map draws: the strongest of the finest stop, as they are at this one."""
    held = release.measurements
    finest = None if at.released else estimates_of(release, of=flow_tables(release))
    choice = shown_of(held, measure, -1, finest)
    here = shown_of(held, measure, at.rung, None if at.released else estimates)
    found = here.of(choice.cells[strongest_between(choice, SENT_FLOWS)])
    origins, destinations = np.unravel_index(found.cells, found.keys.shape)
    return origins, destinations, found.numbers, found.readable & (found.numbers.values >= _LEAST)


def _district_estimates(release: Release, estimates: Estimates, districts: Districts) -> _Between | None:
    """The estimates between tiles added up by district, of the pairs that the map draws."""
    finest, here = (
        numbers_of(release, one, released=False)
        for one in (estimates_of(release, of=flow_tables(release)), estimates)
    )
    lines = estimated_lines(finest, districts)
    found = district_estimates(here, MapDistricts(districts, lines))
    if found is None or lines is None:
        return None
    shown = found.flows
    told = (shown.values >= _LEAST) & ~((shown.high - shown.low) / 2 >= shown.values)
    return np.asarray(lines.origins), np.asarray(lines.destinations), shown, told


def _districts(tiles: Tessellation, districts: Districts) -> Places:
    polygons, of = np.asarray(tiles.polygons, dtype=object), np.asarray(districts.of_tiles)
    shapes = np.array([shapely.union_all(polygons[of == one]) for one in range(len(districts.names))])
    labels = district_labels(tiles, districts)
    return Places(
        tuple(labels[name] for name in districts.names), inside(shapes), "between districts", tuple(shapes)
    )


def places_of_tiles(tiles: Tessellation) -> Places:
    """The tiles as places of flows, each with a point inside it."""
    return Places(tiles.called, inside(tiles.polygons), "between tiles")


def _largest(
    places: Places,
    origins: Cells,
    destinations: Cells,
    shown: Ranged,
    told: NDArray[np.bool_],
    *,
    released: bool,
) -> Flows:
    """Those that can be told from none, in the order of every list of flows: what is known first, then by size."""
    known = told if released else are_known(shown)
    order = np.lexsort((-shown.values, ~known))
    order = order[told[order]]
    said = "" if released or not len(order) else known_first(known[order][:LISTED], drawn=False)
    kept = shown.at(order)
    words = tuple(_flow_words(kept.cell(one), released=released) for one in range(min(len(order), LISTED)))
    return Flows(
        places, origins[order], destinations[order], kept, known[order], words, int((~told).sum()), said
    )


def _flow_words(found: tuple[float, float, float], *, released: bool) -> str:
    value, low, high = found
    return (
        interval(int(value), int(high - value))
        if released and np.isfinite(high)
        else likely(value, low, high)
    )


def _of_choice(release: Release, at: Address, estimates: Estimates) -> Flows | None:
    """The flows out of and into what is chosen, as the map draws them."""
    tiles, plan = release.tessellation, release.plan
    districts = districts_shown(plan, tiles) if at.chosen.districts else None
    numbers = numbers_of(release, estimates, released=at.released)
    both = selected_flows(at.chosen, numbers, districts)
    if both is None:
        return None
    level = places_of_tiles(tiles) if districts is None else _districts(tiles, districts)
    # The area is one more place, in its middle.
    middle = level.points[list(at.chosen.places)].mean(axis=0)
    label = selection_label(at.chosen, tiles, districts)
    here = outside = len(level.points)
    places = Places(
        (*level.names, label), np.vstack([level.points, middle]), f"out of and into: {label}", level.borders
    )
    ends = [
        (int(place), flows.outward, flows.to.at(int(place)))
        for flows in both
        for place in flows.strongest
        if place != outside
    ]
    columns = np.array([one[2] for one in ends], np.float64).reshape(-1, 3).T
    there = np.array([one[0] for one in ends], np.int64)
    outward = np.array([one[1] for one in ends], np.bool_)
    found = _largest(
        places,
        np.where(outward, here, there),
        np.where(outward, there, here),
        Ranged(*columns),
        np.ones(len(ends), bool),
        released=at.released,
    )
    listed = range(len(found.words))
    words = tuple(flow_words(found.shown.cell(one), numbers) for one in listed)
    return replace(found, words=words, hidden=sum(flows.unread for flows in both))


def map_of_changes(found: CellChanges, tiles: Tessellation) -> DrawnMap | None:
    """Where more and where fewer visits are announced, with the surest changes as a list; None for other measures than of tiles."""
    differing = changes.change_map(found, tiles)
    if differing is None:
        return None
    which, classes = difference_key(differing, within="no change can be told")
    *told, within = (
        one for at, one in enumerate(classes) if at != len(classes) // 2 - 1 or (which == at).any()
    )
    listed = list_of_changes(found, tiles)
    first = found.cells[changes.announced(found)[:LISTED]]
    surest, ranks = (None, ()) if listed is None else ranked_tiles(tiles, listed.title, listed.rows, first)
    return DrawnMap(
        tiles,
        which,
        tuple(colour for colour, _ in classes),
        Key(
            f"More or fewer {found.counts}{' a day' if found.per_day else ''} than before",
            (*reversed(told), within),
        ),
        listed=surest,
        names=ranks,
    )


def list_of_changes(found: CellChanges, tiles: Tessellation) -> Listed | None:
    """The surest changes with their ranges; None where none is announced."""
    at = changes.announced(found)[:LISTED]
    if not at:
        return None
    table = changes.change_table(found, tiles)
    words = [f"{change} ({wide})" for change, wide in zip(table["change"], table["range"], strict=True)]
    title = f"The surest changes, {found.counts}{' a day' if found.per_day else ''}"
    return Listed(title, tuple(zip(changes.names_of(found, tiles, at), words[: len(at)], strict=True)))
