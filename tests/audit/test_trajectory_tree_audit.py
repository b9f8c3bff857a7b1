"""The promises of a trajectory tree: all outputs over three levels worked out, and grown trees as an attacker sees them."""

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from dpcore.kinds.tree.levels import Descriptor, Levels
from dpcore.kinds.tree.plan import Definition, Strategy, TreePlan
from dpcore.kinds.tree.private.growth import grow
from dpcore.kinds.tree.private.sequences import TileSequences
from dpcore.kinds.tree.tree import NoiseSource
from tests.synthesis.tree.growing import EXACT, PROMISES, levels_of, planned
from tests.synthesis.tree.test_promise import loss
from tests.table_mechanisms.attacks import must_tell_at_most, must_tell_more_than

pytestmark = pytest.mark.audit

THREE_LEVELS = (
    Descriptor("Low", Fraction(1, 4)),
    Descriptor("High", Fraction(2, 3)),
    Descriptor("Critical", Fraction(1)),
)


@pytest.mark.parametrize("height", [2, 3])
@pytest.mark.parametrize(("definition", "strategy"), PROMISES)
def test_over_three_tiles_of_three_levels_no_output_tells_more_than_the_level_allows(
    definition, strategy, height
):
    plan = planned(levels_of(1, 2, 3, descriptors=THREE_LEVELS), "1", height, definition, strategy)
    tiles, level = range(3), plan.levels.level
    trajectories = [path for size in range(1, height + 2) for path in itertools.product(tiles, repeat=size)]
    databases = [(), *((path,) for path in trajectories[::11]), tuple(trajectories[::5])]
    largest = 0.0
    for rest, added in itertools.product(databases, trajectories):
        whole = (*rest, added)
        first = plan.budget(int(level[added[0]]))  # location-PLDP: a whole record, by its first tile
        highest = plan.budget(int(max(level[tile] for tile in added)))
        neighbours = [(rest, highest if definition is Definition.RECORD else first)]
        if definition is Definition.LOCATION:
            neighbours += [
                ((*rest, added[: added.index(tile)]), plan.budget(int(level[tile]))) for tile in set(added)
            ]
        for other, allowed in neighbours:
            both = max(loss(plan, whole, other), loss(plan, other, whole))
            largest = max(largest, both / float(allowed))
    assert 0.95 < largest <= 1


# Grown trees: each first tile is a small world of its own, so that one tree holds thousands of independent outputs.

WORLDS = 25_000
TREES = 4
FOR_A_BUG = 4 * TREES
"""With fewer, a fifth too little noise would be proven in most audits, and not in all but one of a thousand million."""
PEOPLE = 150
"""Trajectories in each world: more than noise takes below the threshold."""


def tree_plan(definition, strategy):
    levels = np.append(np.ones(WORLDS, np.int64), 2)
    descriptors = (Descriptor("Low", Fraction(1, 3)), Descriptor("Critical", Fraction(1)))
    tiles = tuple(str(tile) for tile in range(WORLDS + 1))
    return TreePlan(Levels(tiles, descriptors, levels), Fraction(3, 2), 2, definition, strategy)


def worlds(extra):
    """In each world 150 trajectories to the one Critical tile and 150 that stay, and an extra one."""
    first = np.arange(WORLDS)
    parts = [(True, PEOPLE), (False, PEOPLE), *((len(one) == 2, 1) for one in extra)]
    rows = [
        np.stack([first, np.full(WORLDS, WORLDS if goes else -1)], axis=1).repeat(times, axis=0)
        for goes, times in parts
    ]
    table = np.concatenate(rows)
    offsets = np.append(0, np.cumsum((table >= 0).sum(axis=1)))
    return TileSequences(table[table >= 0].astype(np.int32), offsets)


def counts(sequences, plan, noise):
    """Noisy counts of every world: its tile, its ``$``, the Critical one after it and the ``$`` of that."""
    tree = grow(sequences, plan, noise)
    width = plan.locations + 2
    key = tree.parent * width + tree.symbol

    def row(parent, symbol):
        wanted = parent * width + symbol
        at = 1 + np.searchsorted(key[1:], wanted)
        assert (key[at] == wanted).all()  # none was dropped
        return at

    tile = row(np.zeros(WORLDS, np.int64), np.arange(WORLDS))
    critical = row(tile, WORLDS)
    dollar = [row(one, plan.locations) for one in (tile, critical)]
    return np.stack([tree.y[one] for one in (tile, dollar[0], critical, dollar[1])])


# (extra trajectory here, and there; which counts differ and by how much; what may be lost, in terms of a plan)
NEIGHBOURS = {
    "a visit to Critical is cut off": (Definition.LOCATION, ((0, 1),), ((0,),), (0, -1, 1, 1), 2),
    "a whole record that ends at Critical": (Definition.RECORD, ((0, 1),), (), (1, 0, 1, 1), 2),
    "a whole record that stays": (Definition.RECORD, ((0,),), (), (1, 1, 0, 0), 1),
    "a whole record, by its first tile": (Definition.LOCATION, ((0, 1),), (), (1, 0, 1, 1), 1),
}
CASES = [
    (name, strategy)
    for name, (definition, *_) in NEIGHBOURS.items()
    for promise, strategy in PROMISES
    if promise is definition
]


def attacked(name, strategy, noise, trees=None):
    """What the level allows, and attacks on it by many trees."""
    definition, here, there, change, level = NEIGHBOURS[name]
    plan, sign = tree_plan(definition, strategy), np.array(change)
    changed = np.flatnonzero(sign)
    scores = [
        np.concatenate(
            [
                # the event that every changed count lies on the side of "here" is the worst one
                (sign[:, None] * counts(data, plan, noise))[changed]
                for _ in range(trees or TREES)
            ],
            axis=1,
        )
        for data in (worlds(here), worlds(there))
    ]
    middle = np.median(scores[0], axis=1, keepdims=True)
    more, less = ((one - middle).min(axis=0) for one in scores)
    other = -(scores[1] - middle).max(axis=0), -(scores[0] - middle).max(axis=0)
    allowed = plan.epsilon if strategy is Strategy.UNIFORM else plan.budget(level)
    return float(allowed), (more, less), other


@pytest.mark.parametrize(("name", "strategy"), CASES)
def test_grown_trees_prove_no_more_than_the_promise(name, strategy):
    must_tell_at_most(*attacked(name, strategy, EXACT))


QUIETER = NoiseSource(
    lambda rate, n: EXACT.laplace(rate * Fraction(6, 5), n), EXACT.false_positives, EXACT.tail
)


@pytest.mark.parametrize(
    ("name", "strategy"),
    [
        ("a visit to Critical is cut off", Strategy.ADAPTIVE),
        ("a visit to Critical is cut off", Strategy.UNIFORM),
        ("a whole record that ends at Critical", Strategy.RECORD),
    ],
)
def test_a_fifth_too_little_noise_is_proven(name, strategy):
    must_tell_more_than(*attacked(name, strategy, QUIETER, FOR_A_BUG))
