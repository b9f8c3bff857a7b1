"""A sum or a mean by tile as every map shows it: numbers with ranges, classes of colours, and the words of its legend.

Only released numbers enter. Classes are made of those of the finest rung, so that the colours are the same at every rung.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.errors import InternalError
from dpcore.measures.keys import KeySet
from dpcore.measures.measurement import Measurement
from dpcore.measures.sums import COMPONENTS, Sum, sum_named
from dpcore.release.release import Release
from dpcore.release.sums import sums_on_tiles, told_table
from dpcore.views.ground.plain import with_id
from dpcore.views.ground.reading import BY_NOISE, CLASSES
from dpcore.views.numbers.area import VISITS

TOO_FEW: Final = "Too few: there may be no value at all, so there is no mean."
"""In place of a mean that the tables leave out."""
RELEASED_SUMS: Final = "Sums and means are released numbers of the trips that count, with the range of their noise. They have no estimates."
_NO_VALUE: Final = "too few: there may be no value at all"

Told = tuple[float | None, float, float]
"""A number with the ends of its range; None where there is no mean."""


@dataclass(frozen=True, eq=False)
class ToldTiles:
    """The numbers of each tile and their colours."""

    numbers: tuple[Told | None, ...]
    """By the place of the tile; None where the table does not list it."""
    which: NDArray[np.int64]
    """The class of each tile, 1 for the lowest; 0, grey, where nothing can be told."""
    classes: tuple[str, ...]
    """The classes in words, the lowest first."""
    unit: str
    """What is shown, such as ``Mean of duration by tile, in minutes``. It holds a name of others."""
    grey: str
    """What grey means."""
    one: Sum

    def words(self, tile: int, between: str = "; ") -> str:
        """The number of a tile with its range; empty where the table does not list it."""
        told = self.numbers[tile]
        return "" if told is None else _told_words(told, self.one, between)

    def largest(self, most: int) -> tuple[int, ...]:
        """The tiles with the largest numbers that can be told, the largest first."""
        known = [
            (-told[0], tile)
            for tile, told in enumerate(self.numbers)
            if told is not None and told[0] is not None and self.which[tile]
        ]
        return tuple(tile for _, tile in sorted(known)[:most])


def _told_words(told: Told, one: Sum, between: str = "; ") -> str:
    value, low, high = told
    if value is None:
        return TOO_FEW
    counted = f" {one.measured_in}".rstrip()
    return f"about {value:,.9g}{counted}{between}95 % range {low:,.9g} to {high:,.9g}"


def sums_in_all(release: Release) -> tuple[str, ...]:
    """Each sum and mean over all trips that count, in words with its range, at the finest stop."""
    found = []
    for name, table in release.measurements.items():
        one = sum_named(name, release.plan.choices.sums)
        if one is not None and (told := _in_all(table, one)) is not None:
            found.append(f"{release.plan.measure(name).title}: {_told_words(told, one)}.")
    return tuple(found)


def _in_all(table: Measurement, one: Sum) -> Told | None:
    """The number of a table that has no other; None of one that tells a number for each of several cells."""
    found = _numbers_of_places(table, one, len(table.rungs) - 1)
    return found[0] if len(found) == 1 else None


def sum_on_map(release: Release, colours: str) -> str:
    """The sum or mean that colours the map; empty for visits. Where there are no visits, it is the first that there is."""
    there = sums_on_tiles(release)
    if colours in there:
        return colours
    return there[0] if there and VISITS not in release.measurements else ""


def told_of(release: Release, name: str, rung: int) -> ToldTiles:
    """A sum or a mean of a release, by its name."""
    one = sum_named(name, release.plan.choices.sums)
    if one is None:
        raise InternalError.at("a map of a sum that was not declared")
    return told_tiles(release.measurements[name], one, rung, len(release.tessellation.tile_ids))


def told_tiles(measurement: Measurement, one: Sum, rung: int, tiles: int) -> ToldTiles:
    """The numbers of a sum or a mean at a rung; ``tiles``: how many tiles there are."""
    mean = one.names[1] == measurement.measure
    finest, now = (_numbers_of_places(measurement, one, at) for at in (len(measurement.rungs) - 1, rung))
    edges = _breaks(finest)
    cells = cells_of_tiles(
        measurement.keys, measurement.cell_numbers, tiles, (COMPONENTS[0],) if mean else ()
    )
    numbers = tuple(None if cell is None else now[cell] for cell in cells)

    def class_of(told: Told | None) -> int:
        if told is None or told[0] is None or (not mean and told[1] <= 0 <= told[2]):
            return 0
        return 1 + bisect_right(edges, told[0])

    classes = (
        f"under {edges[0]:,.9g}",
        *(f"{low:,.9g} to under {high:,.9g}" for low, high in pairwise(edges)),
        f"{edges[-1]:,.9g} or more",
    )
    unit = f"{'Mean' if mean else 'Sum'} of {one.title} by tile"
    return ToldTiles(
        numbers,
        np.array([class_of(told) for told in numbers], np.int64),
        classes,
        f"{unit}, in {one.measured_in}" if one.measured_in else unit,
        _NO_VALUE if mean else BY_NOISE,
        one,
    )


def largest_words(release: Release, name: str, rung: int) -> str:
    """The tile with the largest number that can be told, in a sentence; that there is none is said too."""
    found = told_of(release, name, rung)
    title = release.plan.measure(name).title
    first = found.largest(1)
    if not first:
        return f"{title}: nothing can be told of any tile."
    return f"{title}: the largest is that of {tile_words(release, first[0])}, {found.words(first[0])}."


def tile_words(release: Release, tile: int) -> str:
    """Name and id of a tile."""
    return with_id(release.tessellation.tile_ids[tile], release.tessellation.called[tile])


def cells_of_tiles(
    keys: KeySet, cells: NDArray[np.int64], tiles: int, group: Sequence[str]
) -> list[int | None]:
    """The position of each tile among the listed cells; None for one that a sparse table does not list.

    ``group``: keys before the tile; empty where there are none.
    """
    *before, where = np.unravel_index(cells, keys.shape)
    mine = where < tiles
    for axis, position, key in zip(keys.axes, before, group, strict=False):
        mine &= position == axis.labels.index(key)
    found: list[int | None] = [None] * tiles
    for tile, cell in zip(where[mine].tolist(), np.flatnonzero(mine).tolist(), strict=True):
        found[tile] = cell
    return found


def _numbers_of_places(measurement: Measurement, one: Sum, rung: int) -> list[Told]:
    """The number of each place with the ends of its range, in the order of the listed cells."""
    columns = {name: column.to_pylist() for name, column in told_table(measurement, one, rung).items()}
    if "half_width_95" in columns:
        pairs = zip(columns["value"], columns["half_width_95"], strict=True)
        return [(value, value - wide, value + wide) for value, wide in pairs]
    return [*zip(columns["value"], columns["low_95"], columns["high_95"], strict=True)]


def _breaks(finest: Sequence[Told]) -> list[float]:
    """At most seven rising numbers of two digits that part the released numbers of the finest rung into classes."""
    known = [value for value, *_ in finest if value is not None]
    parts = np.quantile(known or [0.0], np.arange(1, CLASSES) / CLASSES)
    return sorted({float(f"{edge:.2g}") for edge in parts})
