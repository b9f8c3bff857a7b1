"""What an owner chooses for a trajectory tree (PLDP-TD, see the package). Public, no data.

``Making`` says how trips become trajectories. ``TreeChoices`` holds all other choices.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import ClassVar, Final

from dpcore import limits
from dpcore.errors import InputError, PrivacyError
from dpcore.kinds.tree.levels import (
    DESCRIPTORS,
    Descriptor,
    Levels,
    Named,
    named_of,
    named_terms,
    scale_of,
    scale_terms,
)
from dpcore.kinds.tree.plan import Definition, Strategy, TreePlan, TreePrice, price_of_tree
from dpcore.kinds.tree.tree import Consistency
from dpcore.measures.keys import OUTSIDE, Period
from dpcore.planning.choice import FILE, Choice, whole
from dpcore.planning.python_text import Raw
from dpcore.privacy import ContributionBound, PrivacyUnit, epsilon_text
from dpcore.release import terms as written
from dpcore.tiles import Tessellation
from dpcore.tiles.labels import is_tile_id

MAX_MINUTES: Final = 1_440
"""The longest interval: a day."""
DEFAULT_HEIGHT: Final = 5
MAX_DESCRIPTOR_CHARACTERS: Final = 40
MAX_WEIGHT_DENOMINATOR: Final = 1_000_000
"""Weights are short fractions, so that prices are short too."""


class Source(Enum):
    """What one trajectory is."""

    TRIP = "trip"
    """The tiles of one trip, from its start to its end."""
    DAY = "day"
    """Everything that one person or vehicle visited on one local day; needs the privacy unit user."""


class Outside(Enum):
    """What happens to a visit outside all tiles."""

    LEAVE_OUT = "leave-out"
    """It is left out."""
    PLACE = "place"
    """It is a visit to the additional place ``keys.OUTSIDE``."""
    END = "end"
    """The trajectory ends there."""


@dataclass(frozen=True)
class Making:
    """How trips become a trajectory; raises PrivacyError for an invalid interval."""

    source: Source = Source.TRIP
    minutes: int | None = None
    """With an interval, staying shows."""
    outside: Outside = Outside.LEAVE_OUT

    def __post_init__(self) -> None:
        if self.minutes is None:
            return
        whole = isinstance(self.minutes, int) and not isinstance(self.minutes, bool)
        if not whole or not 1 <= self.minutes <= MAX_MINUTES:
            raise PrivacyError(
                "the interval of a trajectory must be a whole number of minutes",
                "minutes",
                f"Give 1 to {MAX_MINUTES:,}, or none: then each move to another tile counts once.",
            )

    def terms(self) -> dict[str, object]:
        """The fields as the ledger and the manifest store them."""
        return written.terms_of(self, _MAKING_TERMS)

    @classmethod
    def of_terms(cls, terms: Mapping[str, object]) -> Making:
        """The choice from what ``terms`` gave; KeyError, TypeError or ValueError for anything else, PrivacyError beyond limits."""
        return cls(**written.read_terms(terms, _MAKING_TERMS))


_MAKING_TERMS: Final[Mapping[str, written.Term]] = {
    "source": written.member(Source),
    "minutes": written.optional(written.WHOLE),
    "outside": written.member(Outside),
}
TRIPS_BY_TILE: Final = Making()
"""The default: the tiles of a trip, noted at each move; visits outside the tiles are left out."""


@dataclass(frozen=True)
class TreeChoices:
    """All choices for a tree; together with the tiles they make a plan. ``CHOICES`` says what each is."""

    kind: ClassVar[str] = "trajectory-tree"

    bound: ContributionBound
    """Privacy unit and M: with ``Source.DAY`` the most days of a person that count, else the most trips."""
    epsilon: Fraction
    """Budget of Critical for one trajectory. The ledger charges ``loss``."""
    height: int = DEFAULT_HEIGHT
    named: Named = ()
    """(tile id, name of its descriptor), sorted. Tiles that are not named have the last descriptor, Critical."""
    descriptors: tuple[Descriptor, ...] = DESCRIPTORS
    making: Making = TRIPS_BY_TILE
    definition: Definition = Definition.LOCATION
    strategy: Strategy = Strategy.ADAPTIVE
    consistency: Consistency = Consistency.EQUAL
    period: Period | None = None

    def __post_init__(self) -> None:
        """Refuse choices that are invalid on all tiles; sort the named tiles, so that equal choices are equal."""
        _must_be_protectable(self.making, self.bound)
        if not Fraction(limits.MIN_EPSILON) <= self.epsilon <= Fraction(limits.MAX_EPSILON):
            raise PrivacyError(
                "epsilon is out of bounds", "epsilon", f"Give {limits.MIN_EPSILON} to {limits.MAX_EPSILON}."
            )
        _must_be_short(self.descriptors)
        times = Counter(tile for tile, _ in self.named)
        twice = next((tile for tile, often in times.items() if often > 1), None)
        if twice is not None:
            raise InputError("a tile has two privacy levels", f"tile {twice!r}", "Name each tile once.")
        self._plan_of_named()  # checks scale, descriptors, height and strategy
        last = self.descriptors[-1].name
        object.__setattr__(self, "named", tuple(sorted(pair for pair in self.named if pair[1] != last)))

    def __repr__(self) -> str:
        """One line: the kind, its height, both numbers of the promise, and whom it hides."""
        said = f"epsilon {epsilon_text(self.loss[0])}, and {epsilon_text(self.epsilon)} of Critical places for one trajectory"
        return f"<Plan of a trajectory tree of height {self.height}: {said}; per {self.bound}>"

    def tiles(self, tessellation: Tessellation) -> tuple[str, ...]:
        """The places of trajectories, in the order of their symbols: the tiles, and ``outside`` if it is a place."""
        outside = (OUTSIDE,) if self.making.outside is Outside.PLACE else ()
        if outside and OUTSIDE in tessellation.tile_ids:
            raise InputError(
                "a tile has the name that stands for everything outside the tiles",
                f"tile {OUTSIDE!r}",
                "Give the tile another id, or leave out visits outside the tiles.",
            )
        return (*tessellation.tile_ids, *outside)

    def levels(self, tessellation: Tessellation) -> Levels:
        """The level of every place; raises InputError for a named tile that does not exist."""
        return Levels.of(self.tiles(tessellation), dict(self.named), self.descriptors)

    def plan(self, tessellation: Tessellation) -> TreePlan:
        """The plan on some tiles; raises InputError or PrivacyError if there can be none."""
        return self._plan(self.levels(tessellation))

    def _plan(self, levels: Levels) -> TreePlan:
        return TreePlan(levels, self.epsilon, self.height, self.definition, self.strategy)

    def _plan_of_named(self) -> TreePlan:
        """The plan on the named tiles alone."""
        tiles = [tile for tile, _ in self.named] or ["any"]
        return self._plan(Levels.of(tiles, dict(self.named), self.descriptors))

    def price(self) -> TreePrice:
        """What one unit can lose, by descriptor and as a whole.

        Tiles that are not named are Critical, the highest level. So the lowest level of all tiles is that of the named ones.
        On all tiles this is ``price_of_tree(self.plan(tessellation), self.bound)``.
        """
        return price_of_tree(self._plan_of_named(), self.bound)

    @property
    def loss(self) -> tuple[Fraction, Fraction]:
        """Epsilon and delta for one privacy unit that is added or removed, whatever places it visited."""
        return self.price().record, Fraction(0)

    def terms(self) -> dict[str, object]:
        """The choices as the ledger and the manifest store them."""
        own = written.terms_of(self, _TERMS)
        return {
            "kind": self.kind,
            **written.bound_terms(self.bound),
            **{_WRITTEN_AS.get(name, name): term for name, term in own.items()},
        }

    @classmethod
    def of_terms(cls, terms: Mapping[str, object]) -> TreeChoices:
        """The choices from what ``terms`` gave; KeyError, TypeError or ValueError for anything else, an AtlasError beyond limits."""
        own = {name: terms[_WRITTEN_AS.get(name, name)] for name in _TERMS}
        return cls(written.bound_of(terms), **written.read_terms(own, _TERMS))


_WRITTEN_AS: Final = {"named": "levels"}
_TERMS: Final[Mapping[str, written.Term]] = {
    "epsilon": written.FRACTION,
    "height": written.WHOLE,
    "named": (named_terms, named_of),
    "descriptors": (scale_terms, scale_of),
    "making": (Making.terms, Making.of_terms),
    "definition": written.member(Definition),
    "strategy": written.member(Strategy),
    "consistency": written.member(Consistency),
    "period": written.optional(written.PERIOD),
}


def _must_be_protectable(making: Making, bound: ContributionBound) -> None:
    """Refuse days as trajectories for the privacy unit trip: a trip adds part of a day, not a day."""
    if making.source is Source.DAY and bound.unit is PrivacyUnit.TRIP:
        raise PrivacyError(
            "the day of a person is not a trip",
            "privacy unit trip",
            "Choose the privacy unit user with the most days of a person that may count, or make trajectories of trips.",
        )


def _must_be_short(descriptors: tuple[Descriptor, ...]) -> None:
    """Refuse names that are unsafe in tables, maps and spreadsheets, and weights that make long prices.

    The rest is checked with the levels.
    """
    for one in descriptors:
        name = one.name
        if len(name) > MAX_DESCRIPTOR_CHARACTERS or not is_tile_id(name):
            raise PrivacyError(
                "a privacy level needs a plain name",
                "descriptors",
                f"Give 1 to {MAX_DESCRIPTOR_CHARACTERS} letters, digits, spaces or hyphens, and begin with a letter or digit.",
            )
        if isinstance(one.weight, Fraction) and one.weight.denominator > MAX_WEIGHT_DENOMINATOR:
            raise PrivacyError(
                "the weight of a privacy level has too many decimals",
                name,
                "Give a short number such as 0.4 or 2/5.",
            )


def _has_own_scale(plan: TreeChoices) -> bool:
    return plan.descriptors != DESCRIPTORS


CHOICES: Final = (
    Choice(
        "levels",
        "public privacy levels of tiles: GeoJSON or CSV with tile_id,privacy; default: all Critical",
        FILE,
        Path,
        of=lambda plan: "LEVELS.geojson" if _has_own_scale(plan) else dict(plan.named),
    ),
    Choice("tiles", of=lambda plan: Raw("tiles") if _has_own_scale(plan) else None),
    Choice("height", f"how many visits of a trajectory count; default: {DEFAULT_HEIGHT}", "h", whole),
    Choice(
        "trajectory",
        "what a trajectory is: a trip, or the local day of a person (needs the privacy unit user); default: trip",
        among=Source,
        of=lambda plan: plan.making.source,
    ),
    Choice(
        "",
        "with --trajectory day: how many days of each person count; --max-trips means the same there",
        "M",
        whole,
        flag="--max-days",
        of=lambda _: None,
    ),
    Choice(
        "minutes",
        "note the tile every N minutes; default: at each move to another tile",
        "N",
        whole,
        of=lambda plan: plan.making.minutes,
    ),
    Choice(
        "outside",
        "visits outside the tiles: left out, one more place, or the end of the trajectory; default: leave-out",
        among=Outside,
        of=lambda plan: plan.making.outside,
    ),
    Choice(
        "promise",
        "what levels protect: whether somebody went on to a place, or the whole trajectory; default: location",
        among=Definition,
        of=lambda plan: plan.definition,
    ),
    Choice(
        "strategy",
        "how the budget is spread along a path; default: adaptive, or record with --promise record",
        among=Strategy,
    ),
    Choice("consistency", "how estimates are made consistent; default: equal", among=Consistency),
    Choice("period", flag="--dates"),
)
