"""A release: what was paid for and drawn, and everything that a reader must know about it. Public."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from typing import Any, Final, Generic, Literal, Protocol, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray
from typing_extensions import TypeVar

from dpcore import limits
from dpcore.context import Context
from dpcore.estimates import Estimates
from dpcore.estimates.draws import METHOD as METHOD_OF_DRAWS
from dpcore.estimates.words import METHOD
from dpcore.measures.bought import BoughtQuantiles, check_bought
from dpcore.measures.measurement import Measurement
from dpcore.measures.plan import Plan
from dpcore.measures.trip_rule import TripRule
from dpcore.privacy import ContributionBound, PrivacyUnit
from dpcore.release.texts import one_line, several_lines
from dpcore.tiles import Tessellation

Chosen = Literal["before_data", "after_preview", "paid"]
"""When epsilon, M and the tiles were chosen: before anyone looked at the data, after a preview, or by a paid query."""
CHOSEN: Final[tuple[Chosen, ...]] = get_args(Chosen)
"""The values of ``Chosen``, in this order."""


class IsAsked(Protocol):
    """What an owner asks for: a plan of tables, or the choices of a synthesis."""

    @property
    def bound(self) -> ContributionBound:
        """Privacy unit and contribution bound."""

    @property
    def epsilon(self) -> Fraction:
        """The total, in the relation and for the unit that its kind defines."""


class IsDrawn(Protocol):
    """What was drawn for a plan."""

    def must_be_released(self, plan: Any) -> None:  # noqa: ANN401 - the plan of its own kind
        """Refuse, with a ValueError, what nobody paid for and what the plan cannot have given: such a fault is ours."""


@dataclass(frozen=True, eq=False)
class Draws:
    """Joint draws of the estimates of a bundle, or why it has none."""

    tables: Mapping[str, NDArray[np.int64]]
    """By measure, shape (cells, draws)."""
    method: int = METHOD_OF_DRAWS
    why_none: str = ""
    """Which reason of ``dpcore.estimates.words.WHY_NOT_DRAWN``; empty if there are draws."""


@dataclass(frozen=True, eq=False)
class Stated:
    """The estimates at the finest rung as a bundle states them: rounded, and by which method."""

    estimates: Estimates
    method: int = METHOD
    draws: Draws | None = None
    """None where there is nothing to draw, and in bundles before schema version 5."""
    computed: bool = True
    """False where computing them failed after the noise was drawn: then there is no table of them."""


@dataclass(frozen=True, eq=False)
class Tables:
    """What is drawn for a plan of tables. Every measurement has the origin ``release``."""

    measurements: Mapping[str, Measurement]
    """By measure, in the order of the plan's weights."""
    five_numbers: BoughtQuantiles | None = None
    """The five-number summaries that were bought, if any; ``dpcore.noise.five_numbers`` makes a table of them."""
    ranges: BoughtQuantiles | None = None
    """The ranges that were bought for bins, if any; the plan's choices hold the bins themselves."""
    stated: Stated | None = None
    """What the bundle states beside them; None before it is written, and of bundles before schema version 3. It is for its files
    alone: whoever shows an estimate takes ``dpcore.release.estimates.estimates_of``, which trusts no file."""

    def must_be_released(self, plan: Plan) -> None:
        """Refuse, with a ValueError, a preview and quantiles that the plan did not buy."""
        check_bought(plan, self.five_numbers, self.ranges)
        if any(measurement.origin != "release" for measurement in self.measurements.values()):
            raise ValueError("a preview is never released: its noise was not paid for")

    def __repr__(self) -> str:
        return ", ".join(self.measurements)


Asked = TypeVar("Asked", bound=IsAsked, default="Plan")
Drawn = TypeVar("Drawn", bound=IsDrawn, default="Tables")


@dataclass(frozen=True)
class Anchor:
    """Where the ledger holds the charge: enough to find the entry, and to notice that a ledger was set back."""

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
    """The declared part of the data set that was counted; None: all of it."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Release(Generic[Asked, Drawn]):
    """What was drawn for a plan, with its promise. A plain ``Release`` is one of tables.

    Creating one cleans its free texts: invisible characters and marks that change the direction of reading are removed, and
    long texts are cut.
    """

    id: str
    """Name of the release: data set and number of its ledger entry, such as ``city-3-0a1b2c``."""
    title: str
    note: str
    dataset: str
    """Name of the registered data set."""
    population: str
    """Who is in it, as the owner declares."""
    created: datetime
    """UTC, whole seconds."""
    plan: Asked
    """What was asked; its class determines the kind (``dpcore.release.kinds``)."""
    drawn: Drawn
    """What was drawn: everything that anyone may see of the answer."""
    tessellation: Tessellation
    timezone: str
    """IANA name of the city's clock: hours and dates are local to it."""
    anchor: Anchor
    parameters_chosen: Chosen
    charged_delta: Fraction = Fraction(0)
    """By how much the account's spent delta rose."""
    raised_from: str | None = None
    """Id of the earlier release whose ladder this one continues."""
    publisher: str = ""
    """Who publishes it, as the owner writes; empty if nobody is named."""
    command: str = ""
    """The command that repeats the computation, with fresh noise and at its price."""
    trip_rule: TripRule | None = None
    """The rule that cut points into the trips that were counted. None: the trips stood in the files."""
    software: Mapping[str, str] = field(default_factory=dict)
    """Versions of the software that computed it, by package."""
    context: Context | None = None
    """What lies under its tiles on maps, made to fit; None if the owner put nothing in. Nothing is counted on it."""
    part: Mapping[str, str] = field(default_factory=dict)
    """Which part of tables that are split this is (``dpcore.release.one_part``): a category by attribute; empty: all of the release."""

    def __post_init__(self) -> None:
        """Refuse a preview, which nobody paid for, with a ValueError; clean the free texts; call tiles after its own context."""
        self.drawn.must_be_released(self.plan)
        places = () if self.context is None else self.context.landmarks
        object.__setattr__(self, "tessellation", self.tessellation.among(places))
        object.__setattr__(self, "title", one_line(self.title, limits.MAX_TITLE_CHARACTERS))
        object.__setattr__(self, "population", one_line(self.population, limits.MAX_RELEASE_TEXT_CHARACTERS))
        object.__setattr__(self, "publisher", one_line(self.publisher, limits.MAX_TITLE_CHARACTERS))
        object.__setattr__(self, "note", several_lines(self.note, limits.MAX_NOTE_CHARACTERS))
        object.__setattr__(self, "command", several_lines(self.command, limits.MAX_COMMAND_CHARACTERS))

    @property
    def measurements(self: Release) -> Mapping[str, Measurement]:
        """The tables by measure, in the order of the plan's weights."""
        return self.drawn.measurements

    @property
    def five_numbers(self: Release) -> BoughtQuantiles | None:
        """The five-number summaries that were bought with tables, if any."""
        return self.drawn.five_numbers

    @property
    def ranges(self: Release) -> BoughtQuantiles | None:
        """The ranges that were bought for bins, if any."""
        return self.drawn.ranges

    def __repr__(self) -> str:
        """Its plan, which says the kind and the whole loss, without a count; ``dpcore.table`` gives these."""
        return f"<Release {self.id} of {self.plan!r}>"


AnyRelease: TypeAlias = Release[Any, Any]
"""A release of any kind."""
