"""Views of synthetic trips: where they start and end, which ways they go, and when. All of it is marked as synthetic.

The trips are counted as the file of their bundle has them. Without a bundle they are drawn again from their public seed, which costs
no privacy but may take a minute.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from dpcore.errors import BundleError
from dpcore.estimates import Ranged
from dpcore.release import AnyRelease, kind_of
from dpcore.release.canonical import CHANGED
from dpcore.release.kinds.trip_rows import RowGroups
from dpcore.release.layout import TRIPS
from dpcore.release.reading import verified
from dpcore.views.ground.plain import day, number
from dpcore.views.ground.style import UNDER_FLOWS
from dpcore.views.kinds.places import coloured_places
from dpcore.views.kinds.words import slide
from dpcore.views.maps.drawn_map import Arrows, DrawnMap, Listed
from dpcore.views.pictures.maps import MOST_ARROWS, places_of_tiles
from dpcore.views.pictures.slide import DrawnCharts, Panel, Slide

Counts = NDArray[np.int64]

SYNTHETIC: Final = "These are synthetic trips, drawn from noisy tables. No trip is that of a real person."
_NO_RANGE: Final = "No range is known: noise, and what the tables leave out, change every number."
_LISTED: Final = 8
_HOURS: Final = 24


@dataclass(frozen=True, eq=False)
class Counted:
    """What is counted of synthetic trips."""

    trips: int
    starts: Counts
    """Of each tile."""
    ends: Counts
    flows: Counts
    """From tile to tile, shape (tiles, tiles)."""
    hours: Counts
    """Starts in each hour of the day."""
    days: dict[str, int]
    """Starts on each day."""


def views(release: AnyRelease) -> dict[str, tuple[str, Callable[[AnyRelease], Slide]]]:
    """Map, flows and rhythm."""
    del release
    return {
        "map": ("Starts and ends per tile", _map),
        "flows": ("Flows", _flows),
        "rhythm": ("When trips take place", _rhythm),
    }


_KNOWN: Final[WeakKeyDictionary[AnyRelease, Counted]] = WeakKeyDictionary()
"""What was counted, as long as the release is in use: it is public and never changes."""


def synthetic_counts(release: AnyRelease) -> Counted:
    """The synthetic trips of a release, counted."""
    if release not in _KNOWN:
        drawn = next(found for name, _, found in kind_of(release.plan).rows(release) if name == TRIPS)
        _KNOWN[release] = _counts(release, drawn)
    return _KNOWN[release]


def count_file(release: AnyRelease, bundle: Path | bytes) -> None:
    """Count the trips in the bundle of a release, which ``counted`` gives then; raises BundleError if it was changed."""
    if release not in _KNOWN:
        with verified(bundle) as (found, files, _):
            if found.anchor != release.anchor:
                raise BundleError("the bundle changed while it was read", TRIPS, CHANGED)
            schema = next(one for name, one, _ in kind_of(found.plan).rows(found) if name == TRIPS)
            tables = RowGroups(files.content(TRIPS), schema).tables()
            _KNOWN[release] = _counts(release, (batch for table in tables for batch in table.to_batches()))


def _counts(release: AnyRelease, batches: Iterable[pa.RecordBatch]) -> Counted:
    tiles = release.tessellation.tile_ids
    listed = pa.array(tiles, pa.string())
    many = len(tiles)
    trips, hours, days = 0, np.zeros(_HOURS, np.int64), dict[str, int]()
    flows = np.zeros(many * many, np.int64)
    for batch in batches:
        start, end = (
            pc.index_in(batch.column(name), value_set=listed).to_numpy(zero_copy_only=False)
            for name in ("start_tile", "end_tile")
        )
        flows += np.bincount(start.astype(np.int64) * many + end.astype(np.int64), minlength=many * many)
        began = batch.column("started_at")
        hours += np.bincount(pc.hour(began).to_numpy(zero_copy_only=False), minlength=_HOURS)
        for found in pc.value_counts(began.cast(pa.date32())).to_pylist():
            days[str(found["values"])] = days.get(str(found["values"]), 0) + found["counts"]
        trips += len(batch)
    square = flows.reshape(many, many)
    return Counted(trips, square.sum(axis=1), square.sum(axis=0), square, hours, dict(sorted(days.items())))


def _map(release: AnyRelease) -> Slide:
    found = synthetic_counts(release)
    visits = found.starts + found.ends
    drawn = coloured_places(
        release.tessellation,
        visits,
        visits > 0,
        unit="starts and ends of synthetic trips",
        grey="no synthetic trip",
        words=[number(one) for one in visits.tolist()],
    )
    return slide(
        release,
        "Starts and ends per tile (synthetic)",
        f"{number(found.trips)} synthetic trips start and end here.",
        (SYNTHETIC, _NO_RANGE),
        drawn,
    )


def _flows(release: AnyRelease) -> Slide:
    tiles = release.tessellation
    flows = synthetic_counts(release).flows * ~np.eye(len(tiles.tile_ids), dtype=bool)
    order = np.argsort(-flows.ravel(), kind="stable")[:MOST_ARROWS]
    order = order[flows.ravel()[order] > 0]
    places, sizes = places_of_tiles(tiles), flows.ravel()[order]
    origins, destinations = np.unravel_index(order, flows.shape)
    rows = tuple(
        (f"{tiles.called[one]} \N{RIGHTWARDS ARROW} {tiles.called[other]}", number(size))
        for one, other, size in zip(origins[:_LISTED], destinations[:_LISTED], sizes[:_LISTED], strict=True)
    )
    drawn = DrawnMap(
        tiles,
        np.zeros(len(tiles.tile_ids), np.int64),
        (UNDER_FLOWS,),
        None,
        Arrows(
            places.points[origins],
            places.points[destinations],
            sizes.astype(float),
            np.zeros(len(order), np.bool_),
        ),
        listed=Listed("The largest flows, synthetic trips", rows),
    )
    said = (
        f"The {number(len(order))} largest flows between two tiles are drawn. Lines are thick where they end."
    )
    return slide(
        release,
        "Flows (synthetic)",
        said if len(order) else "No synthetic trip goes from one tile to another.",
        ("Dashed: no range is known.", SYNTHETIC, _NO_RANGE),
        drawn if len(order) else None,
    )


def _rhythm(release: AnyRelease) -> Slide:
    found = synthetic_counts(release)
    hours = _panel("Starts by hour", tuple(str(hour) for hour in range(_HOURS)), found.hours)
    days = _panel("Starts by day", tuple(found.days), np.array([*found.days.values()], np.int64))
    dated = release.plan.period is not None and len(found.days) > 0
    busiest = max(found.days, key=found.days.__getitem__) if dated else ""
    said = f"Most synthetic trips start on {day(np.datetime64(busiest, 'D').item())}." if dated else ""
    return slide(
        release,
        "When trips take place (synthetic)",
        said,
        (SYNTHETIC, _NO_RANGE),
        DrawnCharts((days, hours) if dated else (hours,)),
    )


def _panel(title: str, names: tuple[str, ...], values: Counts) -> Panel:
    top = float(max(values.max(initial=0), 1))
    return Panel(
        title, "synthetic trips", "bars", names, Ranged.without_range(values.astype(float)), (0.0, top)
    )
