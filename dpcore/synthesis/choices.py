"""The choices of every kind of synthetic release, and how they are read back by the kind that they name.

Another kind joins here: a frozen class with ``kind``, ``bound``, ``epsilon``, ``period``, ``loss``, ``terms`` and
``of_terms``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from dpcore.synthesis.roy_choices import RoyChoices
from dpcore.synthesis.stability.choices import StabilityChoices
from dpcore.trajectory_tree.choices import TreeChoices

SynthesisChoices: TypeAlias = RoyChoices | StabilityChoices | TreeChoices


def choices_of_terms(terms: Mapping[str, object]) -> SynthesisChoices:
    """What ``terms`` wrote; KeyError, TypeError or ValueError for anything else, an AtlasError beyond the limits."""
    if not isinstance(terms, Mapping):
        raise TypeError("choices")
    for kind in (RoyChoices, StabilityChoices, TreeChoices):
        if terms["kind"] == kind.kind:
            return kind.of_terms(terms)
    raise ValueError("no kind of synthesis")
