"""Kind: all in which one kind of release differs from another. Each stands in a module of ``dpcore.release.kinds``.

What is general (the head of a manifest, sums, the order of the checks) is written once, in ``manifest``, ``writing`` and
``reading``. How trips are counted and noise is drawn stands behind the door, in ``dpcore.curator.makers``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Any, ClassVar, Generic, TypeAlias

import pyarrow as pa

from dpcore.errors import InputError
from dpcore.measures.keys import Period
from dpcore.privacy import ContributionBound, Promise
from dpcore.release.fields import Fields
from dpcore.release.files import ListedFiles
from dpcore.release.release import Asked, Drawn, Release
from dpcore.tiles import Tessellation

Object = dict[str, object]
Rows = tuple[str, pa.Schema, Iterator[pa.RecordBatch]]


@dataclass(frozen=True)
class Card:
    """What the Library says of a release, without what was drawn."""

    id: str
    kind: str
    """Name of its kind."""
    title: str
    """Its id stands in for a title that it does not have."""
    dataset: str
    bound: ContributionBound
    epsilon: Fraction
    """For one privacy unit that is added or removed, as ``delta``."""
    delta: Fraction
    period: Period | None
    created: datetime
    tiles: int
    told: tuple[str, ...] = ()
    """Sentences that tell two releases of one kind apart."""
    raised_from: str | None = None
    """Id of the earlier release that this one makes finer."""
    delicate: tuple[str, Fraction] | None = None
    """Of a tree: the most delicate level that a place has and its epsilon for one privacy unit; ``epsilon`` is that of a whole record."""
    by_day: bool = False
    """Of a tree: whether the bound counts days."""


@dataclass(frozen=True)
class Expected:
    """What the noise of one table will be, from public facts alone."""

    measure: str
    epsilon: Fraction
    """Its share of the total."""
    sensitivity: int
    """The most that one unit changes it by."""
    half_width: int
    """95 % half width of the noise of one cell."""
    cells: int
    """Possible cells, whatever the data."""
    stands_out_from: int
    """Smallest noisy count that noise alone could hardly have made, or that is shown at all."""
    readable_share: float | None = None
    """Share of the tiles or flows that stand out in a typical city, where that is known."""


class Kind(ABC, Generic[Asked, Drawn]):
    """One kind of release. ``plan`` is what was asked, see ``Release.plan``."""

    name: ClassVar[str]
    """Tells kinds apart: in the registry, in commands and in what is written down."""
    asked: ClassVar[type]
    """Class of what is asked; each kind has its own."""
    format: ClassVar[str]
    """What a manifest says it is."""
    entry: ClassVar[str]
    """What the ledger's terms say it is."""
    page: ClassVar[str]
    """Title of the page on which its owner makes one."""
    about: ClassVar[str] = ""
    """What it holds, for its card (Markdown); empty for tables, which the card describes."""
    takeaway: ClassVar[str] = ""
    """What is in the .zip, for who downloads it."""
    views: ClassVar[tuple[str, ...]] = ()
    """Ways of looking at it, by name: views of the Viewer, or ``walk``."""
    in_viewer: ClassVar[bool] = False
    """Whether the Viewer opens it; then it is kept in memory once it was read."""
    packed: ClassVar[frozenset[str]] = frozenset()
    """Files that are packed already: an archive stores them as they are."""
    can_be_raised: ClassVar[bool] = False
    """Whether its noise can be continued at a higher epsilon, for the difference."""

    # What is asked

    @abstractmethod
    def must_be_asked(self, plan: Asked) -> None:
        """Refuse what could not be published from any trips; raises PrivacyError."""

    def for_form(self, plan: Asked, *, has_users: bool) -> Asked:
        """The same plan for a form of data with or without a user column."""
        del has_users
        return plan

    def expected(
        self, plan: Asked, tiles: Tessellation, *, trips: int | None, users: int | None
    ) -> tuple[Expected, ...]:
        """The noise of each table on some tiles, with about so many trips and people as declared.

        Raises InputError for a kind whose noise no table tells, another AtlasError for a plan that these tiles cannot have.
        """
        del plan, tiles, trips, users
        raise InputError(
            "the noise of this kind of release is no list of tables",
            self.name,
            "price says what each part of it costs, and a release says the half width of every number.",
        )

    @abstractmethod
    def terms(self, plan: Asked) -> Object:
        """The plan as the ledger writes it down, with ``kind``: JSON without floats."""

    @abstractmethod
    def plan_of_terms(self, terms: Mapping[str, object]) -> Asked:
        """The plan that ``terms`` wrote; KeyError, TypeError, ValueError or an AtlasError for anything else."""

    @abstractmethod
    def loss(self, plan: Asked) -> tuple[Fraction, Fraction]:
        """Epsilon and delta of one privacy unit, added or removed."""

    def promised(self, plan: Asked) -> Promise:
        """What all of a release promises to one privacy unit."""
        return Promise.of(plan.bound, *self.loss(plan))

    @abstractmethod
    def command(self, plan: Asked, dataset: str, timezone: str) -> str:
        """The command that makes such a release; files stand as TRIPS and TILES, for their paths are private."""

    def wrote_terms(self, terms: Mapping[str, object]) -> bool:
        """Whether the terms of a ledger's entry are those of this kind."""
        return terms.get("kind") == self.entry

    # Its bundle

    def wrote_manifest(self, document: Mapping[str, object]) -> bool:
        """Whether a manifest, of which nothing else was checked, is one of this kind."""
        return document.get("format") == self.format

    @abstractmethod
    def files(self, plan: Asked, tiles: Tessellation) -> tuple[str, ...]:
        """Every file of a bundle but the manifest, sorted: a bundle can neither lack one nor hold one too many.

        Raises an AtlasError for a plan that these tiles cannot have.
        """

    @abstractmethod
    def contents(self, release: Release[Asked, Drawn], tiles: Tessellation) -> Iterator[tuple[str, bytes]]:
        """Name and bytes of every file but the manifest, README, tiles and those of ``rows``, one at a time."""

    def rows(self, release: Release[Asked, Drawn]) -> Iterator[Rows]:
        """Files of any number of rows, written a batch at a time."""
        del release
        yield from ()

    @abstractmethod
    def members(self, release: Release[Asked, Drawn], rows: int) -> Object:
        """What a manifest says besides the head; an object that the head has too is joined with it.

        Args:
            release: what is published.
            rows: of the last file of ``rows``; 0 without any.

        """

    @abstractmethod
    def plan_of(self, members: Fields) -> Asked:
        """The plan that a manifest tells; raises BundleError or another AtlasError."""

    @abstractmethod
    def read(self, members: Fields, plan: Asked, tiles: Tessellation, files: ListedFiles) -> Drawn:
        """What was drawn, from files that anyone may have written; raises BundleError."""

    @abstractmethod
    def check(self, release: Release[Asked, Drawn], members: Fields, files: ListedFiles) -> int:
        """Refuse whatever in the other files does not follow from the release; raises BundleError.

        Returns the number of rows as for ``members``.
        """

    # What anyone may take out of it

    def tables(self, release: Release[Asked, Drawn]) -> tuple[str, ...]:
        """Names of the tables that ``shown_table`` gives."""
        del release
        return ()

    def shown_table(self, release: Release[Asked, Drawn], name: str, epsilon: Fraction | None) -> pa.Table:
        """One table at one revealed rung (None: the finest), keys as text.

        Raises InputError for a name that is not in ``tables``, PrivacyError for a rung that was not revealed.
        """
        del epsilon
        raise InputError.unknown("table in this release", name, self.tables(release))

    def numbers_of(self, release: Release[Asked, Drawn], name: str) -> Mapping[str, type]:
        """The key columns of a table that hold numbers only, with the type of these."""
        del release, name
        return {}

    def answers(self, release: Release[Asked, Drawn], question: str) -> pa.Table:
        """The answers to a typed question, each with its interval; raises InputError for what it cannot answer."""
        del question
        raise InputError(
            "this kind of release answers no questions",
            release.id,
            f"Take one of its tables: {', '.join(self.tables(release))}.",
        )

    # What it says of itself

    @abstractmethod
    def statements(self, release: Release[Asked, Drawn]) -> Object:
        """What is promised and what is not, in the sentences of the manifest."""

    @abstractmethod
    def readme(self, release: Release[Asked, Drawn]) -> list[str]:
        """The blocks of the README below its heading; free texts of the owner stand in it as text."""

    def card(self, release: Release[Asked, Drawn]) -> Card:
        """What the Library says of it; each kind adds what it alone knows."""
        epsilon, delta = self.loss(release.plan)
        return Card(
            id=release.id,
            kind=self.name,
            title=release.title or release.id,
            dataset=release.dataset,
            bound=release.plan.bound,
            epsilon=epsilon,
            delta=delta,
            period=None,
            created=release.created,
            tiles=len(release.tessellation.tile_ids),
        )

    def told(self, release: Release[Asked, Drawn]) -> tuple[str, ...]:
        """What its owner should know of what came out, one line each."""
        del release
        return ()

    def numbers(self, release: Release[Asked, Drawn]) -> tuple[str, ...]:
        """The epsilons that it promises, a line each, where one does not say all."""
        del release
        return ()

    def taken(self, plan: Asked) -> str | None:
        """The file of rows that is taken away by itself; None where there is none."""
        del plan
        return None


AnyKind: TypeAlias = Kind[Any, Any]
