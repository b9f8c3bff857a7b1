"""The law of flows: any of a hundred million pairs from a few numbers of each tile.

The flow from tile i to tile j is ``a_i b_j f(distance band) F(district pair)``. The factors are such that the flows out of
each tile, those into it, those of each distance band and those of each pair of districts have given sums. Of all tables with
these sums it is the most even one (iterative proportional fitting; Deming and Stephan 1940, Wilson 1967 for flows).

Only one matrix is kept, ``f F`` in single precision. Up to ``MOST_SINGLE`` tiles it has a row for each tile: 400 MB for
10,000 tiles. Of more tiles it has a row for each group of neighbours (``places``), which all have the distances of their group.
Each tile keeps its own a and b. So flows between groups are spread over their tiles as the flows out of them and into them.
Sums that must agree are taken in double precision.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dpcore.estimates.noisy import Integers, Numbers
from dpcore.estimates.places import Geography
from dpcore.estimates.raking import summed

MOST_SINGLE: Final = 12_000
"""Of more tiles, a group of neighbours shares one row of the matrix: 14 GB would be needed for 60,000 tiles."""
_ROWS: Final = 1_000_000  # pairs that are worked on at once
_BAND_ROUNDS: Final = 12
_ROUNDS: Final = 25
_CLOSE: Final = 1e-4
_STEEPEST: Final = np.float32(
    1e20
)  # a factor beyond it tells nothing; single precision ends at 1e38, and sums are made of it
_STEP: Final = 30.0  # by which a factor changes at most in one round
_NEAR: Final = 8.0  # sides of a tile; pairs within it are told apart finely
_NEAR_CLASSES: Final = 60
_SIZES: Final = 12  # classes of tiles by size
_POINTS: Final = 40


@dataclass(eq=False)
class Law:
    """Flows between all places: the tiles, then outside. Made by ``gravity``, then bent by ``to_districts``."""

    out: Numbers
    """Flows out of each place, shape (tiles + 1,)."""
    into: Numbers
    """Flows into each place. Both have one total."""
    node: Integers
    """Number of the row of each place in the matrix. Places of one row lie in one district."""
    kernel: NDArray[np.float32] = field(init=False)
    """``f(band) F(pair)``, shape (nodes, nodes)."""
    origin: Numbers = field(init=False)
    """The factors a."""
    destination: Numbers = field(init=False)
    """The factors b."""

    def __post_init__(self) -> None:
        """Start without any factor but the margins."""
        self.kernel = np.ones((int(self.node.max()) + 1,) * 2, np.float32)
        self.origin = self.out.copy()
        self.destination = self.into / max(float(self.into.sum()), 1e-300)

    @property
    def places(self) -> int:
        """Tiles and outside."""
        return len(self.out)

    def rows(self, some: slice, columns: Integers | slice = slice(None)) -> Numbers:
        """The flows out of some places to all places, or to some."""
        found = self.kernel[self.node[some, None], self.node[columns]].astype(np.float64)
        found *= self.origin[some, None]
        found *= self.destination[columns]
        return found

    def reached(self, some: slice, least: float) -> Integers:
        """The places to which a flow of at least ``least`` may go from some places. It tells them without all flows."""
        largest = np.zeros(len(self.kernel))
        np.maximum.at(largest, self.node[some], self.origin[some])
        nodes = np.flatnonzero(largest)
        shapes = self.kernel[nodes] * largest[nodes, None]
        most = shapes.max(axis=0, initial=0.0)[self.node] * self.destination
        return np.flatnonzero(most >= least * (1 - 1e-6))

    def nodes(self, some: slice) -> Numbers:
        """The flows out of some rows of the matrix to all others."""
        found: Numbers = self.kernel[some].astype(np.float64)
        found *= summed(self.origin, self.node)[some, None]
        found *= summed(self.destination, self.node)
        return found

    def balance(self, rounds: int = _ROUNDS) -> None:
        """Fit the factors of the places to their margins, destinations last."""
        for _ in range(rounds):
            reached = _times(self.kernel, summed(self.destination, self.node))[self.node]
            off = float(np.abs(self.origin * reached - self.out).sum())
            self.origin = _divided(self.out, reached)
            starting = summed(self.origin, self.node)
            self.destination = _divided(self.into, _times_transposed(self.kernel, starting)[self.node])
            if off <= _CLOSE * float(self.out.sum()):
                break

    def between(self, district: Integers) -> Numbers:
        """Flows between districts; ``district`` numbers that of each place."""
        of_node = self._of_nodes(district)
        count = int(district.max()) + 1
        found = np.zeros((count, count))
        member = np.zeros((len(of_node), count), np.float32)
        member[np.arange(len(of_node)), of_node] = summed(self.destination, self.node)
        starting = summed(self.origin, self.node)
        for block in blocks(len(of_node), len(of_node)):
            sums = (self.kernel[block] @ member).astype(np.float64) * starting[block, None]
            np.add.at(found, of_node[block], sums)
        return found

    def to_districts(self, wanted: Numbers, district: Integers, rounds: int = 6) -> None:
        """Bend the law until the flows between districts are the wanted ones, whose margins are those of the places."""
        of_node = self._of_nodes(district)
        for _ in range(rounds):
            found = self.between(district)
            factor = np.clip(np.divide(wanted, found, out=np.ones_like(wanted), where=found > 0), 1e-6, 1e6)
            if np.abs(found - wanted).sum() <= _CLOSE * wanted.sum():
                break
            for block in blocks(len(of_node), len(of_node)):
                with np.errstate(over="ignore"):  # of pairs between places without trips
                    self.kernel[block] *= factor[of_node[block]].astype(np.float32)[:, of_node]
            np.minimum(self.kernel, _STEEPEST, out=self.kernel)
            self.balance(3)

    def _of_nodes(self, district: Integers) -> Integers:
        found = np.zeros(len(self.kernel), np.int64)
        found[self.node] = district
        return found


def blocks(rows: int, columns: int) -> list[slice]:
    """Rows in blocks of a moderate number of pairs."""
    step = max(1, _ROWS // columns)
    return [slice(first, min(first + step, rows)) for first in range(0, rows, step)]


def gravity(
    out: Numbers, into: Numbers, geography: Geography, edges: Numbers, lengths: Numbers | None
) -> Law:
    """The law with given margins and, among flows between tiles, given shares of the distance bands.

    ``edges``: kilometres at which bands end. ``lengths``: trips in each band; None if nothing is known of distances.
    """
    single = geography.tiles <= MOST_SINGLE
    node = np.arange(geography.tiles) if single else geography.group
    law = Law(out, into, np.append(node, node.max() + 1))  # outside has a row of its own
    if lengths is None or lengths.sum() <= 0:
        law.balance()
        return law
    apart = distances(geography.xy if single else geography.groups.xy, summed(geography.area, node), edges)
    inside, share = len(apart.of_pairs), np.maximum(lengths / lengths.sum(), 1e-6)
    f = np.ones(len(share))
    for _ in range(_BAND_ROUNDS):
        law.balance(2)
        flows = np.zeros(len(apart.in_bands))
        for block in blocks(inside, inside):
            flows += np.bincount(
                apart.of_pairs[block].ravel(), law.nodes(block)[:, :inside].ravel(), minlength=len(flows)
            )
        before = apart.in_bands @ f
        found = f * ((flows / before) @ apart.in_bands)  # what the law has in each band
        wanted = share * found.sum()
        f = f * np.clip(np.divide(wanted, found, out=np.ones_like(wanted), where=found > 0), 1 / _STEP, _STEP)
        factor = (apart.in_bands @ f / before).astype(np.float32)
        for block in blocks(inside, inside):
            law.kernel[block, :inside] *= factor[apart.of_pairs[block]]
        if np.abs(found - wanted).sum() <= 1e-3 * wanted.sum():
            break
    law.balance()
    return law


@dataclass(frozen=True, eq=False)
class Distances:
    """How far apart the trips between two nodes begin and end.

    A trip begins anywhere in one tile and ends anywhere in the other. So the trips of near tiles lie in several bands: those
    between neighbours may be shorter than those within a tile. Of pairs far apart only the middle counts.
    """

    of_pairs: NDArray[np.uint8]
    """The class of each pair of nodes: how far apart their middles are, or how large the node is that both are."""
    in_bands: Numbers
    """Share of the trips of each class that lie in each band, shape (classes, bands)."""


def distances(xy: Numbers, area: Numbers, edges: Numbers) -> Distances:
    """Classes of pairs of nodes at ``xy`` (kilometres) with an ``area`` each (square kilometres)."""
    side = np.sqrt(area)
    usual = float(np.median(side))
    near = np.arange(1, _NEAR_CLASSES + 1) * (_NEAR * usual / _NEAR_CLASSES)
    ends = np.concatenate([near, edges[edges > near[-1]]])
    points, count = xy.astype(np.float32), len(xy)
    squares = np.square(ends).astype(np.float32)
    of_pairs = np.empty((count, count), np.uint8)
    for some in blocks(count, count):
        apart = np.square(points[some, None, 0] - points[None, :, 0])
        apart += np.square(points[some, None, 1] - points[None, :, 1])
        of_pairs[some] = np.searchsorted(squares, apart, side="right")
    sizes = np.geomspace(side.min(), side.max() * (1 + 1e-9), _SIZES)
    of_pairs[np.diag_indices(count)] = len(ends) + 1 + np.searchsorted(sizes[1:-1], side)
    middles = np.append(ends, ends[-1] * 2) - np.diff(ends, prepend=0.0, append=2 * ends[-1]) / 2
    spread = [_in_bands(middle, usual, edges) for middle in middles]
    within = [_in_bands(0.0, size, edges) for size in sizes]
    return Distances(of_pairs, np.array([*spread, *within]))


def _in_bands(apart: float, side: float, edges: Numbers) -> Numbers:
    """Share of the distances between two squares in each band, averaged over two directions."""
    u = (np.arange(_POINTS) + 0.5) / _POINTS * 2 - 1
    weight = np.outer(1 - np.abs(u), 1 - np.abs(u))  # of the difference of two even numbers
    found = np.zeros(len(edges) + 1)
    for east, north in ((apart, 0.0), (apart * 0.5**0.5, apart * 0.5**0.5)):
        length = np.hypot(east + side * u[:, None], north + side * u)
        band = np.searchsorted(edges, length, side="right")
        found += np.bincount(band.ravel(), weight.ravel(), minlength=len(found))
    shares: Numbers = found / found.sum()
    return shares


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
