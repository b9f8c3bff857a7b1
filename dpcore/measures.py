"""What may be asked: each measure with its public keys, its proved sensitivity and its SQL.

Sensitivities are L1 under add/remove of one privacy unit; ``tests/test_neighbours.py`` reaches every one by
brute force. There are two kinds of measures.

*Trips are counted.* With at most ``m`` trips of a user counted (``m = 1`` at trip level, where nothing is
bounded), adding or removing the unit adds or removes at most ``m`` whole trips, and each trip moves
``cells_per_trip`` counts by one. The proof needs that what is kept of a user depends on that user's rows
alone (``private/bounding.py``).

*Users are counted*, each once, in the cell of a number that is computed from all trips of that user and of
nobody else. A user more or less changes ``cells_per_user`` counts by one, whatever the number of trips, so no
bound is needed. A trip more or less may take its user from one cell to another: two counts change by one.

The SQL reads the table ``kept`` (one row a counted trip, see ``private/prepare.py``), or ``trips`` (all of
them, with ``user_id``) where users are counted. It returns one integer column for each key axis and then ``n``,
names no dialect's own functions, and so runs on any engine. Dates are those of the end of a trip; hours belong
to each end's own time; all are local.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from dpcore.errors import InputError, PrivacyError
from dpcore.keys import KeySet, Period, bin_axis, date_axis, plain_axis, tile_axis
from dpcore.privacy import ContributionBound, PrivacyUnit


@dataclass(frozen=True)
class PublicKeys:
    """What key sets are made of; all of it is public."""

    tile_ids: tuple[str, ...]
    """Ids of the tessellation, sorted as text."""
    period: Period | None = None
    """Range of dates chosen by the owner; needed by measures over dates."""


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
    """Counts that one trip changes by one where no trip displaces another: the L1 sensitivity at trip level."""
    keys: Callable[[PublicKeys], KeySet]
    """The public key set."""
    sql: str
    """Query over ``kept`` or ``trips``: the key integers, then ``n``."""
    sparse: bool = False
    """Whether exact answers print their non-zero cells only."""
    cells_per_user: int | None = None
    """Counts that one whole user changes by one, where users are counted; None where trips are."""

    @property
    def counts_users(self) -> bool:
        """Whether each user counts once, by all of its trips, instead of each trip."""
        return self.cells_per_user is not None

    @property
    def needs_users(self) -> bool:
        """Whether a form without a user column cannot answer it."""
        return self.counts_users

    def sensitivity(self, bound: ContributionBound) -> int:
        """Most that one privacy unit can change over all cells together (L1)."""
        if self.cells_per_user is not None and bound.unit is PrivacyUnit.USER:
            return self.cells_per_user
        return self.cells_per_trip * bound.trips

    def change_of_one_trip(self, bound: ContributionBound) -> int:
        """Most that one added trip can change over all cells together (L1), whatever unit the bound protects.

        Under a bound on users an added trip may displace a kept one: one trip goes and another comes. Where users
        are counted no bound is applied, nothing is displaced, and the change is the one at trip level.
        """
        displaces = bound.unit is PrivacyUnit.USER and not self.counts_users
        return self.cells_per_trip * (2 if displaces else 1)


def _date_keys(public: PublicKeys) -> KeySet:
    if public.period is None:
        raise PrivacyError(
            "a series over dates needs a public period",
            "trips_over_time",
            "Give its first and last day; they are never read off the data.",
        )
    return KeySet((date_axis("date", public.period),))


WEEKDAYS: Final = tuple(str(day) for day in range(7))
DAY_TYPES: Final = ("weekday", "weekend")
HOURS: Final = tuple(str(hour) for hour in range(24))

# The wall clock is stored as whole hours since 1970-01-01 00:00, a Thursday: weekday = (day + 3) mod 7.
_WEEKDAY: Final = "(CAST(floor({hour} / 24.0) AS INT) + 3) % 7"
_DAY_TYPE: Final = f"CASE WHEN {_WEEKDAY} >= 5 THEN 1 ELSE 0 END"


def _hours(kind: int, hour: str, where: str) -> str:
    day_type = _DAY_TYPE.format(hour=hour)
    return (
        f"SELECT {kind} AS kind, {day_type} AS day_type, {hour} % 24 AS hour, count(*) AS n "
        f"FROM kept {where} GROUP BY 1, 2, 3"
    )


# Every bin but the last ends right after a bound that a person would choose (1, 2, 3, 5, 8, 12, 20 and so on), so
# that the trips which such a bound keeps of a busier user are known exactly from the histogram.
_TRIPS_PER_USER_EDGES: Final = (2, 3, 4, 6, 9, 13, 21, 31, 51, 76, 101, 151, 201, 301, 501)


def _bin_number(value: str, edges: Sequence[int]) -> str:
    """SQL for the number of the half-open bin that holds a value; see ``bin_axis``."""
    below = " ".join(f"WHEN {value} < {edge} THEN {number}" for number, edge in enumerate(edges))
    return f"CASE {below} ELSE {len(edges)} END"


_ALL: Final = (
    Measure(
        name="trips_over_time",
        title="Trips over time",
        counts="trips",
        cells_per_trip=1,
        keys=_date_keys,
        sql="SELECT CAST(floor(end_hour / 24.0) AS INT) AS day, count(*) AS n FROM kept GROUP BY 1",
    ),
    Measure(
        name="trips_per_weekday",
        title="Trips by weekday",
        counts="trips",
        cells_per_trip=1,
        keys=lambda _: KeySet((plain_axis("weekday", WEEKDAYS),)),
        sql=f"SELECT {_WEEKDAY.format(hour='end_hour')} AS weekday, count(*) AS n FROM kept GROUP BY 1",
    ),
    Measure(
        name="trips_per_hour",
        title="Trips by hour",
        counts="trips",
        cells_per_trip=2,  # a trip counts at its start and at its end
        keys=lambda _: KeySet(
            (
                plain_axis("kind", ("start", "end")),
                plain_axis("day_type", DAY_TYPES),
                plain_axis("hour", HOURS),
            )
        ),
        sql=f"{_hours(0, 'start_hour', 'WHERE complete')} UNION ALL {_hours(1, 'end_hour', '')}",
    ),
    Measure(
        name="visits_per_tile",
        title="Visits per tile",
        counts="visits",
        cells_per_trip=2,  # both ends, maybe in the same tile
        keys=lambda public: KeySet((tile_axis("tile_id", public.tile_ids),)),
        sql=(
            "SELECT tile, CAST(sum(n) AS BIGINT) AS n FROM ("
            "SELECT start_tile AS tile, count(*) AS n FROM kept WHERE complete GROUP BY 1 "
            "UNION ALL SELECT end_tile AS tile, count(*) AS n FROM kept GROUP BY 1) ends GROUP BY 1"
        ),
    ),
    Measure(
        name="od_flows",
        title="Flows between tiles",
        counts="trips",
        cells_per_trip=1,
        keys=lambda public: KeySet(
            (tile_axis("origin", public.tile_ids), tile_axis("destination", public.tile_ids))
        ),
        sql="SELECT start_tile, end_tile, count(*) AS n FROM kept WHERE complete GROUP BY 1, 2",
        sparse=True,
    ),
    Measure(
        name="trips_per_user",
        title="Trips per person",
        counts="people",
        cells_per_trip=2,  # one trip more takes its user from one bin to the next
        cells_per_user=1,  # a user is in one bin
        keys=lambda _: KeySet((bin_axis(_TRIPS_PER_USER_EDGES),)),
        # all trips, before any bound: it is there to choose the bound; trips of nobody known do not count
        sql=(
            f"SELECT {_bin_number('trips', _TRIPS_PER_USER_EDGES)} AS bin, count(*) AS n FROM ("
            "SELECT count(*) AS trips FROM trips WHERE user_id IS NOT NULL GROUP BY user_id"
            ") users GROUP BY 1"
        ),
    ),
)

MEASURES: Final[Mapping[str, Measure]] = MappingProxyType({measure.name: measure for measure in _ALL})
"""Every measure by name."""


def measure_named(name: str) -> Measure:
    """The measure of that name; raises InputError that lists the names there are."""
    if name not in MEASURES:
        raise InputError.unknown("measure", name, sorted(MEASURES))
    return MEASURES[name]
