"""Kind: everything in which one kind of release differs from another. That of tables is in ``dpcore.release.kinds``, the others are wings.

What all kinds share (the head of a manifest, digests, the order of the checks) is in ``manifest``, ``writing`` and ``reading``. How
trips are counted and noise is drawn is private: see ``dpcore.curator.makers``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from fractions import Fraction
from typing import Any, ClassVar, Generic, TypeAlias

import pyarrow as pa

from dpcore.errors import InputError
from dpcore.estimates import Estimates
from dpcore.measures.keys import Districts, Period
from dpcore.privacy import ContributionBound, Promise
from dpcore.release.files import ListedFiles
from dpcore.release.layout import STATED_SINCE
from dpcore.release.release import Asked, Drawn, Release
from dpcore.tiles import Tessellation
from dpcore.tiles.districts import district_texts
from dpcore.tiles.drawn import as_drawn

Object = dict[str, object]
Progress = Callable[[float], None]
"""Called with the share of the work that is done, 0 to 1."""
Rows = tuple[str, pa.Schema, Iterator[pa.RecordBatch]]


@dataclass(frozen=True)
class Card:
    """What the Library shows of a release, without its numbers."""

    id: str
    kind: str
    """Name of its kind."""
    title: str
    """The id, if the release has no title."""
    dataset: str
    bound: ContributionBound
    epsilon: Fraction
    """For one privacy unit that is added or removed, like ``delta``."""
    delta: Fraction
    period: Period | None
    created: datetime
    tiles: int
    told: tuple[str, ...] = ()
    """Sentences that tell two releases of one kind apart."""
    raised_from: str | None = None
    """Id of the earlier release that this one raises."""
    delicate: tuple[str, Fraction] | None = None
    """Trees only: the most delicate level that some place has, and its epsilon for one unit. ``epsilon`` is of a whole record."""
    by_day: bool = False
    """Trees only: whether the bound counts days."""

    @property
    def begins(self) -> tuple[str, str]:
        """What releases are ordered by: days come first, because a release of last spring may be published after one of this spring."""
        return ("" if self.period is None else self.period.first.isoformat(), self.created.isoformat())


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
    """One kind of release. A ``plan`` is what the owner asked for, see ``Release.plan``."""

    name: ClassVar[str]
    """Identifies the kind in the registry, in commands and in stored terms."""
    asked: ClassVar[type]
    """Class of the plan; each kind has its own."""
    format: ClassVar[str]
    """The member ``format`` of its manifests."""
    entry: ClassVar[str]
    """The member ``kind`` of its terms in the ledger."""
    page: ClassVar[str]
    """Title of the page on which an owner makes one."""
    words: ClassVar[str] = ""
    """What people call it, such as ``trajectory tree``; empty: its name."""
    instead: ClassVar[str] = "Use table."
    """What the library does with it where only tables have pictures."""
    about: ClassVar[str] = ""
    """What it holds, for its card (Markdown); empty for tables, which the card describes by itself."""
    takeaway: ClassVar[str] = ""
    """What is in the .zip, for those who download it."""
    views: ClassVar[tuple[str, ...]] = ()
    """Names of its views: those of the Viewer, or ``walk``."""
    pictures: ClassVar[tuple[str, ...]] = ()
    """Names of the pictures that its releases may have beside ``promise`` (``dpcore.views.kinds``): the Viewer and stories show them."""
    in_viewer: ClassVar[bool] = False
    """Whether the Viewer shows it with a slider. Of other kinds it shows pictures."""
    packed: ClassVar[frozenset[str]] = frozenset()
    """Files that are packed already: an archive stores them as they are."""
    can_be_raised: ClassVar[bool] = False
    """Whether its noise can be continued at a higher epsilon, for the difference."""

    # What is asked

    @abstractmethod
    def must_be_asked(self, plan: Asked) -> None:
        """Refuse a plan that no trips could answer; raises PrivacyError."""

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

    def districts(self, plan: Asked) -> Districts | None:
        """The districts that a plan gives its tiles; None if it gives none."""
        del plan
        return None

    def tiles(self, plan: Asked, tessellation: Tessellation) -> Tessellation:
        """The tiles as a bundle holds them: as a file gives them back, with the districts of the plan and no others.

        Raises TessellationError for districts of other tiles.
        """
        districts = district_texts(tessellation, self.districts(plan))
        return as_drawn(replace(tessellation, districts=districts))

    @abstractmethod
    def terms(self, plan: Asked) -> Object:
        """The plan as the ledger stores it, with the member ``kind``: JSON without floats."""

    @abstractmethod
    def plan_of_terms(self, terms: Mapping[str, object]) -> Asked:
        """The plan from what ``terms`` gave; KeyError, TypeError, ValueError or an AtlasError for anything else."""

    @abstractmethod
    def loss(self, plan: Asked) -> tuple[Fraction, Fraction]:
        """Epsilon and delta of one privacy unit, added or removed."""

    def promised(self, plan: Asked) -> Promise:
        """What a whole release promises to one privacy unit."""
        return Promise.of(plan.bound, *self.loss(plan))

    @abstractmethod
    def command(self, plan: Asked, dataset: str, timezone: str) -> str:
        """The command that makes such a release. TRIPS and TILES stand for the files, because their paths are private."""

    @abstractmethod
    def python(self, plan: Asked) -> str:
        """The expression of the library that makes this plan, as text."""

    @abstractmethod
    def look(self, plan: Asked) -> str:
        """An expression of the library that looks at ``release``, one made of this plan, as text."""

    def wrote_terms(self, terms: Mapping[str, object]) -> bool:
        """Whether the terms of a ledger entry are of this kind."""
        return terms.get("kind") == self.entry

    # Its bundle

    def wrote_manifest(self, document: Mapping[str, object]) -> bool:
        """Whether a manifest is of this kind; nothing else in it was checked yet."""
        return document.get("format") == self.format

    @abstractmethod
    def files(self, plan: Asked, tiles: Tessellation) -> tuple[str, ...]:
        """Names of all files of a bundle, sorted, except the manifest, those of ``layout.FOR_MAPS`` and of ``stated_files``.

        A bundle holds exactly these.

        Raises an AtlasError if there can be no such plan on these tiles.
        """

    def stated_files(self, plan: Asked, members: Object | None = None) -> tuple[str, ...]:
        """Names of the files that state what follows from the others; ``members``: of the bundle with this manifest.

        Bundles before schema version 3 have none.
        """
        del plan, members
        return ()

    def least_version(self, release: Release[Asked, Drawn]) -> int:
        """The first version of the schema that knows all that a bundle of this release states."""
        del release
        return STATED_SINCE

    def to_write(
        self, release: Release[Asked, Drawn], progress: Progress | None = None
    ) -> Release[Asked, Drawn]:
        """The release with all that its bundle states, some of which may take a while to compute."""
        del progress
        return release

    def must_follow(self, release: Release[Asked, Drawn], progress: Progress | None = None) -> bool:
        """Refuse a release of a bundle that states what does not follow from its tables; raises BundleError, naming the file.

        Returns False if another method made the statements, so that they cannot be computed again.
        """
        del release, progress
        return True

    @abstractmethod
    def contents(self, release: Release[Asked, Drawn], tiles: Tessellation) -> Iterator[tuple[str, bytes]]:
        """Name and bytes of each file, one at a time, without manifest, README, tiles and the files of ``rows``."""

    def on_tiles(self, release: Release[Asked, Drawn]) -> Mapping[str, pa.Array]:
        """Columns for ``tiles.gpkg`` and ``tiles.parquet``: a number for each tile, whole (int64) or not (float64), or null."""
        del release
        return {}

    def rows(self, release: Release[Asked, Drawn]) -> Iterator[Rows]:
        """Files with any number of rows, which are written a batch at a time."""
        del release
        yield from ()

    @abstractmethod
    def members(self, release: Release[Asked, Drawn], rows: int) -> Object:
        """The members of a manifest besides the head. An object that the head has too is merged with it.

        ``rows`` is the number of rows in the last file of ``rows``, 0 without any.
        """

    @abstractmethod
    def plan_of(self, members: Object) -> Asked:
        """The plan in a manifest; raises BundleError or another AtlasError."""

    @abstractmethod
    def read(self, members: Object, plan: Asked, tiles: Tessellation, files: ListedFiles) -> Drawn:
        """What was drawn, from files that anyone may have written; raises BundleError."""

    @abstractmethod
    def check(self, release: Release[Asked, Drawn], members: Object, files: ListedFiles) -> int:
        """Refuse other files that do not follow from the release; raises BundleError.

        Returns the number of rows that ``members`` takes.
        """

    # What anyone may take out of it

    def tables(self, release: Release[Asked, Drawn]) -> tuple[str, ...]:
        """Names of the tables that ``shown_table`` gives."""
        del release
        return ()

    def shown_table(self, release: Release[Asked, Drawn], name: str, epsilon: Fraction | None) -> pa.Table:
        """One table at one released rung (None: the finest), keys as text.

        Raises InputError for a name that is not in ``tables``, PrivacyError for a rung that was not revealed.
        """
        del epsilon
        raise InputError.unknown("table in this release", name, self.tables(release))

    def table_note(self, release: Release[Asked, Drawn], name: str) -> str:
        """What must be said beside a table that ``shown_table`` gives; empty if nothing."""
        del release, name
        return ""

    def estimates(
        self,
        release: Release[Asked, Drawn],
        name: str,
        epsilon: Fraction | None = None,
        progress: Progress | None = None,
    ) -> Estimates:
        """What all tables tell together about one of them, at one released rung (None: the finest).

        Raises InputError where there are no estimates, PrivacyError for a rung that was not revealed.
        """
        del name, epsilon, progress
        raise InputError(
            "only releases of tables have estimates",
            release.id,
            f"Ask for a table as it was released: {', '.join(self.tables(release))}.",
        )

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
        """The promise and its limits, as sentences of the manifest."""

    @abstractmethod
    def readme(self, release: Release[Asked, Drawn]) -> list[str]:
        """The blocks of the README below its heading, with the owner's free texts escaped."""

    def card(self, release: Release[Asked, Drawn]) -> Card:
        """The card for the Library; a kind adds what only it knows."""
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
        """What its owner should know about the result, one line each."""
        del release
        return ()

    def numbers(self, release: Release[Asked, Drawn]) -> tuple[str, ...]:
        """The epsilons that it promises, a line each; empty if a single one says it all."""
        del release
        return ()

    def taken(self, plan: Asked) -> str | None:
        """The file of rows that can be downloaded by itself; None if there is none."""
        del plan
        return None


AnyKind: TypeAlias = Kind[Any, Any]
