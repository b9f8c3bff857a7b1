"""A small town in which people who travel a lot can be made to go elsewhere, and a quiet valley with one lively plaza.

Both are built to break what estimates assume. Everything is public and follows from the arguments alone. Tiles are numbered
row by row from the north west, ``COLUMNS`` in a row.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.demo.land import Floats, Indices

COLUMNS: Final = 12
ROWS: Final = 8
WORKS: Final = (69, 70, 81, 82)
"""The tiles of the works, in the south east: frequent travellers who are unlike others go there."""
PLAZA: Final = 74
"""The tile of the plaza in the valley."""
OFTEN: Final = 40
"""Trips of each frequent traveller; nobody makes more."""
_SELDOM: Final = 4  # most trips of anybody else
_PEOPLE, _COMMUTERS = 8_000, 800
_SEED: Final = 17


@dataclass(frozen=True, eq=False)
class TownTrips:
    """One row for each trip, ordered by person."""

    person: Indices
    start: Indices
    """Tile number."""
    end: Indices


@lru_cache(16)
def town_trips(unlike: int) -> TownTrips:
    """All trips of the town. ``unlike``: of 100 trips of a frequent traveller, how many begin or end at the works.

    Everybody else goes where it is popular, and so do frequent travellers on all their other trips.
    """
    rng = np.random.default_rng([_SEED, 0])
    trips = np.concatenate([np.full(_COMMUTERS, OFTEN), rng.integers(1, _SELDOM + 1, _PEOPLE)])
    person = np.repeat(np.arange(len(trips)), trips)
    ends = rng.choice(COLUMNS * ROWS, (len(person), 2), p=_popular(rng))
    works = rng.choice(WORKS, len(person))
    side = rng.integers(0, 2, len(person))
    goes = np.flatnonzero((person < _COMMUTERS) & (100 * rng.random(len(person)) < unlike))
    ends[goes, side[goes]] = works[goes]
    return TownTrips(person, ends[:, 0], ends[:, 1])


def valley(times: int) -> NDArray[np.int64]:
    """Visits of each tile of the valley, shape ``(tiles,)``. The plaza has so many times the visits of the tiles around it."""
    visits: NDArray[np.int64] = np.rint(60 * np.exp(-_from_middle() / 4)).astype(np.int64)
    around = [PLAZA + step for step in (-COLUMNS, -1, 1, COLUMNS)]
    visits[PLAZA] = times * round(float(visits[around].mean()))
    return visits


def _from_middle() -> Floats:
    """How far each tile lies from the middle, in tiles."""
    row, column = np.divmod(np.arange(COLUMNS * ROWS), COLUMNS)
    return np.hypot(row - (ROWS - 1) / 2, column - (COLUMNS - 1) / 2)


def _popular(rng: np.random.Generator) -> Floats:
    """The share of trips of each tile: most in the middle, and no two alike."""
    liked = np.exp(-_from_middle() / 3 + 0.3 * rng.standard_normal(COLUMNS * ROWS))
    return np.asarray(liked / liked.sum())
