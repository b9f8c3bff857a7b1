"""A measure: one question that may be asked, with its public keys, its proved sensitivity, its SQL and its texts.

Sensitivities are L1 under add/remove of one privacy unit. ``tests/test_neighbours.py`` reaches each of them by brute
force. There are two kinds of measures.

*Trips are counted.* At most ``m`` trips of a user count (``m = 1`` at trip level, where nothing is bounded). Adding
or removing the unit therefore adds or removes at most ``m`` whole trips, and each trip changes ``cells_per_trip`` counts
by one. The proof needs that the choice of a user's counted trips depends on that user's rows alone
(``private/bounding.py``).

*Users are counted*, each once. The cell follows from a number that is computed from all trips of that user and of nobody
else. One user more or less changes ``cells_per_user`` counts by one, whatever the number of trips, so no bound is
needed. One trip more or less may move its user from one cell to another, which changes two counts by one.

Three measures differ, as proved beside their definitions. ``ds_statistics`` has one cell in which a user counts once,
whatever the number of trips. In ``user_time_delta`` a trip also changes the gap before the next trip. ``total_trips`` is of
the second kind, but a user adds up to C to its only cell.

A measure of trips says its terms (``measures/term.py``), from which its SQL is made. The SQL reads the table ``kept``, which
has one row for each counted trip (see ``private/bounding.py``). Where users are counted it reads ``trips``, which has all
trips with their ``user_id``, and is written out. It returns one integer column for each key axis and then ``n``. It uses no
functions of a particular dialect, so it runs on any engine. Dates are local dates of the end of a trip. An hour is the local hour of the start or of the end that it belongs to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from types import MappingProxyType
from typing import Final

from dpcore.measures.attribute import Attribute, Categories
from dpcore.measures.bins import Bins, Grid
from dpcore.measures.data_form import DataForm
from dpcore.measures.keys import KeySet
from dpcore.measures.term import Term, grouped
from dpcore.privacy import ContributionBound, PrivacyUnit


class Section(Enum):
    """The part of a report to which a measure belongs."""

    OVERVIEW = "overview"
    PLACE = "place"
    OD = "od"
    USER = "user"


class Kind(Enum):
    """How the cells of a measure lie: along a line, on the map, or in no order."""

    NUMBERS = "numbers"
    """Numbers that are not parts of one total."""
    DATES = "dates"
    LINE = "line"
    """Whole numbers in order, such as hours."""
    BINS = "bins"
    TILES = "tiles"
    FLOWS = "flows"
    PAIRS = "pairs"
    """Flows between groups of tiles: parts of one total whose keys are no tiles."""


@dataclass(frozen=True)
class Layout:
    """The key columns of a table and their meaning, for comparing and drawing it."""

    kind: Kind
    columns: tuple[str, ...]
    """Key columns, in order."""
    unit: str = ""
    """Unit of the earth mover's distance."""
    groups: tuple[str, ...] = ()
    """Columns whose combinations are compared and drawn separately."""
    labels: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), hash=False)
    """The text shown for a key. A key without an entry is shown as it is."""
    group_title: str = "{0}, {1}"
    """Title of the picture of one group; the keys of the group are put in."""
    units: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), hash=False)
    """What is counted in a cell, by its text in ``labels``, where cells count different things."""

    @property
    def ordered(self) -> bool:
        """Whether the cells of a group lie along a line."""
        return self.kind in {Kind.DATES, Kind.LINE, Kind.BINS}

    @property
    def tile_columns(self) -> tuple[str, ...]:
        """Columns that hold ids of tiles. The origin and destination of ``PAIRS`` are names of groups."""
        if self.kind is Kind.PAIRS:
            return ()
        return tuple(name for name in self.columns if name in {"tile_id", "origin", "destination"})

    @classmethod
    def of_bins(cls, unit: str) -> Layout:
        """The layout of a histogram."""
        return cls(Kind.BINS, ("bin_start", "bin_end"), unit)


class Engine(Enum):
    """What counts the trips of a data set. Engines differ in speed and capacity, never in an answer."""

    COMPILED = "compiled"
    """Compiled passes over shards of whole people: the fastest on one computer."""
    DUCKDB = "duckdb"
    """The SQL of every measure on the embedded database: the definition against which the others are tested."""
    SPARK = "spark"
    """The same SQL on a Spark cluster, for trips that no single computer holds."""


class Cells(Enum):
    """Which cells a trip, or a user, counts in."""

    STATISTICS = "users, trips, records, complete trips, incomplete trips"
    STATISTICS_OF_TRIPS = "trips, records, complete trips, incomplete trips"
    EMPTY_FIELDS = "empty times, latitudes and longitudes"
    DAYS = "day of the end"
    WEEKDAYS = "weekday of the end"
    HOURS = "kind of end, day type, hour"
    VISITS = "tiles of both ends, and tiles on the way up to a cap"
    WINDOWS = "day type, time window and tile of the end"
    FLOWS = "tile of the start, tile of the end"
    FLOWS_BY_WINDOW = "day type, time window, tile of the start, tile of the end"
    BINS_OF_TRIPS = "bin of a value of the trip"
    BINS_OF_USERS = "bin of a value of the user"
    INCOMPLETE = "incomplete trips"
    ALL_TRIPS = "one cell"
    CAPPED = "trips of a user, at most a cap"


class Value(Enum):
    """What a histogram bins."""

    DURATION = "microseconds from start to end of a complete trip"
    JUMP = "metres from start to end of a complete trip"
    GAP = "microseconds since the end of the user's trip before"
    TRIPS = "trips of a user"
    RADIUS = "radius of gyration of a user in metres"
    TILES = "different tiles of a user"
    ENTROPY = "mobility entropy of a user in thousandths"


@dataclass(frozen=True)
class Adds:
    """The number that a row adds to its cell instead of 1: a value clamped to bounds, in whole units."""

    column: str
    """Where it stands: ``duration_us``, ``jump_m``, or the column of an attribute. Without a value a row adds nothing."""
    lowest: int
    highest: int
    step: int
    """What stands there is so many times the number of units, before it is rounded; halves go up."""
    as_mean: bool = False
    """Whether the key begins with a part: what is above the lowest, what is below the highest, and what is missing."""


@dataclass(frozen=True)
class Rule:
    """What an SQL text counts, as plain data, for the engine that runs compiled passes instead of SQL.

    The SQL stays the definition. A rule holds the SQL text that it stands for. If the SQL of a measure was replaced, its
    rule no longer applies and the SQL is run.
    """

    sql: str
    """The SQL text that it stands for."""
    cells: Cells
    value: Value | None = None
    """For histograms: the value that is binned."""
    bins: Bins | None = None
    windows: tuple[int, ...] = ()
    """Rising hours at which time windows begin."""
    cap: int = 2
    """Most visits of one trip. For ``CAPPED``: most trips of one user."""
    parts: tuple[str, ...] = ()
    """Columns of trips whose numbers come first in its key: trips that differ there are counted apart."""
    adds: Adds | None = None
    """What a row adds, if that is not 1."""


@dataclass(frozen=True)
class SharedTable:
    """An intermediate table, made once and read by several measures."""

    name: str
    sql: str
    """Query over ``trips``, ``kept`` or shared tables named earlier."""


class Typical(Enum):
    """Which count represents a whole table when measures are weighted against each other."""

    CELL = "the median of the cells that are not empty"
    PEOPLE = "the number of people"
    UNKNOWN = "none: nobody can say beforehand"


EVERY_UNIT: Final = frozenset(PrivacyUnit)
NOWHERE: Final[frozenset[PrivacyUnit]] = frozenset()


@dataclass(frozen=True)
class Measure:
    """One question that may be asked of the trips."""

    name: str
    """Name on the command line and in files."""
    title: str
    """Name shown to people."""
    explanation: str
    """What it counts, how to read it, and what the noise does to it: one or two plain sentences for each."""
    section: Section
    counts: str
    """What one unit of a cell is, such as ``visits``."""
    layout: Layout
    cells_per_trip: int
    """Number of counts that one trip changes by one. The fields below say where more than these change."""
    keys: Callable[[tuple[str, ...]], KeySet]
    """The public key set over the ids of a tessellation, sorted as text."""
    weight: int
    """Its share of the epsilon of a default plan at user level, in thousandths; see ``weight_at``."""
    terms: tuple[Term, ...] = ()
    """What it counts, as plain facts; empty where only ``sql`` says it, as where users are counted."""
    sql: str = ""
    """Query over ``kept``, ``trips`` or its own tables: the key integers, then ``n``. Empty: the one of ``terms``."""
    sparse: bool = False
    """Whether exact answers print only their non-zero cells, and a split may make it too large to be listed whole."""
    cells_per_user: int | None = None
    """Where users are counted: the most that one whole user changes over all cells. None where trips are counted."""
    cells_once_per_user: int = 0
    """Where trips are counted: further counts that a user changes by one, whatever the number of trips."""
    cells_moved_by_trip: int | None = None
    """What one trip changes at trip level, if that is more than ``cells_per_trip``."""
    cells_moved_under_bound: int | None = None
    """The most that one added trip changes under a bound on users; None for the rule of ``change_of_one_trip``."""
    tables: tuple[SharedTable, ...] = ()
    """Intermediate tables that the query reads, in the order in which they must be made."""
    attributes: tuple[Attribute, ...] = ()
    """Declared attributes of trips that it reads, in the order in which they decide between trips that are else equal."""
    splits: tuple[Categories, ...] = ()
    """Those of them by whose categories its table is split (``measures/split.py``): the first axes of its keys."""
    reads_gaps: bool = False
    """Whether it reads the time between the trips of a user (``gap_us``)."""
    reads_via: bool = False
    """Whether it reads the tiles that counted trips pass (table ``kept_via``: ``tile``, and ``place`` from 1)."""
    needs_points: bool = False
    """Whether it needs coordinates, so that a form with zone ids alone cannot answer it."""
    needs_times: bool = False
    """Whether it needs times, so that trips without times cannot answer it."""
    needs_ends: bool = False
    """Whether it counts complete trips alone, so that trips with one recorded end cannot answer it."""
    needs_districts: bool = False
    """Whether its places are districts, which the key choices must hold."""
    needs_period: bool = False
    """Whether it counts by date and so needs a public period."""
    weight_of_trips: int | None = None
    """The same at trip level; None if it is equal."""
    usual_at: frozenset[PrivacyUnit] = EVERY_UNIT
    """The privacy units at which a default plan holds it. At others it is there only if it is asked for by name."""
    whole: bool = True
    """For a histogram: whether the binned values are whole numbers, so that a bin from 4 to 6 holds 4 and 5."""
    adds_up: bool = True
    """Whether its cells are parts of one total, so that the average of a cell means something."""
    rule: Rule | None = None
    """What the SQL counts, as plain data; None where only the SQL says it. Read it through ``compiled_rule``."""
    bins: Bins | None = None
    grid: Grid | None = None
    """For a histogram: the public points among which a quantile is purchased."""
    fine_sql: str = ""
    """For a histogram of rounded values: a query for millionths of the engine's unit at trip level. Owner only."""
    typical: Typical = Typical.CELL
    spread: float = 0.0
    """The number s of the law of ``dpcore.noise.forecast`` for its counts. 0: their median equals their mean."""
    unevenness: float = 1.1
    """Mean square of its counts over their squared mean, as in the synthetic city. It is assumed for all data alike, so
    nothing is read off the trips."""
    readable: str = ""
    """What a forecast calls its cells that stand out of the noise; empty if it makes no forecast of them."""
    adds_to: str = ""
    """The total of all its cells, if other tables tell the same total: ``trips``, ``complete_trips`` or ``users``. The
    proofs are in ``docs/explanation/equal-sums.md``, with those of finer sums."""
    differences: tuple[str, ...] | None = None
    """How it differs from the analysis with that name in DpMobilityReport; None if there is no such analysis."""

    def __post_init__(self) -> None:
        """Its SQL follows from its terms if it has none of its own."""
        if not self.sql:
            object.__setattr__(self, "sql", grouped(self.terms))

    def weight_at(self, unit: PrivacyUnit) -> int:
        """Its default weight at a privacy unit, whether a default plan holds it or it is asked for by name."""
        if unit is PrivacyUnit.TRIP and self.weight_of_trips is not None:
            return self.weight_of_trips
        return self.weight

    @property
    def counts_users(self) -> bool:
        """Whether each user counts once, by all of its trips. Otherwise each trip counts."""
        return self.cells_per_user is not None

    @property
    def needs_users(self) -> bool:
        """Whether a form without a user column cannot answer it."""
        return self.counts_users or self.reads_gaps

    def counted_by(
        self, cells: Cells, value: Value | None = None, *, windows: tuple[int, ...] = (), cap: int = 2
    ) -> Measure:
        """The same measure with a rule, which says as plain data what its SQL counts."""
        return replace(self, rule=Rule(self.sql, cells, value, self.bins, windows, cap))

    @property
    def compiled_rule(self) -> Rule | None:
        """The rule by which compiled passes count the same as the SQL; None if the SQL must be run."""
        return self.rule if self.rule is not None and self.rule.sql == self.sql else None

    @property
    def counts_each_row_alone(self) -> bool:
        """Whether at trip level the answer for several files is the sum of the answers for each of them.

        Proof. At trip level every trip counts. The cells to which a trip adds are a function of its own row, unless
        the measure counts users, reads the gap after the user's trip before, or has a cell in which a user counts once.
        Without these exceptions the answer is a sum over rows, and each row is in one file. With them, a user whose trips
        lie in two files would count twice, or a gap between the files would be missed.
        """
        return not (self.needs_users or self.cells_once_per_user)

    def lacks(self, form: DataForm) -> tuple[str, ...]:
        """What it needs and a form of data does not have: names of fields of ``DataForm``. If nothing, the form can answer it."""
        needs = (
            ("users", self.needs_users, form.users),
            ("points", self.needs_points, form.points),
            ("times", self.needs_times, form.times),
            ("ends", self.needs_ends, form.ends),
        )
        return tuple(name for name, needed, has in needs if needed and not has)

    def sensitivity(self, bound: ContributionBound) -> int:
        """The most that one privacy unit can change over all cells together (L1)."""
        if bound.unit is PrivacyUnit.TRIP:
            return self.cells_moved_by_trip or self.cells_per_trip
        if self.cells_per_user is not None:
            return self.cells_per_user
        return self.cells_once_per_user + self.cells_per_trip * bound.trips

    def change_of_one_trip(self, bound: ContributionBound) -> int:
        """The most that one added trip can change over all cells together (L1), whatever unit the bound protects.

        Under a bound on users an added trip may displace a counted one: one trip goes and another comes. Where users are
        counted, no bound is applied and nothing is displaced, so the change is the one at trip level. In no case is it
        more than twice the change by a whole user: remove the user, then add the user again with the trip.
        """
        alone = self.sensitivity(ContributionBound.per_trip())
        if bound.unit is PrivacyUnit.TRIP:
            return alone
        displacing = self.cells_moved_under_bound or (alone if self.counts_users else 2 * self.cells_per_trip)
        return min(displacing, 2 * self.sensitivity(bound))


def in_bins(bins: Bins, value: str, where: str) -> tuple[Term, ...]:
    """Counted trips by the bin of a value."""
    return (Term("kept", (("bin", bins.number(value)),), where),)
