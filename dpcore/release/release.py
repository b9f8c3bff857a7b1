"""A release: noisy tables that were paid for, with everything a reader must know about them. Public."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from typing import Final, Literal

from dpcore import limits
from dpcore.measures.bought import BoughtQuantiles, check_bought
from dpcore.measures.measurement import Measurement
from dpcore.measures.plan import Plan
from dpcore.privacy import PrivacyUnit, decimal_text
from dpcore.release.texts import one_line, several_lines
from dpcore.tessellation import Tessellation

Chosen = Literal["before_data", "after_preview", "paid"]
"""When epsilon, M and the tiles were chosen: before anyone looked at the data, after a preview, or by a paid query."""

_LINES: Final = (
    ("title", limits.MAX_TITLE_CHARACTERS),
    ("population", limits.MAX_RELEASE_TEXT_CHARACTERS),
)
_BLOCKS: Final = (("note", limits.MAX_NOTE_CHARACTERS), ("command", limits.MAX_COMMAND_CHARACTERS))


@dataclass(frozen=True)
class Anchor:
    """Where the ledger holds the charge: enough to find the entry, and to notice a ledger that was set back."""

    ledger: str
    """Identity of the ledger."""
    number: int
    """Number of the entry that reserved the budget."""
    hash: str
    """Hash of that entry."""
    currency: PrivacyUnit
    """Unit of the account."""
    charged: Fraction
    """By how much the account's spent epsilon rose."""
    total: Fraction
    """The account's whole budget."""
    part: str | None = None
    """The declared part of the data set that was counted; None for all of it."""


@dataclass(frozen=True, eq=False)
class Release:
    """Measurements of one plan with their promise. Measurements have the origin ``release`` and no other.

    What shows nothing (control characters, marks that turn the direction of reading) is taken out of its free texts
    when it is made, and they are cut to their limits.
    """

    id: str
    """Name of the release: data set and number of its ledger entry, such as ``city-3``."""
    title: str
    note: str
    dataset: str
    """Name of the registered data set."""
    population: str
    """The owner's declaration of who is in it."""
    created: datetime
    """UTC, whole seconds."""
    plan: Plan
    measurements: Mapping[str, Measurement]
    """By measure, in the order of the plan's weights."""
    tessellation: Tessellation
    timezone: str
    """IANA name of the city's clock: hours and dates are local to it."""
    anchor: Anchor
    parameters_chosen: Chosen
    raised_from: str | None = None
    """Id of the earlier release whose ladder this one continues."""
    command: str = ""
    """The command that repeats the computation (with fresh noise, and at its price)."""
    software: Mapping[str, str] = field(default_factory=dict)
    """Versions of what computed it, by package."""
    five_numbers: BoughtQuantiles | None = None
    """The five-number summaries that were bought; None: none were. See ``dpcore.noise.five_numbers`` for the table of them."""
    ranges: BoughtQuantiles | None = None
    """The ranges that were bought for bins, which stand in the plan's choices; None: none were."""

    def __post_init__(self) -> None:
        """Refuse a preview, which nobody paid for (ValueError: a fault here is ours); clean the free texts."""
        check_bought(self.plan, self.five_numbers, self.ranges)
        if any(measurement.origin != "release" for measurement in self.measurements.values()):
            raise ValueError("a preview is never released: its noise was not paid for")
        texts = {
            "title": self.title,
            "population": self.population,
            "note": self.note,
            "command": self.command,
        }
        for name, most in _LINES:
            object.__setattr__(self, name, one_line(texts[name], most))
        for name, most in _BLOCKS:
            object.__setattr__(self, name, several_lines(texts[name], most))

    def __repr__(self) -> str:
        """One line with names and sizes; ``table`` gives the numbers."""
        return f"<Release {self.id}: {', '.join(self.measurements)}; epsilon {decimal_text(self.plan.epsilon)} per {self.plan.bound}>"
