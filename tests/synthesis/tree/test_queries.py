"""Queries against plain loops over explicit trajectories, and against the tree they came from."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest

from dpcore.kinds.tree.paths import (
    Ending,
    Lengths,
    Paths,
    Pattern,
    compare_patterns,
    frequent_patterns,
    paths_of,
)
from dpcore.kinds.tree.private.sequences import TileSequences
from dpcore.kinds.tree.queries import (
    ANY_ONE,
    ANY_RUN,
    relative_error,
    visiting_all,
    workload,
)
from dpcore.kinds.tree.tree import consistent, exact_weights
from tests.synthesis.tree.growing import QUIET, grown, levels_of, planned
from tests.synthesis.tree.written_out import matching

TILES, HEIGHT = 4, 5
RNG = np.random.default_rng(11)
WALKS = [tuple(RNG.integers(0, TILES, RNG.integers(0, HEIGHT + 3)).tolist()) for _ in range(300)]
CUT = [one[:HEIGHT] for one in WALKS if one]
PATHS = TileSequences.of(WALKS).paths(HEIGHT, TILES)


def holds(pattern, walk):
    """Whether a walk matches a pattern from its first tile on, any rest allowed."""
    if not pattern:
        return True
    first, rest = pattern[0], pattern[1:]
    if first == ANY_RUN:
        return any(holds(rest, walk[skip:]) for skip in range(len(walk) + 1))
    return bool(walk) and first in {ANY_ONE, walk[0]} and holds(rest, walk[1:])


def between(tiles):
    """The pattern of tiles one after the other, with any others between."""
    return [element for tile in tiles for element in (ANY_RUN, tile)]


def subsequence(pattern, walk):
    tiles = iter(walk)
    return all(tile in tiles for tile in pattern)


def test_paths_are_the_walks_cut_and_without_the_empty_ones():
    assert PATHS.total == len(CUT)
    found = Counter()
    for row in range(len(PATHS)):
        path = tuple(PATHS.symbols[row][PATHS.symbols[row] >= 0].tolist())
        found[path, int(PATHS.ending[row])] += PATHS.weight[row]
    longer = [Ending.CUT if len(one) > HEIGHT else Ending.COMPLETE for one in WALKS if one]
    assert found == Counter(zip(CUT, longer, strict=True))


def test_sets_are_counted_as_by_a_loop_whatever_their_order():
    sets = [(), *itertools.permutations(range(TILES), 2), *itertools.combinations(range(TILES), 3), (2, 2)]
    assert visiting_all(PATHS, sets).tolist() == [sum(set(q) <= set(one) for one in CUT) for q in sets]


def test_negative_weights_count_as_they_are():
    paths = Paths(3, np.array([[0, 1], [0, -1]], np.int32), np.zeros(2, np.int8), np.array([-2.0, 5.0]))
    assert visiting_all(paths, [(0,), (1,), (2,)]).tolist() == [3, -2, 0]
    assert matching(paths, [0]) == 3


@pytest.mark.parametrize("size", [0, 1, 2, 3])
def test_patterns_with_wildcards_are_found_as_by_a_loop(size):
    for pattern in itertools.product((0, 1, ANY_ONE, ANY_RUN), repeat=size):
        expected = sum(any(holds(pattern, one[at:]) for at in range(len(one) + 1)) for one in CUT)
        assert matching(PATHS, pattern) == expected, pattern


def test_long_patterns_with_several_runs_are_found_as_by_a_loop():
    for _ in range(300):
        pattern = RNG.choice([0, 1, 2, 3, ANY_ONE, ANY_RUN], RNG.integers(4, 9)).tolist()
        expected = sum(any(holds(pattern, one[at:]) for at in range(len(one) + 1)) for one in CUT)
        assert matching(PATHS, pattern) == expected, pattern


def test_order_and_prefixes_are_counted_as_by_a_loop():
    for tiles in itertools.chain(
        itertools.product(range(TILES), repeat=2), itertools.product(range(2), repeat=3)
    ):
        assert matching(PATHS, between(tiles)) == sum(subsequence(tiles, one) for one in CUT)
        assert matching(PATHS, tiles, anchored=True) == sum(one[: len(tiles)] == tiles for one in CUT)
    assert matching(PATHS, (), anchored=True) == len(CUT)
    assert matching(PATHS, (0,) * (HEIGHT + 1), anchored=True) == 0


@pytest.mark.parametrize(
    "ask",
    [
        lambda: visiting_all(PATHS, [(0, TILES)]),
        lambda: visiting_all(PATHS, [(-1,)]),
        lambda: matching(PATHS, [TILES]),
        lambda: matching(PATHS, [-3]),
        lambda: matching(PATHS, [-3], anchored=True),
    ],
)
def test_a_number_that_is_no_tile_is_refused(ask):
    with pytest.raises(ValueError, match="no tile"):
        ask()


def test_a_pattern_longer_than_its_states_is_refused():
    with pytest.raises(ValueError, match="60"):
        matching(PATHS, [0] * 61)


def test_lengths_are_counted_as_by_a_loop():
    full = [one for one in WALKS if one and len(one) <= HEIGHT]
    lengths = Lengths.of(PATHS)
    assert lengths.complete.tolist() == [sum(len(one) == size for one in full) for size in range(HEIGHT + 1)]
    assert lengths.longer == len(CUT) - len(full)
    assert lengths.unknown.sum() == 0


def every_pattern():
    """Support of every pattern that occurs, by a loop."""
    support = Counter()
    for one in CUT:
        support.update({c for size in range(1, HEIGHT + 1) for c in itertools.combinations(one, size)})
    return support


@pytest.mark.parametrize("least", [1, 2])
def test_frequent_patterns_are_the_most_frequent_of_all(least):
    support = {tiles: n for tiles, n in every_pattern().items() if len(tiles) >= least}
    expected = sorted(support, key=lambda tiles: (-support[tiles], len(tiles), tiles))[:60]
    found = frequent_patterns(PATHS, 60, least_length=least)
    assert [one.tiles for one in found] == expected
    assert [one.support for one in found] == [support[tiles] for tiles in expected]
    assert len(frequent_patterns(PATHS, 10**6, least_length=least)) == len(support)


def test_patterns_refuse_negative_weights_and_no_wish():
    paths = Paths(1, np.zeros((1, 1), np.int32), np.zeros(1, np.int8), np.array([-1.0]))
    with pytest.raises(ValueError, match="integer weights"):
        frequent_patterns(paths, 1)
    with pytest.raises(ValueError, match="one pattern or more"):
        frequent_patterns(PATHS, 0)


def test_lists_of_patterns_are_compared():
    true = [Pattern((0,), 10.0), Pattern((1,), 8.0), Pattern((0, 1), 5.0)]
    found = [Pattern((0,), 12.0), Pattern((0, 1), 4.0), Pattern((2,), 3.0)]
    result = compare_patterns(true, found)
    assert (result.true_positives, result.false_positives, result.false_drops) == (2, 1, 1)
    assert result.support_error == pytest.approx(0.2)
    assert compare_patterns(true, []).support_error == 0


def test_a_tree_without_noise_and_pruning_answers_as_its_trajectories_do():
    plan = planned(levels_of(*[2] * TILES), "60", HEIGHT)
    tree = consistent(grown(WALKS, plan, QUIET))
    paths = paths_of(tree, exact_weights(tree))
    sets = list(itertools.combinations(range(TILES), 2))
    assert visiting_all(paths, sets) == pytest.approx(visiting_all(PATHS, sets))
    assert matching(paths, [0, ANY_ONE, 1]) == pytest.approx(matching(PATHS, [0, ANY_ONE, 1]))
    assert Lengths.of(paths).longer == pytest.approx(Lengths.of(PATHS).longer)


def test_no_paths_answer_nothing():
    none = TileSequences.of([(), ()]).paths(HEIGHT, TILES)
    assert visiting_all(none, [(), (1,)]).tolist() == [0, 0]
    assert matching(none, [1]) == matching(none, [1], anchored=True) == 0
    assert frequent_patterns(none, 5) == []


def test_the_workload_is_public_of_four_groups_and_uniform():
    work = workload("test", 40_000, 52, 8)
    again = workload("test", 40_000, 52, 8)
    assert work.queries == again.queries
    assert work.queries != workload("other", 40_000, 52, 8).queries
    assert all(len(set(one)) == len(one) and min(one) >= 0 and max(one) < 52 for one in work.queries)
    for group, most in enumerate((2, 4, 6, 8)):
        sizes = np.bincount([len(work.queries[at]) for at in np.flatnonzero(work.group == group)])
        assert len(sizes) == most + 1
        assert np.abs(sizes[1:] - 10_000 / most).max() < 5 * np.sqrt(10_000 / most)
    seen = np.bincount([tile for one in work.queries for tile in one], minlength=52)
    assert np.abs(seen - seen.mean()).max() < 5 * np.sqrt(seen.mean())


def test_a_workload_of_few_tiles_never_asks_for_more_than_there_are():
    assert {len(one) for one in workload("test", 400, 2, 8).queries} == {1, 2}


def test_the_error_is_relative_with_a_bound_against_small_counts():
    work = workload("test", 4, 1, 1)
    true = Paths(1, np.zeros((1, 1), np.int32), np.zeros(1, np.int8), np.array([2_000.0]))
    found = Paths(1, np.zeros((1, 1), np.int32), np.zeros(1, np.int8), np.array([1_500.0]))
    assert relative_error(work, true, found).mean == pytest.approx(0.25)
    work = workload("test", 400, 2, 1)
    true = Paths(2, np.zeros((1, 1), np.int32), np.zeros(1, np.int8), np.array([2_000.0]))
    found = Paths(2, np.ones((1, 1), np.int32), np.zeros(1, np.int8), np.array([1.0]))
    asked = np.mean([query == (1,) for query in work.queries])
    assert relative_error(work, true, found).mean == pytest.approx(asked * 0.5 + (1 - asked))
