"""The choices of every kind of synthetic release, and how they are read back by the kind that they name.

Another kind (such as a tree of trajectories) joins here: a frozen class with ``kind``, ``bound``, ``loss``, ``terms`` and
``of_terms``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from dpcore.synthesis.roy_choices import RoyChoices
from dpcore.synthesis.stability.choices import StabilityChoices

SynthesisChoices: TypeAlias = RoyChoices | StabilityChoices


def choices_of_terms(terms: Mapping[str, object]) -> SynthesisChoices:
    """What ``terms`` wrote; KeyError, TypeError or ValueError for anything else, PrivacyError beyond the limits."""
    if not isinstance(terms, Mapping):
        raise TypeError("choices")
    for kind in (RoyChoices, StabilityChoices):
        if terms["kind"] == kind.kind:
            return kind.of_terms(terms)
    raise ValueError("no kind of synthesis")
