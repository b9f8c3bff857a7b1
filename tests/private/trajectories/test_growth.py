"""Growth follows its law: kept counts, empty children and end markers, two-sided; and nothing else shows."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from dpcore.kinds.tree.allocation import location_child, root, threshold, unit_rate, units
from dpcore.kinds.tree.plan import Definition, Strategy
from dpcore.kinds.tree.private import growth
from dpcore.kinds.tree.private.growth import grow
from dpcore.kinds.tree.private.sequences import TileSequences
from dpcore.kinds.tree.tree import NoiseSource, Tree, consistent, integer_weights
from tests.chance import Looks, classes, must_be_noticed, must_fit, one_count
from tests.noise_law import rung
from tests.synthesis.tree.growing import (
    EXACT,
    LOCATION,
    PROMISES,
    QUIET,
    five_levels,
    grown,
    levels_of,
    planned,
    replayed,
    walks,
)

EDGES = np.arange(-6, 8)
COLUMNS = ("parent", "symbol", "depth", "level", "units", "y", "x")


def columns(tree):
    return [getattr(tree, name) for name in COLUMNS]


def same(one, two):
    return all(np.array_equal(left, right) for left, right in zip(columns(one), columns(two), strict=True))


def paths(tree):
    """The symbols from the root to each node."""
    found = [()]
    for row in range(1, len(tree)):
        found.append((*found[tree.parent[row]], int(tree.symbol[row])))
    return found


def passing(number, least):
    """P(V >= least) of noise of so many units."""
    q = np.exp(-float(unit_rate(number)))
    return q**least / (1 + q) if least >= 0 else 1 - q ** (1 - least) / (1 + q)


# The law of the whole tree in a tiny world.

SMALL = [(0,)] * 2 + [(0, 0)] * 3 + [(0, 1)] * 2 + [(1, 0)] * 3 + [(0, 1, 1)] * 1 + [(1,)] * 2
TIMES = 1_200


def shapes(plan):
    """The probability of every set of kept tiles, as ``((kept depth 1), (kept below))``."""
    begins = Counter(path for one in SMALL for path in {one[:1], one[:2]} if path)

    def kept(budget, prefix, depth):
        law = {}
        for tile in range(2):
            child = location_child(plan, budget, depth, int(plan.levels.level[tile]))
            number = units(child.rate)
            least = threshold(unit_rate(number), 2, plan.false_children)
            count = sum(n for path, n in begins.items() if path == (*prefix, tile) and len(path) == depth)
            law[tile] = passing(number, least - count), child
        return law

    def alone(law):
        for keep in itertools.product((False, True), repeat=2):
            p = np.prod([law[tile][0] if yes else 1 - law[tile][0] for tile, yes in enumerate(keep)])
            yield tuple(tile for tile, yes in enumerate(keep) if yes), p

    result = {}
    first = kept(root(plan), (), 1)
    for top, p in alone(first):
        below = [alone(kept(first[tile][1], (tile,), 2)) for tile in top]
        for chosen in itertools.product(*below):
            shape = (top, tuple((tile, sub) for tile, (sub, _) in zip(top, chosen, strict=True)))
            result[shape] = p * np.prod([one for _, one in chosen])
    return result


def shape_of(tree):
    inner = [path for path in paths(tree) if path and max(path) < 2]
    top = tuple(path[0] for path in inner if len(path) == 1)
    return top, tuple(
        (tile, tuple(path[1] for path in inner if len(path) == 2 and path[0] == tile)) for tile in top
    )


def shapes_seen(plan, times=TIMES) -> Looks:
    """Looks at grown shapes with their exact probabilities."""
    law = shapes(plan)
    assert sum(law.values()) == pytest.approx(1)
    seen = Counter(shape_of(grown(SMALL, plan)) for _ in range(times))
    assert set(seen) <= set(law)
    return classes(np.array([seen[shape] for shape in law]), np.array([*law.values()]))


TINY = {
    strategy: planned(levels_of(1, 2), "0.7", 2, definition, strategy) for definition, strategy in PROMISES
}


@pytest.mark.parametrize("strategy", [Strategy.ADAPTIVE, Strategy.RECORD])
def test_trees_of_a_tiny_world_have_their_exact_probabilities(strategy):
    must_fit(shapes_seen(TINY[strategy]))


def test_a_threshold_one_too_low_is_caught(monkeypatch):
    monkeypatch.setattr(
        "dpcore.kinds.tree.allocation.threshold", lambda *given: max(1, threshold(*given) - 1)
    )
    sharp = planned(levels_of(1, 2), "3", 2, *PROMISES[[one for _, one in PROMISES].index(Strategy.ADAPTIVE)])
    must_be_noticed(shapes_seen(sharp, 4_000))


def test_forgotten_empty_children_are_caught(monkeypatch):
    none = np.zeros(0, np.int64)
    monkeypatch.setattr("tests.private.trajectories.test_growth.SMALL", [(0,)] * 5)
    plan = planned(levels_of(1, 2), "0.7", 2, false_children=Fraction(99, 100))
    must_fit(shapes_seen(plan, 400))
    monkeypatch.setattr(growth.Candidates, "false_positives", lambda *_, **__: (none, none))
    must_be_noticed(shapes_seen(plan, 1_600))


# The law of single numbers.


@pytest.fixture(scope="module")
def wide():
    """A wide tree of known counts: 2000 tiles, 30 visits to each of the first half, none to the others."""
    plan = planned(levels_of(*[1, 2] * 1_000), "1", 1)
    trees = [grown([(tile,) for tile in range(1_000) for _ in range(30)], plan) for _ in range(20)]
    return plan, trees


def test_kept_counts_have_their_noise_and_forty_per_cent_off_is_noticed(wide):
    plan, trees = wide
    for level in (1, 2):
        number = units(location_child(plan, root(plan), 1, level).rate)
        least = threshold(unit_rate(number), plan.locations, plan.false_children)
        y = np.concatenate([tree.y[(tree.units == number) & (tree.symbol < 1_000)] for tree in trees])
        edges = np.concatenate([np.arange(least, 60, 3), [400]]) - least
        observed = np.histogram(y - least, edges)[0]
        values = np.arange(least, 400) - 30.0

        def seen(factor, number=number, values=values, edges=edges, observed=observed):
            """Looks at the kept counts, with a rate of noise that is so many times the right one."""
            law = np.exp(-float(unit_rate(number)) * factor * (np.abs(values) - np.abs(values).min()))
            expected = np.add.reduceat(np.append(law, 0), edges[:-1])
            return classes(observed, expected / expected.sum())

        must_fit(seen(1.0))
        for factor in (0.6, 1.5):
            must_be_noticed(seen(factor), drawn_from=seen(1.0))


def test_as_many_empty_children_pass_as_their_law_says_on_all_tiles_alike(wide):
    plan, trees = wide
    for level in (1, 2):
        number = units(location_child(plan, root(plan), 1, level).rate)
        least = threshold(unit_rate(number), plan.locations, plan.false_children)
        at = [(tree.units == number) & (tree.symbol >= 1_000) & (tree.symbol < 2_000) for tree in trees]
        tiles = np.concatenate([tree.symbol[rows] for tree, rows in zip(trees, at, strict=True)])
        values = np.concatenate([tree.y[rows] for tree, rows in zip(trees, at, strict=True)])
        must_fit(one_count(len(tiles), 20 * 500, passing(number, least)))
        assert (plan.levels.level[tiles] == level).all()
        assert values.size == 0 or values.min() >= least


def test_without_anybody_a_node_shows_the_promised_number_of_false_children_over_all_tiles():
    plan = planned(five_levels(5_000), "1", 1)
    trees = [grown([], plan) for _ in range(400)]
    tiles = np.concatenate([tree.symbol[tree.depth == 1] for tree in trees])
    expected, looks = 0.0, []
    for level in range(1, 6):
        number = units(location_child(plan, root(plan), 1, level).rate)
        least = threshold(unit_rate(number), plan.locations, plan.false_children)
        size = int((plan.levels.level == level).sum())
        expected += 400 * size * passing(number, least)
        values = np.concatenate([tree.y[(tree.units == number) & (tree.depth == 1)] for tree in trees])
        looks.append(one_count(len(values), 400 * size, passing(number, least)))
        rate = float(unit_rate(number))
        looks += [  # the excess over the threshold is geometric
            one_count(int((values - least >= far).sum()), len(values), np.exp(-rate * far))
            for far in (1, round(1 / rate), round(3 / rate))
        ]
    assert expected <= 400 * 0.3
    half = one_count(int((tiles < 2_500).sum()), len(tiles), 0.5)
    must_fit(*looks, half)


def test_the_tail_of_empty_children_is_geometric():
    plan = planned(levels_of(*[2] * 3_000), "0.4", 1, false_children=Fraction(99, 100))
    number = units(Fraction(1, 5))
    least = threshold(unit_rate(number), 3_000, plan.false_children)
    trees = [grown([], plan) for _ in range(800)]
    values = np.concatenate([tree.y[tree.depth == 1] for tree in trees]) - least
    observed = np.bincount(np.minimum(values, 8), minlength=9)

    def seen(factor):
        q = np.exp(-0.2 * factor)
        return classes(observed, np.append((1 - q) * q ** np.arange(8), q**8))

    must_fit(seen(1.0))
    for factor in (0.35, 2.5):
        must_be_noticed(seen(factor), drawn_from=seen(1.0))


@pytest.mark.parametrize(("definition", "strategy"), PROMISES)
def test_every_kept_tile_has_its_end_markers_with_their_own_noise(definition, strategy):
    plan = planned(five_levels(30), "2", 3, definition, strategy)
    tree = grown(walks(3_000, 30, 5), plan)
    inner = np.flatnonzero(~tree.is_marker)[1:]
    for row in inner:
        children = np.flatnonzero(tree.parent == row)
        markers = tree.symbol[children][tree.is_marker[children]].tolist()
        assert markers == ([30] if tree.depth[row] < 3 else [30, 31])
    assert (tree.parent[tree.is_marker] > 0).all()  # the root has none: empty trajectories are no records


def test_end_markers_are_noisy_counts_two_sided():
    plan = planned(levels_of(2), "1", 1)
    trees = [grown([(0,)] * 200 + [(0, 0)] * 300, plan) for _ in range(800)]
    rate = float(unit_rate(units(Fraction(1, 2))))
    for symbol, count in ((1, 200), (2, 300)):
        noise = np.array([int(tree.y[tree.symbol == symbol][0]) for tree in trees]) - count
        right = rung(noise, rate, EDGES)
        must_fit(right)
        for factor in (0.3, 3.5):
            must_be_noticed(rung(noise, rate * factor, EDGES), drawn_from=right)


# What the tree must not tell.


@pytest.mark.parametrize("strategy", [Strategy.NON_ADAPTIVE, Strategy.ADAPTIVE])
def test_all_critical_is_the_uniform_tree_node_for_node(monkeypatch, strategy):
    trees = []
    for one in (Strategy.UNIFORM, strategy):
        replayed(monkeypatch)
        plan = planned(levels_of(*[2] * 50), "1.3", 4, strategy=one)
        trees.append(grown(walks(5_000, 50, 6), plan))
    assert len(trees[0]) > 200
    assert same(*trees)


def test_the_order_of_trajectories_does_not_show(monkeypatch):
    trajectories = walks(3_000, 50, 6)
    trees = []
    for order in (trajectories, trajectories[::-1]):
        replayed(monkeypatch)
        trees.append(grown(order, planned(five_levels(50), "1", 4)))
    assert same(*trees)


def test_siblings_stand_in_the_order_of_their_symbols_real_or_not():
    plan = planned(five_levels(400), "1", 3, false_children=Fraction(9, 10))
    tree = grown(walks(3_000, 400, 5), plan)
    assert (tree.parent[1:] < np.arange(1, len(tree))).all()
    for depth in range(1, 5):
        rows = tree.of_depth(depth)
        keys = tree.parent[rows] * 1_000 + tree.symbol[rows]
        assert (np.diff(keys) > 0).all()  # ascending, and no node twice
        assert (tree.depth[tree.parent[rows]] == depth - 1).all()
    level = np.append(plan.levels.level, [0, 0])[tree.symbol]
    assert np.array_equal(tree.level[1:], np.maximum(level[1:], tree.level[tree.parent[1:]]))


def test_the_tree_holds_no_exact_count():
    assert set(Tree.__slots__) == {"height", "locations", *COLUMNS}


def test_without_noise_the_counts_are_those_of_the_prefixes():
    plan = planned(levels_of(1, 2, 1), "40", 3)
    trajectories = [(0, 1), (0, 1, 2), (0, 1, 2, 0), (2, 2, 2), (1,), (), (0, 1)]
    tree = grown(trajectories, plan, QUIET)
    begins = Counter()
    for one in trajectories:
        if one:
            path = (*one[:3], 3 if len(one) <= 3 else 4)
            begins.update(path[:size] for size in range(1, len(path) + 1))
    found = dict(zip(paths(tree)[1:], tree.y[1:].tolist(), strict=True))
    assert {path: n for path, n in found.items() if n} == begins
    assert all(path[-1] in {3, 4} for path, n in found.items() if not n)


# Odd input.


@pytest.mark.parametrize("strategy", LOCATION)
@pytest.mark.parametrize("trajectories", [[], [()], [(), ()], [(0,)], [(0,) * 40]])
@pytest.mark.parametrize("height", [1, 2])
def test_few_empty_and_long_trajectories_have_a_tree(strategy, trajectories, height):
    plan = planned(levels_of(1, 2), "0.3", height, strategy=strategy)
    tree = consistent(grown(trajectories, plan))
    assert tree.depth.max() <= height + 1
    assert integer_weights(tree).min() >= 0


def test_record_trees_of_one_tile_and_one_position_exist():
    plan = planned(levels_of(2), "1", 1, Definition.RECORD, Strategy.RECORD)
    tree = grown([(0,)] * 500, plan)
    assert tree.symbol.tolist() == [-1, 0, 1, 2]


def test_tiles_visited_again_and_again_are_positions_of_their_own():
    tree = grown([(0, 0, 0)] * 100, planned(levels_of(1), "10", 3), QUIET)
    assert paths(tree) == [(), (0,), (0, 0), (0, 1), (0, 0, 0), (0, 0, 1), (0, 0, 0, 1), (0, 0, 0, 2)]


@pytest.mark.parametrize("symbol", [2, -1])
def test_a_number_that_is_no_tile_is_a_fault_of_the_program_and_is_not_told(symbol):
    with pytest.raises(ValueError, match="a number that is not a tile"):
        grown([(0, symbol)], planned(levels_of(1, 2)))


@pytest.mark.parametrize("offsets", [[], [1, 2], [0, 1], [0, 3, 2]])
def test_offsets_must_fit(offsets):
    with pytest.raises(ValueError, match="offsets"):
        TileSequences(np.zeros(2, np.int32), np.array(offsets, np.int64))


def test_progress_is_told_depth_by_depth():
    told = []
    grow(TileSequences.of(walks(100, 5, 3)), planned(five_levels(5)), EXACT, lambda *at: told.append(at))
    assert told == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.audit
def test_a_million_trajectories_over_ten_thousand_tiles_take_seconds():
    import time
    import tracemalloc

    rng = np.random.default_rng(1)
    lengths = rng.integers(1, 16, 1_000_000)
    offsets = np.append(0, np.cumsum(lengths))
    start = np.repeat((rng.pareto(1.0, len(lengths)) * 30).astype(np.int64), lengths)
    place = np.arange(offsets[-1]) - np.repeat(offsets[:-1], lengths)
    symbols = (start + 7 * place + rng.pareto(1.5, offsets[-1]).astype(np.int64)) % 10_000
    sequences = TileSequences(symbols.astype(np.int32), offsets)
    tracemalloc.start()
    began = time.process_time()
    tree = grow(sequences, planned(five_levels(10_000), "1", 10), EXACT)
    assert time.process_time() - began < 10
    assert tracemalloc.get_traced_memory()[1] < 2**30
    tracemalloc.stop()
    assert len(tree) > 5_000


# A tree ends: it keeps no more tiles than a public limit.


@pytest.mark.parametrize(("definition", "strategy"), PROMISES)
def test_a_tree_keeps_no_more_tiles_than_the_limit_and_stays_a_prefix_of_itself(
    definition, strategy, monkeypatch
):
    plan = planned(five_levels(20), "50", 4, definition, strategy)
    whole = grown(walks(400, 20, 5), plan, QUIET)
    found = set(paths(whole))
    for most in (0, 1, 7, 40):
        monkeypatch.setattr("dpcore.limits.MAX_TREE_PLACES", most)
        tree = grown(walks(400, 20, 5), plan, QUIET)
        assert int((tree.symbol[1:] < tree.locations).sum()) == most
        assert set(paths(tree)) <= found
        assert len(tree) <= 1 + 3 * most


def test_those_with_the_largest_noisy_counts_live_on_and_the_first_of_equal_ones(monkeypatch):
    monkeypatch.setattr("dpcore.limits.MAX_TREE_PLACES", 3)
    plan = planned(levels_of(2, 2, 2, 2, 2), "50", 1)
    counted = [(0,)] * 5 + [(1,)] * 9 + [(2,)] * 5 + [(3,)] * 5 + [(4,)] * 9
    tree = grown(counted, plan, QUIET)
    assert tree.symbol[tree.depth == 1].tolist() == [0, 1, 4]


def test_which_tiles_the_limit_leaves_depends_on_noisy_counts_alone(monkeypatch):
    """Whether a tile that passed is occupied or empty must not show: the same noisy counts give the same choice."""
    monkeypatch.setattr("dpcore.limits.MAX_TREE_PLACES", 2)
    plan = planned(levels_of(2, 2, 2, 2), "50", 1)
    quiet = grown([(0,)] * 40 + [(1,)] * 30 + [(2,)] * 30, plan, QUIET)
    # the same values, but tile 1 is empty and passes by chance
    least = threshold(Fraction(int(quiet.units[1]), 2**16), 4, plan.false_children)
    noise = NoiseSource(
        lambda _, n: np.zeros(n, np.int64),
        lambda *_: np.zeros(1, np.int64),
        lambda _, n: np.full(n, 30 - least, np.int64),
    )
    chance = grown([(0,)] * 40 + [(2,)] * 30, plan, noise)
    first = quiet.of_depth(1)
    assert chance.symbol[first].tolist() == quiet.symbol[first].tolist() == [0, 1]
    assert chance.y[first].tolist() == quiet.y[first].tolist() == [40, 30]
