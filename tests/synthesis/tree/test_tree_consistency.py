"""Two passes equal dense least squares, and what they do to unpruned and pruned trees."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dpcore.kinds.tree.allocation import unit_rate
from dpcore.kinds.tree.tree import Consistency, Tree, consistent, variances
from tests.synthesis.tree.growing import five_levels, grown, planned, walks


def random_tree(seed, depth=3):
    """A tree of random shape, rates and noisy counts; every branch ends in a leaf at some depth."""
    rng = np.random.default_rng(seed)
    parents, depths, layer = [-1], [0], [0]
    for level in range(1, depth + 1):
        new = []
        for node in layer:
            if level > 1 and rng.random() < 0.3:
                continue
            for _ in range(rng.integers(1, 4)):
                new.append(len(parents))
                parents.append(node)
                depths.append(level)
        layer = new
    n = len(parents)
    y = rng.integers(-20, 60, n)
    y[0] = 0
    return Tree(
        height=depth,
        locations=100,
        parent=np.array(parents),
        symbol=np.arange(-1, n - 1, dtype=np.int32),
        depth=np.array(depths, np.int16),
        level=np.ones(n, np.int8),
        units=np.append(0, rng.integers(2_000, 80_000, n - 1)),
        y=y,
        x=y.astype(np.float64),
    )


def dense(tree, weights):
    """The projection of noisy counts on trees that add up: a matrix from y to x."""
    n = len(tree)
    leaves = np.setdiff1d(np.arange(n), tree.parent)
    below = np.zeros((n, len(leaves)))
    for column, leaf in enumerate(leaves):
        node = leaf
        while node >= 0:
            below[node, column] = 1
            node = tree.parent[node]
    normal = below.T @ (weights[:, None] * below)
    return below @ np.linalg.solve(normal, below.T * weights)


@pytest.mark.parametrize("seed", range(30))
def test_two_passes_are_dense_least_squares(seed):
    tree = random_tree(seed)
    x = dense(tree, 1 / variances(tree)) @ tree.y
    assert np.abs(consistent(tree).x - x).max() < 1e-9


@pytest.mark.parametrize("seed", range(10))
def test_on_unpruned_trees_every_estimate_is_unbiased_and_no_noisier_than_its_count(seed):
    tree = random_tree(seed)
    variance = variances(tree)
    projection = dense(tree, 1 / variance)
    variance[0] = 0  # the root is not measured: its column is 0
    after = (projection**2 * variance).sum(axis=1)
    assert np.allclose(projection @ projection, projection)
    assert (after[1:] <= variance[1:] * (1 + 1e-12)).all()
    if tree.depth[-1] > 1:  # a tree of one layer has nothing to learn from
        assert after[1:].sum() < 0.95 * variance[1:].sum()


def test_ignoring_unequal_variances_would_be_noticed():
    tree = random_tree(3)
    equal_noise = dense(tree, np.append(0.0, np.ones(len(tree) - 1))) @ tree.y
    assert np.abs(consistent(tree).x - equal_noise).max() > 0.1


def test_variances_are_those_of_the_noise():
    tree = random_tree(1)
    q = np.exp(-np.array([float(unit_rate(int(one))) for one in tree.units[1:]]))
    assert np.allclose(variances(tree)[1:], 2 * q / (1 - q) ** 2)
    assert np.isinf(variances(tree)[0])


@pytest.fixture(scope="module")
def pruned():
    return grown(walks(20_000, 40, 7), planned(five_levels(40), "1", 4))


def test_equal_adds_up_on_pruned_trees(pruned):
    tree = consistent(pruned, Consistency.EQUAL)
    inner = np.unique(tree.parent[1:])
    assert np.abs(tree.sum_of_children(tree.x) - tree.x)[inner].max() < 1e-8


def test_slack_lets_children_be_less_than_their_parent_and_never_more(pruned):
    tree = consistent(pruned, Consistency.SLACK)
    gap = (tree.x - tree.sum_of_children(tree.x))[np.unique(tree.parent[1:])]
    assert gap.min() > -1e-8
    assert gap.max() > 10


def test_slack_leaves_alone_what_needs_no_mending():
    tree = random_tree(5)
    heavy = replace(tree, y=tree.y + 1_000 * (3 - tree.depth.astype(np.int64)) ** 2)
    assert np.allclose(consistent(heavy, Consistency.SLACK).x[1:], heavy.y[1:])


def test_none_keeps_noisy_counts_and_adds_up_the_root(pruned):
    tree = consistent(pruned, Consistency.NONE)
    assert np.array_equal(tree.x[1:], pruned.y[1:])
    assert tree.x[0] == pruned.y[pruned.parent == 0].sum()


def test_a_root_alone_is_consistent():
    tree = random_tree(1)
    alone = replace(tree, **{name: getattr(tree, name)[:1] for name in ("parent", "symbol", "depth", "level", "units", "y", "x")})  # fmt: skip
    for how in Consistency:
        assert consistent(alone, how).x.tolist() == [0.0]
