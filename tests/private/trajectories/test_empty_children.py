"""Ranks of empty candidates become the right pairs: every empty one has its rank, no occupied one has any."""

from __future__ import annotations

import numpy as np
import pytest

from dpcore.kinds.tree.private.growth import Candidates
from dpcore.kinds.tree.tree import NoiseSource
from tests.synthesis.tree.growing import QUIET, five_levels, planned

ALL = NoiseSource(QUIET.laplace, lambda empty, *_: np.arange(empty), QUIET.tail)


@pytest.mark.parametrize("seed", range(20))
def test_all_ranks_together_are_the_empty_pairs_of_a_rate_each_once(seed):
    rng = np.random.default_rng(seed)
    tiles, nodes = int(rng.integers(1, 30)), int(rng.integers(1, 6))
    plan = planned(five_levels(tiles, seed))
    units = rng.integers(1, 4, (nodes, 5)) * 1_000  # levels share rates, within a node and across nodes
    level = plan.levels.level - 1
    rate = units[:, level]  # of every pair of a node and a tile
    occupied = np.flatnonzero(rng.random(nodes * tiles) < rng.random())
    parent, symbol = np.divmod(occupied, tiles)
    candidates = Candidates(plan, units)
    assert candidates.rates() == np.unique(rate).tolist()
    for number in candidates.rates():
        own = rate[parent, symbol] == number
        node, tile = candidates.false_positives(ALL, number, 1, parent=parent[own], symbol=symbol[own])
        empty = np.setdiff1d(np.flatnonzero(rate.ravel() == number), occupied)
        assert np.array_equal(np.sort(node * tiles + tile), empty)


def test_a_level_without_tiles_has_no_candidates():
    plan = planned(five_levels(1))
    assert len(Candidates(plan, np.arange(1, 11).reshape(2, 5)).rates()) == 2
    assert Candidates(plan, np.zeros((0, 5), np.int64)).rates() == []
