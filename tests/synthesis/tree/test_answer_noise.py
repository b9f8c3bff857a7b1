"""The variance of an answer against dense least squares, and against trees that are drawn again and again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from dpcore.kinds.tree.allocation import unit_rate
from dpcore.kinds.tree.answers import AnswerNoise, half_width
from dpcore.kinds.tree.tree import Consistency, consistent, variances
from dpcore.noise.samplers import discrete_laplace
from tests.synthesis.tree.test_tree_consistency import dense, random_tree


@pytest.mark.parametrize("seed", range(20))
def test_the_variance_of_a_sum_of_equal_estimates_is_that_of_dense_least_squares(seed):
    tree = random_tree(seed)
    own = variances(tree)
    projection = dense(tree, 1 / own)
    own[0] = 0
    noise = AnswerNoise.of(tree, Consistency.EQUAL)
    rng = np.random.default_rng(seed)
    for _ in range(10):
        nodes = rng.choice(np.arange(1, len(tree)), rng.integers(1, len(tree)), replace=False)
        wanted = np.zeros(len(tree))
        wanted[nodes] = 1
        assert noise.of_sum(nodes) == pytest.approx((wanted @ projection) ** 2 @ own, rel=1e-9)
    assert noise.of_sum(np.zeros(0, np.int64)) == 0


def test_counts_as_they_are_are_independent():
    tree = random_tree(2)
    noise = AnswerNoise.of(tree, Consistency.NONE)
    assert noise.of_sum(np.array([1, 3, 4])) == pytest.approx(variances(tree)[[1, 3, 4]].sum())


def test_equal_estimates_are_no_noisier_than_counts():
    for seed in range(10):
        tree = random_tree(seed)
        every = np.flatnonzero(~np.isin(np.arange(len(tree)), tree.parent))  # leaves
        equal, none = (
            AnswerNoise.of(tree, how).of_sum(every) for how in (Consistency.EQUAL, Consistency.NONE)
        )
        assert equal <= none * (1 + 1e-12)


@pytest.mark.parametrize("how", Consistency)
def test_unpruned_answers_lie_in_their_interval_95_times_of_100_or_more(how):
    """1,500 draws of the noise of one tree whose nodes add up: 94 % is what 95 % may come down to."""
    tree = random_tree(4)
    true = np.where(np.isin(np.arange(len(tree)), tree.parent), 0, 100 + np.arange(len(tree)))
    for node in range(len(tree) - 1, 0, -1):
        true[tree.parent[node]] += true[node]
    nodes = np.flatnonzero(tree.depth == 2)[::2]
    half = half_width(AnswerNoise.of(tree, how).of_sum(nodes))
    draws = np.stack(
        [
            np.zeros(1_500, np.int64),
            *(discrete_laplace(unit_rate(int(units)), 1_500) for units in tree.units[1:]),
        ]
    )
    inside = 0
    for row in range(1_500):
        x = consistent(replace(tree, y=true + draws[:, row]), how).x[nodes]
        inside += abs(x.sum() - true[nodes].sum()) <= half
    assert inside > 0.94 * 1_500


def test_a_tree_of_the_root_alone_has_no_noise():
    tree = random_tree(1)
    alone = replace(tree, **{name: getattr(tree, name)[:1] for name in ("parent", "symbol", "depth", "level", "units", "y", "x")})  # fmt: skip
    assert AnswerNoise.of(alone, Consistency.EQUAL).of_sum(np.zeros(0, np.int64)) == 0
