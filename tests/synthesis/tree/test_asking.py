"""Answers of a tree: the same as of its weighted paths, of the trajectories themselves where nothing is lost, and fast."""

from __future__ import annotations

import itertools
from time import process_time

import numpy as np
import pytest

from dpcore.errors import InputError
from dpcore.kinds.tree.answers import AskableTree, count_matching
from dpcore.kinds.tree.paths import paths_of
from dpcore.kinds.tree.private.sequences import TileSequences
from dpcore.kinds.tree.queries import (
    ANY_ONE,
    ANY_RUN,
    NEVER,
    tiles_missing,
    tiles_unvisited,
    visiting_all,
    workload,
)
from dpcore.kinds.tree.question import ONE, RUN, Kind, Question
from dpcore.kinds.tree.tree import Consistency, consistent, exact_weights
from tests.synthesis.tree.growing import QUIET, five_levels, grown, levels_of, many_walks, planned, walks
from tests.synthesis.tree.written_out import beginning, matching

TILES, HEIGHT = 4, 5
IDS = ("north", "Old town", "quay", "park")
RNG = np.random.default_rng(12)
WALKS = [tuple(RNG.integers(0, TILES, RNG.integers(0, HEIGHT + 3)).tolist()) for _ in range(300)]
PATHS = TileSequences.of(WALKS).paths(HEIGHT, TILES)


def every_question():
    for kind in (Kind.SET, Kind.ORDER):
        for size in (1, 2, 3):
            yield from (Question(kind, places) for places in itertools.permutations(IDS, size))
    for kind in (Kind.EXACT, Kind.PREFIX):
        for size in (1, 2, 3):
            yield from (
                Question(kind, places) for places in itertools.product((*IDS[:2], ONE, RUN), repeat=size)
            )


QUESTIONS = list(every_question())


def test_questions_count_as_the_queries_they_stand_for():
    assert (
        count_matching(PATHS, Question(Kind.SET, ("park", "north")), IDS) == visiting_all(PATHS, [(0, 3)])[0]
    )
    assert count_matching(PATHS, Question(Kind.ORDER, ("park", "north")), IDS) == matching(
        PATHS, [ANY_RUN, 3, ANY_RUN, 0]
    )
    assert count_matching(PATHS, Question(Kind.EXACT, ("quay", ONE, "park")), IDS) == matching(
        PATHS, (2, ANY_ONE, 3)
    )
    assert count_matching(PATHS, Question(Kind.PREFIX, ("quay", "park")), IDS) == beginning(PATHS, (2, 3))


def holds(pattern, walk):
    """Whether a walk matches a pattern from its first tile on, any rest allowed."""
    if not pattern:
        return True
    first, rest = pattern[0], pattern[1:]
    if first == ANY_RUN:
        return any(holds(rest, walk[skip:]) for skip in range(len(walk) + 1))
    return bool(walk) and first in {ANY_ONE, walk[0]} and holds(rest, walk[1:])


@pytest.mark.parametrize("size", [1, 2, 3])
def test_anchored_patterns_are_found_as_by_a_loop(size):
    for pattern in itertools.product((0, 1, ANY_ONE, ANY_RUN), repeat=size):
        found = tiles_missing(PATHS, pattern, anchored=True) == 0
        rows = [tuple(row[row >= 0].tolist()) for row in PATHS.symbols]
        assert found.tolist() == [holds(pattern, row) for row in rows], pattern


@pytest.mark.parametrize("anchored", [False, True])
@pytest.mark.parametrize("size", [1, 2, 3])
def test_the_missing_tiles_are_the_fewest_that_make_a_path_match(size, anchored):
    """By trying all ways to go on with up to three tiles."""
    rows = sorted({tuple(row[row >= 0].tolist())[:3] for row in PATHS.symbols})[:40]
    paths = TileSequences.of(rows).paths(3, TILES)
    kept = [tuple(row[row >= 0].tolist()) for row in paths.symbols]
    for pattern in itertools.product((0, 1, ANY_ONE, ANY_RUN), repeat=size):
        missing = tiles_missing(paths, pattern, anchored=anchored)
        for row, least in zip(kept, missing.tolist(), strict=True):
            tried = [
                more
                for more in range(size + 1)
                if any(
                    any(
                        holds(pattern, (row + rest)[at:])
                        for at in ([0] if anchored else range(len(row) + more + 1))
                    )
                    for rest in itertools.product(range(2), repeat=more)
                )
            ]
            assert least == (tried[0] if tried else NEVER), (pattern, row)


def test_unvisited_tiles_are_counted_once():
    assert tiles_unvisited(PATHS, (1, 1, 2)).tolist() == [
        len({1, 2} - set(row[row >= 0].tolist())) for row in PATHS.symbols
    ]
    with pytest.raises(ValueError, match="no tile"):
        tiles_unvisited(PATHS, (TILES,))


def test_without_noise_and_pruning_an_answer_is_the_truth_and_leaves_next_to_nothing_open():
    plan = planned(levels_of(*[2] * TILES), "60", HEIGHT)
    asked = AskableTree.of(consistent(grown(WALKS, plan, QUIET)), IDS, Consistency.EQUAL)
    for question in QUESTIONS:
        answer, true = asked.answer(question), count_matching(PATHS, question, IDS)
        assert answer.count == pytest.approx(true), question
        assert answer.at_least <= answer.low <= true <= answer.high <= answer.at_most


@pytest.mark.parametrize("how", Consistency)
def test_an_answer_is_that_of_the_exact_weights(how):
    tree = consistent(grown(walks(3_000, TILES, 6), planned(levels_of(1, 2, 1, 2), "1", HEIGHT)), how)
    asked, paths = AskableTree.of(tree, IDS, how), paths_of(tree, exact_weights(tree))
    for question in QUESTIONS:
        answer = asked.answer(question)
        assert answer.count == pytest.approx(count_matching(paths, question, IDS), abs=1e-6), question
        assert answer.at_least <= answer.low <= answer.count <= answer.high <= answer.at_most


def test_equal_estimates_leave_no_weight_beside_the_ends():
    tree = consistent(grown(walks(3_000, 20, 6), planned(five_levels(20), "1", 4)))
    weights = exact_weights(tree)
    assert (weights[~tree.is_marker] == 0).all()
    assert weights.sum() == pytest.approx(tree.x[0])


def test_what_was_too_rare_to_be_kept_is_in_the_upper_end():
    """Ten people begin at the first tile; all go on to different tiles, none of which is kept."""
    tiles = 20
    people = [(0, tile) for tile in range(1, 11)]
    plan = planned(levels_of(*[2] * tiles), "6", 2)
    tree = consistent(grown(people, plan, QUIET), Consistency.NONE)
    names = tuple(str(at) for at in range(tiles))
    asked = AskableTree.of(tree, names, Consistency.NONE)
    begun = asked.answer(Question(Kind.PREFIX, ("0",)))
    assert (begun.count, begun.at_most) == (10, begun.high)
    passed = asked.answer(Question(Kind.SET, ("5",)))
    assert passed.count == 0
    assert passed.at_most >= 10 > passed.high
    assert (begun.is_kept, begun.is_unknown, passed.is_kept, passed.is_unknown) == (True, False, False, True)
    assert asked.answer(Question(Kind.PREFIX, ("1", "0"))).at_most < 10  # nobody can begin so any more
    assert asked.answer(Question(Kind.SET, ("5", "6"))).at_most < 10  # no room for two


def test_a_tile_that_an_empty_one_would_look_like_is_not_in_the_lower_end():
    tree = consistent(grown([(0, 1)] * 400, planned(five_levels(40), "1", 3)), Consistency.NONE)
    asked = AskableTree.of(tree, tuple(str(at) for at in range(40)), Consistency.NONE)
    chance = [at for at in np.flatnonzero(asked.doubtful & (tree.depth == 1)) if tree.symbol[at] != 0]
    for node in chance:
        answer = asked.answer(Question(Kind.PREFIX, (str(tree.symbol[node]),)))
        assert answer.at_least <= 0 < answer.count
    assert not asked.doubtful[tree.is_marker].any()
    assert not asked.doubtful[0]


def test_an_unknown_tile_and_wrong_tiles_are_refused():
    tree = consistent(grown(WALKS, planned(levels_of(*[2] * TILES), "1", 2)))
    with pytest.raises(InputError, match="tile 'moon'"):
        AskableTree.of(tree, IDS, Consistency.EQUAL).answer(Question(Kind.SET, ("moon",)))
    with pytest.raises(ValueError, match="ids of its tiles"):
        AskableTree.of(tree, IDS[:3], Consistency.EQUAL)


def test_a_tree_without_any_node_answers_nothing():
    tree = consistent(grown([], planned(levels_of(*[2] * TILES), "1", 2), QUIET))
    answer = AskableTree.of(tree, IDS, Consistency.EQUAL).answer(Question(Kind.SET, ("park",)))
    assert (answer.count, answer.low, answer.high) == (0, 0, 0)


def test_a_large_tree_answers_at_once_and_forty_thousand_sets_in_seconds():
    tree = consistent(grown(many_walks(200_000, 400, 8), planned(five_levels(400), "8", 6)))
    assert len(tree) > 25_000
    tiles = tuple(str(at) for at in range(400))
    asked = AskableTree.of(tree, tiles, Consistency.EQUAL)
    begin = process_time()
    for question in (Question(Kind.SET, ("1", "2")), Question(Kind.EXACT, ("1", RUN, "2"))):
        asked.answer(question)
    assert process_time() - begin < 0.4  # measured 0.004
    paths, work = paths_of(tree, exact_weights(tree)), workload("fast", 40_000, 400, 6)
    begin = process_time()
    visiting_all(paths, work.queries)
    assert process_time() - begin < 5  # measured 0.04
