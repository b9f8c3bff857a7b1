"""One question that may be asked: its public keys, its proved sensitivity, its SQL.

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
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from dpcore.counting_rule import Cells, Rule, Value
from dpcore.keys import KeySet
from dpcore.privacy import ContributionBound, PrivacyUnit
from dpcore.public_bins import Bins


@dataclass(frozen=True)
class SharedTable:
    """An intermediate table that several measures read; made once for all of them."""

    name: str
    sql: str
    """Query over ``trips``, ``kept`` or shared tables named before it."""


@dataclass(frozen=True)
class Measure:
    """One question that may be asked of trips."""

    name: str
    """Name on the command line and in files."""
    title: str
    """Name for people."""
    counts: str
    """What one unit of a cell is, such as ``visits``."""
    cells_per_trip: int
    """Counts that one trip changes by one where no trip displaces another and nothing else is said below."""
    keys: Callable[[tuple[str, ...]], KeySet]
    """The public key set over the ids of a tessellation, sorted as text."""
    sql: str
    """Query over ``kept``, ``trips`` or its own tables: the key integers, then ``n``."""
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

    @property
    def counts_users(self) -> bool:
        """Whether each user counts once, by all of its trips, instead of each trip."""
        return self.cells_per_user is not None

    @property
    def needs_users(self) -> bool:
        """Whether a form without a user column cannot answer it."""
        return self.counts_users or self.reads_gaps

    def counted_by(
        self,
        cells: Cells,
        value: Value | None = None,
        bins: Bins | None = None,
        *,
        windows: tuple[int, ...] = (),
        cap: int = 2,
    ) -> Measure:
        """The same measure, with what its SQL counts as plain data."""
        return replace(self, rule=Rule(self.sql, cells, value, bins, windows, cap))

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
