"""The law of flows: any of a hundred million pairs from a few numbers of each tile.

The flow from tile i to another tile j is ``a_i b_j f(distance band) F(district pair)``. The factors are such that the flows out of
each tile, those into it, those of each distance band and those of each pair of districts have given sums. Of all tables with
these sums it is the most even one (iterative proportional fitting; Deming and Stephan 1940, Wilson 1967 for flows).

**Trips within a tile** are a class of their own. How many of the trips that begin in a tile end there too follows from its
size and from how long trips are (``pairs.Bands.stay``). The law above says nothing of them: it makes them grow with the square
of the trips of a tile, and in a city they grow with the trips.

Only ``f F`` is kept: of each near pair, and of each pair of groups that are far from one another (``pairs``).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from dpcore.estimates.noisy import Integers, Numbers
from dpcore.estimates.pairs import Pairs, bands_of, pairs_of
from dpcore.estimates.places import Geography
from dpcore.estimates.raking import quotient, summed

if TYPE_CHECKING:
    from scipy import sparse

_BAND_ROUNDS: Final = 12
_ROUNDS: Final = 25
_CLOSE: Final = 1e-4
_STEEPEST: Final = 1e20  # a factor beyond it tells nothing
_STEP: Final = 30.0  # by which a factor changes at most in one round
_LEFT: Final = 1e-3
"""What ``forget`` leaves of a pair."""
_MOST_WITHIN: Final = 0.9  # of the trips that begin or end in a tile


@dataclass(eq=False)
class Law:
    """Flows between all places: the tiles, then outside. Made by ``gravity``, then bent by ``to_districts``."""

    out: Numbers
    """Flows out of each place, shape (tiles + 1,)."""
    into: Numbers
    """Flows into each place. Both have one total."""
    within: Numbers
    """Flows from each tile into itself; 0 for outside, whose trips are a pair like others."""
    pairs: Pairs
    near: Numbers = field(init=False)
    """``f(band) F(pair)`` of each near pair, beside that of its groups."""
    far: Numbers = field(init=False)
    """The same of each pair of groups, shape (groups, groups); 0 where their pairs are near."""
    origin: Numbers = field(init=False)
    """The factors a."""
    destination: Numbers = field(init=False)
    """The factors b."""

    def __post_init__(self) -> None:
        """Start without any factor but the margins."""
        self.near = np.ones(len(self.pairs.origin))
        self.far = self.pairs.far.astype(np.float64)
        self.origin = self.out.copy()
        self.destination = self.into / max(float(self.into.sum()), 1e-300)

    @property
    def places(self) -> int:
        """Tiles and outside."""
        return len(self.out)

    def _matrix(self) -> sparse.csr_array:
        from scipy import sparse  # noqa: PLC0415 - slow to load, and not every release has estimates

        starts = np.searchsorted(self.pairs.origin, np.arange(self.places + 1))
        return sparse.csr_array((self.near, self.pairs.destination, starts), shape=(self.places,) * 2)

    def near_flows(self) -> Numbers:
        """The flow of each near pair."""
        found: Numbers = self.near * self.origin[self.pairs.origin]
        found *= self.destination[self.pairs.destination]
        return found

    def far_flows(self) -> Numbers:
        """The flows between groups that are far from one another, shape (groups, groups)."""
        found: Numbers = self.far * summed(self.origin, self.pairs.node)[:, None]
        found *= summed(self.destination, self.pairs.node)
        return found

    def flows(self, cells: Integers) -> Numbers:
        """The flow of some pairs, given by ``origin * places + destination``."""
        origin, destination = np.divmod(cells, self.places)
        found = self.far[self.pairs.node[origin], self.pairs.node[destination]]
        at, near = self._near(cells)
        found[near] += self.near[at[near]]
        found *= self.origin[origin]
        found *= self.destination[destination]
        return np.where(origin == destination, found + self.within[origin], found)

    def forget(self, cells: Integers) -> None:
        """Take some pairs out of the law, but for ``_LEFT`` of each. A far one becomes a near one that takes away what its groups have for it.

        A place may have trips left where all of its pairs are taken. Were nothing of them kept, its sums would be what rounding
        leaves of a difference, which is another number on another computer.
        """
        at, near = self._near(cells)
        self.near[at[near]] *= _LEFT
        origin, destination = np.divmod(cells, self.places)
        self.within[origin[origin == destination]] = 0.0
        away = ~near & ((origin != destination) | (origin == self.places - 1))
        origin, destination = origin[away], destination[away]
        gone = (_LEFT - 1) * self.far[self.pairs.node[origin], self.pairs.node[destination]]
        begins = np.append(self.pairs.origin, origin)
        ends = np.append(self.pairs.destination, destination)
        order = np.argsort(begins * self.places + ends, kind="stable")
        self.pairs = replace(self.pairs, origin=begins[order], destination=ends[order])
        self.near = np.append(self.near, gone)[order]

    def _near(self, cells: Integers) -> tuple[Integers, NDArray[np.bool_]]:
        """The number of the near pair that each pair is, and whether it is one."""
        held = self.pairs.origin * self.places + self.pairs.destination
        if not len(held):
            return np.zeros(len(cells), np.int64), np.zeros(len(cells), bool)
        at = np.minimum(np.searchsorted(held, cells), len(held) - 1)
        return at, held[at] == cells

    def table(self) -> Numbers:
        """All flows, shape (places, places)."""
        found: Numbers = self.far[self.pairs.node[:, None], self.pairs.node]
        found[self.pairs.origin, self.pairs.destination] += self.near
        found *= self.origin[:, None]
        found *= self.destination
        found[np.diag_indices(self.places)] += self.within
        return found

    def largest(self, least: float) -> Iterator[tuple[Integers, Numbers]]:
        """All flows of at least ``least``, in parts: numbers of pairs, and their flows."""
        tiles = np.flatnonzero(self.within >= least)
        yield tiles * (self.places + 1), self.within[tiles]
        flows = self.near_flows()
        some = np.flatnonzero(flows >= least)
        yield self.pairs.origin[some] * self.places + self.pairs.destination[some], flows[some]
        most_out, most_into = np.zeros(len(self.far)), np.zeros(len(self.far))
        np.maximum.at(most_out, self.pairs.node, self.origin)
        np.maximum.at(most_into, self.pairs.node, self.destination)
        reached = self.far * most_out[:, None] * most_into >= least
        for group in np.flatnonzero(reached.any(axis=1)):
            rows = np.flatnonzero(self.pairs.node == group)
            columns = np.flatnonzero(reached[group][self.pairs.node])
            shape = self.far[group, self.pairs.node[columns]] * self.destination[columns]
            flows = self.origin[rows, None] * shape
            row, column = np.nonzero(flows >= least)
            yield rows[row] * self.places + columns[column], flows[row, column]

    def balance(self, rounds: int = _ROUNDS) -> None:
        """Fit the factors of the places to their margins, destinations last."""
        near, node = self._matrix(), self.pairs.node
        back = near.T
        leaving, arriving = np.maximum(self.out - self.within, 0.0), np.maximum(self.into - self.within, 0.0)
        for _ in range(rounds):
            reached = near @ self.destination + (self.far @ summed(self.destination, node))[node]
            off = float(np.abs(self.origin * reached - leaving).sum())
            self.origin = quotient(leaving, reached)
            reached = back @ self.origin + (summed(self.origin, node) @ self.far)[node]
            self.destination = quotient(arriving, reached)
            if off <= _CLOSE * float(leaving.sum()):
                break

    def between(self, district: Integers) -> Numbers:
        """Flows between districts; ``district`` numbers that of each place. Places of one group lie in one district."""
        of_node = self._of_nodes(district)
        count = int(district.max()) + 1
        cells = district[self.pairs.origin] * count + district[self.pairs.destination]
        found = np.bincount(cells, self.near_flows(), minlength=count * count)
        member = np.zeros((len(of_node), count))
        member[np.arange(len(of_node)), of_node] = 1.0
        sums: Numbers = found.reshape(count, count) + member.T @ self.far_flows() @ member
        sums[np.diag_indices(count)] += summed(self.within, district, count)
        return sums

    def to_districts(self, wanted: Numbers, district: Integers, rounds: int = 6) -> None:
        """Bend the law until the flows between districts are the wanted ones, whose margins are those of the places."""
        of_node = self._of_nodes(district)
        for _ in range(rounds):
            found = self.between(district)
            factor = np.clip(np.divide(wanted, found, out=np.ones_like(wanted), where=found > 0), 1e-6, 1e6)
            if np.abs(found - wanted).sum() <= _CLOSE * wanted.sum():
                break
            self.near *= factor[district[self.pairs.origin], district[self.pairs.destination]]
            self.far *= factor[of_node[:, None], of_node]
            self.within = _at_most(self.within * np.diag(factor)[district], self.out, self.into)
            np.minimum(self.near, _STEEPEST, out=self.near)
            np.minimum(self.far, _STEEPEST, out=self.far)
            self.balance(3)

    def _of_nodes(self, district: Integers) -> Integers:
        found = np.zeros(len(self.far), np.int64)
        found[self.pairs.node] = district
        return found


def _at_most(within: Numbers, out: Numbers, into: Numbers) -> Numbers:
    return np.minimum(within, _MOST_WITHIN * np.minimum(out, into))


def gravity(
    out: Numbers, into: Numbers, geography: Geography, edges: Numbers, lengths: Numbers | None
) -> Law:
    """The law with given margins and, among flows between tiles, given shares of the distance bands.

    ``edges``: kilometres at which bands end. ``lengths``: trips in each band; None if nothing is known of distances.
    """
    pairs = pairs_of(geography)
    if lengths is None or lengths.sum() <= 0:
        even = np.append((out * into / max(float(out.sum()), 1e-300))[:-1], 0.0)
        law = Law(out, into, _at_most(even, out, into), pairs)
        law.balance()
        return law
    bands = bands_of(geography, tuple(edges.tolist()))
    share = np.maximum(lengths / lengths.sum(), 1e-6)
    staying = bands.stay * share
    within = _at_most(np.append(out[:-1] * staying.sum(axis=1), 0.0), out, into)
    law = Law(out, into, within, pairs)
    count = len(law.far) - 1
    is_far = law.pairs.far[:count, :count]
    kept = (within[:-1] / np.maximum(staying.sum(axis=1), 1e-300)) @ staying  # by band
    f = np.ones(len(share))
    for _ in range(_BAND_ROUNDS):
        law.balance(2)
        flows = np.bincount(bands.of_near, law.near_flows(), minlength=len(bands.in_bands)) + np.bincount(
            bands.of_far[is_far], law.far_flows()[:count, :count][is_far], minlength=len(bands.in_bands)
        )
        before = bands.in_bands @ f
        found = f * ((flows / before) @ bands.in_bands)  # what the law has in each band
        if not found.sum() > 0:
            break
        wanted = np.maximum(share * (found.sum() + kept.sum()) - kept, 1e-6 * found.sum())
        wanted *= found.sum() / wanted.sum()
        f = f * np.clip(np.divide(wanted, found, out=np.ones_like(wanted), where=found > 0), 1 / _STEP, _STEP)
        factor = bands.in_bands @ f
        law.near = factor[bands.of_near]
        law.far[:count, :count] = np.where(is_far, factor[bands.of_far], 0.0)
        if np.abs(found - wanted).sum() <= 1e-3 * wanted.sum():
            break
    law.balance()
    return law
