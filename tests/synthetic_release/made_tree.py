"""Small released trees of invented trajectories, with real noise."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from dpcore.kinds.tree.choices import Making, Outside, Source, TreeChoices
from dpcore.kinds.tree.noisy_tree import NoisyTree
from dpcore.kinds.tree.private.drawing import EXACT_NOISE
from dpcore.kinds.tree.private.growth import grow
from dpcore.kinds.tree.private.sequences import TileSequences
from dpcore.kinds.tree.tree import consistent
from dpcore.measures.keys import OUTSIDE
from dpcore.privacy import ContributionBound
from dpcore.release import AnyRelease
from tests.cities import four_tiles
from tests.synthetic_release.made_synthetic import made_synthetic

LEVELS = (("A", "Low"), ("B", "High"), ("C", "Low"))


def tree_choices(**changes) -> TreeChoices:
    given = {
        "bound": ContributionBound.per_trip(),
        "epsilon": Fraction(1),
        "height": 3,
        "named": LEVELS,
    }
    return TreeChoices(**given | changes)


def day_choices(**changes) -> TreeChoices:
    making = Making(Source.DAY, 30, Outside.PLACE)
    given = {
        "bound": ContributionBound.per_user(2),
        "making": making,
        "named": (*LEVELS, (OUTSIDE, "Medium")),
    }
    return tree_choices(**given | changes)


def walks(number: int, places: int, longest: int = 5, seed: int = 3) -> TileSequences:
    """Random walks over the places, the first of them the most popular; some are longer than the height."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, longest + 1, number)
    return TileSequences.of(rng.integers(0, rng.integers(1, places + 1, n)) for n in lengths)


def noisy_tree(choices: TreeChoices, number: int = 600) -> NoisyTree:
    plan = choices.plan(four_tiles())
    tree = grow(walks(number, plan.locations), plan, EXACT_NOISE)
    return NoisyTree(plan, consistent(tree, choices.consistency), "release")


def made_tree(choices: TreeChoices | None = None, number: int = 600, **changes) -> AnyRelease:
    """A released tree on four tiles; ``changes`` are fields of the release itself."""
    choices = choices or tree_choices()
    given = {"tables": noisy_tree(choices, number), "seed": 0, **changes}
    return made_synthetic(choices, **given)
