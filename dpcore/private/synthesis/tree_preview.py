"""The throw-away draws for looking at a trajectory tree; this room may draw, the one that counts may not."""

from __future__ import annotations

from dpcore.private.progress import Progress
from dpcore.private.synthesis.drawing import EXACT_NOISE
from dpcore.private.trajectories.preview import TreePreview, tree_preview_of
from dpcore.private.trips import PrivateTrips
from dpcore.tessellation import Tessellation
from dpcore.trajectory_tree.choices import TreeChoices


def tree_preview(
    trips: PrivateTrips,
    tessellation: Tessellation,
    choices: TreeChoices,
    *,
    progress: Progress | None = None,
) -> TreePreview:
    """``tree_preview_of`` with fresh exact noise."""
    return tree_preview_of(trips, tessellation, choices, EXACT_NOISE, progress)
