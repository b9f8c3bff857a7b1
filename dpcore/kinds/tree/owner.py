"""What owners of trips may look at before they release trees of trajectories. Everything here is private, as in ``dpcore.api.owner``."""

from __future__ import annotations

from dpcore.kinds.tree.private.levels_study import LEVEL_EPSILONS, LevelsStudy, levels_plans, levels_study
from dpcore.kinds.tree.private.sequences import TrajectoryLengths, trajectory_lengths
from dpcore.kinds.tree.private.tree_preview import (
    ComparedPatterns,
    ComparedQuery,
    ComparedWorkload,
    TreePreview,
    compare_queries,
    compare_top_patterns,
    compare_workload,
    tree_preview,
)

__all__ = [
    "LEVEL_EPSILONS",
    "ComparedPatterns",
    "ComparedQuery",
    "ComparedWorkload",
    "LevelsStudy",
    "TrajectoryLengths",
    "TreePreview",
    "compare_queries",
    "compare_top_patterns",
    "compare_workload",
    "levels_plans",
    "levels_study",
    "trajectory_lengths",
    "tree_preview",
]
