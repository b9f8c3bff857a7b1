"""By what chance a test of a law fails although the law is right: each test states it, and a run adds all of them up.

Two kinds of tests look at draws.

- A test of a law: draws have the law that the product declares, or an attacker proves no more than epsilon. A right product
  fails it by chance alone, and the chance can be bounded. Such a test calls ``must_fit`` or ``must_be_noticed``, or states a
  chance of its own by ``state``. If all chances of a run add up to ``MOST`` or more, the run fails (tests/end_of_run.py).
- A goal of accuracy: "ranges hold 93 % of the time over ten draws". No law says what these few draws give. Such a test has
  draws with a seed of its own (tests/draws.py) and states nothing.

Tests of laws have seeds too, so that they never fail by chance where nothing was changed. ``make audit`` draws freely.

The bound, of one look: if each of n draws falls into a set with chance p, independently, then k of them do so with
n * kl(k / n, p) nats of surprise, where kl is the relative entropy of two coins. At least s nats are seen on one side with a
chance of at most exp(-s), so on both with 2 exp(-s) (Chernoff; Hoeffding 1963, theorem 1). This holds for each n and p and is no
approximation. It also holds if the draws have different chances whose mean is p (theorem 1), and if draws are
taken out of a heap without putting them back (section 6). Of m looks one sees s nats with a chance of at most 2 m exp(-s).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log
from typing import Final

import numpy as np
from scipy.special import rel_entr

LEVEL: Final = 1e-13
"""By this chance a right law fails one ``must_fit``."""

MOST: Final = 1e-9
"""Below this lies the sum over all tests of a run."""

ALPHA: Final = 1e-13
"""By this chance an attacker proves more of a right product than holds (tests/table_mechanisms/attacks.py)."""

_STATED: list[float] = []  # by the test that runs now


def state(chance: float) -> None:
    """The test that runs now fails by this chance, too."""
    _STATED.append(float(chance))  # a worker tells it, which knows no types of numpy


def taken() -> list[float]:
    """What was stated since the last call."""
    found = _STATED[:]
    _STATED.clear()
    return found


@dataclass(frozen=True)
class Looks:
    """So many draws fall into each of many sets, of how many, and by what chance each draw should."""

    counts: np.ndarray
    of: np.ndarray
    chance: np.ndarray

    def __add__(self, other: Looks) -> Looks:
        return Looks(
            *(
                np.concatenate([getattr(self, name), getattr(other, name)])
                for name in ("counts", "of", "chance")
            )
        )

    @property
    def nats(self) -> np.ndarray:
        """By how much each look surprises."""
        return self.of * _entropy(self.counts / np.maximum(self.of, 1), self.chance)

    @property
    def needed(self) -> float:
        """Nats by which one of all looks must surprise, so that it does so with a chance of at most ``LEVEL``."""
        return log(2 * len(self.counts) / LEVEL)

    @property
    def bound(self) -> float:
        """With at most this chance draws of a right law look as odd as this, or odder."""
        return min(1.0, 2 * len(self.counts) * exp(-float(self.nats.max())))


def _entropy(share, chance):
    """The relative entropy of two coins."""
    return rel_entr(share, chance) + rel_entr(1 - share, 1 - chance)


def trials(counts, of, expected) -> Looks:
    """Looks at cells, and at all blocks of neighbours: each cell has draws of its own, and a number expected of them."""
    counts, of, expected = (
        _in_blocks(np.asarray(values, float))
        for values in (counts, np.broadcast_to(of, np.shape(counts)), expected)
    )
    used = of > 0
    counts, of, expected = counts[used], of[used], expected[used]
    return Looks(counts, of, np.clip(expected / of, 0, 1))


def one_count(count, of, chance) -> Looks:
    """A single look."""
    return Looks(np.array([float(count)]), np.array([float(of)]), np.array([float(chance)]))


def at_most(count, of, chance) -> Looks:
    """A single look at what may be rarer than its chance, and never more frequent."""
    return one_count(max(float(count), of * chance), of, chance)


def classes(observed, shares) -> Looks:
    """Looks at the classes of one sample in one or more dimensions, and at all blocks of neighbouring classes.

    The shares are those of the law. A block finds what each class alone is too small to show.
    """
    assert np.shape(observed) == np.shape(shares)
    counts, chance = (_in_blocks(np.asarray(values, float)) for values in (observed, shares))
    return Looks(counts, np.full(len(counts), float(np.sum(observed))), np.clip(chance, 0, 1))


def two_samples(one, other) -> Looks:
    """Looks at two samples of one law that nobody needs to know.

    If it is one, the draws of a block are as good as taken out of the heap of all draws, from the first sample or the second.
    """
    first, second = (_in_blocks(np.asarray(values, float)) for values in (one, other))
    both = first + second
    used = both > 0
    size, rest = float(np.sum(one)), float(np.sum(other))
    return Looks(first[used], both[used], np.full(int(used.sum()), size / (size + rest)))


def independence(table) -> Looks:
    """Looks at a table of pairs whose two values have nothing to do with each other: each row is a sample of the same law."""
    table = np.asarray(table)
    looks = [
        two_samples(row, table.sum(axis=0) - row) for row in table if row.sum() and row.sum() < table.sum()
    ]
    return sum(looks[1:], looks[0])


def _in_blocks(table: np.ndarray) -> np.ndarray:
    """Sums over all blocks of 1, 2, 4, ... neighbours, along each axis. Small shares are added up and never subtracted."""
    for axis in range(table.ndim):
        level = np.moveaxis(table, axis, 0)
        found = [level]
        while len(level) > 1:
            if len(level) % 2:
                level = np.concatenate([level, np.zeros_like(level[:1])])
            level = level[::2] + level[1::2]
            found.append(level)
        table = np.moveaxis(np.concatenate(found), 0, axis)
    return table.ravel()


def must_fit(*looks: Looks) -> None:
    """The law is right, as far as these looks together tell; a right one fails by ``LEVEL``."""
    state(LEVEL)
    bound = sum(looks[1:], looks[0]).bound
    assert bound > LEVEL, f"draws of this law look like these with a chance of at most {bound:.1e}"


def must_be_noticed(*looks: Looks, drawn_from: Looks | None = None) -> None:
    """The law is wrong, and one of these looks shows it; the chance that none does is stated.

    If the law of the draws is known, ``drawn_from`` has its chances, and what is stated is exact. Otherwise the chance is
    measured: both a law and the next draws of it may be nearer to the wrong law than what is seen here, each by a chance
    that still leaves the fault noticed.
    """
    together = sum(looks[1:], looks[0])
    state(chance_of_missing(together, drawn_from))
    assert together.bound < LEVEL, f"looks like a right law: {together.bound:.1e}"


def chance_of_missing(looks: Looks, drawn_from: Looks | None = None) -> float:
    """By what chance no look notices a wrong law: a bound, by the look that shows it most."""
    shown = looks.counts / np.maximum(looks.of, 1) if drawn_from is None else drawn_from.chance
    # the rounding of sums may make a certainty of one of two equal chances
    differs = np.abs(shown - looks.chance) > 1e-12
    at = int(np.argmax(np.where(differs, looks.of * _entropy(shown, looks.chance), 0)))
    return _missing(
        float(shown[at]), float(looks.of[at]), float(looks.chance[at]), looks.needed, drawn_from is None
    )


def _missing(seen: float, of: float, wrong: float, needed: float, is_measured: bool) -> float:
    def is_noticed(nats):
        """Whether draws that are nearer to the wrong law by so many nats still surprise by what is needed."""
        law = towards(seen, wrong, nats / of, of_first=True) if is_measured else seen
        following = towards(law, wrong, nats / of, of_first=False)
        return of * _entropy(following, wrong) >= needed

    return (1 + is_measured) * chance_beyond(is_noticed)


def chance_beyond(is_noticed) -> float:
    """exp(-nats), for the most nats that draws may be nearer to what is not noticed and still be noticed."""
    low, high = 0.0, 300.0
    if not is_noticed(low):
        return 1.0
    while high - low > 0.01:
        middle = (low + high) / 2
        low, high = (middle, high) if is_noticed(middle) else (low, middle)
    return exp(-low)


def towards(start: float, end: float, nats: float, *, of_first: bool) -> float:
    """How far from a share towards another one the entropy reaches so many nats, seen from the first one or to it."""
    near, far = 0.0, 1.0
    for _ in range(60):
        middle = (near + far) / 2
        share = start + middle * (end - start)
        if (_entropy(start, share) if of_first else _entropy(share, start)) <= nats:
            near = middle
        else:
            far = middle
    return start + far * (end - start)
