"""A synthetic release: noisy tables, or a tree, that were paid for, with everything a reader must know about them. Public."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from functools import cached_property
from typing import Final, Literal, TypeAlias

from dpcore import limits
from dpcore.release import Anchor, Chosen
from dpcore.release.texts import one_line, several_lines
from dpcore.synthesis.choices import SynthesisChoices
from dpcore.synthesis.stability.plan import StabilityHistogram
from dpcore.synthesis.workload import NoisyTables
from dpcore.tessellation import Tessellation
from dpcore.trajectory_tree.noisy_tree import NoisyTree

Counted: TypeAlias = NoisyTables | StabilityHistogram
"""What is a set of tables."""
Tables: TypeAlias = Counted | NoisyTree
TripForm = Literal["points", "tiles"]
"""Whether the trips have coordinates (those of the tile's label point) besides their tiles, as the input had."""

_LINES: Final = {"title": limits.MAX_TITLE_CHARACTERS, "population": limits.MAX_RELEASE_TEXT_CHARACTERS}
_BLOCKS: Final = {"note": limits.MAX_NOTE_CHARACTERS, "command": limits.MAX_COMMAND_CHARACTERS}


@dataclass(frozen=True, eq=False)
class SyntheticRelease:
    """Noisy tables of one plan with their promise, and how trips are drawn from them.

    What shows nothing (control characters, marks that turn the direction of reading) is taken out of its free texts
    when it is made, and they are cut to their limits.
    """

    id: str
    """Name of the release: data set and number of its ledger entry, such as ``city-3-0a1b2c``."""
    title: str
    note: str
    dataset: str
    """Name of the registered data set."""
    population: str
    """The owner's declaration of who is in it."""
    created: datetime
    """UTC, whole seconds."""
    choices: SynthesisChoices
    tables: Tables
    """Of the origin ``release``."""
    seed: int
    """Of the drawing of the trips; public, because it follows the noise. 0 where nothing is drawn, as from a tree."""
    form: TripForm
    tessellation: Tessellation
    timezone: str
    """IANA name of the city's clock: hours and dates are local to it."""
    anchor: Anchor
    charged_delta: Fraction
    """By how much the account's spent delta rose."""
    parameters_chosen: Chosen
    command: str = ""
    """The command that repeats the computation (with fresh noise, and at its price)."""
    software: Mapping[str, str] = field(default_factory=dict)
    """Versions of what computed it, by package."""

    def __post_init__(self) -> None:
        """Refuse a preview, which nobody paid for (ValueError: a fault here is ours); clean the free texts."""
        if self.tables.origin != "release":
            raise ValueError("a preview is never released: its noise was not paid for")
        texts = {
            "title": self.title,
            "population": self.population,
            "note": self.note,
            "command": self.command,
        }
        for name, most in _LINES.items():
            object.__setattr__(self, name, one_line(texts[name], most))
        for name, most in _BLOCKS.items():
            object.__setattr__(self, name, several_lines(texts[name], most))

    @cached_property
    def loss(self) -> tuple[Fraction, Fraction]:
        """Epsilon and delta of one privacy unit, added or removed."""
        return self.choices.loss
