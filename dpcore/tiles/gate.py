"""The check of a set of tiles: one shape for each id, no empty tile, no overlap, and borders that meet.

The tile index gives every point one tile, whatever the tiles look like. This check is about meaning: where tiles overlap,
it would be an accident in which of them a trip counts. So real overlaps are refused. Published files hold overlaps from
rounding (a share of 1e-5 of a tile and less). Those are joined and noted. An outline that touches or crosses itself by as
little is repaired and noted too. One that crosses itself visibly, like a bow-tie, is refused, because it is unclear which
of its areas is meant. Also refused are a tile below ``limits.MIN_TILE_SQUARE_METRES``, and a tile across the 180th meridian
or at a pole, which in degrees would be another area.

Source: the polygonal coverages of GEOS (``CoverageValidator``, ``CoverageCleaner``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely.errors import GEOSException
from shapely.geometry.base import BaseGeometry

from dpcore import limits
from dpcore.errors import TessellationError
from dpcore.tiles.features import check_count
from dpcore.tiles.labels import quoted

Shapes = NDArray[np.object_]

_NAMED_PAIRS: Final = 5
_METRES_A_DEGREE: Final = 111_195
_MEND_OVERLAP: Final = "Each point must lie in one tile. Cut one of the tiles, or merge them."


@dataclass(frozen=True)
class Tiles:
    """Checked tiles, sorted by id."""

    ids: tuple[str, ...]
    polygons: tuple[BaseGeometry, ...]
    notes: tuple[str, ...]


def check(
    ids: Sequence[str], polygons: Sequence[BaseGeometry], source_name: str, *, merge_duplicates: bool
) -> Tiles:
    """The tiles, repaired where that changes nothing visible. Raises TessellationError where a repair would be visible.

    ``ids`` and ``polygons`` (WGS84, longitude first) hold one entry for each feature.
    """
    check_count(len(ids), source_name)
    if len(ids) == 0:
        raise TessellationError("there are no tiles", source_name, "Give at least one tile.")
    order = sorted(range(len(ids)), key=ids.__getitem__)
    names = [ids[i] for i in order]
    shapes = np.array([polygons[i] for i in order], dtype=object)
    notes: list[str] = []
    try:
        _refuse_off_the_plane(names, shapes, source_name)
        shapes = _repair(names, shapes, source_name, notes)
        names, shapes = _merge(names, shapes, source_name, notes, merge=merge_duplicates)
        shapes = _join_borders(names, shapes, source_name, notes)
    except GEOSException:
        raise TessellationError(
            "the shapes of the tiles cannot be processed",
            source_name,
            "Repair them in a GIS and export them again.",
        ) from None
    return Tiles(tuple(names), tuple(shapes), tuple(notes))


def _refuse_off_the_plane(names: Sequence[str], shapes: Shapes, source_name: str) -> None:
    """Refuse tiles that a plane of degrees cannot show. Two parts that meet at the 180th meridian are allowed."""
    parts, owners = shapely.get_parts(shapes, return_index=True)
    west, south, east, north = shapely.bounds(parts).T
    for wrong, what, mend in (
        (
            east - west > 180,
            "over more than 180 degrees of longitude",
            "Split them at the 180th meridian, and end them before a pole.",
        ),
        (np.maximum(-south, north) >= 90, "at a pole", "End them before it."),
    ):
        if wrong.any():
            which = [names[i] for i in np.unique(owners[wrong]).tolist()]
            raise TessellationError(f"{_count_tiles(which)} {what}: {_listed(which)}", source_name, mend)


def _repair(names: Sequence[str], shapes: Shapes, source_name: str, notes: list[str]) -> Shapes:
    """Make every outline valid where that changes no area. Refuse other outlines, and tiles without an area."""
    invalid = ~shapely.is_valid(shapes)
    if invalid.any():
        repaired = shapely.make_valid(shapes[invalid], method="structure", keep_collapsed=False)
        # The two areas of a bow-tie have opposite orientation: the area of the outline is their difference.
        before, after = shapely.area(shapes[invalid]), shapely.area(repaired)
        crossed = np.abs(after - before) > limits.MAX_SLIVER_SHARE * after
        if crossed.any():
            which = [names[i] for i in np.flatnonzero(invalid)[crossed].tolist()]
            raise TessellationError(
                f"the outline of {_count_tiles(which)} crosses itself: {_listed(which)}",
                source_name,
                "Redraw it. It is unclear which of its areas is meant.",
            )
        shapes = shapes.copy()
        shapes[invalid] = [_polygons_only(shape) for shape in repaired]
        which = [name for name, wrong in zip(names, invalid, strict=True) if wrong]
        notes.append(
            f"the outline of {_count_tiles(which)} crossed itself and was repaired: {_listed(which)}"
        )
    areas = _square_metres(shapes)
    for wrong, what in (
        (~(areas > 0), "without an area"),
        (areas < limits.MIN_TILE_SQUARE_METRES, f"below {limits.MIN_TILE_SQUARE_METRES} square metre"),
    ):
        if wrong.any():
            which = [names[i] for i in np.flatnonzero(wrong).tolist()]
            raise TessellationError(
                f"{_count_tiles(which)} {what}: {_listed(which)}", source_name, "Remove or redraw."
            )
    return shapes


def _square_metres(shapes: Shapes) -> NDArray[np.float64]:
    """Approximate areas of the shapes."""
    bounds = np.nan_to_num(shapely.bounds(shapes))
    latitude = np.radians((bounds[:, 1] + bounds[:, 3]) / 2)
    return np.asarray(shapely.area(shapes) * _METRES_A_DEGREE**2 * np.cos(latitude), np.float64)


def _merge(
    names: list[str], shapes: Shapes, source_name: str, notes: list[str], *, merge: bool
) -> tuple[list[str], Shapes]:
    """One shape for each id. Repeated ids are refused, or their shapes united if asked for. ``names`` are sorted."""
    first = [i for i, name in enumerate(names) if i == 0 or name != names[i - 1]]
    if len(first) == len(names):
        return names, shapes
    ends = [*first[1:], len(names)]
    several = [names[begin] for begin, end in zip(first, ends, strict=True) if end - begin > 1]
    if not merge:
        raise TessellationError(
            f"{_count_tiles(several)} occur more than once: {_listed(several)}",
            source_name,
            "Merge them if they are parts of one tile, or choose another id column.",
        )
    united = [
        shapes[begin] if end - begin == 1 else _polygons_only(shapely.union_all(shapes[begin:end]))
        for begin, end in zip(first, ends, strict=True)
    ]
    parts = len(names) - len(first) + len(several)
    notes.append(f"{parts:,} features were merged into {_count_tiles(several)}: {_listed(several)}")
    return [names[begin] for begin in first], np.array(united, dtype=object)


def _join_borders(names: Sequence[str], shapes: Shapes, source_name: str, notes: list[str]) -> Shapes:
    """Make neighbours share their borders bit for bit. Refuse overlaps larger than rounding."""
    _refuse_covered(names, shapes, source_name)
    if shapely.coverage_is_valid(shapes):
        return shapes
    wrong = ~shapely.is_empty(shapely.coverage_invalid_edges(shapes))
    share = _largest_overlap(names, shapes, wrong, source_name)
    joined = np.array([_polygons_only(shape) for shape in shapely.coverage_clean(shapes)], dtype=object)
    before, after = shapely.area(shapes), shapely.area(joined)
    # Cleaning gives each sliver to one neighbour. A tile that lost or gained more than a few slivers was not rounded: it
    # was drawn across another one.
    changed = np.abs(after - before) > 10 * limits.MAX_SLIVER_SHARE * before
    if changed.any() or not shapely.coverage_is_valid(joined):
        which = [name for name, bad in zip(names, changed, strict=True) if bad]
        raise TessellationError(
            "the borders of neighbours do not meet" + (f": {_listed(which)}" if which else ""),
            source_name,
            "Repair the borders in a GIS (for example with v.clean), or export them with more decimals.",
        )
    count = int(wrong.sum())
    why = (
        f"they overlapped by at most one part in {1 / share:,.0f} of a tile"
        if share
        else "their corners differed"
    )
    notes.append(f"the borders of {count:,} {'tile' if count == 1 else 'tiles'} were joined: {why}")
    return joined


def _refuse_covered(names: Sequence[str], shapes: Shapes, source_name: str) -> None:
    """Refuse tiles that hold an inner point of another tile. This is cheap and ends early if all tiles overlap.

    Without it, the exact checks would compare every pair of 60,000 copies of one tile.
    """
    tree = shapely.STRtree(shapes)
    inner = shapely.point_on_surface(shapes)
    found: dict[tuple[int, int], float] = {}
    for begin in range(0, len(shapes), 64):
        points, tiles = tree.query(inner[begin : begin + 64], predicate="within")
        for one, other in zip((points + begin).tolist(), tiles.tolist(), strict=True):
            if one == other:
                continue
            share = float(_shares(shapes, np.array([one]), np.array([other]))[0])
            if share > limits.MAX_SLIVER_SHARE:
                found[min(one, other), max(one, other)] = share
            if len(found) >= _NAMED_PAIRS:
                raise _overlap(names, found, source_name)
    if found:
        raise _overlap(names, found, source_name)


def _largest_overlap(
    names: Sequence[str], shapes: Shapes, wrong: NDArray[np.bool_], source_name: str
) -> float:
    """The largest share of the smaller tile that two tiles have in common. Refuses more than rounding.

    ``wrong``: tiles with a border inside another tile or off its border. Of two tiles that overlap at least one is wrong,
    so pairs without a wrong tile are skipped.
    """
    tree = shapely.STRtree(shapes)
    suspects = np.flatnonzero(wrong)
    found: dict[tuple[int, int], float] = {}
    largest, pairs = 0.0, 0
    for begin in range(0, len(suspects), 64):
        some = suspects[begin : begin + 64]
        position, other = tree.query(shapes[some], predicate="intersects")
        one = some[position]
        once = (one < other) | ((one != other) & ~wrong[other])
        one, other = one[once], other[once]
        pairs += len(one)
        shares = _shares(shapes, one, other)
        largest = max(largest, float(shares.max(initial=0.0)))
        for k in np.flatnonzero(shares > limits.MAX_SLIVER_SHARE):
            found[min(int(one[k]), int(other[k])), max(int(one[k]), int(other[k]))] = float(shares[k])
        if len(found) >= _NAMED_PAIRS or pairs > limits.MAX_OVERLAP_PAIRS:
            break
    if found:
        raise _overlap(names, found, source_name)
    if pairs > limits.MAX_OVERLAP_PAIRS:
        raise TessellationError(
            f"more than {limits.MAX_OVERLAP_PAIRS:,} pairs of tiles do not meet properly",
            source_name,
            "Repair the borders in a GIS and export them again.",
        )
    return largest


def _shares(shapes: Shapes, one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.float64]:
    """Overlap of pairs of tiles as a share of the smaller tile."""
    common = shapely.area(shapely.intersection(shapes[one], shapes[other]))
    return np.asarray(common / np.minimum(shapely.area(shapes[one]), shapely.area(shapes[other])), np.float64)


def _overlap(
    names: Sequence[str], found: dict[tuple[int, int], float], source_name: str
) -> TessellationError:
    worst = sorted(found.items(), key=lambda item: (-item[1], item[0]))[:_NAMED_PAIRS]
    said = [
        f"tiles {quoted(names[one])} and {quoted(names[other])} overlap by {_percent(share)} % of the smaller one"
        for (one, other), share in worst
    ]
    return TessellationError("; ".join(said), source_name, _MEND_OVERLAP)


def _percent(share: float) -> str:
    return f"{100 * share:.0f}" if share >= 0.1 else f"{100 * share:.2g}"


def _polygons_only(shape: BaseGeometry | None) -> BaseGeometry:
    """The Polygon or MultiPolygon in the result of an operation. Lines and points in it have no area."""
    parts = [part for part in shapely.get_parts(shape) if part.geom_type in {"Polygon", "MultiPolygon"}]
    parts = [part for part in shapely.get_parts(parts) if not part.is_empty]
    return parts[0] if len(parts) == 1 else shapely.MultiPolygon(parts)


def _count_tiles(names: Sequence[str]) -> str:
    return "1 tile" if len(names) == 1 else f"{len(names):,} tiles"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED_PAIRS:,} more" if len(names) > _NAMED_PAIRS else ""
    return ", ".join(quoted(name) for name in names[:_NAMED_PAIRS]) + more
