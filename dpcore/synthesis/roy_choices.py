"""What an owner chooses for synthetic trips (Roy, Kantarcioglu, Sweeney 2016, sound mode). Public; no data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import ClassVar, cast

from dpcore.errors import PrivacyError
from dpcore.measures.keys import Period
from dpcore.privacy import ContributionBound
from dpcore.synthesis import written
from dpcore.synthesis.domain_of_tiles import EXTRAS, MAX_ZIPS, domain_of
from dpcore.synthesis.workload import SynthesisPlan
from dpcore.tessellation import Tessellation

Terms = Mapping[str, object]


def one_month(period: Period) -> bool:
    """Whether there are no months to be told apart."""
    return f"{period.first:%Y-%m}" == f"{period.last:%Y-%m}"


@dataclass(frozen=True)
class RoyChoices:
    """Everything but the tiles; with them it is a plan."""

    kind: ClassVar[str] = "roy"

    bound: ContributionBound
    epsilon: Fraction
    """Total of all tables."""
    period: Period
    """Public dates; trips on other days are left out."""
    holidays: frozenset[date] = frozenset()
    extras: tuple[str, ...] = ()
    """Attributes of the rider that are drawn too, see ``domain_of_tiles.EXTRAS``."""
    zips: tuple[str, ...] = ()
    """Public list, with the attribute ``zip``."""
    by_month: bool = False
    """Whether stations may be busy in different months."""

    def __post_init__(self) -> None:
        """Put the attributes into their usual order, so that equal choices are equal; refuse what would tell nothing."""
        if len(set(self.extras)) != len(self.extras):
            raise PrivacyError("an attribute is named twice", "attributes", "Name each of them once.")
        usual = [name for name in EXTRAS if name in self.extras]
        others = [name for name in self.extras if name not in EXTRAS]
        object.__setattr__(self, "extras", (*usual, *others))
        beyond = sorted(day for day in self.holidays if not self.period.first <= day <= self.period.last)
        if beyond:
            raise PrivacyError(
                "a holiday is none of the dates",
                f"holidays, {beyond[0].isoformat()}",
                f"Name those from {self.period.first.isoformat()} to {self.period.last.isoformat()}.",
            )
        if self.by_month and one_month(self.period):
            raise PrivacyError(
                "all dates lie in one month",
                "months told apart",
                "Leave it out: a table of one month would cost a share of epsilon and tell nothing.",
            )

    @property
    def loss(self) -> tuple[Fraction, Fraction]:
        """Epsilon and delta of its privacy unit when one is added or removed."""
        return self.epsilon, Fraction(0)

    def plan(self, tessellation: Tessellation) -> SynthesisPlan:
        """The plan on some tiles; raises PrivacyError where it would be too large or contradicts itself."""
        domain = domain_of(
            tessellation,
            self.period,
            holidays=self.holidays,
            extras=self.extras,
            zips=self.zips,
            by_month=self.by_month,
        )
        return SynthesisPlan(domain, self.bound, self.epsilon)

    def terms(self) -> dict[str, object]:
        """As the ledger and the manifest write it down."""
        return {
            "kind": self.kind,
            **written.bound_terms(self.bound),
            "epsilon": str(self.epsilon),
            "period": written.period_terms(self.period),
            "holidays": sorted(day.isoformat() for day in self.holidays),
            "extras": list(self.extras),
            "zips": list(self.zips),
            "by_month": self.by_month,
        }

    @classmethod
    def of_terms(cls, terms: Terms) -> RoyChoices:
        """What was written down; KeyError, TypeError or ValueError for anything else, PrivacyError beyond the limits."""
        if not isinstance(terms["by_month"], bool):
            raise TypeError("by_month")
        return cls(
            written.bound_of(terms),
            written.fraction_of(terms["epsilon"]),
            written.period_of(cast("Terms", terms["period"])),
            frozenset(date.fromisoformat(day) for day in written.texts_of(terms["holidays"])),
            written.texts_of(terms["extras"], len(EXTRAS)),
            written.texts_of(terms["zips"], MAX_ZIPS),
            terms["by_month"],
        )
