"""Where tiles lie, how large they are, and which small groups of neighbours they form. All of it is public."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final

import numpy as np
import shapely

from dpcore.estimates.noisy import Integers, Numbers
from dpcore.estimates.process import Places
from dpcore.estimates.raking import summed
from dpcore.measures.keys import Districts
from dpcore.tiles import Tessellation

GROUP: Final = 20
"""About so many tiles make a group."""
_KM_PER_DEGREE: Final = 111.195
_KEPT: Final = 4  # cities whose geography is kept: it is the same for every stop


@dataclass(frozen=True, eq=False)
class Geography:
    """The tiles of a plan on a plane, with their groups."""

    xy: Numbers
    """Kilometres east and north of the middle of all tiles, of each tile's centroid. Shape (tiles, 2)."""
    area: Numbers
    """Square kilometres of each tile."""
    group: Integers
    """Number of the group of each tile: groups are parts of districts, of about ``GROUP`` tiles."""
    district_of_group: Integers
    """Number of the district in which each group lies."""

    @property
    def tiles(self) -> int:
        """Number of tiles."""
        return len(self.xy)

    @cached_property
    def district(self) -> Integers:
        """Number of the district of each tile."""
        return self.district_of_group[self.group]

    @cached_property
    def groups(self) -> Places:
        """The groups as places: the mean of their tiles, and their area."""
        size = np.bincount(self.group)
        xy = np.stack([summed(self.xy[:, side], self.group) / size for side in (0, 1)], axis=1)
        return Places(xy, _centred(summed(self.area, self.group)))

    def places(self, some: Integers) -> Places:
        """Some of the tiles as places."""
        return Places(self.xy[some], _centred(self.area[some]))


@lru_cache(maxsize=_KEPT)
def geography(tiles: Tessellation, districts: Districts | None) -> Geography:
    """The tiles on a plane, with groups that are parts of the districts; without districts the whole is one."""
    shapes = np.array(tiles.polygons, dtype=object)
    centres = shapely.centroid(shapes)
    east, north = shapely.get_x(centres), shapely.get_y(centres)
    scale = np.cos(np.radians(np.clip(north.mean(), -89, 89)))
    xy = np.stack(
        [(east - east.mean()) * _KM_PER_DEGREE * scale, (north - north.mean()) * _KM_PER_DEGREE], axis=1
    )
    area = np.maximum(shapely.area(shapes) * _KM_PER_DEGREE**2 * scale, 1e-9)
    district = np.zeros(len(xy), np.int64) if districts is None else np.array(districts.of_tiles, np.int64)
    parts = [
        part
        for number in range(int(district.max()) + 1)
        for part in halved(xy, np.flatnonzero(district == number), GROUP)
    ]
    group = np.zeros(len(xy), np.int64)
    for number, part in enumerate(parts):
        group[part] = number
    return Geography(xy, area, group, np.array([district[part[0]] for part in parts]))


def halved(xy: Numbers, tiles: Integers, size: int) -> list[Integers]:
    """Tiles in groups of about ``size``: halve along the longer side until each group is small enough."""
    if len(tiles) <= size * 1.4:
        return [tiles]
    side = int(np.ptp(xy[tiles], axis=0).argmax())
    order = tiles[np.argsort(xy[tiles, side], kind="stable")]
    half = len(order) // 2
    return [*halved(xy, order[:half], size), *halved(xy, order[half:], size)]


def _centred(area: Numbers) -> Numbers:
    logs = np.log(area)
    found: Numbers = np.clip(logs - logs.mean(), -4.0, 4.0)
    return found
