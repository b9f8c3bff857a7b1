"""The check of a set of tiles: one shape for each id, no empty tile, no overlap, and borders that meet.

The tile index gives every point one tile, whatever the tiles look like. This check is about meaning: where tiles overlap,
it would be an accident in which of them a trip counts. So real overlaps are refused, unless the owner says which tile keeps
a shared place. Published files hold overlaps from rounding (a share of 1e-5 of a tile and less). Those are joined and noted.

An outline that touches or crosses itself by as little is repaired and noted too. One that crosses itself visibly, like a
bow-tie, is refused, because it is unclear which of its areas is meant. Also refused are a tile below
``limits.MIN_TILE_SQUARE_METRES``, and a tile across the 180th meridian or at a pole, which in degrees would be another area.

Source: the polygonal coverages of GEOS (``CoverageValidator``, ``CoverageCleaner``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.errors import GEOSException
from shapely.geometry.base import BaseGeometry

from dpcore import limits
from dpcore.errors import TessellationError
from dpcore.tiles.faults import one_error
from dpcore.tiles.features import check_count
from dpcore.tiles.labels import quoted
from dpcore.tiles.overlaps import REFUSE, Shapes, overlapping

_NAMED_PAIRS: Final = 5
_METRES_A_DEGREE: Final = 111_195
_REMOVE: Final = "Remove or redraw."


@dataclass(frozen=True)
class Tiles:
    """Checked tiles, sorted by id."""

    ids: tuple[str, ...]
    polygons: tuple[BaseGeometry, ...]
    notes: tuple[str, ...]


def check(
    ids: Sequence[str],
    polygons: Sequence[BaseGeometry],
    source_name: str,
    *,
    merge_ids: bool,
    overlaps: str = "refuse",
    faults: Sequence[TessellationError] = (),
) -> Tiles:
    """The tiles, repaired where that changes nothing visible.

    ``ids`` and ``polygons`` (WGS84, longitude first) hold one entry for each feature, in the order of the file. ``overlaps``
    says which tile keeps a place that several share (``overlaps.CHOICES``). Raises TessellationError where a repair would be
    visible: with all that is wrong, and with ``faults`` that were found before.
    """
    check_count(len(ids), source_name)
    known = list(faults)
    if len(ids) == 0 and not known:
        raise TessellationError("there are no tiles", source_name, "Give at least one tile.")
    order = np.array(sorted(range(len(ids)), key=ids.__getitem__), np.int64)
    shapes = np.array([polygons[i] for i in order], dtype=object)
    left = _Left([ids[i] for i in order], shapes, order, source_name, known)
    try:
        for step in (_drop_off_the_plane, _repair, _drop_empty):
            step(left)
        _merge(left, merge=merge_ids)
        if len(left.names):
            left.shapes = _join_borders(left, overlaps)
    except GEOSException:
        known.append(
            TessellationError(
                "the shapes of the tiles cannot be processed",
                source_name,
                "Repair them in a GIS and export them again.",
            )
        )
    except TessellationError as error:
        known.append(error)
    if known:
        raise one_error(known, source_name)
    return Tiles(tuple(left.names), tuple(left.shapes), tuple(left.notes))


@dataclass
class _Left:
    """The features that passed so far, sorted by id."""

    names: list[str]
    shapes: Shapes
    order: NDArray[np.int64]
    """Position of each in the file."""
    source_name: str
    faults: list[TessellationError]
    notes: list[str] = field(default_factory=list)

    def drop(self, wrong: NDArray[np.bool_], what: str, mend: str) -> None:
        """Leave out what is wrong, and keep in mind that and why. ``what`` holds a place for the number of tiles."""
        if wrong.any():
            which = list(dict.fromkeys(name for name, bad in zip(self.names, wrong, strict=True) if bad))
            said = f"{what.format(_count_tiles(which))}: {_name_list(which)}"
            self.faults.append(TessellationError(said, self.source_name, mend))
            self.names = [name for name, bad in zip(self.names, wrong, strict=True) if not bad]
            self.shapes, self.order = self.shapes[~wrong], self.order[~wrong]


def _drop_off_the_plane(left: _Left) -> None:
    """Drop tiles that a plane of degrees cannot show. Two parts that meet at the 180th meridian are allowed."""
    parts, owners = shapely.get_parts(left.shapes, return_index=True)
    west, south, east, north = shapely.bounds(parts).T
    wide, polar = (np.zeros(len(left.names), bool) for _ in range(2))
    wide[owners[east - west > 180]] = True
    polar[owners[np.maximum(-south, north) >= 90]] = True
    polar = polar[~wide]
    left.drop(
        wide,
        "{} over more than 180 degrees of longitude",
        "Split them at the 180th meridian, and end them before a pole.",
    )
    left.drop(polar, "{} at a pole", "End them before it.")


def _repair(left: _Left) -> None:
    """Make every outline valid where that changes no area. Drop other outlines."""
    invalid = ~shapely.is_valid(left.shapes)
    if not invalid.any():
        return
    repaired = shapely.make_valid(left.shapes[invalid], method="structure", keep_collapsed=False)
    # The two areas of a bow-tie have opposite orientation: the area of the outline is their difference.
    before, after = shapely.area(left.shapes[invalid]), shapely.area(repaired)
    crossed = invalid.copy()
    crossed[invalid] = np.abs(after - before) > limits.MAX_SLIVER_SHARE * after
    left.shapes = left.shapes.copy()
    left.shapes[invalid] = [_polygons_only(shape) for shape in repaired]
    which = [name for name, mended in zip(left.names, invalid & ~crossed, strict=True) if mended]
    if which:
        left.notes.append(
            f"the outline of {_count_tiles(which)} crossed itself and was repaired: {_name_list(which)}"
        )
    left.drop(
        crossed,
        "the outline of {} crosses itself",
        "Redraw it. It is unclear which of its areas is meant.",
    )


def _drop_empty(left: _Left) -> None:
    """Drop tiles without an area that could be seen."""
    left.drop(~(shapely.area(left.shapes) > 0), "{} without an area", _REMOVE)
    small = _square_metres(left.shapes) < limits.MIN_TILE_SQUARE_METRES
    left.drop(small, f"{{}} below {limits.MIN_TILE_SQUARE_METRES} square metre", _REMOVE)


def _square_metres(shapes: Shapes) -> NDArray[np.float64]:
    """Approximate areas of the shapes."""
    bounds = np.nan_to_num(shapely.bounds(shapes))
    latitude = np.radians((bounds[:, 1] + bounds[:, 3]) / 2)
    return np.asarray(shapely.area(shapes) * _METRES_A_DEGREE**2 * np.cos(latitude), np.float64)


def _merge(left: _Left, *, merge: bool) -> None:
    """One shape for each id. Repeated ids are united. That is a fault unless it was asked for."""
    names, shapes = left.names, left.shapes
    first = [i for i, name in enumerate(names) if i == 0 or name != names[i - 1]]
    if len(first) == len(names):
        return
    ends = [*first[1:], len(names)]
    several = [names[begin] for begin, end in zip(first, ends, strict=True) if end - begin > 1]
    if not merge:
        left.faults.append(
            TessellationError(
                f"{_count_tiles(several)} occur more than once: {_name_list(several)}",
                left.source_name,
                "Merge them if they are parts of one tile (merge_ids), or choose another id.",
            )
        )
    united = [
        shapes[begin] if end - begin == 1 else _polygons_only(shapely.union_all(shapes[begin:end]))
        for begin, end in zip(first, ends, strict=True)
    ]
    parts = len(names) - len(first) + len(several)
    left.notes.append(f"{parts:,} features were merged into {_count_tiles(several)}: {_name_list(several)}")
    left.names, left.shapes = [names[begin] for begin in first], np.array(united, dtype=object)
    left.order = np.array([left.order[begin:end].min() for begin, end in zip(first, ends, strict=True)])


def _join_borders(left: _Left, overlaps: str) -> Shapes:
    """Make neighbours share their borders bit for bit. Refuse overlaps larger than rounding, unless it was said who keeps them."""
    names, shapes = left.names, left.shapes
    found = overlapping(shapes, left.source_name)
    if found.pairs:
        if overlaps == REFUSE or not found.whole:
            raise found.refusal(names, shapes, left.source_name)
        left.notes.append(found.note(shapes, overlaps))
        shapes = found.resolved(shapes, left.order, overlaps)
        gone = _square_metres(shapes) < limits.MIN_TILE_SQUARE_METRES
        if gone.any():
            which = [name for name, bad in zip(names, gone, strict=True) if bad]
            raise TessellationError(
                f"{_count_tiles(which)} lie wholly inside others: {_name_list(which)}",
                left.source_name,
                "Remove them, or let the smaller tile keep a shared place (--overlaps smaller).",
                options=("--overlaps",),
            )
    if found.clean or (found.pairs and shapely.coverage_is_valid(shapes)):
        return shapes
    joined = np.array([_polygons_only(shape) for shape in shapely.coverage_clean(shapes)], dtype=object)
    before, after = shapely.area(shapes), shapely.area(joined)
    # Cleaning gives each sliver to one neighbour. A tile that lost or gained more than a few slivers was not rounded: it
    # was drawn across another one.
    changed = np.abs(after - before) > 10 * limits.MAX_SLIVER_SHARE * before
    if changed.any() or not shapely.coverage_is_valid(joined):
        which = [name for name, bad in zip(names, changed, strict=True) if bad]
        raise TessellationError(
            "the borders of neighbours do not meet" + (f": {_name_list(which)}" if which else ""),
            left.source_name,
            "Repair the borders in a GIS (for example with v.clean), or export them with more decimals.",
        )
    if not found.pairs:
        count, share = found.suspects, found.largest
        why = (
            f"they overlapped by at most one part in {1 / share:,.0f} of a tile"
            if share
            else "their corners differed"
        )
        left.notes.append(f"the borders of {count:,} {'tile' if count == 1 else 'tiles'} were joined: {why}")
    return joined


def _polygons_only(shape: BaseGeometry | None) -> BaseGeometry:
    """The Polygon or MultiPolygon in the result of an operation. Lines and points in it have no area."""
    parts = [part for part in shapely.get_parts(shape) if part.geom_type in {"Polygon", "MultiPolygon"}]
    parts = [part for part in shapely.get_parts(parts) if not part.is_empty]
    return parts[0] if len(parts) == 1 else shapely.MultiPolygon(parts)


def _count_tiles(names: Sequence[str]) -> str:
    return "1 tile" if len(names) == 1 else f"{len(names):,} tiles"


def _name_list(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED_PAIRS:,} more" if len(names) > _NAMED_PAIRS else ""
    return ", ".join(quoted(name) for name in names[:_NAMED_PAIRS]) + more
