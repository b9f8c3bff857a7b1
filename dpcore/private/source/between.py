"""Records between the first and the last of a trip: kept in order of time, so that readers can hand on their places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from dpcore.private.sealed import Sealed

_POINT: Final = pa.struct([("us", pa.int64()), ("lat", pa.float64()), ("lng", pa.float64())])

BETWEEN: Final = pa.list_(_POINT)
"""The records strictly between the first and the last that have a time and a place, in order of (us, lat, lng)."""


@dataclass(frozen=True, repr=False, eq=False)
class Points(Sealed):
    """Records with a time, each of a group (a run or a trip); latitude and longitude are NaN where not known."""

    group: NDArray[np.int64]
    us: NDArray[np.int64]
    lat: NDArray[np.float64]
    lng: NDArray[np.float64]

    @classmethod
    def of_lists(cls, between: pa.ListArray) -> Self:
        """The points of BETWEEN lists; the group is the position of the list."""
        points = between.flatten()
        group = np.repeat(np.arange(len(between)), between.value_lengths().to_numpy(zero_copy_only=False))
        return cls(group, *(points.field(name).to_numpy() for name in ("us", "lat", "lng")))

    def at(self, chosen: NDArray[np.bool_] | NDArray[np.int64]) -> Points:
        """Some of the points, by mask or by position."""
        return Points(self.group[chosen], self.us[chosen], self.lat[chosen], self.lng[chosen])

    def and_these(self, *others: Points) -> Points:
        """These points and those of others."""
        every = (self, *others)
        return Points(
            np.concatenate([points.group for points in every]),
            np.concatenate([points.us for points in every]),
            np.concatenate([points.lat for points in every]),
            np.concatenate([points.lng for points in every]),
        )

    def inner(self) -> Points:
        """Those with a place, in order, without the first and the last record of each group."""
        ordered = self.at(np.lexsort((self.us, self.group)))
        group, us = ordered.group, ordered.us
        if ((group[1:] == group[:-1]) & (us[1:] == us[:-1])).any():
            ordered = self.at(np.lexsort((self.lng, self.lat, self.us, self.group)))
        new = group[1:] != group[:-1]
        between = ~(np.append(True, new) | np.append(new, True))
        return ordered.at(between & ~np.isnan(ordered.lat))

    def lists(self, groups: int) -> pa.ListArray:
        """BETWEEN lists of all groups, empty ones too; the points stand in order of their groups."""
        return pa.ListArray.from_arrays(
            pa.array(_offsets(self.group, groups)),
            pa.StructArray.from_arrays(
                [pa.array(self.us), pa.array(self.lat), pa.array(self.lng)], fields=list(_POINT)
            ),
        )


def no_points(groups: int) -> pa.ListArray:
    """BETWEEN lists with nothing in them."""
    return pa.ListArray.from_arrays(pa.array(np.zeros(groups + 1, np.int32)), pa.array([], _POINT))


def _offsets(group: NDArray[np.int64], groups: int) -> NDArray[np.int32]:
    offsets = np.zeros(groups + 1, np.int32)
    np.cumsum(np.bincount(group, minlength=groups), out=offsets[1:])
    return offsets
