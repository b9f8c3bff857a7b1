"""The files of a bundle, from its choices and tiles."""

from __future__ import annotations

from dpcore.synthesis.choices import SynthesisChoices
from dpcore.synthesis.stability.choices import StabilityChoices
from dpcore.synthetic_release.layout import listed_files, tree_files
from dpcore.synthetic_release.tables import parts_of
from dpcore.tessellation import Tessellation
from dpcore.trajectory_tree.choices import Source, TreeChoices


def files_of(choices: SynthesisChoices, tessellation: Tessellation) -> tuple[str, ...]:
    """Every file but the manifest, sorted; raises an AtlasError for choices that no plan can be made of."""
    if isinstance(choices, TreeChoices):
        return tree_files(trips=choices.making.source is Source.TRIP)
    plan = choices.plan() if isinstance(choices, StabilityChoices) else choices.plan(tessellation)
    return listed_files(parts_of(plan))
