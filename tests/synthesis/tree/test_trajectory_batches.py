"""Trajectories in batches are the synthetic trajectories of the tree, and as many of each path as there are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dpcore import limits
from dpcore.kinds.tree.noisy_tree import TrajectoryWriter
from dpcore.kinds.tree.paths import paths_of
from dpcore.kinds.tree.tree import consistent, integer_weights
from tests.synthesis.tree.growing import five_levels, grown, planned, walks
from tests.synthesis.tree.written_out import synthetic_trajectories


@pytest.fixture(scope="module")
def tree():
    levels = five_levels(12)
    return consistent(grown(walks(3_000, 12, 6), planned(levels, "2", 4)))


def listed(batches):
    return [
        (one.symbols[begin:end].tolist(), int(ending))
        for one in batches
        for begin, end, ending in zip(one.offsets[:-1], one.offsets[1:], one.ending, strict=True)
    ]


@pytest.mark.parametrize("visits", [1, 37, 10**6])
def test_batches_together_are_all_trajectories(tree, visits):
    writer = TrajectoryWriter(tree)
    all_of_them = synthetic_trajectories(tree)
    batches = list(writer.batches(visits))
    assert listed(batches) == listed([all_of_them])
    assert writer.extent.trajectories == len(all_of_them) == sum(map(len, batches))
    assert (writer.extent.visits, writer.extent.one_in) == (len(all_of_them.symbols), 1)
    assert all(len(one.symbols) <= max(visits, tree.height) for one in batches)


@pytest.mark.parametrize("most", [7, 100, 1_000])
def test_of_too_many_every_kth_is_written_and_shares_stay(tree, most, monkeypatch):
    monkeypatch.setattr(limits, "MAX_SYNTHETIC_TRIPS", most)
    writer = TrajectoryWriter(tree)
    extent, found = writer.extent, listed(writer.batches(50))
    every = listed([synthetic_trajectories(tree)])
    assert found == every[:: extent.one_in]
    assert extent.trajectories == len(found) <= most
    assert (
        extent.visits
        == sum(len(path) for path, _ in found)
        <= most + tree.height * len(paths_of(tree, integer_weights(tree)))
    )
    assert extent.one_in > 1


def test_forged_counts_beyond_all_trips_do_not_fill_the_memory(tree):
    huge = replace(tree, x=tree.x + 2.0**35)
    extent = TrajectoryWriter(huge).extent
    assert extent.trajectories <= limits.MAX_SYNTHETIC_TRIPS
    assert len(next(TrajectoryWriter(huge).batches(1_000))) <= 1_000


def test_a_tree_of_the_root_alone_has_one_empty_batch():
    empty = grown([], planned(five_levels(12), "0.5", 2))
    bare = replace(empty, x=np.full(len(empty), -1.0))
    writer = TrajectoryWriter(bare)
    assert [len(one) for one in writer.batches(10)] == [0]
    assert (writer.extent.trajectories, writer.extent.visits, writer.extent.one_in) == (0, 0, 1)
