"""Small plans and trees for the tests of trajectory trees."""

from __future__ import annotations

import itertools
from fractions import Fraction
from hashlib import sha256

import numpy as np

from dpcore.kinds.tree.levels import DESCRIPTORS, Descriptor, Levels
from dpcore.kinds.tree.plan import Definition, Strategy, TreePlan
from dpcore.kinds.tree.private.growth import grow
from dpcore.kinds.tree.private.sequences import TileSequences
from dpcore.kinds.tree.tree import NoiseSource
from dpcore.noise.samplers import discrete_laplace, geometric
from dpcore.noise.sparse import false_positives

EXACT = NoiseSource(discrete_laplace, false_positives, geometric)
TWO_LEVELS = (Descriptor("Low", Fraction(1, 4)), Descriptor("Critical", Fraction(1)))
LOCATION = [Strategy.UNIFORM, Strategy.NON_ADAPTIVE, Strategy.ADAPTIVE]
PROMISES = [
    *((Definition.LOCATION, strategy) for strategy in LOCATION),
    (Definition.RECORD, Strategy.UNIFORM),
    (Definition.RECORD, Strategy.RECORD),
]


def levels_of(*numbers, descriptors=TWO_LEVELS):
    """Tiles 0, 1, ... of the given levels."""
    return Levels(tuple(str(at) for at in range(len(numbers))), descriptors, np.array(numbers, np.int64))


def planned(
    levels, epsilon="1", height=2, definition=Definition.LOCATION, strategy=Strategy.ADAPTIVE, **more
):
    return TreePlan(levels, Fraction(epsilon), height, definition, strategy, **more)


def grown(trajectories, plan, noise=EXACT):
    return grow(TileSequences.of(trajectories), plan, noise)


NONE = np.zeros(0, np.int64)
QUIET = NoiseSource(lambda _, n: np.zeros(n, np.int64), lambda *_: NONE, lambda *_: NONE)
"""Noise that is always 0, and no empty child: the tree of the exact counts that reach the threshold."""


def five_levels(tiles, seed=1):
    """Levels dealt 70/12/6/6/6."""
    rng = np.random.default_rng(seed)
    level = np.searchsorted(np.cumsum([0.7, 0.12, 0.06, 0.06]), rng.random(tiles)) + 1
    return Levels(tuple(str(at) for at in range(tiles)), DESCRIPTORS, level)


def walks(n, tiles, longest, seed=2):
    """Random walks over some popular tiles; the longest have ``longest`` tiles, some none."""
    rng = np.random.default_rng(seed)
    return [
        (int(start) + np.cumsum(rng.integers(0, 3, rng.integers(0, longest + 1)))) % tiles
        for start in rng.geometric(0.1, n)
    ]


def many_walks(n, tiles, longest, seed=2):
    """The same kind of walks, drawn all at once."""
    rng = np.random.default_rng(seed)
    start, lengths = rng.geometric(0.1, n), rng.integers(0, longest + 1, n)
    ways = (start[:, None] + rng.integers(0, 3, (n, longest)).cumsum(axis=1)) % tiles
    return [way[:length] for way, length in zip(ways, lengths.tolist(), strict=True)]


def replayed(monkeypatch):
    """From here on the same stream of random bytes, from its beginning."""
    blocks = itertools.count()

    def words(n):
        return b"".join(sha256(next(blocks).to_bytes(8)).digest() for _ in range(-(-n // 32)))[:n]

    monkeypatch.setattr("dpcore.noise.samplers.os.urandom", words)
