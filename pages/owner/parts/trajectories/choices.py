"""What is chosen on the Trajectories page, and the levels of places: one owner for both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import Final, get_type_hints

import streamlit as st

from dpcore import limits
from dpcore.api import studies
from dpcore.errors import AtlasError
from dpcore.kinds.tree.choices import DEFAULT_HEIGHT, MAX_MINUTES, Making, Outside, Source, TreeChoices
from dpcore.kinds.tree.levels import DESCRIPTORS, Descriptor
from dpcore.kinds.tree.plan import MAX_HEIGHT, Definition, Strategy
from dpcore.kinds.tree.tree import Consistency
from dpcore.measures.keys import OUTSIDE, Period
from dpcore.privacy import RUNGS, ContributionBound
from dpcore.tiles import Tessellation
from dpcore.views.ground.selection import NOTHING, Selection
from pages.owner.parts.state.data_sets import DataSet
from pages.owner.parts.state.form import anything, between
from pages.owner.parts.state.session import session

STRATEGIES: Final = MappingProxyType(
    {
        Definition.LOCATION: (Strategy.ADAPTIVE, Strategy.NON_ADAPTIVE, Strategy.UNIFORM),
        Definition.RECORD: (Strategy.RECORD, Strategy.UNIFORM),
    }
)
"""The allocations that are proved for each promise, the usual one first."""

_FITS: Final = MappingProxyType(
    {
        "days": between(1, limits.MAX_TRIPS_PER_USER),
        "height": between(1, MAX_HEIGHT),
        "minutes": between(1, MAX_MINUTES),
        "epsilon": RUNGS.__contains__,
    }
)
_LEVELS: Final = "trajectories painting"  # projects of before have their levels under this name


@dataclass(repr=False)
class PlaceLevels:
    """The descriptors of the tiles of one tessellation, and which tiles get one next. Public: never made from data."""

    digest: str
    """Of the tessellation that it belongs to."""
    named: dict[str, str] = field(default_factory=dict)
    """Tile id to name of its descriptor; a tile that is not named is Critical."""
    descriptors: tuple[Descriptor, ...] = DESCRIPTORS
    """The scale, least delicate first."""
    chosen: Selection = NOTHING
    """Tiles or districts that are chosen on the map or in the list."""
    listed: int = 0
    """How often the page chose since, and not the map."""
    turn: int = 0
    """How often levels came from elsewhere before these."""

    def choose(self, chosen: Selection) -> None:
        """Choose places other than on the map, which follows."""
        self.chosen = chosen
        self.listed += 1

    def set(self, tiles: Sequence[str], name: str) -> None:
        """Give tiles a descriptor."""
        self.take({**self.named, **dict.fromkeys(tiles, name)}, self.descriptors)

    def take(self, named: Mapping[str, str], descriptors: tuple[Descriptor, ...]) -> None:
        """Take levels in place of those before, and let the project keep them: they are much work."""
        critical = descriptors[-1].name
        self.named = {tile: name for tile, name in named.items() if name != critical}
        self.descriptors = descriptors
        session().form.values[_LEVELS] = studies.written(_Kept(self.digest, self.named, self.descriptors))


@dataclass(frozen=True)
class _Kept:
    """Levels as a project keeps them."""

    digest: str
    named: dict[str, str]
    descriptors: tuple[Descriptor, ...]


@dataclass(repr=False)
class TreeForm:
    """What the widgets of the page show."""

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


def key_of(name: str) -> str:
    """The key of the widget of a choice, which the project keeps."""
    return session().form.kept_key(f"trajectories {name}", vars(TreeForm())[name])


def strategy_key(definition: Definition) -> str:
    """The key of the widget of the allocation under one promise."""
    return session().form.kept_key(_strategy_field(definition), STRATEGIES[definition][0])


def form(data: DataSet) -> TreeForm:
    """The choices of this visitor as the project keeps them; a day of a person needs people."""
    kept, found, hints = session().form, TreeForm(), get_type_hints(TreeForm)
    together = kept.values.pop("trajectories strategy", None)  # as projects of before have them
    if isinstance(together, dict):
        kept.values |= {_strategy_field(one): together.get(one.name) for one in STRATEGIES}
    for name, usual in vars(found).items():
        if name != "strategy":
            read = kept.read(f"trajectories {name}", hints[name], usual, _FITS.get(name, anything))
            vars(found)[name] = read
    for one, known in STRATEGIES.items():
        found.strategy[one] = kept.read(_strategy_field(one), Strategy, known[0], known.__contains__)
    if not data.trips.has_users:
        found.source = Source.TRIP
    return found


def _strategy_field(definition: Definition) -> str:
    return f"trajectories strategy {definition.name}"


def place_levels(tessellation: Tessellation) -> PlaceLevels:
    """The levels of the loaded tiles; those of other tiles are let go of."""
    now = tessellation.digest, session().form.turn(_LEVELS)
    found = st.session_state.get(_LEVELS)
    if not isinstance(found, PlaceLevels) or (found.digest, found.turn) != now:
        found = st.session_state[_LEVELS] = _kept_levels(tessellation.digest)
        found.turn = now[1]
    return found


def _kept_levels(digest: str) -> PlaceLevels:
    """What the project keeps of these tiles."""
    try:
        kept = studies.read_as(_Kept, session().form.values.get(_LEVELS))
    except (ValueError, AtlasError):
        return PlaceLevels(digest)
    levels = {one.name for one in kept.descriptors}
    if kept.digest != digest or not levels or not set(kept.named.values()) <= levels:
        return PlaceLevels(digest)
    return PlaceLevels(digest, kept.named, kept.descriptors)


def bound_of(mine: TreeForm) -> ContributionBound:
    """Whom to hide; the day of a person needs a person, and M counts days then."""
    if mine.source is Source.DAY:
        return ContributionBound.per_user(mine.days)
    return session().draft().bound


def choices_of(data: DataSet, mine: TreeForm, levels: PlaceLevels, period: Period | None) -> TreeChoices:
    """All of it together; raises PrivacyError for what has no meaning."""
    making = mine.making
    # The level of what lies outside is kept while there is no such place.
    named = {
        tile: name
        for tile, name in levels.named.items()
        if tile != OUTSIDE or tile in data.geometry.names or making.outside is Outside.PLACE
    }
    return TreeChoices(
        bound=bound_of(mine),
        epsilon=mine.epsilon,
        height=mine.height,
        named=tuple(sorted(named.items())),
        descriptors=levels.descriptors,
        making=making,
        definition=mine.definition,
        strategy=mine.strategy[mine.definition],
        consistency=mine.consistency,
        period=period,
    )
