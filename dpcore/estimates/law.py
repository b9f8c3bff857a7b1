"""The law of flows: any of a hundred million pairs from a few numbers of each tile.

The flow from tile i to tile j is ``a_i b_j f(distance band) F(district pair)``. The factors are such that the flows out of
each tile, those into it, those of each distance band and those of each pair of districts have given sums. Of all tables with
these sums it is the most even one (iterative proportional fitting; Deming and Stephan 1940, Wilson 1967 for flows).

Only one matrix is kept, ``f F`` in single precision: 400 MB for 10,000 tiles. Sums that must agree are taken in double
precision.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.estimates.noisy import Integers, Numbers
from dpcore.estimates.places import Ground

_ROWS: Final = 1_000_000  # pairs that are worked on at once
_BAND_ROUNDS: Final = 12
_ROUNDS: Final = 25
_CLOSE: Final = 1e-4
_STEP: Final = 30.0  # by which a factor changes at most in one round


@dataclass(eq=False)
class Law:
    """Flows between all places: the tiles, then outside. Made by ``gravity``, then bent by ``to_districts``."""

    out: Numbers
    """Flows out of each place, shape (tiles + 1,)."""
    into: Numbers
    """Flows into each place. Both have one total."""
    kernel: NDArray[np.float32]
    """``f(band) F(pair)``, shape (tiles + 1, tiles + 1)."""
    origin: Numbers = field(init=False)
    """The factors a."""
    destination: Numbers = field(init=False)
    """The factors b."""

    def __post_init__(self) -> None:
        """Start without any factor but the margins."""
        self.origin = self.out.copy()
        self.destination = self.into / max(float(self.into.sum()), 1e-300)

    @property
    def places(self) -> int:
        """Tiles and outside."""
        return len(self.out)

    def rows(self, some: slice) -> Numbers:
        """The flows out of some places to all places."""
        found: Numbers = self.kernel[some].astype(np.float64)
        found *= self.origin[some, None]
        found *= self.destination
        return found

    def blocks(self) -> list[slice]:
        """Rows in blocks of a moderate number of pairs."""
        step = max(1, _ROWS // self.places)
        return [slice(first, min(first + step, self.places)) for first in range(0, self.places, step)]

    def balance(self, rounds: int = _ROUNDS) -> None:
        """Fit the factors of the places to their margins, destinations last."""
        for _ in range(rounds):
            reached = _times(self.kernel, self.destination)
            off = float(np.abs(self.origin * reached - self.out).sum())
            self.origin = _divided(self.out, reached)
            self.destination = _divided(self.into, _times_transposed(self.kernel, self.origin))
            if off <= _CLOSE * float(self.out.sum()):
                break

    def between(self, district: Integers) -> Numbers:
        """Flows between districts; ``district`` numbers that of each place."""
        count = int(district.max()) + 1
        found = np.zeros((count, count))
        member = np.zeros((self.places, count), np.float32)
        member[np.arange(self.places), district] = self.destination
        for block in self.blocks():
            sums = (self.kernel[block] @ member).astype(np.float64) * self.origin[block, None]
            np.add.at(found, district[block], sums)
        return found

    def to_districts(self, wanted: Numbers, district: Integers, rounds: int = 6) -> None:
        """Bend the law until the flows between districts are the wanted ones, whose margins are those of the places."""
        for _ in range(rounds):
            found = self.between(district)
            factor = np.clip(np.divide(wanted, found, out=np.ones_like(wanted), where=found > 0), 1e-6, 1e6)
            if np.abs(found - wanted).sum() <= _CLOSE * wanted.sum():
                break
            for block in self.blocks():
                self.kernel[block] *= factor[district[block]].astype(np.float32)[:, district]
            self.balance(3)


def gravity(out: Numbers, into: Numbers, ground: Ground, edges: Numbers, lengths: Numbers | None) -> Law:
    """The law with given margins and, among flows between tiles, given shares of the distance bands.

    ``edges``: kilometres at which bands end. ``lengths``: trips in each band; None if nothing is known of distances.
    """
    law = Law(out, into, np.ones((len(out), len(out)), np.float32))
    if lengths is None or lengths.sum() <= 0:
        law.balance()
        return law
    band = distance_bands(ground, edges)
    share = np.maximum(lengths / lengths.sum(), 1e-6)
    for _ in range(_BAND_ROUNDS):
        law.balance(2)
        found = np.zeros(len(share))
        for block in law.blocks():
            flows = law.rows(block)[:, : ground.tiles]
            here = band[block]
            found += np.bincount(here.ravel(), flows[: len(here)].ravel(), minlength=len(share))
        wanted = share * found.sum()
        factor = np.clip(
            np.divide(wanted, found, out=np.ones_like(wanted), where=found > 0), 1 / _STEP, _STEP
        )
        for block in law.blocks():
            here = band[block]
            law.kernel[block][: len(here), : ground.tiles] *= factor.astype(np.float32)[here]
        if np.abs(found - wanted).sum() <= 1e-3 * wanted.sum():
            break
    law.balance()
    return law


def distance_bands(ground: Ground, edges: Numbers) -> NDArray[np.uint8]:
    """The distance band of each pair of tiles. A tile lies half the side of a square of its area from itself."""
    xy = ground.xy.astype(np.float32)
    squares = np.square(edges).astype(np.float32)
    found = np.empty((ground.tiles, ground.tiles), np.uint8)
    step = max(1, _ROWS // ground.tiles)
    for first in range(0, ground.tiles, step):
        some = slice(first, first + step)
        apart = np.square(xy[some, None, 0] - xy[None, :, 0])
        apart += np.square(xy[some, None, 1] - xy[None, :, 1])
        found[some] = np.searchsorted(squares, apart, side="right")
    found[np.diag_indices(ground.tiles)] = np.searchsorted(squares, ground.area / 4, side="right")
    return found


def _times(kernel: NDArray[np.float32], factor: Numbers) -> Numbers:
    """Sums over destinations. Factors are brought to a size that single precision holds."""
    size = max(float(np.abs(factor).max()), 1e-300)
    found: Numbers = (kernel @ (factor / size).astype(np.float32)).astype(np.float64) * size
    return found


def _times_transposed(kernel: NDArray[np.float32], factor: Numbers) -> Numbers:
    size = max(float(np.abs(factor).max()), 1e-300)
    found: Numbers = ((factor / size).astype(np.float32) @ kernel).astype(np.float64) * size
    return found


def _divided(wanted: Numbers, found: Numbers) -> Numbers:
    quotient: Numbers = np.divide(wanted, found, out=np.zeros_like(wanted), where=found > 0)
    return quotient
