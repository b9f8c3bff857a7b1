"""Places that several tiles share: found, told, and given to one of them.

Official files have a few: tiles that were simplified one by one overlap by a thousandth of their area. The owner decides who keeps such
a place: the tile that comes first in the file, or the smaller one. Then it is cut off the others before anything is counted. So the
rest of the program sees tiles that do not overlap, and the digest of the tiles is that of the cut shapes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import shapely
from numpy.typing import NDArray

from dpcore import limits
from dpcore.errors import TessellationError
from dpcore.tiles.labels import quoted

Shapes = NDArray[np.object_]
Pairs = dict[tuple[int, int], float]
"""Two tiles, by number, and the area that they share."""

REFUSE: Final = "refuse"
CHOICES: Final = {
    REFUSE: "nobody",
    "first": "the tile that comes first in the file",
    "smaller": "the smaller tile",
}
"""Who keeps a shared place."""
_AT_ONCE: Final = 64
_NAMED_PAIRS: Final = 5


@dataclass(frozen=True)
class Overlaps:
    """The pairs of tiles that share more than rounding."""

    pairs: Pairs
    """Areas are in square degrees."""
    suspects: int = 0
    """Tiles with a border inside another tile or off its border."""
    largest: float = 0.0
    """The largest share of the smaller tile that two tiles have in common, as far as that is rounding."""
    whole: bool = True
    """Whether these are all such pairs."""
    clean: bool = False
    """Whether all neighbours share their borders bit for bit."""

    def refusal(self, names: Sequence[str], shapes: Shapes, source_name: str) -> TessellationError:
        """What to say if nobody keeps shared places."""
        areas = shapely.area(shapes)
        shares = {pair: area / min(areas[list(pair)]) for pair, area in self.pairs.items()}
        worst = sorted(shares.items(), key=lambda item: (-item[1], item[0]))[:_NAMED_PAIRS]
        said = [
            f"tiles {quoted(names[one])} and {quoted(names[other])} overlap by {_percent(share)} % of the smaller one"
            for (one, other), share in worst
        ]
        return TessellationError(
            f"{self._overlaps_words(areas)}: {'; '.join(said)}",
            source_name,
            "Each point must lie in one tile. Say which one keeps a shared place: --overlaps smaller or --overlaps first (in a "
            "notebook: overlaps). Or cut one of the tiles, or merge them.",
            options=("--overlaps",),
        )

    def note(self, shapes: Shapes, keeper: str) -> str:
        """What was done about them, in words."""
        return f"{self._overlaps_words(shapely.area(shapes))}: {CHOICES[keeper]} keeps a shared place"

    def resolved(self, shapes: Shapes, order: NDArray[np.int64], keeper: str) -> Shapes:
        """The shapes, each without the places that another one keeps. They may be empty.

        ``order``: position of each tile in the file. A place belongs to the first tile that holds it, by that order or by area,
        whatever the other tiles are. Tiles of one area go by the order of the numbers, which is that of their ids.
        """
        rank = np.empty(len(shapes), np.int64)
        rank[np.lexsort((np.arange(len(shapes)), order if keeper == "first" else shapely.area(shapes)))] = (
            range(len(shapes))
        )
        before: dict[int, list[int]] = {}
        for pair in self.pairs:
            winner, loser = sorted(pair, key=lambda tile: int(rank[tile]))
            before.setdefault(loser, []).append(winner)
        cut = shapes.copy()
        for loser, winners in before.items():
            left = shapely.difference(shapes[loser], shapely.union_all(shapes[sorted(winners)]))
            cut[loser] = _areas_only(left)
        return cut

    def _overlaps_words(self, areas: NDArray[np.float64]) -> str:
        pairs = len(self.pairs)
        share = sum(self.pairs.values()) / float(areas.sum())
        least = "" if self.whole else "at least "
        return f"{least}{pairs:,} {'pair' if pairs == 1 else 'pairs'} of tiles overlap, on {least}{_percent(share)} % of the whole area"


def overlapping(shapes: Shapes, source_name: str) -> Overlaps:
    """The pairs of tiles that overlap by more than rounding; of a file that is refused anyway only some.

    Raises TessellationError where so many borders are wrong that looking at all of them would take too long.
    """
    found = _covered(shapes)
    if len(found) > limits.MAX_OVERLAPS:
        return Overlaps(found, whole=False)
    if shapely.coverage_is_valid(shapes):
        return Overlaps(found, clean=not found)
    # Of two tiles that overlap at least one has a wrong border, so pairs without such a tile are skipped.
    wrong = ~shapely.is_empty(shapely.coverage_invalid_edges(shapes))
    suspects, tree = np.flatnonzero(wrong), shapely.STRtree(shapes)
    largest, seen = 0.0, 0
    for begin in range(0, len(suspects), _AT_ONCE):
        some = suspects[begin : begin + _AT_ONCE]
        position, other = tree.query(shapes[some], predicate="intersects")
        one = some[position]
        once = (one < other) | ((one != other) & ~wrong[other])
        more, rounding = _real(shapes, one[once], other[once])
        found |= more
        largest, seen = max(largest, rounding), seen + int(once.sum())
        if len(found) > limits.MAX_OVERLAPS:
            return Overlaps(found, len(suspects), largest, whole=False)
        if seen > limits.MAX_OVERLAP_PAIRS:
            raise TessellationError(
                f"more than {limits.MAX_OVERLAP_PAIRS:,} pairs of tiles do not meet properly",
                source_name,
                "Repair the borders in a GIS and export them again.",
            )
    return Overlaps(found, len(suspects), largest)


def _covered(shapes: Shapes) -> Pairs:
    """Pairs of which one tile holds an inner point of the other. This is cheap and ends early if all tiles overlap.

    Without it, the exact checks would compare every pair of 60,000 copies of one tile.
    """
    tree, inner = shapely.STRtree(shapes), shapely.point_on_surface(shapes)
    found: Pairs = {}
    for begin in range(0, len(shapes), _AT_ONCE):
        points, tiles = tree.query(inner[begin : begin + _AT_ONCE], predicate="within")
        different = points + begin != tiles
        one, other = (points + begin)[different], tiles[different]
        for start in range(0, len(one), _AT_ONCE):
            found |= _real(shapes, one[start : start + _AT_ONCE], other[start : start + _AT_ONCE])[0]
            if len(found) > limits.MAX_OVERLAPS:
                return found
    return found


def _real(shapes: Shapes, one: NDArray[np.int64], other: NDArray[np.int64]) -> tuple[Pairs, float]:
    """Of pairs of tiles those that share more than rounding, and the largest share of the rest."""
    common = shapely.area(shapely.intersection(shapes[one], shapes[other]))
    shares = common / np.minimum(shapely.area(shapes[one]), shapely.area(shapes[other]))
    real = shares > limits.MAX_SLIVER_SHARE
    pairs = zip(one[real].tolist(), other[real].tolist(), common[real].tolist(), strict=True)
    return {(min(a, b), max(a, b)): area for a, b, area in pairs}, float(shares[~real].max(initial=0.0))


def _areas_only(shape: shapely.Geometry) -> shapely.Geometry:
    """The Polygon or MultiPolygon in a difference."""
    parts = [part for part in shapely.get_parts(shape) if part.geom_type == "Polygon" and part.area > 0]
    return parts[0] if len(parts) == 1 else shapely.MultiPolygon(parts)


def _percent(share: float) -> str:
    return f"{100 * share:.0f}" if share >= 0.1 else f"{100 * share:.2g}"
