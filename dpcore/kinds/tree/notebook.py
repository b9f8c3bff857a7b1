"""What notebooks ask of trees of trajectories, for the owner only."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import pandas as pd

from dpcore.api import owner
from dpcore.api.offered import offered
from dpcore.api.plans import exact
from dpcore.kinds.tree import owner as tree_owner
from dpcore.kinds.tree.choices import TreeChoices
from dpcore.private.trips import PrivateTrips
from dpcore.tiles import Tessellation
from dpcore.views.numbers.sentences import marked


@offered
def levels_study(
    trips: PrivateTrips,
    tiles: Tessellation,
    plan: TreeChoices,
    *,
    epsilons: Sequence[Fraction | str] | None = None,
    runs: int = 5,
) -> pd.DataFrame:
    """What the levels of places of a trajectory tree buy at each epsilon, for the owner only: errors beside those of the uniform allocation.

    One row an epsilon: ``epsilon`` of Critical places, ``record`` (what a whole record may lose), then mean relative error and standard
    deviation of random set queries for the levels, for the uniform allocation, and for the one at which a record loses as much.

    Args:
        trips: the trips.
        tiles: their tiles.
        plan: what ``tree_plan`` made. Its epsilon is not used.
        epsilons: those of Critical places, fractions or decimal texts; None: 0.1, 0.25, 0.5 and 1.
        runs: trees of each, 2 or more.

    Raises:
        InputError: numbers out of range, or no trajectory.
        PrivacyError: an epsilon or a plan that cannot be.

    """
    asked = tree_owner.LEVEL_EPSILONS if epsilons is None else tuple(map(exact, epsilons))
    tree_owner.levels_plans(tiles, plan, asked, runs)  # what is refused for its options is no look
    owner.remember_looks(trips.fingerprints)
    found = tree_owner.levels_study(trips, tiles, plan, epsilons=asked, runs=runs)
    return marked(pd.DataFrame(found.columns))
