"""One question that may be asked, and all that is said of it: its public keys, its proved sensitivity, its SQL, its words.

Sensitivities are L1 under add/remove of one privacy unit; ``tests/test_neighbours.py`` reaches every one by
brute force. There are two kinds of measures.

*Trips are counted.* With at most ``m`` trips of a user counted (``m = 1`` at trip level, where nothing is
bounded), adding or removing the unit adds or removes at most ``m`` whole trips, and each trip moves
``cells_per_trip`` counts by one. The proof needs that what is kept of a user depends on that user's rows
alone (``private/bounding.py``).

*Users are counted*, each once, in the cell of a number that is computed from all trips of that user and of
nobody else. A user more or less changes ``cells_per_user`` counts by one, whatever the number of trips, so no
bound is needed. A trip more or less may take its user from one cell to another: two counts change by one.

Two measures of the first kind say one thing more, each beside its own definition: ``ds_statistics`` has one cell in
which a user counts whatever the number of trips, and in ``user_time_delta`` a trip also moves the trip after it.

The SQL reads the table ``kept`` (one row a counted trip, see ``private/bounding.py``), or ``trips`` (all of
them, with ``user_id``) where users are counted. It returns one integer column for each key axis and then ``n``,
names no dialect's own functions, and so runs on any engine. Dates are those of the end of a trip; hours belong
to each end's own time; all are local.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from types import MappingProxyType

from dpcore.measures.bins import Bins, Grid
from dpcore.measures.keys import KeySet
from dpcore.privacy import ContributionBound, PrivacyUnit


class Section(Enum):
    """The part of a report in which a measure stands."""

    OVERVIEW = "overview"
    PLACE = "place"
    OD = "od"
    USER = "user"


class Kind(Enum):
    """How the cells of a measure lie: along a line, on the map, or in no order at all."""

    NUMBERS = "numbers"
    """Numbers that are no parts of one total."""
    DATES = "dates"
    LINE = "line"
    """Whole numbers in order, such as hours."""
    BINS = "bins"
    TILES = "tiles"
    FLOWS = "flows"


@dataclass(frozen=True)
class Layout:
    """The key columns of a table and what they mean: how it is compared and drawn."""

    kind: Kind
    columns: tuple[str, ...]
    """Key columns in their order."""
    unit: str = ""
    """Of the earth mover's distance."""
    groups: tuple[str, ...] = ()
    """Columns whose combinations are compared and drawn by themselves."""
    labels: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), hash=False)
    """What people read for a key; a key that is not listed is read as it is."""
    group_title: str = "{0}, {1}"
    """Title of the picture of one group, with the keys of the group put in."""

    @property
    def ordered(self) -> bool:
        """Whether the cells of a group lie along a line."""
        return self.kind in {Kind.DATES, Kind.LINE, Kind.BINS}

    @property
    def tile_columns(self) -> tuple[str, ...]:
        """Columns that hold ids of tiles."""
        return tuple(name for name in self.columns if name in {"tile_id", "origin", "destination"})

    @classmethod
    def of_bins(cls, unit: str) -> Layout:
        """The layout of a histogram."""
        return cls(Kind.BINS, ("bin_start", "bin_end"), unit)


class Engine(Enum):
    """What counts the trips of a data set. Engines differ in speed and reach, never in an answer."""

    COMPILED = "compiled"
    """Compiled passes over shards of whole people: the fastest on one computer."""
    DUCKDB = "duckdb"
    """The SQL of every measure on the embedded database: the definition that the others are tested against."""
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
    BINS_OF_TRIPS = "bin of a value of the trip"
    BINS_OF_USERS = "bin of a value of the user"


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
class Rule:
    """What an SQL text counts, as plain data: for the engine that runs compiled passes instead of SQL.

    The SQL stays the definition. A rule names the text that it stands for, so that a measure whose SQL was exchanged
    has no rule, and its SQL is run.
    """

    sql: str
    """The text that it stands for."""
    cells: Cells
    value: Value | None = None
    """What is binned, for histograms."""
    bins: Bins | None = None
    """The bins, for histograms."""
    windows: tuple[int, ...] = ()
    """Rising hours at which time windows begin."""
    cap: int = 2
    """Most visits of one trip."""


@dataclass(frozen=True)
class SharedTable:
    """An intermediate table that several measures read; made once for all of them."""

    name: str
    sql: str
    """Query over ``trips``, ``kept`` or shared tables named before it."""


class Typical(Enum):
    """Which count stands for a whole table where measures are weighed against each other."""

    CELL = "the median of the cells that are not empty"
    PEOPLE = "the number of people"
    UNKNOWN = "none: nobody can say beforehand"


@dataclass(frozen=True)
class Measure:
    """One question that may be asked of trips."""

    name: str
    """Name on the command line and in files."""
    title: str
    """Name for people."""
    explanation: str
    """What it counts, how to read it, and what the noise does to it: one or two plain sentences each."""
    section: Section
    counts: str
    """What one unit of a cell is, such as ``visits``."""
    layout: Layout
    cells_per_trip: int
    """Counts that one trip changes by one where no trip displaces another and nothing else is said below."""
    keys: Callable[[tuple[str, ...]], KeySet]
    """The public key set over the ids of a tessellation, sorted as text."""
    sql: str
    """Query over ``kept``, ``trips`` or its own tables: the key integers, then ``n``."""
    weight: int
    """Weight where nobody chose any, by the rule of ``dpcore.noise.weights`` for a typical city. It is written down as a
    number, so that a plan needs no forecast; ``tests/test_weights.py`` works it out again."""
    sparse: bool = False
    """Whether exact answers print their non-zero cells only."""
    cells_per_user: int | None = None
    """Counts that one whole user changes by one, where users are counted; None where trips are."""
    cells_once_per_user: int = 0
    """Where trips are counted: counts that a user changes by one besides, whatever the number of trips."""
    cells_moved_by_trip: int | None = None
    """What one trip changes at trip level, if that is more than ``cells_per_trip``."""
    cells_moved_under_bound: int | None = None
    """What one trip more changes at most under a bound on users; None for the general rule, see below."""
    tables: tuple[SharedTable, ...] = ()
    """Intermediate tables that the query reads, in the order in which they are made."""
    reads_gaps: bool = False
    """Whether it reads the time between the trips of a user (``gap_us``)."""
    reads_via: bool = False
    """Whether it reads the tiles that kept trips pass on their way (table ``kept_via``: ``tile``, ``place`` from 1)."""
    needs_points: bool = False
    """Whether a form with zone ids alone cannot answer it."""
    needs_period: bool = False
    """Whether it counts by date and so needs a public period."""
    on_request: bool = False
    """Whether a release holds it only if it is named."""
    whole: bool = True
    """For a histogram: whether what it bins are whole numbers, so that a bin from 4 to 6 holds 4 and 5."""
    adds_up: bool = True
    """Whether its cells are parts of one total, so that an average cell means something."""
    rule: Rule | None = None
    """The same as plain data; None where SQL alone says it. Read ``compiled_rule``."""
    bins: Bins | None = None
    """For a histogram: its public bins."""
    grid: Grid | None = None
    """For a histogram: the public points that a bought quantile can be."""
    fine_sql: str = ""
    """For a histogram that rounds its values: query at trip level for millionths of the engine's unit, owner only."""
    typical: Typical = Typical.CELL
    spread: float = 0.0
    """The number s of the law of ``dpcore.noise.forecast`` for its counts; 0: their median is their mean."""
    unevenness: float = 1.1
    """Mean square of its counts over their squared mean, as in the synthetic city. An assumption about all data alike,
    so that nothing is read off the trips."""
    readable: str = ""
    """What its cells that stand out of the noise are called in a forecast; empty where none is made of them."""
    adds_to: str = ""
    """The number that all its cells together are, where other tables tell it too: ``trips``, ``complete_trips`` or
    ``users``. Proofs stand in ``dpcore.comparison.identities``, with those of finer sums."""
    shares_no_total: str = "it shares no total with the other tables"
    """Why it takes no part where tables are made to agree; said where nothing of it is a sum that another table tells."""
    differences: tuple[str, ...] | None = None
    """What means something else here than in the analysis of that name of DpMobilityReport; None: it has none."""

    @property
    def counts_users(self) -> bool:
        """Whether each user counts once, by all of its trips, instead of each trip."""
        return self.cells_per_user is not None

    @property
    def needs_users(self) -> bool:
        """Whether a form without a user column cannot answer it."""
        return self.counts_users or self.reads_gaps

    def counted_by(
        self, cells: Cells, value: Value | None = None, *, windows: tuple[int, ...] = (), cap: int = 2
    ) -> Measure:
        """The same measure, with what its SQL counts as plain data."""
        return replace(self, rule=Rule(self.sql, cells, value, self.bins, windows, cap))

    @property
    def compiled_rule(self) -> Rule | None:
        """The rule by which compiled passes count what the SQL counts; None where the SQL must be run."""
        return self.rule if self.rule is not None and self.rule.sql == self.sql else None

    @property
    def counts_each_row_alone(self) -> bool:
        """Whether at trip level its answer for some files is the sum of its answers for each of them.

        Proof. At trip level every trip counts, and which cells it adds to is a function of its own row, unless the
        measure counts users, reads the gap to the user's trip before, or has a cell in which a user counts once. Then
        the answer is a sum over rows, and a row is in one file. Otherwise a user whose trips lie in two files would
        count twice, or miss the gap between them.
        """
        return not (self.needs_users or self.cells_once_per_user)

    def answerable(self, *, has_users: bool, has_points: bool) -> bool:
        """Whether a form of data can answer it."""
        return (has_users or not self.needs_users) and (has_points or not self.needs_points)

    def sensitivity(self, bound: ContributionBound) -> int:
        """Most that one privacy unit can change over all cells together (L1)."""
        if bound.unit is PrivacyUnit.TRIP:
            return self.cells_moved_by_trip or self.cells_per_trip
        if self.cells_per_user is not None:
            return self.cells_per_user
        return self.cells_once_per_user + self.cells_per_trip * bound.trips

    def change_of_one_trip(self, bound: ContributionBound) -> int:
        """Most that one added trip can change over all cells together (L1), whatever unit the bound protects.

        Under a bound on users an added trip may displace a kept one: one trip goes and another comes. Where users
        are counted no bound is applied, nothing is displaced, and the change is the one at trip level. And it is
        never more than twice what a whole user changes: take the user away, and bring it back with the trip.
        """
        alone = self.sensitivity(ContributionBound.per_trip())
        if bound.unit is PrivacyUnit.TRIP:
            return alone
        displacing = self.cells_moved_under_bound or (alone if self.counts_users else 2 * self.cells_per_trip)
        return min(displacing, 2 * self.sensitivity(bound))


def histogram(bins: Bins, value: str, rows: str) -> str:
    """SQL for how many rows have a value in each bin."""
    return f"SELECT {bins.number(value)} AS bin, count(*) AS n FROM {rows} GROUP BY 1"
