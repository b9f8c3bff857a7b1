"""What is chosen on the Trajectories page, and the levels that were painted: one owner for both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import Final

import streamlit as st

from dpcore.measures.keys import OUTSIDE, Period
from dpcore.privacy import ContributionBound
from dpcore.synthesis.tree.choices import DEFAULT_HEIGHT, Making, Outside, Source, TreeChoices
from dpcore.synthesis.tree.levels import DESCRIPTORS, Descriptor
from dpcore.synthesis.tree.plan import Definition, Strategy
from dpcore.synthesis.tree.tree import Consistency
from dpcore.tiles import Tessellation
from pages.owner.parts.session import DataSet, session

STRATEGIES: Final = MappingProxyType(
    {
        Definition.LOCATION: (Strategy.ADAPTIVE, Strategy.NON_ADAPTIVE, Strategy.UNIFORM),
        Definition.RECORD: (Strategy.RECORD, Strategy.UNIFORM),
    }
)
"""The allocations that are proved for each promise, the usual one first."""

_UNDO: Final = 20  # steps that can be taken back


@dataclass(repr=False)
class Painting:
    """The descriptors of the tiles of one tessellation. Public: never made from data."""

    digest: str
    """Of the tessellation that it belongs to."""
    named: dict[str, str] = field(default_factory=dict)
    """Tile id to name of its descriptor; a tile that is not named is Critical."""
    descriptors: tuple[Descriptor, ...] = DESCRIPTORS
    """The scale, least delicate first."""
    applied: int = 0
    """Number of the last stroke of the map that is part of this."""
    before: list[tuple[dict[str, str], tuple[Descriptor, ...]]] = field(default_factory=list)

    def set(self, tiles: Sequence[str], name: str) -> None:
        """Give tiles a descriptor."""
        self.take({**self.named, **dict.fromkeys(tiles, name)}, self.descriptors)

    def take(self, named: Mapping[str, str], descriptors: tuple[Descriptor, ...]) -> None:
        """Take levels in place of those before; ``undo`` brings these back."""
        critical = descriptors[-1].name
        new = {tile: name for tile, name in named.items() if name != critical}
        if (new, descriptors) == (self.named, self.descriptors):
            return
        self.before = [*self.before, (self.named, self.descriptors)][-_UNDO:]
        self.named, self.descriptors = new, descriptors

    def undo(self) -> None:
        """Take back the last change."""
        if self.before:
            self.named, self.descriptors = self.before.pop()


@dataclass(repr=False)
class Form:
    """What the widgets of the page show; Streamlit forgets them when the page is left."""

    source: Source = Source.DAY
    days: int = 5
    height: int = DEFAULT_HEIGHT
    moves: bool = True
    """Whether each move to another tile counts once, rather than the tile at regular times."""
    minutes: int = 15
    outside: Outside = Outside.LEAVE_OUT
    definition: Definition = Definition.LOCATION
    strategy: dict[Definition, Strategy] = field(
        default_factory=lambda: {definition: known[0] for definition, known in STRATEGIES.items()}
    )
    consistency: Consistency = Consistency.EQUAL
    epsilon: Fraction = Fraction(1, 5)

    @property
    def making(self) -> Making:
        """How a trajectory is made."""
        return Making(self.source, None if self.moves else self.minutes, self.outside)

    def take_up(self) -> None:
        """Read what was changed since the last run, before anything is shown, because several sections show one choice."""
        shown = st.session_state
        self.source = shown.get("trajectories source") or self.source
        self.days = shown.get("trajectories days") or self.days
        self.height = shown.get("trajectories height") or self.height
        self.moves = shown.get("trajectories moves", self.moves)
        self.minutes = shown.get("trajectories minutes") or self.minutes
        self.outside = shown.get("trajectories outside") or self.outside
        self.definition = shown.get("trajectories definition") or self.definition
        for definition, before in self.strategy.items():
            self.strategy[definition] = shown.get(strategy_key(definition)) or before
        self.consistency = shown.get("trajectories consistency") or self.consistency
        self.epsilon = shown.get("trajectories epsilon") or self.epsilon
        choice = session().choice
        choice.unit = shown.get("trajectories hide") or choice.unit
        choice.max_trips = shown.get("trajectories max trips") or choice.max_trips


def strategy_key(definition: Definition) -> str:
    """The widget of the allocation under one promise."""
    return f"trajectories strategy {definition.value}"


def form(data: DataSet) -> Form:
    """The choices of this visitor; a day of a person needs people."""
    found: Form = st.session_state.setdefault("trajectories form", Form())
    found.take_up()
    if not data.trips.has_users:
        found.source = Source.TRIP
    return found


def painting(tessellation: Tessellation) -> Painting:
    """The levels of the loaded tiles; those of other tiles are let go of."""
    found = st.session_state.get("trajectories painting")
    if not isinstance(found, Painting) or found.digest != tessellation.digest:
        found = st.session_state["trajectories painting"] = Painting(tessellation.digest)
    return found


def bound_of(mine: Form) -> ContributionBound:
    """Whom to hide; the day of a person needs a person, and M counts days then."""
    if mine.source is Source.DAY:
        return ContributionBound.per_user(mine.days)
    return session().choice.bound


def choices_of(data: DataSet, mine: Form, painted: Painting, period: Period | None) -> TreeChoices:
    """All of it together; raises PrivacyError for what has no meaning."""
    making = mine.making
    # The level of what lies outside is kept while there is no such place.
    named = {
        tile: name
        for tile, name in painted.named.items()
        if tile != OUTSIDE or tile in data.geometry.names or making.outside is Outside.PLACE
    }
    return TreeChoices(
        bound=bound_of(mine),
        epsilon=mine.epsilon,
        height=mine.height,
        named=tuple(sorted(named.items())),
        descriptors=painted.descriptors,
        making=making,
        definition=mine.definition,
        strategy=mine.strategy[mine.definition],
        consistency=mine.consistency,
        period=period,
    )
