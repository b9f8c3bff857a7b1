"""What the manifest of a released tree says of it: levels with their epsilons, the tree, and what is written of it."""

from __future__ import annotations

import numpy as np

from dpcore.release.canonical import epsilon_of
from dpcore.synthetic_release.layout import LEVELS, TRAJECTORIES, TREE, TRIPS
from dpcore.synthetic_release.release import SyntheticRelease
from dpcore.synthetic_release.tree_rows import VISITS_SCHEMA
from dpcore.synthetic_release.tree_statements import choices_of
from dpcore.synthetic_release.tree_table import SCHEMA
from dpcore.synthetic_release.trips import trip_schema
from dpcore.trajectory_tree.choices import Source
from dpcore.trajectory_tree.noisy_tree import NoisyTree

Object = dict[str, object]


def tree_members(release: SyntheticRelease, noisy: NoisyTree) -> Object:
    """Levels and tree."""
    choices, levels = choices_of(release), noisy.plan.levels
    tiles = np.bincount(levels.level - 1, minlength=len(levels.descriptors)).tolist()
    extent = noisy.writer.extent
    return {
        "levels": {
            "file": LEVELS,
            "descriptors": [
                {
                    "name": one.name,
                    "weight": str(one.weight),
                    "places": places,
                    "epsilon": epsilon_of(epsilon),
                }
                for one, places, (_, epsilon) in zip(
                    levels.descriptors, tiles, choices.price().descriptors, strict=True
                )
            ],
        },
        "tree": {
            "file": TREE,
            "columns": SCHEMA.names,
            "nodes": len(noisy.tree) - 1,
            "expected_false_children": str(noisy.plan.false_children),
        },
        "trajectories": {
            "file": TRAJECTORIES,
            "columns": VISITS_SCHEMA.names,
            "number": extent.trajectories,
            "rows": extent.visits,
            "one_in": extent.one_in,
        },
    }


def tree_trips(release: SyntheticRelease, noisy: NoisyTree) -> Object:
    """The file of trips, which there is where a trajectory is a trip."""
    trips = choices_of(release).making.source is Source.TRIP
    return {
        "file": TRIPS if trips else None,
        "rows": noisy.writer.extent.trajectories if trips else 0,
        "form": release.form,
        "columns": trip_schema(release.choices, release.form).names if trips else [],
        "repeats": None,
        "seed": str(release.seed),
    }
