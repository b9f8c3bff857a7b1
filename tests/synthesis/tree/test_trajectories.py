"""Whole weights and the trajectories that they stand for."""

from __future__ import annotations

import numpy as np
import pytest

from dpcore.kinds.tree.paths import Ending, paths_of
from dpcore.kinds.tree.tree import Consistency, consistent, exact_weights, integer_weights
from tests.synthesis.tree.growing import QUIET, five_levels, grown, levels_of, planned, walks
from tests.synthesis.tree.written_out import beginning, synthetic_trajectories


@pytest.fixture(scope="module", params=Consistency)
def tree(request):
    return consistent(grown(walks(5_000, 40, 7), planned(five_levels(40), "1", 4)), request.param)


def test_weights_are_whole_and_never_negative_and_add_up_to_the_number_of_the_node(tree):
    weights = integer_weights(tree)
    assert weights.dtype == np.int64
    assert weights.min() >= 0
    number = weights.copy()
    for row in range(len(tree) - 1, 0, -1):
        number[tree.parent[row]] += number[row]
    assert (number[1:] >= np.rint(tree.x[1:])).all()
    leaves = tree.is_marker
    assert np.array_equal(number[leaves], np.maximum(np.rint(tree.x[leaves]), 0))


def test_exact_weights_add_up_to_every_estimate(tree):
    number = exact_weights(tree)
    for row in range(len(tree) - 1, 0, -1):
        number[tree.parent[row]] += number[row]
    assert np.allclose(number[1:], tree.x[1:])


def test_every_weight_becomes_as_many_trajectories(tree):
    weights = integer_weights(tree)
    written = synthetic_trajectories(tree)
    paths = paths_of(tree, weights)
    assert len(written) == weights.sum() == paths.total
    assert written.offsets[-1] == len(written.symbols)
    ones = list(np.split(written.symbols, written.offsets[1:-1]))
    first = ones[0].tolist()
    assert sum(one[: len(first)].tolist() == first for one in ones) == beginning(paths, first)
    for ending in Ending:
        assert (written.ending == ending).sum() == paths.weight[paths.ending == ending].sum()


def test_the_same_tree_gives_the_same_trajectories(tree):
    one, two = synthetic_trajectories(tree), synthetic_trajectories(tree)
    assert np.array_equal(one.symbols, two.symbols)
    assert np.array_equal(one.offsets, two.offsets)


def test_without_noise_and_pruning_the_trajectories_come_back_cut_and_marked():
    plan = planned(levels_of(1, 2), "60", 2)
    trajectories = [(0,)] * 3 + [(0, 1)] * 4 + [(1, 1, 0)] * 5 + [()] * 6
    tree = consistent(grown(trajectories, plan, QUIET))
    written = synthetic_trajectories(tree)
    ones = [tuple(one.tolist()) for one in np.split(written.symbols, written.offsets[1:-1])]
    assert sorted(zip(ones, written.ending.tolist(), strict=True)) == sorted(
        [((0,), Ending.COMPLETE)] * 3 + [((0, 1), Ending.COMPLETE)] * 4 + [((1, 1), Ending.CUT)] * 5
    )


def test_what_was_too_rare_below_a_node_is_marked_as_unknown():
    plan = planned(levels_of(*[2] * 8), "3", 2)
    trajectories = [(0, after) for after in range(8) for _ in range(2)]  # 16 begin with 0, 2 go on to each
    tree = consistent(grown(trajectories, plan, QUIET), Consistency.SLACK)
    written = synthetic_trajectories(tree)
    assert (written.ending == Ending.UNKNOWN).all()
    assert len(written) == len(written.symbols) == 16
